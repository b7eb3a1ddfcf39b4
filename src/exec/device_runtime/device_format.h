// printf of kernels: a format and its arguments lie in device memory, the arguments one after the
// other as C promotes them, each at a multiple of its size (CUDA C++ Programming Guide, "Formatted
// Output"; what nvcc and clang pass to vprintf). Conversions are those of C; the text of each is
// made by the host's own printf, as CUDA says that it is. Private to exec/device_runtime/.
#ifndef WM_EXEC_DEVICE_FORMAT_H
#define WM_EXEC_DEVICE_FORMAT_H

#include "base/text/text.h"

#include <stdint.h>

enum {
    WM_FORMAT_ARGUMENTS = 32, // what comes after is not looked at, and its conversions are printed
    WM_FORMAT_WIDTH = 65535,  // bytes: a greater width or precision is taken as this
};

// Where the format, its arguments and its strings lie.
struct wm_format_source {
    // Copies bytes at a generic address; false when the kernel may not read them.
    bool (*read)(void *context, uint64_t address, void *to, uint32_t bytes);
    void *context;
    uint64_t unreadable; // the address, when formatting stopped at one
};

// Appends what printf prints and returns, as CUDA's does, the number of arguments taken: 0 without
// any, -1 for a format that is a null pointer, and -2 when the source could not read an address.
int32_t wm_device_format(struct wm_format_source *source, uint64_t format, uint64_t arguments,
                         struct wm_text *text);

#endif

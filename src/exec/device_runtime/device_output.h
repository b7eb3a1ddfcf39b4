// What kernels print, kept until the host reads it. As CUDA's buffer it holds so many bytes and no
// more, and what was printed first goes first (CUDA C++ Programming Guide, "Formatted Output").
//
// Thread rules: one thread at a time.
#ifndef WM_EXEC_DEVICE_OUTPUT_H
#define WM_EXEC_DEVICE_OUTPUT_H

#include "base/text/text.h"

#include <stdint.h>

struct wm_device_output {
    struct wm_text text; // owned; `failed` when the host ran out of memory
    uint64_t limit;      // bytes that are kept
    uint64_t lost;       // bytes that were not, after wm_device_output_end
};

// Zeroed but for its limit, one is ready. Appends what one thread prints at once.
void wm_device_output_add(struct wm_device_output *output, const char *text, size_t length);
// The kernel has ended: what is left fits in the limit, and begins where a line does if anything
// was lost.
void wm_device_output_end(struct wm_device_output *output);
void wm_device_output_release(struct wm_device_output *output);

#endif

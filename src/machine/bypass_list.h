// The value of gpu.l1.bypass_list: which instructions of which kernels. "none", or selectors with
// commas between them, each KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN: the instruction's number, or
// its line in the PTX or in the source. KERNEL is the symbol, the plain name of a C++ function, or
// "*".
//
// In a machine file and in a setting it may be "@FILE": a text with one selector a line, "#" before
// comments. What is kept is the list, as if it had been written in place.
#ifndef WM_MACHINE_BYPASS_LIST_H
#define WM_MACHINE_BYPASS_LIST_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_BYPASS_LIST_BYTES = 16384 + 1 }; // with the NUL

enum wm_bypass_place { WM_BYPASS_PC, WM_BYPASS_PTX, WM_BYPASS_LINE };

// One selector of a list; the texts lie in the list.
struct wm_bypass_selector {
    const char *text; // as it was written, `length` bytes
    size_t length;
    const char *kernel;
    size_t kernel_length;
    enum wm_bypass_place place;
    uint32_t number;
};

// WM_INVALID, with the selector that cannot be read and a cure.
enum wm_status wm_bypass_list_check(const char *list, struct wm_error *error);

// The first selector of a checked list or of the rest of one; returns the rest behind it, NULL when
// there was none.
const char *wm_bypass_list_next(const char *list, struct wm_bypass_selector *selector);

// Whether the selector means the kernel with this symbol; and in a kernel that it means, this
// instruction. A line that is not known is 0: lines are counted from 1.
bool wm_bypass_means_kernel(const struct wm_bypass_selector *selector, const char *symbol);
bool wm_bypass_means_place(const struct wm_bypass_selector *selector, uint32_t pc,
                           uint32_t ptx_line, uint32_t source_line);

// Reads a file of selectors to a list; `list` is empty before. WM_INVALID with place FILE:LINE and
// the line, or without a place when it is no file; WM_NOT_FOUND, WM_IO, WM_NO_MEMORY without a
// place.
enum wm_status wm_bypass_list_read(const char *path, struct wm_text *list, struct wm_error *error);
// The same of a text in memory, `length` bytes, that errors call `file`.
enum wm_status wm_bypass_list_read_text(const char *text, size_t length, const char *file,
                                        struct wm_text *list, struct wm_error *error);

#endif

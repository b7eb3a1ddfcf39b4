// The value of gpu.l1.bypass_list: which instructions of which kernels. "none", or items with
// commas between them, each KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN: the instruction's number, or
// its line in the PTX or in the source. KERNEL is the symbol, the plain name of a C++ function, or
// "*".
#ifndef WM_MACHINE_BYPASS_LIST_H
#define WM_MACHINE_BYPASS_LIST_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { WM_BYPASS_LIST_BYTES = 192 };

// WM_INVALID, with the item that cannot be read and a cure.
enum wm_status wm_bypass_list_check(const char *list, struct wm_error *error);
// Whether a checked list names this instruction of the kernel with this symbol. Empty names
// nothing.
bool wm_bypass_list_names(const char *list, const char *symbol, uint32_t pc, uint32_t ptx_line,
                          uint32_t source_line);

#endif

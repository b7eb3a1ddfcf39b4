// Bytes at a generic address (PTX ISA 5.1), as one thread sees them, for functions of the device's
// runtime (private to exec/).
#ifndef WM_EXEC_GENERIC_BYTES_H
#define WM_EXEC_GENERIC_BYTES_H

#include "exec/interpreter.h"

// Copies them; false, with nothing copied, where the thread has no memory, or for writes none that
// may be written.
bool wm_generic_read(const struct wm_warp *warp, unsigned lane, uint64_t address, void *to,
                     uint32_t bytes);
bool wm_generic_write(const struct wm_warp *warp, unsigned lane, uint64_t address, const void *from,
                      uint32_t bytes);

#endif

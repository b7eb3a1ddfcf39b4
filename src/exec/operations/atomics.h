// atom and red (private to exec/): lanes in ascending order.
#ifndef WM_EXEC_ATOMICS_H
#define WM_EXEC_ATOMICS_H

#include "exec/interpreter.h"

// `shared_with_host`: threads of the host program may touch the bytes at the same time.
void wm_atomics_execute(struct wm_warp *warp, const struct wm_memory_form *form, uint64_t lanes,
                        char *const *host, bool shared_with_host);
// Generic addresses may name local memory; turns warp->addresses into reported ones.
void wm_atomics_local(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes);

#endif

// What an instruction orders beyond its block (PTX ISA 8.5, "Memory Consistency Model"), from its
// text: of PTX as the interpreter and recordings have it, of SASS as an import writes it. Private
// to engine/.
#ifndef WM_ENGINE_ISSUE_MEMORY_ORDER_H
#define WM_ENGINE_ISSUE_MEMORY_ORDER_H

#include "engine/session/work.h"

#include <stdint.h>

// A mask. Of a scope beyond the block: cluster, gpu, sys.
enum wm_memory_order {
    WM_ORDER_ACQUIRES = 1, // what the warp loads later may not be older than it
    WM_ORDER_RELEASES = 2, // what the warp accessed before is done before it
    WM_ORDER_FENCE = 4,    // it accesses no memory itself
};

// "fence.acq_rel.gpu", "ld.acquire.gpu.global.u32 %r1, [%rd1]", "CCTL.IVALL".
uint8_t wm_memory_order_of(const char *text);
// Of all of the launch's instructions, by pc; the caller frees it. `*orders` is NULL where no
// instruction orders anything. WM_NO_MEMORY.
enum wm_status wm_memory_orders_find(const struct wm_work *work, uint8_t **orders,
                                     struct wm_error *error);

#endif

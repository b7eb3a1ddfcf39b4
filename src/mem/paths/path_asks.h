// What the L1s of another memory system ask (mem/memory_asks.h): all of it below L1.
#ifndef WM_MEM_PATHS_PATH_ASKS_H
#define WM_MEM_PATHS_PATH_ASKS_H

#include "mem/paths/path_l2.h"

static void serve_asks(struct wm_memory *memory, const struct wm_ask *asks, uint32_t count,
                       struct wm_cause_counters *causes)
{
    for (const struct wm_ask *ask = asks; ask < asks + count; ask++) {
        struct errand errand = {.cause = &causes[ask->origin.pc], .waits = true};
        keep_origin(&errand.origin, &ask->origin);
        if (ask->client == WM_CACHE_LOAD)
            l2_read(memory, ask->address, ask->sectors, &errand);
        else
            l2_write(memory, ask->client, ask->address, ask->sectors, ask->full_sectors, &errand);
    }
}

#endif

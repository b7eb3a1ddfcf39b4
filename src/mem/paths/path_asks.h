// What the L1s of another memory system ask (mem/memory_asks.h): all of it below L1.
#ifndef WM_MEM_PATHS_PATH_ASKS_H
#define WM_MEM_PATHS_PATH_ASKS_H

#include "mem/paths/path_l2.h"

// What an ask's errand has of its origin: whole where somebody sees it.
WM_CACHE_INLINE void take_origin(struct wm_cache_origin *origin, const struct wm_ask *ask,
                                 bool is_seen)
{
    origin->kind = (enum wm_access_kind)ask->kind;
    if (!is_seen)
        return;
    origin->hint = (enum wm_cache_hint)ask->hint;
    origin->sm = ask->sm;
    origin->warp = ask->warp;
    origin->pc = ask->pc;
}

static void serve_asks(struct wm_memory *memory, const struct wm_ask *asks, uint32_t count,
                       struct wm_cause_counters *causes)
{
    bool is_seen = WM_PATHS_FULL || memory->waits.origins != NULL;
    struct errand errand = {.waits = true};
    for (const struct wm_ask *ask = asks; ask < asks + count; ask++) {
        errand.cause = &causes[ask->pc];
        take_origin(&errand.origin, ask, is_seen);
        if (ask->client == WM_CACHE_LOAD)
            l2_read(memory, ask->address, ask->sectors, &errand);
        else
            l2_write(memory, (enum wm_cache_client)ask->client, ask->address, ask->sectors,
                     ask->full_sectors, &errand);
    }
}

#endif

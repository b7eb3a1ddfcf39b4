// What the L1s of another memory system ask (mem/memory_asks.h): all of it below L1. Many asks are
// known before the first is served, so the host is asked ahead for what they will read.
#ifndef WM_MEM_PATHS_PATH_ASKS_H
#define WM_MEM_PATHS_PATH_ASKS_H

#include "mem/paths/path_l2.h"

static inline struct errand errand_of_ask(const struct wm_ask *ask,
                                          struct wm_cause_counters *causes)
{
    return (struct errand){.origin = ask->origin, .cause = &causes[ask->origin.pc]};
}

// Where L1's lines are cut into several of L2's, or there is no L2.
static void serve_each_ask(struct wm_memory *memory, const struct wm_ask *asks, uint32_t count,
                           struct wm_cause_counters *causes)
{
    for (const struct wm_ask *ask = asks; ask < asks + count; ask++) {
        struct errand errand = errand_of_ask(ask, causes);
        if (ask->client == WM_CACHE_LOAD)
            l2_read(memory, ask->address, ask->sectors, &errand);
        else
            l2_write(memory, ask->client, ask->address, ask->sectors, ask->full_sectors, &errand);
    }
}

// At most L2_ASKS, each within one line of L2.
static void serve_some_asks(struct wm_memory *memory, const struct wm_ask *asks, uint32_t count,
                            struct wm_cause_counters *causes)
{
    struct l2_ask placed[L2_ASKS];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t address = asks[i].address, within = address & (memory->l2_line_bytes - 1);
        uint32_t shift = (uint32_t)(within / WM_SECTOR_BYTES);
        l2_fill_ask(memory, &placed[i], asks[i].client, address - within, asks[i].sectors << shift,
                    asks[i].full_sectors << shift);
        wm_cache_expect(&memory->l2[placed[i].slice], placed[i].set,
                        placed[i].line_address >> memory->l2_line_shift);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct errand errand = errand_of_ask(&asks[i], causes);
        uint64_t bytes = bytes_of(placed[i].sectors);
        bool both_ways = atomic_returns(placed[i].client, &errand);
        errand.cause->bytes_l1_l2 += both_ways ? 2 * bytes : bytes;
        if (placed[i].client == WM_CACHE_LOAD)
            l2_serve_read(memory, &placed[i], &errand);
        else
            l2_serve_write(memory, &placed[i], &errand);
    }
}

enum { ASKS_TOGETHER = 24 }; // that the host's nearest cache has room for what they read

static void serve_asks(struct wm_memory *memory, const struct wm_ask *asks, uint32_t count,
                       struct wm_cause_counters *causes)
{
    if (memory->l2 == NULL || memory->request_bytes > memory->l2_line_bytes) {
        serve_each_ask(memory, asks, count, causes);
        return;
    }
    for (uint32_t at = 0; at < count; at += ASKS_TOGETHER) {
        uint32_t left = count - at;
        serve_some_asks(memory, asks + at, left < ASKS_TOGETHER ? left : ASKS_TOGETHER, causes);
    }
}

#endif

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

// --- The same, sorted by slice ---

// As the slice serves them, charged in `causes` for what came down to L2. `resets`: the slice's
// sets are others than those of the slice that kept them.
static void take_row(struct wm_memory *memory, const struct wm_l2_wait *row, uint32_t count,
                     bool resets, struct wm_cause_counters *causes, struct wm_l2_wait *taken)
{
    for (uint32_t i = 0; i < count; i++) {
        struct wm_cause_counters *cause = (void *)((char *)causes + row[i].cause_at);
        uint64_t bytes = bytes_of(row[i].sectors);
        cause->bytes_l1_l2 += row[i].returns ? 2 * bytes : bytes;
        taken[i] = row[i];
        taken[i].cause = cause;
        if (!resets)
            continue;
        uint64_t index_line;
        wm_memory_slice(memory, row[i].line_address >> memory->l2_line_shift, &index_line);
        taken[i].set = l2_set_of(memory, index_line);
    }
}

static void serve_rows(struct wm_memory *memory, const struct wm_kept_rows *kept, uint32_t first,
                       uint32_t end, struct wm_cause_counters *causes)
{
    bool resets = kept->sets != memory->l2->sets || kept->set_index != memory->l2->set_index;
    struct wm_l2_wait taken[WM_L2_WAITS];
    for (const struct wm_kept_row *row = kept->rows + first; row < kept->rows + end; row++) {
        take_row(memory, kept->waits + row->first, row->count, resets, causes, taken);
        serve_queue(memory, row->slice, taken, row->count);
    }
}

#endif

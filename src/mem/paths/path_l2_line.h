// An access to a slice of L2: the part of a request that lies in one of its lines.
#ifndef WM_MEM_PATHS_PATH_L2_LINE_H
#define WM_MEM_PATHS_PATH_L2_LINE_H

#include "mem/paths/path_atomic.h"
#include "mem/paths/path_inclusion.h"

// Slices have their sets alike, and one's way to find them stays near.
WM_CACHE_INLINE uint32_t l2_set_of(const struct wm_memory *memory, uint64_t index_line)
{
    return memory->l2_sets != NULL ? wm_set_looked_up(memory->l2_sets, index_line)
                                   : wm_cache_set_of(memory->l2, index_line);
}

// Field by field and in place: a copy of what has just been stored so would wait for the stores.
WM_CACHE_INLINE void l2_fill_ask(const struct wm_memory *memory, struct l2_ask *ask,
                                 enum wm_cache_client client, uint64_t line_address,
                                 uint32_t sectors, uint32_t full_sectors)
{
    ask->line_address = line_address;
    ask->sectors = sectors;
    ask->full_sectors = full_sectors;
    ask->client = client;
    ask->slice = wm_memory_slice(memory, line_address >> memory->l2_line_shift, &ask->index_line);
    ask->set = l2_set_of(memory, ask->index_line);
}

WM_CACHE_INLINE void l2_serve_read(struct wm_memory *memory, const struct l2_ask *ask,
                                   struct errand *errand)
{
    uint32_t sectors = ask->sectors;
    uint64_t line = ask->line_address >> memory->l2_line_shift;
    struct wm_cache *l2 = &memory->l2[ask->slice];
    if (has_atomic_buffers(memory))
        spill_line(memory, ask->slice, ask->line_address, sectors, errand);
    bool allocate = !(WM_PATHS_FULL && errand->passes_l2);
    struct l2_before then = before(l2);
    struct wm_cache_result result =
        cache_read(l2, ask->set, line, ask->index_line, sectors, allocate, errand);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = l2,
                                          .client = WM_CACHE_LOAD,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = allocate,
                                          .evictions = then.evictions},
                &result, errand);
    l2->counters.bytes_to_above += bytes_of(sectors);
    charge_l2(errand, sectors, result.missing);
    if (is_inclusive(memory))
        keep_inclusive(memory, l2, ask->line_address, false, then, &result, errand);
    if (result.missing != 0)
        settle_l2(memory, l2, ask->line_address, &result, errand);
}

static inline bool atomic_returns(enum wm_cache_client client, const struct errand *errand)
{
    return client == WM_CACHE_ATOMIC && errand->origin.kind == WM_ACCESS_ATOMIC;
}

// An atomic at a slice with an atomic buffer.
static void l2_serve_buffered(struct wm_memory *memory, const struct l2_ask *ask,
                              struct errand *errand)
{
    struct wm_cache *l2 = &memory->l2[ask->slice];
    uint64_t bytes = bytes_of(ask->sectors);
    l2->counters.bytes_from_above += bytes;
    l2->counters.bytes_to_above += atomic_returns(ask->client, errand) ? bytes : 0;
    operate_buffered(memory, ask->slice, ask->line_address, ask->sectors, errand);
}

WM_CACHE_INLINE void l2_serve_write(struct wm_memory *memory, const struct l2_ask *ask,
                                    struct errand *errand)
{
    uint32_t sectors = ask->sectors;
    uint64_t line = ask->line_address >> memory->l2_line_shift, bytes = bytes_of(sectors);
    struct wm_cache *l2 = &memory->l2[ask->slice];
    if (has_atomic_buffers(memory)) {
        if (ask->client == WM_CACHE_ATOMIC) {
            l2_serve_buffered(memory, ask, errand);
            return;
        }
        spill_line(memory, ask->slice, ask->line_address, sectors, errand);
    }
    bool allocate = l2->write_allocate && !(WM_PATHS_FULL && errand->stays_above);
    struct l2_before then = before(l2);
    struct wm_cache_result result = cache_write(l2, ask->client, ask->set, line, ask->index_line,
                                                sectors, ask->full_sectors, allocate, errand);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = l2,
                                          .client = ask->client,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = allocate,
                                          .evictions = then.evictions},
                &result, errand);
    l2->counters.bytes_from_above += bytes;
    l2->counters.bytes_to_above += atomic_returns(ask->client, errand) ? bytes : 0;
    if (ask->client != WM_CACHE_WRITEBACK)
        charge_l2(errand, sectors, result.missing);
    if (is_inclusive(memory))
        keep_inclusive(memory, l2, ask->line_address, true, then, &result, errand);
    if ((result.fetch | result.forward | result.victim.dirty) != 0)
        settle_l2(memory, l2, ask->line_address, &result, errand);
}

#endif

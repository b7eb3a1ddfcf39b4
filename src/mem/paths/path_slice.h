// What an access to an L2 slice left to do below it, and whom it is charged to.
#ifndef WM_MEM_PATHS_PATH_SLICE_H
#define WM_MEM_PATHS_PATH_SLICE_H

#include "mem/paths/path_dram.h"

// What an access to a slice left to do below it.
static inline void settle_l2(struct wm_memory *memory, struct wm_cache *l2, uint64_t line_address,
                             const struct wm_cache_result *result, struct errand *errand)
{
    bool demand_first = memory->spec.demand_before_writeback;
    if (result->fetch != 0 && demand_first)
        dram_access(memory, line_address, result->fetch, false, errand);
    if (result->victim.dirty != 0) {
        dram_access(memory, result->victim.line << l2->line_shift, result->victim.dirty, true,
                    errand);
        l2->counters.bytes_to_below += bytes_of(result->victim.dirty);
    }
    if (result->fetch != 0 && !demand_first)
        dram_access(memory, line_address, result->fetch, false, errand);
    if (result->forward != 0)
        dram_access(memory, line_address, result->forward, true, errand);
    l2->counters.bytes_from_below += bytes_of(result->fetch);
    l2->counters.bytes_to_below += bytes_of(result->forward);
}

static inline void charge_l2(struct errand *errand, uint32_t sectors, uint32_t missing)
{
    uint64_t misses = (uint64_t)__builtin_popcount(missing);
    errand->cause->l2_misses += misses;
    errand->cause->l2_hits += (uint64_t)__builtin_popcount(sectors) - misses;
}

#endif

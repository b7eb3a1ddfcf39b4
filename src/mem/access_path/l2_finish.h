// What an access to an L2 slice left to do below it, and which instruction is charged.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_L2_FINISH_H
#define WM_MEM_ACCESS_PATH_L2_FINISH_H

#include "mem/access_path/dram_access.h"

// What an access to a slice left to do below it.
static inline void finish_l2_access(struct wm_memory *memory, struct wm_cache *l2,
                                    uint64_t line_address, const struct wm_cache_result *result,
                                    struct access_context *context)
{
    bool demand_first = memory->spec.demand_before_writeback;
    if (result->fetch != 0 && demand_first)
        dram_access(memory, line_address, result->fetch, false, context);
    if (result->victim.dirty != 0) {
        dram_access(memory, result->victim.line << l2->line_shift, result->victim.dirty, true,
                    context);
        l2->counters.bytes_to_below += bytes_of(result->victim.dirty);
    }
    if (result->fetch != 0 && !demand_first)
        dram_access(memory, line_address, result->fetch, false, context);
    if (result->forward != 0)
        dram_access(memory, line_address, result->forward, true, context);
    l2->counters.bytes_from_below += bytes_of(result->fetch);
    l2->counters.bytes_to_below += bytes_of(result->forward);
}

static inline void charge_l2(struct access_context *context, uint32_t sectors, uint32_t missing)
{
    uint64_t misses = (uint64_t)__builtin_popcount(missing);
    context->instruction_counters->l2_misses += misses;
    context->instruction_counters->l2_hits += (uint64_t)__builtin_popcount(sectors) - misses;
}

#endif

// Which machines can be fed by one front end: those that agree in everything that the order of
// accesses, their routing and their coalescing depend on (docs/engine-walk.md).
#include "engine/access/front_end.h"
#include "engine/replay/many_machines.h"
#include "mem/system/coherent_levels.h"
#include "sm/warp_scheduler/warp_scheduler.h"

static bool same_carveouts(const struct wm_carveouts *a, const struct wm_carveouts *b)
{
    if (a->count != b->count)
        return false;
    for (uint64_t i = 0; i < a->count; i++)
        if (a->bytes[i] != b->bytes[i])
            return false;
    return true;
}

// What says how many blocks of a kernel an SM holds (sm/occupancy.c).
static bool same_occupancy(const struct wm_sm_spec *a, const struct wm_sm_spec *b)
{
    return a->max_warps == b->max_warps && a->max_threads == b->max_threads &&
           a->max_blocks == b->max_blocks && a->max_threads_per_block == b->max_threads_per_block &&
           a->registers == b->registers &&
           a->max_registers_per_thread == b->max_registers_per_thread &&
           a->register_allocation_unit == b->register_allocation_unit &&
           a->shared_bytes == b->shared_bytes &&
           a->shared_bytes_per_block == b->shared_bytes_per_block &&
           a->shared_allocation_unit == b->shared_allocation_unit &&
           a->shared_reserved_bytes == b->shared_reserved_bytes &&
           a->unified_bytes == b->unified_bytes && same_carveouts(&a->carveouts, &b->carveouts) &&
           a->default_carveout_bytes == b->default_carveout_bytes;
}

static bool same_order(const struct wm_sm_spec *a, const struct wm_sm_spec *b)
{
    return a->count == b->count && a->warp_width == b->warp_width &&
           a->warp_scheduler == b->warp_scheduler && a->turn_instructions == b->turn_instructions &&
           a->turn_ends_at_memory == b->turn_ends_at_memory &&
           a->block_dispatch == b->block_dispatch;
}

static bool same_routing(const struct wm_machine *a, const struct wm_machine *b)
{
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        const struct wm_cache_spec *left = &a->memory.levels[WM_LEVEL_SIDE + kind].cache;
        const struct wm_cache_spec *right = &b->memory.levels[WM_LEVEL_SIDE + kind].cache;
        if (left->present != right->present ||
            (left->present && left->line_bytes != right->line_bytes))
            return false;
    }
    return a->sm.coalescer_line_bytes == b->sm.coalescer_line_bytes &&
           a->memory.levels[WM_LEVEL_L1].cache.line_bytes ==
               b->memory.levels[WM_LEVEL_L1].cache.line_bytes &&
           wm_front_end_core_line_bytes(&a->memory) == wm_front_end_core_line_bytes(&b->memory) &&
           a->sm.global_around_l1 == b->sm.global_around_l1 &&
           a->sm.scalar_loads == b->sm.scalar_loads &&
           a->sm.instruction_bytes == b->sm.instruction_bytes;
}

// Estimates are counted as warps execute, which one machine's do for all that share a front end.
static bool none_estimates(const struct wm_sm_spec *a, const struct wm_sm_spec *b)
{
    return a->machine_code == WM_MACHINE_CODE_PTX && b->machine_code == WM_MACHINE_CODE_PTX;
}

// Which acquires are passed on is said of one of them.
static bool same_self_invalidations(const struct wm_memory_spec *a, const struct wm_memory_spec *b)
{
    bool same = true;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        same &= wm_level_is_scoped(a, i) == wm_level_is_scoped(b, i);
    return same;
}

bool wm_replay_same_front_end(const struct wm_machine *a, const struct wm_machine *b)
{
    return wm_front_end_counts_resident_warps(a) == wm_front_end_counts_resident_warps(b) &&
           none_estimates(&a->sm, &b->sm) && wm_front_end_stands_alone(a) &&
           wm_front_end_stands_alone(b) &&
           wm_memory_gpus(&a->memory) == wm_memory_gpus(&b->memory) && same_order(&a->sm, &b->sm) &&
           same_occupancy(&a->sm, &b->sm) && same_routing(a, b) &&
           same_self_invalidations(&a->memory, &b->memory);
}

// The way of an access down the hierarchy and of its data back: L1, L2 slice, DRAM channel, all
// inlined into one function so that a hit in L1 costs no call. mem/access_path/ has the way step by
// step; this file is compiled once in plain C and once for each vector width (meson.build defines
// WM_PATHS), and which of them runs is chosen when a memory system is made.
//
// Each boundary is counted by the component on either side in the same statement group, so what
// leaves one level is what enters the next.
#include "mem/access_path/lru_lanes_path.h"
#include "mem/access_path/request_run.h"
#include "mem/access_path/side_cache_access.h"

static void write_back(struct wm_memory *memory, const struct wm_cache_level *level,
                       struct wm_cache *from, uint32_t unit, const struct wm_cache_victim *victim,
                       bool kept)
{
    struct access_context context = {.instruction_counters = &memory->unattributed,
                                     .unit = unit,
                                     .write_no_allocate = kept && excludes_below(level)};
    write_back_below(memory, level, from, victim, &context);
}

static void left_inclusive(struct wm_memory *memory, const struct wm_cache_level *level,
                           struct wm_cache *cache, uint32_t unit, uint64_t line_address)
{
    struct access_context context = {.instruction_counters = &memory->unattributed, .unit = unit};
    if (!is_inclusive(level))
        return;
    uint32_t dirty = back_invalidate(memory, level, cache, line_address, &context);
    if (dirty == 0)
        return;
    cache->counters.write_backs++;
    cache->counters.bytes_to_below += bytes_of(dirty);
    request_below(memory, level, WM_CACHE_WRITEBACK, line_address, dirty, dirty, &context);
}

static void atomic_spill(struct wm_memory *memory, uint32_t slice, uint64_t address)
{
    const struct wm_cache_level *level = &memory->levels[WM_LEVEL_L2];
    struct access_context context = {.instruction_counters = &memory->unattributed,
                                     .unit = wm_first_unit_of(level, slice)};
    if (has_atomic_buffers(memory, level))
        move_buffered(memory, slice, address, true, &context);
}

#define PATHS_NAME_OF(width) #width
#define PATHS_NAME(width) PATHS_NAME_OF(width)
#define PATHS_SYMBOL_OF(width) wm_memory_paths_##width
#define PATHS_SYMBOL(width) PATHS_SYMBOL_OF(width)

const struct wm_memory_paths PATHS_SYMBOL(WM_PATHS) = {
    .name = PATHS_NAME(WM_PATHS),
    .access_lines = access_lines,
    .access_run = access_run,
    .drain_l2_queues = drain_l2_queues,
    .serve_queue = serve_waiting,
    .side_cache_load = side_cache_load,
    .load_past_first = load_past_first,
    .write_back = write_back,
    .left_inclusive = left_inclusive,
    .atomic_spill = atomic_spill,
    .lanes_load = lanes_load,
    .finish_access = finish_access,
    .serve_request = serve_request,
    .serve_slice = serve_slice,
};

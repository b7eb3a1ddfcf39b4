// The way of an access down the hierarchy and of its data back: L1, L2 slice, DRAM channel, all
// inlined into one function so that a hit in L1 costs no call. mem/access_path/ has the way step by
// step; this file is compiled once in plain C and once for each vector width (meson.build defines
// WM_PATHS), and which of them runs is chosen when a memory system is made.
//
// Each boundary is counted by the component on either side in the same statement group, so what
// leaves one level is what enters the next.
#include "mem/access_path/lru_lanes_path.h"
#include "mem/access_path/recorded_requests.h"
#include "mem/access_path/request_run.h"
#include "mem/access_path/side_cache_access.h"

static void write_back(struct wm_memory *memory, uint64_t line_address,
                       const struct wm_cache_victim *victim, bool kept)
{
    struct access_context context = {.instruction_counters = &memory->unattributed,
                                     .write_no_allocate = kept && excludes_below(&memory->l1)};
    l2_take_back(memory, line_address, victim, &context);
}

static void left_l2(struct wm_memory *memory, uint64_t line_address)
{
    struct access_context context = {.instruction_counters = &memory->unattributed};
    uint64_t index_line;
    if (!is_inclusive(&memory->l2))
        return;
    uint64_t line = line_address >> memory->l2_line_shift;
    struct wm_cache *l2 = &memory->l2.caches[wm_memory_slice(memory, line, &index_line)];
    uint32_t dirty = back_invalidate(memory, &memory->l2, l2, line_address, &context);
    if (dirty == 0)
        return;
    l2->counters.write_backs++;
    l2->counters.bytes_to_below += bytes_of(dirty);
    dram_access(memory, line_address, dirty, true, &context);
}

static void atomic_spill(struct wm_memory *memory, uint32_t slice, uint64_t address)
{
    struct access_context context = {.instruction_counters = &memory->unattributed};
    if (has_atomic_buffers(memory, &memory->l2))
        move_buffered(memory, slice, address, true, &context);
}

static void dram_write(struct wm_memory *memory, uint64_t line_address, uint32_t dirty)
{
    struct access_context context = {.instruction_counters = &memory->unattributed};
    dram_access(memory, line_address, dirty, true, &context);
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
    .serve_below_requests = serve_below_requests,
    .serve_slice_batches = serve_slice_batches,
    .side_cache_load = side_cache_load,
    .l2_load = l2_load,
    .write_back = write_back,
    .left_l2 = left_l2,
    .atomic_spill = atomic_spill,
    .lanes_load = lanes_load,
    .dram_write = dram_write,
    .finish_access = finish_access,
    .serve_l2_read = serve_l2_read,
    .serve_l2_write = serve_l2_write,
    .serve_slice = serve_slice,
};

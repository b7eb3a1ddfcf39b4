// The way of an access down the hierarchy and of its data back: L1, L2 slice, DRAM channel, all
// inlined into one function so that a hit in L1 costs no call. mem/access_path/ has the way step by
// step; this file is compiled once in plain C and once for each vector width (meson.build defines
// WM_PATHS), and which of them runs is chosen when a memory system is made.
//
// Each boundary is counted by the component on either side in the same statement group, so what
// leaves one level is what enters the next.
#include "mem/access_path/lru_lanes_path.h"
#include "mem/access_path/recorded_requests.h"
#include "mem/access_path/reference_streams.h"
#include "mem/access_path/request_run.h"
#include "mem/access_path/side_cache_access.h"

static void access_each(struct wm_memory *memory, uint32_t sm, const uint64_t *references,
                        size_t count)
{
    uint64_t line_mask = memory->request_bytes - 1;
    struct access_context context = {
        .requester = {.sm = sm}, .unit = sm, .instruction_counters = &memory->unattributed};
    for (size_t i = 0; i < count; i++) {
        uint64_t address = references[i] & REQUEST_ADDRESS, within = address & line_mask;
        context.requester.kind =
            (references[i] & WM_STREAM_STORE) != 0 ? WM_ACCESS_STORE : WM_ACCESS_LOAD;
        uint32_t bytes = UINT32_C(0xf) << (address % WM_SECTOR_BYTES);
        if (WM_PATHS_FULL)
            context.written = (struct wm_write_mask){.address = address - address % WM_SECTOR_BYTES,
                                                     .words = &bytes};
        access_inline(memory, address - within, UINT32_C(1) << (within / WM_SECTOR_BYTES), 0,
                      &context);
    }
}

// --- Streams, a batch at a time: all of L1, then its requests to L2 in that order ---

// The rest of the way for any other L2: request by request.
static void serve_each_request(struct wm_memory *memory, uint32_t sm, const struct wm_cache *l1,
                               const struct below_requests *below_requests)
{
    struct access_context context = {
        .requester = {.sm = sm}, .unit = sm, .instruction_counters = &memory->unattributed};
    bool demand_first = memory->spec.demand_before_writeback;
    for (size_t i = 0; i < below_requests->count; i++) {
        bool write_back = (below_requests->request[i] & REQUEST_WRITE_BACK) != 0;
        // A write-back stands next to the fetch of the reference that caused it.
        uint64_t cause = below_requests->request[!write_back ? i : demand_first ? i - 1 : i + 1];
        context.requester.kind = (cause & WM_STREAM_STORE) != 0 ? WM_ACCESS_STORE : WM_ACCESS_LOAD;
        uint64_t address =
            below_requests->request[i] & REQUEST_ADDRESS & ~(uint64_t)(l1->line_bytes - 1);
        if (write_back)
            l2_write(memory, WM_CACHE_WRITEBACK, address, l1->all_sectors, l1->all_sectors,
                     &context);
        else
            l2_read(memory, address, l1->all_sectors, &context);
    }
}

static void serve_stream(struct wm_memory *memory, uint32_t sm, const uint64_t *references,
                         size_t count)
{
    if (WM_PATHS_FULL || memory->levels[WM_LEVEL_L1].caches == NULL || memory->bypass != NULL ||
        !wm_cache_can_step(memory->l1_of_sm[sm])) {
        access_each(memory, sm, references, count);
        return;
    }
    struct wm_cache *l1 = memory->l1_of_sm[sm], *l2 = memory->levels[WM_LEVEL_L2].caches;
    bool l2_steps = l2 != NULL && memory->spec.levels[WM_LEVEL_L2].slices == 1 &&
                    memory->spec.dram.channels == 1 &&
                    (UINT64_C(1) << memory->channel_shift) >= l2->line_bytes &&
                    l2->line_bytes == l1->line_bytes && wm_cache_can_step(l2);
    batch_l1_function *run_l1 = batch_functions_of(l1).l1;
    batch_l2_function *run_l2 = l2_steps ? batch_functions_of(l2).l2 : NULL;
    struct stream_way way = {
        .sm = sm,
        .demand_first = memory->spec.demand_before_writeback,
        .bursts_of_line = bursts_of(memory, l1->all_sectors),
        .burst_bytes = memory->spec.dram.access_bytes,
    };
    for (size_t done = 0; done < count;) {
        struct below_requests below_requests;
        size_t now = count - done < BATCH ? count - done : BATCH;
        done += run_l1(l1, way, references + done, now, &below_requests);
        for (size_t from = 0; run_l2 != NULL && from < below_requests.count;)
            from += run_l2(l2, way, below_requests.request + from, below_requests.count - from,
                           memory->dram);
        if (run_l2 == NULL)
            serve_each_request(memory, sm, l1, &below_requests);
    }
}

// Each of a stream's loads has one sector.
static void access_stream(struct wm_memory *memory, uint32_t sm, const uint64_t *references,
                          size_t count)
{
    struct wm_cache_counters none = {0}, *l1 = &none;
    if (memory->levels[WM_LEVEL_L1].caches != NULL)
        l1 = &memory->l1_of_sm[sm]->counters;
    uint64_t loads = l1->load_accesses - l1->load_accesses_bypassed, misses = l1->load_misses;
    serve_stream(memory, sm, references, count);
    loads = l1->load_accesses - l1->load_accesses_bypassed - loads;
    misses = l1->load_misses - misses;
    l1->load_miss_counts.coherent_loads += loads;
    l1->load_miss_counts.coherent_loads_cached += loads - misses;
    l1->load_miss_counts.coherent_loads_missed_1 += misses;
}

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
    write_below(memory, level, WM_CACHE_WRITEBACK, line_address, dirty, dirty, &context);
}

static void atomic_spill(struct wm_memory *memory, uint32_t slice, uint64_t address)
{
    struct access_context context = {.instruction_counters = &memory->unattributed};
    if (has_atomic_buffers(memory, &memory->levels[WM_LEVEL_L2]))
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
    .stream = access_stream,
    .serve_below_requests = serve_below_requests,
    .serve_slice_batches = serve_slice_batches,
    .side_cache_load = side_cache_load,
    .load_past_first = load_past_first,
    .write_back = write_back,
    .left_inclusive = left_inclusive,
    .atomic_spill = atomic_spill,
    .lanes_load = lanes_load,
    .finish_access = finish_access,
    .serve_read = serve_read,
    .serve_write = serve_write,
    .serve_slice = serve_slice,
};

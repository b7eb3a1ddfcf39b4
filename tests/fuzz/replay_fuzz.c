// Arbitrary recordings (recording_input.h), replayed on small machines: one alone and two together,
// which must count the same as alone. Those that have CPU threads, or are of CPU cores, once more
// on a machine with coherent cores beside its SMs.
#include "recording_input.h"

#include "engine/replay/many_machines.h"
#include "engine/session/results.h"
#include "mem/replacement/replacement.h"
#include "mem/set_index/set_index.h"
#include "sm/block_dispatch/block_dispatch.h"
#include "sm/warp_scheduler/warp_scheduler.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What the format allows may still take minutes: so much and no more is replayed.
enum { MOST_STEPS = 3000, MOST_CHUNKS = 300, MOST_LAUNCHES = 10 };

static struct wm_machine small_machine(uint32_t lanes)
{
    struct wm_cache_spec l1 = {
        .present = true,
        .size_bytes = 4096,
        .ways = 2,
        .line_bytes = 128,
        .sector_bytes = 32,
        .write_policy = WM_WRITE_THROUGH_EVICT,
        .replacement = wm_replacement_find("lru"),
        .set_index = wm_set_index_find("modulo"),
    };
    struct wm_cache_spec l2 = l1;
    l2.size_bytes = 65536;
    l2.ways = 8;
    l2.write_policy = WM_WRITE_BACK;
    l2.write_allocate = true;
    return (struct wm_machine){
        .name = "small",
        .device = {.title = "small", .compute_major = 7, .memory_bytes = 1 << 30},
        .sm = {.count = 2,
               .warp_width = lanes,
               .max_warps = 64,
               .max_threads = 2048,
               .max_blocks = 4,
               .max_threads_per_block = 2048,
               .registers = 65536,
               .max_registers_per_thread = 255,
               .register_allocation_unit = 256,
               .shared_bytes = 65536,
               .shared_bytes_per_block = 49152,
               .shared_allocation_unit = 256,
               .coalescer_line_bytes = 128,
               .warp_scheduler = &wm_warp_scheduler_round_robin,
               .turn_instructions = 2048,
               .block_dispatch = &wm_block_dispatch_round_robin,
               .schedulers = 4,
               .active_warps = 2},
        .memory = {.sm_count = 2,
                   .levels[WM_LEVEL_L1] = {.cache = l1},
                   .levels[WM_LEVEL_L2] = {.cache = l2, .slices = 2, .interleave_bytes = 256},
                   .dram = {.channels = 2,
                            .channel_interleave_bytes = 256,
                            .bandwidth_bytes_per_second = UINT64_C(1000000000),
                            .access_bytes = 32},
                   .levels[WM_LEVEL_L1].flush_at_kernel = true,
                   .demand_before_writeback = true},
    };
}

// With CPU cores, caches that are coherent with the SMs', and little of each; made once.
static const struct wm_machine *machine_with_cores(void)
{
    static const char *const settings[] = {"gpu.sm.count=2", "cpu.core.count=3", "cpu.l1.size=1KiB",
                                           "cpu.l1.ways=2", "llc.size=64KiB"};
    static struct wm_machine machine;
    static bool made;
    struct wm_error error;
    uint32_t count = sizeof settings / sizeof settings[0];
    if (!made && wm_machine_load(MACHINE_WITH_CORES, settings, count, &machine, &error) != WM_OK) {
        fprintf(stderr, "%s: %s\n", error.place, error.message);
        abort();
    }
    made = true;
    return &machine;
}

// Whether the launch met last takes a moment; true also of one that is refused.
static bool launch_is_short(struct wm_recording *recording, uint64_t *steps)
{
    struct wm_recorded_streams streams;
    if (wm_recorded_streams_open(recording, &streams, NULL) != WM_OK)
        return true;
    bool good = streams.place_count <= MOST_CHUNKS;
    for (uint64_t i = 0; good && i < streams.place_count; i++) {
        const struct wm_recorded_place *place = &streams.places[i];
        struct wm_recorded_chunk chunk;
        if (wm_recorded_chunk_get(&streams, place->block, place->sequence, &chunk, NULL) != WM_OK)
            continue;
        for (uint32_t w = 0; w < streams.warps; w++)
            *steps += chunk.warps[w].steps;
        wm_recorded_chunk_drop(&streams, &chunk);
        good = *steps <= MOST_STEPS;
    }
    wm_recorded_streams_close(&streams);
    return good;
}

static bool hits_fast(struct wm_recording *recording)
{
    struct wm_recorded_event event;
    uint64_t steps = 0;
    bool more = true, good = recording->launch_count <= MOST_LAUNCHES;
    wm_recording_rewind(recording);
    while (good && more && wm_recording_next(recording, &event, &more, NULL) == WM_OK)
        if (more && event.kind == WM_RECORDED_LAUNCH)
            good = launch_is_short(recording, &steps);
    return good;
}

// The same of the CPU threads.
static bool threads_are_short(const struct wm_recording *recording)
{
    struct wm_recording cores;
    struct wm_recorded_event event;
    uint64_t steps = 0;
    bool more = true, good = true;
    if (wm_recording_open_cores(&cores, recording, NULL) != WM_OK)
        return true; // that is refused
    if (wm_recording_next(&cores, &event, &more, NULL) == WM_OK)
        good = launch_is_short(&cores, &steps);
    wm_recording_close(&cores);
    return good;
}

static enum wm_status replay(struct wm_recording *recording, struct wm_replay_variant *variants,
                             uint32_t count, bool explain)
{
    struct wm_error error;
    wm_error_clear(&error);
    const struct wm_session_options options = {.memory = true, .explain = explain};
    enum wm_status status = wm_replay_many(recording, variants, count, 1, &options, &error);
    assert(status == WM_OK || error.message[0] != '\0');
    return status;
}

static void compare(const struct wm_results *a, const struct wm_results *b)
{
    assert(a->component_count == b->component_count);
    for (uint32_t i = 0; i < a->component_count; i++)
        assert(memcmp(a->components[i].values, b->components[i].values,
                      a->components[i].set->count * sizeof *a->components[i].values) == 0);
}

// Twice: what it counts, and the names of lines, are the same.
static void replay_on_cores(struct wm_recording *recording, bool explain)
{
    struct wm_replay_variant once = {.machine = machine_with_cores()}, again = once;
    if (!threads_are_short(recording))
        return;
    enum wm_status status = replay(recording, &once, 1, explain);
    assert(replay(recording, &again, 1, explain) == status);
    if (status == WM_OK) {
        compare(once.results, again.results);
        assert(once.results->written_line_total == again.results->written_line_total);
    }
    wm_results_free(once.results);
    wm_results_free(again.results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct wm_recording recording;
    int descriptor = recording_of_input(data, size, path);
    if (descriptor < 0)
        return 0;
    if (wm_recording_open(&recording, path, NULL) == WM_OK) {
        struct wm_machine machine = small_machine(recording.header.lanes), other = machine;
        other.memory.levels[WM_LEVEL_L2].cache.size_bytes = 32768;
        bool explain = size % 2 != 0;
        struct wm_replay_variant alone = {.machine = &machine};
        struct wm_replay_variant both[] = {{.machine = &machine}, {.machine = &other}};
        if (hits_fast(&recording)) {
            enum wm_status status = replay(&recording, &alone, 1, explain);
            assert(replay(&recording, both, 2, explain) == status);
            if (status == WM_OK)
                compare(alone.results, both[0].results);
            wm_results_free(alone.results);
            wm_results_free(both[0].results);
            wm_results_free(both[1].results);
            if (recording.cores_section != 0 || recording.header.lanes == 1)
                replay_on_cores(&recording, explain);
        }
        wm_recording_close(&recording);
    }
    close(descriptor);
    return 0;
}

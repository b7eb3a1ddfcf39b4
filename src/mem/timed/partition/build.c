// Building a memory partition: its slices, what their requests wait in, and its channel.
#include "base/containers/array.h"
#include "mem/timed/partition/partition.h"

#include "base/containers/ring.h"
#include "mem/timed/partition/partition_state.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_WAITING = 16 }; // places for requests whose bytes are on their way

// --- Building ---

// All places for waiting requests are taken: as many more, which are handed out in order.
bool wm_partition_grow_waiting(struct wm_partition_slice *slice)
{
    uint32_t old = slice->waiting_room, room = old != 0 ? 2 * old : FIRST_WAITING;
    struct wm_packet *larger = wm_packets_new(room);
    if (larger == NULL || !WM_ARRAY_RESIZE(slice->free_waiting, room)) {
        free(larger);
        return false;
    }
    if (old != 0)
        memcpy(larger, slice->waiting, old * sizeof *larger);
    free(slice->waiting);
    slice->waiting = larger;
    slice->waiting_room = room;
    for (uint32_t i = old; i < room; i++)
        slice->free_waiting[slice->free_count++] = room - 1 - (i - old);
    return true;
}

static enum wm_status build_slice(struct wm_partition *partition, struct wm_partition_slice *slice,
                                  uint32_t index, struct wm_error *error)
{
    struct wm_memory *memory = partition->memory;
    const struct wm_memory_spec *spec = &memory->spec;
    const struct wm_cache_timing *timing = &spec->levels[WM_LEVEL_L2].timing;
    uint32_t waiting =
        wm_mshr_most_waiters(timing->mshr_entries, timing->mshr_merges, timing->mshr_of_sectors);
    if (memory->atomic_buffers != NULL) {
        waiting++; // an atomic some of whose sectors have come
        WM_TRY(wm_atomic_buffer_moves_new(slice, waiting, &memory->atomic_buffers[index], error));
    }
    struct wm_network_ends ends = wm_network_ends_of(spec);
    slice->index = index;
    slice->next = slice->next_in = slice->next_out = WM_NEVER;
    slice->cache = &memory->levels[WM_LEVEL_L2].caches[index];
    WM_TRY(wm_timed_cache_init(&slice->timed, slice->cache, timing, false, error));
    WM_TRY(wm_crossbar_input_init(&slice->input, index, ends.replies, ends.receive, true, error));
    WM_TRY(wm_crossbar_output_init(&slice->output, ends.replies, ends.send, ends.depth, error));
    WM_TRY(wm_packet_queue_init(&slice->in, error));
    WM_TRY(wm_packet_queue_init(&slice->out, error));
    WM_TRY(wm_packet_queue_init(&slice->operating, error));
    uint32_t interval = spec->levels[WM_LEVEL_L2].atomic_interval;
    WM_TRY(wm_atomic_unit_init(&slice->atomics, interval != 0 ? interval : 1, error));
    slice->bursts = (struct wm_partition_bursts){.mask = WM_RING_FIRST_MASK};
    slice->bursts.bursts = wm_ring_new(sizeof *slice->bursts.bursts);
    return slice->bursts.bursts != NULL && wm_partition_grow_waiting(slice)
               ? WM_OK
               : wm_fail_no_memory(error, "a memory partition");
}

static enum wm_status build_completions(struct wm_partition *partition, struct wm_error *error)
{
    partition->completions = (struct wm_partition_completions){.mask = WM_RING_FIRST_MASK};
    partition->completions.items = wm_ring_new(sizeof *partition->completions.items);
    return partition->completions.items != NULL ? WM_OK
                                                : wm_fail_no_memory(error, "a memory partition");
}

static enum wm_status build(struct wm_partition *partition, const struct wm_dram_channel_spec *dram,
                            struct wm_error *error)
{
    const struct wm_memory_spec *spec = &partition->memory->spec;
    uint32_t channels = spec->dram.channels;
    partition->slice_count = spec->levels[WM_LEVEL_L2].slices / channels;
    WM_TRY(WM_ARRAY_NEW(partition->slices, partition->slice_count, error, "a memory partition"));
    for (uint32_t i = 0; i < partition->slice_count; i++)
        WM_TRY(
            build_slice(partition, &partition->slices[i], partition->index + i * channels, error));
    WM_TRY(build_completions(partition, error));
    return wm_dram_channel_new(dram, &partition->channel, error);
}

enum wm_status wm_partition_new(struct wm_memory *memory, uint32_t index,
                                const struct wm_dram_channel_spec *dram, uint64_t sm_hz,
                                struct wm_partition **result, struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    struct wm_partition *partition = calloc(1, sizeof *partition);
    *result = NULL;
    if (partition == NULL)
        return wm_fail_no_memory(error, "a memory partition");
    uint64_t l2_hz = spec->levels[WM_LEVEL_L2].timing.clock_hz != 0
                         ? spec->levels[WM_LEVEL_L2].timing.clock_hz
                         : sm_hz;
    uint64_t network_hz = spec->interconnect.clock_hz != 0 ? spec->interconnect.clock_hz : sm_hz;
    // A command clock is stated by its period.
    uint64_t dram_hz = UINT64_C(1000000000000) / dram->timing.clock_ps;
    partition->memory = memory;
    partition->index = index;
    partition->dram_counters = &memory->dram[index];
    partition->latency = spec->levels[WM_LEVEL_L2].timing.latency;
    partition->queue = spec->levels[WM_LEVEL_L2].timing.queue;
    partition->in_room = partition->queue + partition->latency;
    partition->flit_bytes = spec->interconnect.flit_bytes;
    partition->to_dram = wm_clock_ratio_of(l2_hz, dram_hz);
    partition->from_dram = wm_clock_ratio_of(dram_hz, l2_hz);
    partition->to_network = wm_clock_ratio_of(l2_hz, network_hz);
    partition->from_network = wm_clock_ratio_of(network_hz, l2_hz);
    partition->one_clock = l2_hz == network_hz;
    partition->next = partition->dram_next = WM_NEVER;
    enum wm_status status = build(partition, dram, error);
    if (status != WM_OK) {
        wm_partition_free(partition);
        return status;
    }
    *result = partition;
    return WM_OK;
}

void wm_partition_free(struct wm_partition *partition)
{
    if (partition == NULL)
        return;
    for (uint32_t i = 0; partition->slices != NULL && i < partition->slice_count; i++) {
        struct wm_partition_slice *slice = &partition->slices[i];
        wm_timed_cache_release(&slice->timed);
        wm_crossbar_input_release(&slice->input);
        wm_crossbar_output_release(&slice->output);
        wm_packet_queue_release(&slice->in);
        wm_packet_queue_release(&slice->out);
        wm_packet_queue_release(&slice->operating);
        wm_atomic_unit_release(&slice->atomics);
        free(slice->bursts.bursts);
        free(slice->waiting);
        free(slice->free_waiting);
        wm_atomic_buffer_moves_free(slice->moves);
    }
    free(partition->slices);
    free(partition->rows.rows);
    free(partition->reads.reads);
    free(partition->completions.items);
    wm_dram_channel_free(partition->channel);
    free(partition);
}

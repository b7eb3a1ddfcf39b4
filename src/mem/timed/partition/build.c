// Building a memory partition: its slices, what their requests wait in, and its channel.
#include "base/containers/array.h"
#include "mem/timed/partition/partition.h"

#include "base/containers/ring.h"
#include "mem/timed/partition/partition_state.h"

#include <stdlib.h>

static enum wm_status build_slice(struct wm_partition *partition, struct wm_partition_slice *slice,
                                  uint32_t index, struct wm_error *error)
{
    struct wm_network_ends ends = wm_network_ends_of(&partition->island.memory->spec);
    slice->next = slice->next_in = slice->next_out = WM_NEVER;
    WM_TRY(wm_timed_node_init(&slice->node, &partition->island, WM_LEVEL_L2, index, error));
    WM_TRY(wm_crossbar_input_init(&slice->input, index, ends.replies, ends.receive, true, error));
    return wm_crossbar_output_init(&slice->output, ends.replies, ends.send, ends.depth, error);
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
    const struct wm_memory_spec *spec = &partition->island.memory->spec;
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
    partition->island.memory = memory;
    partition->index = index;
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
        wm_timed_node_release(&slice->node);
        wm_crossbar_input_release(&slice->input);
        wm_crossbar_output_release(&slice->output);
    }
    free(partition->slices);
    free(partition->island.rows.rows);
    free(partition->reads.reads);
    free(partition->completions.items);
    wm_dram_channel_free(partition->channel);
    free(partition);
}

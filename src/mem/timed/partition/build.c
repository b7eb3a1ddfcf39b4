// Building an island of memory: its slices and its channels.
#include "base/containers/array.h"
#include "base/containers/ring.h"
#include "mem/system/memory_state.h"
#include "mem/timed/node/copies.h"
#include "mem/timed/partition/partition.h"

#include <stdlib.h>

// What it has of a level, or, as `level` WM_TO_MEMORY, of the channels.
static const uint16_t *islands_of(const struct wm_timed_topology *topology, uint32_t level)
{
    return level == WM_TO_MEMORY ? topology->channel_island : topology->island[level];
}

static uint32_t parts_of(const struct wm_partition *partition, uint32_t level)
{
    const struct wm_memory_spec *spec = &partition->island.memory->spec;
    uint32_t each = level == WM_TO_MEMORY ? spec->dram.channels : wm_timed_slices(spec, level);
    return wm_memory_gpus(spec) * each;
}

static enum wm_status build_slice(struct wm_partition *partition, uint32_t level, uint32_t index,
                                  struct wm_error *error)
{
    const struct wm_timed_topology *topology = partition->island.topology;
    struct wm_network_ends ends = wm_network_ends_of(&partition->island.memory->spec);
    uint16_t first = level == WM_TO_MEMORY ? topology->memory_receiver : topology->receiver[level];
    struct wm_partition_slice *slice = &partition->slices[partition->slice_count++];
    slice->next = slice->next_in = slice->next_out = WM_NEVER;
    WM_TRY(wm_timed_node_init(&slice->node, &partition->island, level, index, error));
    slice->has_ends = first != WM_NO_RECEIVER;
    uint32_t gpu = partition->island.gpu;
    uint32_t each = parts_of(partition, level) / partition->island.memory->gpus;
    slice->receiver = first + gpu * topology->gpu_receivers + index % each;
    if (!slice->has_ends)
        return WM_OK;
    WM_TRY(wm_crossbar_input_init(&slice->input, slice->receiver, ends.replies, ends.receive, 0,
                                  error));
    if (topology->invalidates)
        WM_TRY(wm_crossbar_input_init(&slice->responses, slice->receiver, ends.replies,
                                      ends.receive, ends.replies, error));
    return wm_crossbar_output_init(&slice->output, ends.replies, ends.send, ends.depth, error);
}

// Of a level's caches, or of the channels, those that are on the partition's island.
static uint32_t count_here(const struct wm_partition *partition, uint32_t level)
{
    const uint16_t *islands = islands_of(partition->island.topology, level);
    uint32_t count = parts_of(partition, level), here = 0;
    for (uint32_t i = 0; i < count; i++)
        here += islands[i] == partition->index;
    return here;
}

static enum wm_status build_slices(struct wm_partition *partition, uint32_t level,
                                   struct wm_error *error)
{
    const uint16_t *islands = islands_of(partition->island.topology, level);
    uint32_t count = parts_of(partition, level);
    if (level != WM_TO_MEMORY)
        WM_TRY(WM_ARRAY_NEW(partition->slice_of[level], count, error, "a memory partition"));
    for (uint32_t i = 0; i < count; i++) {
        if (islands[i] != partition->index)
            continue;
        if (level != WM_TO_MEMORY)
            partition->slice_of[level][i] = (uint16_t)partition->slice_count;
        WM_TRY(build_slice(partition, level, i, error));
    }
    return WM_OK;
}

// Each slice of a level in two partitions knows the one that holds the same lines.
static void join_copies(struct wm_partition *partition)
{
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        struct wm_timed_node *node = &partition->slices[i].node;
        const struct wm_cache_level *level = node->level.described;
        if (node->copies == NULL)
            continue;
        uint32_t other = (node->index + level->partition_slices) % (uint32_t)level->slices.divisor;
        node->copies->other =
            &partition->slices[partition->slice_of[node->level.number][other]].node;
    }
}

static enum wm_status build_channels(struct wm_partition *partition,
                                     const struct wm_dram_channel_spec *dram,
                                     struct wm_error *error)
{
    uint32_t all = parts_of(partition, WM_TO_MEMORY);
    const uint16_t *islands = islands_of(partition->island.topology, WM_TO_MEMORY);
    uint32_t here = count_here(partition, WM_TO_MEMORY);
    WM_TRY(WM_ARRAY_NEW(partition->channels, here, error, "a memory partition"));
    for (uint32_t i = 0; i < all; i++) {
        struct wm_partition_channel *channel = &partition->channels[partition->channel_count];
        if (islands[i] != partition->index)
            continue;
        *channel = (struct wm_partition_channel){.number = i, .next = WM_NEVER};
        WM_TRY(wm_dram_channel_new(dram, &channel->channel, error));
        partition->channel_count++;
    }
    return WM_OK;
}

static enum wm_status build(struct wm_partition *partition, const struct wm_dram_channel_spec *dram,
                            struct wm_error *error)
{
    const struct wm_memory *memory = partition->island.memory;
    const struct wm_timed_topology *topology = partition->island.topology;
    bool memory_receives = topology->memory_receiver != WM_NO_RECEIVER;
    uint32_t here = memory_receives ? count_here(partition, WM_TO_MEMORY) : 0;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        here += topology->is_below[i] ? count_here(partition, i) : 0;
    WM_TRY(WM_ARRAY_NEW(partition->slices, here, error, "a memory partition"));
    for (uint32_t i = 0; i < memory->level_count; i++) {
        uint32_t level = (uint32_t)(memory->from_units[i] - memory->levels);
        if (topology->is_below[level])
            WM_TRY(build_slices(partition, level, error));
    }
    if (memory_receives)
        WM_TRY(build_slices(partition, WM_TO_MEMORY, error));
    join_copies(partition);
    partition->completion_mask = WM_RING_FIRST_MASK;
    partition->completions = wm_ring_new(sizeof *partition->completions);
    if (partition->completions == NULL)
        return wm_fail_no_memory(error, "a memory partition");
    return build_channels(partition, dram, error);
}

void wm_partition_use_network_clock(struct wm_partition *partition, uint64_t network_hz)
{
    partition->to_network = wm_clock_ratio_of(partition->l2_hz, network_hz);
    partition->from_network = wm_clock_ratio_of(network_hz, partition->l2_hz);
    partition->one_clock = partition->l2_hz == network_hz;
}

enum wm_status wm_partition_new(struct wm_memory *memory, const struct wm_timed_topology *topology,
                                uint32_t index, const struct wm_dram_channel_spec *dram,
                                uint64_t sm_hz, struct wm_partition **result,
                                struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    struct wm_partition *partition;
    *result = NULL;
    WM_TRY(WM_ARRAY_NEW(partition, 1, error, "a memory partition"));
    uint64_t l2_hz = spec->levels[WM_LEVEL_L2].timing.clock_hz != 0
                         ? spec->levels[WM_LEVEL_L2].timing.clock_hz
                         : sm_hz;
    uint64_t network_hz = spec->interconnect.clock_hz != 0 ? spec->interconnect.clock_hz : sm_hz;
    // A command clock is stated by its period.
    uint64_t dram_hz = UINT64_C(1000000000000) / dram->timing.clock_ps;
    partition->island.memory = memory;
    partition->island.topology = topology;
    partition->island.gpu = index / topology->gpu_islands;
    partition->index = index;
    partition->to_dram = wm_clock_ratio_of(l2_hz, dram_hz);
    partition->from_dram = wm_clock_ratio_of(dram_hz, l2_hz);
    partition->l2_hz = l2_hz;
    wm_partition_use_network_clock(partition, network_hz);
    partition->next = WM_NEVER;
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
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        struct wm_partition_slice *slice = &partition->slices[i];
        wm_timed_node_release(&slice->node);
        wm_crossbar_input_release(&slice->input);
        wm_crossbar_output_release(&slice->output);
        wm_crossbar_input_release(&slice->responses);
    }
    for (uint32_t i = 0; i < partition->channel_count; i++)
        wm_dram_channel_free(partition->channels[i].channel);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        free(partition->slice_of[i]);
    free(partition->slices);
    free(partition->channels);
    free(partition->island.rows.rows);
    free(partition->reads);
    free(partition->completions);
    free(partition);
}

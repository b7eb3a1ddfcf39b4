// What the slices of a partition send to its DRAM channel.
#include "base/containers/array.h"
#include "mem/timed/partition/partition_state.h"

#include "base/containers/ring.h"

#include <stdlib.h>

// Within the channel: what the others hold is divided out.
static uint64_t address_in_channel(const struct wm_memory *memory, uint64_t address)
{
    uint64_t channel,
        block = wm_divide(&memory->channels, address >> memory->channel_shift, &channel);
    uint64_t within = address & ((UINT64_C(1) << memory->channel_shift) - 1);
    return block << memory->channel_shift | within;
}

// Returns its number; out of memory, which the partition remembers, it is lost.
static uint64_t note_read(struct wm_partition *partition, uint32_t slice,
                          const struct wm_packet *burst)
{
    struct wm_partition_reads *reads = &partition->reads;
    uint32_t index = reads->free;
    if (index == reads->room && !WM_ARRAY_RESERVE(reads->reads, reads->room, reads->room, 1)) {
        partition->island.failed = true;
        return 0;
    }
    struct wm_partition_read *read = &reads->reads[index];
    if (index == reads->fresh)
        read->next_free = ++reads->fresh;
    reads->free = read->next_free;
    read->address = burst->address;
    read->sectors = burst->sectors;
    read->slice = slice;
    read->entry = (uint32_t)burst->token;
    return index;
}

// The first burst that waits in the slice, if the channel has room for it.
static bool issue_burst(struct wm_partition *partition, uint32_t index, uint64_t dram_cycle)
{
    struct wm_partition_slice *slice = &partition->slices[index];
    struct wm_packet_queue *bursts = &slice->node.out.packets;
    const struct wm_packet *burst = wm_packet_queue_head(bursts);
    bool write = burst != NULL && burst->client != WM_CACHE_LOAD;
    if (burst == NULL || !wm_dram_channel_has_room(partition->channel, write))
        return false;
    const struct wm_dram_request request = {
        .address = address_in_channel(partition->island.memory, burst->address),
        .token = write ? 0 : note_read(partition, index, burst),
        .write = write};
    if (partition->island.failed)
        return false;
    wm_dram_channel_add(partition->channel, dram_cycle, &request);
    wm_packet_queue_pop(bursts);
    slice->node.retries = true;
    if (slice->node.stall != WM_STALL_NONE)
        slice->next = wm_earlier(slice->next, partition->cycle + 1);
    return true;
}

bool wm_partition_issue_bursts(struct wm_partition *partition)
{
    bool any = false;
    for (uint32_t i = 0; i < partition->slice_count && !any; i++)
        any = wm_packet_queue_count(&partition->slices[i].node.out.packets) != 0;
    uint64_t dram_cycle = any ? wm_clock_convert(&partition->to_dram, partition->cycle) : 0;
    for (uint32_t refused = 0; any && refused < partition->slice_count;) {
        uint32_t index = partition->turn;
        partition->turn = index + 1 == partition->slice_count ? 0 : index + 1;
        refused = issue_burst(partition, index, dram_cycle) ? 0 : refused + 1;
    }
    return any;
}

static bool grow_completions(struct wm_partition_completions *completions)
{
    struct wm_partition_completion *larger =
        wm_ring_grow(completions->items, sizeof *larger, &completions->mask, completions->first,
                     completions->end);
    if (larger != NULL)
        completions->items = larger;
    return larger != NULL;
}

void wm_partition_note_completion(void *context, const struct wm_dram_completion *done)
{
    struct wm_partition *partition = context;
    struct wm_partition_completions *completions = &partition->completions;
    if (done->write)
        return;
    uint64_t cycle = wm_clock_convert(&partition->from_dram, done->cycle);
    if (completions->end - completions->first > completions->mask &&
        !grow_completions(completions)) {
        partition->island.failed = true;
        return;
    }
    struct wm_partition_completion *items = completions->items;
    uint32_t at = completions->end++;
    for (; at != completions->first && items[(at - 1) & completions->mask].cycle > cycle; at--)
        items[at & completions->mask] = items[(at - 1) & completions->mask];
    items[at & completions->mask] =
        (struct wm_partition_completion){.cycle = cycle, .read = (uint32_t)done->token};
}

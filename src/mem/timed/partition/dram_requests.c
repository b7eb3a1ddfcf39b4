// What the slices of a partition send on: bursts to its channels, and packets to levels below.
#include "base/containers/array.h"
#include "base/containers/ring.h"
#include "mem/system/memory_components.h"
#include "mem/system/memory_state.h"
#include "mem/timed/coherent/packet_port.h"
#include "mem/timed/node/copies.h"
#include "mem/timed/partition/partition.h"

#include <stdlib.h>

// Within the channel: what the others hold is divided out.
static uint64_t address_in_channel(const struct wm_memory *memory, uint64_t address)
{
    uint32_t channel;
    uint64_t block = wm_channel_of(memory, address, &channel);
    uint64_t within = address & ((UINT64_C(1) << memory->channel_shift) - 1);
    return block << memory->channel_shift | within;
}

// Its number, in `*index`. False when out of memory.
static bool note_read(struct wm_partition *partition, uint32_t slice, const struct wm_packet *burst,
                      uint64_t *index)
{
    uint32_t free = partition->free_read;
    if (free == partition->read_room &&
        !WM_ARRAY_RESERVE(partition->reads, free, partition->read_room, 1))
        return false;
    struct wm_partition_read *read = &partition->reads[free];
    if (free == partition->fresh_read)
        read->next_free = ++partition->fresh_read;
    partition->free_read = read->next_free;
    read->address = burst->address;
    read->token = burst->token;
    read->sectors = burst->sectors;
    read->slice = slice;
    *index = free;
    return true;
}

// A slice's burst, if its channel has room for it.
static bool issue_burst(struct wm_partition *partition, uint32_t slice,
                        const struct wm_packet *burst)
{
    struct wm_partition_channel *to = partition->channels;
    while (to->number != burst->receiver)
        to++;
    struct wm_dram_request request = {
        .address = address_in_channel(partition->island.memory, burst->address),
        .write = burst->client != WM_CACHE_LOAD};
    if (!wm_dram_channel_has_room(to->channel, request.write))
        return false;
    if (!request.write && !note_read(partition, slice, burst, &request.token)) {
        partition->island.failed = true;
        return false;
    }
    wm_dram_channel_add(to->channel, wm_clock_convert(&partition->to_dram, partition->cycle),
                        &request);
    to->next = partition->cycle;
    return true;
}

// A slice's packet to a level below, if that has room for it.
struct wm_partition_slice *wm_partition_slice_of(struct wm_partition *partition, uint32_t level,
                                                 uint64_t address)
{
    const struct wm_node_island *island = &partition->island;
    uint32_t unit = island->gpu * island->memory->spec.sm_count;
    uint32_t cache = wm_memory_cache_of(island->memory, level, unit, address);
    return &partition->slices[partition->slice_of[level][cache]];
}

static bool pass_down(struct wm_partition *partition, const struct wm_packet *packet)
{
    struct wm_partition_slice *to = wm_partition_slice_of(partition, packet->to, packet->address);
    if (__builtin_expect(to->port != NULL, false)) {
        bool has_room = !wm_coherent_packet_port_is_full(to->port);
        if (has_room)
            wm_coherent_packet_port_put(to->port, packet);
        return has_room;
    }
    struct wm_packet *place =
        wm_timed_node_is_full(&to->node) ? NULL : wm_packet_queue_place(&to->node.input.packets);
    if (place == NULL)
        return false;
    *place = *packet;
    place->when = partition->cycle + (to->node.latency > 1 ? to->node.latency : 1);
    to->next = wm_earlier(to->next, place->when);
    return true;
}

void wm_partition_acknowledge(struct wm_partition *partition, const struct wm_packet *packet)
{
    struct wm_partition_slice *to = wm_partition_slice_of(partition, packet->to, packet->address);
    wm_timed_node_acknowledge(&to->node, partition->cycle, packet);
    to->next = partition->cycle + 1;
}

// Those of a slice for a level below.
static void send_responses(struct wm_partition *partition, struct wm_timed_node *node)
{
    const struct wm_packet *packet;
    while ((packet = wm_packet_queue_head(&node->out.responses)) != NULL &&
           packet->when <= partition->cycle) {
        wm_partition_acknowledge(partition, packet);
        wm_packet_queue_pop(&node->out.responses);
    }
}

// To the homes of lines, of which slices of the other partition hold copies.
static void send_across(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    struct wm_node_copies *copies = slice->node.copies;
    const struct wm_packet *packet;
    while ((packet = wm_packet_queue_head(&copies->out.packets)) != NULL) {
        struct wm_partition_slice *to =
            wm_partition_slice_of(partition, packet->to, packet->address);
        if (!wm_node_take_crossing(&to->node, partition->cycle, packet))
            return;
        to->next = wm_earlier(to->next, partition->cycle + to->node.copies->latency);
        wm_outbox_pop(&copies->out);
        wm_timed_node_may_retry(&slice->node);
        slice->next = wm_earlier(slice->next, partition->cycle + 1);
    }
}

void wm_partition_send_on(struct wm_partition *partition)
{
    bool any = false;
    for (uint32_t i = 0; i < partition->slice_count; i++)
        if (__builtin_expect(partition->slices[i].node.copies != NULL, false))
            send_across(partition, &partition->slices[i]);
    for (uint32_t i = 0; partition->island.topology->invalidates && i < partition->slice_count; i++)
        send_responses(partition, &partition->slices[i].node);
    for (uint32_t i = 0; i < partition->slice_count && !any; i++)
        any = wm_packet_queue_count(&partition->slices[i].node.out.packets) != 0;
    for (uint32_t refused = 0; any && refused < partition->slice_count; refused++) {
        uint32_t index = partition->turn;
        struct wm_partition_slice *slice = &partition->slices[index];
        struct wm_timed_node *node = &slice->node;
        const struct wm_packet *packet = wm_packet_queue_head(&node->out.packets);
        partition->turn = index + 1 == partition->slice_count ? 0 : index + 1;
        if (packet == NULL || !(node->out.bursts ? issue_burst(partition, index, packet)
                                                 : pass_down(partition, packet)))
            continue;
        wm_outbox_pop(&node->out);
        wm_timed_node_may_retry(node);
        if (node->input.stall != WM_STALL_NONE || node->copies != NULL)
            slice->next = wm_earlier(slice->next, partition->cycle + 1);
        refused = UINT32_MAX; // all have another turn
    }
}

static bool grow_completions(struct wm_partition *partition)
{
    struct wm_partition_completion *larger =
        wm_ring_grow(partition->completions, sizeof *larger, &partition->completion_mask,
                     partition->completion_first, partition->completion_end);
    if (larger != NULL)
        partition->completions = larger;
    return larger != NULL;
}

void wm_partition_note_completion(void *context, const struct wm_dram_completion *done)
{
    struct wm_partition *partition = context;
    if (done->write)
        return;
    uint64_t cycle = wm_clock_convert(&partition->from_dram, done->cycle);
    if (partition->completion_end - partition->completion_first > partition->completion_mask &&
        !grow_completions(partition)) {
        partition->island.failed = true;
        return;
    }
    struct wm_partition_completion *items = partition->completions;
    uint32_t at = partition->completion_end++, mask = partition->completion_mask;
    for (; at != partition->completion_first && items[(at - 1) & mask].cycle > cycle; at--)
        items[at & mask] = items[(at - 1) & mask];
    items[at & mask] =
        (struct wm_partition_completion){.cycle = cycle, .read = (uint32_t)done->token};
}

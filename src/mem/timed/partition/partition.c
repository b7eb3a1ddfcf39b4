#include "mem/timed/partition/partition.h"

#include "mem/system/memory_state.h"
#include "mem/timed/node/copies.h"

#include <inttypes.h>

// --- A slice ---

static void take_in(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    struct wm_timed_node *node = &slice->node;
    uint64_t now = wm_clock_floor(&partition->to_network, partition->cycle);
    uint64_t from = slice->in_was_full ? now : 0;
    while (!(slice->in_was_full = wm_timed_node_is_full(node))) {
        uint64_t ready = wm_crossbar_input_ready(&slice->input, from);
        if (ready > now)
            return;
        struct wm_packet *packet = wm_packet_queue_place(&node->input.packets);
        partition->island.failed |= packet == NULL;
        if (packet == NULL)
            return;
        if (!wm_crossbar_take(&slice->input, ready, now, packet))
            partition->island.failed = true;
        packet->when = wm_clock_convert(&partition->from_network, ready) + node->latency;
    }
}

// Whether a reply crosses the network, or comes to a cache of the partition by its wire.
static bool crosses(const struct wm_partition *partition, const struct wm_packet *reply)
{
    return reply->from == WM_OF_UNIT || !partition->island.topology->is_below[reply->from];
}

// When the first of the replies can leave, at the earliest, unless a credit comes back.
static uint64_t next_out(const struct wm_partition *partition,
                         const struct wm_partition_slice *slice)
{
    const struct wm_packet *packet = wm_packet_queue_head(&slice->node.replies);
    if (packet == NULL || !crosses(partition, packet))
        return packet != NULL ? packet->when : WM_NEVER;
    uint32_t way = wm_crossbar_way(&slice->output, packet->sm);
    uint64_t free = wm_clock_convert(&partition->from_network,
                                     wm_crossbar_output_ready(&slice->output, way, 0));
    return packet->when > free ? packet->when : free;
}

// To the slice of another partition of its level that requested it.
static void pass_across(struct wm_partition *partition, struct wm_partition_slice *from,
                        const struct wm_packet *reply)
{
    const struct wm_timed_node *home = &from->node;
    uint32_t near = wm_slice_near(&partition->island.memory->spec, home->level.described, reply->sm,
                                  home->index);
    struct wm_partition_slice *to = &partition->slices[partition->slice_of[reply->from][near]];
    wm_node_take_reply(&to->node, partition->cycle, reply);
    to->next = partition->cycle + 1;
    if (to->next_out == WM_NEVER) // it has had its turn in this cycle
        to->next_out = next_out(partition, to);
}

static struct wm_partition_slice *pass_up(struct wm_partition *partition,
                                          const struct wm_packet *reply, uint64_t cycle)
{
    struct wm_partition_slice *to = wm_partition_slice_of(partition, reply->from, reply->address);
    wm_timed_node_reply(&to->node, cycle, reply);
    to->next = cycle + 1;
    if (to->next_out == WM_NEVER) // it has had its turn in this cycle
        to->next_out = next_out(partition, to);
    return to;
}

bool wm_partition_goes_up(const struct wm_partition *partition, const struct wm_packet *reply)
{
    return !crosses(partition, reply);
}

void wm_partition_reply(struct wm_partition *partition, const struct wm_packet *reply, uint64_t now)
{
    uint64_t cycle = wm_clock_floor(&partition->from_network, now);
    const struct wm_partition_slice *to = pass_up(partition, reply, cycle);
    partition->next = wm_earlier(partition->next, to->next);
}

void wm_partition_may_send(struct wm_partition *partition, uint64_t now)
{
    uint64_t cycle = wm_clock_convert(&partition->from_network, now);
    for (uint32_t i = 0; i < partition->slice_count; i++)
        if (wm_packet_queue_count(&partition->slices[i].node.out.packets) != 0)
            partition->slices[i].next = wm_earlier(partition->slices[i].next, cycle);
}

// True when it has left.
static bool send_reply(struct wm_partition *partition, struct wm_partition_slice *slice,
                       const struct wm_packet *reply)
{
    if (slice->node.copies != NULL && reply->from == slice->node.level.number) {
        pass_across(partition, slice, reply);
        return true;
    }
    if (!crosses(partition, reply)) {
        pass_up(partition, reply, partition->cycle);
        return true;
    }
    uint64_t now = wm_clock_convert(&partition->to_network, partition->cycle);
    uint32_t way = wm_crossbar_way(&slice->output, reply->sm);
    if (wm_crossbar_output_ready(&slice->output, way, now) > now)
        return false;
    wm_crossbar_count_stall(&slice->output, way,
                            wm_clock_convert(&partition->to_network, reply->when));
    if (!wm_crossbar_send(&slice->output, reply, way, now))
        partition->island.failed = true;
    return true;
}

static void send_out(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    const struct wm_packet *reply;
    while ((reply = wm_packet_queue_head(&slice->node.replies)) != NULL &&
           reply->when <= partition->cycle && send_reply(partition, slice, reply)) {
        wm_packet_queue_pop(&slice->node.replies);
        wm_timed_node_may_retry(&slice->node);
    }
}

// When a request can come in next, at the earliest, unless more are sent.
static uint64_t next_in(const struct wm_partition *partition,
                        const struct wm_partition_slice *slice)
{
    if (!slice->has_ends || wm_timed_node_is_full(&slice->node))
        return WM_NEVER;
    return wm_clock_convert(&partition->from_network, wm_crossbar_input_ready(&slice->input, 0));
}

// True when one has left the queue.
static bool look_up_first(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    struct wm_timed_node *node = &slice->node;
    const struct wm_packet *packet = wm_timed_node_first(node, partition->cycle);
    if (packet == NULL)
        return false;
    if (__builtin_expect(partition->on_lookup != NULL, false))
        partition->on_lookup(partition->listener, partition->index, packet->pc);
    return wm_timed_node_look_up(node, partition->cycle);
}

static void look_up_own(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    bool was_full = wm_timed_node_is_full(&slice->node);
    if (look_up_first(partition, slice) && was_full)
        slice->next_in = next_in(partition, slice);
}

// The same of a slice in a partition: requests from SMs and those from the other partition take
// turns where both wait, and neither holds up the other.
static void look_up_either(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    struct wm_timed_node *node = &slice->node;
    bool first = node->copies->turn;
    for (uint32_t i = 0; i < 2; i++) {
        if (first != (i == 0)) {
            look_up_own(partition, slice);
            continue;
        }
        wm_node_exchange_inputs(node);
        bool served = look_up_first(partition, slice);
        wm_node_exchange_inputs(node);
        node->copies->turn = !served;
    }
}

static void take_responses(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    uint64_t now = wm_clock_floor(&partition->to_network, partition->cycle), ready;
    struct wm_packet packet;
    while ((ready = wm_crossbar_input_ready(&slice->responses, 0)) <= now) {
        partition->island.failed |= !wm_crossbar_take(&slice->responses, ready, now, &packet);
        wm_partition_acknowledge(partition, &packet);
    }
}

// Each step where it may do something. Where the interconnect has a clock of its own, a reply may
// leave in any cycle in which something else happens.
static void run_slice(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    struct wm_timed_node *node = &slice->node;
    uint64_t cycle = partition->cycle;
    if (slice->has_ends && (slice->next_in <= cycle || !partition->one_clock)) {
        take_in(partition, slice);
        slice->next_in = next_in(partition, slice);
    } else {
        slice->in_was_full = wm_timed_node_is_full(node);
    }
    if (__builtin_expect(slice->responses.held_count != 0, false))
        take_responses(partition, slice);
    if (__builtin_expect(wm_packet_queue_count(&node->operating) != 0, false))
        wm_timed_node_end_operations(node, cycle);
    if (__builtin_expect(node->copies != NULL, false)) {
        wm_node_end_crossings(node, cycle);
        look_up_either(partition, slice);
    } else {
        look_up_own(partition, slice);
    }
    if (slice->next_out <= cycle || !partition->one_clock) {
        send_out(partition, slice);
        slice->next_out = next_out(partition, slice);
    } else if ((slice->next_out == WM_NEVER || node->refusals != NULL) &&
               wm_packet_queue_count(&node->replies) != 0) {
        slice->next_out = next_out(partition, slice); // of its first reply
    }
}

// When the first acknowledgement comes in, or one can leave for a level below.
static uint64_t next_response(const struct wm_partition *partition,
                              const struct wm_partition_slice *slice)
{
    const struct wm_packet *packet = wm_packet_queue_head(&slice->node.out.responses);
    uint64_t next = wm_crossbar_input_ready(&slice->responses, 0);
    next = next != WM_NEVER ? wm_clock_convert(&partition->from_network, next) : WM_NEVER;
    return packet != NULL ? wm_earlier(next, packet->when) : next;
}

// The cycle of L2 in which a slice acts next, from `cycle` on.
static uint64_t next_of_slice(const struct wm_partition *partition,
                              const struct wm_partition_slice *slice, uint64_t cycle)
{
    uint64_t next = wm_earlier(slice->next_in, slice->next_out);
    if (__builtin_expect(partition->island.topology->invalidates, false))
        next = wm_earlier(next, next_response(partition, slice));
    next = wm_earlier(next, wm_timed_node_next(&slice->node));
    return next > cycle ? next : cycle;
}

// --- A cycle ---

static void run_channels(struct wm_partition *partition)
{
    for (uint32_t i = 0; i < partition->channel_count; i++) {
        struct wm_partition_channel *channel = &partition->channels[i];
        if (channel->next > partition->cycle)
            continue;
        wm_dram_channel_advance(channel->channel,
                                wm_clock_floor(&partition->to_dram, partition->cycle),
                                wm_partition_note_completion, partition);
    }
}

static const struct wm_partition_completion *first_completion(const struct wm_partition *partition)
{
    return partition->completion_first != partition->completion_end
               ? &partition->completions[partition->completion_first & partition->completion_mask]
               : NULL;
}

static void complete_reads(struct wm_partition *partition)
{
    const struct wm_partition_completion *first;
    while ((first = first_completion(partition)) != NULL && first->cycle <= partition->cycle) {
        struct wm_partition_read *read = &partition->reads[first->read];
        struct wm_partition_slice *slice = &partition->slices[read->slice];
        wm_timed_node_read(&slice->node, partition->cycle, read->token, read->address,
                           read->sectors);
        slice->next = partition->cycle;
        read->next_free = partition->free_read;
        partition->free_read = first->read;
        partition->completion_first++;
    }
}

// Slices that have nothing to do are passed over, where run_slice does not say otherwise.
static void run_cycle(struct wm_partition *partition)
{
    uint64_t cycle = partition->cycle;
    run_channels(partition);
    complete_reads(partition);
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        struct wm_partition_slice *slice = &partition->slices[i];
        if (slice->next > cycle && partition->one_clock)
            continue;
        run_slice(partition, slice);
        slice->next = next_of_slice(partition, slice, cycle + 1);
    }
    wm_partition_send_on(partition);
    for (uint32_t i = 0; i < partition->channel_count; i++)
        if (partition->channels[i].next <= cycle)
            partition->channels[i].next = wm_clock_convert(
                &partition->from_dram, wm_dram_channel_next(partition->channels[i].channel));
}

static uint64_t next_cycle(const struct wm_partition *partition)
{
    const struct wm_partition_completion *first = first_completion(partition);
    uint64_t next = first != NULL ? first->cycle : WM_NEVER;
    for (uint32_t i = 0; i < partition->channel_count; i++)
        next = wm_earlier(next, partition->channels[i].next);
    for (uint32_t i = 0; i < partition->slice_count; i++)
        next = wm_earlier(next, partition->slices[i].next);
    return next > partition->cycle ? next : partition->cycle;
}

bool wm_partition_run(struct wm_partition *partition, uint64_t end)
{
    uint64_t last = wm_clock_convert(&partition->from_network, end), next;
    bool acts = false;
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        struct wm_partition_slice *slice = &partition->slices[i];
        // Of the others nothing has changed since the last window.
        if (slice->input.added || slice->output.credited || slice->responses.added) {
            slice->next_in = next_in(partition, slice);
            slice->next_out = next_out(partition, slice);
            slice->next = next_of_slice(partition, slice, partition->cycle);
        }
        slice->input.added = slice->output.credited = slice->responses.added = false;
    }
    for (next = next_cycle(partition); next < last; next = next_cycle(partition)) {
        partition->cycle = next;
        run_cycle(partition);
        partition->cycle++;
        acts = true;
    }
    partition->next = next;
    // A channel without requests still counts its refreshes.
    for (uint32_t i = 0; acts && i < partition->channel_count; i++)
        wm_dram_channel_advance(partition->channels[i].channel,
                                wm_clock_floor(&partition->to_dram, partition->cycle - 1),
                                wm_partition_note_completion, partition);
    bool failed = partition->island.failed;
    for (uint32_t i = 0; i < partition->slice_count; i++)
        failed = failed || partition->slices[i].node.out.failed ||
                 partition->slices[i].node.level.timed.mshr.failed;
    return !failed;
}

uint64_t wm_partition_next(const struct wm_partition *partition)
{
    uint64_t next = partition->next;
    return next != WM_NEVER ? wm_clock_floor(&partition->to_network, next) : WM_NEVER;
}

uint64_t wm_partition_last_active(const struct wm_partition *partition)
{
    return wm_clock_convert(&partition->to_network, partition->cycle);
}

void wm_partition_describe(const struct wm_partition *partition, struct wm_text *text)
{
    for (uint32_t i = 0; i < partition->slice_count; i++)
        wm_timed_node_describe(&partition->slices[i].node, text);
    for (uint32_t i = 0; i < partition->channel_count; i++) {
        uint32_t waiting = wm_dram_channel_waiting(partition->channels[i].channel);
        if (waiting != 0)
            wm_text_format(text, "dram[%" PRIu32 "]: %" PRIu32 " requests wait\n",
                           partition->channels[i].number, waiting);
    }
}

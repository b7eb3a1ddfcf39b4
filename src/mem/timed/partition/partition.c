#include "mem/timed/partition/partition.h"

#include "mem/timed/partition/partition_state.h"

#include <inttypes.h>

static void fill(struct wm_partition *partition, uint32_t index)
{
    struct wm_partition_read *read = &partition->reads.reads[index];
    struct wm_partition_slice *slice = &partition->slices[read->slice];
    wm_timed_node_fill(&slice->node, partition->cycle, read->entry, read->address, read->sectors);
    slice->next = partition->cycle;
    read->next_free = partition->reads.free;
    partition->reads.free = index;
}

// --- A cycle ---

static void take_in(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    struct wm_timed_node *node = &slice->node;
    uint64_t now = wm_clock_floor(&partition->to_network, partition->cycle);
    uint64_t from = slice->in_was_full ? now : 0;
    while (!(slice->in_was_full = wm_timed_node_is_full(node))) {
        uint64_t ready = wm_crossbar_input_ready(&slice->input, from);
        if (ready > now)
            return;
        struct wm_packet *packet = wm_packet_queue_place(&node->in);
        partition->island.failed |= packet == NULL;
        if (packet == NULL)
            return;
        if (!wm_crossbar_take(&slice->input, ready, now, packet))
            partition->island.failed = true;
        packet->when = wm_clock_convert(&partition->from_network, ready) + node->latency;
    }
}

static void send_out(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    uint64_t now = wm_clock_convert(&partition->to_network, partition->cycle);
    const struct wm_packet *packet;
    while ((packet = wm_packet_queue_head(&slice->node.replies)) != NULL &&
           packet->when <= partition->cycle) {
        uint32_t way = wm_crossbar_way(&slice->output, packet->sm);
        if (wm_crossbar_output_ready(&slice->output, way, now) > now)
            return;
        wm_crossbar_count_stall(&slice->output, way,
                                wm_clock_convert(&partition->to_network, packet->when));
        if (!wm_crossbar_send(&slice->output, packet, way, now))
            partition->island.failed = true;
        wm_packet_queue_pop(&slice->node.replies);
        slice->node.retries = true;
    }
}

// When a request can come in next, at the earliest, unless more are sent.
static uint64_t next_in(const struct wm_partition *partition,
                        const struct wm_partition_slice *slice)
{
    if (wm_timed_node_is_full(&slice->node))
        return WM_NEVER;
    return wm_clock_convert(&partition->from_network, wm_crossbar_input_ready(&slice->input, 0));
}

// When the first of the replies can leave, at the earliest, unless a credit comes back.
static uint64_t next_out(const struct wm_partition *partition,
                         const struct wm_partition_slice *slice)
{
    const struct wm_packet *packet = wm_packet_queue_head(&slice->node.replies);
    if (packet == NULL)
        return WM_NEVER;
    uint32_t way = wm_crossbar_way(&slice->output, packet->sm);
    uint64_t free = wm_clock_convert(&partition->from_network,
                                     wm_crossbar_output_ready(&slice->output, way, 0));
    return packet->when > free ? packet->when : free;
}

static void look_up_first(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    struct wm_timed_node *node = &slice->node;
    const struct wm_packet *packet = wm_timed_node_first(node, partition->cycle);
    if (packet == NULL)
        return;
    if (__builtin_expect(partition->on_lookup != NULL, false))
        partition->on_lookup(partition->listener, partition->index, packet->pc);
    bool was_full = wm_timed_node_is_full(node);
    if (wm_timed_node_look_up(node, partition->cycle) && was_full)
        slice->next_in = next_in(partition, slice);
}

// Each step where it may do something. Where the interconnect has a clock of its own, a reply may
// leave in any cycle in which something else happens.
static void run_slice(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    struct wm_timed_node *node = &slice->node;
    uint64_t cycle = partition->cycle;
    if (slice->next_in <= cycle || !partition->one_clock) {
        take_in(partition, slice);
        slice->next_in = next_in(partition, slice);
    } else {
        slice->in_was_full = wm_timed_node_is_full(node);
    }
    if (__builtin_expect(wm_packet_queue_count(&node->operating) != 0, false))
        wm_timed_node_end_operations(node, cycle);
    look_up_first(partition, slice);
    if (slice->next_out <= cycle || !partition->one_clock) {
        send_out(partition, slice);
        slice->next_out = next_out(partition, slice);
    } else if (slice->next_out == WM_NEVER && wm_packet_queue_count(&node->replies) != 0) {
        slice->next_out = next_out(partition, slice); // of its first reply
    }
}

// The cycle of L2 in which a slice acts next, from `cycle` on.
static uint64_t next_of_slice(const struct wm_partition_slice *slice, uint64_t cycle)
{
    uint64_t next = wm_earlier(slice->next_in, slice->next_out);
    next = wm_earlier(next, wm_timed_node_next(&slice->node));
    return next > cycle ? next : cycle;
}

static void run_channel(struct wm_partition *partition)
{
    wm_dram_channel_advance(partition->channel,
                            wm_clock_floor(&partition->to_dram, partition->cycle),
                            wm_partition_note_completion, partition);
}

// Slices that have nothing to do are passed over, where run_slice does not say otherwise.
static void run_cycle(struct wm_partition *partition)
{
    uint64_t cycle = partition->cycle;
    bool uses_channel = partition->dram_next <= cycle;
    if (uses_channel)
        run_channel(partition);
    struct wm_partition_completions *completions = &partition->completions;
    while (completions->first != completions->end &&
           completions->items[completions->first & completions->mask].cycle <= cycle)
        fill(partition, completions->items[completions->first++ & completions->mask].read);
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        struct wm_partition_slice *slice = &partition->slices[i];
        if (slice->next > cycle && partition->one_clock)
            continue;
        run_slice(partition, slice);
        slice->next = next_of_slice(slice, cycle + 1);
    }
    uses_channel |= wm_partition_issue_bursts(partition);
    if (uses_channel)
        partition->dram_next =
            wm_clock_convert(&partition->from_dram, wm_dram_channel_next(partition->channel));
}

static uint64_t next_cycle(const struct wm_partition *partition)
{
    uint64_t next = partition->dram_next;
    for (uint32_t i = 0; i < partition->slice_count; i++)
        next = wm_earlier(next, partition->slices[i].next);
    const struct wm_partition_completions *completions = &partition->completions;
    if (completions->first != completions->end)
        next = wm_earlier(next, completions->items[completions->first & completions->mask].cycle);
    return next > partition->cycle ? next : partition->cycle;
}

bool wm_partition_run(struct wm_partition *partition, uint64_t end)
{
    uint64_t last = wm_clock_convert(&partition->from_network, end), next;
    bool acts = false;
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        struct wm_partition_slice *slice = &partition->slices[i];
        // Of the others nothing has changed since the last window.
        if (slice->input.added || slice->output.credited) {
            slice->next_in = next_in(partition, slice);
            slice->next_out = next_out(partition, slice);
            slice->next = next_of_slice(slice, partition->cycle);
        }
        slice->input.added = slice->output.credited = false;
    }
    for (next = next_cycle(partition); next < last; next = next_cycle(partition)) {
        partition->cycle = next;
        run_cycle(partition);
        partition->cycle++;
        acts = true;
    }
    partition->next = next;
    // A channel without requests still counts its refreshes.
    if (acts)
        wm_dram_channel_advance(partition->channel,
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

// --- For its owner ---

void wm_partition_set_byte_mask_pools(struct wm_partition *partition,
                                      const struct wm_byte_mask_pool *const *pools)
{
    partition->island.written = pools;
}

struct wm_byte_mask_rows *wm_partition_take_read_rows(struct wm_partition *partition)
{
    return &partition->island.rows;
}

void wm_partition_set_instruction_counters(struct wm_partition *partition,
                                           struct wm_instruction_counters *counters_by_pc)
{
    partition->island.counters_by_pc = counters_by_pc;
}

void wm_partition_set_listener(struct wm_partition *partition, wm_partition_listener *on_lookup,
                               void *context)
{
    partition->on_lookup = on_lookup;
    partition->listener = context;
}

uint32_t wm_partition_slices(const struct wm_partition *partition)
{
    return partition->slice_count;
}

uint32_t wm_partition_slice(const struct wm_partition *partition, uint32_t number)
{
    return partition->slices[number].node.index;
}

struct wm_crossbar_input *wm_partition_input(struct wm_partition *partition, uint32_t number)
{
    return &partition->slices[number].input;
}

struct wm_crossbar_output *wm_partition_output(struct wm_partition *partition, uint32_t number)
{
    return &partition->slices[number].output;
}

const struct wm_timed_cache_counters *wm_partition_cache_counters(
    const struct wm_partition *partition, uint32_t number)
{
    return &partition->slices[number].node.level.timed.counters;
}

const struct wm_atomic_unit_counters *wm_partition_atomic_counters(
    const struct wm_partition *partition, uint32_t number)
{
    return &partition->slices[number].node.atomics.counters;
}

const struct wm_dram_channel *wm_partition_channel(const struct wm_partition *partition)
{
    return partition->channel;
}

void wm_partition_describe(const struct wm_partition *partition, struct wm_text *text)
{
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        const struct wm_partition_slice *slice = &partition->slices[i];
        const struct wm_timed_node *node = &slice->node;
        if (!wm_timed_node_is_idle(node) || slice->input.held_count != 0)
            wm_text_format(text,
                           "l2[%" PRIu32 "]: %" PRIu32 " requests wait (%s), %" PRIu32
                           " on their way, %" PRIu32 " lines wait for DRAM, %" PRIu32
                           " bursts wait for the channel, %" PRIu32 " replies wait\n",
                           node->index, wm_packet_queue_count(&node->in),
                           wm_stall_names[node->stall], slice->input.held_count,
                           node->level.timed.mshr.used, wm_packet_queue_count(&node->out.packets),
                           wm_packet_queue_count(&node->replies));
    }
    uint32_t waiting = wm_dram_channel_waiting(partition->channel);
    if (waiting != 0)
        wm_text_format(text, "dram[%" PRIu32 "]: %" PRIu32 " requests wait\n", partition->index,
                       waiting);
}

#include "mem/timed/partition/partition.h"

#include "base/containers/array.h"
#include "mem/cache/inline_access.h"
#include "mem/timed/partition/partition_state.h"

#include <inttypes.h>
#include <stdlib.h>

// --- Look-ups ---

struct finished {
    struct wm_partition *partition;
    struct wm_partition_slice *slice;
};

// Copied first and changed where it stays: the other way round the copy's loads would wait for the
// changes.
static void reply(struct wm_partition *partition, struct wm_partition_slice *slice,
                  const struct wm_packet *request)
{
    struct wm_packet *answer = wm_packet_queue_place(&slice->out);
    if (answer == NULL) {
        partition->failed = true;
        return;
    }
    bool has_data = request->client != WM_CACHE_STORE && !request->reduces;
    *answer = *request;
    answer->when = partition->cycle + 1;
    answer->flits =
        wm_packet_flits(partition->flit_bytes, has_data ? wm_sector_bytes(request->sectors) : 0);
}

// The bytes of an atomic are there: its unit does it. Where that takes a cycle, it is answered as
// anything else is.
static void operate(struct wm_partition *partition, struct wm_partition_slice *slice,
                    const struct wm_packet *packet)
{
    uint64_t over = wm_atomic_unit_take(&slice->atomics, packet->address, packet->sectors,
                                        packet->rounds, partition->cycle);
    if (over == partition->cycle + 1) {
        reply(partition, slice, packet);
        return;
    }
    struct wm_packet *place = wm_packet_queue_place(&slice->operating);
    if (place == NULL) {
        partition->failed = true;
        return;
    }
    *place = *packet;
    place->when = over - 1;
}

static void end_operations(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    const struct wm_packet *packet;
    while ((packet = wm_packet_queue_head(&slice->operating)) != NULL &&
           packet->when <= partition->cycle) {
        reply(partition, slice, packet);
        wm_packet_queue_pop(&slice->operating);
    }
}

// A request has all its bytes.
static void finish_request(struct wm_partition *partition, struct wm_partition_slice *slice,
                           const struct wm_packet *packet)
{
    if (packet->client == WM_CACHE_ATOMIC)
        operate(partition, slice, packet);
    else if (packet->replies)
        reply(partition, slice, packet);
}

static void finish_waiting(void *context, uint64_t token)
{
    struct finished *finished = context;
    struct wm_partition_slice *slice = finished->slice;
    if (slice->moves != NULL && --slice->moves->parts[token] != 0)
        return;
    slice->free_waiting[slice->free_count++] = (uint32_t)token;
    finish_request(finished->partition, slice, &slice->waiting[token]);
}

static void count_transfer(struct wm_partition_slice *slice, const struct wm_packet *packet)
{
    uint64_t bytes = wm_sector_bytes(packet->sectors);
    if (packet->client == WM_CACHE_LOAD)
        slice->cache->counters.bytes_to_above += bytes;
    else
        slice->cache->counters.bytes_from_above += bytes;
    if (packet->client == WM_CACHE_ATOMIC && !packet->reduces)
        slice->cache->counters.bytes_to_above += bytes;
}

void wm_partition_finish_lookup(struct wm_partition *partition, struct wm_partition_slice *slice,
                                uint64_t line, const struct wm_timed_result *result, uint32_t pc)
{
    struct wm_cache *cache = slice->cache;
    if (result->fetch != 0)
        wm_partition_request_dram(partition, slice, line, result->fetch, false, result->entry, pc);
    if (result->victim.dirty != 0)
        wm_partition_request_dram(partition, slice, result->victim.line, result->victim.dirty, true,
                                  WM_MSHR_NONE, pc);
    if (result->forward != 0)
        wm_partition_request_dram(partition, slice, line, result->forward, true, WM_MSHR_NONE, pc);
    cache->counters.bytes_from_below += wm_sector_bytes(result->fetch);
    cache->counters.bytes_to_below +=
        wm_sector_bytes(result->forward) + wm_sector_bytes(result->victim.dirty);
}

// Replies wait for room, those too that are still to come from the atomic unit.
static bool has_room_for_reply(const struct wm_partition *partition,
                               const struct wm_partition_slice *slice)
{
    return wm_packet_queue_count(&slice->out) + wm_packet_queue_count(&slice->operating) <
           partition->queue;
}

static bool has_room_below(const struct wm_partition *partition,
                           const struct wm_partition_slice *slice)
{
    return slice->bursts.end - slice->bursts.first < partition->queue;
}

static struct wm_timed_access access_for(const struct wm_partition *partition,
                                         const struct wm_partition_slice *slice,
                                         const struct wm_packet *packet)
{
    const struct wm_memory *memory = partition->memory;
    uint64_t within = packet->address & (memory->l2_line_bytes - 1), index_line;
    uint32_t shift = (uint32_t)(within / WM_SECTOR_BYTES);
    uint64_t line = packet->address >> memory->l2_line_shift;
    wm_memory_slice(memory, line, &index_line);
    bool load = packet->client == WM_CACHE_LOAD;
    return (struct wm_timed_access){
        .line = line,
        .index_line = index_line,
        .token = slice->free_count != 0 ? slice->free_waiting[slice->free_count - 1] : 0,
        .sectors = packet->sectors << shift,
        .full_sectors = packet->full_sectors << shift,
        .client = (enum wm_cache_client)packet->client,
        .allocate = load ? !packet->read_no_allocate : slice->cache->write_allocate,
        .queue_has_room = has_room_below(partition, slice),
        .requester = {.sm = packet->sm,
                      .warp = packet->warp,
                      .pc = packet->pc,
                      .kind = wm_partition_kind(packet),
                      .hint = (enum wm_cache_hint)packet->hint},
    };
}

// A store's bytes have been taken.
static void note_row(struct wm_partition *partition, const struct wm_packet *packet)
{
    struct wm_byte_mask_rows *rows = &partition->rows;
    if (!WM_ARRAY_ADD(rows->rows, rows->count, rows->room,
                      (struct wm_byte_mask_row){packet->sm, packet->written}))
        partition->failed = true;
}

static void note_stall(struct wm_partition *partition, struct wm_partition_slice *slice,
                       enum wm_stall stall)
{
    if (slice->stall != WM_STALL_NONE)
        wm_stall_count(&slice->timed.counters.stalls, slice->stall,
                       partition->cycle - slice->stalled_since);
    slice->stall = stall;
    slice->stalled_since = partition->cycle;
}

// Whether a stall that is over only when there is room below can be anything else first. Bytes that
// come take nothing that was found to be there: they make ways and MSHR entries free, and lines of
// L2 have been taken when they missed. Protected lines, and what an atomic buffer moves, follow
// rules of their own.
static bool lacks_room_alone(const struct wm_partition_slice *slice,
                             const struct wm_timed_access *access,
                             const struct wm_timed_result *result)
{
    return result->stall == WM_STALL_QUEUE && !access->queue_has_room && slice->moves == NULL &&
           slice->cache->replacement->chain_protect == NULL;
}

// The slice's first request; false when it has to come again.
static bool look_up(struct wm_partition *partition, struct wm_partition_slice *slice,
                    const struct wm_packet *packet)
{
    slice->retries = false;
    if (slice->needs_room && !has_room_below(partition, slice))
        return false;
    slice->needs_room = false;
    if (!has_room_for_reply(partition, slice)) {
        note_stall(partition, slice, WM_STALL_QUEUE);
        return false;
    }
    struct wm_timed_access access = access_for(partition, slice, packet);
    struct wm_write_mask written = {.address = packet->address};
    if (packet->written != 0) {
        written.words = wm_byte_mask_pool_at(partition->written[packet->sm], packet->written);
        access.written = &written;
    }
    struct wm_timed_result result = wm_timed_cache_access(&slice->timed, &access);
    note_stall(partition, slice, result.stall);
    slice->needs_room = lacks_room_alone(slice, &access, &result);
    if (result.stall != WM_STALL_NONE) {
        partition->failed |= slice->timed.mshr.failed;
        return false;
    }
    if (packet->written != 0)
        note_row(partition, packet);
    struct wm_instruction_counters *instruction_counters = &partition->counters_by_pc[packet->pc];
    uint64_t misses = wm_count_sectors(result.missing);
    if (packet->client != WM_CACHE_WRITEBACK) {
        instruction_counters->levels[WM_LEVEL_L2].misses += misses;
        instruction_counters->levels[WM_LEVEL_L2].hits +=
            wm_count_sectors(packet->sectors) - misses;
    }
    count_transfer(slice, packet);
    wm_partition_finish_lookup(partition, slice, access.line, &result, packet->pc);
    if (result.waits) {
        uint32_t token = slice->free_waiting[--slice->free_count];
        struct wm_packet *waiting = &slice->waiting[token];
        if (slice->moves != NULL)
            slice->moves->parts[token] = 1;
        *waiting = *packet;
        waiting->from_dram = true;
    } else {
        finish_request(partition, slice, packet);
    }
    return true;
}

// Prefetches, on the host, what the look-up of the request at `place` of those that wait will read.
static void host_prefetch_look_up(const struct wm_partition *partition,
                                  const struct wm_partition_slice *slice, uint32_t place)
{
    if (place >= wm_packet_queue_count(&slice->in))
        return;
    const struct wm_memory *memory = partition->memory;
    const struct wm_packet *packet = &slice->in.packets[(slice->in.first + place) & slice->in.mask];
    uint64_t index_line, line = packet->address >> memory->l2_line_shift;
    wm_memory_slice(memory, line, &index_line);
    wm_timed_cache_host_prefetch(&slice->timed, line, index_line);
}

// An atomic has been done in the slice's buffer, but for sectors that it waits for.
static void finish_atomic(struct wm_partition *partition, struct wm_partition_slice *slice,
                          const struct wm_packet *packet)
{
    struct finished finished = {partition, slice};
    count_transfer(slice, packet);
    if (slice->moves->waits)
        finish_waiting(&finished, slice->moves->token);
    else
        finish_request(partition, slice, packet);
    slice->moves->waits = false;
}

// The same of a slice with an atomic buffer.
static bool look_up_buffered(struct wm_partition *partition, struct wm_partition_slice *slice,
                             const struct wm_packet *packet)
{
    enum wm_stall stall = WM_STALL_QUEUE;
    enum wm_atomic_buffer_move_result moved = WM_MOVED_NONE;
    slice->retries = false;
    if (has_room_for_reply(partition, slice))
        moved = wm_atomic_buffer_move(partition, slice, packet, &stall);
    if (moved != WM_MOVED_ALL) {
        note_stall(partition, slice, stall);
        partition->failed |= slice->timed.mshr.failed;
        slice->next_look_up = partition->cycle + (moved == WM_MOVED_ONE);
        return false;
    }
    if (packet->client == WM_CACHE_ATOMIC) {
        note_stall(partition, slice, WM_STALL_NONE);
        finish_atomic(partition, slice, packet);
    } else if (!look_up(partition, slice, packet)) {
        return false;
    }
    slice->moves->seen = 0;
    return true;
}

static void fill(struct wm_partition *partition, uint32_t index)
{
    struct wm_partition_read *read = &partition->reads.reads[index];
    struct wm_partition_slice *slice = &partition->slices[read->slice];
    struct finished finished = {partition, slice};
    struct wm_requester unattributed = {0}; // its line was taken when it missed
    struct wm_cache_victim victim;
    wm_timed_cache_fill(&slice->timed, read->entry, read->line, read->line, read->sectors,
                        &unattributed, finish_waiting, &finished, &victim);
    partition->failed |= slice->timed.mshr.failed;
    slice->retries = true;
    slice->next = partition->cycle;
    read->next_free = partition->reads.free;
    partition->reads.free = index;
}

// --- A cycle ---

static void take_in(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    uint64_t now = wm_clock_floor(&partition->to_network, partition->cycle);
    uint64_t from = slice->in_was_full ? now : 0;
    while (!(slice->in_was_full = wm_packet_queue_count(&slice->in) == partition->in_room)) {
        uint64_t ready = wm_crossbar_input_ready(&slice->input, from);
        if (ready > now)
            return;
        struct wm_packet *packet = wm_packet_queue_place(&slice->in);
        partition->failed |= packet == NULL;
        if (packet == NULL)
            return;
        if (!wm_crossbar_take(&slice->input, ready, now, packet))
            partition->failed = true;
        packet->when = wm_clock_convert(&partition->from_network, ready) + partition->latency;
    }
}

static void send_out(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    uint64_t now = wm_clock_convert(&partition->to_network, partition->cycle);
    const struct wm_packet *packet;
    while ((packet = wm_packet_queue_head(&slice->out)) != NULL &&
           packet->when <= partition->cycle) {
        uint32_t way = wm_crossbar_way(&slice->output, packet->sm);
        if (wm_crossbar_output_ready(&slice->output, way, now) > now)
            return;
        wm_crossbar_count_stall(&slice->output, way,
                                wm_clock_convert(&partition->to_network, packet->when));
        if (!wm_crossbar_send(&slice->output, packet, way, now))
            partition->failed = true;
        wm_packet_queue_pop(&slice->out);
        slice->retries = true;
    }
}

// When a request can come in next, at the earliest, unless more are sent.
static uint64_t next_in(const struct wm_partition *partition,
                        const struct wm_partition_slice *slice)
{
    if (wm_packet_queue_count(&slice->in) == partition->in_room)
        return WM_NEVER;
    return wm_clock_convert(&partition->from_network, wm_crossbar_input_ready(&slice->input, 0));
}

// When the first of the replies can leave, at the earliest, unless a credit comes back.
static uint64_t next_out(const struct wm_partition *partition,
                         const struct wm_partition_slice *slice)
{
    const struct wm_packet *packet = wm_packet_queue_head(&slice->out);
    if (packet == NULL)
        return WM_NEVER;
    uint32_t way = wm_crossbar_way(&slice->output, packet->sm);
    uint64_t free = wm_clock_convert(&partition->from_network,
                                     wm_crossbar_output_ready(&slice->output, way, 0));
    return packet->when > free ? packet->when : free;
}

// What the first request was stalled by lasts until something says that it may be over.
static bool may_look_up(const struct wm_partition_slice *slice)
{
    return slice->stall == WM_STALL_NONE || slice->retries;
}

// The first cycle in which the slice's first request, `packet`, may be looked up: an atomic when
// its unit can begin it.
static uint64_t look_up_from(const struct wm_partition_slice *slice, const struct wm_packet *packet)
{
    uint64_t from = packet->when > slice->next_look_up ? packet->when : slice->next_look_up;
    if (packet->client == WM_CACHE_ATOMIC && slice->atomics.free > from)
        from = slice->atomics.free;
    return from;
}

static void look_up_first(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    const struct wm_packet *packet = wm_packet_queue_head(&slice->in);
    if (packet == NULL || look_up_from(slice, packet) > partition->cycle || !may_look_up(slice))
        return;
    if (__builtin_expect(partition->on_lookup != NULL, false))
        partition->on_lookup(partition->listener, partition->index, packet->pc);
    if (!(slice->moves == NULL ? look_up : look_up_buffered)(partition, slice, packet))
        return;
    bool was_full = wm_packet_queue_count(&slice->in) == partition->in_room;
    wm_packet_queue_pop(&slice->in);
    slice->next_look_up = partition->cycle + 1;
    if (was_full)
        slice->next_in = next_in(partition, slice);
    host_prefetch_look_up(partition, slice, 1);
}

// Each step where it may do something. Where the interconnect has a clock of its own, a reply may
// leave in any cycle in which something else happens.
static void run_slice(struct wm_partition *partition, struct wm_partition_slice *slice)
{
    uint64_t cycle = partition->cycle;
    if (slice->next_in <= cycle || !partition->one_clock) {
        take_in(partition, slice);
        slice->next_in = next_in(partition, slice);
    } else {
        slice->in_was_full = wm_packet_queue_count(&slice->in) == partition->in_room;
    }
    if (__builtin_expect(slice->free_count == 0, false) && !wm_partition_grow_waiting(slice)) {
        partition->failed = true;
        return;
    }
    if (__builtin_expect(wm_packet_queue_count(&slice->operating) != 0, false))
        end_operations(partition, slice);
    look_up_first(partition, slice);
    if (slice->next_out <= cycle || !partition->one_clock) {
        send_out(partition, slice);
        slice->next_out = next_out(partition, slice);
    } else if (slice->next_out == WM_NEVER && wm_packet_queue_count(&slice->out) != 0) {
        slice->next_out = next_out(partition, slice); // of its first reply
    }
}

// The cycle of L2 in which a slice acts next, from `cycle` on. A stalled one waits for DRAM or for
// its replies to leave, which are events of their own.
static uint64_t next_of_slice(const struct wm_partition_slice *slice, uint64_t cycle)
{
    uint64_t next = wm_earlier(slice->next_in, slice->next_out);
    const struct wm_packet *packet = wm_packet_queue_head(&slice->in);
    if (packet != NULL && may_look_up(slice))
        next = wm_earlier(next, look_up_from(slice, packet));
    packet = wm_packet_queue_head(&slice->operating);
    if (__builtin_expect(packet != NULL, false))
        next = wm_earlier(next, packet->when);
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
    if (partition->waiting_bursts != 0) {
        wm_partition_issue_bursts(partition, wm_clock_convert(&partition->to_dram, cycle));
        uses_channel = true;
    }
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
    return !partition->failed;
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
    partition->written = pools;
}

struct wm_byte_mask_rows *wm_partition_take_read_rows(struct wm_partition *partition)
{
    return &partition->rows;
}

void wm_partition_set_instruction_counters(struct wm_partition *partition,
                                           struct wm_instruction_counters *counters_by_pc)
{
    partition->counters_by_pc = counters_by_pc;
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
    return partition->slices[number].index;
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
    return &partition->slices[number].timed.counters;
}

const struct wm_atomic_unit_counters *wm_partition_atomic_counters(
    const struct wm_partition *partition, uint32_t number)
{
    return &partition->slices[number].atomics.counters;
}

const struct wm_dram_channel *wm_partition_channel(const struct wm_partition *partition)
{
    return partition->channel;
}

void wm_partition_describe(const struct wm_partition *partition, struct wm_text *text)
{
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        const struct wm_partition_slice *slice = &partition->slices[i];
        uint32_t in = wm_packet_queue_count(&slice->in), out = wm_packet_queue_count(&slice->out);
        uint32_t bursts = slice->bursts.end - slice->bursts.first;
        if (in + out + bursts + slice->timed.mshr.used + slice->input.held_count != 0)
            wm_text_format(text,
                           "l2[%" PRIu32 "]: %" PRIu32 " requests wait (%s), %" PRIu32
                           " on their way, %" PRIu32 " lines wait for DRAM, %" PRIu32
                           " bursts wait for the channel, %" PRIu32 " replies wait\n",
                           slice->index, in, wm_stall_names[slice->stall], slice->input.held_count,
                           slice->timed.mshr.used, bursts, out);
    }
    uint32_t waiting = wm_dram_channel_waiting(partition->channel);
    if (waiting != 0)
        wm_text_format(text, "dram[%" PRIu32 "]: %" PRIu32 " requests wait\n", partition->index,
                       waiting);
}

#include "mem/timed/node/node.h"

#include "base/containers/array.h"
#include "mem/cache/inline_access.h"
#include "mem/timed/level/prefetch.h"
#include "mem/timed/level/relations.h"
#include "mem/timed/node/copies.h"
#include "mem/timed/node/node_parts.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_WAITING = 16 }; // places for requests whose bytes are on their way

// --- Building ---

// All places for waiting requests are taken: as many more, which are handed out in order.
static bool grow_waiting(struct wm_timed_node *node)
{
    uint32_t old = node->waiting_room, room = old != 0 ? 2 * old : FIRST_WAITING;
    struct wm_packet *larger = wm_packets_new(room);
    if (larger == NULL || !WM_ARRAY_RESIZE(node->free_waiting, room) ||
        !WM_ARRAY_RESIZE(node->parts, room)) {
        free(larger);
        return false;
    }
    if (old != 0)
        memcpy(larger, node->waiting, old * sizeof *larger);
    free(node->waiting);
    node->waiting = larger;
    node->waiting_room = room;
    for (uint32_t i = old; i < room; i++) {
        node->free_waiting[node->free_count++] = room - 1 - (i - old);
        node->parts[i] = 0;
    }
    return true;
}

static enum wm_status build_cache(struct wm_timed_node *node, uint32_t level,
                                  struct wm_error *error)
{
    struct wm_memory *memory = node->island->memory;
    node->latency = memory->spec.levels[level].timing.latency;
    if (level == WM_LEVEL_L2 && memory->atomic_buffers != NULL) {
        WM_TRY(WM_ARRAY_NEW(node->moves, 1, error, "an atomic buffer"));
        node->moves->buffer = &memory->atomic_buffers[node->index];
    }
    if (memory->spec.levels[level].locked_line == WM_LOCKED_REFUSES) {
        WM_TRY(WM_ARRAY_NEW(node->refusals, 1, error, "a memory partition"));
        node->reply_latency = node->latency;
        node->latency = WM_DIRECTORY_LATENCY;
    }
    WM_TRY(wm_timed_level_init(&node->level, memory, level, node->index, error));
    node->level.latency_below = 0; // requests have had it
    if (node->level.described->partitions > 1)
        WM_TRY(wm_node_copies_new(node, error));
    return wm_node_evictions_init(node, error);
}

enum wm_status wm_timed_node_init(struct wm_timed_node *node, struct wm_node_island *island,
                                  uint32_t level, uint32_t index, struct wm_error *error)
{
    struct wm_memory *memory = island->memory;
    bool is_channel = level == WM_TO_MEMORY;
    const struct wm_level_spec *spec = &memory->spec.levels[is_channel ? WM_LEVEL_L2 : level];
    *node = (struct wm_timed_node){.island = island, .index = index, .queue = spec->timing.queue};
    node->level.number = (uint8_t)level;
    if (!is_channel)
        WM_TRY(build_cache(node, level, error));
    node->input.room = node->queue + node->latency;
    WM_TRY(wm_outbox_init(&node->out, memory, island->topology, node->queue, error));
    node->out.gpu = island->gpu;
    node->out.bursts =
        is_channel || (island->topology->is_below[level] && node->level.described->below == NULL);
    WM_TRY(wm_packet_queue_init(&node->input.packets, error));
    WM_TRY(wm_packet_queue_init(&node->replies, error));
    WM_TRY(wm_packet_queue_init(&node->operating, error));
    uint32_t interval = spec->atomic_interval;
    WM_TRY(wm_atomic_unit_init(&node->atomics, interval != 0 ? interval : 1, error));
    return grow_waiting(node) ? WM_OK : wm_fail_no_memory(error, "a memory partition");
}

void wm_timed_node_release(struct wm_timed_node *node)
{
    wm_timed_level_release(&node->level);
    wm_outbox_release(&node->out);
    wm_packet_queue_release(&node->input.packets);
    wm_packet_queue_release(&node->replies);
    wm_packet_queue_release(&node->operating);
    wm_atomic_unit_release(&node->atomics);
    free(node->waiting);
    free(node->parts);
    free(node->free_waiting);
    free(node->moves);
    free(node->refusals);
    wm_node_copies_free(node->copies);
}

// --- Answers ---

// Copied first and changed where it stays: the other way round the copy's loads would wait for the
// changes.
void wm_node_reply(struct wm_timed_node *node, const struct wm_packet *request, uint64_t cycle)
{
    struct wm_packet *answer = wm_packet_queue_place(&node->replies);
    if (answer == NULL) {
        node->island->failed = true;
        return;
    }
    bool has_data = request->client != WM_CACHE_STORE && !request->reduces &&
                    request->client != WM_PACKET_UPGRADE;
    *answer = *request;
    answer->when = cycle + 1 + node->reply_latency;
    answer->flits =
        wm_packet_flits(node->out.flit_bytes, has_data ? wm_sector_bytes(request->sectors) : 0);
    if (__builtin_expect(node->level.evictions != NULL, false))
        wm_node_note_reply(node, request, cycle);
}

// What a channel is sent on behalf of a packet: reads bring `token` back.
static uint32_t send_to_channel(struct wm_timed_node *node, const struct wm_packet *packet,
                                uint64_t cycle, enum wm_cache_client client, uint32_t token)
{
    const struct wm_requester who = {.sm = packet->sm, .warp = packet->warp, .pc = packet->pc};
    return wm_outbox_send(&node->out, cycle, &who,
                          &(struct wm_sending){.charged = wm_node_charged_for(node, packet),
                                               .address = packet->address,
                                               .sectors = packet->sectors,
                                               .client = client,
                                               .token = token});
}

// The bytes of an atomic are there: its unit does it. Where that takes a cycle, it is answered as
// anything else is.
static void operate(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle)
{
    if (node->level.timed.cache == NULL) // what it leaves is written back at once
        send_to_channel(node, packet, cycle, WM_CACHE_STORE, 0);
    uint64_t over = wm_atomic_unit_take(&node->atomics, packet->address, packet->sectors,
                                        packet->rounds, cycle);
    if (over == cycle + 1) {
        wm_node_reply(node, packet, cycle);
        return;
    }
    struct wm_packet operating = *packet;
    operating.when = over - 1;
    node->island->failed |= !wm_packet_queue_push(&node->operating, &operating);
}

void wm_timed_node_end_operations(struct wm_timed_node *node, uint64_t cycle)
{
    const struct wm_packet *packet;
    while ((packet = wm_packet_queue_head(&node->operating)) != NULL && packet->when <= cycle) {
        wm_node_reply(node, packet, cycle);
        wm_packet_queue_pop(&node->operating);
    }
}

// They are done below.
static inline bool passes_atomics(const struct wm_timed_node *node)
{
    return node->level.described != NULL && node->level.described->passes_atomics;
}

// A request has all its bytes.
static void finish_request(struct wm_timed_node *node, const struct wm_packet *packet,
                           uint64_t cycle)
{
    bool far =
        __builtin_expect(node->copies != NULL, false) && wm_node_is_far(node, packet->address);
    if (packet->client == WM_CACHE_ATOMIC && !passes_atomics(node) && !far)
        operate(node, packet, cycle);
    else if (packet->replies)
        wm_node_reply(node, packet, cycle);
}

struct filling {
    struct wm_timed_node *node;
    uint64_t cycle;
};

static void finish_waiting(void *context, uint64_t token)
{
    const struct filling *filling = context;
    struct wm_timed_node *node = filling->node;
    uint32_t left = --node->parts[token];
    if ((left & ~(uint32_t)WM_NODE_OUTDATED) != 0)
        return;
    node->parts[token] = 0;
    node->free_waiting[node->free_count++] = (uint32_t)token;
    node->waiting[token].to = node->served;
    finish_request(node, &node->waiting[token], filling->cycle);
    if (__builtin_expect(left != 0, false))
        wm_node_invalidate_behind(node, &node->waiting[token], filling->cycle);
}

// --- Look-ups ---

void wm_node_note_stall(struct wm_timed_node *node, enum wm_stall stall, uint64_t cycle)
{
    if (node->input.stall != WM_STALL_NONE)
        wm_stall_count(&node->level.timed.counters.stalls, node->input.stall,
                       cycle - node->input.stalled_since);
    node->input.stall = stall;
    node->input.stalled_since = cycle;
}

// A store's bytes have been taken.
static void note_row(struct wm_timed_node *node, const struct wm_packet *packet)
{
    struct wm_byte_mask_rows *rows = &node->island->rows;
    if (!WM_ARRAY_ADD(rows->rows, rows->count, rows->room,
                      (struct wm_byte_mask_row){packet->sm, packet->written}))
        node->island->failed = true;
}

// Whether a stall that is over only when there is room below can be anything else first. Bytes that
// come take nothing that was found to be there: they make ways and MSHR entries free, and lines
// have been taken when they missed. Protected lines, and what an atomic buffer moves, follow rules
// of their own.
static bool lacks_room_alone(const struct wm_timed_node *node, const struct wm_timed_access *access,
                             enum wm_stall stall)
{
    return stall == WM_STALL_QUEUE && !access->queue_has_room && node->moves == NULL &&
           node->level.timed.cache->replacement->chain_protect == NULL;
}

// The request waits until so many parts have come, by the token that they were promised.
void wm_node_wait_for(struct wm_timed_node *node, const struct wm_packet *packet, uint32_t parts)
{
    uint32_t token = node->free_waiting[--node->free_count];
    node->parts[token] = parts;
    node->waiting[token] = *packet;
}

// An atomic goes on to where it is done.
static void pass_atomic(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle)
{
    const struct wm_level_request request =
        wm_node_request_for(node, packet, packet->address, packet->sectors);
    wm_timed_level_pass(&node->level, cycle, &request);
    uint32_t packets = wm_outbox_send(&node->out, cycle, &request.access.requester,
                                      &(struct wm_sending){.charged = request.charged,
                                                           .to = node->level.described->below,
                                                           .from = node->level.number,
                                                           .address = packet->address,
                                                           .sectors = packet->sectors,
                                                           .client = WM_CACHE_ATOMIC,
                                                           .replies = true,
                                                           .reduces = packet->reduces,
                                                           .token = request.access.token,
                                                           .least_rounds = packet->rounds});
    wm_node_wait_for(node, packet, packets);
}

// What goes on as it is: of a channel anything, of a cache that passes atomics these.
static bool pass(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle)
{
    enum wm_cache_client client = (enum wm_cache_client)packet->client;
    bool reads = client == WM_CACHE_LOAD || client == WM_CACHE_ATOMIC;
    bool has_room = wm_outbox_has_room(&node->out, cycle);
    wm_node_note_stall(node, has_room ? WM_STALL_NONE : WM_STALL_QUEUE, cycle);
    node->input.needs_room = !has_room;
    if (!has_room)
        return false;
    if (__builtin_expect(node->level.excludes, false) &&
        !wm_timed_level_may_pass(&node->level,
                                 packet->address >> node->level.described->line_shift)) {
        wm_node_note_stall(node, WM_STALL_MERGE, cycle);
        return false;
    }
    if (packet->written != 0)
        note_row(node, packet);
    if (node->level.timed.cache != NULL) {
        pass_atomic(node, packet, cycle);
        return true;
    }
    uint32_t token = node->free_waiting[node->free_count - 1];
    uint32_t bursts =
        send_to_channel(node, packet, cycle, reads ? WM_CACHE_LOAD : WM_CACHE_STORE, token);
    if (reads)
        wm_node_wait_for(node, packet, bursts);
    else
        finish_request(node, packet, cycle);
    return true;
}

// What is no access.
static bool take_notice(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle)
{
    struct wm_level_request request =
        wm_node_request_for(node, packet, packet->address, packet->sectors);
    request.access.client = WM_CACHE_WRITEBACK;
    enum wm_stall stall = packet->client == WM_PACKET_UPGRADE
                              ? wm_node_upgrade(node, cycle, packet, &request)
                              : wm_timed_level_take_victim(&node->level, cycle, &request);
    wm_node_note_stall(node, stall, cycle);
    if (stall == WM_STALL_NONE && node->level.evictions != NULL)
        wm_node_settle_evictions(node, packet, cycle);
    if (stall == WM_STALL_NONE && packet->replies)
        wm_node_reply(node, packet, cycle);
    return stall == WM_STALL_NONE;
}

// Whether a load takes what it finds here with it, dirty where its cache writes back.
static bool moves_up(const struct wm_timed_node *node, const struct wm_packet *packet,
                     struct wm_level_request *request)
{
    const struct wm_cache_level *level = node->level.described;
    if (level->inclusion != WM_EXCLUSIVE || packet->client != WM_CACHE_LOAD ||
        packet->full_sectors == 0)
        return false;
    const struct wm_cache *above = node->island->memory->levels[packet->from].caches;
    request->access.allocate = false;
    request->moves_up = true;
    request->moves_dirty = above->write_policy == WM_WRITE_BACK;
    return true;
}

// The node's first request; false when it has to come again.
static bool look_up(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle)
{
    if (node->level.timed.cache == NULL ||
        (packet->client == WM_CACHE_ATOMIC && passes_atomics(node)))
        return pass(node, packet, cycle);
    if (__builtin_expect(packet->client >= WM_PACKET_INVALIDATION, false))
        return take_notice(node, packet, cycle);
    bool copied = __builtin_expect(node->copies != NULL, false);
    if (copied && wm_node_is_far(node, packet->address))
        return wm_node_look_up_far(node, packet, cycle);
    struct wm_level_request request =
        wm_node_request_for(node, packet, packet->address, packet->sectors);
    request.moves = packet->from == node->level.number; // the slice that it crosses from counted it
    if (__builtin_expect(node->refusals != NULL, false) &&
        wm_node_refuses_line(node, packet, request.access.line, cycle))
        return true;
    struct wm_write_mask written = {.address = packet->address};
    if (packet->written != 0) {
        written.words = wm_byte_mask_pool_at(node->island->written[packet->sm], packet->written);
        request.access.written = &written;
    }
    struct wm_level_outcome outcome;
    struct wm_packet moved;
    bool moves = moves_up(node, packet, &request);
    enum wm_stall stall = wm_timed_level_look_up(&node->level, cycle, &request, &outcome);
    if (__builtin_expect(node->refusals != NULL, false)) {
        if (stall == WM_STALL_WAY) {
            wm_node_note_stall(node, WM_STALL_NONE, cycle);
            wm_node_refuse_set(node, packet, cycle);
            return true;
        }
        node->refusals->attempts += stall == WM_STALL_NONE;
    }
    wm_node_note_stall(node, stall, cycle);
    node->input.needs_room = lacks_room_alone(node, &request.access, stall);
    if (stall != WM_STALL_NONE)
        return false;
    if (__builtin_expect(node->level.evictions != NULL, false))
        wm_node_settle_evictions(node, packet, cycle);
    if (copied && packet->client != WM_CACHE_LOAD)
        wm_node_drop_copy(node->copies->other, &request.access);
    if (packet->written != 0)
        note_row(node, packet);
    if (__builtin_expect(moves, false)) { // its reply has what was dirty
        moved = *packet;
        moved.full_sectors =
            outcome.dirty >> __builtin_ctz(request.access.sectors / packet->sectors);
        packet = &moved;
    }
    if (outcome.waits == 0)
        finish_request(node, packet, cycle + node->level.late);
    else
        wm_node_wait_for(node, packet, 1);
    return true;
}

// An atomic has been done in the node's buffer, but for sectors that it waits for.
static void finish_atomic(struct wm_timed_node *node, const struct wm_packet *packet,
                          uint64_t cycle)
{
    struct wm_cache_counters *counters = &node->level.timed.cache->counters;
    uint64_t bytes = wm_sector_bytes(packet->sectors);
    counters->bytes_from_above += bytes;
    counters->bytes_to_above += packet->reduces ? 0 : bytes;
    if (node->moves->waits)
        finish_waiting(&(struct filling){node, cycle}, node->moves->token);
    else
        finish_request(node, packet, cycle);
    node->moves->waits = false;
}

// The same of a node with an atomic buffer.
static bool look_up_buffered(struct wm_timed_node *node, const struct wm_packet *packet,
                             uint64_t cycle)
{
    enum wm_stall stall;
    enum wm_buffer_move_result moved = wm_buffer_move(node, cycle, packet, &stall);
    if (moved != WM_MOVED_ALL) {
        wm_node_note_stall(node, stall, cycle);
        node->next_look_up = cycle + (moved == WM_MOVED_ONE);
        return false;
    }
    if (packet->client == WM_CACHE_ATOMIC) {
        wm_node_note_stall(node, WM_STALL_NONE, cycle);
        finish_atomic(node, packet, cycle);
    } else if (!look_up(node, packet, cycle)) {
        return false;
    }
    node->moves->seen = 0;
    return true;
}

// Replies wait for room, those too that are still to come from the atomic unit.
static bool has_room_for_reply(const struct wm_timed_node *node)
{
    return wm_packet_queue_count(&node->replies) + wm_packet_queue_count(&node->operating) <
           node->queue + node->reply_latency;
}

void wm_timed_node_may_retry(struct wm_timed_node *node)
{
    node->input.retries = true;
    if (__builtin_expect(node->copies != NULL, false))
        node->copies->input.retries = true;
}

// What the first request was stalled by lasts until something says that it may be over.
static bool may_look_up(const struct wm_timed_node *node)
{
    return node->input.stall == WM_STALL_NONE || node->input.retries;
}

// The first cycle in which the node's first request, `packet`, may be looked up: an atomic when
// its unit can begin it.
uint64_t wm_node_look_up_from(const struct wm_timed_node *node, const struct wm_packet *packet)
{
    uint64_t from = packet->when > node->next_look_up ? packet->when : node->next_look_up;
    if (packet->client == WM_CACHE_ATOMIC && node->atomics.free > from)
        from = node->atomics.free;
    return from;
}

// Prefetches, on the host, what the look-up of the first of those that wait will read.
static void host_prefetch_first(const struct wm_timed_node *node)
{
    const struct wm_packet *packet = wm_packet_queue_head(&node->input.packets);
    if (packet == NULL || node->level.timed.cache == NULL)
        return;
    uint64_t index_line, line = packet->address >> node->level.described->line_shift;
    wm_level_slice(node->level.described, line, &index_line);
    wm_timed_cache_host_prefetch(&node->level.timed, line, index_line);
}

const struct wm_packet *wm_timed_node_first(const struct wm_timed_node *node, uint64_t cycle)
{
    const struct wm_packet *packet = wm_packet_queue_head(&node->input.packets);
    bool may = packet != NULL && may_look_up(node) && wm_node_look_up_from(node, packet) <= cycle;
    return may ? packet : NULL;
}

bool wm_timed_node_look_up(struct wm_timed_node *node, uint64_t cycle)
{
    const struct wm_packet *packet = wm_packet_queue_head(&node->input.packets);
    if (__builtin_expect(node->free_count == 0, false) && !grow_waiting(node)) {
        node->island->failed = true;
        return false;
    }
    node->input.retries = false;
    if (node->input.needs_room && !wm_outbox_has_room(&node->out, cycle))
        return false;
    node->input.needs_room = false;
    if (!has_room_for_reply(node)) {
        wm_node_note_stall(node, WM_STALL_QUEUE, cycle);
        return false;
    }
    if (__builtin_expect(node->level.evictions != NULL, false) &&
        !wm_node_admits(node, packet, cycle)) {
        wm_node_note_stall(node, WM_STALL_QUEUE, cycle);
        return false;
    }
    if (!(node->moves == NULL ? look_up : look_up_buffered)(node, packet, cycle))
        return false;
    wm_packet_queue_pop(&node->input.packets);
    node->next_look_up = cycle + 1 + node->level.late; // an exchange with victims takes longer
    node->level.late = 0;
    host_prefetch_first(node);
    return true;
}

uint64_t wm_timed_node_next(const struct wm_timed_node *node)
{
    const struct wm_packet *packet = wm_packet_queue_head(&node->input.packets);
    uint64_t next =
        packet != NULL && may_look_up(node) ? wm_node_look_up_from(node, packet) : WM_NEVER;
    if (__builtin_expect(node->copies != NULL, false))
        next = wm_earlier(next, wm_node_next_crossing(node));
    packet = wm_packet_queue_head(&node->operating);
    return __builtin_expect(packet != NULL, false) ? wm_earlier(next, packet->when) : next;
}

// Sectors of a line whose home is another slice: the line takes its way now, for the first that
// waits, as when it missed. What has been written since is dropped at once.
static void fill_copy(struct wm_timed_node *node, uint64_t cycle, uint32_t entry, uint64_t line,
                      uint32_t sectors)
{
    struct wm_timed_level *level = &node->copies->level;
    static const struct wm_packet none = {.uncharged = true};
    const struct wm_mshr_entry *missed = &level->timed.mshr.entries[entry];
    const struct wm_packet *first =
        missed->own_count != 0 ? &node->waiting[missed->own[0].token] : &none;
    const struct wm_level_request request =
        wm_node_request_for(node, first, line << level->described->line_shift, first->sectors);
    struct wm_timed_access written = request.access;
    written.sectors = wm_node_take_stale(node, entry, sectors);
    wm_timed_level_fill(level, cycle, entry, line, request.access.index_line, sectors, 0,
                        &request.access.requester, &request, finish_waiting,
                        &(struct filling){node, cycle});
    if (written.sectors != 0)
        wm_node_drop_copy(node, &written);
}

static void fill(struct wm_timed_node *node, uint64_t cycle, uint32_t entry, uint64_t address,
                 uint32_t sectors, uint32_t dirty)
{
    const struct wm_cache_level *described = node->level.described;
    uint32_t within = (uint32_t)(address & (described->line_bytes - 1)) / WM_SECTOR_BYTES;
    uint64_t index_line, line = address >> described->line_shift;
    sectors <<= within;
    if (__builtin_expect(entry & WM_PREFETCH_TOKEN, false) &&
        !wm_timed_prefetcher_filled(&node->level, &entry, &sectors))
        return;
    if (__builtin_expect(node->copies != NULL, false) && wm_node_is_far(node, address)) {
        fill_copy(node, cycle, entry, line, sectors);
        return;
    }
    // Mostly its line was taken when it missed. What it displaces leaves for the first that waits.
    const struct wm_requester unattributed = {.sm = wm_first_unit_of(described, node->index)};
    static const struct wm_packet none = {.uncharged = true};
    const struct wm_mshr_entry *missed = &node->level.timed.mshr.entries[entry];
    const struct wm_packet *first =
        missed->own_count != 0 ? &node->waiting[missed->own[0].token] : &none;
    const struct wm_level_request on_behalf = {.charged = &node->island->unattributed,
                                               .out = &node->out,
                                               .explained = wm_node_cause_of(node, first),
                                               .uncharged = true};
    wm_level_slice(described, line, &index_line);
    wm_timed_level_fill(&node->level, cycle, entry, line, index_line, sectors, dirty << within,
                        &unattributed, &on_behalf, finish_waiting, &(struct filling){node, cycle});
}

void wm_timed_node_read(struct wm_timed_node *node, uint64_t cycle, uint64_t token,
                        uint64_t address, uint32_t sectors)
{
    node->served = WM_TO_MEMORY;
    wm_timed_node_may_retry(node);
    if (node->level.timed.cache != NULL)
        fill(node, cycle, (uint32_t)token, address, sectors, 0);
    else
        finish_waiting(&(struct filling){node, cycle}, token);
}

void wm_timed_node_reply(struct wm_timed_node *node, uint64_t cycle, const struct wm_packet *reply)
{
    if (__builtin_expect(reply->client == WM_PACKET_INVALIDATION, false)) {
        wm_timed_node_invalidate(node, cycle, reply);
        return;
    }
    node->served = reply->to;
    wm_timed_node_may_retry(node);
    if (reply->client == WM_CACHE_LOAD || reply->client == WM_PACKET_UPGRADE)
        fill(node, cycle, (uint32_t)reply->token, reply->address, reply->sectors,
             reply->full_sectors);
    else
        finish_waiting(&(struct filling){node, cycle}, reply->token);
}

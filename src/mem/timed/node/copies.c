#include "mem/timed/node/copies.h"

#include "base/containers/array.h"
#include "mem/cache/inline_access.h"
#include "mem/timed/node/node_parts.h"

#include <stdlib.h>

enum wm_status wm_node_copies_new(struct wm_timed_node *node, struct wm_error *error)
{
    struct wm_memory *memory = node->island->memory;
    uint32_t number = node->level.number, latency = memory->spec.levels[number].partition_latency;
    struct wm_node_copies *copies;
    WM_TRY(WM_ARRAY_NEW(node->copies, 1, error, "a memory partition"));
    copies = node->copies;
    copies->latency = latency > 1 ? latency : 1;
    copies->input.room = node->queue + copies->latency + node->latency;
    WM_TRY(wm_timed_level_init(&copies->level, memory, number, node->index, error));
    copies->level.timed.allocates_on_fill = true;
    copies->level.copies = true;
    copies->level.latency_below = 0;
    WM_TRY(wm_outbox_init(&copies->out, memory, node->island->topology, node->queue, error));
    WM_TRY(wm_packet_queue_init(&copies->input.packets, error));
    return wm_packet_queue_init(&copies->replies, error);
}

void wm_node_copies_free(struct wm_node_copies *copies)
{
    if (copies == NULL)
        return;
    wm_timed_level_release(&copies->level);
    wm_outbox_release(&copies->out);
    wm_packet_queue_release(&copies->input.packets);
    wm_packet_queue_release(&copies->replies);
    free(copies->stale);
    free(copies);
}

void wm_node_exchange_inputs(struct wm_timed_node *node)
{
    struct wm_node_input own = node->input;
    node->input = node->copies->input;
    node->copies->input = own;
}

// --- Between the slices ---

bool wm_node_take_crossing(struct wm_timed_node *node, uint64_t cycle,
                           const struct wm_packet *packet)
{
    struct wm_node_copies *copies = node->copies;
    if (wm_packet_queue_count(&copies->input.packets) == copies->input.room)
        return false;
    struct wm_packet *place = wm_packet_queue_place(&copies->input.packets);
    if (place == NULL) {
        node->island->failed = true;
        return false;
    }
    *place = *packet;
    // What passed the near slice has waited for the level's latency there, a load for its look-up.
    bool looks_up_again = packet->client == WM_CACHE_LOAD;
    place->when = cycle + copies->latency + (looks_up_again ? node->latency : 0);
    return true;
}

// It left its home's queue a cycle after the look-up that answered it.
void wm_node_take_reply(struct wm_timed_node *node, uint64_t cycle, const struct wm_packet *reply)
{
    struct wm_packet *place = wm_packet_queue_place(&node->copies->replies);
    if (place == NULL) {
        node->island->failed = true;
        return;
    }
    *place = *reply;
    place->when = cycle - 1 + node->copies->latency;
    wm_node_end_crossings(node, cycle);
}

void wm_node_end_crossings(struct wm_timed_node *node, uint64_t cycle)
{
    struct wm_packet_queue *replies = &node->copies->replies;
    const struct wm_packet *reply;
    while ((reply = wm_packet_queue_head(replies)) != NULL && reply->when <= cycle) {
        wm_timed_node_reply(node, cycle, reply);
        wm_packet_queue_pop(replies);
    }
}

uint64_t wm_node_next_crossing(const struct wm_timed_node *node)
{
    const struct wm_node_copies *copies = node->copies;
    const struct wm_packet *request = wm_packet_queue_head(&copies->input.packets),
                           *reply = wm_packet_queue_head(&copies->replies);
    bool may = request != NULL && (copies->input.stall == WM_STALL_NONE || copies->input.retries);
    uint64_t next = may ? wm_node_look_up_from(node, request) : WM_NEVER;
    return reply != NULL ? wm_earlier(next, reply->when) : next;
}

uint32_t wm_node_crossing_count(const struct wm_timed_node *node)
{
    const struct wm_node_copies *copies = node->copies;
    return copies == NULL
               ? 0
               : wm_packet_queue_count(&copies->input.packets) +
                     wm_packet_queue_count(&copies->replies) +
                     wm_packet_queue_count(&copies->out.packets) + copies->level.timed.mshr.used;
}

// --- Lines of other homes ---

bool wm_node_is_far(const struct wm_timed_node *node, uint64_t address)
{
    const struct wm_cache_level *level = node->level.described;
    uint64_t index_line;
    return wm_level_slice(level, address >> level->line_shift, &index_line) != node->index;
}

static struct wm_partition_counters *counters_of(const struct wm_timed_node *node)
{
    return &node->level.described->crossings[node->index];
}

static bool grow_stale(struct wm_node_copies *copies)
{
    uint32_t room = copies->level.timed.mshr.entry_room;
    if (!WM_ARRAY_RESIZE(copies->stale, room))
        return false;
    for (; copies->stale_room < room; copies->stale_room++)
        copies->stale[copies->stale_room] = 0;
    return true;
}

void wm_node_drop_copy(struct wm_timed_node *node, const struct wm_timed_access *write)
{
    struct wm_node_copies *copies = node->copies;
    struct wm_memory *memory = node->island->memory;
    const struct wm_mshr *mshr = &copies->level.timed.mshr;
    const struct wm_mshr_entry *entry = wm_mshr_find(mshr, write->line);
    wm_drop_copy(memory, &memory->levels[node->level.number], node->index, write->line,
                 write->index_line, write->sectors);
    if (entry == NULL)
        return;
    uint32_t index = wm_mshr_index(mshr, entry);
    if (index >= copies->stale_room && !grow_stale(copies))
        node->island->failed = true;
    else
        copies->stale[index] |=
            entry->pending & wm_cache_fetch_units(node->level.timed.cache, write->sectors);
}

uint32_t wm_node_take_stale(struct wm_timed_node *node, uint32_t entry, uint32_t sectors)
{
    struct wm_node_copies *copies = node->copies;
    if (entry >= copies->stale_room)
        return 0;
    uint32_t stale = copies->stale[entry] & sectors;
    copies->stale[entry] &= ~stale;
    return stale;
}

// What changes bytes is done at home, and a copy here is stale.
static bool pass_to_home(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle)
{
    struct wm_node_copies *copies = node->copies;
    struct wm_cache_counters *counters = &node->level.timed.cache->counters;
    bool atomic = packet->client == WM_CACHE_ATOMIC,
         has_room = wm_outbox_has_room(&copies->out, cycle);
    uint64_t bytes = wm_sector_bytes(packet->sectors);
    wm_node_note_stall(node, has_room ? WM_STALL_NONE : WM_STALL_QUEUE, cycle);
    if (!has_room)
        return false;
    const struct wm_level_request request =
        wm_node_request_for(node, packet, packet->address, packet->sectors);
    const struct wm_timed_access *access = &request.access;
    wm_node_drop_copy(node, access);
    counters->bytes_from_above += bytes;
    counters->bytes_to_above += atomic && !packet->reduces ? bytes : 0;
    counters_of(node)->writes++;
    counters_of(node)->bytes_written += bytes;
    uint32_t packets = wm_outbox_send(&copies->out, cycle, &access->requester,
                                      &(struct wm_sending){.charged = request.charged,
                                                           .to = node->level.described,
                                                           .from = node->level.number,
                                                           .address = packet->address,
                                                           .sectors = packet->sectors,
                                                           .full_sectors = packet->full_sectors,
                                                           .client = access->client,
                                                           .replies = packet->replies || atomic,
                                                           .no_allocate = packet->no_allocate,
                                                           .reduces = packet->reduces,
                                                           .uncharged = packet->uncharged,
                                                           .token = access->token,
                                                           .least_rounds = packet->rounds});
    if (packet->replies || atomic)
        wm_node_wait_for(node, packet, packets);
    return true;
}

// Its MSHR counts as the node's.
static void add_counters(struct wm_timed_node *node)
{
    struct wm_timed_cache_counters *to = &node->level.timed.counters,
                                   *from = &node->copies->level.timed.counters;
    to->pending_hits += from->pending_hits;
    to->mshr_lines += from->mshr_lines;
    from->pending_hits = from->mshr_lines = 0;
}

static bool load_copy(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle)
{
    struct wm_node_copies *copies = node->copies;
    struct wm_level_request request =
        wm_node_request_for(node, packet, packet->address, packet->sectors);
    struct wm_level_outcome outcome;
    request.out = &copies->out;
    copies->out.block = node->out.block;
    enum wm_stall stall = wm_timed_level_look_up(&copies->level, cycle, &request, &outcome);
    wm_node_note_stall(node, stall, cycle);
    if (stall != WM_STALL_NONE)
        return false;
    add_counters(node);
    struct wm_partition_counters *counters = counters_of(node);
    counters->loads++;
    counters->load_sectors += wm_count_sectors(request.access.sectors);
    counters->load_hits += wm_count_sectors(request.access.sectors & ~outcome.missing);
    counters->reads += outcome.fetched != 0;
    counters->bytes_read += wm_sector_bytes(outcome.fetched);
    if (outcome.waits == 0)
        wm_node_reply(node, packet, cycle);
    else
        wm_node_wait_for(node, packet, 1);
    return true;
}

bool wm_node_look_up_far(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle)
{
    return packet->client == WM_CACHE_LOAD ? load_copy(node, packet, cycle)
                                           : pass_to_home(node, packet, cycle);
}

// What a node does about copies above it (docs/memory-system.md, R9; docs/engine-clock.md): a line
// that leaves an inclusive cache waits in its eviction buffer until each cache above that may hold
// it has dropped it and said so. An invalidation goes up as replies do, behind them, and each cache
// on its way hands it on to those above; each acknowledges by itself. How many will is known to
// none of them: an invalidation stands for a part of the whole, which is shared out among what it
// is handed on as, and all is done when the parts have come back (S.-T. Huang, "Detecting
// termination of distributed computations by external agents", ICDCS 1989).
#include "mem/cache/inline_access.h"
#include "mem/cache/pins.h"
#include "mem/explain/explain.h"
#include "mem/system/relations.h"
#include "mem/timed/level/relations.h"
#include "mem/timed/node/node_parts.h"

#include <stdlib.h>

// Of each invalidation of a line. Levels are few and units some hundreds at most.
enum { WHOLE = 1 << 26 };

// --- Building ---

static bool is_level_above(const struct wm_timed_node *node, uint32_t level)
{
    const struct wm_memory *memory = node->island->memory;
    return memory->levels[level].caches != NULL &&
           memory->levels[level].below == node->level.described &&
           memory->spec.levels[level].place != WM_PLACE_CPU;
}

static bool is_node(const struct wm_timed_node *node, uint32_t level)
{
    const struct wm_memory_spec *spec = &node->island->memory->spec;
    return wm_timed_is_below(spec, level) || wm_timed_is_between(spec, level);
}

// Units whose accesses come to it.
static void units_of(const struct wm_timed_node *node, uint32_t *first, uint32_t *count)
{
    const struct wm_cache_level *level = node->level.described;
    uint32_t sms = node->island->memory->spec.sm_count;
    bool all = node->island->topology->is_below[node->level.number];
    *first = all ? 0 : wm_first_unit_of(level, node->index);
    *count = all || level->units_each > sms - *first ? sms - *first : level->units_each;
}

// The bit of a unit among those that may hold a line.
static uint64_t bit_of(const struct wm_timed_node *node, uint32_t sm)
{
    uint32_t first, count;
    units_of(node, &first, &count);
    uint32_t bit = count <= 64 ? sm - first : (uint32_t)((uint64_t)(sm - first) * 64 / count);
    return UINT64_C(1) << bit;
}

enum wm_status wm_node_evictions_init(struct wm_timed_node *node, struct wm_error *error)
{
    uint32_t above = 0;
    struct wm_timed_level *level = &node->level;
    if (level->described->inclusion != WM_INCLUSIVE)
        return WM_OK;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        above += is_level_above(node, i);
    if (above == 0)
        return WM_OK;
    level->evictions = calloc(1, sizeof *level->evictions);
    if (level->evictions == NULL)
        return wm_fail_no_memory(error, "an inclusive cache");
    WM_TRY(wm_evictions_init(level->evictions, level->timed.cache, node->queue, error));
    level->evictions->knows_none = level->described->takes_uncached_only;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        level->evictions->has_others |=
            is_level_above(node, i) && node->island->topology->is_below[i];
    return WM_OK;
}

// --- Invalidations ---

// Those of one line, or of a part of it, that a node sends: as `model`, but for where they go.
struct invalidations {
    struct wm_timed_node *node;
    const struct wm_packet *model;
    uint64_t holders;
    uint32_t part;  // that each stands for; 0: they are only counted
    uint32_t count; // so far
};

static void send_to(struct invalidations *of, uint32_t from, uint32_t sm, uint64_t address,
                    uint32_t sectors)
{
    of->count++;
    if (of->part == 0)
        return;
    struct wm_packet *packet = wm_packet_queue_place(&of->node->replies);
    if (packet == NULL) {
        of->node->island->failed = true;
        return;
    }
    *packet = *of->model;
    packet->address = address;
    packet->sectors = sectors;
    packet->full_sectors = of->part;
    packet->from = (uint8_t)from;
    packet->sm = (uint16_t)sm;
}

// To the caches of a level that is not a unit's: each line of it to the one that has it.
static void send_to_level(struct invalidations *of, uint32_t number, uint32_t sm)
{
    const struct wm_cache_level *level = &of->node->island->memory->levels[number];
    uint64_t address = of->model->address;
    uint32_t rest = of->model->sectors;
    while (rest != 0) {
        uint32_t skipped = (uint32_t)__builtin_ctz(rest);
        uint64_t first = address + (uint64_t)skipped * WM_SECTOR_BYTES;
        uint32_t left =
            (uint32_t)(level->line_bytes - (first & (level->line_bytes - 1))) / WM_SECTOR_BYTES;
        uint32_t sectors = rest >> skipped;
        sectors &= left >= 32 ? UINT32_MAX : (UINT32_C(1) << left) - 1;
        send_to(of, number, sm, first, sectors);
        rest &= ~(sectors << skipped);
    }
}

static void send_to_all(struct invalidations *of)
{
    struct wm_timed_node *node = of->node;
    const struct wm_timed_topology *topology = node->island->topology;
    uint32_t first, count;
    bool units = false;
    units_of(node, &first, &count);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        if (!is_level_above(node, i))
            continue;
        units |= !is_node(node, i);
        if (topology->is_below[i])
            send_to_level(of, i, of->model->sm);
        for (uint32_t sm = first; is_node(node, i) && !topology->is_below[i] && sm < first + count;
             sm++)
            if ((of->holders & bit_of(node, sm)) != 0)
                send_to_level(of, i, sm);
    }
    for (uint32_t sm = first; units && sm < first + count; sm++)
        if ((of->holders & bit_of(node, sm)) != 0)
            send_to(of, WM_OF_UNIT, sm, of->model->address, of->model->sectors);
}

// What crosses the network is acknowledged where it came from.
static uint16_t receiver_of(const struct wm_timed_node *node, uint16_t before)
{
    uint16_t first = node->island->topology->receiver[node->level.number];
    return first != WM_NO_RECEIVER ? (uint16_t)(first + node->index) : before;
}

// How many there are.
static uint32_t count_of(struct invalidations *of)
{
    of->part = of->count = 0;
    send_to_all(of);
    return of->count;
}

// --- The end of an eviction ---

// No copy is left: what is dirty of the line goes below.
static void finish(struct wm_timed_node *node, struct wm_eviction *eviction, uint64_t cycle)
{
    struct wm_timed_level *level = &node->level;
    struct wm_cache *cache = level->timed.cache;
    uint64_t address = eviction->line << level->described->line_shift;
    struct wm_level_request request = wm_node_request_for(node, &eviction->cause, address, 0);
    struct wm_level_outcome outcome;
    if (eviction->is_write) {
        cache->counters.write_backs += eviction->came != 0;
        eviction->forward |= eviction->came;
        request.access.full_sectors = eviction->full_sectors | eviction->came;
        if (request.access.client != WM_CACHE_STORE && request.access.client != WM_CACHE_ATOMIC)
            request.access.client = WM_CACHE_WRITEBACK;
        request.takes_over = 0;
        if (eviction->forward != 0)
            wm_timed_level_forward(level, cycle, &request, eviction->forward, &outcome);
    } else {
        struct wm_cache_victim victim = {.line = eviction->line, .dirty = eviction->dirty};
        wm_merge_dirty(cache, &victim.dirty, eviction->came);
        victim.valid = eviction->valid | victim.dirty;
        wm_timed_level_send_down(level, cycle, cache, &request, &request.access.requester, &victim);
    }
    eviction->is_used = false;
    level->evictions->used--;
    node->input.retries = true;
}

// A line has come into the buffer on account of `cause`.
static void begin(struct wm_timed_node *node, const struct wm_packet *cause, uint64_t cycle)
{
    struct wm_evictions *evictions = node->level.evictions;
    struct wm_eviction *eviction = &evictions->lines[evictions->opened];
    struct wm_packet model = *cause;
    model.address = eviction->line << node->level.described->line_shift;
    model.sectors = node->level.timed.cache->all_sectors;
    model.client = WM_PACKET_INVALIDATION;
    model.when = cycle + 1;
    model.token = evictions->opened;
    model.to = node->level.number;
    model.receiver = receiver_of(node, WM_NO_RECEIVER);
    model.flits = wm_packet_flits(node->out.flit_bytes, 0);
    model.to_sm = model.walks = model.supplied = false;
    struct invalidations sent = {node, &model, eviction->holders, 0, 0};
    eviction->cause = *cause;
    eviction->awaited = (uint64_t)count_of(&sent) * WHOLE;
    sent.part = WHOLE;
    send_to_all(&sent);
    evictions->opened = WM_NO_EVICTION;
    if (eviction->awaited == 0)
        finish(node, eviction, cycle);
}

void wm_node_settle_evictions(struct wm_timed_node *node, const struct wm_packet *cause,
                              uint64_t cycle)
{
    node->island->failed |= node->level.evictions->failed;
    if (node->level.evictions->opened != WM_NO_EVICTION)
        begin(node, cause, cycle);
}

// What was dirty of a copy that came to a cache above when the line had left.
static void write_late(struct wm_timed_node *node, uint64_t cycle, const struct wm_packet *packet,
                       uint32_t dirty)
{
    struct wm_cache *cache = node->level.timed.cache;
    struct wm_level_request request = wm_node_request_for(node, packet, packet->address, 0);
    const struct wm_cache_victim left = {
        .line = request.access.line, .dirty = dirty, .valid = dirty};
    if (dirty == 0)
        return;
    cache->counters.bytes_from_above += wm_sector_bytes(dirty);
    request.charged->levels[node->level.number].bytes += wm_sector_bytes(dirty);
    cache->counters.write_backs++;
    wm_timed_level_send_down(&node->level, cycle, cache, &request, &request.access.requester,
                             &left);
}

void wm_timed_node_acknowledge(struct wm_timed_node *node, uint64_t cycle,
                               const struct wm_packet *packet)
{
    uint32_t within = (uint32_t)(packet->address & (node->level.described->line_bytes - 1));
    uint64_t bytes = wm_sector_bytes(packet->sectors);
    if (packet->token == WM_NO_TOKEN) {
        write_late(node, cycle, packet, packet->sectors << within / WM_SECTOR_BYTES);
        return;
    }
    struct wm_eviction *eviction = &node->level.evictions->lines[packet->token];
    eviction->came |= packet->sectors << within / WM_SECTOR_BYTES;
    node->level.timed.cache->counters.bytes_from_above += bytes;
    wm_node_charged_for(node, &eviction->cause)->levels[node->level.number].bytes += bytes;
    eviction->awaited -= packet->full_sectors;
    if (eviction->awaited == 0)
        finish(node, eviction, cycle);
}

// --- What is below this one evicts ---

// Requests that wait, and have got some of these sectors already.
static void note_outdated(struct wm_timed_node *node, const struct wm_packet *packet)
{
    uint64_t end = packet->address + 32 * WM_SECTOR_BYTES;
    for (uint32_t i = 0; i < node->waiting_room; i++) {
        const struct wm_packet *at = &node->waiting[i];
        if (node->parts[i] == 0 || at->client != WM_CACHE_LOAD || at->from == WM_OF_UNIT ||
            at->address >= end || at->address + 32 * WM_SECTOR_BYTES <= packet->address)
            continue;
        uint64_t apart = at->address > packet->address ? at->address - packet->address
                                                       : packet->address - at->address;
        uint32_t shift = (uint32_t)(apart / WM_SECTOR_BYTES);
        uint32_t dropped =
            at->address > packet->address ? packet->sectors >> shift : packet->sectors << shift;
        if ((dropped & at->sectors) != 0)
            node->parts[i] |= WM_NODE_OUTDATED;
    }
}

// The first inclusive level below, whose lines those of the request lie in.
static const struct wm_cache_level *inclusive_below(const struct wm_timed_node *node)
{
    const struct wm_cache_level *at = node->level.described->below;
    while (at->inclusion != WM_INCLUSIVE)
        at = at->below;
    return at;
}

// The receiver of what an SM sends to a level below the network, or below the first one there.
static uint16_t receiver_below(const struct wm_timed_node *node, uint64_t address)
{
    const struct wm_timed_topology *topology = node->island->topology;
    const struct wm_cache_level *at = node->level.described;
    uint64_t index_line;
    while (at != NULL && !topology->is_below[at->number])
        at = at->below;
    return at == NULL ? WM_NO_RECEIVER
                      : (uint16_t)(topology->receiver[at->number] +
                                   wm_level_slice(at, address >> at->line_shift, &index_line));
}

void wm_node_invalidate_behind(struct wm_timed_node *node, const struct wm_packet *request,
                               uint64_t cycle)
{
    const struct wm_cache_level *inclusive = inclusive_below(node);
    uint32_t part = inclusive->line_sectors >= 32 ? 32 : inclusive->line_sectors;
    uint32_t within = (uint32_t)(request->address & (inclusive->line_bytes - 1)) / WM_SECTOR_BYTES;
    struct wm_packet model = *request;
    model.client = WM_PACKET_INVALIDATION;
    model.when = cycle + 1;
    model.token = WM_NO_TOKEN;
    model.to = (uint8_t)inclusive->number;
    model.flits = wm_packet_flits(node->out.flit_bytes, 0);
    for (uint32_t at = 0; at < 32; at += part - within, within = 0) {
        uint32_t sectors = request->sectors >> at;
        if (part - within < 32)
            sectors &= (UINT32_C(1) << (part - within)) - 1;
        if (sectors == 0)
            continue;
        model.address = request->address + (uint64_t)at * WM_SECTOR_BYTES;
        model.receiver = receiver_below(node, model.address);
        struct invalidations sent = {node, &model, 0, WHOLE, 0};
        send_to(&sent, request->from < WM_LEVEL_L2 ? WM_OF_UNIT : request->from, request->sm,
                model.address, sectors);
    }
}

void wm_timed_node_invalidate(struct wm_timed_node *node, uint64_t cycle,
                              const struct wm_packet *packet)
{
    struct wm_packet model = *packet;
    model.when = cycle + 1;
    model.receiver = receiver_of(node, packet->receiver);
    // What is not held here may have left, and be held above.
    struct invalidations sent = {node, &model, UINT64_MAX, 0, 0};
    uint32_t dirty = wm_timed_level_invalidate(&node->level, packet->address, packet->sectors,
                                               wm_node_cause_of(node, packet));
    node->input.retries = true; // ways may be free
    note_outdated(node, packet);
    uint32_t count = count_of(&sent), part = packet->full_sectors / (count + 1);
    sent.part = part;
    send_to_all(&sent);
    wm_outbox_acknowledge(&node->out, cycle + node->latency, packet, dirty,
                          packet->full_sectors - count * part);
}

// --- Requests that have to do with it ---

// An atomic passes: the copy here goes, and those above.
static void drop_for_atomic(struct wm_timed_node *node, const struct wm_level_request *request)
{
    struct wm_cache *cache = node->level.timed.cache;
    const struct wm_timed_access *access = &request->access;
    struct wm_evictions *evictions = node->level.evictions;
    uint64_t copies = evictions->knows_none ? UINT64_MAX : evictions->held_by;
    if (wm_cache_find(cache, access->line, access->index_line) < 0 ||
        (copies == 0 && !evictions->has_others))
        return;
    struct wm_eviction *eviction = wm_evictions_open(evictions, access->line, copies);
    if (eviction == NULL)
        return;
    struct wm_cache_line held = {0};
    wm_cache_extract_line(cache, access->line, access->index_line, &held);
    cache->counters.invalidations++;
    cache->counters.write_backs += held.dirty != 0;
    eviction->valid = held.valid;
    eviction->dirty = held.dirty;
    if (request->explained != NULL)
        wm_explain_drop(node->island->memory, cache, access->line);
}

// Whether the packet's sender has a copy of what the node has then.
static bool takes_copy(const struct wm_packet *packet)
{
    bool fetches = packet->client == WM_CACHE_LOAD && packet->from != WM_OF_UNIT;
    return packet->takes_over || (fetches && !packet->no_allocate);
}

bool wm_node_admits(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle)
{
    struct wm_evictions *evictions = node->level.evictions;
    const struct wm_level_request request =
        wm_node_request_for(node, packet, packet->address, packet->sectors);
    const struct wm_timed_access *access = &request.access;
    if (wm_evictions_stall(evictions, access->line))
        return false;
    wm_evictions_begin(evictions, node->level.timed.cache, access->line, access->index_line, packet,
                       takes_copy(packet) ? bit_of(node, packet->sm) : 0);
    if (packet->client != WM_CACHE_ATOMIC || !node->level.described->passes_atomics)
        return true;
    if (!wm_timed_level_may_pass(&node->level, access->line))
        return false;
    drop_for_atomic(node, &request);
    bool drops = evictions->opened != WM_NO_EVICTION;
    wm_node_settle_evictions(node, packet, cycle);
    return !drops;
}

void wm_node_note_reply(struct wm_timed_node *node, const struct wm_packet *request, uint64_t cycle)
{
    if (request->client != WM_CACHE_LOAD || !takes_copy(request))
        return;
    const struct wm_level_request sent =
        wm_node_request_for(node, request, request->address, request->sectors);
    const struct wm_timed_access *access = &sent.access;
    uint64_t bit = bit_of(node, request->sm);
    if (wm_evictions_add_holder(node->level.evictions, node->level.timed.cache, access->line,
                                access->index_line, bit))
        return;
    // The cache did not take it, or has lost it: what has been sent goes with it.
    struct wm_eviction *eviction = wm_evictions_open(node->level.evictions, access->line, bit);
    if (eviction != NULL)
        eviction->is_write = true;
    wm_node_settle_evictions(node, request, cycle);
}

// The line comes to be here, with no sector.
static enum wm_stall allocate(struct wm_timed_node *node, const struct wm_packet *packet,
                              const struct wm_level_request *request, uint64_t cycle)
{
    const struct wm_timed_access *access = &request->access;
    struct wm_evictions *evictions = node->level.evictions;
    struct wm_cache *cache = node->level.timed.cache;
    uint32_t set = wm_cache_set_of(cache, access->index_line);
    bool is_lost = evictions->lost_line == access->line && evictions->lost_by == evictions->sender;
    struct wm_timed_result result = {0};
    if (is_lost && --evictions->lost_count == 0)
        evictions->lost_line = WM_CACHE_EMPTY;
    if (is_lost)
        return WM_STALL_NONE;
    if (wm_cache_find_in_set(cache, set, access->line) < 0) {
        if (wm_cache_has_no_victim(cache, set, access->line, &access->requester))
            return WM_STALL_WAY;
        wm_cache_insert_line(cache, access->line, access->index_line, (struct wm_cache_line){0},
                             false, &access->requester, &result.victim);
        const struct wm_request *explained = wm_node_cause_of(node, packet);
        if (explained != NULL && result.victim.evicted)
            wm_explain_evicted(node->island->memory, cache, result.victim.line, explained);
    }
    wm_evictions_end(evictions, cache, access, result.victim.refused, &result);
    wm_timed_level_send_down(&node->level, cycle, cache, request, &access->requester,
                             &result.victim);
    return WM_STALL_NONE;
}

enum wm_stall wm_node_upgrade(struct wm_timed_node *node, uint64_t cycle,
                              const struct wm_packet *packet, struct wm_level_request *request)
{
    const struct wm_timed_access *access = &request->access;
    enum wm_stall stall = WM_STALL_NONE;
    if (!packet->takes_over) { // of the cache right above, which this one excludes
        wm_cache_invalidate(node->level.timed.cache, access->line, access->index_line,
                            access->sectors);
        return WM_STALL_NONE;
    }
    if (!wm_outbox_has_room(&node->out, cycle))
        return WM_STALL_QUEUE;
    bool is_held = true;
    if (node->level.evictions != NULL) { // what this level does not take, none above keeps
        stall = allocate(node, packet, request, cycle);
        is_held = wm_cache_find(node->level.timed.cache, access->line, access->index_line) >= 0;
    }
    if (stall == WM_STALL_NONE && is_held && node->level.upgrades)
        wm_timed_level_upgrade_below(&node->level, cycle, request, packet->address,
                                     packet->sectors);
    return stall;
}

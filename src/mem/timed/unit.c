#include "mem/timed/unit.h"

#include "mem/bypass/bypass.h"
#include "mem/cache/inline_access.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/system/relations.h"
#include "mem/system/requester.h"
#include "mem/timed/level/prefetch.h"

#include <assert.h>
#include <stdlib.h>

enum wm_status wm_timed_unit_init(struct wm_timed_unit *unit, struct wm_memory *memory,
                                  const struct wm_timed_topology *topology, uint32_t number,
                                  struct wm_error *error)
{
    bool core = wm_is_core(&memory->spec, number);
    uint32_t first = core ? wm_level_first(&memory->spec, number, WM_SERVES_DATA) : WM_LEVEL_L1;
    const struct wm_cache_timing *timing = &memory->spec.levels[first].timing;
    *unit = (struct wm_timed_unit){.memory = memory,
                                   .number = number,
                                   .first = (uint8_t)first,
                                   .latency = timing->latency,
                                   .passes = 1};
    unit->translation.out = &unit->out;
    wm_random_init(&unit->pauses, number, "pauses");
    wm_byte_mask_pool_init(&unit->written, memory->request_bytes / WM_SECTOR_BYTES);
    WM_TRY(wm_outbox_init(&unit->out, memory, topology, timing->queue, error));
    unit->out.gpu = wm_gpu_of_unit(memory, number);
    for (uint32_t i = WM_LEVEL_L2; i < WM_MOST_LEVELS; i++)
        if (topology->is_below[i] && memory->levels[i].caches->bytes != NULL)
            unit->out.written = &unit->written;
    return WM_OK;
}

void wm_timed_unit_release(struct wm_timed_unit *unit)
{
    wm_outbox_release(&unit->out);
    wm_packet_queue_release(&unit->refused);
    wm_byte_mask_pool_release(&unit->written);
    free(unit->translation.own.walks);
}

// A load's request was served, `looked_up` in L1 or around it, and `missed` bytes there.
static void note_load(struct wm_timed_unit *unit, const struct wm_request *request, bool looked_up,
                      bool missed)
{
    if (unit->l1 == NULL)
        return;
    struct wm_cache *cache = unit->l1->timed.cache;
    struct wm_divergence_aware *aware = wm_divergence_of(cache);
    assert(request->lines != 0);
    if (request->lines == 1 && aware == NULL) {
        if (looked_up)
            wm_load_misses_count(&cache->counters.load_miss_counts, 1, missed);
        return;
    }
    if (unit->load.left == 0) {
        unit->load.left = request->lines;
        unit->load.looked_up = unit->load.missed = 0;
    }
    unit->load.looked_up += looked_up;
    unit->load.missed += missed;
    if (aware != NULL && looked_up)
        wm_divergence_watch(aware, request->pc, request->warp, request->rank, request->lines,
                            request->address >> cache->line_shift, missed);
    if (--unit->load.left != 0 || unit->load.looked_up != request->lines)
        return;
    wm_load_misses_count(&cache->counters.load_miss_counts, request->lines, unit->load.missed);
    if (aware != NULL)
        wm_divergence_served(aware, request->rank, request->lines, unit->load.missed);
}

// --- Requests ---

static inline struct wm_level_request request_for(struct wm_timed_unit *unit,
                                                  const struct wm_timed_level *level,
                                                  const struct wm_request *request)
{
    bool explained = __builtin_expect(unit->out.blocks != NULL, false);
    struct wm_level_request made = {.access = {.sectors = request->sectors,
                                               .full_sectors = request->full_sectors,
                                               .client = WM_CACHE_LOAD,
                                               .requester = wm_requester_of(request)},
                                    .charged = request->instruction_counters,
                                    .out = &unit->out,
                                    .explained = explained ? request : NULL};
    if (level != NULL)
        made.access.line = made.access.index_line =
            request->address >> level->described->line_shift;
    return made;
}

// --- Past L1 ---

// A load, store or atomic that is served below L1, whether or not there is one.
static enum wm_stall pass(struct wm_timed_unit *unit, uint64_t cycle,
                          const struct wm_request *request, uint64_t token, uint32_t *waits)
{
    bool load = request->kind == WM_ACCESS_LOAD, store = request->kind == WM_ACCESS_STORE;
    if (!wm_outbox_has_room(&unit->out, cycle))
        return WM_STALL_QUEUE;
    const struct wm_level_request passing = request_for(unit, unit->l1, request);
    const struct wm_cache_level *first = &unit->memory->levels[unit->first];
    if (unit->l1 != NULL && !wm_timed_level_may_pass(unit->l1, passing.access.line))
        return WM_STALL_MERGE;
    if (unit->l1 != NULL)
        wm_timed_level_pass(unit->l1, cycle, &passing);
    struct wm_sending sending = {.charged = request->instruction_counters,
                                 .to = first->below,
                                 .from = WM_OF_UNIT,
                                 .address = request->address,
                                 .sectors = request->sectors,
                                 .client = load    ? WM_CACHE_LOAD
                                           : store ? WM_CACHE_STORE
                                                   : WM_CACHE_ATOMIC,
                                 .latency =
                                     unit->l1 != NULL ? unit->l1->latency_below : unit->latency,
                                 .replies = !store || unit->memory->spec.interconnect.store_replies,
                                 .reduces = request->kind == WM_ACCESS_REDUCTION,
                                 .token = token,
                                 .rounds = unit->rounds};
    if (store) {
        sending.full_sectors = request->full_sectors;
        sending.bytes = request->bytes;
    }
    uint32_t packets = wm_outbox_send(&unit->out, cycle, &passing.access.requester, &sending);
    *waits = sending.replies ? packets : 0;
    if (load)
        note_load(unit, request, false, true);
    return WM_STALL_NONE;
}

// --- Of a cache ---

// Of units that share a cache, those of lower numbers come first in a cycle.
static bool has_port(struct wm_timed_level *level, uint64_t cycle)
{
    if (level->port_cycle != cycle)
        level->port_uses = 0;
    level->port_cycle = cycle;
    level->banks_ready = cycle + 1;
    return level->port_uses < level->ports;
}

static enum wm_stall look_up(struct wm_timed_unit *unit, struct wm_timed_level *level,
                             uint64_t cycle, const struct wm_request *request, uint64_t token,
                             bool allocate, struct wm_level_outcome *outcome)
{
    bool load = request->kind == WM_ACCESS_LOAD;
    const struct wm_write_mask written = {.address = request->address, .words = request->bytes};
    struct wm_level_request looked_up = request_for(unit, level, request);
    looked_up.access.token = token;
    looked_up.access.client = load ? WM_CACHE_LOAD : WM_CACHE_STORE;
    looked_up.access.allocate = allocate && (load || level->timed.cache->write_allocate);
    looked_up.access.written = &written;
    looked_up.store_replies = unit->memory->spec.interconnect.store_replies;
    enum wm_stall stall = WM_STALL_BANK;
    if (has_port(level, cycle))
        stall = wm_timed_level_look_up(level, cycle, &looked_up, outcome);
    level->port_uses += stall == WM_STALL_NONE;
    unit->out.failed |= level->timed.mshr.failed;
    unit->served_latency = level->latency;
    unit->banks_ready = level->banks_ready;
    unit->passes = level->passes;
    unit->late = level->late;
    level->late = 0;
    return stall;
}

static enum wm_stall look_up_in_l1(struct wm_timed_unit *unit, uint64_t cycle,
                                   const struct wm_request *request, uint64_t token, bool allocate,
                                   uint32_t *waits, uint32_t *missing)
{
    struct wm_level_outcome outcome;
    enum wm_stall stall = look_up(unit, unit->l1, cycle, request, token, allocate, &outcome);
    if (stall != WM_STALL_NONE)
        return stall;
    *waits = outcome.waits;
    *missing = outcome.missing;
    if (request->kind == WM_ACCESS_LOAD)
        note_load(unit, request, true, outcome.from_below);
    return WM_STALL_NONE;
}

// A load or a store as the machine's bypass entry decides, whose hook `served` then gets the
// outcome.
static enum wm_stall access_by_bypass_policy(struct wm_timed_unit *unit, uint64_t cycle,
                                             const struct wm_request *request, uint64_t token,
                                             uint32_t *waits)
{
    struct wm_memory *memory = unit->memory;
    struct wm_cache *cache = unit->l1->timed.cache;
    const struct wm_bypass_event event = wm_memory_bypass_event(request, cache->line_shift);
    enum wm_bypass_decision decision = wm_memory_bypass_decide(memory, &event);
    if (decision == WM_BYPASS_LOOKUP)
        return pass(unit, cycle, request, token, waits);
    uint32_t missing = 0;
    enum wm_stall stall = look_up_in_l1(unit, cycle, request, token,
                                        decision != WM_BYPASS_ALLOCATION, waits, &missing);
    if (stall == WM_STALL_NONE && memory->bypass->served != NULL)
        memory->bypass->served(wm_memory_bypass_state(memory, cache), &event, missing);
    return stall;
}

enum wm_stall wm_timed_unit_access(struct wm_timed_unit *unit, uint64_t cycle,
                                   const struct wm_request *request, uint64_t token,
                                   uint32_t *waits)
{
    *waits = 0;
    unit->passes = 1;
    unit->late = 0;
    unit->served_latency = unit->latency;
    if (wm_timed_unit_passes_l1(unit, request->kind, request->hint, request->around_l1))
        return pass(unit, cycle, request, token, waits);
    if (unit->memory->bypass != NULL && unit->first == WM_LEVEL_L1)
        return access_by_bypass_policy(unit, cycle, request, token, waits);
    enum wm_bypass_decision decision = wm_bypass_by_operator(request->hint);
    if (decision == WM_BYPASS_LOOKUP)
        return pass(unit, cycle, request, token, waits);
    uint32_t missing;
    return look_up_in_l1(unit, cycle, request, token, decision != WM_BYPASS_ALLOCATION, waits,
                         &missing);
}

enum wm_stall wm_timed_unit_side_load(struct wm_timed_unit *unit, uint64_t cycle,
                                      enum wm_side_cache_kind kind,
                                      const struct wm_request *request, uint64_t token,
                                      uint32_t *waits)
{
    struct wm_level_outcome outcome;
    enum wm_stall stall = look_up(unit, unit->sides[kind], cycle, request, token, true, &outcome);
    *waits = outcome.waits;
    return stall;
}

void wm_timed_unit_joined(struct wm_timed_unit *unit, struct wm_timed_level *level,
                          const struct wm_request *request)
{
    bool load = request->kind == WM_ACCESS_LOAD;
    struct wm_cache_counters *counters = &level->timed.cache->counters;
    *(load ? &counters->bytes_to_above : &counters->bytes_from_above) +=
        wm_sector_bytes(request->sectors);
    if (load && level == unit->l1)
        note_load(unit, request, false, false);
}

// --- Replies, and what others want ---

void wm_timed_unit_host_prefetch(const struct wm_timed_unit *unit, uint64_t address)
{
    if (unit->l1 == NULL)
        return;
    uint64_t line = address >> unit->l1->timed.cache->line_shift;
    wm_timed_cache_host_prefetch(&unit->l1->timed, line, line);
}

void wm_timed_unit_host_prefetch_reply(const struct wm_timed_unit *unit,
                                       const struct wm_packet *reply)
{
    if (reply->from != unit->first)
        return;
    __builtin_prefetch(&unit->l1->timed.mshr.entries[reply->token], 1);
    wm_timed_unit_host_prefetch(unit, reply->address);
}

void wm_timed_unit_reply(struct wm_timed_unit *unit, uint64_t cycle, const struct wm_packet *reply,
                         void (*done)(void *context, uint64_t token), void *context)
{
    if (__builtin_expect(reply->walks, false)) {
        wm_timed_walk_on(&unit->translation, cycle, reply);
        return;
    }
    if (reply->from == WM_OF_UNIT) {
        done(context, reply->token);
        return;
    }
    struct wm_timed_level *level =
        reply->from == unit->first ? unit->l1 : unit->sides[reply->from - WM_LEVEL_SIDE];
    const struct wm_cache_level *described = level->described;
    uint64_t line = reply->address >> described->line_shift;
    uint64_t within = (reply->address & (described->line_bytes - 1)) / WM_SECTOR_BYTES;
    uint32_t entry = (uint32_t)reply->token, sectors = reply->sectors << within;
    if (__builtin_expect(entry & WM_PREFETCH_TOKEN, false) &&
        !wm_timed_prefetcher_filled(level, &entry, &sectors))
        return;
    const struct wm_requester who = {.sm = unit->number,
                                     .warp = reply->warp,
                                     .pc = reply->pc,
                                     .hint = (enum wm_cache_hint)reply->hint};
    struct wm_request cause = {
        .pc = reply->pc, .warp = reply->warp, .instruction_counters = &unit->unattributed};
    if (__builtin_expect(unit->out.blocks != NULL, false))
        cause.block = unit->out.blocks[reply->warp];
    const struct wm_level_request on_behalf = {.charged = &unit->unattributed,
                                               .out = &unit->out,
                                               .explained =
                                                   unit->out.blocks != NULL ? &cause : NULL};
    wm_timed_level_fill(level, cycle, entry, line, line, sectors, reply->full_sectors << within,
                        &who, &on_behalf, done, context);
    unit->out.failed |= level->timed.mshr.failed;
}

void wm_timed_unit_refused(struct wm_timed_unit *unit, uint64_t cycle,
                           const struct wm_packet *refusal)
{
    struct wm_packet_queue *refused = &unit->refused;
    struct wm_packet packet = *refusal;
    if (refused->packets == NULL && wm_packet_queue_init(refused, NULL) != WM_OK) {
        unit->out.failed = true;
        return;
    }
    packet.client = (uint8_t)(refusal->client - WM_PACKET_REFUSAL);
    packet.when = cycle + unit->latency + wm_random_below(&unit->pauses, unit->latency);
    bool brings = packet.client != WM_CACHE_LOAD;
    packet.flits =
        wm_packet_flits(unit->out.flit_bytes, brings ? wm_sector_bytes(packet.sectors) : 0);
    unit->out.failed |= !wm_packet_queue_insert(refused, &packet);
}

bool wm_timed_unit_write_back(struct wm_timed_unit *unit, uint64_t cycle, uint64_t line,
                              uint32_t pc)
{
    struct wm_cache *cache = wm_timed_level_holder(unit->l1, line);
    if (!wm_outbox_has_room(&unit->out, cycle))
        return false;
    uint32_t dirty = wm_cache_clean(cache, line, line, cache->all_sectors);
    struct wm_cache_victim left = wm_cache_last_write_back(cache, line, dirty);
    const struct wm_requester who = {.sm = unit->number, .pc = pc};
    const struct wm_level_request on_behalf = {
        .charged = &unit->unattributed, .out = &unit->out, .uncharged = true};
    wm_timed_level_write_back(unit->l1, cycle, cache, &on_behalf, &who, &left);
    return true;
}

// Of the unit's caches those that are above the level that it comes from.
void wm_timed_unit_invalidate(struct wm_timed_unit *unit, uint64_t cycle,
                              const struct wm_packet *packet)
{
    const struct wm_cache_level *below = &unit->memory->levels[packet->to];
    const struct wm_request cause = {.pc = packet->pc, .sm = packet->sm, .warp = packet->warp};
    uint32_t dirty = 0;
    for (uint32_t i = 0; i <= WM_SIDE_CACHE_KINDS; i++) {
        struct wm_timed_level *level = i == 0 ? unit->l1 : unit->sides[i - 1];
        if (level != NULL && wm_level_is_above(level->described, below))
            dirty |= wm_timed_level_invalidate(level, packet->address, packet->sectors,
                                               unit->out.blocks != NULL ? &cause : NULL);
    }
    wm_outbox_acknowledge(&unit->out, cycle + unit->latency, packet, dirty, packet->full_sectors);
}

void wm_timed_unit_supply(struct wm_timed_unit *unit, uint64_t cycle,
                          const struct wm_packet *access)
{
    struct wm_packet *answer = wm_outbox_place(&unit->out);
    if (answer == NULL)
        return;
    *answer = *access;
    answer->when = cycle + unit->latency;
    answer->receiver = access->sm;
    answer->supplied = true;
    answer->flits = wm_packet_flits(unit->out.flit_bytes, wm_sector_bytes(access->sectors));
}

void wm_timed_unit_note_load(struct wm_timed_unit *unit, const struct wm_request *request,
                             bool looked_up, bool missed)
{
    note_load(unit, request, looked_up, missed);
}

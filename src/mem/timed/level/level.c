#include "mem/timed/level/level.h"

#include "base/containers/array.h"
#include "mem/cache/dirty_limit.h"
#include "mem/cache/inline_access.h"
#include "mem/explain/explain.h"
#include "mem/timed/level/in_flight.h"
#include "mem/timed/level/parts.h"
#include "mem/timed/level/prefetch.h"

#include <stdlib.h>

enum wm_status wm_timed_level_init(struct wm_timed_level *level, struct wm_memory *memory,
                                   uint32_t number, uint32_t index, struct wm_error *error)
{
    const struct wm_level_spec *spec = &memory->spec.levels[number];
    const struct wm_cache_level *described = &memory->levels[number];
    const struct wm_cache_timing timing = wm_level_timing(&memory->spec, number);
    *level = (struct wm_timed_level){.memory = memory,
                                     .described = described,
                                     .number = (uint8_t)number,
                                     .latency = timing.latency,
                                     .latency_below = timing.latency,
                                     .victim_latency = spec->victim_latency,
                                     .ports = wm_level_ports(&memory->spec, number),
                                     .passes = 1};
    if (spec->tracker.present)
        level->latency_below += spec->tracker.latency;
    level->fills_skip_below =
        !described->loads_only && described->below != NULL && described->below->takes_uncached_only;
    if (described->victims != NULL)
        level->victims = &described->victims[index];
    WM_TRY(wm_l1_banks_init(&level->banks, &spec->banks, error));
    // When lines are taken is said of where a unit's accesses begin (enum wm_l1_allocation).
    bool with_fills =
        wm_level_serves(&memory->spec, number) != 0 && spec->allocation == WM_ALLOCATE_STREAMING;
    WM_TRY(
        wm_timed_cache_init(&level->timed, &described->caches[index], &timing, with_fills, error));
    level->timed.bypasses_when_full = spec->divergence.full == WM_FULL_BYPASSES;
    level->timed.upgrades = level->excludes = !described->loads_only && described->below != NULL &&
                                              described->below->inclusion == WM_EXCLUSIVE;
    for (const struct wm_cache_level *at = described->below; at != NULL; at = at->below)
        if (at->inclusion == WM_INCLUSIVE && !described->loads_only) {
            level->upgrades = true;
            level->upgrades_all |= at->takes_uncached_only;
        }
    if (spec->coalescing == WM_COALESCES_IN_FLIGHT) {
        WM_TRY(WM_ARRAY_NEW(level->in_flight, 1, error, "accesses in flight"));
        WM_TRY(wm_in_flight_init(level->in_flight, error));
    }
    return described->prefetchers.ops != NULL ? wm_timed_prefetcher_new(&level->prefetcher, error)
                                              : WM_OK;
}

void wm_timed_level_release(struct wm_timed_level *level)
{
    wm_timed_cache_release(&level->timed);
    wm_l1_banks_release(&level->banks);
    if (level->evictions != NULL)
        wm_evictions_release(level->evictions);
    if (level->in_flight != NULL)
        wm_in_flight_release(level->in_flight);
    free(level->in_flight);
    free(level->evictions);
    free(level->prefetcher);
}

void wm_timed_level_charge(const struct wm_timed_level *level,
                           struct wm_instruction_counters *charged, uint32_t sectors,
                           uint32_t missing)
{
    uint64_t misses = wm_count_sectors(missing);
    charged->levels[level->number].hits += wm_count_sectors(sectors) - misses;
    charged->levels[level->number].misses += misses;
}

// --- What goes below ---

static inline uint64_t address_of(const struct wm_timed_level *level, uint64_t line)
{
    return line << level->described->line_shift;
}

void wm_timed_level_write_back(struct wm_timed_level *level, uint64_t cycle, struct wm_cache *from,
                               const struct wm_level_request *request,
                               const struct wm_requester *who, const struct wm_cache_victim *victim)
{
    from->counters.bytes_to_below += wm_sector_bytes(victim->dirty);
    wm_outbox_send(request->out, cycle, who,
                   &(struct wm_sending){.charged = request->charged,
                                        .address = address_of(level, victim->line),
                                        .sectors = victim->dirty,
                                        .full_sectors = ~victim->partly,
                                        .to = level->described->below,
                                        .from = level->number,
                                        .client = WM_CACHE_WRITEBACK,
                                        .uncharged = request->uncharged,
                                        .latency = level->latency_below,
                                        .bytes = victim->bytes});
}

void wm_timed_level_send_down(struct wm_timed_level *level, uint64_t cycle, struct wm_cache *from,
                              const struct wm_level_request *request,
                              const struct wm_requester *who, const struct wm_cache_victim *victim)
{
    if (level->excludes && victim->valid != 0)
        wm_timed_level_move_down(level, cycle, from, request, who, victim);
    else if (victim->dirty != 0)
        wm_timed_level_write_back(level, cycle, from, request, who, victim);
}

// Whether what a cache displaced goes anywhere.
static inline bool leaves(const struct wm_timed_level *level, const struct wm_cache_victim *victim)
{
    return victim->dirty != 0 ||
           (victim->valid != 0 && (level->victims != NULL || level->excludes));
}

// To the victim cache, and what that displaces in turn, or what is dirty, below.
static void settle_victim(struct wm_timed_level *level, uint64_t cycle,
                          const struct wm_level_request *request, const struct wm_requester *who,
                          struct wm_cache_victim *victim)
{
    struct wm_cache *from = level->timed.cache;
    if (level->victims != NULL) {
        wm_timed_level_keep_victim(level, request, who, victim);
        from = level->victims;
    }
    wm_timed_level_send_down(level, cycle, from, request, who, victim);
}

static bool holds(const struct wm_timed_level *level, const struct wm_timed_access *access)
{
    return wm_cache_find(level->timed.cache, access->line, access->index_line) >= 0;
}

void wm_timed_level_forward(struct wm_timed_level *level, uint64_t cycle,
                            const struct wm_level_request *request, uint32_t sectors,
                            struct wm_level_outcome *outcome)
{
    const struct wm_timed_access *access = &request->access;
    level->timed.cache->counters.bytes_to_below += wm_sector_bytes(sectors);
    uint32_t packets = wm_outbox_send(
        request->out, cycle, &access->requester,
        &(struct wm_sending){.charged = request->charged,
                             .address = address_of(level, access->line),
                             .sectors = sectors,
                             .full_sectors = access->full_sectors,
                             .to = level->described->below,
                             .from = WM_OF_UNIT,
                             .client = access->client == WM_CACHE_WRITEBACK ? WM_CACHE_WRITEBACK
                                                                            : WM_CACHE_STORE,
                             .uncharged = request->uncharged,
                             .takes_over = request->takes_over,
                             .no_allocate = level->excludes && holds(level, access),
                             .latency = level->latency_below,
                             .replies = request->store_replies,
                             .token = access->token,
                             .bytes = access->written != NULL ? access->written->words : NULL});
    outcome->waits += request->store_replies ? packets : 0;
}

// Sectors that a write has left here, and that an inclusive level below may know nothing of.
static uint32_t unknown_below(const struct wm_timed_level *level,
                              const struct wm_timed_access *access,
                              const struct wm_timed_result *result)
{
    const struct wm_cache *cache = level->timed.cache;
    uint32_t set = wm_cache_set_of(cache, access->index_line);
    if (access->client == WM_CACHE_LOAD || (result->missing == 0 && !level->upgrades_all))
        return 0;
    int32_t way = wm_cache_find_in_set(cache, set, access->line);
    if (way < 0)
        return 0;
    return level->upgrades_all
               ? wm_cache_line_at(cache, set * cache->stride + (uint32_t)way).valid
               : wm_taken_unfetched(
                     cache,
                     result->missing &
                         wm_cache_line_at(cache, set * cache->stride + (uint32_t)way).valid,
                     result->fetch);
}

// Sectors that a write has taken here without a fetch are stale in the exclusive level below. They
// wait for that to have dropped them: what is sent later may come there before, by another port.
static void drop_below(struct wm_timed_level *level, uint64_t cycle,
                       const struct wm_level_request *request, const struct wm_timed_result *result)
{
    const struct wm_timed_access *access = &request->access;
    wm_outbox_send(request->out, cycle, &access->requester,
                   &(struct wm_sending){.charged = request->charged,
                                        .address = address_of(level, access->line),
                                        .sectors = result->upgrade,
                                        .to = level->described->below,
                                        .from = level->number,
                                        .client = WM_CACHE_LOAD, // no bytes go with it
                                        .kind = WM_PACKET_UPGRADE,
                                        .latency = level->latency_below,
                                        .replies = true,
                                        .uncharged = request->uncharged,
                                        .token = result->entry});
}

// Whether a write has left no line here.
static bool is_lost(const struct wm_timed_level *level, const struct wm_timed_access *access,
                    const struct wm_timed_result *result)
{
    return access->client != WM_CACHE_LOAD &&
           (result->victim.refused || wm_cache_drops(level->timed.cache, access->client));
}

// Whether a load that may take a line here has, or will when its bytes come.
static bool takes_line(const struct wm_timed_level *level, const struct wm_timed_access *access)
{
    return access->allocate && (level->timed.allocates_on_fill || holds(level, access));
}

// What the look-up found lacking: from the level's prefetcher, from below, or from another cache
// that the tracker knows of.
static void fetch(struct wm_timed_level *level, uint64_t cycle,
                  const struct wm_level_request *request, struct wm_timed_result *result)
{
    const struct wm_timed_access *access = &request->access;
    if (__builtin_expect(level->prefetcher != NULL, false) && !request->moves_up &&
        wm_timed_prefetcher_supplies(level, cycle, request, result))
        return;
    struct wm_sending sending = {.charged = request->charged,
                                 .address = address_of(level, access->line),
                                 .sectors = result->fetch,
                                 .to = level->copies ? level->described : level->described->below,
                                 .from = level->number,
                                 .client = WM_CACHE_LOAD,
                                 .latency = level->latency_below,
                                 .replies = true,
                                 .takes_over = request->takes_over,
                                 .token = result->entry};
    if (__builtin_expect(level->sharing != NULL, false))
        sending.to_sm = wm_timed_tracker_look_up(level, access->line, result->fetch,
                                                 request->charged, &sending.holder);
    if (__builtin_expect(level->copies, false)) {
        sending.no_allocate = !access->allocate;
        sending.uncharged = request->uncharged;
    } else if (!sending.to_sm) {
        level->timed.cache->counters.bytes_from_below += wm_sector_bytes(result->fetch);
        sending.no_allocate =
            level->fills_skip_below && access->client == WM_CACHE_LOAD && takes_line(level, access);
        if (__builtin_expect(level->excludes, false) && takes_line(level, access))
            sending.full_sectors = result->fetch;
    }
    wm_outbox_send(request->out, cycle, &access->requester, &sending);
}

// --- Look-ups ---

// What warps lost is known by their loads, and lines by who brought them.
static void note_missed(struct wm_timed_level *level, const struct wm_timed_access *access)
{
    if (access->client == WM_CACHE_LOAD)
        wm_victim_tags_missed(level->victim_tags, access->requester.warp, access->line);
}

static inline bool is_explained(const struct wm_level_request *request)
{
    return __builtin_expect(request->explained != NULL, false);
}

// A load that was not found, and may displace nothing: its bytes go to its warp, and they take no
// entry of the MSHR.
static enum wm_stall load_past(struct wm_timed_level *level, uint64_t cycle,
                               const struct wm_level_request *request,
                               struct wm_level_outcome *outcome)
{
    const struct wm_timed_access *access = &request->access;
    struct wm_cache *cache = level->timed.cache;
    uint64_t address = address_of(level, access->line);
    if (!access->queue_has_room)
        return WM_STALL_QUEUE;
    level->passes = wm_l1_banks_take(&level->banks, address, access->sectors, cycle);
    wm_cache_count(&cache->counters, WM_CACHE_LOAD, access->sectors, access->sectors);
    cache->counters.refusals++;
    if (is_explained(request))
        wm_timed_level_explain(
            level, request,
            &(struct wm_timed_result){.missing = access->sectors, .fetch = access->sectors});
    cache->counters.bytes_from_below += wm_sector_bytes(access->sectors);
    wm_timed_level_count_bytes(level, access);
    wm_timed_level_charge(level, request->charged, access->sectors, access->sectors);
    outcome->waits = wm_outbox_send(request->out, cycle, &access->requester,
                                    &(struct wm_sending){.charged = request->charged,
                                                         .address = address,
                                                         .sectors = access->sectors,
                                                         .to = level->described->below,
                                                         .from = WM_OF_UNIT,
                                                         .client = WM_CACHE_LOAD,
                                                         .latency = level->latency_below,
                                                         .replies = true,
                                                         .token = access->token});
    outcome->missing = access->sectors;
    outcome->from_below = true;
    if (level->victim_tags != NULL)
        note_missed(level, access);
    return WM_STALL_NONE;
}

// Whether a write may leave more sectors of its set dirty than the cache keeps.
static bool may_exceed_dirty_limit(const struct wm_cache *cache,
                                   const struct wm_timed_access *access)
{
    const struct wm_dirty_limit *limit = cache->dirty_limit;
    return limit != NULL &&
           wm_cache_dirty_sectors(cache, wm_cache_set_of(cache, access->index_line)) +
                   wm_count_sectors(wm_cache_fetch_units(cache, access->sectors)) >
               limit->most;
}

// A level that keeps so many sectors dirty at most has written a line.
static void clean_beyond_limit(struct wm_timed_level *level, uint64_t cycle,
                               const struct wm_level_request *request)
{
    struct wm_cache *cache = level->timed.cache;
    uint32_t set = wm_cache_set_of(cache, request->access.index_line);
    uint32_t dirty = wm_cache_dirty_sectors(cache, set);
    struct wm_cache_victim left;
    while (wm_cache_clean_last(cache, set, request->access.line, &dirty, &left))
        wm_timed_level_write_back(level, cycle, cache, request, &request->access.requester, &left);
}

enum wm_stall wm_timed_level_look_up_array(struct wm_timed_level *level, uint64_t cycle,
                                           struct wm_level_request *request,
                                           struct wm_level_outcome *outcome)
{
    struct wm_timed_access *access = &request->access;
    uint64_t address = address_of(level, access->line);
    access->queue_has_room = wm_outbox_has_room(request->out, cycle);
    level->banks_ready = wm_l1_banks_ready(&level->banks, address, access->sectors, cycle);
    if (level->banks_ready > cycle)
        return WM_STALL_BANK;
    bool writes = access->client != WM_CACHE_LOAD;
    if (writes && !access->queue_has_room && may_exceed_dirty_limit(level->timed.cache, access))
        return WM_STALL_QUEUE;
    struct wm_timed_result result = wm_timed_cache_access(&level->timed, access);
    if (result.stall != WM_STALL_NONE)
        return result.stall;
    if (result.must_bypass)
        return load_past(level, cycle, request, outcome);
    if (__builtin_expect(level->victim_tags != NULL, false) && result.missing != 0) {
        note_missed(level, access);
        wm_victim_tags_filled(level->victim_tags, level->timed.cache, access->requester.warp,
                              access->line, &result.victim);
    }
    level->passes = wm_l1_banks_take(&level->banks, address, access->sectors, cycle);
    if (!request->moves)
        wm_timed_level_count_bytes(level, access);
    if (access->client != WM_CACHE_WRITEBACK)
        wm_timed_level_charge(level, request->charged, access->sectors, result.missing);
    if (is_explained(request))
        wm_timed_level_explain(level, request, &result);
    if (__builtin_expect(level->sharing != NULL, false))
        wm_timed_tracker_served(level, access->client != WM_CACHE_LOAD, access->line,
                                &result.victim);
    if (__builtin_expect(level->evictions != NULL, false))
        wm_evictions_end(level->evictions, level->timed.cache, access,
                         is_lost(level, access, &result), &result);
    uint32_t unknown = 0;
    if (__builtin_expect(level->upgrades, false)) {
        unknown = unknown_below(level, access, &result);
        if (unknown != 0 && request->takes_over < WM_MOST_UPGRADES)
            request->takes_over++;
    }
    if (__builtin_expect(result.upgrade != 0, false))
        drop_below(level, cycle, request, &result);
    if (__builtin_expect(request->moves_up, false))
        wm_timed_level_give_away(level, cycle, request, result.missing, outcome);
    outcome->from_below = result.waits;
    outcome->fetched = result.fetch;
    if (result.fetch != 0)
        fetch(level, cycle, request, &result);
    if (leaves(level, &result.victim))
        settle_victim(level, cycle, request, &access->requester, &result.victim);
    if (result.forward != 0)
        wm_timed_level_forward(level, cycle, request, result.forward, outcome);
    if (unknown != 0)
        wm_timed_level_upgrade_below(level, cycle, request, address, unknown);
    if (__builtin_expect(level->timed.cache->dirty_limit != NULL, false) && writes)
        clean_beyond_limit(level, cycle, request);
    outcome->waits += result.waits;
    outcome->missing = result.missing;
    return WM_STALL_NONE;
}

enum wm_stall wm_timed_level_look_up(struct wm_timed_level *level, uint64_t cycle,
                                     struct wm_level_request *request,
                                     struct wm_level_outcome *outcome)
{
    *outcome = (struct wm_level_outcome){0};
    enum wm_stall stall =
        (__builtin_expect(level->victims == NULL, true)
             ? wm_timed_level_look_up_array
             : wm_timed_level_look_up_with_victims)(level, cycle, request, outcome);
    if (__builtin_expect(level->prefetcher != NULL, false) && stall == WM_STALL_NONE)
        wm_timed_prefetcher_served(level, cycle, request);
    return stall;
}

// --- Accesses that pass the level, and are served below ---

// The copy here goes, or is cleaned.
static void flush_copy(struct wm_timed_level *level, uint64_t cycle,
                       const struct wm_level_request *request, bool drop)
{
    const struct wm_timed_access *access = &request->access;
    struct wm_cache *cache = wm_timed_level_holder(level, access->line);
    uint64_t index_line = cache == level->victims ? access->line : access->index_line;
    if (wm_cache_find(cache, access->line, index_line) < 0)
        return;
    if (level->excludes) {
        wm_timed_level_move_copy_down(level, cycle, cache, index_line, request);
        return;
    }
    uint32_t dirty = wm_cache_clean(cache, access->line, index_line, cache->all_sectors);
    if (drop)
        wm_cache_invalidate(cache, access->line, index_line, cache->all_sectors);
    struct wm_cache_victim left = wm_cache_last_write_back(cache, access->line, dirty);
    if (dirty != 0)
        wm_timed_level_write_back(level, cycle, cache, request, &access->requester, &left);
}

bool wm_timed_level_may_pass(const struct wm_timed_level *level, uint64_t line)
{
    return !level->excludes || wm_mshr_find(&level->timed.mshr, line) == NULL;
}

void wm_timed_level_pass(struct wm_timed_level *level, uint64_t cycle,
                         const struct wm_level_request *request)
{
    const struct wm_timed_access *access = &request->access;
    enum wm_access_kind kind = access->requester.kind;
    bool load = kind == WM_ACCESS_LOAD, store = kind == WM_ACCESS_STORE;
    bool drops = !load || access->requester.hint == WM_HINT_VOLATILE;
    struct wm_cache_counters *counters = &level->timed.cache->counters;
    uint64_t bytes = wm_sector_bytes(access->sectors);
    flush_copy(level, cycle, request, drops);
    if (drops)
        wm_timed_prefetcher_dropped(level, access->line);
    if (is_explained(request) && drops)
        wm_explain_drop(level->memory, level->timed.cache, access->line);
    if (is_explained(request) && load)
        wm_explain_passed(level->memory, level->timed.cache, access->sectors, request->explained);
    counters->accesses++;
    counters->load_accesses += load;
    counters->store_accesses += store;
    counters->atomic_accesses += !load && !store;
    counters->load_accesses_bypassed += load;
    counters->store_accesses_bypassed += store;
    counters->bypasses += wm_count_sectors(access->sectors);
    counters->bytes_from_above += load ? 0 : bytes;
    counters->bytes_to_below += load ? 0 : bytes;
    if (load || kind == WM_ACCESS_ATOMIC) {
        counters->bytes_from_below += bytes;
        counters->bytes_to_above += bytes;
    }
    if (level->sharing != NULL && drops)
        wm_timed_tracker_written(level, access->line);
}

// --- Fills ---

void wm_timed_level_fill(struct wm_timed_level *level, uint64_t cycle, uint32_t entry,
                         uint64_t line, uint64_t index_line, uint32_t sectors, uint32_t dirty,
                         const struct wm_requester *who, const struct wm_level_request *request,
                         void (*done)(void *context, uint64_t token), void *context)
{
    struct wm_cache_victim victim;
    if (level->banks.take_fills)
        wm_l1_banks_take(&level->banks, address_of(level, line), sectors, cycle);
    bool takes = is_explained(request) && wm_timed_level_takes_now(level, line);
    if (level->victims != NULL)
        wm_timed_level_bring_back(level, cycle, line, request, who);
    bool shared = level->sharing != NULL && wm_timed_tracker_completes(level, line, sectors);
    wm_timed_cache_fill(&level->timed, entry, line, index_line, sectors, who, done, context,
                        &victim);
    if (level->victim_tags != NULL)
        wm_victim_tags_filled(level->victim_tags, level->timed.cache, who->warp, line, &victim);
    if (is_explained(request))
        wm_timed_level_explain_fill(level, takes, line, sectors, &victim, request->explained);
    if (level->sharing != NULL)
        wm_timed_tracker_filled(level, shared, line, &victim);
    struct wm_requester unattributed = *who;
    unattributed.hint = WM_HINT_DEFAULT;
    if (leaves(level, &victim))
        settle_victim(level, cycle, request, &unattributed, &victim);
    if (__builtin_expect(dirty != 0, false))
        wm_timed_level_mark_dirty(level, cycle, line, index_line, dirty, request, &unattributed);
}

// --- What inclusive levels below have to do with it ---

uint32_t wm_timed_level_invalidate(struct wm_timed_level *level, uint64_t address, uint32_t sectors,
                                   const struct wm_request *cause)
{
    const struct wm_dropped_sectors dropped = {address, sectors};
    uint32_t dropped_bytes = (32 - (uint32_t)__builtin_clz(sectors)) * WM_SECTOR_BYTES;
    struct wm_cache *cache = level->timed.cache;
    uint32_t dirty =
        wm_back_invalidate(level->memory, level->described, cache, cache, &dropped, cause);
    if (level->victims != NULL) // a line is in one of the two
        dirty |= wm_back_invalidate(level->memory, level->described, level->victims, cache,
                                    &dropped, cause);
    for (uint64_t line = address >> cache->line_shift, end = address + dropped_bytes;
         level->prefetcher != NULL && line << cache->line_shift < end; line++)
        wm_timed_prefetcher_dropped(level, line);
    return dirty;
}

void wm_timed_level_upgrade_below(struct wm_timed_level *level, uint64_t cycle,
                                  const struct wm_level_request *request, uint64_t address,
                                  uint32_t sectors)
{
    wm_outbox_send(request->out, cycle, &request->access.requester,
                   &(struct wm_sending){.charged = request->charged,
                                        .address = address,
                                        .sectors = sectors,
                                        .to = level->described->below,
                                        .from = level->number,
                                        .client = WM_CACHE_LOAD, // no bytes go with it
                                        .latency = level->latency_below,
                                        .kind = WM_PACKET_UPGRADE,
                                        .takes_over = 1,
                                        .uncharged = request->uncharged});
}

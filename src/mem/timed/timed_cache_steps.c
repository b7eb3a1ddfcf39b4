// The look-ups and fills of a cache in time, compiled for each vector width like the walk's access
// path (mem/access_path/access_path.c): most of a look-up is to find a line.
#include "mem/cache/inline_access.h"
#include "mem/cache/pins.h"
#include "mem/timed/timed_cache.h"

#include <assert.h>

// Where an access finds its line.
struct place {
    uint32_t set;
    int32_t way;
    struct wm_mshr_entry *entry; // NULL: nothing is on its way
    uint32_t valid, pending;
    uint32_t partly; // where byte masks are kept: held in part
    uint32_t kept;   // that a fetch of its unit leaves out
};

static bool has_byte_masks(const struct wm_cache *cache)
{
    return __builtin_expect(cache->bytes != NULL, false);
}

static inline struct place place_of(const struct wm_timed_cache *timed,
                                    const struct wm_timed_access *access)
{
    const struct wm_cache *cache = timed->cache;
    struct place place = {.set = wm_cache_set_of(cache, access->index_line)};
    place.way = wm_cache_find_in_set(cache, place.set, access->line);
    place.entry = wm_mshr_find(&timed->mshr, access->line);
    if (place.way >= 0)
        place.kept = place.valid =
            wm_cache_line_at(cache, place.set * cache->stride + (uint32_t)place.way).valid;
    if (has_byte_masks(cache) && place.way >= 0) {
        // A store leaves the rest of its unit alone: it is fetched whole all the same.
        place.partly = cache->bytes->partly[place.set * cache->stride + (uint32_t)place.way];
        place.kept = 0;
    }
    if (place.entry != NULL)
        place.pending = place.entry->pending;
    return place;
}

// What stands in the way of an access that waits for the sectors `awaited` and has `fetched`
// fetched.
static inline enum wm_stall find_stall(struct wm_timed_cache *timed,
                                       const struct wm_timed_access *access,
                                       const struct place *place, uint32_t awaited,
                                       uint32_t fetched, bool takes)
{
    if ((awaited | fetched) != 0 && place->entry != NULL && place->entry->stale)
        return WM_STALL_MERGE;
    if (awaited != 0 && !wm_mshr_can_merge(&timed->mshr, place->entry, awaited))
        return WM_STALL_MERGE;
    if ((awaited | fetched) != 0 && !wm_mshr_has_room(&timed->mshr, place->entry, fetched))
        return WM_STALL_MSHR;
    if (takes && place->way < 0 &&
        wm_cache_has_no_victim(timed->cache, place->set, access->line, &access->requester))
        return WM_STALL_WAY;
    return !access->queue_has_room && (fetched != 0 || takes) ? WM_STALL_QUEUE : WM_STALL_NONE;
}

static struct wm_mshr_entry *entry_of(struct wm_timed_cache *timed,
                                      const struct wm_timed_access *access,
                                      const struct place *place)
{
    if (place->entry != NULL)
        return place->entry;
    timed->counters.mshr_lines++;
    return wm_mshr_add(&timed->mshr, access->line);
}

// Sectors are fetched into a line that has a way already: it keeps it until they come.
static void reserve(struct wm_timed_cache *timed, const struct wm_timed_access *access,
                    uint32_t set, struct wm_mshr_entry *entry)
{
    int32_t way = wm_cache_find_in_set(timed->cache, set, access->line);
    if (way < 0)
        return;
    wm_cache_pin(timed->cache, set, (uint32_t)way);
    entry->place = set * timed->cache->stride + (uint32_t)way;
}

// All have come: the line, unless it has left that way, may be displaced.
static inline void release(struct wm_cache *cache, const struct wm_mshr_entry *entry)
{
    uint32_t set = entry->place / cache->stride, way = entry->place % cache->stride;
    if (cache->tags[entry->place] == entry->line)
        wm_cache_unpin(cache, set, way);
}

// Most accesses find all their sectors, of which none is on its way, and most stores to a cache
// that they take no line in find nothing: what follows does the same of these in fewer steps.
static inline bool is_plain_hit(const struct wm_cache *cache, const struct wm_timed_access *access,
                                const struct place *place)
{
    return place->way >= 0 && (access->sectors & (~place->valid | place->pending)) == 0 &&
           !has_byte_masks(cache);
}

static inline void use_line(struct wm_cache *cache, const struct wm_timed_access *access,
                            const struct place *place, uint32_t dirty)
{
    struct wm_cache_line held =
        wm_cache_line_at(cache, place->set * cache->stride + (uint32_t)place->way);
    held.dirty |= dirty;
    wm_cache_update_hit(cache, false, place->set, (uint32_t)place->way, access->line, held, false,
                        &access->requester);
    wm_cache_count(&cache->counters, access->client, access->sectors, 0);
}

static struct wm_timed_result read_timed(struct wm_timed_cache *timed,
                                         const struct wm_timed_access *access)
{
    struct wm_cache *cache = timed->cache;
    struct place place = place_of(timed, access);
    if (is_plain_hit(cache, access, &place)) {
        use_line(cache, access, &place, 0);
        return (struct wm_timed_result){0};
    }
    uint32_t missing = access->sectors & ~(place.valid | place.pending);
    uint32_t awaited = missing | (access->sectors & place.pending);
    bool takes = access->allocate && !timed->allocates_on_fill && missing != 0;
    uint32_t fetched = wm_cache_fetch_units(cache, missing) & ~(place.kept | place.pending);
    if (takes && timed->bypasses_when_full && place.way < 0 && place.entry == NULL &&
        wm_cache_has_no_victim(cache, place.set, access->line, &access->requester))
        return (struct wm_timed_result){.must_bypass = true};
    struct wm_timed_result result = {
        .stall = find_stall(timed, access, &place, awaited, fetched, takes)};
    if (result.stall != WM_STALL_NONE)
        return result;
    // Of those on their way the array knows nothing where lines are taken with the fill.
    uint32_t looked_for = access->sectors & ~(place.pending & ~place.valid);
    struct wm_cache_result read = {0};
    bool takes_now = access->allocate && !timed->allocates_on_fill;
    struct wm_requester requester = access->requester;
    requester.pending = place.pending != 0;
    if (looked_for != 0)
        read = has_byte_masks(cache)
                   ? wm_byte_masks_read_at(cache, place.set, place.way, access->line, looked_for,
                                           takes_now, &requester)
                   : wm_cache_access_at(cache, false, WM_CACHE_LOAD, place.set, place.way,
                                        access->line, access->index_line, looked_for, 0, takes_now,
                                        &requester);
    wm_cache_count(&cache->counters, WM_CACHE_LOAD, access->sectors, missing);
    timed->counters.pending_hits += wm_count_sectors(access->sectors & place.pending);
    result.missing = missing;
    result.victim = read.victim;
    if (awaited == 0)
        return result;
    struct wm_mshr_entry *entry = entry_of(timed, access, &place);
    result.fetch =
        timed->allocates_on_fill && access->allocate ? fetched : read.fetch & ~place.pending;
    wm_mshr_add_pending(&timed->mshr, entry, result.fetch);
    result.entry = wm_mshr_index(&timed->mshr, entry);
    entry->allocates |= access->allocate;
    if (takes)
        reserve(timed, access, place.set, entry);
    wm_mshr_merge(&timed->mshr, entry, access->token, awaited);
    result.waits = true;
    return result;
}

static inline struct wm_cache_result write_array(struct wm_cache *cache, const struct place *place,
                                                 const struct wm_timed_access *access)
{
    static const struct wm_write_mask unknown = {0};
    if (has_byte_masks(cache))
        return wm_byte_masks_write(cache, access->client, access->line, access->index_line,
                                   access->sectors, access->full_sectors, access->allocate,
                                   access->written != NULL ? access->written : &unknown,
                                   &access->requester);
    struct wm_cache_result result = wm_cache_access_at(
        cache, false, access->client, place->set, place->way, access->line, access->index_line,
        access->sectors, access->full_sectors, access->allocate, &access->requester);
    wm_cache_count(&cache->counters, access->client, access->sectors, result.missing);
    return result;
}

// A store that does nothing but go on, or change its line.
static inline bool is_plain_store(const struct wm_cache *cache,
                                  const struct wm_timed_access *access, const struct place *place)
{
    if (access->client != WM_CACHE_STORE || place->entry != NULL)
        return false;
    return place->way < 0 ? !access->allocate && !has_byte_masks(cache)
                          : is_plain_hit(cache, access, place) &&
                                cache->write_policy != WM_WRITE_THROUGH_EVICT;
}

static inline struct wm_timed_result store_plainly(struct wm_cache *cache,
                                                   const struct wm_timed_access *access,
                                                   const struct place *place)
{
    bool held = place->way >= 0, stays = held && cache->write_policy == WM_WRITE_BACK;
    struct wm_timed_result result = {.stall = stays || access->queue_has_room ? WM_STALL_NONE
                                                                              : WM_STALL_QUEUE};
    if (result.stall != WM_STALL_NONE)
        return result;
    result.forward = stays ? 0 : access->sectors;
    result.missing = held ? 0 : access->sectors;
    if (held)
        use_line(cache, access, place, stays ? wm_cache_fetch_units(cache, access->sectors) : 0);
    else
        wm_cache_count(&cache->counters, WM_CACHE_STORE, access->sectors, access->sectors);
    return result;
}

static struct wm_timed_result write_timed(struct wm_timed_cache *timed,
                                          const struct wm_timed_access *access)
{
    struct wm_cache *cache = timed->cache;
    struct place place = place_of(timed, access);
    if (is_plain_store(cache, access, &place))
        return store_plainly(cache, access, &place);
    bool atomic = access->client == WM_CACHE_ATOMIC;
    uint32_t missing =
        access->sectors & ~(place.valid | place.pending | (atomic ? 0 : place.partly));
    uint32_t uncovered =
        wm_cache_fetch_units(cache, missing) & ~(access->full_sectors & cache->covers);
    bool fetches =
        missing != 0 && (atomic || (access->allocate && uncovered != 0 && !has_byte_masks(cache)));
    uint32_t awaited = atomic ? missing | (access->sectors & place.pending) : 0;
    // The array takes a line even where all sectors are on their way to nowhere.
    bool takes = access->allocate && cache->write_policy != WM_WRITE_THROUGH_EVICT &&
                 (missing != 0 || place.way < 0);
    bool goes_on = cache->write_policy != WM_WRITE_BACK || (!access->allocate && missing != 0);
    uint32_t fetched = fetches || (timed->upgrades && takes)
                           ? wm_cache_fetch_units(cache, missing) & ~place.pending
                           : 0;
    struct wm_timed_result result = {
        .stall = find_stall(timed, access, &place, awaited, fetched, takes)};
    if (result.stall == WM_STALL_NONE && goes_on && !access->queue_has_room)
        result.stall = WM_STALL_QUEUE;
    if (result.stall != WM_STALL_NONE)
        return result;
    struct wm_cache_result written = write_array(cache, &place, access);
    timed->counters.pending_hits +=
        wm_count_sectors(access->sectors & place.pending & ~written.missing);
    result.missing = written.missing;
    result.forward = written.forward;
    result.victim = written.victim;
    result.whole = written.whole;
    result.fetch = written.fetch & ~place.pending;
    if (__builtin_expect(timed->upgrades, false) && takes && !written.victim.refused)
        result.upgrade =
            wm_cache_fetch_units(cache, written.missing) & ~(written.fetch | place.pending);
    if ((result.fetch | result.upgrade | awaited) == 0)
        return result;
    struct wm_mshr_entry *entry = entry_of(timed, access, &place);
    result.entry = wm_mshr_index(&timed->mshr, entry);
    wm_mshr_add_pending(&timed->mshr, entry, result.fetch | result.upgrade);
    if ((result.fetch | result.upgrade) != 0)
        reserve(timed, access, place.set, entry);
    if (awaited != 0)
        wm_mshr_merge(&timed->mshr, entry, access->token, awaited);
    result.waits = awaited != 0;
    return result;
}

// The line takes its way now, or gets more of its sectors.
static void take_filled(struct wm_timed_cache *timed, uint64_t line, uint64_t index_line,
                        uint32_t sectors, const struct wm_requester *requester,
                        struct wm_cache_victim *victim)
{
    struct wm_cache *cache = timed->cache;
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    if (has_byte_masks(cache)) {
        wm_byte_masks_fill(cache, set, line, sectors, requester, victim);
        return;
    }
    if (way >= 0)
        wm_cache_add_valid(cache, set * cache->stride + (uint32_t)way, sectors);
    else if (!wm_cache_allocate(cache, false, set, line, (struct wm_cache_line){.valid = sectors},
                                false, requester, victim))
        return;
    cache->counters.fills += wm_count_sectors(sectors);
}

static void fill_timed(struct wm_timed_cache *timed, uint32_t index, uint64_t line,
                       uint64_t index_line, uint32_t sectors, const struct wm_requester *requester,
                       void (*done)(void *context, uint64_t token), void *context,
                       struct wm_cache_victim *victim)
{
    struct wm_cache *cache = timed->cache;
    struct wm_mshr_entry *entry =
        index != WM_MSHR_NONE ? &timed->mshr.entries[index] : wm_mshr_find(&timed->mshr, line);
    *victim = (struct wm_cache_victim){.line = WM_CACHE_EMPTY};
    assert(entry != NULL && entry->line == line);
    if (timed->allocates_on_fill && entry->allocates && !entry->stale)
        take_filled(timed, line, index_line, sectors, requester, victim);
    if ((entry->pending & ~sectors) == 0 && entry->place != WM_MSHR_NONE)
        release(cache, entry);
    wm_mshr_fill(&timed->mshr, entry, sectors, done, context);
}

static void host_prefetch_timed(const struct wm_timed_cache *timed, uint64_t line,
                                uint64_t index_line)
{
    const struct wm_cache *cache = timed->cache;
    bool is_indexed = cache->index.rows != NULL;
    wm_mshr_host_prefetch_line(&timed->mshr, line);
    wm_cache_host_prefetch(cache, is_indexed ? 0 : wm_cache_set_of(cache, index_line), line);
}

#define STEPS_SYMBOL_OF(width) wm_timed_steps_##width
#define STEPS_SYMBOL(width) STEPS_SYMBOL_OF(width)

const struct wm_timed_steps STEPS_SYMBOL(WM_PATHS) = {
    .read = read_timed,
    .write = write_timed,
    .fill = fill_timed,
    .host_prefetch = host_prefetch_timed,
};

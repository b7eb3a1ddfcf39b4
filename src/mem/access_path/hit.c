// An access of one line that the first level of its unit has, which is most of what a CPU core
// does: looked up, counted and over, with nothing made ready for what lies below. What this does
// not do, access_path.c and coherent_access.c do; what it does is the same there.
#define WM_PATHS_FULL true
#include "base/containers/array.h"
#include "mem/access_path/level_place.h"
#include "mem/system/coherent_memory.h"

#include <inttypes.h>

// Whether all that a hit changes is the array and its counters: no other level or structure is to
// be informed. Coherent levels have their own rules, by which hits are nothing else where no
// coherent cache is above (docs/coherence.md).
static bool hits_end_at(const struct wm_memory *memory, const struct wm_cache_level *level)
{
    if (level->caches == NULL || level->is_home || level->slices.divisor > 1)
        return false;
    if (level->is_coherent)
        return level->prefetchers.ops == NULL &&
               (memory->bypass == NULL || level->number != WM_LEVEL_L1) &&
               wm_level_is_coherent_leaf(&memory->spec, level->number);
    for (const struct wm_cache_level *below = level->below; below != NULL; below = below->below)
        if (below->inclusion != WM_NON_INCLUSIVE)
            return false;
    const struct wm_cache *cache = level->caches;
    bool is_plain = cache->opt == NULL && cache->bytes == NULL && cache->dirty_limit == NULL;
    bool has_more = level->victims != NULL || level->prefetchers.ops != NULL ||
                    level->inclusion != WM_NON_INCLUSIVE;
    // Bypass entries and trackers are of the GPU's L1s, atomic buffers of its L2.
    bool is_named = level->number < WM_LEVELS_NAMED;
    return is_plain && !has_more && !is_named;
}

enum wm_status wm_unit_hits_init(struct wm_memory *memory, struct wm_error *error)
{
    uint32_t units = wm_memory_units(&memory->spec);
    WM_TRY(WM_ARRAY_NEW(memory->hits, units, error, "the L1s of %" PRIu32 " units", units));
    for (uint32_t unit = 0; unit < units; unit++) {
        const struct wm_cache_level *level = memory->first_of_unit[unit];
        struct wm_unit_hits *hits = &memory->hits[unit];
        if (!hits_end_at(memory, level))
            continue;
        hits->level = level;
        hits->cache = wm_cache_of_unit(level, unit);
        if (level->is_coherent)
            hits->coherent =
                memory->coherent->caches[level->number][hits->cache - level->caches].lines;
    }
    return WM_OK;
}

// The slot of the line that was used last in a set, where a hit makes its line that one; else any.
static inline uint32_t last_used(const struct wm_cache *cache, uint32_t set)
{
    uint32_t base = set * cache->stride;
    if (cache->is_ordered)
        return base;
    if (cache->recency.packed != NULL)
        return base + (uint32_t)(cache->recency.packed[set] & 15);
    return base;
}

static inline bool holds(const struct wm_cache *cache, uint32_t slot, uint64_t line,
                         uint32_t sectors)
{
    return cache->tags[slot] == line && (sectors & ~wm_cache_line_at(cache, slot).valid) == 0;
}

// Makes the line in a slot modified, where a store does no more. Else false.
static bool is_written(const struct wm_unit_hits *hits, uint32_t slot, uint32_t sectors)
{
    struct wm_cache *cache = hits->cache;
    if (hits->coherent != NULL)
        return wm_coherent_hit_is_done(&hits->coherent[slot], WM_CACHE_STORE);
    if (cache->write_policy != WM_WRITE_BACK)
        return false;
    struct wm_cache_line held = wm_cache_line_at(cache, slot);
    uint32_t dirty = held.dirty | wm_cache_fetch_units(cache, sectors);
    if (dirty != held.dirty)
        wm_cache_set_line(cache, slot, (struct wm_cache_line){held.valid, dirty});
    return true;
}

static inline void count_hit(const struct wm_memory *memory, struct wm_cache *cache,
                             enum wm_cache_client client, const struct wm_request *request)
{
    uint64_t bytes = bytes_of(request->sectors);
    wm_cache_count(&cache->counters, client, request->sectors, 0);
    if (client == WM_CACHE_STORE) {
        cache->counters.bytes_from_above += bytes;
        return;
    }
    cache->counters.bytes_to_above += bytes;
    if (memory->l1_of_sm != NULL)
        wm_load_misses_count(&memory->l1_of_sm[request->sm]->counters.load_miss_counts, 1, 0);
}

static bool find_and_use(const struct wm_unit_hits *hits, uint32_t set, uint64_t line,
                         const struct wm_request *request)
{
    struct wm_cache *cache = hits->cache;
    int32_t way = wm_cache_find_in_set(cache, set, line);
    if (way < 0)
        return false;
    uint32_t slot = set * cache->stride + (uint32_t)way;
    if ((request->sectors & ~wm_cache_line_at(cache, slot).valid) != 0)
        return false;
    if (request->kind == WM_ACCESS_STORE && !is_written(hits, slot, request->sectors))
        return false;
    const struct wm_requester requester = {.sm = request->sm,
                                           .warp = request->warp,
                                           .pc = request->pc,
                                           .kind = request->kind,
                                           .hint = request->hint};
    wm_cache_update_hit(cache, false, set, (uint32_t)way, line, wm_cache_line_at(cache, slot),
                        false, &requester);
    return true;
}

bool wm_memory_hit(struct wm_memory *memory, const struct wm_request *request)
{
    const struct wm_unit_hits *hits = &memory->hits[request->sm];
    struct wm_cache *cache = hits->cache;
    bool is_plain =
        request->kind <= WM_ACCESS_STORE && request->hint == WM_HINT_DEFAULT && !request->around_l1;
    if (cache == NULL || memory->shadows != NULL || !is_plain)
        return false;
    bool stores = request->kind == WM_ACCESS_STORE;
    uint64_t line = request->address >> cache->line_shift;
    uint32_t set = set_at(hits->level, line), first = last_used(cache, set);
    // What was used last needs no search, and stays it.
    if (cache->hit_moves_to_front && holds(cache, first, line, request->sectors)) {
        if (stores && !is_written(hits, first, request->sectors))
            return false;
    } else if (!find_and_use(hits, set, line, request)) {
        return false;
    }
    count_hit(memory, cache, stores ? WM_CACHE_STORE : WM_CACHE_LOAD, request);
    charge(hits->level,
           request->instruction_counters != NULL ? request->instruction_counters
                                                 : &memory->unattributed,
           request->sectors, 0);
    return true;
}

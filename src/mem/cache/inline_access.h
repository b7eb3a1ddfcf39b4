// The hot path of the array, inline, for owners that compile it into their own access path: a
// lookup is a vector compare, an LRU update a few register operations, and nothing is called
// through a pointer for LRU and modulo. Which vector width is used is decided by the flags this is
// compiled with (access_path.c); without any it is plain C. Private to mem/.
#ifndef WM_MEM_CACHE_INLINE_ACCESS_H
#define WM_MEM_CACHE_INLINE_ACCESS_H

#include "mem/cache/cache.h"
#include "mem/cache/ordered_set.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// The vector builds of the access path leave caches under `opt` to the full one (access_path.c).
#if defined(WM_PATHS) && !WM_PATHS_FULL
#define WM_CACHE_MAY_BE_OPT false
#else
#define WM_CACHE_MAY_BE_OPT true
#endif

#define WM_CACHE_INLINE static inline __attribute__((always_inline))

// cache.c: what entries other than plain LRU answer, off the inline path. Which way `line` takes;
// the entry's hooks get the line that leaves and the one that comes. WM_NO_WAY when none may be
// displaced. Tags are still the caller's to set.
int32_t wm_cache_replace(struct wm_cache *cache, uint32_t set, uint64_t line, bool write_back,
                         const struct wm_requester *requester);
void wm_cache_promote(struct wm_cache *cache, uint32_t set, uint32_t way, uint64_t line,
                      bool write_back, const struct wm_requester *requester);
// opt_cache.c: the same accesses of a cache under `opt`, where no way holds a line.
struct wm_cache_result wm_cache_opt_read(struct wm_cache *cache, uint32_t set, uint64_t line,
                                         uint32_t sectors, bool allocate);
struct wm_cache_result wm_cache_opt_write(struct wm_cache *cache, enum wm_cache_client client,
                                          uint32_t set, uint64_t line, uint32_t sectors,
                                          uint32_t full_sectors, bool allocate);
uint32_t wm_cache_opt_invalidate(struct wm_cache *cache, uint64_t line, uint32_t sectors);
uint32_t wm_cache_opt_clean(struct wm_cache *cache, uint64_t line, uint32_t sectors);
// The same for an ordered cache: the position at which `line` enters among `others` lines, and to
// which a hit moves it.
uint32_t wm_cache_insert_position(struct wm_cache *cache, uint32_t set, uint32_t others,
                                  uint64_t line, bool write_back,
                                  const struct wm_requester *requester);
uint32_t wm_cache_hit_position(struct wm_cache *cache, uint32_t set, uint32_t position,
                               uint64_t line, bool write_back,
                               const struct wm_requester *requester);

WM_CACHE_INLINE uint32_t wm_cache_set_of(const struct wm_cache *cache, uint64_t index_line)
{
    if (cache->set_index->is_modulo) {
        uint64_t set;
        wm_divide(&cache->set_divider, index_line, &set);
        return (uint32_t)set;
    }
    if (__builtin_expect(cache->set_index->is_linear, 1))
        return wm_set_hashed(&cache->set_hash, index_line);
    return cache->set_index->index(index_line, cache->line_bytes, cache->sets);
}

#if defined(__SSE2__)
// Bit i: of eight tags, tag i equals `line`. The halves of a tag are compared apart: together they
// are from SSE4 on only.
WM_CACHE_INLINE uint32_t wm_cache_equal_of_eight(const uint64_t *tags, uint64_t line)
{
    const __m128i *at = (const __m128i *)(const void *)tags;
    __m128i needle = _mm_set1_epi64x((long long)line);
    __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(at), needle),
                                  _mm_cmpeq_epi32(_mm_load_si128(at + 1), needle));
    __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(at + 2), needle),
                                   _mm_cmpeq_epi32(_mm_load_si128(at + 3), needle));
    uint32_t halves = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
    uint32_t equal = halves & halves >> 1 & 0x5555;
    if (equal == 0)
        return 0;
    equal = (equal | equal >> 1) & 0x3333;
    equal = (equal | equal >> 2) & 0x0f0f;
    return (equal | equal >> 4) & 0xff;
}
#endif

// Bit i: tag i equals `line`. `stride` is a multiple of WM_CACHE_TAG_LANES, at most 32.
WM_CACHE_INLINE uint32_t wm_cache_compare(const uint64_t *tags, uint32_t stride, uint64_t line)
{
    uint32_t equal = 0;
#if defined(__AVX512F__)
    __m512i needle = _mm512_set1_epi64((long long)line);
    for (uint32_t at = 0; at < stride; at += 8)
        equal |= (uint32_t)_mm512_cmpeq_epi64_mask(_mm512_load_si512(tags + at), needle) << at;
#elif defined(__AVX2__)
    __m256i needle = _mm256_set1_epi64x((long long)line);
    for (uint32_t at = 0; at < stride; at += 4) {
        __m256i tag = _mm256_load_si256((const __m256i *)(const void *)(tags + at));
        __m256d same = _mm256_castsi256_pd(_mm256_cmpeq_epi64(tag, needle));
        equal |= (uint32_t)_mm256_movemask_pd(same) << at;
    }
#elif defined(__SSE2__)
    for (uint32_t at = 0; at < stride; at += 8)
        equal |= wm_cache_equal_of_eight(tags + at, line) << at;
#else
    for (uint32_t at = 0; at < stride; at++)
        equal |= (uint32_t)(tags[at] == line) << at;
#endif
    return equal;
}

WM_CACHE_INLINE int32_t wm_cache_find_in_set(const struct wm_cache *cache, uint32_t set,
                                             uint64_t line)
{
    if (__builtin_expect(cache->index.rows == NULL, 1)) {
        const uint64_t *tags = cache->tags + (uint64_t)set * cache->stride;
        uint32_t equal = wm_cache_compare(tags, cache->stride, line);
        return equal != 0 ? __builtin_ctz(equal) : -1;
    }
    int64_t slot = wm_index_find(&cache->index, cache->tags, line);
    return slot >= 0 ? (int32_t)((uint32_t)slot - set * cache->stride) : -1;
}

// --- Prefetching what a look-up will read and change ---

WM_CACHE_INLINE void wm_cache_host_prefetch_line(const struct wm_cache *cache, uint64_t slot)
{
    const void *at = cache->narrow_lines + slot;
    __builtin_prefetch(cache->narrow_lines != NULL ? at : cache->wide_lines + slot, 1);
}

WM_CACHE_INLINE void wm_cache_host_prefetch_set(const struct wm_cache *cache, uint32_t set)
{
    uint64_t base = (uint64_t)set * cache->stride;
    for (uint32_t way = 0; way < cache->stride; way += WM_CACHE_TAG_LANES)
        __builtin_prefetch(cache->tags + base + way, 1);
    uint32_t step = cache->narrow_lines != NULL ? WM_CACHE_VECTOR_WAYS : WM_CACHE_TAG_LANES;
    for (uint32_t way = 0; way < cache->stride; way += step)
        wm_cache_host_prefetch_line(cache, base + way);
}

// Of a cache with an index: first its row, then the line that that says.
WM_CACHE_INLINE void wm_cache_host_prefetch_row(const struct wm_cache *cache, uint64_t line)
{
    wm_index_host_prefetch_row(&cache->index, line);
}

WM_CACHE_INLINE void wm_cache_host_prefetch_entry(const struct wm_cache *cache, uint64_t line)
{
    uint32_t slot = wm_index_likely_slot(&cache->index, line);
    __builtin_prefetch(cache->tags + slot, 1);
    wm_cache_host_prefetch_line(cache, slot);
}

// Either, where nothing has been prefetched before.
WM_CACHE_INLINE void wm_cache_host_prefetch(const struct wm_cache *cache, uint32_t set,
                                            uint64_t line)
{
    if (cache->index.rows != NULL)
        wm_cache_host_prefetch_row(cache, line);
    else
        wm_cache_host_prefetch_set(cache, set);
}

// --- Accesses ---

WM_CACHE_INLINE void wm_cache_count(struct wm_cache_counters *counters, enum wm_cache_client client,
                                    uint32_t sectors, uint32_t missing)
{
    uint64_t misses = wm_count_sectors(missing);
    uint64_t hits = wm_count_sectors(sectors) - misses;
    if (client == WM_CACHE_WRITEBACK) {
        counters->writeback_accesses++;
        counters->writeback_hits += hits;
        counters->writeback_misses += misses;
        counters->writeback_accesses_missed += missing != 0;
        return;
    }
    counters->accesses++;
    counters->accesses_missed += missing != 0;
    counters->hits += hits;
    counters->misses += misses;
    if (client == WM_CACHE_LOAD) {
        counters->load_accesses++;
        counters->load_hits += hits;
        counters->load_misses += misses;
    } else if (client == WM_CACHE_STORE) {
        counters->store_accesses++;
        counters->store_hits += hits;
        counters->store_misses += misses;
    } else {
        counters->atomic_accesses++;
        counters->atomic_hits += hits;
        counters->atomic_misses += misses;
    }
}

// The set's words from position 0 up to and including `way`.
WM_CACHE_INLINE uint32_t wm_cache_through(uint32_t way)
{
    return UINT32_MAX >> (31 - way);
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(struct wm_cache_line) == 8 &&
                   sizeof(struct wm_cache_narrow_line) == 2,
               "a line's state is one word with its dirty mask in the upper half");

static inline uint16_t wm_cache_narrow(struct wm_cache_line held)
{
    return (uint16_t)(held.valid | held.dirty << 8);
}

// Of an ordered set: the word at `from` goes, `line` comes to position `to` before it or there.
WM_CACHE_INLINE void wm_cache_move_ordered(struct wm_cache *cache, uint32_t base, uint32_t from,
                                           uint32_t to, uint64_t line, struct wm_cache_line held)
{
    uint32_t through = wm_cache_through(from), stride = cache->stride;
    uint64_t wide = held.valid | (uint64_t)held.dirty << 32;
    if (to == 0) {
        wm_ordered_to_front(cache->tags + base, stride, through, line);
        if (__builtin_expect(cache->narrow_lines == NULL, 0))
            wm_ordered_to_front(cache->wide_lines + base, stride, through, wide);
        else
            wm_ordered_narrow_to_front(cache->narrow_lines + base, stride, through,
                                       wm_cache_narrow(held));
    } else {
        uint32_t there = UINT32_C(1) << to;
        wm_ordered_move(cache->tags + base, stride, through, there, line);
        if (__builtin_expect(cache->narrow_lines == NULL, 0))
            wm_ordered_move(cache->wide_lines + base, stride, through, there, wide);
        else
            wm_ordered_narrow_move(cache->narrow_lines + base, stride, through, there,
                                   wm_cache_narrow(held));
    }
}

// The line in `way` of `set` was used, and its sectors are now as `held` says. Under order this is
// one store of each vector: a narrower store to the set would hold up the next lookup's load.
WM_CACHE_INLINE void wm_cache_update_hit(struct wm_cache *cache, uint32_t set, uint32_t way,
                                         uint64_t line, struct wm_cache_line held, bool write_back,
                                         const struct wm_requester *requester)
{
    uint32_t base = set * cache->stride;
    if (__builtin_expect(cache->is_ordered, 1)) {
        uint32_t to = 0;
        if (!cache->hit_moves_to_front)
            to = cache->hit_keeps_order
                     ? way
                     : wm_cache_hit_position(cache, set, way, line, write_back, requester);
        wm_cache_move_ordered(cache, base, way, to, line, held);
        return;
    }
    wm_cache_set_line(cache, base + way, held);
    if (cache->hit_moves_to_front)
        wm_recency_to_front(&cache->recency, set, way);
    else if (!cache->hit_keeps_order)
        wm_cache_promote(cache, set, way, line, write_back, requester);
}

// Counts what an allocation displaced.
WM_CACHE_INLINE void wm_cache_count_eviction(struct wm_cache *cache, uint64_t old,
                                             struct wm_cache_line held,
                                             struct wm_cache_victim *victim)
{
    *victim = (struct wm_cache_victim){
        .line = old, .dirty = held.dirty, .valid = held.valid, .evicted = old != WM_CACHE_EMPTY};
    cache->counters.allocations++;
    cache->counters.evictions += victim->evicted;
    cache->counters.write_backs += victim->dirty != 0;
    cache->occupied_lines += old == WM_CACHE_EMPTY;
}

// The same in an ordered set, whose last way is empty if any is (wm_cache_invalidate): under LRU no
// search for an empty way is needed.
WM_CACHE_INLINE void wm_cache_allocate_ordered(struct wm_cache *cache, uint32_t set, uint64_t line,
                                               struct wm_cache_line held, bool write_back,
                                               const struct wm_requester *requester,
                                               struct wm_cache_victim *victim)
{
    uint32_t base = set * cache->stride, last = cache->ways - 1, from = last, to = 0;
    wm_cache_count_eviction(cache, cache->tags[base + last], wm_cache_line_at(cache, base + last),
                            victim);
    if (!cache->inserts_at_front) {
        if (victim->line == WM_CACHE_EMPTY)
            from = (uint32_t)__builtin_ctz(
                wm_cache_compare(cache->tags + base, cache->stride, WM_CACHE_EMPTY));
        to = wm_cache_insert_position(cache, set, from, line, write_back, requester);
    }
    wm_cache_move_ordered(cache, base, from, to, line, held);
}

// Prefetches the row of the line that the next allocation in `set` will displace, and what the one
// after that will find where it is.
WM_CACHE_INLINE void wm_cache_host_prefetch_victim(const struct wm_cache *cache, uint32_t set)
{
    const struct wm_recency_node *nodes = wm_recency_nodes(&cache->recency, set);
    uint32_t base = set * cache->stride, next = nodes[nodes[cache->ways].next].previous;
    uint32_t after = nodes[next].previous;
    wm_index_host_prefetch_row(&cache->index, cache->tags[base + next]);
    __builtin_prefetch(cache->tags + base + after, 1);
    wm_cache_host_prefetch_line(cache, base + after);
    __builtin_prefetch(nodes + nodes[after].previous, 1);
}

// Gives `line` a way of `set` with the sectors of `held`, displacing what is there. Returns false
// when nothing may be displaced.
WM_CACHE_INLINE bool wm_cache_allocate(struct wm_cache *cache, uint32_t set, uint64_t line,
                                       struct wm_cache_line held, bool write_back,
                                       const struct wm_requester *requester,
                                       struct wm_cache_victim *victim)
{
    if (__builtin_expect(cache->is_ordered, 1)) {
        wm_cache_allocate_ordered(cache, set, line, held, write_back, requester, victim);
        return true;
    }
    int32_t way = cache->inserts_at_front
                      ? (int32_t)wm_recency_rotate(&cache->recency, set)
                      : wm_cache_replace(cache, set, line, write_back, requester);
    if (way < 0) {
        cache->counters.refusals++;
        victim->refused = true;
        return false;
    }
    uint32_t slot = set * cache->stride + (uint32_t)way;
    uint64_t old = cache->tags[slot];
    wm_cache_count_eviction(cache, old, wm_cache_line_at(cache, slot), victim);
    cache->tags[slot] = line;
    wm_cache_set_line(cache, slot, held);
    if (cache->index.rows != NULL) {
        if (old != WM_CACHE_EMPTY)
            wm_index_remove(&cache->index, slot, old);
        wm_index_insert(&cache->index, slot, line);
        if (cache->inserts_at_front)
            wm_cache_host_prefetch_victim(cache, set);
    }
    return true;
}

// What a read of `sectors` makes of a line that is there.
WM_CACHE_INLINE struct wm_cache_line wm_cache_read_hit(struct wm_cache *cache,
                                                       struct wm_cache_line held, uint32_t sectors,
                                                       bool allocate,
                                                       struct wm_cache_result *result)
{
    result->missing = sectors & ~held.valid;
    if (__builtin_expect(result->missing != 0, 0)) {
        cache->counters.sector_misses += wm_count_sectors(result->missing);
        result->fetch = allocate ? wm_cache_fetch_units(cache, result->missing) : result->missing;
        held.valid |= allocate ? result->fetch : 0;
        cache->counters.fills += allocate ? wm_count_sectors(result->fetch) : 0;
    }
    return held;
}

// A read of a line that is in `way` of `set`, or, when `way` is negative, nowhere: all but
// wm_cache_count, which is left to the caller.
WM_CACHE_INLINE struct wm_cache_result wm_cache_read_at(struct wm_cache *cache, uint32_t set,
                                                        int32_t way, uint64_t line,
                                                        uint32_t sectors, bool allocate,
                                                        const struct wm_requester *requester)
{
    struct wm_cache_result result = {0};
    if (way >= 0) {
        struct wm_cache_line held = wm_cache_line_at(cache, set * cache->stride + (uint32_t)way);
        held = wm_cache_read_hit(cache, held, sectors, allocate, &result);
        wm_cache_update_hit(cache, set, (uint32_t)way, line, held, false, requester);
    } else {
        struct wm_cache_line held = {.valid = wm_cache_fetch_units(cache, sectors)};
        bool taken =
            allocate && wm_cache_allocate(cache, set, line, held, false, requester, &result.victim);
        result.missing = sectors;
        result.fetch = taken ? held.valid : sectors;
        cache->counters.fills += taken ? wm_count_sectors(held.valid) : 0;
    }
    return result;
}

// A read: of a load, or of the level above that fetches. `set` is that of the line.
WM_CACHE_INLINE struct wm_cache_result wm_cache_read_in(struct wm_cache *cache, uint32_t set,
                                                        uint64_t line, uint32_t sectors,
                                                        bool allocate,
                                                        const struct wm_requester *requester)
{
    if (WM_CACHE_MAY_BE_OPT && cache->opt != NULL)
        return wm_cache_opt_read(cache, set, line, sectors, allocate);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    struct wm_cache_result result =
        wm_cache_read_at(cache, set, way, line, sectors, allocate, requester);
    wm_cache_count(&cache->counters, WM_CACHE_LOAD, sectors, result.missing);
    return result;
}

WM_CACHE_INLINE struct wm_cache_result wm_cache_read_inline(struct wm_cache *cache, uint64_t line,
                                                            uint64_t index_line, uint32_t sectors,
                                                            bool allocate,
                                                            const struct wm_requester *requester)
{
    uint32_t set = wm_cache_set_of(cache, index_line);
    return wm_cache_read_in(cache, set, line, sectors, allocate, requester);
}

// What a store of `sectors` makes of a line that did not hold `missing` of them: units that the
// store does not cover whole are fetched, and memory below does not see yet what is dirty.
WM_CACHE_INLINE struct wm_cache_line wm_cache_line_after_write(const struct wm_cache *cache,
                                                               struct wm_cache_line held,
                                                               uint32_t missing, uint32_t sectors,
                                                               uint32_t full_sectors,
                                                               struct wm_cache_result *result)
{
    uint32_t wanted = wm_cache_fetch_units(cache, missing);
    result->fetch = wm_cache_fetch_units(cache, wanted & ~(full_sectors & cache->covers));
    held.valid |= wanted;
    if (cache->write_policy == WM_WRITE_BACK)
        held.dirty |= wm_cache_fetch_units(cache, sectors);
    else
        result->forward = sectors;
    return held;
}

// What a write makes of a line that is there; without valid sectors it is to be dropped.
WM_CACHE_INLINE struct wm_cache_line wm_cache_write_hit(struct wm_cache *cache,
                                                        enum wm_cache_client client,
                                                        struct wm_cache_line held, uint32_t sectors,
                                                        uint32_t full_sectors, bool allocate,
                                                        struct wm_cache_result *result)
{
    uint32_t missing = result->missing = sectors & ~held.valid;
    cache->counters.sector_misses += client == WM_CACHE_WRITEBACK ? 0 : wm_count_sectors(missing);
    if (cache->write_policy == WM_WRITE_THROUGH_EVICT) {
        result->forward = sectors;
        result->fetch = client == WM_CACHE_ATOMIC ? missing : 0;
        return (struct wm_cache_line){0};
    }
    // Sectors that are not there and may not be taken go on; the others are written here.
    uint32_t taken = allocate ? missing : 0, gone = missing & ~taken;
    held = wm_cache_line_after_write(cache, held, taken, sectors & ~gone, full_sectors, result);
    cache->counters.fills += wm_count_sectors(result->fetch);
    result->forward |= gone;
    result->fetch |= client == WM_CACHE_ATOMIC ? gone : 0;
    return held;
}

// A write of a line that is in `way` of `set`, or, when `way` is negative, nowhere.
WM_CACHE_INLINE struct wm_cache_result wm_cache_write_at(struct wm_cache *cache,
                                                         enum wm_cache_client client, uint32_t set,
                                                         int32_t way, uint64_t line,
                                                         uint64_t index_line, uint32_t sectors,
                                                         uint32_t full_sectors, bool allocate,
                                                         const struct wm_requester *requester)
{
    struct wm_cache_result result = {0};
    if (way >= 0) {
        struct wm_cache_line held = wm_cache_line_at(cache, set * cache->stride + (uint32_t)way);
        held = wm_cache_write_hit(cache, client, held, sectors, full_sectors, allocate, &result);
        if (__builtin_expect(cache->write_policy != WM_WRITE_THROUGH_EVICT, 1))
            wm_cache_update_hit(cache, set, (uint32_t)way, line, held, client == WM_CACHE_WRITEBACK,
                                requester);
        else
            wm_cache_invalidate(cache, line, index_line, cache->all_sectors);
    } else {
        struct wm_cache_line held = wm_cache_line_after_write(
            cache, (struct wm_cache_line){0}, sectors, sectors, full_sectors, &result);
        bool write_back = client == WM_CACHE_WRITEBACK;
        bool taken = allocate && wm_cache_allocate(cache, set, line, held, write_back, requester,
                                                   &result.victim);
        if (taken) {
            cache->counters.fills += wm_count_sectors(result.fetch);
        } else {
            result.forward = sectors;
            result.fetch = client == WM_CACHE_ATOMIC ? sectors : 0;
        }
        result.missing = sectors;
    }
    wm_cache_count(&cache->counters, client, sectors, result.missing);
    return result;
}

// A write: of a store, an atomic (read and written here), or a victim of the level above. `set` is
// that of the line.
WM_CACHE_INLINE struct wm_cache_result wm_cache_write_in(struct wm_cache *cache,
                                                         enum wm_cache_client client, uint32_t set,
                                                         uint64_t line, uint64_t index_line,
                                                         uint32_t sectors, uint32_t full_sectors,
                                                         bool allocate,
                                                         const struct wm_requester *requester)
{
    if (WM_CACHE_MAY_BE_OPT && cache->opt != NULL)
        return wm_cache_opt_write(cache, client, set, line, sectors, full_sectors, allocate);
    return wm_cache_write_at(cache, client, set, wm_cache_find_in_set(cache, set, line), line,
                             index_line, sectors, full_sectors, allocate, requester);
}

WM_CACHE_INLINE struct wm_cache_result wm_cache_write_inline(
    struct wm_cache *cache, enum wm_cache_client client, uint64_t line, uint64_t index_line,
    uint32_t sectors, uint32_t full_sectors, bool allocate, const struct wm_requester *requester)
{
    return wm_cache_write_in(cache, client, wm_cache_set_of(cache, index_line), line, index_line,
                             sectors, full_sectors, allocate, requester);
}

#endif

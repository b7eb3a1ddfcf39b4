// The hot path of the array, inline, for owners that compile it into their own access path: a
// lookup is a vector compare, an LRU update a few register operations, and nothing is called
// through a pointer for LRU and modulo. Which vector width is used is decided by the flags this is
// compiled with (access_path.c); without any it is plain C. Private to mem/.
#ifndef WM_MEM_CACHE_INLINE_ACCESS_H
#define WM_MEM_CACHE_INLINE_ACCESS_H

#include "base/host/select.h"
#include "mem/cache/cache.h"
#include "mem/cache/ordered_set.h"

#include <stddef.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// The vector builds of the access path leave caches under `opt` to the full one (access_path.c).
#if defined(WM_PATHS) && !WM_PATHS_FULL
#define WM_CACHE_MAY_BE_OPT false
#else
#define WM_CACHE_MAY_BE_OPT true
#endif

// A build for fuzzing is not in a hurry: instrumented, all in one function takes minutes to
// compile.
#ifdef WM_FUZZING
#define WM_CACHE_INLINE static inline __attribute__((unused))
#else
#define WM_CACHE_INLINE static inline __attribute__((always_inline))
#endif

// cache.c: what entries other than plain LRU answer, off the inline path. Which way `line` takes;
// the entry's hooks get the line that leaves and the one that comes. WM_NO_WAY when none may be
// displaced. Tags are still the caller's to set.
int32_t wm_cache_replace(struct wm_cache *cache, uint32_t set, uint64_t line, bool write_back,
                         const struct wm_requester *requester);
void wm_cache_promote(struct wm_cache *cache, uint32_t set, uint32_t way, uint64_t line,
                      bool write_back, const struct wm_requester *requester);
// opt_cache.c: the same accesses of a cache under `opt`, where no way holds a line.
struct wm_cache_result wm_cache_opt_access(struct wm_cache *cache, enum wm_cache_client client,
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
    if (__builtin_expect(cache->masks_sets, 1))
        return (uint32_t)index_line & (cache->sets - 1);
    if (cache->set_index->is_modulo) {
        uint64_t set;
        wm_divide(&cache->set_divider, index_line, &set);
        return (uint32_t)set;
    }
    if (__builtin_expect(cache->set_index->is_linear, 1))
        return wm_set_hashed(&cache->set_hash, index_line);
    return cache->set_index->index(index_line, cache->line_bytes, cache->sets);
}

#if defined(__SSE4_1__)
// Bit i: of eight tags, tag i equals `line`.
WM_CACHE_INLINE uint32_t wm_cache_equal_of_eight(const uint64_t *tags, uint64_t line)
{
    const __m128i *at = (const __m128i *)(const void *)tags;
    __m128i needle = _mm_set1_epi64x((long long)line);
    __m128i low = _mm_packs_epi32(_mm_cmpeq_epi64(_mm_load_si128(at), needle),
                                  _mm_cmpeq_epi64(_mm_load_si128(at + 1), needle));
    __m128i high = _mm_packs_epi32(_mm_cmpeq_epi64(_mm_load_si128(at + 2), needle),
                                   _mm_cmpeq_epi64(_mm_load_si128(at + 3), needle));
    __m128i pairs = _mm_packs_epi16(low, high); // two bytes a tag
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(pairs, _mm_setzero_si128()));
}
#elif defined(__SSE2__)
// The same. The halves of a tag are compared apart: together they are from SSE4 on only.
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

// Whether an array finds its lines through its index, has narrow ones, and is under LRU or FIFO.
// Where that is known, functions below get it as the constant `indexed`; else they get false.
static inline bool wm_cache_is_indexed(const struct wm_cache *cache)
{
    return cache->index.rows != NULL && cache->narrow_lines != NULL && cache->inserts_at_front &&
           (cache->hit_moves_to_front || cache->hit_keeps_order);
}

WM_CACHE_INLINE int32_t wm_cache_way_of(const struct wm_cache *cache, bool indexed, uint32_t set,
                                        uint64_t line)
{
    if (!indexed && __builtin_expect(cache->index.rows == NULL, 1)) {
        const uint64_t *tags = cache->tags + (uint64_t)set * cache->stride;
        uint32_t equal = wm_cache_compare(tags, cache->stride, line);
        return equal != 0 ? __builtin_ctz(equal) : -1;
    }
    int64_t slot = wm_index_find(&cache->index, cache->tags, line);
    return slot >= 0 ? (int32_t)((uint32_t)slot - set * cache->stride) : -1;
}

WM_CACHE_INLINE int32_t wm_cache_find_in_set(const struct wm_cache *cache, uint32_t set,
                                             uint64_t line)
{
    return wm_cache_way_of(cache, false, set, line);
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

// `requests` of one client for so many `sectors`, of which `missing` were not there: those of
// `missed` requests.
WM_CACHE_INLINE void wm_cache_count_requests(struct wm_cache_counters *counters,
                                             enum wm_cache_client client, uint64_t requests,
                                             uint64_t sectors, uint64_t missing, uint64_t missed)
{
    uint64_t hits = sectors - missing;
    uint64_t *own = (uint64_t *)counters + offsetof(struct wm_cache_counters, load_accesses) / 8 +
                    (size_t)client * 3;
    own[0] += requests;
    own[1] += hits;
    own[2] += missing;
    if (client == WM_CACHE_WRITEBACK) {
        counters->writeback_accesses_missed += missed;
        return;
    }
    counters->accesses += requests;
    counters->accesses_missed += missed;
    counters->hits += hits;
    counters->misses += missing;
}

WM_CACHE_INLINE void wm_cache_count(struct wm_cache_counters *counters, enum wm_cache_client client,
                                    uint32_t sectors, uint32_t missing)
{
    wm_cache_count_requests(counters, client, 1, wm_count_sectors(sectors),
                            wm_count_sectors(missing), missing != 0);
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
WM_CACHE_INLINE void wm_cache_update_hit(struct wm_cache *cache, bool indexed, uint32_t set,
                                         uint32_t way, uint64_t line, struct wm_cache_line held,
                                         bool write_back, const struct wm_requester *requester)
{
    uint32_t base = set * cache->stride;
    if (indexed) {
        if (cache->hit_moves_to_front)
            wm_recency_ring_to_front(&cache->recency, set, way);
        return;
    }
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

// Prefetches the row of the line that the next allocation in a set will displace, and what the one
// after that will find where it is. `way` went last, and is now the first of the ring `nodes`.
WM_CACHE_INLINE void wm_cache_host_prefetch_victim(const struct wm_cache *cache,
                                                   const struct wm_recency_node *nodes,
                                                   uint32_t base, uint32_t way)
{
    uint32_t next = nodes[way].previous, after = nodes[next].previous;
    wm_cache_host_prefetch_line(cache, base + next);
    __builtin_prefetch(cache->tags + base + after, 1);
    __builtin_prefetch(nodes + after, 1);
    wm_index_host_prefetch_row(&cache->index, cache->tags[base + next]);
}

// Gives `line` a way of `set` with the sectors of `held`, displacing what is there. Returns false
// when nothing may be displaced.
WM_CACHE_INLINE bool wm_cache_allocate(struct wm_cache *cache, bool indexed, uint32_t set,
                                       uint64_t line, struct wm_cache_line held, bool write_back,
                                       const struct wm_requester *requester,
                                       struct wm_cache_victim *victim)
{
    struct wm_recency_node *nodes = NULL;
    int32_t way;
    if (!indexed && __builtin_expect(cache->is_ordered, 1)) {
        wm_cache_allocate_ordered(cache, set, line, held, write_back, requester, victim);
        return true;
    }
    if (indexed || cache->index.rows != NULL)
        nodes = wm_recency_nodes(&cache->recency, set);
    if (indexed)
        way = (int32_t)wm_recency_nodes_rotate(nodes, cache->ways);
    else if (cache->inserts_at_front)
        way = (int32_t)wm_recency_rotate(&cache->recency, set);
    else
        way = wm_cache_replace(cache, set, line, write_back, requester);
    if (way < 0) {
        cache->counters.refusals++;
        victim->refused = true;
        return false;
    }
    uint32_t base = set * cache->stride, slot = base + (uint32_t)way;
    uint64_t old = cache->tags[slot];
    struct wm_cache_line left = {0};
    if (!indexed)
        left = wm_cache_line_at(cache, slot);
    else if (cache->write_policy == WM_WRITE_BACK) // else nothing is dirty, and no more is wanted
        left = wm_cache_narrow_at(cache, slot);
    wm_cache_count_eviction(cache, old, left, victim);
    cache->tags[slot] = line;
    if (indexed)
        wm_cache_set_narrow(cache, slot, held);
    else
        wm_cache_set_line(cache, slot, held);
    if (indexed || cache->index.rows != NULL) {
        const struct wm_line_index index = cache->index; // else it is read again behind each store
        if (__builtin_expect(old != WM_CACHE_EMPTY, 1))
            wm_index_remove(&index, slot, old);
        wm_index_insert(&index, slot, line);
        if (cache->inserts_at_front)
            wm_cache_host_prefetch_victim(cache, nodes, base, (uint32_t)way);
    }
    return true;
}

// --- An access ---

// Whether a write that finds its line drops it.
static inline bool wm_cache_drops(const struct wm_cache *cache, enum wm_cache_client client)
{
    return __builtin_expect(cache->write_policy == WM_WRITE_THROUGH_EVICT, 0) &&
           client != WM_CACHE_LOAD;
}

// What an access makes of a line that is not dropped, or of none, which holds no sector.
// WM_CACHE_LOAD, of a load or of the level above that fetches, reads; the others, stores, atomics
// (read and written here) and victims of the level above, write. Sectors that are not there and may
// not be taken are read below, or go on; units that a write does not cover whole are fetched;
// memory below does not see yet what is dirty.
WM_CACHE_INLINE struct wm_cache_line wm_cache_line_after(
    const struct wm_cache *cache, enum wm_cache_client client, struct wm_cache_line held,
    uint32_t sectors, uint32_t full_sectors, bool allocate, struct wm_cache_result *result)
{
    bool writes = client != WM_CACHE_LOAD;
    uint32_t missing = sectors & ~held.valid, gone = allocate ? 0 : missing;
    uint32_t wanted = wm_cache_fetch_units(cache, missing & ~gone);
    uint32_t covered = writes ? full_sectors & cache->covers : 0;
    result->missing = missing;
    result->fetch = wm_cache_fetch_units(cache, wanted & ~covered);
    if (__builtin_expect(gone != 0, 0))
        result->fetch = client == WM_CACHE_LOAD || client == WM_CACHE_ATOMIC ? gone : 0;
    held.valid |= wanted;
    if (cache->write_policy == WM_WRITE_BACK) {
        held.dirty |= writes ? wm_cache_fetch_units(cache, sectors & ~gone) : 0;
        result->forward = writes ? gone : 0;
    } else {
        result->forward = writes ? sectors : 0;
    }
    return held;
}

// The same of a line that is there, with what is counted of it.
WM_CACHE_INLINE struct wm_cache_line wm_cache_hit(struct wm_cache *cache,
                                                  enum wm_cache_client client,
                                                  struct wm_cache_line held, uint32_t sectors,
                                                  uint32_t full_sectors, bool allocate,
                                                  struct wm_cache_result *result)
{
    uint32_t missing = sectors & ~held.valid;
    if (__builtin_expect(missing == 0, 1) && client == WM_CACHE_LOAD)
        return held;
    if (missing != 0 && client != WM_CACHE_WRITEBACK)
        cache->counters.sector_misses += wm_count_sectors(missing);
    if (wm_cache_drops(cache, client)) {
        result->missing = missing;
        result->forward = sectors;
        result->fetch = client == WM_CACHE_ATOMIC ? missing : 0;
        return (struct wm_cache_line){0};
    }
    held = wm_cache_line_after(cache, client, held, sectors, full_sectors, allocate, result);
    if (missing != 0 && allocate)
        cache->counters.fills += wm_count_sectors(result->fetch);
    return held;
}

// A line that is not there was not taken: what is done below.
static inline void wm_cache_not_taken(enum wm_cache_client client, uint32_t sectors,
                                      struct wm_cache_result *result)
{
    result->forward = client != WM_CACHE_LOAD ? sectors : 0;
    result->fetch = client == WM_CACHE_LOAD || client == WM_CACHE_ATOMIC ? sectors : 0;
}

// An access to a line that is in `way` of `set`, or, when `way` is negative, nowhere: all but
// wm_cache_count, which is left to the caller.
WM_CACHE_INLINE struct wm_cache_result wm_cache_access_at(struct wm_cache *cache, bool indexed,
                                                          enum wm_cache_client client, uint32_t set,
                                                          int32_t way, uint64_t line,
                                                          uint64_t index_line, uint32_t sectors,
                                                          uint32_t full_sectors, bool allocate,
                                                          const struct wm_requester *requester)
{
    struct wm_cache_result result = {0};
    bool write_back = client == WM_CACHE_WRITEBACK;
    struct wm_cache_line held = {0};
    if (way >= 0) {
        uint32_t slot = set * cache->stride + (uint32_t)way;
        struct wm_cache_line was =
            indexed ? wm_cache_narrow_at(cache, slot) : wm_cache_line_at(cache, slot);
        held = wm_cache_hit(cache, client, was, sectors, full_sectors, allocate, &result);
        if (indexed && (was.valid != held.valid || was.dirty != held.dirty))
            wm_cache_set_narrow(cache, slot, held);
        if (wm_cache_drops(cache, client))
            wm_cache_invalidate(cache, line, index_line, cache->all_sectors);
        else
            wm_cache_update_hit(cache, indexed, set, (uint32_t)way, line, held, write_back,
                                requester);
        return result;
    }
    held = wm_cache_line_after(cache, client, held, sectors, full_sectors, true, &result);
    if (allocate &&
        wm_cache_allocate(cache, indexed, set, line, held, write_back, requester, &result.victim))
        cache->counters.fills += wm_count_sectors(result.fetch);
    else
        wm_cache_not_taken(client, sectors, &result);
    return result;
}

// The same of a line that is looked for.
WM_CACHE_INLINE struct wm_cache_result wm_cache_access_in(struct wm_cache *cache,
                                                          enum wm_cache_client client, uint32_t set,
                                                          uint64_t line, uint64_t index_line,
                                                          uint32_t sectors, uint32_t full_sectors,
                                                          bool allocate,
                                                          const struct wm_requester *requester)
{
    if (WM_CACHE_MAY_BE_OPT && cache->opt != NULL)
        return wm_cache_opt_access(cache, client, set, line, sectors, full_sectors, allocate);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    struct wm_cache_result result =
        wm_cache_access_at(cache, false, client, set, way, line, index_line, sectors, full_sectors,
                           allocate, requester);
    wm_cache_count(&cache->counters, client, sectors, result.missing);
    return result;
}

// --- Many accesses to an array under LRU ---

// What they need of an array whose sets stand in order, by value: else it is read again behind each
// store of a vector.
struct wm_lru_array {
    uint64_t *tags;
    struct wm_cache_narrow_line *lines;
    const uint8_t *units; // by mask
    uint32_t last, covers;
};

// The tags of a set, where an array is one; 0 where not.
static inline uint32_t wm_lru_stride(const struct wm_cache *cache)
{
    return cache->is_ordered && cache->is_lru && cache->narrow_lines != NULL ? cache->stride : 0;
}

static inline struct wm_lru_array wm_lru_array_of(const struct wm_cache *cache)
{
    return (struct wm_lru_array){.tags = cache->tags,
                                 .lines = cache->narrow_lines,
                                 .units = cache->units,
                                 .last = cache->ways - 1,
                                 .covers = cache->covers};
}

// What became of an access.
struct wm_lru_result {
    uint64_t last;             // the line that was last; it was displaced where nothing was held
    uint32_t missing, fetch;   // as of a wm_cache_result
    uint32_t victim_dirty;     // sectors of the line that was displaced
    uint32_t was_dirty, dirty; // sectors of the line, before and after
    uint32_t held;             // all ones where the line was there, else 0
};

// An access after which the line is there: a read, or a write to a cache that writes back, both of
// which take lines; `write_mask`: all ones of a write, else 0. Nothing is counted. `stride` is a
// constant where most time goes. A hit and a miss are the same instructions, and what differs is
// selected: which comes next no processor foresees, and a branch that it takes wrongly costs as
// much as all of this.
WM_CACHE_INLINE struct wm_lru_result wm_lru_access(const struct wm_lru_array *array,
                                                   uint32_t stride, uint32_t set, uint64_t line,
                                                   uint32_t sectors, uint32_t full_sectors,
                                                   uint32_t write_mask)
{
    uint64_t base = (uint64_t)set * stride, *tags = array->tags + base;
    struct wm_cache_narrow_line *lines = array->lines + base;
    uint64_t old = tags[array->last];
    uint32_t equal = wm_cache_compare(tags, stride, line);
    uint32_t from = equal | UINT32_C(1) << array->last, through = from ^ (from - 1);
    uint32_t held = (uint32_t)wm_select_mask(equal != 0);
    uint16_t state;
    memcpy(&state, &lines[__builtin_ctz(from)], sizeof state);
    uint32_t kept = state & held, missing = sectors & ~kept, wanted = array->units[missing];
    uint32_t covered = full_sectors & array->covers & write_mask;
    uint32_t now = kept | wanted | (array->units[sectors] & write_mask) << 8;
    wm_ordered_to_front(tags, stride, through, line);
    wm_ordered_narrow_to_front(lines, stride, through, (uint16_t)now);
    return (struct wm_lru_result){.last = old,
                                  .missing = missing,
                                  .fetch = array->units[wanted & ~covered],
                                  .victim_dirty = (state & ~held) >> 8,
                                  .was_dirty = kept >> 8,
                                  .dirty = now >> 8,
                                  .held = held};
}

#endif

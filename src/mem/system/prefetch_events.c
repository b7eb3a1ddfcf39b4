#include "mem/system/prefetch_events.h"

// --- Lines of memory, and those that a cache may hold ---

static size_t number_of(const struct wm_cache_level *level, const struct wm_cache *cache)
{
    return (size_t)(cache - level->caches);
}

static bool is_of(const struct wm_cache_level *level, const struct wm_cache *cache, uint64_t line,
                  uint64_t *within)
{
    return wm_level_slice(level, line, within) == number_of(level, cache) % level->slices.divisor;
}

// The line of a cache that has `near`.
static uint64_t line_of(const struct wm_cache_level *level, uint64_t within, uint64_t near)
{
    uint64_t ignored, home = level->is_home ? near & WM_GPU_ADDRESS_MASK >> level->line_shift : 0;
    uint64_t in_block = within & ((UINT64_C(1) << level->block_shift) - 1);
    uint64_t slice = wm_level_slice(level, near, &ignored);
    uint64_t block = (within >> level->block_shift) * level->slices.divisor + slice;
    block = wm_block_place(level->interleave_hash, block); // back to where it lies
    return (block << level->block_shift | in_block) + home;
}

// --- What happens ---

// What the entry says to an access of a line.
static const struct wm_prefetch_answer *answer_of(const struct wm_cache_level *level,
                                                  const struct wm_cache *cache, uint64_t line,
                                                  const struct wm_requester *who)
{
    const struct wm_prefetchers *prefetchers = &level->prefetchers;
    struct wm_prefetch_answer *answer = wm_prefetchers_wanted(level, cache);
    struct wm_prefetch_event event = {
        .pc = who->pc, .warp = who->warp, .sm = who->sm, .kind = who->kind};
    wm_level_slice(level, line, &event.line);
    *answer = (struct wm_prefetch_answer){0};
    prefetchers->ops->missed(wm_prefetchers_state(prefetchers, number_of(level, cache)), &event,
                             answer);
    for (uint32_t i = 0; i < answer->count; i++)
        answer->lines[i] = line_of(level, answer->lines[i], line);
    prefetchers->counters[number_of(level, cache)].misses++;
    return answer;
}

bool wm_prefetchers_missed(const struct wm_cache_level *level, const struct wm_cache *cache,
                           uint64_t line, const struct wm_requester *who)
{
    bool supplies = answer_of(level, cache, line, who)->supplies;
    level->prefetchers.counters[number_of(level, cache)].supplied += supplies;
    return supplies;
}

void wm_prefetchers_noticed(const struct wm_cache_level *level, const struct wm_cache *cache,
                            uint64_t line, const struct wm_requester *who, bool brought)
{
    answer_of(level, cache, line, who);
    level->prefetchers.counters[number_of(level, cache)].supplied += brought;
}

struct wm_prefetch_answer *wm_prefetchers_wanted(const struct wm_cache_level *level,
                                                 const struct wm_cache *cache)
{
    return &level->prefetchers.answers[number_of(level, cache)];
}

void wm_prefetchers_requested(const struct wm_cache_level *level, struct wm_cache *cache)
{
    const struct wm_prefetchers *prefetchers = &level->prefetchers;
    struct wm_prefetcher_counters *counters = &prefetchers->counters[number_of(level, cache)];
    counters->prefetches++;
    counters->bytes_prefetched += cache->line_bytes;
    cache->counters.bytes_from_below += cache->line_bytes;
}

void wm_prefetchers_filled(const struct wm_cache_level *level, const struct wm_cache *cache)
{
    struct wm_prefetcher_counters *counters = &level->prefetchers.counters[number_of(level, cache)];
    counters->prefetches++;
    counters->bytes_prefetched += cache->line_bytes;
}

// Returns whether the prefetcher held the line.
static bool drop(const struct wm_cache_level *level, const struct wm_cache *cache, uint64_t line)
{
    const struct wm_prefetchers *prefetchers = &level->prefetchers;
    uint64_t within;
    return prefetchers->ops != NULL && is_of(level, cache, line, &within) &&
           prefetchers->ops->dropped(wm_prefetchers_state(prefetchers, number_of(level, cache)),
                                     within);
}

void wm_prefetchers_refused(const struct wm_cache_level *level, const struct wm_cache *cache,
                            uint64_t line)
{
    drop(level, cache, line);
}

void wm_prefetchers_dropped(const struct wm_cache_level *level, const struct wm_cache *cache,
                            uint64_t line)
{
    if (drop(level, cache, line))
        level->prefetchers.counters[number_of(level, cache)].dropped++;
}

void wm_prefetchers_left(const struct wm_cache_level *level, const struct wm_cache *cache,
                         uint64_t line, bool brought)
{
    drop(level, cache, line);
    level->prefetchers.counters[number_of(level, cache)].dropped += brought;
}

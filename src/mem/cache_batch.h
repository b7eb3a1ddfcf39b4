// One step of the plainest and most common array, without a branch that depends on the data:
// ordered LRU, modulo, unsectored, write-back, write-allocate. Long reference streams miss and
// store at random, and a mispredicted branch costs as much as all of the lookup: here a hit and a
// miss run the same instructions, and what differs is selected.
//
// It works because under LRU both end alike: the line stands in front, and what stood before its
// old place, or before the end, has moved back by one. Everything else of the array is as in
// cache_access.h, so both forms may be used on one cache by turns.
#ifndef WM_MEM_CACHE_BATCH_H
#define WM_MEM_CACHE_BATCH_H

#include "mem/cache_access.h"

// What a step needs of a cache, by value, so that it stays in registers.
struct wm_cache_steps {
    uint64_t *tags;
    struct wm_cache_line *lines;
    struct wm_divider sets;
    uint32_t last;      // position of the least recent way
    uint64_t all_valid; // a line's state, all sectors valid and none dirty
};

struct wm_cache_step {
    uint64_t last_line; // what stood last: the victim of a miss, WM_CACHE_EMPTY for none
    bool miss, victim_dirty;
};

static inline bool wm_cache_can_step(const struct wm_cache *cache)
{
    return cache->is_ordered && cache->is_lru && cache->set_index->is_modulo &&
           cache->unit_sectors == cache->line_sectors && cache->write_policy == WM_WRITE_BACK &&
           cache->write_allocate && cache->write_fetch == WM_FETCH_PARTIAL;
}

static inline struct wm_cache_steps wm_cache_steps_of(const struct wm_cache *cache)
{
    return (struct wm_cache_steps){
        .tags = cache->tags,
        .lines = cache->lines,
        .sets = cache->set_divider,
        .last = cache->ways - 1,
        .all_valid = cache->all_sectors,
    };
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(struct wm_cache_line) == 8,
               "a line's state is one word with its dirty mask in the upper half");

// Reads `line`, or writes it when `write_mask` is all ones (else zero). `stride` is the cache's
// and `power_of_two` says that its number of sets is one: passed apart so that a caller that knows
// them lets the compiler unroll and select.
WM_CACHE_INLINE struct wm_cache_step wm_cache_step(const struct wm_cache_steps *steps,
                                                   uint32_t stride, bool power_of_two,
                                                   uint64_t line, uint64_t write_mask)
{
    uint64_t set = line & (steps->sets.divisor - 1);
    if (!power_of_two)
        wm_divide(&steps->sets, line, &set);
    uint64_t *tags = steps->tags + set * stride, last_line = tags[steps->last];
    struct wm_cache_line *lines = steps->lines + set * stride;
    uint32_t equal = wm_cache_compare(tags, stride, line), last = UINT32_C(1) << steps->last;
    bool miss = equal == 0;
    uint32_t end = equal | (miss ? last : 0); // the bit of the word that moves to the front
    uint32_t through = end ^ (end - 1);

    uint64_t state, if_miss = 0 - (uint64_t)miss;
    memcpy(&state, &lines[__builtin_ctz(end)], sizeof state);
    uint64_t front =
        (state & ~if_miss) | steps->all_valid | (write_mask & (steps->all_valid << 32));
    wm_ordered_to_front(tags, stride, through, line);
    wm_ordered_to_front(lines, stride, through, front);
    return (struct wm_cache_step){
        .last_line = last_line,
        .miss = miss,
        .victim_dirty = (state & if_miss) >> 32 != 0,
    };
}

#endif

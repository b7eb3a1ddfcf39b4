// One step of the plainest and most common array, without a branch that depends on the data: LRU in
// up to 16 ways, modulo, unsectored, write-back, write-allocate. Long reference streams miss and
// store at random, and a mispredicted branch costs as much as all of the lookup: here a hit and a
// miss run the same instructions, and what differs is selected.
//
// It works because under LRU both end alike: the way (found, or least recent) moves to the front of
// the chain and holds the line. Everything else of the array is as in cache_access.h, so both forms
// may be used on one cache by turns.
#ifndef WM_MEM_CACHE_BATCH_H
#define WM_MEM_CACHE_BATCH_H

#include "mem/cache_access.h"

// What a step needs of a cache, by value, so that it stays in registers.
struct wm_cache_steps {
    uint64_t *tags;
    struct wm_cache_line *lines;
    uint64_t *packed;
    struct wm_divider sets;
    uint64_t packed_mask;
    uint32_t last_shift;
    uint64_t all_valid; // a line's state, all sectors valid and none dirty
};

struct wm_cache_step {
    uint64_t old_line; // what the way held; WM_CACHE_EMPTY when nothing
    bool miss, victim_dirty;
};

static inline bool wm_cache_can_step(const struct wm_cache *cache)
{
    return cache->is_lru && cache->recency.packed != NULL && cache->set_index->is_modulo &&
           cache->unit_sectors == cache->line_sectors && cache->write_policy == WM_WRITE_BACK &&
           cache->write_allocate;
}

static inline struct wm_cache_steps wm_cache_steps_of(const struct wm_cache *cache)
{
    return (struct wm_cache_steps){
        .tags = cache->tags,
        .lines = cache->lines,
        .packed = cache->recency.packed,
        .sets = cache->set_divider,
        .packed_mask = cache->recency.packed_mask,
        .last_shift = 4 * (cache->ways - 1),
        .all_valid = cache->all_sectors,
    };
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(struct wm_cache_line) == 8,
               "a line's state is one word with its dirty mask in the upper half");

// Reads `line`, or writes it when `write_mask` is all ones (else zero). `stride` is the cache's
// and `power_of_two` says that its number of sets is one: passed apart so that a caller that knows
// them lets the compiler unroll and select. `spilled` is a word that nobody reads.
WM_CACHE_INLINE struct wm_cache_step wm_cache_step(const struct wm_cache_steps *steps,
                                                   uint32_t stride, bool power_of_two,
                                                   uint64_t line, uint64_t write_mask,
                                                   uint64_t *spilled)
{
    uint64_t set = line & (steps->sets.divisor - 1);
    if (!power_of_two)
        wm_divide(&steps->sets, line, &set);
    uint64_t chain = steps->packed[set];
    uint64_t *tags = steps->tags + set * stride;
    uint32_t equal = wm_cache_compare(tags, stride, line);
    bool miss = equal == 0;
    uint64_t if_miss = 0 - (uint64_t)miss;
    uint64_t found = (uint64_t)(uint32_t)__builtin_ctz(equal | (UINT32_C(1) << 31));
    uint64_t last = (chain >> steps->last_shift) & 15;
    // Written so, because compilers branch on ?: here. The two cases meet as late as they can: the
    // chain of a set that is used again at once is what the next step waits for.
    uint64_t way = found ^ ((found ^ last) & if_miss);
    uint64_t through = wm_recency_packed_through(chain, found) | if_miss;
    steps->packed[set] = wm_recency_packed_front(chain, through & steps->packed_mask, way);

    struct wm_cache_line *held = &steps->lines[set * stride + way];
    uint64_t state;
    memcpy(&state, held, sizeof state);
    uint64_t kept = (state & ~if_miss) | steps->all_valid | (write_mask & steps->all_valid << 32);
    memcpy(held, &kept, sizeof kept);
    // A hit leaves its tag alone: a vector load that follows a narrower store to the same set has
    // to wait for it, and hits to one set often come in a row.
    uint64_t old_line = tags[way], *target = &tags[way];
    target = miss ? target : spilled;
    *target = line;
    return (struct wm_cache_step){
        .old_line = old_line,
        .miss = miss,
        .victim_dirty = (state & if_miss) >> 32 != 0,
    };
}

#endif

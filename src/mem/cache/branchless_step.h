// One step of the plainest and most common array, without a branch that depends on the data:
// modulo, unsectored, write-back, write-allocate, up to 32 ways. Long reference streams miss and
// store at random, and a mispredicted branch costs as much as all of the lookup: here a hit and a
// miss run the same instructions, and what differs is selected.
//
// What the replacement entry does is one of the entries' steps (replacement/step.h), as a constant
// that the compiler sees. Two shapes of them: in an ordered set (mem/cache/ordered_set.h) the line
// leaves one position and comes to another, and what stands between moves back by one; else it
// comes to a way, where it may be already. Everything else of the array is as in inline_access.h,
// so both forms may be used on one cache by turns. Private to mem/.
#ifndef WM_MEM_CACHE_BRANCHLESS_STEP_H
#define WM_MEM_CACHE_BRANCHLESS_STEP_H

#include "mem/cache/inline_access.h"
#include "mem/replacement/chain_step.h"
#include "mem/replacement/pipp_step.h"
#include "mem/replacement/rrip_step.h"
#include "mem/replacement/way_step.h"

// What steps need of a cache, by value, so that it stays in registers.
struct wm_cache_steps {
    uint64_t *tags;
    struct wm_cache_narrow_line *lines;
    struct wm_divider sets;
    uint32_t last;      // position of the last way
    uint64_t all_valid; // a line's state (wm_cache_narrow), all sectors valid and none dirty
    bool full;          // no way is empty, nor will be one before the steps end
    struct wm_step_state replacement;
};

struct wm_cache_step {
    uint64_t last_line; // of a miss: its victim, WM_CACHE_EMPTY for none
    bool miss, victim_dirty;
};

static inline bool wm_cache_can_step(const struct wm_cache *cache)
{
    return cache->step_family != WM_STEP_NONE && cache->set_index->is_modulo &&
           cache->unit_sectors == cache->line_sectors && cache->write_policy == WM_WRITE_BACK &&
           cache->write_allocate && cache->write_fetch == WM_FETCH_PARTIAL &&
           cache->narrow_lines != NULL;
}

// `sm` is the requester's.
WM_CACHE_INLINE struct wm_cache_steps wm_cache_steps_begin(const struct wm_cache *cache,
                                                           enum wm_step_family family, uint32_t sm)
{
    struct wm_cache_steps steps = {
        .tags = cache->tags,
        .lines = cache->narrow_lines,
        .sets = cache->set_divider,
        .last = cache->ways - 1,
        .all_valid = cache->all_sectors,
        .full = cache->occupied_lines == (uint64_t)cache->sets * cache->ways,
        .replacement = {.array = cache->array_state,
                        .sets = cache->set_states,
                        .lines = cache->line_states,
                        .ways = cache->ways,
                        .sm = sm,
                        .ways_mask = wm_cache_through(cache->ways - 1)},
    };
    __asm__("" : "+r"(steps.full)); // else compilers count anew at each step
    if (family == WM_STEP_CHAIN)
        wm_chain_step_begin(&steps.replacement, cache->replacement);
    if (family == WM_STEP_BIP || family == WM_STEP_DIP)
        wm_bimodal_step_begin(&steps.replacement, cache->array_state);
    if (family == WM_STEP_BRRIP || family == WM_STEP_DRRIP)
        wm_bimodal_step_begin(&steps.replacement,
                              &((struct wm_rrip_bimodal *)cache->array_state)->bimodal);
    if (family == WM_STEP_RANDOM)
        wm_random_step_begin(&steps.replacement);
    if (family == WM_STEP_SHIP)
        wm_ship_step_begin(&steps.replacement);
    if (family == WM_STEP_PIPP)
        wm_pipp_step_begin(&steps.replacement);
    return steps;
}

// How many steps, at most `most`, may be made before they have to end.
WM_CACHE_INLINE size_t wm_cache_steps_most(const struct wm_cache_steps *steps,
                                           enum wm_step_family family, size_t most)
{
    if (family == WM_STEP_PIPP && wm_pipp_step_most(&steps->replacement) < most)
        return wm_pipp_step_most(&steps->replacement);
    return most;
}

// Puts back what steps kept apart. `demands` of them were no victims of the level above.
WM_CACHE_INLINE void wm_cache_steps_end(const struct wm_cache_steps *steps,
                                        const struct wm_cache *cache, enum wm_step_family family,
                                        uint32_t demands)
{
    if (family == WM_STEP_BIP || family == WM_STEP_DIP)
        wm_bimodal_step_end(&steps->replacement, cache->array_state);
    if (family == WM_STEP_BRRIP || family == WM_STEP_DRRIP)
        wm_bimodal_step_end(&steps->replacement,
                            &((struct wm_rrip_bimodal *)cache->array_state)->bimodal);
    if (family == WM_STEP_RANDOM)
        wm_random_step_end(&steps->replacement);
    if (family == WM_STEP_SHIP)
        wm_ship_step_end(&steps->replacement);
    if (family == WM_STEP_PIPP)
        wm_pipp_step_end(&steps->replacement, demands);
}

// Where the line stands before and after, as bits: in an ordered set these are positions, else both
// are its way.
struct wm_cache_move {
    uint32_t from, to;
};

// `access` is complete.
WM_CACHE_INLINE struct wm_cache_move wm_cache_step_choose(struct wm_cache_steps *steps,
                                                          enum wm_step_family family,
                                                          const struct wm_step_access *access,
                                                          uint32_t stride)
{
    struct wm_step_state *state = &steps->replacement;
    uint32_t last = UINT32_C(1) << steps->last;
    if (family < WM_STEP_RANDOM) {
        uint32_t from = wm_step_choose(access, last);
        uint32_t to = family == WM_STEP_CHAIN ? wm_chain_step(state, access, from)
                      : family == WM_STEP_BIP ? wm_bimodal_step(state, access, from, false)
                      : family == WM_STEP_DIP ? wm_bimodal_step(state, access, from, true)
                                              : wm_pipp_step(state, access, from);
        return (struct wm_cache_move){.from = from, .to = to};
    }
    uint32_t way = family == WM_STEP_RANDOM  ? wm_random_step(state, access)
                   : family == WM_STEP_PLRU  ? wm_plru_step(state, access, stride)
                   : family == WM_STEP_NRU   ? wm_nru_step(state, access)
                   : family == WM_STEP_SRRIP ? wm_rrip_step(state, access, stride, false)
                   : family == WM_STEP_BRRIP ? wm_brrip_step(state, access, stride)
                   : family == WM_STEP_DRRIP ? wm_drrip_step(state, access, stride)
                                             : wm_ship_step(state, access, stride);
    return (struct wm_cache_move){.from = way, .to = way};
}

WM_CACHE_INLINE struct wm_cache_move wm_cache_step_move(struct wm_cache_steps *steps,
                                                        enum wm_step_family family,
                                                        struct wm_step_access *access,
                                                        const uint64_t *tags, uint32_t stride)
{
    uint32_t last = UINT32_C(1) << steps->last;
    if (family == WM_STEP_LRU)
        return (struct wm_cache_move){.from = access->equal | (last & (uint32_t)access->if_miss),
                                      .to = 1};
    if (__builtin_expect(steps->full, 1)) { // then there is none to look for
        access->empty = 0;
        return wm_cache_step_choose(steps, family, access, stride);
    }
    access->empty = wm_cache_compare(tags, stride, WM_CACHE_EMPTY);
    return wm_cache_step_choose(steps, family, access, stride);
}

WM_CACHE_INLINE void wm_cache_step_put(enum wm_step_family family, uint64_t *tags, uint32_t stride,
                                       struct wm_cache_move moved, uint64_t tag)
{
    uint32_t through = moved.from ^ (moved.from - 1);
    if (family == WM_STEP_LRU)
        wm_ordered_to_front(tags, stride, through, tag);
    else if (family < WM_STEP_RANDOM)
        wm_ordered_move(tags, stride, through, moved.to, tag);
    else
        wm_ordered_put(tags, stride, moved.to, tag);
}

// The same of the lines' states; families that keep ways never load all of a set's at once.
WM_CACHE_INLINE void wm_cache_step_put_line(enum wm_step_family family,
                                            struct wm_cache_narrow_line *lines, uint32_t stride,
                                            struct wm_cache_move moved, uint16_t state)
{
    uint32_t through = moved.from ^ (moved.from - 1);
    if (family == WM_STEP_LRU)
        wm_ordered_narrow_to_front(lines, stride, through, state);
    else if (family < WM_STEP_RANDOM)
        wm_ordered_narrow_move(lines, stride, through, moved.to, state);
    else
        memcpy(&lines[__builtin_ctz(moved.from)], &state, sizeof state);
}

// `power_of_two` says that the number of sets is one.
WM_CACHE_INLINE uint64_t wm_cache_steps_set(const struct wm_cache_steps *steps, bool power_of_two,
                                            uint64_t line)
{
    uint64_t set = line & (steps->sets.divisor - 1);
    if (!power_of_two)
        wm_divide(&steps->sets, line, &set);
    return set;
}

// A step to `set` comes next: prefetches what it needs, which an L2 keeps beyond the nearest of the
// host's caches.
WM_CACHE_INLINE void wm_cache_steps_host_prefetch(const struct wm_cache_steps *steps,
                                                  enum wm_step_family family, uint32_t stride,
                                                  uint64_t set)
{
    const uint64_t *tags = steps->tags + set * stride;
    for (uint32_t at = 0; at < stride; at += WM_CACHE_TAG_LANES)
        __builtin_prefetch(tags + at, 1);
    if (family >= WM_STEP_SRRIP)
        __builtin_prefetch((const struct wm_rrip_word *)steps->replacement.sets + set, 1);
    if (family < WM_STEP_RANDOM)
        __builtin_prefetch(steps->lines + set * stride, 1);
}

// Step `at`: reads `line` of `set`, or writes it when `write_mask` is all ones (else zero).
// `writeback_mask` is all ones where it is a victim of the level above (else zero). `family` and
// `stride` are the cache's: passed apart so that a caller that knows them lets the compiler unroll
// and select. `far_apart`: the next step is hardly ever to the same set, so one word of it may be
// stored alone, for which a load of the whole set would have to wait (mem/cache/ordered_set.h).
WM_CACHE_INLINE struct wm_cache_step wm_cache_step(struct wm_cache_steps *steps,
                                                   enum wm_step_family family, uint32_t stride,
                                                   bool far_apart, uint32_t at, uint64_t set,
                                                   uint64_t line, uint64_t write_mask,
                                                   uint64_t writeback_mask)
{
    uint64_t *tags = steps->tags + set * stride, last_line = tags[steps->last];
    struct wm_cache_narrow_line *lines = steps->lines + set * stride;
    struct wm_step_access access = {
        .line = line,
        .step = at,
        .set = (uint32_t)set,
        .equal = wm_cache_compare(tags, stride, line),
        .writeback_mask = writeback_mask,
    };
    if (family == WM_STEP_RANDOM)
        __asm__("" : "+r"(access.equal)); // else compilers join bits in mask registers
    access.miss = access.equal == 0;
    access.if_miss = wm_select_mask(access.miss);
    struct wm_cache_move moved = wm_cache_step_move(steps, family, &access, tags, stride);
    if (family >= WM_STEP_RANDOM)
        last_line = tags[__builtin_ctz(moved.from)];

    uint16_t state;
    memcpy(&state, &lines[__builtin_ctz(moved.from)], sizeof state);
    uint64_t now =
        (state & ~access.if_miss) | steps->all_valid | (write_mask & (steps->all_valid << 8));
    if (family >= WM_STEP_RANDOM && far_apart)
        tags[__builtin_ctz(moved.to)] = line;
    else
        wm_cache_step_put(family, tags, stride, moved, line);
    wm_cache_step_put_line(family, lines, stride, moved, (uint16_t)now);
    return (struct wm_cache_step){
        .last_line = last_line,
        .miss = access.miss,
        .victim_dirty = (state & access.if_miss) >> 8 != 0,
    };
}

#endif

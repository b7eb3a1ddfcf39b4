// What warps lost in an L1: for each warp, the lines that it brought in last of those that were
// displaced since, as tags without data. A warp that misses and finds its line there would have
// hit, had it had more of the cache to itself (the victim tag arrays of T. G. Rogers, M. O'Connor
// and T. M. Aamodt, "Cache-conscious wavefront scheduling", MICRO 2012). Each warp's array is
// set-associative, by the line's number, and displaces what it took first; a line that is found
// leaves it.
//
// Thread rules: one thread at a time. Private to mem/timed/.
#ifndef WM_MEM_TIMED_VICTIM_TAGS_H
#define WM_MEM_TIMED_VICTIM_TAGS_H

#include "mem/cache/cache.h"

// The line in a way of L1, and the warp that brought it.
struct wm_line_owner {
    uint64_t line;
    uint32_t warp;
};

struct wm_victim_tags {
    uint32_t warps, sets, ways;
    uint64_t *lines; // owned, by warp, set and place: the latest first; WM_CACHE_EMPTY behind
    struct wm_line_owner *brought; // owned, by way of L1
    size_t brought_room;
    bool found; // the access that was noted last found its line
};

// Of so many warps, each with `entries` tags, a multiple of `ways`. WM_NO_MEMORY.
enum wm_status wm_victim_tags_init(struct wm_victim_tags *tags, uint32_t warps, uint32_t entries,
                                   uint32_t ways, struct wm_error *error);
// Harmless on a zeroed one.
void wm_victim_tags_release(struct wm_victim_tags *tags);
// A launch begins: no warp has brought or lost a line of `cache`, which may have been made anew.
enum wm_status wm_victim_tags_begin(struct wm_victim_tags *tags, const struct wm_cache *cache,
                                    struct wm_error *error);

// A line that `warp` had brought was displaced.
void wm_victim_tags_insert(struct wm_victim_tags *tags, uint32_t warp, uint64_t line);
// Whether `warp` lost `line`; it is forgotten.
bool wm_victim_tags_hit(struct wm_victim_tags *tags, uint32_t warp, uint64_t line);

// `warp` missed `line`: notes whether it had lost it.
static inline void wm_victim_tags_missed(struct wm_victim_tags *tags, uint32_t warp, uint64_t line)
{
    tags->found = wm_victim_tags_hit(tags, warp, line);
}

// `warp` has requested `line`, or it has come for it. If L1 gave it a way just now, it displaced
// `victim`, if anything.
void wm_victim_tags_filled(struct wm_victim_tags *tags, const struct wm_cache *cache, uint32_t warp,
                           uint64_t line, const struct wm_cache_victim *victim);

#endif

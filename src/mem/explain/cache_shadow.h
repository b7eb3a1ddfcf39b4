// For one cache, what two other caches would do with its accesses: one without end, and one of the
// same size that is fully associative and evicts the least recently used line. A missing sector is
// sorted by them (M. D. Hill, A. J. Smith, "Evaluating Associativity in CPU Caches", IEEE
// Transactions on Computers 38(12), 1989, section 3; coherence added to their three):
//
//   unallocated  the endless cache does not hold it, and the access takes no line by policy
//   cold         the endless cache never held it
//   coherence    the endless cache held it and had to drop it
//   capacity     the endless cache holds it, the fully associative one does not
//   conflict     the fully associative one holds it: the set's limits, or the replacement's choice
//
// Both shadows fetch, keep and drop sectors by the cache's own policies; lines and fetch units are
// its own. Not on any hot path: attached only when misses are to be explained.
// Private to mem/explain/.
#ifndef WM_MEM_EXPLAIN_CACHE_SHADOW_H
#define WM_MEM_EXPLAIN_CACHE_SHADOW_H

#include "base/containers/key_table.h"
#include "mem/explain/miss_counters.h"

struct wm_shadow_line {
    uint32_t given;        // sectors that the endless cache has ever held
    uint32_t endless;      // that it holds
    uint32_t associative;  // that the fully associative one holds; with `listed`
    uint32_t held;         // that the cache itself was given since it took the line
    uint32_t fetched;      // of them, those from below that are not yet counted as used or not
    uint32_t evicted;      // those whose last displacement is known
    uint32_t newer, older; // in the list of the fully associative one, WM_NO_INDEX at the ends
    bool listed;
    uint64_t *charge; // borrowed: of who brought any of it last, or NULL
};

struct wm_shadow_sector {
    uint64_t *charge; // borrowed: of who had it fetched; with `fetched`
    uint64_t evictor_block;
    uint32_t evictor_warp;
    uint32_t requested; // bytes requested since it was fetched, one bit each
};

// A requester, distinct over the whole run.
struct wm_shadow_requester {
    uint64_t block; // a number of its own for each block of each launch
    uint32_t warp;  // the SM's warp slot: which warp of the block
};

struct wm_cache_shadow {
    uint32_t capacity_lines, held_lines; // of the fully associative one
    struct wm_key_table table;
    struct wm_shadow_line *lines;     // owned: by index of the table
    struct wm_shadow_sector *sectors; // owned: line_sectors each
    uint32_t line_capacity, line_sectors;
    uint32_t newest, oldest;
    bool failed; // memory ran out: the counters are of no use any more
    struct wm_explained_cache counters;
};

// How one access uses the cache.
struct wm_shadow_access {
    uint64_t line;
    uint32_t sectors; // requested
    uint32_t missing; // of them, those that the cache did not hold
    uint32_t units;   // missing or not, those requested, widened to fetch units
    uint32_t fetched; // brought from below
    bool allocate;    // it takes a line, or sectors of a held line, when it misses
    bool drops;       // a store that drops the line where it is held (write-through with evict)
    bool later;       // the line and its sectors are taken when they come (wm_cache_shadow_filled)
    bool counted;     // false for write-backs of the level above, which are no instruction's misses
    struct wm_shadow_requester requester;
    // By sector of the line, the bytes requested, one bit each; NULL: all of each sector requested.
    const uint32_t *bytes;
    // Counters of the instruction, laid out as struct wm_explained_cache, that are counted along
    // with the shadow's own; may be NULL. They must live as long as the line is remembered: what
    // becomes of a sector is charged to who had it fetched.
    uint64_t *charge;
};

// What the misses of an access were, in sectors.
struct wm_miss_classes {
    uint32_t cold, coherence, capacity, conflict, unallocated;
    uint32_t same_warp, same_block, other_block;
};

// Of a cache of so many lines, each of `line_sectors` sectors.
void wm_cache_shadow_init(struct wm_cache_shadow *shadow, uint32_t capacity_lines,
                          uint32_t line_sectors);
void wm_cache_shadow_release(struct wm_cache_shadow *shadow);
// Everything is cold again; counters stay.
void wm_cache_shadow_clear(struct wm_cache_shadow *shadow);
// One access, after the cache has served it.
struct wm_miss_classes wm_cache_shadow_access(struct wm_cache_shadow *shadow,
                                              const struct wm_shadow_access *access);
// What an access took `later` has come: `sectors` of `line`, the packet's. The cache took them, or
// refused.
void wm_cache_shadow_filled(struct wm_cache_shadow *shadow, uint64_t line, uint32_t sectors,
                            bool taken);
// The cache displaced `line` for an access of `requester`.
void wm_cache_shadow_evicted(struct wm_cache_shadow *shadow, uint64_t line,
                             const struct wm_shadow_requester *requester);
// `sectors` (widened to fetch units) of `line` are dropped, whether the cache holds them or not.
void wm_cache_shadow_drop(struct wm_cache_shadow *shadow, uint64_t line, uint32_t sectors);
// `sectors` came from below for an access that keeps nothing here.
void wm_cache_shadow_passed(struct wm_cache_shadow *shadow, uint32_t sectors, const uint32_t *bytes,
                            uint64_t *charge);
// Counts as unused what of the held sectors no access has requested so far: the cache will be
// emptied.
void wm_cache_shadow_count_unused(struct wm_cache_shadow *shadow);

#endif

// The coherent levels of a memory system: what is known of the lines of their caches beside tags,
// and what is counted. For the files that build it and drive it. Private to mem/.
#ifndef WM_MEM_SYSTEM_COHERENT_MEMORY_H
#define WM_MEM_SYSTEM_COHERENT_MEMORY_H

#include "mem/coherence/counters.h"
#include "mem/coherence/directory.h"
#include "mem/system/coherent_levels.h"
#include "mem/system/memory_state.h"

// Of a line that the prefetcher of its cache wanted, until it is used.
enum wm_coherent_prefetched {
    WM_NOT_PREFETCHED,  // or it has been used
    WM_PREFETCHED,      // it came for the prefetcher
    WM_WANTED_AND_HERE, // it was there when the prefetcher wanted it
};

// Beside one cache of a level (a slice, where it has such). Its lines keep their ways
// (wm_cache_keep_ways).
struct wm_coherent_cache {
    struct wm_coherence_line *lines; // owned: by slot, as the cache's tags
    // Owned: by slot, the line whose copy was there until another cache's write took it, and no
    // other line has been there since; else WM_CACHE_EMPTY.
    uint64_t *taken;
    uint64_t taken_count; // that are not WM_CACHE_EMPTY
    // Owned: by slot, enum wm_coherent_prefetched; NULL: the level has no prefetcher.
    uint8_t *prefetched;
    // A line that has left its way and is being evicted; WM_CACHE_EMPTY: none.
    uint64_t leaving;
    struct wm_coherence_line leaving_line;
    struct wm_coherence_counters counters;
};

// What another cache's write took of a slot; WM_CACHE_EMPTY: nothing any more.
static inline void wm_coherent_set_taken(struct wm_coherent_cache *coherent, uint64_t slot,
                                         uint64_t line)
{
    coherent->taken_count += line != WM_CACHE_EMPTY;
    coherent->taken_count -= coherent->taken[slot] != WM_CACHE_EMPTY;
    coherent->taken[slot] = line;
}

// Whether the line was in a set, of `ways` slots from `first` on, until another cache's write took
// it. It is forgotten.
static inline bool wm_coherent_was_taken(struct wm_coherent_cache *coherent, uint64_t first,
                                         uint32_t ways, uint64_t line)
{
    if (coherent->taken_count == 0)
        return false;
    for (uint64_t slot = first; slot < first + ways; slot++)
        if (coherent->taken[slot] == line) {
            wm_coherent_set_taken(coherent, slot, WM_CACHE_EMPTY);
            return true;
        }
    return false;
}

// Where a node has, or would have, a line. The directory has no cache.
struct wm_coherent_place {
    const struct wm_cache_level *level;
    struct wm_cache *cache;
    struct wm_coherent_cache *coherent;
    uint64_t line, index_line;
    uint32_t set;
    int32_t way; // -1: nowhere
};

struct wm_coherent_memory {
    struct wm_coherence_protocol protocol;
    struct wm_coherent_levels levels;
    struct wm_coherent_cache *caches[WM_MOST_LEVELS]; // owned: as the level's; NULL: not coherent
    // Owned: by node, where a line was found last. Most messages are of the line of the one before;
    // it is still there if its tag is.
    struct wm_coherent_place *found;
    bool prefetches;               // some level has a prefetcher
    struct wm_directory directory; // empty where the root is a cache
    struct wm_directory_counters directory_counters;
    // In time, else NULL: whether something is under way of a line, which the host leaves alone.
    bool (*is_under_way)(const void *context, uint64_t line);
    const void *context;
};

// What the tables do at once and without a message: all that is a hit but a write to a shared copy.
// False: it is not done.
static inline bool wm_coherent_hit_is_done(struct wm_coherence_line *line,
                                           enum wm_cache_client client)
{
    if (client == WM_CACHE_LOAD)
        return true;
    if (line->cache == WM_COHERENCE_CACHE_S)
        return false;
    line->cache = WM_COHERENCE_CACHE_M;
    return true;
}

// How a line was marked, which is marked anew.
static inline enum wm_coherent_prefetched wm_coherent_take_mark(struct wm_coherent_cache *coherent,
                                                                uint64_t slot,
                                                                enum wm_coherent_prefetched mark)
{
    enum wm_coherent_prefetched was = coherent->prefetched[slot];
    coherent->prefetched[slot] = (uint8_t)mark;
    return was;
}

// coherent_access.c, as the rest. An access of a unit, or a request of an incoherent cache above,
// to a coherent level; what coherent caches above that have of the line is taken back first, as far
// as it has to. Done when it returns; `sectors` count from `address`, and may lie in several lines.
// Returns the sectors that were not held, of a request in one line. `decision`: of a load, at a
// level without coherent levels above it (docs/memory-system.md, R18).
struct access_context; // mem/access_path/access_context.h
uint32_t wm_coherent_request(struct wm_memory *memory, const struct wm_cache_level *level,
                             enum wm_cache_client client, uint64_t address, uint32_t sectors,
                             enum wm_bypass_decision decision, struct access_context *context);
// coherent_host.c. The host, between accesses, of a line that a last-level cache has: what is
// modified of it goes to memory, and copies become shared; or all copies are called back, for the
// host overwrites the line.
void wm_coherent_clean(struct wm_memory *memory, uint32_t unit, const struct wm_cache_level *level,
                       uint64_t line);
void wm_coherent_recall(struct wm_memory *memory, uint32_t unit, const struct wm_cache_level *level,
                        uint64_t line);

#endif

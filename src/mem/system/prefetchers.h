// The prefetchers of a level: an entry's state and counters next to each of its caches.
// Private to mem/.
#ifndef WM_MEM_SYSTEM_PREFETCHERS_H
#define WM_MEM_SYSTEM_PREFETCHERS_H

#include "base/error.h"
#include "base/names/counters.h"
#include "mem/prefetch/prefetch.h"

#include <stdint.h>

// clang-format off
#define WM_PREFETCHER_COUNTERS(X)                                                                  \
    X(misses, "requests", "requests that the cache lacked sectors for, which it was given; of a coherent cache also first uses of lines that it wanted") \
    X(supplied, "requests", "of them, those whose line it held and handed to the cache, or had brought into a coherent cache") \
    X(prefetches, "lines", "lines that it requested from below")                                   \
    X(bytes_prefetched, "bytes", "bytes of these lines")                                           \
    X(dropped, "lines", "lines that it held when they were written or dropped elsewhere; of a coherent cache those that it brought and that left unused")
// clang-format on

struct wm_prefetcher_counters {
    WM_PREFETCHER_COUNTERS(WM_COUNTER_FIELD)
};

struct wm_cache;
struct wm_level_spec;

struct wm_prefetchers {
    const struct wm_prefetch_ops *ops; // borrowed; NULL: the level has none
    const struct wm_cache *caches;     // borrowed: of the level, `count` of them
    uint32_t count;                    //
    char *states;                      // owned: `stride` bytes for each cache
    size_t stride;
    struct wm_prefetcher_counters *counters; // owned: of each cache
    struct wm_prefetch_answer *answers;      // owned, likewise: to its last miss
};

// Next to `count` caches of a level, as its spec says; and harmless release. WM_NO_MEMORY.
enum wm_status wm_prefetchers_init(struct wm_prefetchers *prefetchers,
                                   const struct wm_cache *caches, uint32_t count,
                                   const struct wm_level_spec *spec, struct wm_error *error);
void wm_prefetchers_release(struct wm_prefetchers *prefetchers);
// All lines that those of the caches from `first` to `end`, exclusive, hold are dropped; what they
// learned is lost too. Nothing happens where there are none.
void wm_prefetchers_flush(struct wm_prefetchers *prefetchers, const struct wm_level_spec *spec,
                          uint32_t first, uint32_t end);
// What the entry keeps for one of the caches.
static inline void *wm_prefetchers_state(const struct wm_prefetchers *prefetchers, size_t cache)
{
    return prefetchers->states + cache * prefetchers->stride;
}

#endif

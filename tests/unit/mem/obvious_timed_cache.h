// A cache with bytes on their way, as docs/engine-clock.md (R1 to R3) and docs/memory-system.md
// have it, written for the eye: lines in LRU order, sectors on their way, a list of waiters. The
// real one is held to it.
#ifndef WM_TESTS_OBVIOUS_TIMED_CACHE_H
#define WM_TESTS_OBVIOUS_TIMED_CACHE_H

#include "mem/timed/timed_cache.h"

enum { OBVIOUS_WAYS = 8, OBVIOUS_SETS = 4, OBVIOUS_LINES = 64, OBVIOUS_WAITERS = 64 };

struct obvious_held {
    bool present, reserved;
    uint64_t line;
    uint32_t valid, dirty;
    uint64_t used; // when last
};

struct obvious_waiter {
    uint64_t line, token;
    uint32_t missing;
};

struct obvious_timed {
    struct wm_cache_spec spec;
    uint32_t sets, entries, merges, all_sectors;
    bool on_fill;
    struct obvious_held ways[OBVIOUS_SETS][OBVIOUS_WAYS];
    uint32_t pending[OBVIOUS_LINES]; // by line
    bool allocates[OBVIOUS_LINES];   // a load that takes a line waits for it
    struct obvious_waiter waiters[OBVIOUS_WAITERS];
    uint32_t waiter_count;
    uint64_t now, pending_hits, hits, misses;
};

void obvious_timed_init(struct obvious_timed *model, const struct wm_cache_spec *spec,
                        uint32_t entries, uint32_t merges, bool on_fill);
struct wm_timed_result obvious_timed_read(struct obvious_timed *model,
                                          const struct wm_timed_access *ask);
struct wm_timed_result obvious_timed_write(struct obvious_timed *model,
                                           const struct wm_timed_access *ask);
// Returns how many tokens are completed now, in `told`.
uint32_t obvious_timed_fill(struct obvious_timed *model, uint64_t line, uint32_t sectors,
                            uint64_t *told, struct wm_cache_victim *victim);
struct obvious_held *obvious_timed_find(struct obvious_timed *model, uint64_t line);
uint32_t obvious_timed_entries(const struct obvious_timed *model);

#endif

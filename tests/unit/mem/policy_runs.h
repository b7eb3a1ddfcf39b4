// Replacement entries at work in a plain array: whole lines, write-back, modulo.
#ifndef WM_TESTS_POLICY_RUNS_H
#define WM_TESTS_POLICY_RUNS_H

#include "mem/cache/cache.h"

// Seeds the entries' chance: the component's name.
#define POLICY_COMPONENT "policy"

struct wm_cache_spec policy_spec(const struct wm_replacement_ops *ops, uint32_t sets,
                                 uint32_t ways);
void policy_cache_init(struct wm_cache *cache, const struct wm_replacement_ops *ops, uint32_t sets,
                       uint32_t ways);

struct policy_reference {
    uint64_t line;
    uint32_t pc, sm;
    bool write_back; // a victim of the level above arrives
};

// True when it hits.
bool policy_refer(struct wm_cache *cache, const struct policy_reference *reference);
// The same by line number alone.
bool policy_read(struct wm_cache *cache, uint64_t line);

// Hits of `rounds` rounds over lines `first` to `first + lines - 1` of every set in turn.
uint64_t policy_cycle(struct wm_cache *cache, uint64_t first, uint64_t lines, uint64_t rounds);

// Hits of a stream that uses each line twice, the second time `distance` new lines of its set
// later, and never again: what LRU is made for.
uint64_t policy_use_twice(struct wm_cache *cache, uint64_t lines, uint64_t distance);

// --- Entries that duel, in an array large enough for leaders ---

enum { POLICY_DUEL_SETS = 512, POLICY_DUEL_WAYS = 8, POLICY_DUEL_ROUNDS = 100 };

// Hits of POLICY_DUEL_ROUNDS rounds over four lines a set more than there are ways.
uint64_t policy_thrash_hits(const struct wm_replacement_ops *ops);
// Whether it is nearly as good as the one where lines are used twice, and as the other where too
// many lines are used in turn.
bool policy_follows_the_better(const struct wm_replacement_ops *ops,
                               const struct wm_replacement_ops *of_reuse,
                               const struct wm_replacement_ops *of_thrashing);

#endif

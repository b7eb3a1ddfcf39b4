// PIPP as its paper and docs/replacement.md describe it: whole line numbers in the monitors' lists,
// the lookahead algorithm as its paper writes it. A part of obvious_replacement.h.
#ifndef WM_TESTS_OBVIOUS_PIPP_H
#define WM_TESTS_OBVIOUS_PIPP_H

#include "base/numbers/random.h"

#include <stdbool.h>
#include <stdint.h>

enum { OBVIOUS_GROUPS = 8, OBVIOUS_DEPTH = 32 };

struct obvious_pipp {
    uint32_t sets, ways;
    uint32_t unit, depth; // ways that a position of a monitor stands for, its positions
    uint64_t *stacks;     // by group, set and position: a line and one, 0 none
    uint64_t hits[OBVIOUS_GROUPS][OBVIOUS_DEPTH];
    // Since the last partition.
    uint64_t accesses_of[OBVIOUS_GROUPS], seen[OBVIOUS_GROUPS], missed[OBVIOUS_GROUPS];
    bool streams[OBVIOUS_GROUPS];
    uint32_t streams_found; // in all
    uint32_t target[OBVIOUS_GROUPS], accesses, partitions;
    struct wm_random random;
    uint64_t word;
    int drawn; // of the word's promotions
};

void obvious_pipp_init(struct obvious_pipp *pipp, uint32_t sets, uint32_t ways, uint64_t seed);
void obvious_pipp_release(struct obvious_pipp *pipp);

// How many lines stay behind one of an SM that comes in.
uint32_t obvious_pipp_behind(const struct obvious_pipp *pipp, uint32_t sm);
// Whether a hit of the SM moves its line up by one.
bool obvious_pipp_promotes(struct obvious_pipp *pipp, uint32_t sm);
// The SM accessed a line of the set.
void obvious_pipp_watch(struct obvious_pipp *pipp, uint32_t set, uint32_t sm, uint64_t line);

#endif

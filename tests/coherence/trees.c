#include "explorer.h"

#define BIT(event) (1U << WM_COHERENCE_##event)
#define PLAIN (BIT(LOAD) | BIT(STORE))
#define LOCKED (BIT(RMW_BEGIN) | BIT(RMW_END))
#define ALL (PLAIN | LOCKED | BIT(RFO))

// The root is a directory at memory, or a last level that never evicts: the same to the tables.
const struct tree explored_trees[] = {
    {"two caches under a directory", 3, 1, {0, 0, 0}, {0}, ALL, false, 0},
    {"two caches under a directory that forwards", 3, 1, {0, 0, 0}, {0}, ALL, false, 0, true},
    {"two lines, all levels with room for one", 4, 2, {0, 0, 1, 1}, {0, 1, 1, 1}, PLAIN, true, 0},
    {"an L3 of one L2 of one L1, and a cache", 5, 1, {0, 0, 0, 1, 3}, {0}, PLAIN | LOCKED, true, 2},
    {"an L2 of two L1s, and a cache, under an L3", 5, 1, {0, 0, 0, 1, 1}, {0}, PLAIN, true, 2},
    {"two caches under a level that evicts", 4, 1, {0, 0, 1, 1}, {0}, ALL, true, 0},
    {"two L2s of one L1 each under an L3", 5, 1, {0, 0, 0, 1, 2}, {0}, PLAIN | LOCKED, true, 0},
    {"three caches under a directory", 4, 1, {0, 0, 0, 0}, {0}, ALL, true, 0},
    {"three caches under a directory that forwards",
     4,
     1,
     {0, 0, 0, 0},
     {0},
     PLAIN | LOCKED,
     true,
     0,
     true},
    {"two L2s of one L1 each under an L3 that forwards",
     5,
     1,
     {0, 0, 0, 1, 2},
     {0},
     PLAIN | LOCKED,
     true,
     0,
     true},
    {"two L2s of two L1s each under an L3", 7, 1, {0, 0, 0, 1, 1, 2, 2}, {0}, PLAIN, true, 2},
    {"two L3s of one L2 of one L1 each under a directory",
     7,
     1,
     {0, 0, 0, 1, 2, 3, 4},
     {0},
     PLAIN,
     true,
     2},
    {"two L2s, of one and of two L1s", 6, 1, {0, 0, 0, 1, 1, 2}, {0}, PLAIN, true, 3},
    {"two L2s of one L1 each under an L3 that evicts",
     6,
     1,
     {0, 0, 1, 1, 2, 3},
     {0},
     PLAIN,
     true,
     3},
};
const size_t explored_tree_count = sizeof explored_trees / sizeof explored_trees[0];

#include "explorer.h"

// The root is a directory at memory, or a last level that never evicts: the same to the tables.
const struct tree explored_trees[] = {
    {"two caches under a directory", 3, 1, {0, 0, 0}, {0}},
    {"three caches under a directory", 4, 1, {0, 0, 0, 0}, {0}},
    {"two caches under a level that evicts", 4, 1, {0, 0, 1, 1}, {0}},
    {"two L2s of one L1 each under an L3", 5, 1, {0, 0, 0, 1, 2}, {0}},
    {"two lines, two caches under a level with room for one", 4, 2, {0, 0, 1, 1}, {0, 1}},
    {"two L2s, of one and of two L1s", 6, 1, {0, 0, 0, 1, 1, 2}, {0}},
    {"two L2s of one L1 each under an L3 that evicts", 6, 1, {0, 0, 1, 1, 2, 3}, {0}},
    {"two L3s of one L2 of one L1 each under a directory", 7, 1, {0, 0, 0, 1, 2, 3, 4}, {0}},
    {"two L2s of two L1s each under an L3", 7, 1, {0, 0, 0, 1, 1, 2, 2}, {0}},
};
const size_t explored_tree_count = sizeof explored_trees / sizeof explored_trees[0];

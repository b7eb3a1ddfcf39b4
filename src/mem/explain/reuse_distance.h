// Reuse distances of one stream of lines: how many other lines were used between two uses of one
// (its LRU stack distance; R. L. Mattson et al., "Evaluation techniques for storage hierarchies",
// IBM Systems Journal 9(2), 1970). Exact, with a tree of counts over the times of last use (B. T.
// Bennett, V. J. Kruskal, "LRU stack processing", IBM Journal of Research and Development 19(4),
// 1975): a use costs a logarithm of the lines used. Private to mem/explain/.
#ifndef WM_MEM_EXPLAIN_REUSE_DISTANCE_H
#define WM_MEM_EXPLAIN_REUSE_DISTANCE_H

#include "base/containers/key_table.h"

#include <stdbool.h>

#define WM_REUSE_FIRST UINT64_MAX        // the line's first use
#define WM_REUSE_FAILED (UINT64_MAX - 1) // memory ran out

struct wm_reuse {
    struct wm_key_table table;
    uint32_t *last; // owned: by index of the table, time of last use
    uint32_t last_capacity;
    uint32_t *tree,
        *user; // owned: by time from 1 to size; counts, and whose last use it is plus one
    uint32_t now, size;
};

// All zero is an empty stream.
void wm_reuse_release(struct wm_reuse *reuse);
void wm_reuse_clear(struct wm_reuse *reuse);
// Uses `line`; returns its distance, WM_REUSE_FIRST or WM_REUSE_FAILED.
uint64_t wm_reuse_use(struct wm_reuse *reuse, uint64_t line);

#endif

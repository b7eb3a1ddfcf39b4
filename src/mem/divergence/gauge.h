// Where the lines of a warp's load go in a set's chain, by how soon its warp scheduler comes back
// to it: B. Wang, W. Yu, X.-H. Sun and X. Wang, "DaCache: memory divergence-aware GPU cache
// management", ICS 2015, sections 4.2 and 4.3. Pure arithmetic.
//
// A warp's rank says how many warps of its scheduler are older: 0 has the highest priority. The
// threads of a divergent warp are taken to spread evenly over the sets, so each warp has
// `warp_width` / `sets` lines in each, and so have the warps of the same rank of all schedulers.
// Private to mem/divergence/.
#ifndef WM_MEM_DIVERGENCE_GAUGE_H
#define WM_MEM_DIVERGENCE_GAUGE_H

#include <stdint.h>

struct wm_gauge {
    uint32_t schedulers, warp_width; // of the SM
    uint32_t sets, ways;             // of its L1
};

// Lines that the warps of ranks below `warps` have in a set, one of each scheduler and rank.
static inline uint64_t wm_gauge_lines(const struct wm_gauge *gauge, uint32_t warps)
{
    return (uint64_t)warps * gauge->schedulers * gauge->warp_width / gauge->sets;
}

// Equation 1: the position, 0 the most recent, at which a line of a warp of `rank` enters.
static inline uint32_t wm_gauge_position(const struct wm_gauge *gauge, uint32_t rank)
{
    uint64_t before = wm_gauge_lines(gauge, rank);
    return before < gauge->ways - 1 ? (uint32_t)before : gauge->ways - 1;
}

// How many positions, from the most recent, are for the warps of ranks below `warps`: the paper's
// p + 1. One at least is left to all others, or nothing of theirs would ever come in.
static inline uint32_t wm_gauge_region(const struct wm_gauge *gauge, uint32_t warps)
{
    return wm_gauge_position(gauge, warps);
}

#endif

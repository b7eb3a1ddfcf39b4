// How many warps an L1 keeps all lines of: the dynamic partitioning of DaCache (ICS 2015,
// section 4.4 and figure 7). Divergent loads that found all of their lines there let more warps
// have a part of the cache of their own, those that found some of them let fewer.
//
// What the paper leaves open: the count of 8 bits is full at 255; it begins at half again after a
// step down as it does after a step up; and a warp "with a priority lower than FCW" is a younger
// one, whose misses say little, so it counts 1, while an older one's, which should have had its
// lines, count the more the older it is. Private to mem/divergence/.
#ifndef WM_MEM_DIVERGENCE_FULLY_CACHED_WARPS_H
#define WM_MEM_DIVERGENCE_FULLY_CACHED_WARPS_H

#include <stdbool.h>
#include <stdint.h>

enum { WM_FCW_MOST = 255, WM_FCW_HALF = 128 }; // of the count

struct wm_fully_cached_warps {
    uint32_t schedulers, most; // most: of the warps, the SM's
    uint32_t warps;            // FCW: of the whole SM, at least 1
    uint32_t count;            // CNT
};

static inline struct wm_fully_cached_warps wm_fully_cached_warps_of(uint32_t schedulers,
                                                                    uint32_t most, uint32_t warps)
{
    uint32_t begin = warps < 1 ? 1 : warps < most ? warps : most;
    return (struct wm_fully_cached_warps){
        .schedulers = schedulers, .most = most, .warps = begin, .count = WM_FCW_HALF};
}

// Warps of each scheduler that have a part of the cache: those of ranks below it. At least 1.
static inline uint32_t wm_fully_cached_warps_each(const struct wm_fully_cached_warps *warps)
{
    return (warps->warps + warps->schedulers - 1) / warps->schedulers;
}

// A divergent load of a warp of `rank` has been served: it found all of its lines, or not.
static inline void wm_fully_cached_warps_count(struct wm_fully_cached_warps *warps, uint32_t rank,
                                               bool all)
{
    if (all) {
        warps->count += warps->count < WM_FCW_MOST;
        if (warps->count == WM_FCW_MOST && warps->warps < warps->most) {
            warps->warps++;
            warps->count = WM_FCW_HALF;
        }
        return;
    }
    uint32_t down = rank < wm_fully_cached_warps_each(warps) ? warps->warps - rank : 1;
    warps->count -= down < warps->count ? down : warps->count;
    if (warps->count == 0 && warps->warps > 1) {
        warps->warps--;
        warps->count = WM_FCW_HALF;
    }
}

#endif

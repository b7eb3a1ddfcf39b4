// Load efficiency: bytes that a warp's load uses, of bytes that are moved for it, in lines of L1
// and in sectors of L2 (Liang et al., section IV-D). From three sources, side by side:
//
//   table     Table II of the paper, to the letter
//   exact     from the lanes' addresses, as far as PTX says them
//   profiled  as the loads were executed
//
// What is used are the different bytes that the warp requests: a byte for all lanes counts once, as
// in the paper's formulas. (nvprof's gld_efficiency counts it for each.)
// Private to bypass/.
#ifndef WM_BYPASS_LOAD_EFFICIENCY_H
#define WM_BYPASS_LOAD_EFFICIENCY_H

#include "bypass/address_analysis.h"
#include "engine/profile/load_profile.h"

enum wm_efficiency_source {
    WM_EFFICIENCY_TABLE,
    WM_EFFICIENCY_EXACT,
    WM_EFFICIENCY_PROFILED,
    WM_EFFICIENCY_SOURCES
};
extern const char *const wm_efficiency_source_names[WM_EFFICIENCY_SOURCES];

// What lanes' addresses are like (Table II).
enum wm_load_pattern {
    WM_PATTERN_UNKNOWN,
    WM_PATTERN_STRIDED, // V + tid * C0
    WM_PATTERN_STEPPED, // V + tid / C0
    WM_PATTERN_SAME,    // V
    WM_PATTERN_OTHER,   // known, and none of these: rows of a two-dimensional block
};
extern const char *const wm_load_pattern_names[];

struct wm_load_efficiency {
    bool known;
    double on, off; // 0 to 1: with L1 (in lines of L1), without (in sectors)
    double sectors; // of L2 for each line of L1: the paper's n, 4 on / off for lines of four
    double used;    // bytes of a warp, of what lanes' addresses say; else 0
};

// The warp's load of `bytes` a lane at these addresses: what it is like, and of the patterns of the
// table the bytes from one lane to the next, or from one step to the next, and the lanes of a step.
struct wm_load_shape {
    enum wm_load_pattern pattern;
    uint64_t stride, lanes;
};
struct wm_load_shape wm_load_shape_of(const struct wm_lane_value *address);

// Table II for blocks of `line` bytes, L1's, and of sectors. Unknown for what the table does not
// have: there the paper takes the whole program's efficiency.
struct wm_load_efficiency wm_efficiency_by_table(const struct wm_load_shape *shape, uint32_t bytes,
                                                 uint32_t line);
// Exact for these addresses: over all places that what is unknown may have within a line; lanes
// whose unknown parts differ share none.
struct wm_load_efficiency wm_efficiency_of_lanes(const struct wm_lane_value *address,
                                                 uint32_t bytes, uint32_t line);
// The mean of several warps', which are all known.
struct wm_load_efficiency wm_efficiency_mean(const struct wm_load_efficiency *efficiencies,
                                             uint32_t count);
// As executed: of lines, sectors and requested bytes. A byte that several lanes request counts for
// each here: only `sectors` is exact.
struct wm_load_efficiency wm_efficiency_as_profiled(const struct wm_load_record *load,
                                                    uint32_t line);

#endif

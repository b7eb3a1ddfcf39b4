// Inside the lane kernels: how an operation is named in a table, and the tables of the three
// builds. Private to exec/lanes/.
#ifndef WM_EXEC_LANES_LANE_KERNELS_H
#define WM_EXEC_LANES_LANE_KERNELS_H

#include "exec/lanes.h"

#include <stdint.h>

// A wm_lane_key in canonical form (wm_lane_key_pack) as one word: a byte a field. Shf alone has a
// second mode, in the top byte.
#define WM_LANE_PACK(type, type2, rounding, compare, boolean, mode, flags)                         \
    ((uint64_t)WM_PTX_##type | (uint64_t)WM_PTX_##type2 << 8 | (uint64_t)WM_PTX_##rounding << 16 | \
     (uint64_t)WM_PTX_##compare << 24 | (uint64_t)WM_PTX_##boolean << 32 |                         \
     (uint64_t)WM_PTX_##mode << 40 | (uint64_t)(flags) << 48)

enum {
    WM_LANE_FLAG_FTZ = 1,
    WM_LANE_FLAG_SAT = 2,
    WM_LANE_FLAG_NEGATED = 4,
    WM_LANE_FLAG_NAN = 8,
    WM_LANE_FLAG_RELU = 16,
    WM_LANE_FLAG_XORSIGN = 32,
    WM_LANE_FLAG_OOB = 64,
};

struct wm_lane_entry {
    uint64_t key;
    wm_lane_function *function;
};

// All kernels of one opcode in one build.
struct wm_lane_list {
    const struct wm_lane_entry *entries;
    unsigned count;
};

// Indexed by opcode. An operation missing from a faster build runs in the next slower one, down to
// plain C, which has them all.
extern const struct wm_lane_list wm_lane_lists_c[WM_PTX_OP_COUNT];
extern const struct wm_lane_list wm_lane_lists_avx2[WM_PTX_OP_COUNT];
extern const struct wm_lane_list wm_lane_lists_avx512[WM_PTX_OP_COUNT];

// Many spellings mean one operation (add.s32 and add.u32, mad.rn.f32 and fma.rn.f32): this folds
// them. False when the combination is none that PTX has.
bool wm_lane_key_pack(const struct wm_lane_key *key, enum wm_ptx_opcode *opcode, uint64_t *packed);

#endif

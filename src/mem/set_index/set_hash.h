// A set index that is linear over GF(2), as a mask a bit: bit i of the set is the parity of the
// line number under mask i. Whatever such an entry does to find a set, this is a handful of
// operations without a branch, and the masks are read off the entry itself, bit by bit.
#ifndef WM_MEM_SET_INDEX_SET_HASH_H
#define WM_MEM_SET_INDEX_SET_HASH_H

#include "mem/divider.h"
#include "mem/set_index/set_index.h"

enum { WM_SET_HASH_BITS = 31 };

struct wm_set_hash {
    struct wm_divider groups; // the odd rest of the number of sets (wm_set_parts)
    uint32_t bits;
    uint64_t masks[WM_SET_HASH_BITS];
};

// Of an entry that is linear.
static inline struct wm_set_hash wm_set_hash_of(const struct wm_set_index_ops *ops,
                                                uint32_t line_bytes, uint32_t sets)
{
    struct wm_set_hash hash = {.bits = (uint32_t)__builtin_ctz(sets)};
    hash.groups = wm_divider_of(sets >> hash.bits);
    for (uint32_t of = 0; of < 64; of++) {
        uint32_t set = ops->index(UINT64_C(1) << of, line_bytes, sets);
        for (uint32_t bit = 0; bit < hash.bits; bit++)
            hash.masks[bit] |= (uint64_t)(set >> bit & 1) << of;
    }
    return hash;
}

static inline uint32_t wm_set_hashed(const struct wm_set_hash *hash, uint64_t line)
{
    uint64_t group = 0;
    if (hash->groups.divisor != 1)
        wm_divide(&hash->groups, line >> hash->bits, &group);
    uint32_t set = (uint32_t)group << hash->bits;
    for (uint32_t bit = 0; bit < hash->bits; bit++)
        set |= (uint32_t)__builtin_parityll(line & hash->masks[bit]) << bit;
    return set;
}

#endif

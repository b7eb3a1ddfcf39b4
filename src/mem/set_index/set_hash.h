// A set index that is linear over GF(2), as a mask a bit: bit i of the set is the parity of the
// line number under mask i. Whatever such an entry does to find a set, this is a handful of
// operations without a branch, and the masks are read off the entry itself. Private to mem/.
#ifndef WM_MEM_SET_INDEX_SET_HASH_H
#define WM_MEM_SET_INDEX_SET_HASH_H

#include "mem/cache/divider.h"
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

// The same looked up some bits of the line number at a time, for a cache that is looked up often.
enum { WM_SET_TABLES = 6, WM_SET_TABLE_BITS = 12, WM_SET_TABLE_WORDS = 1 << WM_SET_TABLE_BITS };
struct wm_set_tables {
    uint16_t of[WM_SET_TABLES][WM_SET_TABLE_WORDS];
};

// Whether there can be such tables: the sets have no odd rest, and a word holds a set.
static inline bool wm_set_hash_has_tables(const struct wm_set_hash *hash)
{
    return hash->groups.divisor == 1 && hash->bits <= 16;
}

static inline void wm_set_tables_fill(struct wm_set_tables *tables, const struct wm_set_hash *hash)
{
    for (uint32_t at = 0; at < WM_SET_TABLES; at++) {
        tables->of[at][0] = 0;
        for (uint32_t bit = 0; bit < WM_SET_TABLE_BITS; bit++) {
            uint32_t place = at * WM_SET_TABLE_BITS + bit, words = UINT32_C(1) << bit;
            uint32_t set = place < 64 ? wm_set_hashed(hash, UINT64_C(1) << place) : 0;
            for (uint32_t word = 0; word < words; word++)
                tables->of[at][words + word] = (uint16_t)(tables->of[at][word] ^ set);
        }
    }
}

static inline __attribute__((always_inline)) uint32_t wm_set_looked_up(
    const struct wm_set_tables *tables, uint64_t line)
{
    enum { BITS = WM_SET_TABLE_BITS, MASK = WM_SET_TABLE_WORDS - 1 };
    uint32_t set = tables->of[0][line & MASK] ^ tables->of[1][line >> BITS & MASK] ^
                   tables->of[2][line >> 2 * BITS & MASK];
    if (__builtin_expect(line >> 3 * BITS != 0, 0))
        for (uint32_t at = 3; at < WM_SET_TABLES; at++)
            set ^= tables->of[at][line >> at * BITS & MASK];
    return set;
}

#endif

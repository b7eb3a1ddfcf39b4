// The kind "set index": which set of an array a line belongs to.
//
// An entry is a pure function of the line number (byte address divided by the line size, for an L2
// slice with the slice's share of the address divided out first) and the number of sets. It keeps
// no state.
#ifndef WM_MEM_SET_INDEX_SET_INDEX_H
#define WM_MEM_SET_INDEX_SET_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_set_index_ops {
    const char *name;     // key in machine files: "modulo"
    const char *title;    // for people
    const char *source;   // where the function is described
    const char *sentence; // what it does
    const char *sets;     // which set counts it takes, for people: "any number of sets"
    const char *details;  // more about it, for people: whole sentences; NULL for none
    bool (*supports)(uint32_t sets);
    // Below `sets`, for every line number. `line_bytes` is a power of two: functions defined on
    // address bits find them by it.
    uint32_t (*index)(uint64_t line, uint32_t line_bytes, uint32_t sets);
    bool is_modulo; // exactly line % sets: the owner divides inline
    // Of the parts below, the hash of two lines' exclusive or is that of their hashes: the owner
    // computes it by masks (set_hash.h).
    bool is_linear;
};

// For entries that hash index bits: a number of sets is 2^hashed_bits times an odd number. The
// power of two is the hash's; the odd rest is the modulo of the quotient, which strides of powers
// of two do not disturb. Every aligned run of `sets` lines then visits every set once, which
// hashing to the next power of two and taking that modulo `sets` would not.
struct wm_set_parts {
    uint32_t hashed_bits;
    uint32_t rest; // which of the odd number of groups; 0 for a power of two
};

static inline struct wm_set_parts wm_set_parts(uint64_t line, uint32_t sets)
{
    struct wm_set_parts parts = {.hashed_bits = (uint32_t)__builtin_ctz(sets)};
    uint32_t odd = sets >> parts.hashed_bits;
    if (odd != 1)
        parts.rest = (uint32_t)((line >> parts.hashed_bits) % odd);
    return parts;
}

// `hash` is below 2^hashed_bits.
static inline uint32_t wm_set_joined(const struct wm_set_parts *parts, uint64_t hash)
{
    return parts->rest << parts->hashed_bits | (uint32_t)hash;
}

#define WM_SET_PARTS_TEXT                                                                    \
    "Of a number of sets that is no power of two, the largest power of two that divides it " \
    "is hashed, and the quotient is taken modulo the odd rest: 384 sets are 3 groups of 128."

const struct wm_set_index_ops *const *wm_set_index_table(size_t *count);
// NULL when there is none of that name.
const struct wm_set_index_ops *wm_set_index_find(const char *name);

#endif

// What an instruction says of how long caches should keep its lines, as one byte: a priority for
// all lines, or one for a part of them and another for the rest (createpolicy.fractional, PTX ISA
// 9.7.9.18).
#ifndef WM_MEM_REPLACEMENT_FRACTIONAL_PRIORITY_H
#define WM_MEM_REPLACEMENT_FRACTIONAL_PRIORITY_H

#include "base/access/access.h"
#include "base/numbers/hash.h"

enum {
    WM_FRACTION_PARTS = 16, // into which lines are divided
    WM_FRACTION_SECONDARY_SHIFT = 2,
    WM_FRACTION_REST_SHIFT = 4,
    WM_FRACTION_PRIORITY_MASK = 3,
};

// `parts` of 16, 1 to 16, have the first priority. Of all, the byte is the priority itself.
static inline uint8_t wm_fractional_priority(enum wm_eviction_priority first, unsigned parts,
                                             enum wm_eviction_priority rest)
{
    return (uint8_t)(parts == WM_FRACTION_PARTS
                         ? (unsigned)first
                         : (unsigned)first | (unsigned)rest << WM_FRACTION_SECONDARY_SHIFT |
                               (WM_FRACTION_PARTS - parts) << WM_FRACTION_REST_SHIFT);
}

// A line is in the same part at every access: by its number, as the ISA leaves it open which are
// chosen.
static inline enum wm_eviction_priority wm_fractional_priority_of(uint8_t mix, uint64_t line)
{
    unsigned rest = mix >> WM_FRACTION_REST_SHIFT;
    bool is_rest = rest != 0 && wm_hash_u64(line) % WM_FRACTION_PARTS < rest;
    return (enum wm_eviction_priority)(mix >> (is_rest ? WM_FRACTION_SECONDARY_SHIFT : 0) &
                                       WM_FRACTION_PRIORITY_MASK);
}

#endif

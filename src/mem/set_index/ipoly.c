// Polynomial interleaving: the line number, read as a polynomial over GF(2), modulo a primitive
// polynomial whose degree is the number of index bits. B. R. Rau, "Pseudo-randomly interleaved
// memory", ISCA 1991; GPGPU-Sim's option 'P' is the same idea for 16, 32 and 64
// sets. Any stride that is a power of two, and most others, visit all sets: x^k is a unit modulo
// the polynomial, where under modulo it loses k index bits.
#include "mem/set_index/entries.h"

enum { MOST_BITS = 31 };

// For each degree n the primitive polynomial of least value, without its term x^n: 0x25 (x^5 + x^2
// + 1) stands as 0x05. A primitive one makes the powers of x run through all 2^n - 1 residues
// before they repeat. tests/unit/mem/test_set_index.c derives them again.
static const uint8_t low_terms[MOST_BITS + 1] = {
    [1] = 0x01,  [2] = 0x03,  [3] = 0x03,  [4] = 0x03,  [5] = 0x05,  [6] = 0x03,  [7] = 0x03,
    [8] = 0x1d,  [9] = 0x11,  [10] = 0x09, [11] = 0x05, [12] = 0x53, [13] = 0x1b, [14] = 0x2b,
    [15] = 0x03, [16] = 0x2d, [17] = 0x09, [18] = 0x27, [19] = 0x27, [20] = 0x09, [21] = 0x05,
    [22] = 0x03, [23] = 0x21, [24] = 0x1b, [25] = 0x09, [26] = 0x47, [27] = 0x27, [28] = 0x09,
    [29] = 0x05, [30] = 0x53, [31] = 0x09,
};

static bool supports(uint32_t sets)
{
    return sets > 0;
}

// Long division would take a step a bit. With P = x^n + low, x^n is low modulo P; and as squaring
// is linear over GF(2), x^(n 2^k) is low with every exponent times 2^k. So whole fields of n 2^k
// bits are folded at once, widest first.
static uint64_t residue(uint64_t value, uint32_t degree)
{
    for (uint32_t doubled = 6; doubled-- > 0;) {
        uint32_t at = degree << doubled;
        while (at < 64 && value >> at != 0) {
            uint64_t high = value >> at;
            value &= (UINT64_C(1) << at) - 1;
            for (uint32_t terms = low_terms[degree]; terms != 0; terms &= terms - 1)
                value ^= high << ((uint32_t)__builtin_ctz(terms) << doubled);
        }
    }
    return value;
}

static uint32_t ipoly(uint64_t line, uint32_t line_bytes, uint32_t sets)
{
    (void)line_bytes;
    struct wm_set_parts parts = wm_set_parts(line, sets);
    return wm_set_joined(&parts, parts.hashed_bits == 0 ? 0 : residue(line, parts.hashed_bits));
}

const struct wm_set_index_ops wm_set_index_ipoly = {
    .name = "ipoly",
    .title = "irreducible polynomial",
    .source = "B. R. Rau, Pseudo-randomly interleaved memory, ISCA 1991",
    .sentence = "takes the line number modulo a primitive polynomial over GF(2)",
    .sets = "any number of sets",
    .details = WM_SET_PARTS_TEXT,
    .supports = supports,
    .index = ipoly,
    .is_linear = true,
};

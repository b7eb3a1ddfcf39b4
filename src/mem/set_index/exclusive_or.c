// Bitwise exclusive or: the index bits xor the bits right above them. A. Gonzalez, M. Valero,
// N. Topham and J. M. Parcerisa, "Eliminating cache conflict misses through XOR-based placement
// functions", ICS 1997 (the simplest of that family: two fields of the address);
// GPGPU-Sim's option 'X' of a cache's set index is the same for a power of two.
#include "mem/set_index/entries.h"

static bool supports(uint32_t sets)
{
    return sets > 0;
}

static uint32_t exclusive_or(uint64_t line, uint32_t line_bytes, uint32_t sets)
{
    (void)line_bytes;
    struct wm_set_parts parts = wm_set_parts(line, sets);
    uint64_t low = line ^ line >> parts.hashed_bits;
    return wm_set_joined(&parts, low & ((UINT64_C(1) << parts.hashed_bits) - 1));
}

const struct wm_set_index_ops wm_set_index_xor = {
    .name = "xor",
    .title = "bitwise exclusive or",
    .source = "Gonzalez, Valero, Topham and Parcerisa, ICS 1997",
    .sentence = "xors the index bits with the bits right above them",
    .sets = "any number of sets",
    .details = WM_SET_PARTS_TEXT,
    .supports = supports,
    .index = exclusive_or,
    .is_linear = true,
};

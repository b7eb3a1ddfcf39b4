// The set index of Fermi's L1, found by measurement: C. Nugteren, G.-J. van den Braak, H. Corporaal
// and H. Bal, "A detailed GPU cache model based on reuse distance theory", HPCA 2014, section 4.3;
// GPGPU-Sim's option 'H' of a cache's set index implements the same. With 128-byte lines:
//   set bits 0-4 = address bits 7-11 xor address bits 13, 14, 15, 17, 19
//   set bit 5    = address bit 12, for 64 sets (48 KiB in 6 ways)
#include "mem/set_index/entries.h"

static bool supports(uint32_t sets)
{
    return sets == 32 || sets == 64;
}

static uint32_t fermi_hash(uint64_t line, uint32_t line_bytes, uint32_t sets)
{
    uint64_t address = line * line_bytes;
    uint64_t upper = ((address >> 13) & 7) | ((address >> 14) & 8) | ((address >> 15) & 16);
    uint64_t set = (line & 31) ^ upper;
    if (sets == 64)
        set |= (address >> 7) & 32;
    return (uint32_t)set;
}

const struct wm_set_index_ops wm_set_index_fermi_hash = {
    .name = "fermi-hash",
    .title = "Fermi's hash",
    .source = "Nugteren, van den Braak, Corporaal and Bal, HPCA 2014, section 4.3; GPGPU-Sim",
    .sentence = "xors five higher address bits into the low index bits",
    .sets = "32 or 64 sets",
    .supports = supports,
    .index = fermi_hash,
    .is_linear = true,
};

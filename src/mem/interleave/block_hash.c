#include "mem/interleave/block_hash.h"

#include "base/access/access.h"
#include "base/containers/array.h"
#include "mem/set_index/entries.h"

// --- How many bits ---

static uint32_t factors_of_two(uint32_t parts)
{
    uint32_t bits = parts > 1 ? (uint32_t)__builtin_ctz(parts) : 0;
    return bits < WM_BLOCK_HASH_MOST_BITS ? bits : WM_BLOCK_HASH_MOST_BITS;
}

uint32_t wm_level_hash_bits(const struct wm_memory_spec *spec, uint32_t level)
{
    const struct wm_level_spec *described = &spec->levels[level];
    return described->interleave_hash == WM_INTERLEAVE_IN_TURN || !described->cache.present
               ? 0
               : factors_of_two(described->slices);
}

// Whether each slice of the level has one channel behind it.
static bool is_before_channels(const struct wm_memory_spec *spec, uint32_t level)
{
    const struct wm_level_spec *described = &spec->levels[level];
    return described->cache.present && described->slices > 1 &&
           wm_level_below(spec, level) == WM_BELOW_MEMORY &&
           described->slices % spec->dram.channels == 0 &&
           described->interleave_bytes == spec->dram.channel_interleave_bytes &&
           described->interleave_hash == spec->dram.interleave_hash;
}

uint32_t wm_channel_hash_bits(const struct wm_memory_spec *spec)
{
    if (spec->dram.interleave_hash == WM_INTERLEAVE_IN_TURN)
        return 0;
    if (is_before_channels(spec, WM_LEVEL_L2))
        return wm_level_hash_bits(spec, WM_LEVEL_L2);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (is_before_channels(spec, i))
            return wm_level_hash_bits(spec, i);
    return factors_of_two(spec->dram.channels);
}

// --- What they are hashed with ---

// Of one bit of a block's number.
static uint32_t hash_of_bit(enum wm_interleave_hash kind, uint32_t bit, uint32_t bits)
{
    if (kind == WM_INTERLEAVE_XOR) // fields of so many bits, all folded
        return UINT32_C(1) << bit % bits;
    return wm_set_index_ipoly.index(UINT64_C(1) << bit, WM_SECTOR_BYTES, UINT32_C(1) << bits);
}

enum wm_status wm_block_hash_new(struct wm_block_hash **hash, enum wm_interleave_hash kind,
                                 uint32_t bits, struct wm_error *error)
{
    *hash = NULL;
    if (kind == WM_INTERLEAVE_IN_TURN || bits == 0)
        return WM_OK;
    WM_TRY(WM_ARRAY_NEW(*hash, 1, error, "a hash of blocks"));
    (*hash)->bits = bits;
    for (uint32_t bit = bits; bit < 64; bit++) {
        uint32_t above = bit - bits, value = UINT32_C(1) << above % 8;
        uint16_t *of = (*hash)->of[above / 8];
        for (uint32_t less = 0; less < value; less++)
            of[value + less] = (uint16_t)(of[less] ^ hash_of_bit(kind, bit, bits));
    }
    return WM_OK;
}

#include "obvious_interleave.h"
#include "obvious_set_index.h"

// The largest power of two that divides the number of parts is hashed.
static unsigned bits_of(uint32_t parts)
{
    unsigned bits = 0;
    while (parts % (UINT32_C(2) << bits) == 0)
        bits++;
    return bits;
}

static uint64_t folded(uint64_t block, unsigned bits)
{
    uint64_t sum = 0;
    for (; block != 0; block >>= bits)
        sum ^= block & ((UINT64_C(1) << bits) - 1);
    return sum;
}

uint64_t obvious_place(enum wm_interleave_hash kind, uint64_t block, uint32_t parts)
{
    unsigned bits = bits_of(parts);
    if (kind == WM_INTERLEAVE_IN_TURN || bits == 0)
        return block;
    uint64_t hash = kind == WM_INTERLEAVE_XOR
                        ? folded(block, bits)
                        : obvious_long_division(block, obvious_primitive_polynomial(bits), bits);
    return (block >> bits << bits) + hash;
}

uint32_t obvious_slice(const struct wm_level_spec *level, uint64_t address)
{
    if (level->slices <= 1)
        return 0;
    uint64_t block = address / level->interleave_bytes;
    return (uint32_t)(obvious_place(level->interleave_hash, block, level->slices) % level->slices);
}

// A level's slices that stand before one channel each.
static bool stands_before(const struct wm_memory_spec *spec, uint32_t number)
{
    const struct wm_level_spec *level = &spec->levels[number];
    return level->cache.present && level->slices > 1 &&
           wm_level_below(spec, number) == WM_BELOW_MEMORY &&
           level->interleave_hash == spec->dram.interleave_hash &&
           level->interleave_bytes == spec->dram.channel_interleave_bytes &&
           level->slices % spec->dram.channels == 0;
}

// L2's slices come first, then those of the level with the lowest number.
static uint32_t parts_hashed(const struct wm_memory_spec *spec)
{
    uint32_t parts = spec->dram.channels;
    for (uint32_t i = WM_MOST_LEVELS; i-- > 0;)
        if (stands_before(spec, i))
            parts = spec->levels[i].slices;
    return stands_before(spec, WM_LEVEL_L2) ? spec->levels[WM_LEVEL_L2].slices : parts;
}

uint32_t obvious_channel(const struct wm_memory_spec *spec, uint64_t address)
{
    uint64_t block = address / spec->dram.channel_interleave_bytes;
    uint64_t place = obvious_place(spec->dram.interleave_hash, block, parts_hashed(spec));
    return (uint32_t)(place % spec->dram.channels);
}

#include "base/numbers/random.h"
#include "mem/interleave/block_hash.h"
#include "mem/system/memory_state.h"
#include "obvious_interleave.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 96 };

static struct wm_block_hash *hash_of(enum wm_interleave_hash kind, uint32_t parts)
{
    struct wm_block_hash *hash;
    struct wm_error error;
    uint32_t bits = parts > 1 ? (uint32_t)__builtin_ctz(parts) : 0;
    cr_assert_eq(wm_block_hash_new(&hash, kind, bits, &error), WM_OK);
    cr_assert_eq(hash == NULL, bits == 0);
    return hash;
}

static const enum wm_interleave_hash kinds[] = {WM_INTERLEAVE_IPOLY, WM_INTERLEAVE_XOR};

// Of four parts the polynomial is x^2 + x + 1: x^2 is x + 1, x^3 is 1, x^4 is x.
Test(block_hash, by_hand)
{
    static const struct {
        uint64_t block, ipoly, folded;
    } cases[] = {{0, 0, 0},  {3, 3, 3},    {4, 7, 5},    {5, 6, 4},    {8, 9, 10},
                 {9, 8, 11}, {12, 14, 15}, {16, 18, 17}, {20, 21, 20}, {63, 60, 63}};
    struct wm_block_hash *ipoly = hash_of(WM_INTERLEAVE_IPOLY, 4),
                         *folded = hash_of(WM_INTERLEAVE_XOR, 4);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_eq(wm_block_place(ipoly, cases[i].block), cases[i].ipoly, "%lu: %lu",
                     cases[i].block, wm_block_place(ipoly, cases[i].block));
        cr_expect_eq(wm_block_place(folded, cases[i].block), cases[i].folded, "%lu: %lu",
                     cases[i].block, wm_block_place(folded, cases[i].block));
        cr_expect_eq(wm_block_place(NULL, cases[i].block), cases[i].block);
    }
    free(ipoly);
    free(folded);
}

// Every aligned run of as many blocks as there are parts falls on each once, and a part's blocks
// stay in their order; exchanged twice, blocks are where they were.
static void check_run(const struct wm_block_hash *hash, uint32_t parts, uint64_t run)
{
    bool has[MOST_PARTS] = {false};
    for (uint64_t block = run * parts; block < (run + 1) * parts; block++) {
        uint64_t place = wm_block_place(hash, block);
        cr_assert_eq(place / parts, run, "%u parts, block %lu", parts, block);
        cr_assert(!has[place % parts], "%u parts, block %lu", parts, block);
        has[place % parts] = true;
        cr_assert_eq(wm_block_place(hash, place), block, "%u parts, block %lu", parts, block);
    }
}

Test(block_hash, every_number_of_parts_is_used_evenly)
{
    struct wm_random random;
    wm_random_init(&random, 1, "block hash");
    for (uint32_t parts = 1; parts <= MOST_PARTS; parts++)
        for (size_t k = 0; k < 2; k++) {
            struct wm_block_hash *hash = hash_of(kinds[k], parts);
            for (uint64_t run = 0; run < 40; run++)
                check_run(hash, parts, run);
            for (int i = 0; i < 40; i++)
                check_run(hash, parts, wm_random_u64(&random) >> (8 + (uint32_t)i));
            free(hash);
        }
}

Test(block_hash, equals_the_model)
{
    struct wm_random random;
    wm_random_init(&random, 2, "block hash");
    for (uint32_t parts = 1; parts <= MOST_PARTS; parts++)
        for (size_t k = 0; k < 2; k++) {
            struct wm_block_hash *hash = hash_of(kinds[k], parts);
            for (int i = 0; i < 200; i++) {
                uint64_t block = wm_random_u64(&random) >> wm_random_below(&random, 64);
                cr_assert_eq(wm_block_place(hash, block), obvious_place(kinds[k], block, parts),
                             "%u parts, block %lu", parts, block);
            }
            free(hash);
        }
}

static uint32_t parts_used(const struct wm_block_hash *hash, uint32_t parts, uint64_t stride)
{
    bool has[MOST_PARTS] = {false};
    uint32_t used = 0;
    for (uint64_t i = 0; i < parts; i++) {
        uint64_t part = wm_block_place(hash, i * stride) % parts;
        used += !has[part];
        has[part] = true;
    }
    return used;
}

// Rau: x is a unit modulo the polynomial, so as many blocks as there are parts, a power of two
// apart, are on all of them. Without a hash they are on one, from a stride of the parts on.
Test(block_hash, strides_of_powers_of_two_use_all_parts)
{
    for (uint32_t parts = 2; parts <= 64; parts *= 2) {
        struct wm_block_hash *hash = hash_of(WM_INTERLEAVE_IPOLY, parts);
        for (uint32_t shift = 0; shift < 40; shift++)
            cr_expect_eq(parts_used(hash, parts, UINT64_C(1) << shift), parts, "%u, 2^%u", parts,
                         shift);
        cr_expect_eq(parts_used(NULL, parts, parts), 1);
        free(hash);
    }
}

// --- Slices and channels ---

static struct wm_memory *memory_of(uint32_t slices, uint32_t channels, enum wm_interleave_hash kind)
{
    struct wm_memory_spec spec =
        small_memory(1, small_cache(1, 1, 128, 32), small_cache(2 * slices, 2, 128, 32), slices);
    spec.dram.channels = channels;
    spec.dram.interleave_hash = spec.levels[WM_LEVEL_L2].interleave_hash = kind;
    return small_memory_new(&spec);
}

// What a slice misses goes to one channel, and no two blocks are the same one of a channel, nor two
// lines the same one of a slice.
static void check_agreement(const struct wm_memory *memory, uint32_t slices, uint32_t channels)
{
    enum { ROWS = 40 };
    uint64_t blocks = (uint64_t)slices * ROWS, each = blocks / channels, per_slice = 2 * ROWS;
    bool *of_channels = calloc(blocks, 1), *of_slices = calloc(2 * blocks, 1);
    for (uint64_t line = 0; line < 2 * blocks; line++) {
        uint64_t index_line;
        uint32_t slice = wm_memory_slice(memory, line, &index_line), channel = 0;
        uint64_t block = wm_channel_of(memory, line * 128, &channel);
        cr_assert_eq(channel, slice % channels, "%u slices, %u channels, line %lu", slices,
                     channels, line);
        cr_assert_eq(channel, obvious_channel(&memory->spec, line * 128));
        cr_assert_eq(slice, obvious_slice(&memory->spec.levels[WM_LEVEL_L2], line * 128));
        cr_assert(block < each && index_line < per_slice);
        cr_assert(line % 2 == 1 || !of_channels[channel * each + block]);
        cr_assert(!of_slices[slice * per_slice + index_line]);
        of_channels[channel * each + block] = of_slices[slice * per_slice + index_line] = true;
    }
    free(of_channels);
    free(of_slices);
}

Test(block_hash, slices_and_channels_agree)
{
    for (uint32_t channels = 1; channels <= 48; channels++)
        for (uint32_t times = 1; channels * times <= MOST_PARTS && times <= 8; times++)
            for (size_t k = 0; k < 2; k++) {
                struct wm_memory *memory = memory_of(channels * times, channels, kinds[k]);
                check_agreement(memory, channels * times, channels);
                wm_memory_free(memory);
            }
}

// Channels behind slices that interleave otherwise, or behind none, are hashed by themselves.
Test(block_hash, channels_alone_have_their_own_bits)
{
    struct wm_memory_spec spec =
        small_memory(1, small_cache(1, 1, 128, 32), small_cache(2 * 12, 2, 128, 32), 12);
    spec.dram.channels = 6;
    spec.dram.interleave_hash = spec.levels[WM_LEVEL_L2].interleave_hash = WM_INTERLEAVE_IPOLY;
    cr_expect_eq(wm_level_hash_bits(&spec, WM_LEVEL_L2), 2);
    cr_expect_eq(wm_channel_hash_bits(&spec), 2);
    spec.dram.channel_interleave_bytes = 512;
    cr_expect_eq(wm_channel_hash_bits(&spec), 1);
    spec.dram.channel_interleave_bytes = 256;
    spec.levels[WM_LEVEL_L2].cache.present = false;
    cr_expect_eq(wm_level_hash_bits(&spec, WM_LEVEL_L2), 0);
    cr_expect_eq(wm_channel_hash_bits(&spec), 1);
    spec.dram.interleave_hash = WM_INTERLEAVE_IN_TURN;
    cr_expect_eq(wm_channel_hash_bits(&spec), 0);
}

// What warps of a block share of a load, byte by byte, on loads made by hand.
#include "engine/access/access_pattern.h"

#include <criterion/criterion.h>

enum { LINE = 128, PC = 7 };

static struct wm_access_patterns *patterns;
static struct wm_instruction_misses instruction_counters;

static void begin(void)
{
    patterns = wm_access_patterns_new(1);
    instruction_counters = (struct wm_instruction_misses){0};
    cr_assert_not_null(patterns);
}

static void end(void)
{
    wm_access_patterns_free(patterns);
}

TestSuite(access_pattern, .init = begin, .fini = end);

// Lanes of `bytes` each, `step` apart, in one line from `address` on; or all in the same place.
static void load(uint64_t block, uint32_t warp, uint64_t address, uint32_t bytes, uint32_t step)
{
    uint64_t addresses[WM_MAX_LANES];
    struct wm_line_request line = {.line_address = address - address % LINE};
    for (uint32_t lane = 0; lane < 32; lane++) {
        addresses[lane] = address + (uint64_t)lane * step;
        line.sectors |= UINT32_C(1) << addresses[lane] % LINE / WM_SECTOR_BYTES;
    }
    const struct wm_warp_access access = {.kind = WM_ACCESS_LOAD,
                                          .space = WM_SPACE_GLOBAL,
                                          .pc = PC,
                                          .bytes_per_lane = bytes,
                                          .active = UINT32_MAX,
                                          .addresses = addresses};
    const struct wm_warp_identity origin = {.block = block, .warp = warp};
    wm_access_pattern_lines(patterns, origin, &access, &line, 1, LINE, &instruction_counters);
}

static void expect(uint64_t bytes, uint64_t first, uint64_t other_warp, uint64_t blocks)
{
    cr_expect_eq(instruction_counters.block_bytes, bytes, "%ju bytes",
                 (uintmax_t)instruction_counters.block_bytes);
    cr_expect_eq(instruction_counters.block_first, first, "%ju first",
                 (uintmax_t)instruction_counters.block_first);
    cr_expect_eq(instruction_counters.block_other_warp, other_warp, "%ju of another warp",
                 (uintmax_t)instruction_counters.block_other_warp);
    cr_expect_eq(instruction_counters.block_readers, blocks, "%ju blocks",
                 (uintmax_t)instruction_counters.block_readers);
}

Test(access_pattern, warps_side_by_side_in_a_line_share_nothing)
{
    for (uint32_t warp = 0; warp < 4; warp++)
        load(0, warp, 4096 + 32 * warp, 1, 1);
    expect(128, 128, 0, 1);
}

Test(access_pattern, words_of_a_sector_are_each_their_own)
{
    for (uint32_t warp = 0; warp < 8; warp++)
        load(0, warp, 4096 + 4 * warp, 4, 0);
    expect(32, 32, 0, 1);
}

// 4 bytes before the last, and the last but one: neither goes round to address 0.
Test(access_pattern, the_last_sector_of_all_is_one_as_any, .timeout = 20)
{
    load(0, 0, UINT64_MAX - 7, 4, 0);
    expect(4, 4, 0, 1);
    load(0, 1, UINT64_MAX - 4, 4, 0);
    expect(8, 7, 1, 1);
    load(0, 2, UINT64_MAX - 31, 1, 1);
    expect(40, 32, 8, 1);
}

Test(access_pattern, a_row_that_all_warps_read)
{
    for (uint32_t warp = 0; warp < 8; warp++)
        load(0, warp, 4096, 4, 4);
    expect(8 * 128, 128, 7 * 128, 1);
    load(1, 0, 4096, 4, 4);
    expect(9 * 128, 2 * 128, 7 * 128, 2);
}

Test(access_pattern, what_the_warp_itself_read_last_is_its_own)
{
    load(0, 0, 4096, 4, 4);
    load(0, 0, 4096, 4, 4);
    expect(256, 128, 0, 1);
    load(0, 1, 4096, 4, 4);
    load(0, 0, 4096, 4, 4);
    expect(512, 128, 256, 1);
}

// Whether warps take turns or each goes through the sector at once.
Test(access_pattern, halves_of_a_sector_one_after_the_other)
{
    for (uint32_t warp = 0; warp < 4; warp++) {
        load(0, warp, 4096, 16, 0);
        load(0, warp, 4112, 16, 0);
    }
    expect(128, 32, 96, 1);
}

// Who reads a line, against a table of it, and classes of sharing on patterns whose answer is
// known: blocks that share a table, a stencil's halo, a tiled matrix product, a gather at random.
#include "base/numbers/random.h"
#include "mem/explain/line_sharing.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINES = 700, SMS = 130 };

Test(line_sharing, random_readers_match_a_table)
{
    static bool read[LINES][SMS];
    static const uint32_t most[] = {1, 2, 4, 8, 16, 32, 64, UINT32_MAX};
    struct wm_line_sharing sharing;
    struct wm_random random;
    uint64_t expected[8] = {0};
    cr_assert(wm_line_sharing_init(&sharing, SMS));
    wm_random_init(&random, 5, "sharing");
    for (int launch = 0; launch < 2; launch++) {
        memset(read, 0, sizeof read);
        wm_line_sharing_launch(&sharing, 0, NULL);
        for (int i = 0; i < 300000; i++) {
            // Some lines are read by few SMs, others by all.
            uint32_t line = (uint32_t)wm_random_below(&random, LINES);
            uint32_t sm = (uint32_t)wm_random_below(&random, 1 + line * SMS / LINES);
            read[line][sm] = true;
            wm_line_sharing_read(&sharing, line + 5000, sm, sm, NULL);
        }
        wm_line_sharing_classify(&sharing);
        for (uint32_t line = 0; line < LINES; line++) {
            uint32_t readers = 0, bucket = 0;
            for (uint32_t sm = 0; sm < SMS; sm++)
                readers += read[line][sm];
            while (readers > most[bucket])
                bucket++;
            expected[bucket] += readers > 0;
        }
        for (int bucket = 0; bucket < 8; bucket++)
            cr_assert_eq(((const uint64_t *)&sharing.counters)[bucket], expected[bucket],
                         "bucket %d", bucket);
    }
    cr_expect_gt(expected[7], 100);
    cr_expect_gt(expected[0], 5);
    wm_line_sharing_release(&sharing);
}

// --- Classes ---

static struct wm_line_sharing sharing;
static uint64_t charge[4]; // of the one instruction
static uint32_t sms, grid[3];

// Blocks are numbered from 1000 on, as after earlier launches, and go to the SMs in turn.
static void launch(uint32_t sm_count, uint32_t x, uint32_t y, uint32_t z)
{
    sms = sm_count;
    memcpy(grid, (uint32_t[]){x, y, z}, sizeof grid);
    memset(charge, 0, sizeof charge);
    cr_assert(wm_line_sharing_init(&sharing, sms));
    wm_line_sharing_launch(&sharing, 1000, grid);
    for (uint32_t block = 0; block < x * y * z && block < sms; block++)
        wm_line_sharing_ran(&sharing, block);
}

static void reads(uint32_t x, uint32_t y, uint32_t z, uint64_t line)
{
    uint64_t block = x + (uint64_t)grid[0] * (y + (uint64_t)grid[1] * z);
    wm_line_sharing_read(&sharing, line, (uint32_t)(block % sms), 1000 + block, charge);
}

static void expect(uint64_t private, uint64_t boundary, uint64_t broadcast, uint64_t dynamic)
{
    wm_line_sharing_classify(&sharing);
    const struct wm_sharing_counters *c = &sharing.counters;
    cr_expect_eq(c->lines_private, private, "private %lu", c->lines_private);
    cr_expect_eq(c->lines_boundary, boundary, "boundary %lu", c->lines_boundary);
    cr_expect_eq(c->lines_broadcast, broadcast, "broadcast %lu", c->lines_broadcast);
    cr_expect_eq(c->lines_dynamic, dynamic, "dynamic %lu", c->lines_dynamic);
    wm_line_sharing_classify(&sharing);
    cr_expect_eq(c->lines_private, private, "a launch is counted once");
    cr_expect_not(sharing.failed);
    wm_line_sharing_release(&sharing);
}

Test(sharing_classes, a_stream_is_private)
{
    launch(16, 64, 1, 1);
    for (uint32_t x = 0; x < 64; x++)
        for (uint64_t i = 0; i < 8; i++)
            reads(x, 0, 0, 8 * x + i);
    expect(512, 0, 0, 0);
    cr_expect_eq(charge[WM_SHARING_PRIVATE], 512);
}

Test(sharing_classes, a_table_that_all_blocks_read_is_broadcast)
{
    static const uint32_t machines[] = {2, 3, 16, 80};
    for (int i = 0; i < 4; i++) {
        launch(machines[i], 40, 5, 1);
        for (uint32_t x = 0; x < 40; x++)
            for (uint32_t y = 0; y < 5; y++)
                for (uint64_t line = 0; line < 10; line++)
                    reads(x, y, 0, line);
        expect(0, 0, 10, 0);
        cr_expect_eq(charge[WM_SHARING_BROADCAST], 40 * 5 * 10);
    }
}

// Of more blocks than SMs, each SM reads the table once, by whichever block comes first.
Test(sharing_classes, what_all_sms_read_is_broadcast_whatever_the_blocks)
{
    launch(16, 4096, 1, 1);
    for (uint32_t sm = 0; sm < 16; sm++)
        reads(sm + 16 * (sm * 97 % 256), 0, 0, 7);
    for (uint32_t sm = 0; sm < 11; sm++) // fewer than three quarters
        reads(sm + 16 * (sm * 97 % 256), 0, 0, 8);
    expect(0, 0, 1, 1);
}

Test(sharing_classes, the_halo_of_a_row_of_blocks_is_boundary)
{
    launch(16, 32, 1, 1);
    for (uint32_t x = 0; x < 32; x++)
        for (int64_t i = -1; i <= 4; i++) // four lines of its own, one more at each side
            reads(x, 0, 0, (uint64_t)(100 + 4 * (int64_t)x + i));
    // Of each block's lines the two in the middle are its own; the ends of the row have one side.
    expect(32 * 2 + 4, 31 * 2, 0, 0);
    cr_expect_eq(charge[WM_SHARING_PRIVATE], 32 * 2 + 4);
    cr_expect_eq(charge[WM_SHARING_BOUNDARY], 31 * 2 * 2);
}

Test(sharing_classes, the_halo_of_a_box_of_blocks_is_boundary)
{
    enum { SIDE = 6 }; // a line a block, read by its 27 neighbours
    launch(80, SIDE, SIDE, SIDE);
    for (int z = 0; z < SIDE; z++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                for (int i = 0; i < 27; i++) {
                    int u = x + i % 3 - 1, v = y + i / 3 % 3 - 1, w = z + i / 9 - 1;
                    if (u >= 0 && u < SIDE && v >= 0 && v < SIDE && w >= 0 && w < SIDE)
                        reads((uint32_t)x, (uint32_t)y, (uint32_t)z,
                              (uint64_t)(u + SIDE * (v + SIDE * w)));
                }
    expect(0, SIDE * SIDE * SIDE, 0, 0);
}

// A tile of A is read by a row of blocks, a tile of B by a column.
static void product(bool folded)
{
    if (folded)
        launch(80, 16 * 16, 1, 1);
    else
        launch(80, 16, 16, 1);
    for (uint32_t row = 0; row < 16; row++)
        for (uint32_t column = 0; column < 16; column++)
            for (uint64_t i = 0; i < 3; i++) {
                uint32_t x = folded ? 16 * row + column : column, y = folded ? 0 : row;
                reads(x, y, 0, 3 * row + i);
                reads(x, y, 0, 1000 + 3 * column + i);
            }
    expect(0, 0, 96, 0);
    cr_expect_eq(charge[WM_SHARING_BROADCAST], 16 * 16 * 6);
}

Test(sharing_classes, the_tiles_of_a_matrix_product_are_broadcast_to_a_row_or_column)
{
    product(false);
}

Test(sharing_classes, the_same_in_a_folded_grid)
{
    product(true);
}

// Every row of a tall grid, of as few blocks as make a row: none may be lost to chance.
Test(sharing_classes, rows_of_few_blocks_are_counted_exactly)
{
    static const uint32_t widths[] = {4, 5, 8, 9, 12};
    for (int i = 0; i < 5; i++) {
        launch(80, widths[i], 500, 1);
        for (uint32_t y = 0; y < 500; y++)
            for (uint32_t x = 0; x < widths[i]; x++)
                reads(x, y, 0, y);
        expect(0, 0, 500, 0);
    }
}

Test(sharing_classes, a_gather_at_random_is_dynamic)
{
    static const uint32_t readers[] = {3, 8, 20, 40};
    for (int density = 0; density < 4; density++) {
        struct wm_random random;
        wm_random_init(&random, 9, "gather");
        launch(80, 512, 1, 1);
        for (uint32_t i = 0; i < 1000 * readers[density]; i++)
            reads((uint32_t)wm_random_below(&random, 512), 0, 0, wm_random_below(&random, 1000));
        wm_line_sharing_classify(&sharing);
        const struct wm_sharing_counters *c = &sharing.counters;
        uint64_t shared = c->lines_boundary + c->lines_broadcast + c->lines_dynamic;
        cr_expect_gt(shared, 750);
        cr_expect_geq(c->lines_dynamic, shared * 95 / 100, "%u readers: %lu of %lu",
                      readers[density], c->lines_dynamic, shared);
        cr_expect_eq(charge[0] + charge[1] + charge[2] + charge[3], 1000 * readers[density]);
        wm_line_sharing_release(&sharing);
    }
}

Test(sharing_classes, two_blocks_far_apart_are_no_neighbours_and_no_row)
{
    launch(16, 64, 64, 1);
    for (uint64_t line = 0; line < 10; line++) {
        reads(3, 3, 0, line);
        reads(3 + (uint32_t)line, 3, 0, line); // the same block; then 1, 2, … apart
    }
    expect(1, 3, 0, 6);
}

Test(sharing_classes, a_launch_forgets_the_one_before)
{
    launch(16, 64, 1, 1);
    reads(3, 0, 0, 5);
    wm_line_sharing_classify(&sharing);
    wm_line_sharing_launch(&sharing, 1000, grid);
    reads(4, 0, 0, 5);
    expect(2, 0, 0, 0);
}

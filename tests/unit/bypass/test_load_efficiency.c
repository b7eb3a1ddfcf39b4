// Load efficiencies: Table II of the paper and where it is wrong (the specification's section 3.1),
// and what is worked out of PTX, against lane addresses counted one by one.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "bypass/load_efficiency.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128 };

// Bytes from an aligned pointer at which the lanes of warp `warp` lie.
typedef int64_t place_function(int64_t thread, int64_t size, int64_t count, int64_t first);

static int64_t strided(int64_t thread, int64_t size, int64_t count, int64_t first)
{
    return first + thread * count * size;
}

static int64_t stepped(int64_t thread, int64_t size, int64_t count, int64_t first)
{
    return first + thread / count * size;
}

static int64_t same(int64_t thread, int64_t size, int64_t count, int64_t first)
{
    (void)thread, (void)size, (void)count;
    return first;
}

// The mean over so many warps, each known in full.
static struct wm_load_efficiency exact_of(place_function *place, int64_t size, int64_t count,
                                          int64_t first, uint32_t bytes)
{
    enum { WARPS = 480 };
    struct wm_load_efficiency warps[WARPS];
    for (int warp = 0; warp < WARPS; warp++) {
        int64_t lanes[WM_LANE_VALUES];
        for (int lane = 0; lane < WM_LANE_VALUES; lane++)
            lanes[lane] = 4096 + place(warp * WM_LANE_VALUES + lane, size, count, first);
        struct wm_lane_value address = wm_lanes_of(lanes);
        warps[warp] = wm_efficiency_of_lanes(&address, bytes, LINE);
    }
    return wm_efficiency_mean(warps, WARPS);
}

static struct wm_load_efficiency table_of(place_function *place, int64_t size, int64_t count,
                                          int64_t first, uint32_t bytes)
{
    int64_t lanes[WM_LANE_VALUES];
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        lanes[lane] = 4096 + place(lane, size, count, first);
    struct wm_lane_value address = wm_lanes_of(lanes);
    struct wm_load_shape shape = wm_load_shape_of(&address);
    return wm_efficiency_by_table(&shape, bytes, LINE);
}

struct case_of_table {
    place_function *place;
    int64_t size, count, first; // Esize, C0, V's offset from its alignment
    uint32_t bytes;             // Dsize
    double on, off, n;
};

static void expect_near(double value, double expected, const char *what, size_t number)
{
    cr_expect(fabs(value - expected) < 0.006 * fmax(1, expected), "case %zu: %s is %f, not %f",
              number, what, value, expected);
}

static void expect_efficiency(const struct wm_load_efficiency *found,
                              const struct case_of_table *wanted, size_t number)
{
    cr_expect(found->known, "case %zu is unknown", number);
    expect_near(found->on, wanted->on, "E_on", number);
    expect_near(found->off, wanted->off, "E_off", number);
    expect_near(found->sectors, wanted->n, "n", number);
}

// Where the table is right.
Test(load_efficiency, the_table_and_the_addresses_agree)
{
    static const struct case_of_table cases[] = {
        {strided, 4, 1, 0, 4, 1, 1, 4},          {strided, 4, 2, 0, 4, .5, .5, 4},
        {strided, 4, 4, 0, 4, .25, .25, 4},      {strided, 4, 8, 0, 4, .125, .125, 4},
        {strided, 4, 16, 0, 4, .0625, .125, 2},  {strided, 4, 32, 0, 4, .03125, .125, 1},
        {strided, 4, 64, 0, 4, .03125, .125, 1}, {strided, 4, 25, 0, 4, .04, .125, 1.28},
        {strided, 8, 1, 0, 4, .5, .5, 4},        {strided, 64, 1, 0, 16, .25, .5, 2},
        {strided, 128, 1, 0, 16, .125, .5, 1},   {stepped, 4, 2, 0, 4, .5, 1, 2},
        {stepped, 4, 4, 0, 4, .25, 1, 1},        {stepped, 4, 16, 0, 4, .0625, .25, 1},
        {stepped, 4, 32, 0, 4, .03125, .125, 1}, {same, 4, 1, 0, 1, .0078125, .03125, 1},
        {same, 4, 1, 0, 4, .03125, .125, 1},     {same, 16, 1, 0, 16, .125, .5, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct case_of_table *it = &cases[i];
        struct wm_load_efficiency table = table_of(it->place, it->size, it->count, it->first,
                                                   it->bytes),
                                  exact = exact_of(it->place, it->size, it->count, it->first,
                                                   it->bytes);
        expect_efficiency(&exact, it, i);
        if (it->count != 32 || it->place != stepped) // a warp alone does not show steps so wide
            expect_efficiency(&table, it, i);
    }
}

// Where it is not: what the table says, and what the addresses do.
Test(load_efficiency, the_known_errors_of_the_table)
{
    static const struct {
        struct case_of_table table, exact;
    } cases[] = {
        {{strided, 4, 1, 4, 4, 1, 1, 4}, {strided, 4, 1, 4, 4, .5, .8, 2.5}},
        {{strided, 4, 1, -4, 4, 1, 1, 4}, {strided, 4, 1, -4, 4, .5, .8, 2.5}},
        {{stepped, 4, 3, 0, 4, .333, 1, 1.333}, {stepped, 4, 3, 0, 4, .354, .708, 2}},
        {{stepped, 4, 5, 0, 4, .2, .8, 1}, {stepped, 4, 5, 0, 4, .225, .563, 1.6}},
        {{stepped, 64, 2, 0, 4, .0625, .0625, 4}, {stepped, 64, 2, 0, 4, .0625, .125, 2}},
        {{stepped, 64, 16, 0, 4, .0625, .0625, 4}, {stepped, 64, 16, 0, 4, .0625, .125, 2}},
        {{stepped, 128, 2, 0, 4, .03125, .03125, 4}, {stepped, 128, 2, 0, 4, .03125, .125, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct case_of_table *it = &cases[i].table;
        struct wm_load_efficiency table = table_of(it->place, it->size, it->count, it->first,
                                                   it->bytes),
                                  exact = exact_of(it->place, it->size, it->count, it->first,
                                                   it->bytes);
        expect_efficiency(&table, &cases[i].table, i);
        expect_efficiency(&exact, &cases[i].exact, i);
    }
}

// Steps wider than a warp: the table's floor is a byte, where an element moves. Its n is right.
Test(load_efficiency, steps_wider_than_a_warp)
{
    struct wm_load_shape shape = {WM_PATTERN_STEPPED, 4, 64};
    struct wm_load_efficiency table = wm_efficiency_by_table(&shape, 4, LINE);
    expect_near(table.on, .015625, "E_on", 0);
    expect_near(table.off, .0625, "E_off", 0);
    expect_near(table.sectors, 1, "n", 0);
}

// --- Out of PTX ---

// The address of one load: base + terms. The kernel's text says it in one of several ways.
struct drawn {
    uint32_t block[3];
    int64_t of_x, of_y, of_block, of_round, first; // bytes
    int64_t rounds;
    uint32_t divide; // tid.x is divided by it: 1, 2, 4, …
    uint32_t bytes;
};

static uint32_t draw(struct wm_random *random, uint32_t bound)
{
    return (uint32_t)wm_random_below(random, bound);
}

static struct drawn draw_kernel(struct wm_random *random)
{
    static const uint32_t blocks[][3] = {{32, 1, 1}, {256, 1, 1}, {16, 16, 1}, {8, 8, 4},
                                         {64, 2, 1}, {128, 1, 1}, {32, 8, 1},  {4, 64, 1}};
    struct drawn it = {.bytes = UINT32_C(1) << draw(random, 5), .rounds = 2 + draw(random, 5)};
    memcpy(it.block, blocks[draw(random, 8)], sizeof it.block);
    int64_t size = it.bytes;
    it.of_x = size * draw(random, 20);
    it.of_y = size * draw(random, 200);
    it.of_block = size * draw(random, 500);
    it.of_round = size * draw(random, 70);
    it.first = size * draw(random, 40);
    it.divide = UINT32_C(1) << draw(random, 5);
    return it;
}

static void write_kernel(const struct drawn *it, struct wm_random *random, char *text, size_t size)
{
    const char *scale = draw(random, 2) != 0
                            ? "mul.wide.s32 %%rd3, %%r7, 1;\nadd.s64 %%rd4, %%rd2, %%rd3;\n"
                            : "cvt.s64.s32 %%rd3, %%r7;\nadd.s64 %%rd4, %%rd3, %%rd2;\n";
    const char *divide =
        draw(random, 2) != 0 ? "shr.u32 %%r4, %%r1, %u;\n" : "div.u32 %%r4, %%r1, %u;\n";
    char scaled[200], divided[64];
    snprintf(scaled, sizeof scaled, scale, 0);
    uint32_t by = divide[0] == 's' ? (uint32_t)__builtin_ctz(it->divide) : it->divide;
    snprintf(divided, sizeof divided, divide, by);
    snprintf(text, size,
             ".version 7.8\n.target sm_70\n.address_size 64\n"
             ".visible .entry k(.param .u64 p)\n{\n"
             ".reg .b64 %%rd<9>;\n.reg .b32 %%r<20>;\n.reg .b8 %%b<9>;\n.reg .pred %%p<2>;\n"
             "ld.param.u64 %%rd1, [p];\ncvta.to.global.u64 %%rd2, %%rd1;\n"
             "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%tid.y;\nmov.u32 %%r3, %%ctaid.x;\n%s"
             "mov.u32 %%r9, 0;\nmov.u32 %%r8, 0;\n"
             "again:\n"
             "mul.lo.s32 %%r5, %%r4, %" PRId64 ";\nmad.lo.s32 %%r6, %%r2, %" PRId64 ", %%r5;\n"
             "mad.lo.s32 %%r6, %%r3, %" PRId64 ", %%r6;\nadd.s32 %%r7, %%r6, %%r8;\n%s"
             "ld.global.u8 %%b1, [%%rd4+%" PRId64 "];\n"
             "add.s32 %%r8, %%r8, %" PRId64 ";\nadd.s32 %%r9, %%r9, 1;\n"
             "setp.lt.s32 %%p1, %%r9, %" PRId64 ";\n@%%p1 bra again;\nret;\n}\n",
             divided, it->of_x, it->of_y, it->of_block, scaled, it->first, it->of_round,
             it->rounds);
}

// Lines and sectors that the warp touches, lane by lane.
static void count(const struct drawn *it, uint32_t warp, int64_t block, int64_t round,
                  double *lines, double *sectors, double *used)
{
    static uint8_t bytes[1 << 22];
    int64_t touched[2 * 32 * 32], count_touched = 0;
    *lines = *sectors = *used = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t thread = warp * 32 + lane, x = thread % it->block[0],
                 y = thread / it->block[0] % it->block[1];
        int64_t at = x / it->divide * it->of_x + y * it->of_y + block * it->of_block +
                     round * it->of_round + it->first;
        for (uint32_t b = 0; b < it->bytes; b++) {
            cr_assert_lt((size_t)(at + b), sizeof bytes);
            *used += bytes[at + b] == 0;
            bytes[at + b] = 1;
            touched[count_touched++] = at + b;
        }
    }
    for (int64_t i = 0; i < count_touched; i++) {
        int64_t line = touched[i] / LINE * LINE, sector = touched[i] / 32 * 32;
        bool first_of_line = true, first_of_sector = true;
        for (int64_t b = line; b < line + LINE && first_of_line; b++)
            first_of_line = bytes[b] != 2;
        for (int64_t b = sector; b < sector + 32 && first_of_sector; b++)
            first_of_sector = bytes[b] != 2;
        *lines += first_of_line;
        *sectors += first_of_sector;
        bytes[touched[i]] = 2;
    }
    for (int64_t i = 0; i < count_touched; i++)
        bytes[touched[i]] = 0;
}

// How many multiples of it lie differently in a line.
static int64_t cycle(int64_t bytes)
{
    int64_t count = 1;
    while (bytes * count % LINE != 0)
        count++;
    return count;
}

// The mean over the phases of a line that blocks and rounds bring about: those of enough of both.
static struct wm_load_efficiency counted(const struct drawn *it, uint32_t warps)
{
    double lines = 0, sectors = 0, used = 0;
    struct wm_load_efficiency each[32];
    for (uint32_t warp = 0; warp < warps; warp++) {
        double warp_lines = 0, warp_sectors = 0, warp_used = 0;
        for (int64_t block = 0; block < cycle(it->of_block); block++)
            for (int64_t round = 0; round < cycle(it->of_round); round++) {
                count(it, warp, block, round, &lines, &sectors, &used);
                warp_lines += lines;
                warp_sectors += sectors;
                warp_used += used;
            }
        each[warp] = (struct wm_load_efficiency){.known = true,
                                                 .on = warp_used / (warp_lines * LINE),
                                                 .off = warp_used / (warp_sectors * 32),
                                                 .sectors = warp_sectors / warp_lines,
                                                 .used = warp_used};
    }
    return wm_efficiency_mean(each, warps);
}

static struct wm_load_efficiency analysed(const struct drawn *it, uint32_t warps, const char *text)
{
    struct wm_ptx_module *module;
    struct wm_error error;
    char buffer[1024];
    wm_error_clear(&error);
    cr_assert_eq(wm_ptx_parse(text, strlen(text), "drawn.ptx", &module, &error), WM_OK, "%s",
                 wm_error_format(&error, buffer, sizeof buffer));
    const struct wm_ptx_function *function = wm_ptx_module_function(module, "k");
    struct wm_launch_shape shape = {.grid = {LINE, 1, 1}};
    memcpy(shape.block, it->block, sizeof shape.block);
    struct wm_lane_value *addresses = calloc(function->statement_count, sizeof *addresses);
    struct wm_load_efficiency each[32];
    for (uint32_t warp = 0; warp < warps; warp++) {
        cr_assert_eq(wm_address_analysis(function, &shape, warp, addresses, NULL), WM_OK);
        for (uint32_t s = 0; s < function->statement_count; s++)
            if (function->statements[s].kind == WM_PTX_STATEMENT_INSTRUCTION &&
                function->statements[s].instruction->opcode == WM_PTX_OP_ld &&
                function->statements[s].instruction->space == WM_PTX_global)
                each[warp] = wm_efficiency_of_lanes(&addresses[s], it->bytes, LINE);
        cr_assert(each[warp].known, "%s", text);
    }
    free(addresses);
    wm_ptx_module_free(module);
    return wm_efficiency_mean(each, warps);
}

Test(load_efficiency, random_affine_kernels)
{
    struct wm_random random;
    wm_random_init(&random, 7, "affine kernels");
    for (int i = 0; i < TEST_ROUNDS(160); i++) {
        struct drawn it = draw_kernel(&random);
        char text[2048];
        write_kernel(&it, &random, text, sizeof text);
        uint32_t threads = it.block[0] * it.block[1] * it.block[2], warps = threads / 32;
        warps = warps > 2 ? 2 : warps;
        struct wm_load_efficiency exact = analysed(&it, warps, text), each = counted(&it, warps);
        cr_expect_float_eq(exact.on, each.on, 1e-9, "E_on %f, counted %f\n%s", exact.on, each.on,
                           text);
        cr_expect_float_eq(exact.off, each.off, 1e-9, "E_off %f, counted %f\n%s", exact.off,
                           each.off, text);
        cr_expect_float_eq(exact.sectors, each.sectors, 1e-9);
    }
}

// bar.red has a result, as bar.sync has none: a register that both zero and it may have written is
// not zero.
Test(load_efficiency, the_result_of_a_barrier_is_unknown)
{
    static const char format[] =
        ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b64 %%rd<9>;\n.reg .b32 %%r<9>;\n.reg .pred %%p<2>;\nld.param.u64 %%rd1, [p];\n"
        "setp.eq.u32 %%p1, 1, 1;\nmov.u32 %%r1, 0;\n%s\nmul.wide.u32 %%rd2, %%r1, 64;\n"
        "add.s64 %%rd3, %%rd1, %%rd2;\nld.global.u32 %%r2, [%%rd3];\nret;\n}\n";
    static const char *const barriers[] = {"bar.sync %r1, 32;", "bar.red.popc.u32 %r1, 0, %p1;"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        struct wm_ptx_module *module;
        snprintf(text, sizeof text, format, barriers[i]);
        cr_assert_eq(wm_ptx_parse(text, strlen(text), "barrier.ptx", &module, NULL), WM_OK);
        const struct wm_ptx_function *function = wm_ptx_module_function(module, "k");
        struct wm_launch_shape shape = {.grid = {4, 1, 1}, .block = {32, 1, 1}};
        struct wm_lane_value addresses[64];
        cr_assert_leq(function->statement_count, 64);
        cr_assert_eq(wm_address_analysis(function, &shape, 0, addresses, NULL), WM_OK);
        for (uint32_t s = 0; s < function->statement_count; s++)
            if (function->statements[s].kind == WM_PTX_STATEMENT_INSTRUCTION &&
                function->statements[s].instruction->opcode == WM_PTX_OP_ld &&
                function->statements[s].instruction->space == WM_PTX_global)
                cr_expect_eq(wm_efficiency_of_lanes(&addresses[s], 4, LINE).known, i == 0, "%s",
                             barriers[i]);
        wm_ptx_module_free(module);
    }
}

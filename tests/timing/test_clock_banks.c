// Ports and banks of L1 in the clock engine, against numbers worked out by hand.
#include "clock_forms.h"

#include <criterion/criterion.h>
#include <inttypes.h>

// A conversion to 64 bits and an addition of them, which takes two.
enum { NEXT = 3 * ALU };

// Lanes load words that are 0 from lines of their own, lane i from sector i modulo `sectors`; the
// next load's address depends on them. What it lacks of L1 the first load of a kernel fetches.
static uint64_t cycles_of_scattered_loads(const struct wm_machine *machine, uint32_t sectors,
                                          uint64_t *stalled)
{
    struct forms forms;
    char before[300];
    snprintf(before, sizeof before,
             "shl.b32 %%r3, %%r2, 7;\nrem.u32 %%r4, %%r2, %u;\nshl.b32 %%r4, %%r4, 5;\n"
             "add.u32 %%r3, %%r3, %%r4;\ncvt.u64.u32 %%rd2, %%r3;\nadd.u64 %%rd1, %%rd1, %%rd2;",
             sectors);
    forms_init(&forms, machine, before,
               "ld.global.u32 %r5, [%rd1];\ncvt.u64.u32 %rd3, %r5;\nadd.u64 %rd1, %rd1, %rd3;");
    uint64_t parameter = walk_words(&forms.fixture, 1024);
    walk_run(&forms.fixture, "warm", 1, 32, &parameter, 1);
    walk_run(&forms.fixture, "shorter", 1, 32, &parameter, 1);
    walk_run(&forms.fixture, "longer", 1, 32, &parameter, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    const struct wm_kernel_result *shorter = kernel_of(results, "shorter"),
                                  *longer = kernel_of(results, "longer");
    uint64_t more = life_of(longer) - life_of(shorter);
    *stalled = (counter(longer, "memory_unit", "stalled_bank") -
                counter(shorter, "memory_unit", "stalled_bank")) /
               LENGTH;
    cr_assert_eq(more % LENGTH, 0);
    wm_results_free(results);
    forms_release(&forms);
    return more / LENGTH;
}

static struct wm_machine machine_with_banks(uint32_t ports, uint32_t banks, uint32_t width)
{
    struct wm_machine machine = simple_machine();
    machine.memory.levels[WM_LEVEL_L1].ports = ports;
    machine.memory.levels[WM_LEVEL_L1].banks =
        (struct wm_bank_spec){.count = banks, .width_bytes = width};
    return machine;
}

// 32 requests take 32 cycles through one port; of as many ports as there are banks each serves one,
// unless all want the same.
Test(clock_forms, ports_and_banks_set_the_pace_of_a_warps_requests)
{
    static const struct {
        uint32_t ports, banks, width, sectors, cycles, stalled;
    } cases[] = {
        {1, 0, 32, 1, 32, 0}, {1, 4, 32, 4, 32, 0},   {2, 0, 32, 1, 16, 0},   {3, 0, 32, 1, 11, 0},
        {32, 0, 32, 1, 1, 0}, {4, 4, 32, 4, 8, 0},    {4, 4, 32, 1, 32, 31},  {4, 4, 32, 2, 16, 15},
        {32, 4, 32, 4, 8, 7}, {4, 1, 128, 4, 32, 31}, {4, 2, 128, 4, 16, 15}, {4, 32, 4, 4, 8, 0},
        {4, 4, 4, 1, 64, 32}, // a sector has two words in each bank
        {1, 4, 4, 1, 64, 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_machine machine =
            machine_with_banks(cases[i].ports, cases[i].banks, cases[i].width);
        uint64_t stalled, cycles = cycles_of_scattered_loads(&machine, cases[i].sectors, &stalled);
        cr_expect_eq(cycles, TO_UNIT + cases[i].cycles - 1 + L1 + NEXT, "case %zu: %" PRIu64, i,
                     cycles);
        cr_expect_eq(stalled, cases[i].stalled, "case %zu: %" PRIu64 " stalled", i, stalled);
    }
}

// A line's four sectors, side by side in banks of their own or one after another in fewer.
Test(clock_forms, a_request_takes_a_bank_for_each_piece)
{
    static const struct {
        uint32_t banks, width, cycles;
    } cases[] = {{0, 32, 1}, {8, 32, 1}, {4, 32, 1},  {3, 32, 2}, {2, 32, 2}, {1, 32, 4},
                 {1, 64, 2}, {2, 64, 1}, {1, 128, 1}, {32, 4, 1}, {16, 4, 2}};
    const char *before = "shl.b32 %r3, %r2, 2;\ncvt.u64.u32 %rd2, %r3;\nadd.u64 %rd1, %rd1, %rd2;";
    const char *load =
        "ld.global.u32 %r5, [%rd1];\ncvt.u64.u32 %rd3, %r5;\nadd.u64 %rd1, %rd1, %rd3;";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_machine machine = machine_with_banks(1, cases[i].banks, cases[i].width);
        cr_expect_eq(cycles_of(&machine, before, load), TO_UNIT + L1 + cases[i].cycles - 1 + NEXT,
                     "case %zu", i);
    }
}

// What a load's look-ups and data take, of a chain of loads, `before` having put lanes' addresses
// into %rd1: the words that they load are 0.
static uint64_t data_cycles(const struct wm_machine *machine, const char *before, const char *space)
{
    char line[200];
    snprintf(line, sizeof line,
             "ld.%s.u32 %%r5, [%%rd1];\ncvt.u64.u32 %%rd3, %%r5;\nadd.u64 %%rd1, %%rd1, %%rd3;",
             space);
    return cycles_of(machine, before, line) - (TO_UNIT - 1 + L1 + NEXT);
}

// Loads of lanes that are so many bytes apart. Their lines take a look-up each, as many at once as
// there are ports; their words a bank of 32, of 4 bytes, in which others wait: what takes longer.
Test(clock_forms, lanes_words_conflict_in_lane_banks)
{
    static const struct {
        uint32_t ports, stride, cycles;
    } cases[] = {
        {1, 0, 1},  {1, 4, 1},  {1, 8, 2},  {4, 8, 2},   {4, 12, 1},   {1, 12, 3},
        {4, 16, 4}, {4, 36, 3}, {1, 36, 9}, {4, 64, 16}, {4, 128, 32}, {32, 132, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_machine machine = machine_with_banks(cases[i].ports, 0, 32);
        char before[200];
        machine.memory.levels[WM_LEVEL_L1].banks.of_lanes = true;
        snprintf(before, sizeof before,
                 "mul.wide.u32 %%rd2, %%r2, %u;\nadd.u64 %%rd1, %%rd1, %%rd2;", cases[i].stride);
        cr_expect_eq(data_cycles(&machine, before, "global"), cases[i].cycles, "case %zu", i);
    }
}

// Words of constant memory, of a line or of several, come one after another.
Test(clock_forms, words_of_constants_are_served_one_after_another)
{
    static const struct {
        uint32_t interval, words, cycles;
    } cases[] = {{0, 8, 1}, {1, 1, 1}, {1, 8, 8}, {2, 1, 2}, {2, 8, 16}, {3, 4, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_machine machine = simple_machine();
        struct wm_level_spec *constant =
            &machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT];
        char before[200];
        *constant = walk_side_cache(2048, 1);
        constant->timing = machine.memory.levels[WM_LEVEL_L1].timing;
        constant->word_interval = cases[i].interval;
        snprintf(
            before, sizeof before,
            "rem.u32 %%r3, %%r2, %u;\nmul.wide.u32 %%rd2, %%r3, 4;\nmov.u64 %%rd1, constants;\n"
            "add.u64 %%rd1, %%rd1, %%rd2;",
            cases[i].words);
        cr_expect_eq(data_cycles(&machine, before, "const"), cases[i].cycles, "case %zu", i);
    }
}

// The blocks of an SM that holds one at a time begin so much later each.
Test(clock_forms, blocks_take_time_to_begin)
{
    uint64_t elapsed[2][3];
    for (uint32_t later = 0; later < 2; later++) {
        struct wm_machine machine = simple_machine();
        machine.sm.max_blocks = 1;
        machine.sm.block_latency = later * 100;
        struct forms forms;
        forms_init(&forms, &machine, "", "add.u32 %r5, %r5, 1;");
        uint64_t parameter = walk_words(&forms.fixture, 1024);
        static const char *const names[] = {"warm", "shorter", "longer"};
        for (uint32_t i = 0; i < 3; i++)
            walk_run(&forms.fixture, names[i], i + 1, 32, &parameter, 1);
        struct wm_results *results = walk_take_results(&forms.fixture);
        for (uint32_t i = 0; i < 3; i++)
            elapsed[later][i] = kernel_of(results, names[i])->cycles;
        wm_results_free(results);
        forms_release(&forms);
    }
    for (uint32_t i = 0; i < 3; i++)
        cr_expect_eq(elapsed[1][i] - elapsed[0][i], 100 * (i + 1), "%u blocks: %" PRIu64, i + 1,
                     elapsed[1][i] - elapsed[0][i]);
}

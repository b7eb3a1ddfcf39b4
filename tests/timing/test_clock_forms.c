// The clock engine against numbers worked out by hand, to the cycle.
#include "clock_forms.h"

#include <criterion/criterion.h>
#include <inttypes.h>

Test(clock_forms, dependent_additions_come_a_latency_apart)
{
    struct wm_machine machine = simple_machine();
    cr_assert_eq(cycles_of(&machine, "", "add.s32 %r2, %r2, 1;"), ALU);
    machine.sm.units[WM_UNIT_INTEGER].latency = 100; // beyond the wheel of wakings
    cr_assert_eq(cycles_of(&machine, "", "add.s32 %r2, %r2, 1;"), 100);
}

// A launch ends with what happens last, not with the window in which that is.
Test(clock_forms, launches_end_with_what_happens_last)
{
    struct wm_machine machine = simple_machine();
    struct forms forms;
    forms_init(&forms, &machine, "", "add.s32 %r2, %r2, 1;");
    uint64_t parameter = walk_words(&forms.fixture, 1024);
    walk_run(&forms.fixture, "warm", 1, 32, &parameter, 1);
    walk_run(&forms.fixture, "shorter", 1, 32, &parameter, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    uint64_t one = kernel_of(results, "warm")->cycles, all = kernel_of(results, "shorter")->cycles;
    cr_assert_neq((LENGTH - 1) * ALU % LINK, 0);
    cr_expect_eq(all - one, (LENGTH - 1) * ALU, "%" PRIu64 " cycles", all - one);
    wm_results_free(results);
    forms_release(&forms);
}

// Four registers take turns: each is written long before it is written again.
Test(clock_forms, independent_additions_come_an_interval_apart)
{
    struct wm_machine machine = simple_machine();
    const char *four = "add.s32 %r3, %r2, 1;\nadd.s32 %r4, %r2, 1;\nadd.s32 %r5, %r2, 1;\n"
                       "add.s32 %r6, %r2, 1;\nadd.s32 %r7, %r2, 1;";
    cr_assert_eq(cycles_of(&machine, "", four), 5);
    machine.sm.units[WM_UNIT_INTEGER].interval = 3;
    cr_assert_eq(cycles_of(&machine, "", four), 15);
}

// --- Chains of loads: each reads the address of the next ---

static uint64_t chain_of_one(const char *load)
{
    struct wm_machine machine = simple_machine();
    return cycles_of_own_address(&machine, load);
}

// Issue, a cycle to the unit, L1's latency: the next issues in that cycle.
Test(clock_forms, loads_that_hit_l1)
{
    cr_assert_eq(chain_of_one("ld.global.u64 %rd1, [%rd1];"), TO_UNIT + L1);
}

// ld.cg goes past L1, whose latency it takes all the same; the first load alone misses L2.
Test(clock_forms, loads_that_hit_l2)
{
    cr_assert_eq(chain_of_one("ld.global.cg.u64 %rd1, [%rd1];"),
                 TO_UNIT + L1 + LINK + L2 + REPLY + LINK);
}

// Each word in a line of its own: the look-up that misses asks the channel in its cycle, the burst
// takes 4 cycles and is there 50 later, and the reply leaves as after a hit.
Test(clock_forms, loads_from_dram)
{
    struct wm_machine machine = simple_machine();
    struct forms forms;
    forms_init(&forms, &machine, "", "ld.global.cg.u64 %rd1, [%rd1];");
    enum { STEP = 256 };
    uint64_t address = walk_words(&forms.fixture, 4 * LENGTH * STEP / 4);
    for (uint64_t at = 0; at < 4 * LENGTH - 1; at++)
        *(uint64_t *)(uintptr_t)(address + at * STEP) = address + (at + 1) * STEP;
    uint64_t second = address + LENGTH * STEP;
    walk_run(&forms.fixture, "shorter", 1, 32, &address, 1);
    walk_run(&forms.fixture, "longer", 1, 32, &second, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    uint64_t more = life_of(kernel_of(results, "longer")) - life_of(kernel_of(results, "shorter"));
    cr_assert_eq(walk_component_sum(results->components, results->component_count, "dram", "reads"),
                 3 * LENGTH);
    cr_assert_eq(more, (TO_UNIT + L1 + LINK + L2 + TRANSFER + DRAM + REPLY + LINK) * LENGTH);
    wm_results_free(results);
    forms_release(&forms);
}

// Lanes read `ways` different words of one bank, in as many passes; the address of the next load
// depends on what was read, which is 0.
Test(clock_forms, bank_conflicts_add_a_cycle_for_each_pass)
{
    struct wm_machine machine = simple_machine();
    for (uint32_t ways = 1; ways <= 32; ways *= 2) {
        char before[200];
        snprintf(before, sizeof before,
                 "rem.u32 %%r3, %%r2, %u;\nshl.b32 %%r4, %%r3, 7;\nmov.u32 %%r6, tile;\n"
                 "add.u32 %%r4, %%r4, %%r6;\nmov.u32 %%r5, 0;\nst.shared.u32 [%%r4], %%r5;",
                 ways);
        cr_assert_eq(
            cycles_of(&machine, before, "ld.shared.u32 %r5, [%r4];\nadd.s32 %r4, %r4, %r5;"),
            TO_UNIT + ways - 1 + SHARED + ALU, "%u ways", ways);
    }
}

// --- Many warps ---

// One scheduler issues an instruction a cycle: four warps hide a latency of 4 and no more.
Test(clock_forms, warps_share_the_scheduler)
{
    static const uint32_t warps[] = {1, 2, 4, 8, 32};
    for (int i = 0; i < 5; i++) {
        struct wm_machine machine = simple_machine();
        struct forms forms;
        uint64_t parameter = 0, cycles[2];
        forms_init(&forms, &machine, "", "add.s32 %r2, %r2, 1;");
        walk_run(&forms.fixture, "shorter", 1, 32 * warps[i], &parameter, 1);
        walk_run(&forms.fixture, "longer", 1, 32 * warps[i], &parameter, 1);
        struct wm_results *results = walk_take_results(&forms.fixture);
        cycles[0] = kernel_of(results, "shorter")->cycles;
        cycles[1] = kernel_of(results, "longer")->cycles;
        uint64_t apart = warps[i] < ALU ? ALU : warps[i], more = cycles[1] - cycles[0];
        cr_assert_eq(more, apart * LENGTH, "%" PRIu64 " cycles", more);
        wm_results_free(results);
        forms_release(&forms);
    }
}

// A stream of 1 MiB through a channel of 8 bytes a cycle, the bus never idle for long.
Test(clock_forms, streams_run_at_the_bandwidth_of_the_channel)
{
    struct wm_machine machine = simple_machine();
    struct wm_text text;
    wm_text_init(&text);
    wm_text_format(&text, ".version 6.0\n.target sm_70\n.address_size 64\n");
    write_kernel(&text, "stream",
                 "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmad.lo.u32 %r5, %r3, %r4, %r2;\n"
                 "mul.wide.u32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\n",
                 "ld.global.u32 %r6, [%rd3];\nadd.s32 %r7, %r6, 1;", 1);
    struct walk_fixture fixture;
    walk_fixture_init_timed(&fixture, &machine, text.data);
    uint64_t words = 1 << 18, address = walk_words(&fixture, words);
    walk_run(&fixture, "stream", 512, 512, &address, 1);
    struct wm_results *results = walk_take_results(&fixture);
    const struct wm_kernel_result *kernel = kernel_of(results, "stream");
    cr_assert_eq(counter(kernel, "dram", "bytes_read"), 4 * words);
    uint64_t least = 4 * words / 8;
    cr_assert_geq(kernel->cycles, least);
    cr_assert_lt((double)kernel->cycles, 1.02 * (double)least, "%" PRIu64 " cycles",
                 kernel->cycles);
    wm_results_free(results);
    walk_fixture_release(&fixture);
    wm_text_release(&text);
}

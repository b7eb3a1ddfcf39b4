// Atomics at one address are served one after another: of a warp, and of several, at L2 and in
// shared memory, in as many cycles as the machine says.
#include "clock_forms.h"

#include <criterion/criterion.h>
#include <inttypes.h>

enum { TO_L2_AND_BACK = TO_UNIT + L1 + LINK + L2 + REPLY + LINK };

static struct wm_machine machine_of(uint32_t interval)
{
    struct wm_machine machine = simple_machine();
    machine.memory.levels[WM_LEVEL_L2].atomic_interval = machine.sm.shared_atomic_interval =
        interval;
    return machine;
}

// Of an atomic of a warp, so many lanes of which name each word, one word behind the other. The
// next one adds what this one has returned.
static uint64_t cycles_of_atomic(const struct wm_machine *machine, uint32_t lanes)
{
    char before[200];
    snprintf(before, sizeof before,
             "div.u32 %%r3, %%r2, %u;\nmul.wide.u32 %%rd2, %%r3, 4;\n"
             "add.s64 %%rd1, %%rd1, %%rd2;\nmov.u32 %%r3, 0;\n"
             "atom.global.add.u32 %%r3, [%%rd1], %%r3;",
             lanes);
    return cycles_of(machine, before, "atom.global.add.u32 %r3, [%rd1], %r3;");
}

// All addresses lie in one sector.
Test(clock_atomics, lanes_at_one_address_follow_one_another)
{
    for (uint32_t interval = 1; interval <= 9; interval += 4)
        for (uint32_t lanes = 4; lanes <= 32; lanes *= 2) {
            struct wm_machine machine = machine_of(interval);
            cr_expect_eq(cycles_of_atomic(&machine, lanes), TO_L2_AND_BACK + lanes * interval - 1,
                         "%u lanes, %u cycles", lanes, interval);
        }
}

// 32 lanes at 32, 16 and 8 words, in four, two and one sectors: together, or one sector behind the
// other, each as long as the lanes that meet at a word of it take.
Test(clock_atomics, sectors_may_follow_one_another)
{
    for (uint32_t lanes = 1; lanes <= 4; lanes *= 2) {
        uint64_t cycles[2];
        for (uint32_t by_sector = 0; by_sector < 2; by_sector++) {
            struct wm_machine machine = machine_of(1);
            machine.memory.levels[WM_LEVEL_L2].atomic_by_sector = by_sector != 0;
            cycles[by_sector] = cycles_of_atomic(&machine, lanes);
        }
        uint32_t sectors = 4 / lanes;
        cr_expect_eq(cycles[1] - cycles[0], lanes * (sectors - 1), "%u lanes at one word", lanes);
    }
}

// The same in shared memory, whose banks serve lanes at different words at once.
Test(clock_atomics, lanes_at_one_word_of_shared_memory_follow_one_another)
{
    for (uint32_t interval = 1; interval <= 9; interval += 4)
        for (uint32_t lanes = 1; lanes <= 32; lanes *= 2) {
            struct wm_machine machine = machine_of(interval);
            char before[200];
            snprintf(before, sizeof before,
                     "div.u32 %%r3, %%r2, %u;\nshl.b32 %%r4, %%r3, 2;\nmov.u32 %%r6, tile;\n"
                     "add.u32 %%r4, %%r4, %%r6;\nmov.u32 %%r5, 0;",
                     lanes);
            cr_expect_eq(cycles_of(&machine, before, "atom.shared.add.u32 %r5, [%r4], %r5;"),
                         TO_UNIT + (lanes - 1) * interval + SHARED, "%u lanes, %u cycles", lanes,
                         interval);
        }
}

// How much longer LENGTH more lines of each of `warps` warps of a block take, a block an SM.
static uint64_t cycles_of_warps(const struct wm_machine *machine, uint32_t warps,
                                const char *before, const char *line)
{
    uint32_t blocks = machine->sm.count;
    struct forms forms;
    forms_init(&forms, machine, before, line);
    uint64_t address = walk_words(&forms.fixture, 4096);
    walk_run(&forms.fixture, "warm", blocks, 32 * warps, &address, 1);
    walk_run(&forms.fixture, "shorter", blocks, 32 * warps, &address, 1);
    walk_run(&forms.fixture, "longer", blocks, 32 * warps, &address, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    uint64_t more = kernel_of(results, "longer")->cycles - kernel_of(results, "shorter")->cycles;
    wm_results_free(results);
    forms_release(&forms);
    return more;
}

// What K warps of 32 lanes do at one address takes K times 32 operations, however many there are.
Test(clock_atomics, warps_at_one_address_follow_one_another)
{
    for (uint32_t interval = 1; interval <= 9; interval += 8)
        for (uint32_t warps = 1; warps <= 8; warps *= 2) {
            struct wm_machine machine = machine_of(interval);
            cr_expect_eq(cycles_of_warps(&machine, warps, "", "red.global.add.u32 [%rd1], %r2;"),
                         (uint64_t)LENGTH * warps * 32 * interval, "%u warps, %u cycles", warps,
                         interval);
        }
}

Test(clock_atomics, warps_at_one_word_of_shared_memory_follow_one_another)
{
    struct wm_machine machine = machine_of(1);
    for (uint32_t warps = 1; warps <= 8; warps *= 2)
        cr_expect_eq(cycles_of_warps(&machine, warps, "", "red.shared.add.u32 [tile], %r2;"),
                     (uint64_t)LENGTH * warps * 32, "%u warps", warps);
}

// One lane of each warp: at one address an operation an interval, at different ones an operation a
// cycle.
Test(clock_atomics, different_addresses_need_not_wait)
{
    static const char one[] = ".reg .pred %p<2>;\nand.b32 %r4, %r2, 31;\n"
                              "setp.eq.u32 %p1, %r4, 0;\n",
                      own[] = ".reg .pred %p<2>;\nand.b32 %r4, %r2, 31;\n"
                              "setp.eq.u32 %p1, %r4, 0;\nshr.u32 %r5, %r2, 5;\n"
                              "mul.wide.u32 %rd2, %r5, 128;\nadd.s64 %rd1, %rd1, %rd2;\n";
    enum { WARPS = 16, INTERVAL = 9 };
    struct wm_machine machine = machine_of(INTERVAL);
    const char *line = "@%p1 red.global.add.u32 [%rd1], %r2;";
    cr_expect_eq(cycles_of_warps(&machine, WARPS, one, line), LENGTH * WARPS * INTERVAL);
    cr_expect_eq(cycles_of_warps(&machine, WARPS, own, line), LENGTH * WARPS);
}

// A histogram whose lanes meet in one bin is no faster than a spread one.
Test(clock_atomics, the_more_lanes_meet_the_longer_it_takes)
{
    for (uint32_t shared = 0; shared < 2; shared++) {
        uint64_t cycles[3];
        for (uint32_t half = 0; half < 3; half++) {
            struct wm_machine machine = machine_of(1);
            machine.sm.count = machine.memory.sm_count = 4;
            machine.memory.levels[WM_LEVEL_L2].slices = machine.memory.dram.channels = 8;
            char before[400];
            // Of each warp, 0, 16 or 32 lanes name the first of 1024 words.
            snprintf(before, sizeof before,
                     ".reg .pred %%p<2>;\nmul.lo.u32 %%r3, %%r2, 421;\nand.b32 %%r3, %%r3, 1023;\n"
                     "and.b32 %%r4, %%r2, 31;\nsetp.lt.u32 %%p1, %%r4, %u;\n"
                     "selp.b32 %%r3, 0, %%r3, %%p1;\nmul.wide.u32 %%rd2, %%r3, 4;\n"
                     "add.s64 %%rd1, %%rd1, %%rd2;\nshl.b32 %%r5, %%r3, 2;\nmov.u32 %%r6, tile;\n"
                     "add.u32 %%r5, %%r5, %%r6;",
                     16 * half);
            cycles[half] = cycles_of_warps(&machine, 4, before,
                                           shared ? "red.shared.add.u32 [%r5], %r2;"
                                                  : "red.global.add.u32 [%rd1], %r2;");
        }
        cr_expect_lt(cycles[0], cycles[1], "%" PRIu64 ", %" PRIu64, cycles[0], cycles[1]);
        cr_expect_lt(cycles[1], cycles[2], "%" PRIu64 ", %" PRIu64, cycles[1], cycles[2]);
    }
}

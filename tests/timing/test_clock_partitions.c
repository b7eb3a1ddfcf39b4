// An L2 in two partitions in time (docs/memory-system.md, R16): what near and far loads, stores and
// atomics take, worked out by hand; and machines that are so small that all of it is in the way of
// something else.
#include "../rounds.h"
#include "../unit/mem/level_machines.h"
#include "clock_forms.h"
#include "timed_levels.h"

#include <criterion/criterion.h>
#include <inttypes.h>

enum { TO_L2_AND_BACK = TO_UNIT + L1 + LINK + L2 + REPLY + LINK };
enum { MISS = TO_L2_AND_BACK + TRANSFER + DRAM, WAY = 30, FAR_LOAD = 2 * WAY + L2, BLOCK = 256 };

// Two SMs, each near a slice of its own; blocks of 256 bytes take turns with the slices.
static struct wm_machine machine_of(uint32_t latency)
{
    struct wm_machine machine = simple_machine();
    machine.sm.count = machine.memory.sm_count = 2;
    machine.memory.levels[WM_LEVEL_L2].slices = 2;
    machine.memory.levels[WM_LEVEL_L2].partitions = 2;
    machine.memory.levels[WM_LEVEL_L2].partition_latency = latency;
    return machine;
}

// Kernels of one instruction, or of two that do not wait for each other, around L1, of the first
// lane of the block on SM `sm`.
static const struct {
    const char *name, *line;
    uint32_t sm;
} kernels[] = {
    {"load0", "ld.global.cg.u32 %r3, [%rd1];", 0},
    {"load1", "ld.global.cg.u32 %r3, [%rd1];", 1},
    {"store0", "st.global.cg.u32 [%rd1], %r2;", 0},
    {"store1", "st.global.cg.u32 [%rd1], %r2;", 1},
    {"atomic0", "atom.global.add.u32 %r3, [%rd1], %r2;", 0},
    {"atomic1", "atom.global.add.u32 %r3, [%rd1], %r2;", 1},
    {"load_store0", "ld.global.cg.u32 %r3, [%rd1];\nst.global.cg.u32 [%rd1], %r2;", 0},
};

// Runs the named kernels one after the other, each on a word that has its home in that slice.
static struct wm_results *run(const struct wm_machine *machine, uint32_t slice,
                              const char *const *names)
{
    struct walk_fixture fixture;
    struct wm_text text;
    char before[160];
    wm_text_init(&text);
    wm_text_format(&text, ".version 7.4\n.target sm_70\n.address_size 64\n");
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        snprintf(before, sizeof before,
                 ".reg .pred %%p<3>;\nmov.u32 %%r1, %%ctaid.x;\nsetp.ne.u32 %%p1, %%r1, %u;\n"
                 "@%%p1 ret;\nsetp.ne.u32 %%p2, %%r2, 0;\n@%%p2 ret;",
                 kernels[i].sm);
        write_kernel(&text, kernels[i].name, before, kernels[i].line, 1);
    }
    walk_fixture_init_timed(&fixture, machine, text.data);
    uint64_t address = walk_words(&fixture, 4 * BLOCK);
    while (address / BLOCK % 2 != slice)
        address += BLOCK;
    for (; *names != NULL; names++)
        walk_run(&fixture, *names, 2, 32, &address, 1);
    struct wm_results *results = walk_take_results(&fixture);
    walk_fixture_release(&fixture);
    wm_text_release(&text);
    return results;
}

// Cycles that the loads of the last kernel of that name waited.
static uint64_t load_cycles(const struct wm_machine *machine, uint32_t slice,
                            const char *const *names)
{
    const char *last = *names;
    for (const char *const *name = names; *name != NULL; name++)
        last = *name;
    struct wm_results *results = run(machine, slice, names);
    uint64_t cycles = 0, others = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++)
        if (strcmp(results->kernels[i].name, last) == 0)
            cycles += counter(&results->kernels[i], "memory_unit", "load_cycles");
        else
            others++;
    cr_expect_eq(others + 1, results->kernel_count);
    wm_results_free(results);
    return cycles;
}

#define CYCLES(machine, slice, ...) \
    load_cycles(machine, slice, (const char *const[]){__VA_ARGS__, NULL})

Test(clock_partitions, a_near_line_takes_what_it_takes_without_partitions)
{
    struct wm_machine machine = machine_of(WAY);
    cr_expect_eq(CYCLES(&machine, 0, "load0"), MISS);
    cr_expect_eq(CYCLES(&machine, 0, "load1", "load0"), TO_L2_AND_BACK);
    cr_expect_eq(CYCLES(&machine, 1, "load1"), MISS);
}

// The way there and back more, whether or not its home has the line.
Test(clock_partitions, a_far_line_takes_the_way_to_its_home_and_back)
{
    struct wm_machine machine = machine_of(WAY);
    cr_expect_eq(CYCLES(&machine, 1, "load0"), MISS + FAR_LOAD);
    cr_expect_eq(CYCLES(&machine, 0, "load1"), MISS + FAR_LOAD);
    cr_expect_eq(CYCLES(&machine, 1, "load1", "load0"), TO_L2_AND_BACK + FAR_LOAD);
}

// No way takes less than a cycle.
Test(clock_partitions, the_shortest_way_is_a_cycle)
{
    for (uint32_t latency = 0; latency < 4; latency++) {
        struct wm_machine machine = machine_of(latency);
        uint32_t way = latency > 1 ? latency : 1;
        cr_expect_eq(CYCLES(&machine, 1, "load1", "load0"), TO_L2_AND_BACK + L2 + 2 * way);
    }
}

// Both loads are in one kernel's result: a miss, and a hit of what it left.
Test(clock_partitions, a_copy_is_as_near_as_a_home_line)
{
    struct wm_machine machine = machine_of(WAY);
    cr_expect_eq(CYCLES(&machine, 1, "load0", "load0"), MISS + FAR_LOAD + TO_L2_AND_BACK);
}

// A store, from either side, has the copy fetched again.
Test(clock_partitions, a_store_drops_the_copy)
{
    struct wm_machine machine = machine_of(WAY);
    for (uint32_t sm = 0; sm < 2; sm++)
        for (uint32_t atomic = 0; atomic < 2; atomic++) {
            const char *writes[] = {"store0", "store1", "atomic0", "atomic1"};
            uint64_t cycles = CYCLES(&machine, 1, "load0", writes[2 * atomic + sm], "load0");
            cr_expect_eq(cycles, MISS + FAR_LOAD + TO_L2_AND_BACK + FAR_LOAD, "%s",
                         writes[2 * atomic + sm]);
        }
}

// What a store has passed on its way from the home is for the load that waits, and is not kept.
Test(clock_partitions, a_store_drops_the_copy_that_is_on_its_way)
{
    struct wm_machine machine = machine_of(WAY);
    cr_expect_eq(CYCLES(&machine, 1, "load_store0", "load0"), TO_L2_AND_BACK + FAR_LOAD);
}

// Atomics of a warp, each of which needs what the last one returned, on words of either slice: the
// SM is near one of them.
Test(clock_partitions, an_atomic_is_done_at_home)
{
    enum { ATOMIC = TO_L2_AND_BACK + 32 - 1 };
    struct wm_machine machine = machine_of(WAY);
    const char *line = "atom.global.add.u32 %r3, [%rd1], %r3;";
    uint64_t one = cycles_of(&machine, "mov.u32 %r3, 0;", line);
    uint64_t other = cycles_of(&machine, "mov.u32 %r3, 0;\nadd.s64 %rd1, %rd1, 256;", line);
    cr_expect_eq(one < other ? one : other, ATOMIC);
    cr_expect_eq(one < other ? other : one, ATOMIC + 2 * WAY);
}

static uint64_t count(const struct wm_results *results, const char *path, const char *name)
{
    for (uint32_t i = 0; i < results->component_count; i++)
        for (size_t n = 0; n < results->components[i].set->count; n++)
            if (strcmp(results->components[i].path, path) == 0 &&
                strcmp(results->components[i].set->declarations[n].name, name) == 0)
                return results->components[i].values[n];
    cr_assert_fail("no %s of %s", name, path);
    return 0;
}

// What comes from SMs is counted where they are near, what comes from memory at home, and what
// passes between the two apart.
Test(clock_partitions, each_side_counts_what_it_does)
{
    struct wm_machine machine = machine_of(WAY);
    struct wm_results *results =
        run(&machine, 1, (const char *const[]){"load0", "load0", "store0", "atomic0", NULL});
    static const struct {
        const char *path, *name;
        uint64_t value;
    } expected[] = {
        {"gpu0.l2[0]", "accesses", 2},
        {"gpu0.l2[0]", "hits", 1},
        {"gpu0.l2[0]", "misses", 1},
        {"gpu0.l2[0]", "invalidations", 1},
        {"gpu0.l2[0]", "bytes_to_above", 96}, // two loads, an atomic
        {"gpu0.l2[0]", "bytes_from_above", 64},
        {"gpu0.l2[0]", "bytes_from_below", 0},
        {"gpu0.l2[0].partition", "loads", 2},
        {"gpu0.l2[0].partition", "load_sectors", 2},
        {"gpu0.l2[0].partition", "load_hits", 1},
        {"gpu0.l2[0].partition", "reads", 1},
        {"gpu0.l2[0].partition", "bytes_read", 32},
        {"gpu0.l2[0].partition", "writes", 2},
        {"gpu0.l2[0].partition", "bytes_written", 64},
        {"gpu0.l2[0].partition", "dropped_sectors", 1},
        {"gpu0.l2[1]", "accesses", 3},
        {"gpu0.l2[1]", "misses", 1},
        {"gpu0.l2[1]", "bytes_to_above", 0},
        {"gpu0.l2[1]", "bytes_from_above", 0},
        {"gpu0.l2[1]", "bytes_from_below", 32},
        {"gpu0.l2[1].partition", "loads", 0},
        {"gpu0.l2[1].partition", "writes", 0},
        {"gpu0.dram[0]", "bytes_read", 32},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        cr_expect_eq(count(results, expected[i].path, expected[i].name), expected[i].value,
                     "%s %s: %" PRIu64, expected[i].path, expected[i].name,
                     count(results, expected[i].path, expected[i].name));
    wm_results_free(results);
}

// --- Many accesses at a time ---

enum { MACHINES = 2000, ROUNDS = 12, WORDS = 1 << 12 };

// All threads of all blocks load a word here, store one and add to one, along lines that they
// share.
static void write_busy(struct wm_text *text)
{
    wm_text_format(
        text,
        ".version 7.4\n.target sm_70\n.address_size 64\n.visible .entry busy(.param .u64 p)\n{\n"
        ".reg .b32 %%r<12>;\n.reg .b64 %%rd<9>;\n.reg .pred %%p<3>;\nld.param.u64 %%rd1, [p];\n"
        "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%tid.x;\nmad.lo.u32 %%r3, %%r1, 401, %%r2;\n"
        "mov.u32 %%r4, 0;\nagain:\nmad.lo.u32 %%r5, %%r4, 72, %%r3;\nand.b32 %%r5, %%r5, %d;\n"
        "mul.wide.u32 %%rd2, %%r5, 4;\nadd.s64 %%rd3, %%rd1, %%rd2;\n"
        "ld.global.u32 %%r6, [%%rd3];\nxor.b32 %%r7, %%r5, 1025;\nmul.wide.u32 %%rd4, %%r7, 4;\n"
        "add.s64 %%rd5, %%rd1, %%rd4;\nld.global.cg.u32 %%r8, [%%rd5];\n"
        "st.global.u32 [%%rd5], %%r6;\natom.global.add.u32 %%r9, [%%rd3], %%r8;\n"
        "add.s32 %%r4, %%r4, 1;\nsetp.lt.u32 %%p1, %%r4, %d;\n@%%p1 bra again;\nret;\n}\n",
        WORDS - 1, ROUNDS);
}

static struct wm_results *run_busy(const struct wm_machine *machine, const char *text)
{
    struct walk_fixture fixture;
    walk_fixture_init_timed(&fixture, machine, text);
    uint64_t words = walk_words(&fixture, WORDS + 4096);
    walk_run(&fixture, "busy", 2 * machine->sm.count, 96, &words, 1);
    struct wm_results *results = walk_take_results(&fixture);
    walk_fixture_release(&fixture);
    return results;
}

static uint64_t sum(const struct wm_results *results, const char *kind, const char *name)
{
    return walk_component_sum(results->components, results->component_count, kind, name);
}

static bool is_before_memory_alone(const struct wm_memory_spec *spec)
{
    bool alone = true;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        alone &= i == WM_LEVEL_L2 || !spec->levels[i].cache.present ||
                 wm_level_below(spec, i) != WM_BELOW_MEMORY;
    return alone;
}

// Random machines with hardly any room: slices that wait for each other's lines all come to an end,
// the same way again, and what leaves one side is what comes to the other.
Test(clock_partitions, busy_machines_do_not_lock, .timeout = 300)
{
    uint32_t ran = 0;
    uint64_t dropped = 0, read = 0;
    struct wm_text text;
    wm_text_init(&text);
    write_busy(&text);
    for (uint32_t number = 0; number < TEST_ROUNDS(MACHINES); number++) {
        struct level_machine drawn;
        struct wm_random random;
        struct wm_error error;
        wm_random_init(&random, number, "busy partitions");
        level_machine_draw(&random, &drawn);
        struct wm_machine machine = timed_levels(&drawn.spec);
        struct wm_level_spec *l2 = &machine.memory.levels[WM_LEVEL_L2];
        l2->timing.queue = 1 + (uint32_t)wm_random_below(&random, 3);
        l2->timing.mshr_entries = 1 + (uint32_t)wm_random_below(&random, 3);
        l2->timing.mshr_merges = 1 + (uint32_t)wm_random_below(&random, 3);
        l2->partition_latency = (uint32_t)wm_random_below(&random, 20);
        if (l2->partitions < 2 || wm_clock_check(&machine, &error) != WM_OK)
            continue;
        struct wm_results *once = run_busy(&machine, text.data);
        struct wm_results *again = run_busy(&machine, text.data);
        cr_expect_eq(once->kernels[0].cycles, again->kernels[0].cycles, "machine %" PRIu32, number);
        if (is_before_memory_alone(&machine.memory))
            cr_expect_eq(sum(once, "l2", "bytes_from_below"), sum(once, "dram", "bytes_read"),
                         "machine %" PRIu32, number);
        ran++;
        dropped += sum(once, "partition", "dropped_sectors");
        read += sum(once, "partition", "reads");
        wm_results_free(once);
        wm_results_free(again);
    }
    cr_log_info("%u machines, %" PRIu64 " sectors dropped, %" PRIu64 " reads", ran, dropped, read);
    cr_expect_gt(ran, TEST_ROUNDS(MACHINES) / 50);
    cr_expect(dropped != 0 && read != 0);
    wm_text_release(&text);
}

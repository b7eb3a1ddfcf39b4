// L1 of a unified array grows and shrinks with the kernels' shared memory, and counts accordingly.
#include "walk_fixture.h"

#include <criterion/criterion.h>

enum { KIB = 1024 };

static struct walk_fixture fixture;

// 64 KiB a SM: L1 has 4 KiB beside the largest carve-out, in 16 sets.
static struct wm_machine unified_machine(void)
{
    struct wm_machine machine = walk_test_machine();
    machine.sm.shared_bytes = 60 * KIB;
    machine.sm.unified_bytes = 64 * KIB;
    machine.sm.carveouts = (struct wm_carveouts){4, {0, 20 * KIB, 40 * KIB, 60 * KIB}};
    machine.memory.levels[WM_LEVEL_L2].cache.size_bytes = 256 * KIB;
    return machine;
}

static void init(void)
{
    struct wm_machine machine = unified_machine();
    walk_fixture_init(&fixture, &machine, true);
}

static void release(void)
{
    walk_fixture_release(&fixture);
}

TestSuite(carveout_walk, .init = init, .fini = release);

// What the last kernel named `name` had, and the sectors its loads missed in L1.
static void expect(const char *name, uint64_t shared_kib, uint64_t l1_kib)
{
    struct wm_results *results = walk_take_results(&fixture);
    walk_check_invariants(results);
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        if (strcmp(results->kernels[i].name, name) != 0)
            continue;
        cr_expect_eq(results->kernels[i].shared_bytes, shared_kib * KIB);
        cr_expect_eq(results->kernels[i].l1_bytes, l1_kib * KIB, "%llu bytes of L1",
                     (unsigned long long)results->kernels[i].l1_bytes);
    }
    wm_results_free(results);
}

static uint64_t l1_load_misses(void)
{
    struct wm_results *results = walk_take_results(&fixture);
    uint64_t misses =
        walk_component_sum(results->components, results->component_count, "l1", "load_misses");
    wm_results_free(results);
    return misses;
}

// Two blocks, one an SM, of 1,024 threads that read 4 KiB each, 16 times, warp after warp: what
// does not fit L1 is read again.
static uint64_t misses_of_reread(uint32_t blocks, uint32_t shared, uint64_t a, uint64_t sum)
{
    uint64_t before = l1_load_misses();
    fixture.dynamic_shared_bytes = shared;
    walk_run(&fixture, "reread", blocks, 1024, (uint64_t[]){a, sum, 16}, 3);
    return l1_load_misses() - before;
}

Test(carveout_walk, l1_gets_what_resident_blocks_leave)
{
    uint64_t a = walk_words(&fixture, 4096), sum = walk_words(&fixture, 4096);
    // Two blocks of 1,024 threads fit an SM by threads: twice the shared memory counts.
    const struct {
        uint32_t shared, blocks;
        uint64_t carveout_kib;
    } cases[] = {{0, 2, 0},         {1, 2, 20},        {10 * KIB, 2, 20},     {10 * KIB + 1, 2, 40},
                 {20 * KIB, 2, 40}, {30 * KIB, 2, 60}, {30 * KIB + 1, 1, 40}, {48 * KIB, 1, 60},
                 {0, 2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        misses_of_reread(2, cases[i].shared, a, sum);
        expect("reread", cases[i].carveout_kib, 64 - cases[i].carveout_kib);
    }
}

Test(carveout_walk, a_larger_l1_keeps_what_a_smaller_one_loses)
{
    uint64_t a = walk_words(&fixture, 4096), sum = walk_words(&fixture, 4096);
    // Four blocks, two an SM: 8 KiB of words each SM reads again and again.
    enum { ONCE = 4 * 4096 / 32 };
    cr_expect_eq(misses_of_reread(4, 0, a, sum), ONCE, "64 KiB hold them");
    cr_expect_eq(misses_of_reread(4, 20 * KIB, a, sum), ONCE, "24 KiB hold them");
    cr_expect_gt(misses_of_reread(4, 30 * KIB, a, sum), ONCE, "4 KiB do not");
    cr_expect_eq(misses_of_reread(4, 0, a, sum), ONCE, "64 KiB again");
}

// A machine that keeps L1 from kernel to kernel loses it with its size, and only then.
Test(carveout_walk, a_new_size_empties_l1)
{
    struct wm_machine machine = unified_machine();
    machine.memory.levels[WM_LEVEL_L1].flush_at_kernel = false;
    walk_fixture_release(&fixture);
    walk_fixture_init(&fixture, &machine, true);
    uint64_t a = walk_words(&fixture, 2048), sum = walk_words(&fixture, 2048);
    enum { ONCE = 2 * 4096 / 32 };
    cr_expect_eq(misses_of_reread(2, 0, a, sum), ONCE);
    cr_expect_eq(misses_of_reread(2, 0, a, sum), 0, "kept");
    cr_expect_eq(misses_of_reread(2, 1, a, sum), ONCE, "another size");
    cr_expect_eq(misses_of_reread(2, 2, a, sum), 0, "the same carve-out");
    cr_expect_eq(misses_of_reread(2, 0, a, sum), ONCE);
}

Test(carveout_walk, a_preference_takes_from_l1)
{
    uint64_t a = walk_words(&fixture, 4096), sum = walk_words(&fixture, 4096);
    fixture.preferred_carveout = 100 + 1;
    misses_of_reread(2, 0, a, sum);
    expect("reread", 60, 4);
    fixture.preferred_carveout = 0 + 1;
    misses_of_reread(2, 20 * KIB, a, sum);
    expect("reread", 20, 44);
    fixture.preferred_carveout = 0;
    misses_of_reread(2, 20 * KIB, a, sum);
    expect("reread", 40, 24);
}

// The kernel's own arrays count, not only what the launch adds: 1 KiB in each of eight blocks.
Test(carveout_walk, static_shared_memory_counts)
{
    uint64_t in = walk_words(&fixture, 2048), out = walk_words(&fixture, 2048);
    walk_run(&fixture, "reverse", 8, 256, (uint64_t[]){in, out}, 2);
    expect("reverse", 20, 44);
}

Test(carveout_walk, without_memory_system_the_sizes_are_reported_all_the_same)
{
    struct wm_machine machine = unified_machine();
    walk_fixture_release(&fixture);
    walk_fixture_init(&fixture, &machine, false);
    uint64_t a = walk_words(&fixture, 4096), sum = walk_words(&fixture, 4096);
    misses_of_reread(2, 1, a, sum);
    expect("reread", 20, 44);
    machine.memory.levels[WM_LEVEL_L1].cache.present = false;
    walk_fixture_release(&fixture);
    walk_fixture_init(&fixture, &machine, true);
    a = walk_words(&fixture, 4096), sum = walk_words(&fixture, 4096);
    misses_of_reread(2, 1, a, sum);
    expect("reread", 20, 0);
}

// Loads of constant memory through the constant cache, counted by hand.
#include "walk_fixture.h"

#include <criterion/criterion.h>

static struct walk_fixture fixture;

static struct wm_machine constant_machine(bool present)
{
    struct wm_machine machine = walk_test_machine();
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT] = walk_side_cache(2048, 1);
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.present = present;
    return machine;
}

static uint64_t sum(const struct wm_kernel_result *kernel, const char *kind, const char *name)
{
    return walk_component_sum(kernel->components, kernel->component_count, kind, name);
}

static struct wm_results *look_up(bool present, uint64_t launches)
{
    struct wm_machine machine = constant_machine(present);
    walk_fixture_init(&fixture, &machine, true);
    uint64_t out = walk_words(&fixture, 128);
    for (uint64_t i = 0; i < launches; i++)
        walk_run(&fixture, "look_up", 1, 128, (uint64_t[]){out, 1024}, 2);
    return walk_take_results(&fixture);
}

// One block of four warps. Each reads one word that all its lanes share: a request, of which the
// first misses a line of 64 bytes. Then 128 bytes in two lines; the warps 0 and 1 miss two lines
// each, 2 and 3 read what they left.
Test(constant_walk, counts_requests_misses_and_what_l2_sees)
{
    struct wm_results *results = look_up(true, 2);
    const struct wm_kernel_result *kernel = &results->kernels[0];
    cr_expect_eq(sum(kernel, "constant", "accesses"), 2 * 4 * (1 + 2));
    cr_expect_eq(sum(kernel, "constant", "load_misses"), 2 * (1 + 2 * 2 * 2));
    cr_expect_eq(sum(kernel, "constant", "load_hits"), 2 * (3 + 2 * 2 * 2));
    cr_expect_eq(sum(kernel, "constant", "fills"), 2 * (2 + 4 * 2), "lines are fetched whole");
    cr_expect_eq(sum(kernel, "constant", "bytes_from_below"), 2 * 5 * 64);
    cr_expect_eq(sum(kernel, "l2", "load_misses"), 10, "of the first launch alone");
    cr_expect_eq(sum(kernel, "l2", "load_hits"), 10, "the second finds L2 as it was");
    cr_expect_eq(sum(kernel, "l1", "load_accesses"), 0);
    const struct wm_instruction_counters *first = NULL, *second = NULL;
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        if (kernel->instructions[i].space == WM_SPACE_CONSTANT) {
            if (first == NULL)
                first = &kernel->instructions[i].counters;
            else
                second = &kernel->instructions[i].counters;
        }
    cr_assert_not_null(second);
    cr_expect_eq(first->requests, 2 * 4);
    cr_expect_eq(first->sectors, 2 * 4);
    cr_expect_eq(first->levels[WM_LEVEL_L2].bytes, 2 * 64);
    cr_expect_eq(first->memory_bytes, 64);
    cr_expect_eq(second->requests, 2 * 4 * 2);
    cr_expect_eq(second->levels[WM_LEVEL_L2].bytes, 2 * 256);
    cr_expect_eq(second->memory_bytes, 256);
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

Test(constant_walk, without_one_they_go_nowhere)
{
    struct wm_results *results = look_up(false, 1);
    const struct wm_kernel_result *kernel = &results->kernels[0];
    cr_expect_eq(sum(kernel, "l2", "load_accesses"), 0);
    cr_expect_eq(sum(kernel, "sm", "constant_accesses"), 8);
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        if (kernel->instructions[i].space == WM_SPACE_CONSTANT) {
            cr_expect_eq(kernel->instructions[i].counters.executions, 4);
            cr_expect_eq(kernel->instructions[i].counters.requests, 0);
        }
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

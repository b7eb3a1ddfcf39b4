// Machines of random levels, against the model that knows levels alone (obvious_memory.h), counter
// by counter. Of one that differs, the smallest machine and stream that do are printed.
#include "../../rounds.h"
#include "level_runs.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINES = 1000, MOST_DEPTH = 4 };

Test(memory_levels, random_machines_count_as_the_model, .timeout = 300)
{
    struct level_run *run = malloc(sizeof *run);
    uint32_t drawn = 0, machines = TEST_ROUNDS(MACHINES), depths[MOST_DEPTH + 1] = {0};
    for (uint32_t number = 0; number < machines; number++) {
        drawn += level_run_draw(run, number);
        depths[level_machine_depth(&run->machine.spec, 0)]++;
        if (level_run_differs(run, false) == 0)
            continue;
        level_run_shrink(run);
        level_run_print(stderr, run);
        cr_assert_fail("machine %u does not count as its model; the least that shows it is above",
                       number);
    }
    cr_log_info("%u machines of %u drawn; of 1 to 4 levels: %u, %u, %u, %u", machines, drawn,
                depths[1], depths[2], depths[3], depths[4]);
    free(run);
}

// --- What is said of a failure is the least that fails ---

static bool writes_back_twice_at_most(const struct obvious_memory *model,
                                      const struct wm_memory *memory)
{
    (void)memory;
    for (uint32_t i = 0; i < model->level_count; i++)
        for (uint32_t n = 0; n < model->top_down[i]->node_count; n++)
            if (model->top_down[i]->nodes[n].array.counters.write_backs > 2)
                return false;
    return true;
}

static bool has_no_atomic(const struct obvious_memory *model, const struct wm_memory *memory)
{
    (void)memory;
    for (uint32_t i = 0; i < model->level_count; i++)
        for (uint32_t n = 0; n < model->top_down[i]->node_count; n++)
            if (model->top_down[i]->nodes[n].array.counters.atomic_accesses > 0)
                abort(); // a crash is shrunk as a difference is
    return true;
}

// The first machine of those that differ by `equal`, shrunk.
static void shrink_first(struct level_run *run,
                         bool (*equal)(const struct obvious_memory *, const struct wm_memory *))
{
    for (uint32_t number = 0;; number++) {
        level_run_draw(run, number);
        run->equal = equal;
        if (level_run_differs(run, false) == 0)
            continue;
        level_run_shrink(run);
        return;
    }
}

static char *printed(const struct level_run *run)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    level_run_print(file, run);
    fclose(file);
    return text;
}

// One cache of one line, which is written for four lines in turn, and no part but that.
Test(memory_levels, a_planted_difference_shrinks_to_the_least_that_shows_it)
{
    struct level_run *run = malloc(sizeof *run);
    shrink_first(run, writes_back_twice_at_most);
    cr_expect_eq(run->machine.spec.sm_count, 1);
    cr_expect_eq(level_machine_depth(&run->machine.spec, 0), 1);
    cr_expect_leq(run->step_count, 4);
    char *text = printed(run);
    cr_expect_not_null(strstr(text, "size: 32B, ways: 1, line: 32B, sector: 32B, write: back, "
                                    "write_allocate: true, below: memory}\nmemory: {channels: 1"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "\n1. unit 0 "), "%s", text);
    free(text);
    free(run);
}

Test(memory_levels, a_planted_crash_shrinks_to_one_access)
{
    struct level_run *run = malloc(sizeof *run);
    shrink_first(run, has_no_atomic);
    cr_expect(run->crashes);
    cr_expect_eq(run->step_count, 1);
    cr_expect_eq(run->steps[0].sectors & (run->steps[0].sectors - 1), 0);
    cr_expect_eq(run->steps[0].further, 0);
    cr_expect_geq(run->steps[0].access, WM_ACCESS_ATOMIC);
    cr_expect_eq(level_machine_depth(&run->machine.spec, 0), 1);
    free(run);
}

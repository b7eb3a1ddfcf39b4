// Threads of different SMs, through both engines, with L1s that are not coherent and scoped ones:
// what a load's data are older than. Runs are deterministic, so that docs/litmus.md has what is
// seen exactly; what PTX forbids is never seen where L1s are scoped.
#include "../timing/clock_forms.h"
#include "litmus_page.h"
#include "observed.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { WALK, CLOCK, ENGINES };
enum { NONE, SCOPED, MACHINES };

static struct wm_machine machine_of(int engine, int coherence)
{
    struct wm_machine machine = engine == WALK ? walk_test_machine() : simple_machine();
    machine.sm.count = machine.memory.sm_count = LITMUS_THREADS;
    machine.sm.turn_instructions = 1; // an instruction of each SM after the other
    machine.memory.levels[WM_LEVEL_L2].slices = machine.memory.dram.channels = 2;
    machine.memory.interconnect.store_replies = engine == CLOCK;
    if (coherence == SCOPED)
        machine.memory.levels[WM_LEVEL_L1].coherence = WM_LEVEL_SCOPED;
    return machine;
}

// How often the weak outcome comes of all combinations of the threads' waiting.
static uint32_t count_weak(const struct litmus_test *test, enum litmus_form form, int engine,
                           int coherence)
{
    const uint32_t most = test->threads == 2 ? 12 : 4, each = engine == CLOCK ? 2 : 1;
    struct wm_machine machine = machine_of(engine, coherence);
    struct gpu_litmus kernel;
    struct walk_fixture fixture;
    uint32_t weak = 0, runs = 1;
    gpu_litmus_write(&kernel, test, form, "gpu");
    if (engine == WALK)
        walk_fixture_init_text(&fixture, &machine, kernel.text.data);
    else
        walk_fixture_init_timed(&fixture, &machine, kernel.text.data);
    uint64_t address = walk_words(&fixture, LITMUS_LOCATIONS * LITMUS_APART / 4);
    for (uint32_t i = 0; i < test->threads; i++)
        runs *= most;
    for (uint32_t run = 0; run < runs; run++) {
        uint64_t parameters[1 + LITMUS_THREADS] = {address};
        uint32_t rest = run;
        for (uint32_t i = 0; i < test->threads; i++, rest /= most)
            parameters[1 + i] = rest % most * each;
        struct litmus_outcome outcome;
        observed_begin(test, &kernel, address);
        walk_run(&fixture, "k", test->threads, 1, parameters, 1 + LITMUS_THREADS);
        observed_end(&outcome);
        weak += test->is_weak(&outcome);
    }
    walk_fixture_release(&fixture);
    wm_text_release(&kernel.text);
    return weak;
}

static bool is_forbidden(const struct litmus_test *test, enum litmus_form form)
{
    return form != FORM_WEAK_FENCED && litmus_form_orders(test, form);
}

static const char *verdict_of(const struct litmus_test *test, enum litmus_form form)
{
    if (is_forbidden(test, form))
        return "forbidden";
    return form == FORM_RELAXED ? "allowed" : "a race";
}

// The row of the page: what each engine saw on each machine.
static void check_row(const char *page, const struct litmus_test *test, enum litmus_form form,
                      uint32_t weak[ENGINES][MACHINES])
{
    struct wm_text row;
    wm_text_init(&row);
    wm_text_format(&row, "| %s | %s | %s |", test->name, litmus_form_names[form],
                   verdict_of(test, form));
    for (int engine = 0; engine < ENGINES; engine++)
        for (int machine = 0; machine < MACHINES; machine++)
            wm_text_format(&row, " %s |", weak[engine][machine] != 0 ? "seen" : "never");
    litmus_page_expect(page, row.data);
    wm_text_release(&row);
}

static void check_form(const char *page, const struct litmus_test *test, enum litmus_form form)
{
    uint32_t weak[ENGINES][MACHINES];
    for (int engine = 0; engine < ENGINES; engine++)
        for (int machine = 0; machine < MACHINES; machine++)
            weak[engine][machine] = count_weak(test, form, engine, machine);
    // Fences order weak accesses too where L1s drop their lines: this is the machine's promise.
    for (int engine = 0; engine < ENGINES && litmus_form_orders(test, form); engine++)
        cr_expect_eq(weak[engine][SCOPED], 0, "%s (%s): %u times in engine %d", test->name,
                     litmus_form_names[form], weak[engine][SCOPED], engine);
    check_row(page, test, form, weak);
}

#define FORM(name, form)                               \
    Test(gpu_litmus, name, .timeout = 300)             \
    {                                                  \
        char *page = litmus_page_read();               \
        for (size_t i = 0; i < litmus_test_count; i++) \
            check_form(page, &litmus_tests[i], form);  \
        free(page);                                    \
    }

FORM(weak, FORM_WEAK)
FORM(weak_and_fences, FORM_WEAK_FENCED)
FORM(relaxed, FORM_RELAXED)
FORM(relaxed_and_fences, FORM_RELAXED_FENCED)
FORM(release_and_acquire, FORM_ORDERED)

// Without coherence a reader that acquires still has its old copy: the checker sees that.
Test(gpu_litmus, stale_copies_are_seen_without_self_invalidation)
{
    const struct litmus_test *mp = &litmus_tests[1];
    for (int engine = 0; engine < ENGINES; engine++) {
        cr_expect_gt(count_weak(mp, FORM_ORDERED, engine, NONE), 0);
        cr_expect_gt(count_weak(mp, FORM_WEAK_FENCED, engine, NONE), 0);
        cr_expect_gt(count_weak(mp, FORM_WEAK, engine, SCOPED), 0);
    }
}

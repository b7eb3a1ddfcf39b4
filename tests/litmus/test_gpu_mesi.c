// Threads of different SMs in time, whose L1s are kept coherent by MESI: what a load sees is what
// its cache reads. wm_coherent_caches_new is wrapped, so that the caches call functions of this
// test for each read and write of data. Nothing is old there, and fences order what L1 does.
#include "../timing/clock_forms.h"
#include "gpu_litmus.h"
#include "mem/timed/coherent/caches.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SHIFT = 7 };

static struct {
    const struct litmus_test *test;
    uint64_t address;
    struct litmus_outcome outcome;
} now;

// --- What the caches read and write ---

static const struct litmus_step *step_of(uint32_t thread, uint64_t line, bool store)
{
    uint64_t location = ((line << LINE_SHIFT) - now.address) / LITMUS_APART;
    for (uint32_t i = 0; thread < now.test->threads && i < now.test->steps_of[thread]; i++) {
        const struct litmus_step *step = &now.test->steps[thread][i];
        if (step->store == store && step->location == location)
            return step;
    }
    return NULL;
}

// The load before the test reads first, and the test's own again.
static void see_read(void *context, uint32_t node, uint64_t line, uint64_t data)
{
    const struct litmus_step *step = step_of(node, line, false);
    (void)context, (void)data;
    if (step != NULL)
        now.outcome.registers[step->value] = now.outcome.last[step->location];
}

static uint64_t see_write(void *context, uint32_t node, uint64_t line, uint64_t data)
{
    const struct litmus_step *step = step_of(node, line, true);
    (void)context;
    cr_assert_not_null(step, "node %u writes", node);
    now.outcome.last[step->location] = step->value;
    return data + 1;
}

static uint64_t read_memory(void *context, uint64_t line)
{
    (void)context, (void)line;
    return 0;
}

static void write_memory(void *context, uint64_t line, uint64_t data)
{
    (void)context, (void)line, (void)data;
}

enum wm_status __real_wm_coherent_caches_new(const struct wm_coherent_caches_spec *spec,
                                             struct wm_coherent_caches **caches,
                                             struct wm_error *error);
enum wm_status __wrap_wm_coherent_caches_new(const struct wm_coherent_caches_spec *spec,
                                             struct wm_coherent_caches **caches,
                                             struct wm_error *error);

enum wm_status __wrap_wm_coherent_caches_new(const struct wm_coherent_caches_spec *spec,
                                             struct wm_coherent_caches **caches,
                                             struct wm_error *error)
{
    struct wm_coherent_caches_spec watched = *spec;
    watched.watch = (struct wm_coherent_watch){see_read, see_write, read_memory, write_memory};
    return __real_wm_coherent_caches_new(&watched, caches, error);
}

// --- Runs ---

static struct wm_machine coherent_machine(void)
{
    struct wm_machine machine = simple_machine();
    struct wm_memory_spec *memory = &machine.memory;
    machine.sm.count = memory->sm_count = LITMUS_THREADS;
    for (uint32_t level = WM_LEVEL_L1; level <= WM_LEVEL_L2; level += WM_LEVEL_L2 - WM_LEVEL_L1) {
        struct wm_cache_spec *cache = &memory->levels[level].cache;
        cache->write_policy = WM_WRITE_BACK;
        cache->write_allocate = true;
        cache->sector_bytes = cache->line_bytes;
        memory->levels[level].coherence = WM_LEVEL_MESI;
        memory->levels[level].flush_at_kernel = false;
        memory->levels[level].timing.queue = 8;
    }
    memory->levels[WM_LEVEL_L2].slices = memory->dram.channels = 2;
    return machine;
}

// Lines stay in caches between launches: each has locations of its own.
static uint32_t count_weak(const struct litmus_test *test, enum litmus_form form)
{
    const uint32_t most = test->threads == 2 ? 12 : 4;
    struct wm_machine machine = coherent_machine();
    struct gpu_litmus kernel;
    struct walk_fixture fixture;
    uint32_t weak = 0, runs = 1;
    for (uint32_t i = 0; i < test->threads; i++)
        runs *= most;
    gpu_litmus_write(&kernel, test, form);
    walk_fixture_init_timed(&fixture, &machine, kernel.text.data);
    for (uint32_t run = 0; run < runs; run++) {
        uint64_t parameters[1 + LITMUS_THREADS] = {0};
        uint32_t rest = run;
        for (uint32_t i = 0; i < test->threads; i++, rest /= most)
            parameters[1 + i] = rest % most * 2;
        memset(&now, 0, sizeof now);
        now.test = test;
        now.address = parameters[0] = walk_words(&fixture, LITMUS_LOCATIONS * LITMUS_APART / 4);
        walk_run(&fixture, "k", test->threads, 1, parameters, 1 + LITMUS_THREADS);
        weak += test->is_weak(&now.outcome);
    }
    walk_fixture_release(&fixture);
    wm_text_release(&kernel.text);
    return weak;
}

Test(gpu_mesi_litmus, what_fences_order_is_never_seen, .timeout = 300)
{
    FILE *file = fopen(LITMUS_PAGE, "r");
    char *page = calloc(1, 1 << 16);
    cr_assert(file != NULL && page != NULL && fread(page, 1, (1 << 16) - 1, file) != 0);
    fclose(file);
    for (size_t i = 0; i < litmus_test_count; i++)
        for (enum litmus_form form = 0; form < FORMS; form++) {
            const struct litmus_test *test = &litmus_tests[i];
            uint32_t weak = count_weak(test, form);
            char row[200];
            if (litmus_form_orders(test, form))
                cr_expect_eq(weak, 0, "%s (%s): %u times", test->name, litmus_form_names[form],
                             weak);
            snprintf(row, sizeof row, "| %s | %s | %s |\n", test->name, litmus_form_names[form],
                     weak != 0 ? "seen" : "never");
            cr_expect(strstr(page, row) != NULL, "docs/litmus.md has no row\n%s", row);
        }
    free(page);
}

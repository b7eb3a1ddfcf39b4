// Threads of different SMs in time, whose L1s are kept coherent by MESI: what a load sees is what
// its cache reads. Nothing is old there, and fences order what L1 does.
#include "../timing/clock_forms.h"
#include "litmus_page.h"
#include "watched_caches.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

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
    gpu_litmus_write(&kernel, test, form, "gpu");
    walk_fixture_init_timed(&fixture, &machine, kernel.text.data);
    for (uint32_t run = 0; run < runs; run++) {
        uint64_t parameters[1 + LITMUS_THREADS] = {0};
        uint32_t rest = run;
        for (uint32_t i = 0; i < test->threads; i++, rest /= most)
            parameters[1 + i] = rest % most * 2;
        struct litmus_outcome outcome;
        parameters[0] = walk_words(&fixture, LITMUS_LOCATIONS * LITMUS_APART / 4);
        watched_begin(test, parameters[0]);
        walk_run(&fixture, "k", test->threads, 1, parameters, 1 + LITMUS_THREADS);
        watched_end(&outcome);
        weak += test->is_weak(&outcome);
    }
    walk_fixture_release(&fixture);
    wm_text_release(&kernel.text);
    return weak;
}

Test(gpu_mesi_litmus, what_fences_order_is_never_seen, .timeout = 300)
{
    char *page = litmus_page_read();
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
            litmus_page_expect(page, row);
        }
    free(page);
}

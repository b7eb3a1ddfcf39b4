// L1s that drop their lines at acquires (docs/memory-system.md, R19), in the walk: which
// instructions make them do so, counted by hand, whether requests wait in batches or are served at
// once.
#include "walk_fixture.h"

#include "sm/warp_scheduler/warp_scheduler.h"

#include <criterion/criterion.h>

static struct wm_machine scoped_machine(bool batched)
{
    struct wm_machine machine = walk_test_machine();
    machine.memory.levels[WM_LEVEL_L1].coherence = WM_LEVEL_SCOPED;
    if (!batched)
        machine.sm.warp_scheduler = &wm_warp_scheduler_greedy_then_oldest;
    return machine;
}

// A word is loaded twice, then `between`, then twice more, by one warp.
static struct wm_results *run_with(const struct wm_machine *machine, const char *between,
                                   uint32_t blocks)
{
    struct walk_fixture fixture;
    struct wm_text text;
    wm_text_init(&text);
    wm_text_format(&text,
                   ".version 7.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)"
                   "\n{\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n.reg .pred %%p<3>;\n"
                   "ld.param.u64 %%rd1, [p];\nmov.u32 %%r1, 0;\nsetp.eq.u32 %%p1, %%r1, 1;\n"
                   "ld.global.u32 %%r2, [%%rd1];\nld.global.u32 %%r2, [%%rd1];\n%s\n"
                   "ld.global.u32 %%r2, [%%rd1];\nld.global.u32 %%r2, [%%rd1];\nret;\n}\n",
                   between);
    walk_fixture_init_text(&fixture, machine, text.data);
    uint64_t address = walk_words(&fixture, 256);
    walk_run(&fixture, "k", blocks, 32, &address, 1);
    struct wm_results *results = walk_take_results(&fixture);
    walk_check_invariants(results);
    walk_fixture_release(&fixture);
    wm_text_release(&text);
    return results;
}

static uint64_t sum(const struct wm_results *results, const char *kind, const char *name)
{
    const struct wm_kernel_result *kernel = &results->kernels[0];
    return walk_component_sum(kernel->components, kernel->component_count, kind, name);
}

static void expect_acquires(const char *between, uint64_t acquires)
{
    for (int batched = 0; batched < 2; batched++) {
        struct wm_machine machine = scoped_machine(batched != 0);
        struct wm_results *results = run_with(&machine, between, 1);
        cr_expect_eq(sum(results, "self_invalidation", "acquires"), acquires, "%s", between);
        cr_expect_eq(sum(results, "self_invalidation", "lines"), acquires != 0, "%s", between);
        cr_expect_eq(sum(results, "l1", "load_misses"), acquires != 0 ? 2 : 1, "%s", between);
        cr_expect_eq(sum(results, "l1", "load_hits"), acquires != 0 ? 2 : 3, "%s", between);
        wm_results_free(results);
    }
}

Test(scoped_walk, fences_beyond_the_block_acquire)
{
    expect_acquires("fence.acq_rel.gpu;", 1);
    expect_acquires("fence.sc.sys;", 1);
    expect_acquires("membar.gl;", 1);
    expect_acquires("membar.sys;\nfence.sc.gpu;", 2); // the second finds nothing
    expect_acquires("membar.cta;", 0);
    expect_acquires("fence.acq_rel.cta;", 0);
    expect_acquires("bar.sync 0;", 0);
    expect_acquires("add.u32 %r2, %r2, 1;", 0);
}

Test(scoped_walk, loads_and_atomics_acquire)
{
    expect_acquires("ld.acquire.gpu.global.u32 %r3, [%rd1+512];", 1);
    expect_acquires("ld.acquire.sys.global.u32 %r3, [%rd1+512];", 1);
    expect_acquires("atom.acquire.gpu.global.add.u32 %r3, [%rd1+512], 1;", 1);
    expect_acquires("atom.acq_rel.gpu.global.exch.b32 %r3, [%rd1+512], 1;", 1);
    expect_acquires("atom.release.gpu.global.add.u32 %r3, [%rd1+512], 1;", 0);
    expect_acquires("atom.global.add.u32 %r3, [%rd1+512], 1;", 0);
    expect_acquires("ld.relaxed.gpu.global.u32 %r3, [%rd1+512];", 0);
    expect_acquires("st.release.gpu.global.u32 [%rd1+512], %r3;", 0);
    // One that no lane executes loads nothing.
    expect_acquires("@%p1 ld.acquire.gpu.global.u32 %r3, [%rd1+512];", 0);
}

// On two SMs each drops its own; without the key nothing is counted, or dropped.
Test(scoped_walk, each_sm_drops_its_own_lines)
{
    struct wm_machine machine = scoped_machine(true);
    struct wm_results *results = run_with(&machine, "fence.acq_rel.gpu;", 2);
    cr_expect_eq(sum(results, "self_invalidation", "acquires"), 2);
    cr_expect_eq(sum(results, "self_invalidation", "lines"), 2);
    cr_expect_eq(sum(results, "l1", "invalidations"), 2);
    cr_expect_eq(sum(results, "l1", "load_misses"), 4);
    wm_results_free(results);

    machine.memory.levels[WM_LEVEL_L1].units_each = 2; // one L1 of both
    results = run_with(&machine, "fence.acq_rel.gpu;", 2);
    cr_expect_eq(sum(results, "self_invalidation", "acquires"), 2);
    cr_expect_eq(sum(results, "l1", "invalidations"), sum(results, "self_invalidation", "lines"));
    wm_results_free(results);

    machine = walk_test_machine();
    results = run_with(&machine, "fence.acq_rel.gpu;", 2);
    cr_expect_eq(sum(results, "self_invalidation", "acquires"), 0);
    cr_expect_eq(sum(results, "l1", "load_misses"), 2);
    wm_results_free(results);
}

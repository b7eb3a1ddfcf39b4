// Scoped L1s in time, against numbers worked out by hand: what an acquire and a release wait for,
// and what becomes of a line that is on its way at an acquire.
#include "clock_forms.h"

#include <criterion/criterion.h>
#include <inttypes.h>

enum {
    HIT = TO_UNIT + L1,
    FROM_L2 = TO_UNIT + L1 + LINK + L2 + REPLY + LINK, // of one that L1 lacks or is passed by
};

static struct wm_machine scoped_machine(void)
{
    struct wm_machine machine = simple_machine();
    machine.memory.levels[WM_LEVEL_L1].coherence = WM_LEVEL_SCOPED;
    return machine;
}

// The fence issues when the load is done, and the next load a cycle later.
Test(clock_scoped, a_fence_has_the_next_load_go_to_l2)
{
    struct wm_machine scoped = scoped_machine(), none = simple_machine();
    const char *line = "ld.global.u64 %rd1, [%rd1];\nfence.acq_rel.gpu;";
    cr_expect_eq(cycles_of_own_address(&none, line), HIT + 1);
    cr_expect_eq(cycles_of_own_address(&scoped, line), FROM_L2 + 1);
    cr_expect_eq(cycles_of_own_address(&scoped, "ld.global.u64 %rd1, [%rd1];\nmembar.cta;"),
                 HIT + 1);
}

// Two loads in a row: the second finds what the first has brought.
Test(clock_scoped, what_comes_behind_an_acquiring_load_goes_to_l2)
{
    struct wm_machine scoped = scoped_machine(), none = simple_machine();
    const char *line = "ld.acquire.gpu.global.u64 %rd1, [%rd1];\nld.global.u64 %rd1, [%rd1];\n"
                       "ld.global.u64 %rd1, [%rd1];";
    cr_expect_eq(cycles_of_own_address(&none, line), FROM_L2 + 2 * HIT);
    cr_expect_eq(cycles_of_own_address(&scoped, line), FROM_L2 + FROM_L2 + HIT);
}

// What stands behind it waits, though it does not need what is loaded.
Test(clock_scoped, an_acquiring_load_is_waited_for)
{
    struct wm_machine scoped = scoped_machine(), none = simple_machine();
    const char *line = "ld.acquire.gpu.global.u64 %rd2, [%rd1];\nadd.s32 %r2, %r3, 1;\n"
                       "ld.acquire.gpu.global.u64 %rd4, [%rd1];\nadd.s32 %r4, %r3, 1;";
    cr_expect_eq(cycles_of_own_address(&scoped, line), 2 * (FROM_L2 + 1));
    cr_expect_lt(cycles_of_own_address(&none, line), 2 * FROM_L2);
}

// A release waits for the load before it; an acquire of a block's scope for nothing.
Test(clock_scoped, a_releasing_store_waits_for_what_its_warp_accessed)
{
    struct wm_machine scoped = scoped_machine(), none = simple_machine();
    const char *line =
        "ld.global.cg.u64 %rd2, [%rd1];\nst.release.gpu.global.u64 [%rd1+128], %rd3;\n"
        "ld.global.cg.u64 %rd4, [%rd1];\nst.release.gpu.global.u64 [%rd1+128], %rd3;";
    cr_expect_eq(cycles_of_own_address(&scoped, line), 2 * (FROM_L2 + 1));
    cr_expect_lt(cycles_of_own_address(&none, line), 2 * FROM_L2);
}

// One warp's line is on its way when another acquires, and then wants it too: it waits for it to
// come, and has it fetched anew.
Test(clock_scoped, a_line_on_its_way_at_an_acquire_is_not_kept)
{
    static const char text[] =
        ".version 7.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\nld.param.u64 %rd1, [p];\n"
        "mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra SECOND;\n"
        "ld.global.u32 %r2, [%rd1];\nadd.u32 %r3, %r2, 1;\nld.global.u32 %r4, [%rd1];\nret;\n"
        "SECOND:\nadd.u32 %r5, %r1, 1;\nadd.u32 %r5, %r5, 1;\nadd.u32 %r5, %r5, 1;\n"
        "fence.acq_rel.gpu;\nld.global.u32 %r2, [%rd1];\nret;\n}\n";
    for (int streaming = 0; streaming < 2; streaming++) {
        struct wm_machine machine = scoped_machine();
        struct walk_fixture fixture;
        machine.memory.levels[WM_LEVEL_L1].allocation =
            streaming ? WM_ALLOCATE_STREAMING : WM_ALLOCATE_ON_MISS;
        walk_fixture_init_timed(&fixture, &machine, text);
        uint64_t address = walk_words(&fixture, 64);
        walk_run(&fixture, "k", 1, 64, &address, 1);
        struct wm_results *results = walk_take_results(&fixture);
        const struct wm_kernel_result *kernel = &results->kernels[0];
        cr_expect_eq(counter(kernel, "self_invalidation", "acquires"), 1);
        cr_expect_eq(counter(kernel, "self_invalidation", "lines_in_flight"), 1);
        cr_expect_eq(counter(kernel, "self_invalidation", "lines"), !streaming);
        // The first warp's, and the second's; the first warp's second load waits for that, or
        // finds it: one of the two is fetched, and the other shares it.
        cr_expect_eq(counter(kernel, "l2", "load_accesses"), 2);
        cr_expect_eq(counter(kernel, "l1", "load_accesses"), 3);
        cr_expect_gt(counter(kernel, "memory_unit", "stalled_merge"), 0);
        wm_results_free(results);
        walk_fixture_release(&fixture);
    }
}

// Lanes that part and meet, wait for each other, call, leave early: independent thread scheduling.
#include "exec_harness.h"

#include <malloc.h>

// Each thread gets its number in %i and its place in `out` (4 bytes a thread) in %o.
#define KERNEL(name, declarations, body)                                                   \
    ".visible .entry " name "(.param .u64 out, .param .u64 other) {\n"                     \
    ".reg .b32 %i, %n, %b, %v, %w, %x, %y; .reg .b64 %o, %q, %l, %m; .reg .pred %p, %q1, " \
    "%q2;\n" declarations "\n"                                                             \
    "ld.param.u64 %o, [out]; ld.param.u64 %l, [other]; mov.u32 %n, %ntid.x; mov.u32 %b, "  \
    "%ctaid.x;\n"                                                                          \
    "mad.lo.u32 %i, %n, %b, %tid.x; mul.wide.u32 %q, %i, 4; add.u64 %o, %o, %q;\n" body "\n}\n"

static struct harness harness;

static uint32_t *start(const char *body)
{
    harness_init(&harness, body, 32, wm_host_best_isa(), false);
    return harness_allocate(&harness, 1 << 16);
}

static void finish(void)
{
    harness_release(&harness);
}

Test(control_flow, counts_each_issued_instruction_for_the_lanes_of_its_path, .fini = finish)
{
    uint32_t *out = start(KERNEL("k", "",
                                 "mov.u32 %v, 1; mov.u32 %x, %tid.x; setp.lt.u32 %p, %x, 8;\n"
                                 "@%p bra A;\n mov.u32 %v, 2; mov.u32 %w, 3;\n"
                                 "A: @%p add.u32 %v, %v, 5; st.global.u32 [%o], %v; ret;"));
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    // 7 + 4 before the branch and itself, 2 for 24 lanes, 3 after; the guarded add counts all.
    cr_assert_eq(harness.result.warp_instructions, 7 + 4 + 2 + 3);
    cr_assert_eq(harness.result.thread_instructions, 32 * 14 + 24 * 2);
    for (uint32_t i = 0; i < 32; i++)
        cr_assert_eq(out[i], i < 8 ? 6 : 2);
}

Test(control_flow, lanes_meet_again_after_a_loop_that_they_leave_one_by_one, .fini = finish)
{
    uint32_t *out =
        start(KERNEL("k", "",
                     "mov.u32 %v, 0; mov.u32 %x, %tid.x;\n"
                     "L: add.u32 %v, %v, %x; add.u32 %v, %v, 1; setp.eq.u32 %p, %x, 0; @%p bra D;\n"
                     "sub.u32 %x, %x, 1; bra L;\nD: st.global.u32 [%o], %v; activemask.b32 %y;\n"
                     "st.global.u32 [%o+128], %y; ret;"));
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 32; i++) {
        cr_assert_eq(out[i], i * (i + 1) / 2 + i + 1);
        cr_assert_eq(out[32 + i], UINT32_MAX, "lane %u has not met the others", i);
    }
}

Test(control_flow, nested_conditions_meet_inside_out, .fini = finish)
{
    uint32_t *out = start(
        KERNEL("k", "",
               "mov.u32 %x, %laneid; and.b32 %y, %x, 1; setp.eq.u32 %p, %y, 0; @%p bra EVEN;\n"
               "and.b32 %y, %x, 2; setp.eq.u32 %q1, %y, 0; @%q1 bra INNER; mov.u32 %v, 7;\n"
               "INNER: activemask.b32 %w; st.global.u32 [%o], %w; bra DONE;\n"
               "EVEN: activemask.b32 %w; st.global.u32 [%o], %w;\n"
               "DONE: activemask.b32 %w; st.global.u32 [%o+128], %w; ret;"));
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 32; i++) {
        cr_assert_eq(out[i], i % 2 ? 0xAAAAAAAA : 0x55555555);
        cr_assert_eq(out[32 + i], UINT32_MAX);
    }
}

Test(control_flow, exited_lanes_are_not_waited_for, .fini = finish)
{
    uint32_t *out = start(KERNEL("k", "",
                                 "mov.u32 %x, %laneid; setp.lt.u32 %p, %x, 5; @%p bra A;\n"
                                 "setp.gt.u32 %q1, %x, 20; @%q1 exit; bra B;\n"
                                 "A: mov.u32 %v, 1;\n"
                                 "B: activemask.b32 %w; st.global.u32 [%o], %w; ret;"));
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 32; i++)
        cr_assert_eq(out[i], i > 20 ? 0 : 0x1FFFFF);
}

#define LOCK_LOOP                                                                \
    "L: atom.global.cas.b32 %v, [%l], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra L;\n" \
    "ld.global.u32 %w, [%l+4]; add.u32 %w, %w, 1; st.global.u32 [%l+4], %w;\n"   \
    "membar.gl; atom.global.exch.b32 %v, [%l], 0; ret;"

Test(control_flow, a_spin_lock_taken_by_lanes_of_one_warp_does_not_hang, .fini = finish)
{
    uint32_t *out = start(KERNEL("k", "", LOCK_LOOP));
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), ADDRESS(out));
    cr_assert_eq(out[1], 32);
}

Test(control_flow, a_spin_lock_works_in_small_turns_too, .fini = finish)
{
    uint32_t *out = start(KERNEL("k", "", LOCK_LOOP));
    harness.until = WM_RUN_MEMORY;
    HARNESS_RUN(&harness, "k", 3, 96, ADDRESS(out), ADDRESS(out));
    cr_assert_eq(out[1], 3 * 96);
}

// A path that makes atomics for long gives way to the lanes that wait to meet it. When that is, and
// so which lanes go together, is the path's own matter: an engine may run the warp in pieces of any
// length.
Test(control_flow, lanes_go_together_however_many_instructions_run_at_once, .fini = finish)
{
    static const uint64_t budgets[] = {0, 1, 2, 3, 7, 100, 511, 512, 513, 2048};
    uint64_t first = 0;
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        if (i != 0)
            finish();
        // Each lane makes 20 times its number and 30 of atomics, and the next instruction together.
        uint32_t *out = start(KERNEL("k", "",
                                     "mov.u32 %x, %laneid; mov.u32 %w, 3;\n"
                                     "R: mad.lo.u32 %y, %x, 20, 30;\n"
                                     "L: atom.global.add.u32 %v, [%l], 1; sub.u32 %y, %y, 1;\n"
                                     "setp.ne.u32 %p, %y, 0; @%p bra L;\n"
                                     "sub.u32 %w, %w, 1; setp.ne.u32 %p, %w, 0; @%p bra R; ret;"));
        harness.budget = budgets[i];
        HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), ADDRESS(out));
        cr_assert_eq(out[0], 3 * (31 * 32 / 2 * 20 + 30 * 32));
        first = i == 0 ? harness.result.warp_instructions : first;
        cr_expect_eq(harness.result.warp_instructions, first, "in pieces of %llu: %llu, not %llu",
                     (unsigned long long)budgets[i],
                     (unsigned long long)harness.result.warp_instructions,
                     (unsigned long long)first);
    }
}

Test(control_flow, a_spin_lock_among_blocks_does_not_hang, .fini = finish)
{
    uint32_t *out = start(KERNEL("k", "", LOCK_LOOP));
    harness.budget = 100;
    HARNESS_RUN(&harness, "k", 8, 64, ADDRESS(out), ADDRESS(out));
    cr_assert_eq(out[1], 8 * 64);
}

// The other shape of a lock: the critical section lies inside of the loop.
Test(control_flow, a_lock_with_its_section_inside_the_loop_works, .fini = finish)
{
    uint32_t *out = start(".shared .align 4 .b32 lock; .shared .align 4 .b32 count;\n" KERNEL(
        "k", "",
        "L: atom.shared.cas.b32 %v, [lock], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra N;\n"
        "ld.shared.u32 %w, [count]; add.u32 %w, %w, 1; st.shared.u32 [count], %w;\n"
        "atom.shared.exch.b32 %v, [lock], 0; bra D;\nN: bra L;\n"
        "D: bar.sync 0; ld.shared.u32 %w, [count]; st.global.u32 [%o], %w; ret;"));
    HARNESS_RUN(&harness, "k", 1, 128, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 128; i++)
        cr_assert_eq(out[i], 128);
}

// Lane 0 waits for a flag that lane 1 of the same warp sets after the branch.
Test(control_flow, a_lane_can_wait_for_another_of_its_warp, .fini = finish)
{
    uint32_t *out = start(KERNEL("k", "",
                                 "mov.u32 %x, %laneid; setp.eq.u32 %p, %x, 1; @%p bra SET;\n"
                                 "L: ld.volatile.global.u32 %v, [%l]; setp.eq.u32 %q1, %v, 0;\n"
                                 "@%q1 bra L; bra D;\nSET: st.volatile.global.u32 [%l], 9;\n"
                                 "D: st.global.u32 [%o+128], 4; ret;"));
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), ADDRESS(out));
    for (uint32_t i = 32; i < 64; i++)
        cr_assert_eq(out[i], 4);
}

// … and the setter comes only after the place where the lanes would meet.
Test(control_flow, lanes_waiting_to_meet_are_released_for_one_that_spins, .fini = finish)
{
    uint32_t *out = start(KERNEL("k", "",
                                 "mov.u32 %x, %laneid; setp.ne.u32 %p, %x, 0; @%p bra MEET;\n"
                                 "L: ld.volatile.global.u32 %v, [%l]; setp.ne.u32 %q1, %v, 31;\n"
                                 "@%q1 bra L;\n"
                                 "MEET: red.global.add.u32 [%l], 1; ret;"));
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), ADDRESS(out));
    cr_assert_eq(out[0], 32);
}

Test(control_flow, blocks_can_wait_for_each_other_when_resident_together, .fini = finish)
{
    uint32_t *out = start(KERNEL("k", "",
                                 "mov.u32 %x, %tid.x; setp.ne.u32 %p, %x, 0; @%p bra W;\n"
                                 "red.global.add.u32 [%l], 1;\n"
                                 "L: ld.relaxed.gpu.global.u32 %v, [%l]; setp.lt.u32 %q1, %v, 6;\n"
                                 "@%q1 bra L;\nW: bar.sync 0; ld.global.u32 %v, [%l];\n"
                                 "st.global.u32 [%o+4], %v; ret;"));
    harness.budget = 50;
    HARNESS_RUN(&harness, "k", 6, 64, ADDRESS(out), ADDRESS(out));
    for (uint32_t i = 1; i <= 6 * 64; i++)
        cr_assert_eq(out[i], 6);
}

// --- the driver's registers ---

#define OR_OF(number) "mov.b32 %w, %envreg" #number "; or.b32 %v, %v, %w;\n"

Test(control_flow, registers_of_the_driver_are_zero, .fini = finish)
{
    uint32_t *out = start(KERNEL("k", "",
                                 "mov.u32 %v, 0;\n" OR_OF(0) OR_OF(1) OR_OF(2) OR_OF(3) OR_OF(4)
                                     OR_OF(17) OR_OF(31) "st.global.u32 [%o], %v; ret;"));
    *out = 1;
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out), 0);
    cr_expect_eq(*out, 0);
}

// --- calls ---

Test(control_flow, functions_recurse_to_a_depth_of_their_lane, .fini = finish)
{
    uint32_t *out = start(
        ".func (.param .b32 r) sum(.param .b32 n) {\n"
        ".reg .b32 %a, %b; .reg .pred %p; .local .align 4 .b8 mine[8];\n"
        "ld.param.u32 %a, [n]; st.local.u32 [mine+4], %a; setp.ne.u32 %p, %a, 0; @%p bra MORE;\n"
        "st.param.b32 [r], %a; ret;\nMORE: sub.u32 %b, %a, 1;\n"
        "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %b; call (y), sum, (x);\n"
        "ld.param.b32 %b, [y]; }\n"
        "ld.local.u32 %a, [mine+4]; add.u32 %b, %b, %a; st.param.b32 [r], %b; ret; }\n" KERNEL(
            "k", "",
            "mov.u32 %x, %laneid; { .param .b32 x; .param .b32 y; st.param.b32 [x], %x;\n"
            "call (y), sum, (x); ld.param.b32 %v, [y]; }\n"
            "st.global.u32 [%o], %v; activemask.b32 %w; st.global.u32 [%o+128], %w; ret;"));
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 32; i++) {
        cr_assert_eq(out[i], i * (i + 1) / 2);
        cr_assert_eq(out[32 + i], UINT32_MAX, "lanes of different depth meet after the call");
    }
}

Test(control_flow, a_recursion_without_an_end_is_found, .fini = finish)
{
    start(".func down() { call down; ret; }\n" KERNEL("k", "", "call down; ret;"));
    HARNESS_LAUNCH(&harness, "k", 1, 32, 0, 0);
    cr_assert_eq(harness.fault.kind, WM_FAULT_LOCAL_OUT_OF_BOUNDS);
    cr_assert(strstr(harness.fault.error.message, "too deep"), "%s", harness.fault.error.message);
}

Test(control_flow, a_thread_may_exit_inside_of_a_function, .fini = finish)
{
    uint32_t *out =
        start(".func leave(.param .b32 n) { .reg .b32 %a; .reg .pred %p; ld.param.u32 %a, [n];\n"
              "setp.lt.u32 %p, %a, 7; @%p exit; ret; }\n" KERNEL(
                  "k", "",
                  "mov.u32 %x, %laneid; { .param .b32 x; st.param.b32 [x], %x; call leave, (x); }\n"
                  "activemask.b32 %w; st.global.u32 [%o], %w; ret;"));
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 32; i++)
        cr_assert_eq(out[i], i < 7 ? 0 : 0xFFFFFF80);
}

// --- barriers ---

Test(control_flow, a_barrier_waits_for_live_threads_only, .fini = finish)
{
    uint32_t *out = start(".shared .align 4 .b32 sum;\n" KERNEL(
        "k", "",
        "mov.u32 %x, %tid.x; setp.ge.u32 %p, %x, 70; @%p exit; setp.eq.u32 %q1, %x, 3;\n"
        "@%q1 bra D; red.shared.add.u32 [sum], %x; bar.sync 0; ld.shared.u32 %v, [sum];\n"
        "st.global.u32 [%o], %v;\nD: ret;"));
    HARNESS_RUN(&harness, "k", 1, 128, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 128; i++)
        cr_assert_eq(out[i], i >= 70 || i == 3 ? 0 : 69 * 70 / 2 - 3);
}

Test(control_flow, both_sides_of_a_branch_may_reach_a_barrier, .fini = finish)
{
    uint32_t *out = start(".shared .align 4 .b8 s[512];\n" KERNEL(
        "k", "",
        "mov.u32 %x, %tid.x; mov.u32 %y, s; mad.lo.u32 %y, %x, 4, %y; st.shared.u32 [%y], %x;\n"
        "and.b32 %w, %x, 1; setp.eq.u32 %p, %w, 0; @%p bra A; bar.sync 0; bra B;\n"
        "A: bar.sync 0;\nB: xor.b32 %w, %x, 65; mov.u32 %y, s; mad.lo.u32 %y, %w, 4, %y;\n"
        "ld.shared.u32 %v, [%y]; st.global.u32 [%o], %v; ret;"));
    HARNESS_RUN(&harness, "k", 1, 128, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 128; i++)
        cr_assert_eq(out[i], i ^ 65);
}

// Warp 1 makes what warp 0, which comes first, takes: `arrive` by the one, `wait` by the other.
// (The last of three warps does neither.)
static void check_handover(const char *arrive, const char *wait)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_format(&text,
                   ".shared .align 4 .b32 box;\n.visible .entry k(.param .u64 out) {\n"
                   ".reg .b32 %%i, %%v, %%x; .reg .b64 %%o, %%q; .reg .pred %%p;\n"
                   "ld.param.u64 %%o, [out]; mov.u32 %%i, %%tid.x; mul.wide.u32 %%q, %%i, 4;\n"
                   "add.u64 %%o, %%o, %%q; shr.u32 %%x, %%i, 5; setp.eq.u32 %%p, %%x, 1;\n"
                   "@%%p bra MAKE; setp.eq.u32 %%p, %%x, 2; @%%p bra D; %s; ld.shared.u32 %%v, "
                   "[box];\nst.global.u32 [%%o], %%v; bra D;\n"
                   "MAKE: add.u32 %%v, %%x, 1; add.u32 %%v, %%v, 2; add.u32 %%v, %%v, 3;\n"
                   "add.u32 %%v, %%v, 4; mul.lo.u32 %%v, %%v, %%x; st.shared.u32 [box], %%v;\n"
                   "%s;\nD: ret;\n}\n",
                   wait, arrive);
    uint32_t *out = start(text.data);
    wm_text_release(&text);
    harness.budget = 3;
    HARNESS_RUN(&harness, "k", 1, 96, ADDRESS(out));
    for (uint32_t i = 0; i < 96; i++)
        cr_assert_eq(out[i], i / 32 == 0 ? 11 : 0, "%s", arrive);
    finish();
}

// PTX ISA 9.7.13.1, the example of bar.arrive.
Test(control_flow, named_barriers_count_threads)
{
    static const char *const arrivals[] = {"bar.arrive",         "bar.cta.arrive",
                                           "barrier.arrive",     "barrier.arrive.aligned",
                                           "barrier.cta.arrive", "barrier.cta.arrive.aligned"};
    for (size_t i = 0; i < sizeof(arrivals) / sizeof(arrivals[0]); i++) {
        char arrive[64];
        snprintf(arrive, sizeof(arrive), "%s 5, 64", arrivals[i]);
        check_handover(arrive, "bar.sync 5, 64");
    }
}

// All threads of the cluster, which is the block, have to arrive.
Test(control_flow, barriers_of_a_cluster)
{
    static const char *const arrivals[] = {
        "barrier.cluster.arrive", "barrier.cluster.arrive.release",
        "barrier.cluster.arrive.relaxed", "barrier.cluster.arrive.release.aligned",
        "barrier.cluster.arrive.aligned"};
    for (size_t i = 0; i < sizeof(arrivals) / sizeof(arrivals[0]); i++) {
        char both[128];
        snprintf(both, sizeof(both), "%s; barrier.cluster.wait.acquire", arrivals[i]);
        check_handover(both, both);
    }
}

Test(control_flow, bra_uni_is_a_branch, .fini = finish)
{
    uint32_t *out = start(KERNEL("k", "", "bra.uni D; st.global.u32 [%o], 1;\nD: ret;"));
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out), 0);
    cr_assert_eq(out[0], 0);
}

Test(control_flow, barriers_reduce_predicates, .fini = finish)
{
    uint32_t *out = start(KERNEL(
        "k", "",
        "mov.u32 %x, %tid.x; setp.lt.u32 %p, %x, 40; bar.red.popc.u32 %v, 0, %p;\n"
        "barrier.red.popc.u32 %w, 1, !%p; bar.red.and.pred %q1, 0, %p; bar.red.or.pred %q2, 0, "
        "%p;\n"
        "selp.u32 %x, 1, 0, %q1; selp.u32 %y, 2, 0, %q2; add.u32 %x, %x, %y;\n"
        "mad.lo.u32 %v, %v, 1000, %w; mad.lo.u32 %v, %v, 10, %x; st.global.u32 [%o], %v; ret;"));
    HARNESS_RUN(&harness, "k", 1, 96, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 96; i++)
        cr_assert_eq(out[i], (40 * 1000 + 56) * 10 + 2, "%u", out[i]);
}

Test(control_flow, a_barrier_that_some_never_reach_is_a_deadlock, .fini = finish)
{
    start(KERNEL("k", "",
                 "mov.u32 %x, %tid.x; setp.lt.u32 %p, %x, 16; @%p bra A; bar.sync 0; bra B;\n"
                 "A: bar.sync 1;\nB: ret;"));
    HARNESS_LAUNCH(&harness, "k", 1, 32, 0, 0);
    cr_assert(harness.deadlock);
    cr_assert_eq(harness.fault.kind, WM_FAULT_DEADLOCK);
    const char *message = harness.fault.error.message;
    cr_assert(strstr(message, "bar.sync") && strstr(message, "lanes 0xffff ") &&
                  strstr(message, "lanes 0xffff0000"),
              "%s", message);
}

Test(control_flow, lanes_that_never_come_to_a_shuffle_are_a_deadlock, .fini = finish)
{
    start(KERNEL("k", "",
                 "mov.u32 %x, %laneid; setp.eq.u32 %p, %x, 0; @%p bra A;\n"
                 "shfl.sync.idx.b32 %v, %x, 0, 31, 0xffffffff; bra B;\nA: bar.sync 3;\nB: ret;"));
    HARNESS_LAUNCH(&harness, "k", 1, 32, 0, 0);
    cr_assert(harness.deadlock);
    cr_assert(strstr(harness.fault.error.message, "other lanes of its warp"), "%s",
              harness.fault.error.message);
}

Test(control_flow, a_barrier_number_above_15_is_illegal, .fini = finish)
{
    start(KERNEL("k", "", "mov.u32 %x, 16; bar.sync %x; ret;"));
    HARNESS_LAUNCH(&harness, "k", 1, 32, 0, 0);
    cr_assert_eq(harness.fault.kind, WM_FAULT_ILLEGAL_BARRIER);
}

// --- the seam ---

Test(control_flow, a_run_stops_at_its_budget_and_after_memory, .fini = finish)
{
    start(
        KERNEL("k", "", "st.global.u32 [%o], %i; add.u32 %v, %i, 1; st.global.u32 [%o], %v; ret;"));
    uint32_t *out = harness_allocate(&harness, 256);
    uint64_t parameters[2] = {ADDRESS(out), 0};
    struct wm_launch launch = {.kernel = harness_kernel(&harness, "k"),
                               .grid = {1, 1, 1},
                               .block = {32, 1, 1},
                               .parameters = parameters,
                               .parameter_bytes = 16};
    struct wm_grid *grid;
    struct wm_block *block;
    struct wm_run_result result = {0};
    cr_assert_eq(wm_grid_new(&launch, harness.memory, &grid, NULL), WM_OK);
    cr_assert_eq(wm_grid_start_block(grid, 0, 0, 0, &block, NULL), WM_OK);
    cr_assert_eq(block->ready, 1);
    wm_warp_run(block, 0, 3, WM_RUN_INSTRUCTIONS, NULL, &result);
    cr_assert_eq(result.warp_instructions, 3);
    wm_warp_run(block, 0, 100, WM_RUN_MEMORY, NULL, &result);
    cr_assert_eq(result.warp_instructions, 8);
    cr_assert_eq(out[5], 5);
    wm_warp_run(block, 0, 100, WM_RUN_MEMORY, NULL, &result);
    cr_assert_eq(result.warp_instructions, 10);
    cr_assert_eq(block->finished, 0);
    wm_warp_run(block, 0, 100, WM_RUN_MEMORY, NULL, &result);
    cr_assert_eq(result.warp_instructions, 11);
    cr_assert_eq(block->finished, 1);
    cr_assert_eq(block->ready, 0);
    wm_grid_finish_block(grid, block);
    wm_grid_free(grid);
}

Test(control_flow, clocks_go_forward_and_agree_from_run_to_run, .fini = finish)
{
    uint32_t *out = start(KERNEL("k", "",
                                 "mov.u64 %q, %clock64; mov.u32 %v, %clock; add.u32 %w, %v, 100;\n"
                                 "L: mov.u32 %x, %clock; setp.lt.u32 %p, %x, %w; @%p bra L;\n"
                                 "sub.u32 %x, %x, %v; st.global.u32 [%o], %x; ret;"));
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    uint32_t first = out[0];
    cr_assert(first >= 100 && first < 110, "%u", first);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    cr_assert_eq(out[0], first);
}

Test(control_flow, a_block_after_another_allocates_nothing, .fini = finish)
{
    start(".func f(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; ret; }\n" KERNEL(
        "k", ".shared .align 4 .b8 s[4096]; .local .align 4 .b8 m[64];\n",
        "mov.u32 %x, %laneid; and.b32 %y, %x, 5; setp.eq.u32 %p, %y, 4; @%p bra A;\n"
        "{ .param .b32 x; st.param.b32 [x], %x; call f, (x); }\nA: st.local.u32 [m], %x; ret;"));
    struct wm_launch launch = {.kernel = harness_kernel(&harness, "k"),
                               .grid = {100, 1, 1},
                               .block = {256, 1, 1},
                               .parameters = (uint64_t[2]){0},
                               .parameter_bytes = 16};
    struct wm_grid *grid;
    struct wm_run_result result = {0};
    size_t before = 0;
    cr_assert_eq(wm_grid_new(&launch, harness.memory, &grid, NULL), WM_OK);
    for (uint64_t b = 0; b < 100; b++) {
        struct wm_block *block;
        cr_assert_eq(wm_grid_start_block(grid, b, 0, 0, &block, NULL), WM_OK);
        for (uint32_t w = 0; w < block->warp_count; w++)
            wm_warp_run(block, w, UINT64_MAX, WM_RUN_INSTRUCTIONS, NULL, &result);
        cr_assert_eq(block->finished, 255);
        wm_grid_finish_block(grid, block);
        if (b == 0)
            before = mallinfo2().uordblks;
    }
    cr_assert_eq(mallinfo2().uordblks, before);
    wm_grid_free(grid);
}

// cp.async and mbarrier: what arrives where, phases and states by hand, who waits, and what is
// wrong.
#include "exec_harness.h"

#define MODULE(body)                                                                            \
    ".shared .align 16 .b8 s[1024]; .shared .align 8 .b64 m[4];\n"                              \
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                                    \
    ".reg .b64 %p, %q, %w, %x, %a, %t<6>; .reg .b32 %i, %r<8>, %s, %b, %c; .reg .pred %e, %f, " \
    "%g;\n"                                                                                     \
    "ld.param.u64 %p, [in]; ld.param.u64 %q, [out]; mov.u32 %i, %tid.x; mov.u32 %b, m;\n"       \
    "mov.u32 %s, s; mul.wide.u32 %w, %i, 16; add.u64 %p, %p, %w; mul.wide.u32 %x, %i, 16;\n"    \
    "add.u64 %q, %q, %x; shl.b32 %r0, %i, 4; add.u32 %s, %s, %r0;\n" body " ret; }\n"

static struct harness harness;
static uint8_t *in, *out;

static void run(const char *source, uint32_t threads)
{
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    harness.budget = 1000; // a warp that looks again and again lets others go
    in = harness_allocate(&harness, 16 * threads);
    out = harness_allocate(&harness, 16 * threads);
    for (uint32_t i = 0; i < 16 * threads; i++)
        in[i] = (uint8_t)(i * 7 + 1);
    HARNESS_LAUNCH(&harness, "k", 1, threads, ADDRESS(in), ADDRESS(out));
}

static void finish(void)
{
    harness_release(&harness);
}

#define READ_BACK                                                                               \
    "cp.async.commit_group; cp.async.wait_group 0; ld.shared.v4.u32 {%r0,%r1,%r2,%r3}, [%s];\n" \
    "st.global.v4.u32 [%q], {%r0,%r1,%r2,%r3};"
#define FILL "mov.u32 %r7, -1; st.shared.v4.u32 [%s], {%r7,%r7,%r7,%r7};\n"

Test(copies, whole_pieces, .fini = finish)
{
    run(MODULE("cp.async.cg.shared.global [%s], [%p], 16;\n" READ_BACK), 64);
    cr_assert_eq(harness.fault.kind, WM_FAULT_NONE);
    cr_assert_arr_eq(out, in, 64 * 16);
}

// Lane i reads i mod 17 bytes; the rest of its piece becomes zero.
Test(copies, shorter_sources_are_filled_with_zeros, .fini = finish)
{
    run(MODULE(FILL "rem.u32 %r1, %i, 17;\n"
                    "cp.async.ca.shared.global [%s], [%p], 16, %r1;\n" READ_BACK),
        32);
    cr_assert_eq(harness.fault.kind, WM_FAULT_NONE);
    for (uint32_t i = 0; i < 32 * 16; i++)
        cr_assert_eq(out[i], i % 16 < i / 16 % 17 ? in[i] : 0, "byte %u", i);
}

Test(copies, ignored_sources_give_zeros, .fini = finish)
{
    run(MODULE(FILL "setp.lt.u32 %e, %i, 5;\n"
                    "cp.async.ca.shared.global [%s+8], [%p], 8, !%e;\n" READ_BACK),
        32);
    cr_assert_eq(harness.fault.kind, WM_FAULT_NONE);
    for (uint32_t i = 0; i < 32 * 16; i++)
        cr_assert_eq(out[i], i % 16 < 8 ? 0xFF : i / 16 < 5 ? in[i - 8] : 0, "byte %u", i);
}

// A source of which only the first bytes exist is read no further; one that is outside is found.
Test(copies, bounds_are_those_of_what_is_read)
{
    run(MODULE("setp.eq.u32 %e, %i, 31; selp.u32 %r1, 0, 16, %e; add.u64 %p, %p, 16;\n"
               "cp.async.cg.shared.global [%s], [%p], 16, %r1;\n" READ_BACK),
        32);
    cr_assert_eq(harness.fault.kind, WM_FAULT_NONE);
    cr_assert_arr_eq(out, in + 16, 31 * 16);
    finish();
    run(MODULE("add.u64 %p, %p, 4096; cp.async.ca.shared.global [%s], [%p], 16;\n" READ_BACK), 32);
    cr_assert_eq(harness.fault.kind, WM_FAULT_OUT_OF_BOUNDS);
    finish();
}

struct seen {
    struct wm_warp_access accesses[4];
    unsigned count;
};

static void see(void *context, const struct wm_warp_access *access)
{
    struct seen *seen = context;
    cr_assert_lt(seen->count, 4);
    seen->accesses[seen->count++] = *access;
}

// One load past L1 of the lanes that read, one store into shared memory of all.
Test(copies, are_a_load_and_a_store, .fini = finish)
{
    struct seen seen = {0};
    harness_init(&harness,
                 MODULE("setp.lt.u32 %e, %i, 8; cp.async.cg.shared.global [%s], [%p], 16, %e;"), 32,
                 wm_host_best_isa(), false);
    in = harness_allocate(&harness, 512);
    harness.sink = (struct wm_access_sink){.access = see, .context = &seen};
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(in), ADDRESS(in));
    cr_assert_eq(seen.count, 2);
    cr_assert_eq(seen.accesses[0].kind, WM_ACCESS_LOAD);
    cr_assert_eq(seen.accesses[0].space, WM_SPACE_GLOBAL);
    cr_assert_eq(seen.accesses[0].hint, WM_HINT_L2_ONLY);
    cr_assert_eq(seen.accesses[0].bytes_per_lane, 16);
    cr_assert_eq(seen.accesses[0].active, 0xFFFFFF00);
    cr_assert_eq(seen.accesses[1].kind, WM_ACCESS_STORE);
    cr_assert_eq(seen.accesses[1].space, WM_SPACE_SHARED);
    cr_assert_eq(seen.accesses[1].active, 0xFFFFFFFF);
    cr_assert_eq(seen.accesses[1].pc, seen.accesses[0].pc);
}

// --- mbarrier ---

#define INIT(count) \
    "setp.eq.u32 %e, %i, 0; @%e mbarrier.init.shared.b64 [%b], " count "; bar.sync 0;\n"
#define STORE "st.global.v4.u32 [%q], {%r0,%r1,%r2,%r3};"

// Each thread publishes, arrives, waits, and reads its neighbour in another warp: twice.
Test(mbarriers, threads_meet, .fini = finish)
{
    run(MODULE(INIT("96") "add.u32 %r4, %i, 32; rem.u32 %r4, %r4, 96; shl.b32 %r4, %r4, 2;\n"
                          "mov.u32 %c, s; add.u32 %r4, %c, %r4; shl.b32 %r5, %i, 2;\n"
                          "add.u32 %r5, %c, %r5; mov.u32 %r6, 0; mov.u32 %r0, 0; mov.u32 %r1, 0;\n"
                          "A: mad.lo.u32 %r2, %r6, 1000, %i; st.shared.u32 [%r5], %r2;\n"
                          "mbarrier.arrive.shared.b64 %t0, [%b];\n"
                          "W: mbarrier.try_wait.shared.b64 %e, [%b], %t0; @!%e bra W;\n"
                          "ld.shared.u32 %r1, [%r4]; add.u32 %r0, %r0, %r1;\n"
                          "mbarrier.arrive.shared.b64 %t0, [%b];\n"
                          "V: mbarrier.test_wait.parity.shared.b64 %e, [%b], 1; @!%e bra V;\n"
                          "add.u32 %r6, %r6, 1; setp.lt.u32 %e, %r6, 2; @%e bra A;\n" STORE),
        96);
    cr_assert_eq(harness.fault.kind, WM_FAULT_NONE, "%s", harness.fault.error.message);
    for (uint32_t t = 0; t < 96; t++) {
        uint32_t sum;
        memcpy(&sum, out + 16 * t, 4);
        cr_assert_eq(sum, 2 * ((t + 32) % 96) + 1000, "thread %u: %u", t, sum);
    }
}

// Counts, phases and bytes of one thread: each result by hand.
Test(mbarriers, phases_by_hand, .fini = finish)
{
    run(MODULE(
            "mbarrier.init.shared.b64 [%b], 3;\n"
            "mbarrier.arrive.shared.b64 %t0, [%b], 2; mbarrier.pending_count.b64 %r0, %t0;\n"
            "mbarrier.test_wait.shared.b64 %e, [%b], %t0; selp.u32 %r1, 1, 0, %e;\n"
            "mbarrier.test_wait.parity.shared.b64 %e, [%b], 1; selp.u32 %r2, 2, 0, %e;\n"
            "or.b32 %r1, %r1, %r2;\n"
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%b], 64;\n"
            "mbarrier.arrive_drop.shared.b64 %t1, [%b]; mbarrier.pending_count.b64 %r2, %t1;\n"
            "mbarrier.test_wait.shared.b64 %e, [%b], %t0; selp.u32 %r4, 4, 0, %e;\n"
            "or.b32 %r1, %r1, %r4;\n"
            "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%b], 64;\n"
            "mbarrier.test_wait.shared.b64 %e, [%b], %t0; selp.u32 %r4, 8, 0, %e;\n"
            "or.b32 %r1, %r1, %r4;\n"
            // The next phase is of two; one arrives with bytes, which come at once.
            "mbarrier.arrive.expect_tx.shared.b64 %t2, [%b], 16;\n"
            "mbarrier.pending_count.b64 %r3, %t2; mbarrier.complete_tx.shared::cta.b64 [%b], 16;\n"
            "cp.async.mbarrier.arrive.shared.b64 [%b];\n"
            "mbarrier.test_wait.shared.b64 %e, [%b], %t2; selp.u32 %r4, 16, 0, %e;\n"
            "or.b32 %r1, %r1, %r4;\n"
            "cp.async.mbarrier.arrive.noinc.shared.b64 [%b];\n"
            "mbarrier.try_wait.shared.b64 %e, [%b], %t2; selp.u32 %r4, 32, 0, %e;\n"
            "or.b32 %r1, %r1, %r4; mbarrier.inval.shared.b64 [%b];\n" STORE),
        1);
    uint32_t results[4];
    cr_assert_eq(harness.fault.kind, WM_FAULT_NONE, "%s", harness.fault.error.message);
    memcpy(results, out, 16);
    cr_assert_eq(results[0], 3);
    cr_assert_eq(results[1], 2 | 8 | 32, "%x", results[1]);
    cr_assert_eq(results[2], 1);
    cr_assert_eq(results[3], 2);
}

// With a limit of time a wait is over at once.
Test(mbarriers, a_limit_of_time_is_over_at_once, .fini = finish)
{
    run(MODULE("mbarrier.init.shared.b64 [%b], 1; mov.u32 %r0, 7;\n"
               "mbarrier.try_wait.parity.shared.b64 %e, [%b], 0, 1000; selp.u32 %r1, 1, 0, "
               "%e;\n" STORE),
        1);
    cr_assert_eq(harness.fault.kind, WM_FAULT_NONE);
    cr_assert_eq(out[0], 7);
    cr_assert_eq(out[4], 0);
}

Test(mbarriers, waiting_for_ever_is_a_deadlock, .fini = finish)
{
    run(MODULE(
            INIT("64") "setp.lt.u32 %e, %i, 60; @!%e bra W; mbarrier.arrive.shared.b64 %t0, [%b];\n"
                       "W: mbarrier.try_wait.parity.shared.b64 %e, [%b], 0; @!%e bra W;"),
        64);
    cr_assert(harness.deadlock);
    cr_assert(strstr(harness.fault.error.message, "for a phase of an mbarrier"), "%s",
              harness.fault.error.message);
    cr_assert(strstr(harness.fault.error.message, "mbarrier.try_wait"));
}

// --- What a listener is told of mbarriers ---

struct told {
    struct wm_warp_phase phases[24];
    unsigned count;
};

static void hear_phase(void *context, const struct wm_warp_phase *phase)
{
    struct told *told = context;
    cr_assert_lt(told->count, 24);
    told->phases[told->count++] = *phase;
}

static void ignore(void *context, const struct wm_warp_access *access)
{
    (void)context;
    (void)access;
}

static void listen_to(const char *source, uint32_t threads, struct told *told)
{
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    harness.budget = 1000;
    *told = (struct told){0};
    harness.sink = (struct wm_access_sink){.access = ignore, .phase = hear_phase, .context = told};
    in = harness_allocate(&harness, 16 * threads);
    HARNESS_RUN(&harness, "k", 1, threads, ADDRESS(in), ADDRESS(in));
}

static void is_told(const struct told *told, unsigned i, enum wm_phase_operation operation,
                    uint32_t object, uint32_t operand, uint64_t lanes)
{
    const struct wm_warp_phase *phase = &told->phases[i];
    cr_assert_lt(i, told->count);
    cr_expect(phase->operation == operation && phase->object - told->phases[0].object == object &&
                  phase->operand == operand && phase->lanes == lanes,
              "%u: operation %d of object %u, operand %u, lanes %lx", i, (int)phase->operation,
              phase->object, phase->operand, (unsigned long)phase->lanes);
}

// Even lanes have one object, odd ones the other; the upper half arrives for two.
Test(mbarriers, lanes_that_do_the_same_are_told_of_together, .fini = finish)
{
    struct told told;
    listen_to(MODULE("and.b32 %r1, %i, 1; shl.b32 %r1, %r1, 3; add.u32 %b, %b, %r1;\n"
                     "shr.u32 %r2, %i, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %e, %i, 2;\n"
                     "@%e mbarrier.init.shared.b64 [%b], 24; bar.sync 0;\n"
                     "mbarrier.test_wait.parity.shared.b64 %e, [%b], 0;\n"
                     "mbarrier.arrive.shared.b64 %t0, [%b], %r2;\n"
                     "mbarrier.try_wait.shared.b64 %e, [%b], %t0;\n"
                     "setp.lt.u32 %e, %i, 2; @%e mbarrier.inval.shared.b64 [%b];\n"),
              32, &told);
    cr_assert_eq(told.count, 8);
    is_told(&told, 0, WM_PHASE_INIT, 0, 24, 1);
    is_told(&told, 1, WM_PHASE_INIT, 1, 24, 2);
    is_told(&told, 2, WM_PHASE_ARRIVE, 0, 1, 0x5555);
    is_told(&told, 3, WM_PHASE_ARRIVE, 1, 1, 0xAAAA);
    is_told(&told, 4, WM_PHASE_ARRIVE, 0, 2, 0x55550000);
    is_told(&told, 5, WM_PHASE_ARRIVE, 1, 2, 0xAAAA0000);
    is_told(&told, 6, WM_PHASE_TEST_PASSED, 0, 0, 0x55555555);
    is_told(&told, 7, WM_PHASE_TEST_PASSED, 1, 0, 0xAAAAAAAA);
}

Test(mbarriers, each_operation_is_told_of, .fini = finish)
{
    struct told told;
    listen_to(MODULE("mbarrier.init.shared.b64 [%b], 4; mbarrier.arrive.shared.b64 %t0, [%b];\n"
                     "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%b], 64;\n"
                     "mbarrier.arrive.expect_tx.shared.b64 %t0, [%b], 16;\n"
                     "cp.async.mbarrier.arrive.shared.b64 [%b];\n"
                     "cp.async.mbarrier.arrive.noinc.shared.b64 [%b];\n"
                     "mbarrier.complete_tx.shared::cta.b64 [%b], 80;\n"
                     "mbarrier.arrive_drop.shared.b64 %t1, [%b], 1;\n"
                     "mbarrier.arrive_drop.expect_tx.shared.b64 %t1, [%b], 8;\n"
                     "mbarrier.test_wait.shared.b64 %e, [%b], %t0;\n"),
              1, &told);
    static const uint32_t wanted[][2] = {
        {WM_PHASE_INIT, 4},           {WM_PHASE_ARRIVE, 1},      {WM_PHASE_EXPECT, 64},
        {WM_PHASE_EXPECT_ARRIVE, 16}, {WM_PHASE_ARRIVE, 1},      {WM_PHASE_COMPLETE, 80},
        {WM_PHASE_DROP, 1},           {WM_PHASE_EXPECT_DROP, 8}, {WM_PHASE_TEST_PASSED, 0}};
    cr_assert_eq(told.count, sizeof wanted / sizeof wanted[0]);
    for (unsigned i = 0; i < told.count; i++)
        is_told(&told, i, (enum wm_phase_operation)wanted[i][0], 0, wanted[i][1], 1);
}

// The second warp comes out of the block's barrier first: it looks before the other has arrived.
Test(mbarriers, a_wait_is_told_of_each_time_it_is_in_vain, .fini = finish)
{
    struct told told;
    listen_to(MODULE(INIT("32") "setp.ge.u32 %e, %i, 32; @%e bra W;\n"
                                "mbarrier.arrive.shared.b64 %t0, [%b]; bra.uni D;\n"
                                "W: mbarrier.try_wait.parity.shared.b64 %e, [%b], 0;\nD:"),
              64, &told);
    cr_assert_eq(told.count, 4);
    cr_assert_eq(told.phases[1].operation, WM_PHASE_BLOCKED);
    cr_assert_eq(told.phases[1].lanes, UINT32_MAX);
    is_told(&told, 2, WM_PHASE_ARRIVE, 0, 1, UINT32_MAX);
    is_told(&told, 3, WM_PHASE_TEST_PASSED, 0, 0, UINT32_MAX);
    cr_assert_eq(told.phases[3].pc, told.phases[1].pc);
}

static void finds(const char *source, const char *text)
{
    run(source, 32);
    cr_assert_eq(harness.fault.kind, WM_FAULT_ILLEGAL_BARRIER);
    cr_assert(strstr(harness.fault.error.message, text), "%s", harness.fault.error.message);
    finish();
}

Test(mbarriers, what_is_wrong_is_found)
{
    finds(MODULE("mbarrier.arrive.shared.b64 %t0, [%b];"), "has not been initialised");
    finds(MODULE("mbarrier.init.shared.b64 [%b], 0;"), "not of 1 to 1048575");
    finds(MODULE(INIT("20") "mbarrier.arrive.shared.b64 %t0, [%b], 21;"), "more threads arrive");
    // More bytes than an mbarrier counts are no harm to the host.
    run(MODULE(INIT("32") "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%b], 0x7fffffff;\n"
                          "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%b], 0x80000000;"),
        32);
    cr_assert_eq(harness.fault.kind, WM_FAULT_NONE);
    finish();
}

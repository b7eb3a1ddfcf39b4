// What kernels read of time, and which of their loops are known to do nothing but wait for it.
#include "exec_harness.h"

#include "base/text/text.h"

#define KERNEL_BEGIN                                                                        \
    ".visible .entry k(.param .u64 out) {\n"                                                \
    ".reg .b32 %v<8>; .reg .b64 %o, %t<8>; .reg .pred %p<4>; .shared .align 4 .b8 s[64];\n" \
    "ld.param.u64 %o, [out];\n"
#define KERNEL_END "\nret; }\n"
#define KERNEL(body) KERNEL_BEGIN body KERNEL_END

static struct harness harness;

// Time that goes on by STEP with each look at it, but for a spin, which may wait for longer.
enum { STEP = 10, NANOSECONDS_A_CYCLE = 3, SM = 1 };
struct watch {
    uint64_t cycle, pause;
    uint64_t spins, first, last; // how often, and what was said of the first and the last
};

static uint64_t cycle(void *context, uint32_t sm)
{
    struct watch *watch = context;
    cr_expect_lt(sm, 2);
    return watch->cycle += STEP;
}

static uint64_t nanoseconds(void *context, uint32_t sm)
{
    return cycle(context, sm) * NANOSECONDS_A_CYCLE;
}

static void spins(void *context, uint32_t sm, uint64_t cycles)
{
    struct watch *watch = context;
    cr_expect_lt(sm, 2);
    watch->first = watch->spins++ == 0 ? cycles : watch->first;
    watch->last = cycles;
    watch->cycle += watch->pause;
}

static uint64_t *run(const char *body, struct watch *watch)
{
    static struct wm_device_time time;
    time = (struct wm_device_time){
        .cycle = cycle, .nanoseconds = nanoseconds, .spins = spins, .context = watch};
    harness_init(&harness, body, 32, wm_host_best_isa(), false);
    harness.time = watch != NULL ? &time : NULL;
    uint64_t *out = harness_allocate(&harness, 4096);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out));
    return out;
}

static void finish(void)
{
    harness_release(&harness);
}

Test(clocks, tell_the_time_of_whoever_keeps_it, .fini = finish)
{
    struct watch watch = {.cycle = UINT64_C(5) << 32};
    uint64_t *out = run(KERNEL("mov.u64 %t1, %clock64; mov.u64 %t2, %globaltimer;\n"
                               "mov.u32 %v1, %clock; mov.u32 %v2, %clock_hi;\n"
                               "mov.u32 %v3, %globaltimer_lo; mov.u32 %v4, %globaltimer_hi;\n"
                               "st.global.u64 [%o], %t1; st.global.u64 [%o+8], %t2;\n"
                               "st.global.u32 [%o+16], %v1; st.global.u32 [%o+20], %v2;\n"
                               "st.global.u32 [%o+24], %v3; st.global.u32 [%o+28], %v4;"),
                        &watch);
    const uint32_t *halves = (const uint32_t *)(out + 2);
    cr_expect_eq(out[0] >> 32, 5);
    cr_expect_eq(out[1] >> 32, 15);
    cr_expect_gt((uint32_t)out[1], 3 * (uint32_t)out[0]);
    cr_expect_gt(halves[0], (uint32_t)out[0]);
    cr_expect_eq(halves[1], 5);
    cr_expect_gt(halves[2], (uint32_t)out[1]);
    cr_expect_eq(halves[3], 15);
    cr_expect_eq(watch.spins, 0);
}

#define ADD_SPIN(start)                                                                  \
    start ": mov.u64 %t2, %clock64; sub.u64 %t3, %t2, %t1; setp.lt.u64 %p1, %t3, %t0;\n" \
          "@%p1 bra " start ";\n"

// Each waits, in one way or another, until 5,000 cycles have passed.
static const struct {
    const char *what, *body;
    bool spins;
} loops[] = {
    {"a difference of two readings", "mov.u64 %t0, 5000; mov.u64 %t1, %clock64;\n" ADD_SPIN("L"),
     true},
    {"a point in time, tested at the top",
     "mov.u64 %t1, %clock64; add.u64 %t1, %t1, 5000;\n"
     "L: mov.u64 %t2, %clock64; setp.ge.u64 %p1, %t2, %t1; @%p1 bra M; bra L; M:",
     true},
    {"the difference of the round before, and 32 bits",
     "mov.u32 %v1, %clock; mov.u32 %v3, 0;\n"
     "L: setp.ge.u32 %p1, %v3, 5000; @%p1 bra M;\n"
     "mov.u32 %v2, %clock; sub.u32 %v3, %v2, %v1; bra L; M:",
     true},
    {"nanoseconds, with a pause",
     "mov.u64 %t1, %globaltimer; mov.u32 %v1, 100;\n"
     "L: nanosleep.u32 %v1; mov.u64 %t2, %globaltimer; sub.u64 %t2, %t2, %t1;\n"
     "setp.lt.u64 %p1, %t2, 15000; @%p1 bra L;",
     true},
    {"rounds are counted, and decide nothing",
     "mov.u64 %t1, %clock64; mov.u32 %v1, 0;\n"
     "L: add.u32 %v1, %v1, 1; mov.u64 %t2, %clock64; sub.u64 %t2, %t2, %t1;\n"
     "setp.lt.u64 %p1, %t2, 5000; @%p1 bra L; st.global.u32 [%o], %v1;",
     true},
    {"halves of 64 bits, with a carry",
     "mov.u32 %v1, %clock; mov.u32 %v2, %clock_hi; add.cc.u32 %v1, %v1, 5000; addc.u32 %v2, %v2, "
     "0;\n"
     "L: mov.u32 %v3, %clock; mov.u32 %v4, %clock_hi; sub.cc.u32 %v5, %v3, %v1;\n"
     "subc.u32 %v6, %v4, %v2; setp.lt.s32 %p1, %v6, 0; @%p1 bra L;",
     true},
    {"so many rounds, each of which is timed",
     "mov.u32 %v1, 0; mov.u64 %t3, 0;\n"
     "L: mov.u64 %t1, %clock64; mov.u64 %t2, %clock64; sub.u64 %t2, %t2, %t1;\n"
     "add.u64 %t3, %t3, %t2; add.u32 %v1, %v1, 1; setp.lt.u32 %p1, %v1, 500; @%p1 bra L;",
     false},
    {"time, or so many rounds",
     "mov.u64 %t1, %clock64; mov.u32 %v1, 0;\n"
     "L: add.u32 %v1, %v1, 1; setp.gt.u32 %p2, %v1, 300; @%p2 bra M;\n"
     "mov.u64 %t2, %clock64; sub.u64 %t2, %t2, %t1; setp.lt.u64 %p1, %t2, 5000; @%p1 bra L; M:",
     false},
    {"a sum of times, which needs each round",
     "mov.u64 %t3, 0; mov.u64 %t1, %clock64;\n"
     "L: mov.u64 %t2, %clock64; sub.u64 %t2, %t2, %t1; add.u64 %t3, %t3, %t2;\n"
     "setp.lt.u64 %p1, %t3, 500000; @%p1 bra L;",
     false},
    {"memory is read meanwhile",
     "mov.u64 %t1, %clock64;\n"
     "L: ld.volatile.global.u32 %v1, [%o]; mov.u64 %t2, %clock64; sub.u64 %t2, %t2, %t1;\n"
     "setp.lt.u64 %p1, %t2, 5000; @%p1 bra L;",
     false},
    {"a word is written meanwhile",
     "mov.u64 %t1, %clock64;\n"
     "L: mov.u64 %t2, %clock64; sub.u64 %t2, %t2, %t1; st.shared.u64 [s], %t2;\n"
     "setp.lt.u64 %p1, %t2, 5000; @%p1 bra L;",
     false},
    {"lanes vote meanwhile",
     "mov.u64 %t1, %clock64;\n"
     "L: mov.u64 %t2, %clock64; sub.u64 %t2, %t2, %t1; setp.lt.u64 %p1, %t2, 5000;\n"
     "vote.sync.any.pred %p2, %p1, 0xffffffff; @%p2 bra L;",
     false},
    {"a clock is read in a loop within",
     "mov.u32 %v1, 0;\n"
     "K: mov.u32 %v2, 0;\n"
     "L: mov.u64 %t2, %clock64; add.u32 %v2, %v2, 1; setp.lt.u32 %p1, %v2, 20; @%p1 bra L;\n"
     "add.u32 %v1, %v1, 1; setp.lt.u32 %p1, %v1, 20; @%p1 bra K;",
     false},
};

Test(clocks, loops_that_only_wait_are_spins)
{
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        struct watch watch = {.pause = 0};
        struct wm_text text;
        wm_text_init(&text);
        wm_text_format(&text, "%s%s%s", KERNEL_BEGIN, loops[i].body, KERNEL_END);
        run(text.data, &watch);
        harness_release(&harness);
        wm_text_release(&text);
        cr_expect_eq(watch.spins > 1, loops[i].spins, "%s: %zu spins", loops[i].what,
                     (size_t)watch.spins);
    }
}

// A spin that the watch makes longer ends with the first reading that is late enough; the next one
// begins anew.
Test(clocks, spins_follow_one_another, .fini = finish)
{
    struct watch watch = {.pause = 300};
    uint64_t *out = run(
        KERNEL("mov.u64 %t0, 5000; mov.u64 %t1, %clock64;\n" ADD_SPIN(
            "L") "st.global.u64 [%o], %t3; mov.u64 %t1, %clock64;\n" ADD_SPIN("M") "st.global.u64 "
                                                                                   "[%o+8], %t3;"),
        &watch);
    for (int i = 0; i < 2; i++)
        cr_expect(out[i] >= 5000 && out[i] < 5000 + 300 + 4 * STEP, "%zu", (size_t)out[i]);
    cr_expect_leq(watch.first, 2 * STEP);
    cr_expect(watch.last > 4000 && watch.last < 5000, "%zu", (size_t)watch.last);
    cr_expect(watch.spins > 20 && watch.spins < 40, "%zu", (size_t)watch.spins);
}

// Without time the count jumps, by an eighth of the spin at most: a billion takes no minute.
Test(clocks, a_long_spin_ends_soon_where_nothing_keeps_time, .fini = finish)
{
    uint64_t *out = run(KERNEL("mov.u64 %t0, 1000000000; mov.u64 %t1, %clock64;\n" ADD_SPIN(
                            "L") "st.global.u64 [%o], %t3;"),
                        NULL);
    cr_expect(out[0] >= 1000000000 && out[0] < 1130000000, "%zu", (size_t)out[0]);
    cr_expect_lt(harness.result.warp_instructions, 2000);
}

Test(clocks, a_short_spin_is_not_cut, .fini = finish)
{
    uint64_t *out = run(KERNEL("mov.u64 %t0, 400; mov.u64 %t1, %clock64;\n" ADD_SPIN(
                            "L") "st.global.u64 [%o], %t3;"),
                        NULL);
    cr_expect(out[0] >= 400 && out[0] < 410, "%zu", (size_t)out[0]);
}

// A loop that counts is measured as it is, however long it is.
Test(clocks, what_is_measured_in_a_loop_is_not_cut, .fini = finish)
{
    uint64_t *out =
        run(KERNEL("mov.u32 %v1, 0; mov.u64 %t3, 0;\n"
                   "L: mov.u64 %t1, %clock64; add.u32 %v2, %v1, 1; mov.u64 %t2, %clock64;\n"
                   "sub.u64 %t2, %t2, %t1; add.u64 %t3, %t3, %t2; add.u32 %v1, %v1, 1;\n"
                   "setp.lt.u32 %p1, %v1, 5000; @%p1 bra L; st.global.u64 [%o], %t3;"),
            NULL);
    cr_expect(out[0] >= 2 * 5000 && out[0] <= 3 * 5000, "%zu", (size_t)out[0]);
}

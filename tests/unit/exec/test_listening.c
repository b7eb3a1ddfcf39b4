// The events that the interpreter reports to a sink: stretches, arrivals, exits
// (base/access/access.h).
#include "exec_harness.h"
#include "listener.h"

#define HEAD                                                   \
    ".visible .entry k(.param .u64 out, .param .u64 n) {\n"    \
    ".reg .pred %p; .reg .b32 %t, %i, %r; .reg .b64 %o, %q;\n" \
    "ld.param.u64 %o, [out]; mov.u32 %t, %tid.x;\n"            \
    "mul.wide.u32 %q, %t, 4; add.u64 %o, %o, %q;\n"

static struct listener hear(const char *body, unsigned width, enum wm_lane_isa isa,
                            enum wm_run_until until, bool by_registers)
{
    struct harness harness;
    struct listener listener = {0};
    harness_init(&harness, body, width, isa, false);
    harness.sink = by_registers ? listener_by_registers_sink(&listener) : listener_sink(&listener);
    harness.until = until;
    uint32_t *out = harness_allocate(&harness, 4096); // at the same address each time
    HARNESS_RUN(&harness, "k", 2, 40, ADDRESS(out) + 256, 5);
    harness_release(&harness);
    return listener;
}

static struct listener listen(const char *body, uint32_t blocks, uint32_t threads, unsigned width,
                              enum wm_run_until until, struct wm_run_result *result)
{
    struct harness harness;
    struct listener listener = {0};
    harness_init(&harness, body, width, WM_HOST_C, false);
    harness.sink = listener_sink(&listener);
    harness.until = until;
    uint32_t *out = harness_allocate(&harness, 4096);
    HARNESS_RUN(&harness, "k", blocks, threads, ADDRESS(out), 5);
    *result = harness.result;
    harness_release(&harness);
    cr_expect_eq(listener.warp_instructions, result->warp_instructions);
    cr_expect_eq(listener.thread_instructions, result->thread_instructions);
    cr_expect_eq(listener.exited_lanes, (uint64_t)blocks * threads);
    cr_expect_eq(listener.pending_count, 0);
    return listener;
}

Test(listening, a_straight_kernel_is_told_once)
{
    struct wm_run_result result;
    struct listener heard =
        listen(HEAD "st.global.u32 [%o], %t; ret; }", 3, 64, 32, WM_RUN_INSTRUCTIONS, &result);
    cr_expect_eq(heard.warp_instructions, 6 * 6); // 3 blocks of 2 warps, 6 instructions
    cr_expect_eq(heard.accesses, 6);
    cr_expect_eq(heard.exits, 6);
    cr_expect_eq(heard.arrivals, 0);
}

Test(listening, a_kernel_without_return_is_told_whole)
{
    struct wm_run_result result;
    struct listener heard =
        listen(HEAD "st.global.u32 [%o], %t; }", 1, 32, 32, WM_RUN_INSTRUCTIONS, &result);
    cr_expect_eq(heard.accesses, 1);
    cr_expect_eq(heard.exits, 1);
}

// Lanes below 5 leave the loop one after the other; the guards of the last store hold for some.
static const char diverging[] =
    HEAD "mov.u32 %i, 0;\n"
         "LOOP: setp.ge.u32 %p, %i, %t; @%p bra DONE;\n"
         "st.global.u32 [%o], %i; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 5; @%p bra LOOP;\n"
         "DONE: setp.lt.u32 %p, %t, 3; @%p st.global.u32 [%o], %t; @%p ret;\n"
         "bar.arrive 1, 64; ld.global.u32 %r, [%o]; st.global.u32 [%o], %r; exit; }";

Test(listening, parted_lanes_add_up)
{
    for (unsigned width = 32; width <= 64; width += 32)
        for (int memory = 0; memory < 2; memory++) {
            struct wm_run_result result;
            struct listener heard = listen(diverging, 2, 40, width,
                                           memory ? WM_RUN_MEMORY : WM_RUN_INSTRUCTIONS, &result);
            cr_expect_geq(heard.arrivals, 2);
        }
}

struct asked {
    struct harness harness;
    unsigned count;
};

static void is_next(void *context, const struct wm_warp_stretch *stretch)
{
    struct asked *asked = context;
    cr_assert_eq(stretch->count, 1);
    cr_assert_eq(stretch->first_pc, asked->harness.next, "%u, not %u", stretch->first_pc,
                 asked->harness.next);
    asked->count++;
}

static void no_matter(void *context, const struct wm_warp_access *access)
{
    (void)context;
    (void)access;
}

// Which instruction comes next is known before it is executed, where lanes part and meet, too; and
// where a guard holds all of them back.
Test(listening, the_next_instruction_is_the_one_executed)
{
    static struct asked asked;
    harness_init(&asked.harness,
                 HEAD
                 ".shared .b64 m; and.b32 %r, %t, 3; mov.u32 %i, 0;\n"
                 "A: setp.ge.u32 %p, %i, %r; @%p bra B; add.u32 %i, %i, 1; bra.uni A;\n"
                 "B: st.global.u32 [%o], %i; setp.eq.u32 %p, %t, 40;\n"
                 "@%p mbarrier.init.shared.b64 [m], 1; setp.lt.u32 %p, %t, 7;\n"
                 "@%p bra C; bar.sync 0; bra.uni D; C: bar.sync 0; add.u32 %i, %i, 1; D: ret; }",
                 32, WM_HOST_C, false);
    asked.harness.sink =
        (struct wm_access_sink){.access = no_matter, .stretch = is_next, .context = &asked};
    asked.harness.budget = 1;
    asked.harness.asks = true;
    uint32_t *out = harness_allocate(&asked.harness, 4096);
    HARNESS_RUN(&asked.harness, "k", 1, 64, ADDRESS(out), 5);
    for (uint32_t t = 0; t < 64; t++)
        cr_assert_eq(out[t], t % 4);
    cr_assert_eq(asked.count, asked.harness.result.warp_instructions);
    harness_release(&asked.harness);
}

Test(listening, barriers_are_told_of_before_they_open)
{
    struct wm_run_result result;
    struct listener heard = listen(HEAD "bar.sync 0; st.global.u32 [%o], %t; bar.sync 0; ret; }", 2,
                                   96, 32, WM_RUN_INSTRUCTIONS, &result);
    cr_expect_eq(heard.arrivals, 2 * 3 * 2);
}

// Loads that share an address register: read again unchanged, changed between, overwritten by the
// load itself, guarded, in another space, after a jump.
static const char sharing[] =
    HEAD ".shared .b32 tile[256]; .reg .b32 %s, %x; .reg .b64 %w; mov.u32 %s, tile;\n"
         "shl.b32 %r, %t, 2; add.u32 %s, %s, %r; mov.u32 %i, 0;\n"
         "st.shared.u32 [%s], %t; st.shared.u32 [%s+256], %i; bar.sync 0;\n"
         "LOOP: ld.global.u32 %r, [%o]; ld.global.u32 %r, [%o+128]; st.global.u32 [%o+4], %i;\n"
         "ld.shared.u32 %r, [%s+256]; ld.shared.u32 %r, [%s]; ld.shared.u32 %r, [%s+4];\n"
         "add.u64 %o, %o, 4; ld.global.u32 %r, [%o+64]; ld.global.u32 %r, [%o+-64];\n"
         "setp.gt.u32 %p, %t, 7; @%p ld.global.u32 %r, [%o+8]; ld.global.u32 %r, [%o+12];\n"
         "mov.u64 %w, %o; @%p ld.global.u32 %r, [%w]; ld.global.u32 %r, [%w+4];\n"
         "mov.u32 %x, %s; ld.shared.u32 %x, [%x]; st.global.u32 [%o+1020], %x;\n"
         "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 5; @%p bra LOOP;\n"
         "ld.global.u32 %r, [%o]; ret; }";

static void compare_plans(const char *body, unsigned width, enum wm_run_until until, bool shares)
{
    struct listener plain = hear(body, width, WM_HOST_C, until, false);
    for (int isa = 0; isa < 2; isa++) {
        struct listener by_registers =
            hear(body, width, isa == 0 ? WM_HOST_C : wm_host_best_isa(), until, true);
        cr_expect_eq(by_registers.digest, plain.digest, "width %u", width);
        cr_expect_eq(by_registers.accesses, plain.accesses);
        cr_expect_gt(by_registers.by_registers, by_registers.accesses / 2);
        cr_expect_eq(by_registers.broken, 0);
        if (shares)
            cr_expect_gt(by_registers.likes, by_registers.accesses / 3);
        if (shares && width == 32 && until == WM_RUN_INSTRUCTIONS)
            cr_expect_gt(by_registers.rows, by_registers.accesses / 3);
    }
}

Test(listening, plans_say_what_addresses_say)
{
    for (unsigned width = 32; width <= 64; width += 32)
        for (int memory = 0; memory < 2; memory++) {
            enum wm_run_until until = memory ? WM_RUN_MEMORY : WM_RUN_INSTRUCTIONS;
            compare_plans(diverging, width, until, false);
            compare_plans(sharing, width, until, true);
        }
}

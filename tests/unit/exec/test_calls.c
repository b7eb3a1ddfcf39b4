// Calls: through addresses, from other modules' tables, with parameters in registers, and again and
// again (PTX ISA 7.1, 9.7.12.4).
#include "exec_harness.h"

// Four functions of one layout, and what the same are on the host.
#define FUNCTION(linkage, name, body)                            \
    linkage " .func (.param .b32 r) " name "(.param .b32 x) {\n" \
            ".reg .b32 %x;\nld.param.b32 %x, [x];\n" body "st.param.b32 [r], %x;\nret;\n}\n"
#define FUNCTIONS                                 \
    FUNCTION("", "f0", "add.u32 %x, %x, 7;\n")    \
    FUNCTION("", "f1", "mul.lo.u32 %x, %x, 3;\n") \
    FUNCTION("", "f2", "xor.b32 %x, %x, 0x55;\n") \
    FUNCTION("", "f3", "sub.u32 %x, 1000, %x;\n")

static uint32_t on_host(uint32_t which, uint32_t x)
{
    switch (which) {
    case 0: return x + 7;
    case 1: return x * 3;
    case 2: return x ^ 0x55;
    default: return 1000 - x;
    }
}

#define CALL(label)                                                                           \
    "{ .param .b32 p; .param .b32 q;\nst.param.b32 [p], %x;\ncall (q), %f, (p), " label ";\n" \
    "ld.param.b32 %x, [q]; }\n"

#define CALL_NAMED(name)                                                                 \
    "{ .param .b32 p; .param .b32 q;\nst.param.b32 [p], %x;\ncall (q), " name ", (p);\n" \
    "ld.param.b32 %x, [q]; }\n"

// For `count` times: the function numbered by which[i][thread] of its value.
#define TABLE_KERNEL                                                                     \
    ".visible .entry k(.param .u64 which, .param .u64 values, .param .u64 count) {\n"    \
    ".reg .b64 %w, %v, %n, %o, %f, %t;\n.reg .b32 %x, %i, %c;\n.reg .pred %p;\n"         \
    "ld.param.u64 %w, [which];\nld.param.u64 %v, [values];\nld.param.u64 %n, [count];\n" \
    "mov.u32 %i, %tid.x;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %w, %w, %o;\n"                \
    "add.u64 %v, %v, %o;\nld.global.u32 %x, [%v];\n"                                     \
    "again:\nsetp.eq.u64 %p, %n, 0;\n@%p bra done;\n"                                    \
    "ld.global.u32 %c, [%w];\nmul.wide.u32 %t, %c, 8;\nmov.u64 %f, table;\n"             \
    "add.u64 %f, %f, %t;\nld.global.u64 %f, [%f];\n"                                     \
    "{\nkind: .callprototype (.param .b32 _) _ (.param .b32 _);\n" CALL(                 \
        "kind") "}\nadd.u64 %w, %w, 128;\nsub.u64 %n, %n, 1;\nbra again;\n"              \
                "done:\nst.global.u32 [%v], %x;\nret;\n}\n"

enum { LANES = 32, TIMES = 64 };

static void check_table(struct harness *harness, unsigned kinds, uint64_t seed)
{
    uint32_t(*which)[LANES] = harness_allocate(harness, sizeof(uint32_t[TIMES][LANES]));
    uint32_t *values = harness_allocate(harness, sizeof(uint32_t[LANES])), expected[LANES];
    struct wm_random random;
    wm_random_init(&random, seed, "indirect calls");
    for (unsigned lane = 0; lane < LANES; lane++)
        expected[lane] = values[lane] = (uint32_t)wm_random_below(&random, 1000);
    for (unsigned i = 0; i < TIMES; i++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            which[i][lane] = (uint32_t)wm_random_below(&random, kinds);
            expected[lane] = on_host(which[i][lane], expected[lane]);
        }
    HARNESS_RUN(harness, "k", 1, LANES, ADDRESS(which), ADDRESS(values), TIMES);
    cr_expect_arr_eq(values, expected, sizeof(expected));
}

Test(calls, lanes_that_call_different_functions)
{
    struct harness harness;
    struct wm_random schedule;
    harness_init(&harness, FUNCTIONS ".global .u64 table[4] = {f0, f1, f2, f3};\n" TABLE_KERNEL, 32,
                 wm_host_best_isa(), false);
    for (unsigned kinds = 1; kinds <= 4; kinds++)
        check_table(&harness, kinds, kinds);
    wm_random_init(&schedule, 5, "schedule");
    harness.schedule = &schedule;
    for (uint64_t seed = 10; seed < 20; seed++)
        check_table(&harness, 4, seed);
    harness_release(&harness);
}

// Lanes are together again behind the call: as many instructions as targets, and no more.
Test(calls, lanes_meet_behind_the_call)
{
    struct harness harness;
    harness_init(&harness, FUNCTIONS ".global .u64 table[4] = {f0, f1, f2, f3};\n" TABLE_KERNEL, 32,
                 wm_host_best_isa(), false);
    uint32_t *which = harness_allocate(&harness, 128), *values = harness_allocate(&harness, 128);
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(which), ADDRESS(values), 1);
    uint64_t together = harness.result.warp_instructions;
    for (unsigned lane = 0; lane < LANES; lane++)
        which[lane] = lane % 4;
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(which), ADDRESS(values), 1);
    // Three more calls, of four instructions each.
    cr_expect_eq(harness.result.warp_instructions, together + 3 * (1 + 4));
    harness_release(&harness);
}

static void expect_bad_call(const char *extra, uint64_t pointer, const char *words)
{
    struct harness harness;
    char text[4096];
    static const char kernel[] =
        ".visible .entry k(.param .u64 pointer) {\n.reg .b64 %f;\n.reg .b32 %x;\n"
        "ld.param.u64 %f, [pointer];\nmov.u32 %x, 1;\n"
        "kind: .callprototype (.param .b32 _) _ (.param .b32 _);\n" CALL("kind") "ret;\n}\n";
    snprintf(text, sizeof(text), "%s%s", extra, kernel);
    harness_init(&harness, text, 32, wm_host_best_isa(), false);
    if (pointer == UINT64_MAX) {
        uint64_t address, size;
        cr_assert(wm_program_variable(harness.program, "table", &address, &size));
        pointer = *(uint64_t *)(uintptr_t)address;
    }
    HARNESS_LAUNCH(&harness, "k", 1, 1, pointer);
    cr_expect_eq(harness.fault.kind, WM_FAULT_ILLEGAL_CALL);
    cr_expect_eq(harness.fault.address, pointer);
    cr_expect_not_null(strstr(harness.fault.error.message, words), "%s",
                       harness.fault.error.message);
    cr_expect_not_null(strstr(harness.fault.error.place, "kernel k, test.ptx:"), "%s",
                       harness.fault.error.place);
    harness_release(&harness);
}

Test(calls, pointers_that_are_no_functions)
{
    expect_bad_call("", 0, "call through 0x0, a null pointer");
    expect_bad_call(FUNCTIONS ".global .u64 table = f0;\n", 0x1234,
                    "call through 0x1234, where no function is");
    // Between two functions, and a function that nobody takes the address of.
    expect_bad_call(FUNCTIONS ".global .u64 table = f0;\n", UINT64_C(0x130000000011),
                    "where no function is");
    expect_bad_call(FUNCTIONS ".global .u64 table = f0;\n", UINT64_C(0x130000000020),
                    "where 'f1' is, which is none of what this call may reach");
    expect_bad_call(".func other(.param .b64 x) { ret; }\n.global .u64 table = other;\n",
                    UINT64_MAX, "where 'other' is");
}

// A function that cannot be executed harms only who calls it, through an address or by name.
Test(calls, what_is_never_called_may_be_unsupported)
{
    struct harness harness;
    uint64_t table, size;
    static const char body[] = FUNCTIONS FUNCTION("", "plain", "wgmma.fence.sync.aligned;\n")
        FUNCTION("", "deeper",
                 CALL_NAMED("plain")) ".global .u64 table[3] = {f0, plain, deeper};\n" TABLE_KERNEL;
    harness_init(&harness, body, 32, wm_host_best_isa(), false);
    cr_assert(wm_program_variable(harness.program, "table", &table, &size));
    uint32_t *which = harness_allocate(&harness, 128), *values = harness_allocate(&harness, 128);
    values[0] = 5;
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(which), ADDRESS(values), 1);
    cr_expect_eq(values[0], on_host(0, 5));
    for (uint32_t function = 1; function <= 2; function++) {
        which[7] = function;
        HARNESS_LAUNCH(&harness, "k", 1, LANES, ADDRESS(which), ADDRESS(values), 1);
        cr_expect_eq(harness.fault.kind, WM_FAULT_UNSUPPORTED);
        cr_expect_eq(harness.fault.thread[0], 7);
        cr_expect_not_null(strstr(harness.fault.error.message,
                                  "function 'plain' cannot be executed: 'wgmma.fence"),
                           "%s", harness.fault.error.message);
    }
    harness_release(&harness);
}

// By name from the kernel it is an error of the kernel.
Test(calls, what_is_called_by_name_must_be_supported)
{
    struct wm_error error;
    harness_expect_refusal(
        FUNCTION("", "plain",
                 "wgmma.fence.sync.aligned;\n") ".visible .entry "
                                                "k() {\n.reg .b32 %x;\nmov.u32 %x, 1;\n" CALL_NAMED(
                                                    "plain") "ret;\n}\n",
        WM_UNSUPPORTED, &error);
    cr_expect_not_null(strstr(error.message, "wgmma"), "%s", error.message);
}

Test(calls, lists_of_targets)
{
    struct harness harness;
    harness_init(&harness,
                 FUNCTIONS
                 ".visible .entry k(.param .u64 o) {\n.reg .b64 %f, %o;\n.reg .b32 %x, %i;\n"
                 ".reg .pred %p;\nld.param.u64 %o, [o];\nmov.u32 %i, %tid.x;\n"
                 "setp.lt.u32 %p, %i, 10;\nmov.u64 %f, f1;\n@%p mov.u64 %f, f3;\n"
                 "mov.u32 %x, %i;\nkind: .calltargets f1, f3;\n" CALL(
                     "kind") "mad.wide.u32 %o, %i, 4, %o;\nst.global.u32 [%o], %x;\nret;\n}\n"
                             ".visible .entry wrong() {\n.reg .b64 %f;\n.reg .b32 %x;\n"
                             "mov.u64 %f, f0;\nmov.u32 %x, 0;\nkind: .calltargets f1, f3;\n" CALL(
                                 "kind") "ret;\n}\n",
                 32, wm_host_best_isa(), false);
    uint32_t *out = harness_allocate(&harness, 128);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out));
    for (uint32_t i = 0; i < 32; i++)
        cr_expect_eq(out[i], on_host(i < 10 ? 3 : 1, i));
    harness_launch(&harness, "wrong", 1, 1, NULL, 0);
    cr_expect_eq(harness.fault.kind, WM_FAULT_ILLEGAL_CALL);
    harness_release(&harness);
}

// A table of one module, whose functions are another's; and the address is one and the same.
Test(calls, through_tables_of_other_modules)
{
    struct harness harness;
    struct wm_error error;
    const char *bodies[] = {
        ".extern .global .u64 table[4];\n" TABLE_KERNEL,
        ".extern .func (.param .b32 r) f0(.param .b32 x);\n"
        ".extern .func (.param .b32 r) f1(.param .b32 x);\n"
        ".extern .func (.param .b32 r) f2(.param .b32 x);\n"
        ".extern .func (.param .b32 r) f3(.param .b32 x);\n"
        ".visible .global .u64 table[4] = {f0, f1, f2, f3};\n"
        ".visible .global .u64 again[1] = {f2};\n",
        FUNCTION(".visible", "f0", "add.u32 %x, %x, 7;\n")
            FUNCTION(".weak", "f1", "mul.lo.u32 %x, %x, 3;\n")
                FUNCTION(".visible", "f2", "xor.b32 %x, %x, 0x55;\n")
                    FUNCTION(".visible", "f3",
                             "sub.u32 %x, 1000, %x;\n") ".visible .global .u64 own = f2;\n"};
    cr_assert_eq(harness_link(&harness, bodies, 3, &error), WM_OK, "%s", error.message);
    check_table(&harness, 4, 77);
    uint64_t table, again, own, size;
    cr_assert(wm_program_variable(harness.program, "table", &table, &size));
    cr_assert(wm_program_variable(harness.program, "again", &again, &size));
    cr_assert(wm_program_variable(harness.program, "own", &own, &size));
    cr_expect_eq(((uint64_t *)(uintptr_t)table)[2], *(uint64_t *)(uintptr_t)again);
    cr_expect_eq(*(uint64_t *)(uintptr_t)own, *(uint64_t *)(uintptr_t)again);
    harness_release(&harness);
}

// ---- Parameters in registers -------------------------------------------------------------------

Test(calls, parameters_in_registers)
{
    struct harness harness;
    harness_init(&harness,
                 ".func (.reg .u32 %sum, .reg .u64 %wide) both (.reg .u32 %a, .param .b32 b, .reg "
                 ".u64 %c) {\n"
                 ".reg .u32 %t;\nld.param.u32 %t, [b];\nadd.u32 %sum, %a, %t;\n"
                 "add.u64 %wide, %c, 1;\nret;\n}\n"
                 ".func (.reg .u32 %r) choose (.reg .u32 %n) {\n.reg .pred %p;\n"
                 "mov.u32 %r, 5;\nsetp.gt.u32 %p, %n, 16;\n@%p ret;\nmov.u32 %r, %n;\n}\n"
                 ".visible .entry k(.param .u64 o) {\n.reg .u64 %o, %w;\n.reg .u32 %i, %s, %t;\n"
                 "ld.param.u64 %o, [o];\nmov.u32 %i, %tid.x;\n"
                 "call (%s, %w), both, (%i, 100, 41);\n"
                 "cvt.u32.u64 %t, %w;\nadd.u32 %s, %s, %t;\n"
                 "call (%t), choose, (%i);\nmad.lo.u32 %s, %t, 1000, %s;\n"
                 "call (_), choose, (%i);\n"
                 "mad.wide.u32 %o, %i, 4, %o;\nst.global.u32 [%o], %s;\nret;\n}\n",
                 32, wm_host_best_isa(), false);
    uint32_t *out = harness_allocate(&harness, 128);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out));
    for (uint32_t i = 0; i < 32; i++)
        cr_expect_eq(out[i], i + 100 + 42 + 1000 * (i > 16 ? 5 : i), "lane %u: %u", i, out[i]);
    harness_release(&harness);
}

Test(calls, registers_and_constants_for_param_parameters)
{
    struct harness harness;
    harness_init(&harness,
                 FUNCTIONS
                 ".visible .entry k(.param .u64 o) {\n.reg .u64 %o, %f;\n.reg .u32 %i, %s, %t;\n"
                 "ld.param.u64 %o, [o];\nmov.u32 %i, %tid.x;\n"
                 "call (%s), f1, (%i);\ncall (%t), f3, (100);\nadd.u32 %s, %s, %t;\n"
                 "mov.u64 %f, f0;\nkind: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                 "call (%s), %f, (%s), kind;\n"
                 "mad.wide.u32 %o, %i, 4, %o;\nst.global.u32 [%o], %s;\nret;\n}\n",
                 32, wm_host_best_isa(), false);
    uint32_t *out = harness_allocate(&harness, 128);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out));
    for (uint32_t i = 0; i < 32; i++)
        cr_expect_eq(out[i], 3 * i + 900 + 7);
    harness_release(&harness);
}

// ---- The stack ---------------------------------------------------------------------------------

#define DOWN                                                                             \
    ".func (.param .b32 r) down(.param .b32 n) {\n.reg .b32 %n;\n.reg .pred %p;\n"       \
    "ld.param.b32 %n, [n];\nsetp.eq.u32 %p, %n, 0;\n@%p bra out;\nsub.u32 %n, %n, 1;\n"  \
    "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %n; call (q), down, (p);\n"       \
    "ld.param.b32 %n, [q]; add.u32 %n, %n, 1; }\nout:\nst.param.b32 [r], %n;\nret;\n}\n" \
    ".visible .entry k(.param .u64 o, .param .u64 n) {\n.reg .b64 %o;\n.reg .b32 %n;\n"  \
    "ld.param.u64 %o, [o];\nld.param.u32 %n, [n];\n"                                     \
    "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %n; call (q), down, (p);\n"       \
    "ld.param.b32 %n, [q]; }\nst.global.u32 [%o], %n;\nret;\n}\n"

// Each call takes 16 bytes of the stack: the kernel's one, and as many as go on.
Test(calls, a_stack_ends_where_the_limit_says)
{
    struct harness harness;
    harness_init(&harness, DOWN, 32, wm_host_best_isa(), false);
    uint32_t *out = harness_allocate(&harness, 4);
    static const struct {
        uint64_t stack, most;
    } cases[] = {{0, 1024}, {1024, 1024}, {32768, 2048}, {UINT64_C(1) << 40, 32768}};
    cr_assert(harness_kernel(&harness, "k")->needs_stack);
    cr_expect_eq(harness_kernel(&harness, "k")->local_bytes_per_thread, 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        harness.stack_bytes = cases[i].stack;
        HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out), cases[i].most - 1);
        cr_expect_eq(*out, cases[i].most - 1);
        HARNESS_LAUNCH(&harness, "k", 1, 1, ADDRESS(out), cases[i].most);
        cr_expect_eq(harness.fault.kind, WM_FAULT_LOCAL_OUT_OF_BOUNDS);
        cr_expect_not_null(strstr(harness.fault.error.message, "too deep"));
        cr_expect_not_null(strstr(harness.fault.error.hint, "cudaLimitStackSize"));
    }
    harness_release(&harness);
}

// fill(n) allocates n × 4 bytes, calls itself for n - 1, and sums up what it wrote before the call.
#define FILL                                                                                \
    ".func (.param .b32 r) fill(.param .b32 n) {\n.reg .b32 %n, %b, %i, %s, %t;\n"          \
    ".reg .u32 %a, %at;\n.reg .pred %p;\nld.param.b32 %n, [n];\nmov.u32 %s, 0;\n"           \
    "setp.eq.u32 %p, %n, 0;\n@%p st.param.b32 [r], %s;\n@%p ret;\n"                         \
    "mul.lo.u32 %b, %n, 4;\nalloca.u32 %a, %b, 16;\nmov.u32 %i, 0;\n"                       \
    "next: shl.b32 %at, %i, 2;\nadd.u32 %at, %at, %a;\nmad.lo.u32 %t, %n, 100, %i;\n"       \
    "st.local.u32 [%at], %t;\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, %n;\n@%p bra next;\n" \
    "sub.u32 %t, %n, 1;\n"                                                                  \
    "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %t; call (q), fill, (p);\n"          \
    "ld.param.b32 %s, [q]; }\nmov.u32 %i, 0;\n"                                             \
    "sum: shl.b32 %at, %i, 2;\nadd.u32 %at, %at, %a;\nld.local.u32 %t, [%at];\n"            \
    "add.u32 %s, %s, %t;\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, %n;\n@%p bra sum;\n"      \
    "st.param.b32 [r], %s;\nret;\n}\n"

static uint32_t filled(uint32_t n)
{
    uint32_t sum = 0;
    for (; n; n--)
        for (uint32_t i = 0; i < n; i++)
            sum += n * 100 + i;
    return sum;
}

// Lanes of different depths; and a hundred calls in turn take no more than one.
Test(calls, what_a_function_allocates_goes_when_it_returns)
{
    struct harness harness;
    struct wm_random schedule;
    harness_init(&harness,
                 FILL
                 ".visible .entry k(.param .u64 o) {\n.reg .b64 %o;\n.reg .b32 %n, %s, %c, %t;\n"
                 ".reg .pred %p;\nld.param.u64 %o, [o];\nmov.u32 %n, %laneid;\nmov.u32 %c, 0;\n"
                 "mov.u32 %s, 0;\nagain:\n"
                 "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %n; call (q), fill, (p);\n"
                 "ld.param.b32 %t, [q]; }\nadd.u32 %s, %s, %t;\nadd.u32 %c, %c, 1;\n"
                 "setp.lt.u32 %p, %c, 100;\n@%p bra again;\n"
                 "mul.wide.u32 %o, %n, 4;\n{ .reg .b64 %x; ld.param.u64 %x, [o];\n"
                 "add.u64 %o, %o, %x; }\nst.global.u32 [%o], %s;\nret;\n}\n",
                 32, wm_host_best_isa(), false);
    uint32_t *out = harness_allocate(&harness, 128);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out));
    for (uint32_t i = 0; i < 32; i++)
        cr_expect_eq(out[i], 100 * filled(i), "lane %u", i);
    wm_random_init(&schedule, 3, "schedule");
    harness.schedule = &schedule;
    memset(out, 0, 128);
    HARNESS_RUN(&harness, "k", 2, 32, ADDRESS(out));
    for (uint32_t i = 0; i < 32; i++)
        cr_expect_eq(out[i], 100 * filled(i), "lane %u", i);
    harness_release(&harness);
}

Test(calls, stacksave_and_stackrestore)
{
    struct harness harness;
    harness_init(&harness,
                 ".visible .entry k(.param .u64 o) {\n.reg .b64 %o, %s, %a, %b, %c, %n;\n"
                 "ld.param.u64 %o, [o];\nmov.u64 %n, 100;\nalloca.u64 %a, %n;\nstacksave.u64 %s;\n"
                 "alloca.u64 %b, %n, 64;\nstackrestore.u64 %s;\nalloca.u64 %c, 8, 32;\n"
                 "st.global.u64 [%o], %a;\nst.global.u64 [%o+8], %b;\nst.global.u64 [%o+16], %c;\n"
                 "st.global.u64 [%o+24], %s;\nret;\n}\n",
                 32, wm_host_best_isa(), false);
    uint64_t *out = harness_allocate(&harness, 32);
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out));
    // The stack has 16 KiB and grows down: 104 bytes, then 100 at a multiple of 64.
    cr_expect_eq(out[0], 16384 - 104);
    cr_expect_eq(out[3], out[0]);
    cr_expect_eq(out[1], (16384 - 104 - 100) / 64 * 64);
    cr_expect_eq(out[2], (16384 - 104 - 8) / 32 * 32);
    harness_release(&harness);
}

Test(calls, more_than_the_stack_holds)
{
    struct harness harness;
    harness_init(&harness,
                 ".visible .entry k(.param .u64 n) {\n.reg .b64 %a, %n;\n.local .b8 own[32];\n"
                 "ld.param.u64 %n, [n];\nst.local.u8 [own], 1;\nalloca.u64 %a, %n;\nret;\n}\n"
                 ".visible .entry wrong() {\n.reg .b64 %a;\nmov.u64 %a, 0x40000;\n"
                 "stackrestore.u64 %a;\nalloca.u64 %a, 8;\nret;\n}\n",
                 32, wm_host_best_isa(), false);
    HARNESS_RUN(&harness, "k", 1, 32, 16384);
    for (int i = 0; i < 2; i++) {
        HARNESS_LAUNCH(&harness, "k", 1, 32, i ? UINT64_MAX - 7 : 16392);
        cr_expect_eq(harness.fault.kind, WM_FAULT_LOCAL_OUT_OF_BOUNDS);
        cr_expect_not_null(strstr(harness.fault.error.message, "alloca of"), "%s",
                           harness.fault.error.message);
    }
    harness_launch(&harness, "wrong", 1, 1, NULL, 0);
    cr_expect_not_null(strstr(harness.fault.error.message, "stackrestore to 0x40000"), "%s",
                       harness.fault.error.message);
    harness_release(&harness);
}

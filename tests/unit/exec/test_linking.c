// Several modules as one program (PTX ISA 11.6): what each symbol stands for, and what contradicts.
#include "exec_harness.h"

static struct wm_error why;

static void link_good(struct harness *harness, const char *const *bodies, uint32_t count)
{
    enum wm_status status = harness_link(harness, bodies, count, &why);
    cr_assert_eq(status, WM_OK, "%s", why.message);
}

// The modules contradict each other; the message holds all of `texts`.
static void expect_conflict(const char *first, const char *second, const char *const *texts)
{
    struct harness harness;
    cr_expect_eq(harness_link(&harness, (const char *[]){first, second}, 2, &why), WM_INVALID);
    for (; *texts; texts++)
        cr_expect_not_null(strstr(why.message, *texts), "'%s' is not in: %s", *texts, why.message);
    cr_expect_not_null(strstr(why.message, "first.ptx"), "%s", why.message);
    cr_expect_not_null(strstr(why.message, "second.ptx"), "%s", why.message);
    harness_release(&harness);
}

#define EXPECT_CONFLICT(first, second, ...) \
    expect_conflict((first), (second), (const char *[]){__VA_ARGS__, NULL})

// Stores the 64-bit register %v as the kernel's result.
#define KERNEL(name, body)                          \
    ".visible .entry " name "(.param .u64 o) {\n"   \
    ".reg .b64 %o, %v, %a, %b;\n.reg .b32 %r<8>;\n" \
    "ld.param.u64 %o, [o];\n" body "st.global.u64 [%o], %v;\nret;\n}\n"

static uint64_t result_of(struct harness *harness, const char *kernel)
{
    uint64_t *out = harness_allocate(harness, 8);
    HARNESS_RUN(harness, kernel, 1, 1, ADDRESS(out));
    return *out;
}

// x + its module's bias; called across modules.
#define ADDER(linkage, name, bias)                                              \
    linkage " .func (.param .b64 r) " name "(.param .b64 x) {\n"                \
            ".reg .b64 %v;\nld.param.u64 %v, [x];\nadd.u64 %v, %v, " bias ";\n" \
            "st.param.b64 [r], %v;\nret;\n}\n"
#define ADDER_DECLARED(name) ".extern .func (.param .b64 r) " name " (.param .b64 x);\n"
#define CALL_ADDER(name, argument)                                \
    "{ .param .b64 p; .param .b64 q; mov.u64 %a, " argument ";\n" \
    "st.param.b64 [p], %a; call.uni (q), " name ", (p);\n"        \
    "ld.param.b64 %v, [q]; }\n"

Test(linking, functions_of_other_modules)
{
    struct harness harness;
    link_good(
        &harness,
        (const char *[]){
            ADDER_DECLARED("add") KERNEL("k", CALL_ADDER("add", "5")),
            ADDER_DECLARED("deeper") ".visible .func (.param .b64 r) add (.param .b64 x) {\n"
                                     ".reg .b64 %v, %a;\nld.param.u64 %a, [x];\n"
                                     "{ .param .b64 p; .param .b64 q; st.param.b64 [p], %a;\n"
                                     "call (q), deeper, (p); ld.param.b64 %v, [q]; }\n"
                                     "mul.lo.u64 %v, %v, 2;\nst.param.b64 [r], %v;\nret;\n}\n",
            ADDER(".visible", "deeper", "100")},
        3);
    cr_expect_eq(result_of(&harness, "k"), 210);
    harness_release(&harness);
}

Test(linking, one_copy_of_a_variable)
{
    struct harness harness;
    uint64_t address, size;
    link_good(&harness,
              (const char *[]){".extern .global .u64 v;\n.extern .const .u64 table[];\n" KERNEL(
                                   "k", "ld.global.u64 %v, [v];\nld.const.u64 %a, [table+8];\n"
                                        "add.u64 %v, %v, %a;\n"),
                               ".visible .global .u64 v = 40;\n"
                               ".visible .const .u64 table[2] = {1, 2};\n" KERNEL(
                                   "l", "mov.u64 %v, 1000;\nst.global.u64 [v], %v;\n")},
              2);
    cr_expect_eq(result_of(&harness, "k"), 42);
    cr_assert(wm_program_variable(harness.program, "v", &address, &size));
    cr_expect_eq(size, 8);
    *(uint64_t *)(uintptr_t)address = 7;
    cr_expect_eq(result_of(&harness, "k"), 9);
    (void)result_of(&harness, "l");
    cr_expect_eq(*(uint64_t *)(uintptr_t)address, 1000);
    cr_expect_eq(result_of(&harness, "k"), 1002);
    cr_expect_eq(harness_kernel(&harness, "k")->constant_bytes, 16);
    harness_release(&harness);
}

Test(linking, addresses_in_initial_values)
{
    struct harness harness;
    link_good(
        &harness,
        (const char *[]){".extern .global .u64 there;\n.global .u64 pointers[2] = {there, "
                         "generic(there)+8};\n" KERNEL(
                             "k", "ld.global.u64 %a, [pointers+8];\nld.global.u64 %v, [%a-8];\n"
                                  "ld.global.u64 %a, [pointers];\nld.global.u64 %b, [%a];\n"
                                  "add.u64 %v, %v, %b;\n"),
                         ".visible .global .u64 there = 21;\n"},
        2);
    cr_expect_eq(result_of(&harness, "k"), 42);
    harness_release(&harness);
}

Test(linking, own_names_stay_apart)
{
    struct harness harness;
    link_good(
        &harness,
        (const char *[]){
            ".global .u64 v = 1;\n" ADDER("", "add", "10")
                KERNEL("k", CALL_ADDER("add", "0") "ld.global.u64 %a, [v];\nadd.u64 %v, %v, %a;\n"),
            ".global .u64 v = 2;\n" ADDER("", "add", "20")
                KERNEL("l", CALL_ADDER("add", "0") "ld.global.u64 %a, [v];\nadd.u64 %v, %v, %a;\n"),
            ".visible .global .u64 v = 3;\n" ADDER(".visible", "add", "30") KERNEL(
                "m", CALL_ADDER("add", "0") "ld.global.u64 %a, [v];\nadd.u64 %v, %v, %a;\n")},
        3);
    cr_expect_eq(result_of(&harness, "k"), 11);
    cr_expect_eq(result_of(&harness, "l"), 22);
    cr_expect_eq(result_of(&harness, "m"), 33);
    uint64_t address, size;
    cr_assert(wm_program_variable(harness.program, "v", &address, &size));
    cr_expect_eq(*(uint64_t *)(uintptr_t)address, 3, "the one that all modules see");
    harness_release(&harness);
}

Test(linking, strong_before_weak_and_the_first_weak)
{
    struct harness harness;
    link_good(
        &harness,
        (const char *[]){
            ADDER(".weak", "a", "1")
                ADDER(".weak", "b",
                      "10") ".weak .global .u64 w = 100;\n.weak .global .u64 x = "
                            "5;\n" KERNEL("k", CALL_ADDER("a", "0") "mov.u64 %b, %v;\n" CALL_ADDER(
                                                   "b", "%b") "ld.global.u64 %a, [w];\n"
                                                              "add.u64 %v, %v, %a;\n"),
            ADDER(".weak", "a", "2")
                ADDER(".visible", "b",
                      "20") ".weak .global .u64 w = 200;\n.visible .global .u64 x = "
                            "6;\n" KERNEL("l", CALL_ADDER("a", "0") "mov.u64 %b, %v;\n" CALL_ADDER(
                                                   "b", "%b") "ld.global.u64 %a, [w];\n"
                                                              "add.u64 %v, %v, %a;\n"
                                                              "ld.global.u64 %a, [x];\n"
                                                              "mad.lo.u64 %v, %a, 1000, %v;\n")},
        2);
    cr_expect_eq(result_of(&harness, "k"), 121);
    cr_expect_eq(result_of(&harness, "l"), 6121);
    harness_release(&harness);
}

// A template's kernel comes with every module that uses it.
Test(linking, weak_kernels)
{
    struct harness harness;
    link_good(
        &harness,
        (const char *[]){".weak .entry k(.param .u64 o) { .reg .b64 %o;\nld.param.u64 %o, [o];\n"
                         "st.global.u64 [%o], 1;\nret; }\n",
                         ".weak .entry k(.param .u64 o) { .reg .b64 %o;\nld.param.u64 %o, [o];\n"
                         "st.global.u64 [%o], 2;\nret; }\n"},
        2);
    cr_expect_eq(wm_program_kernel_count(harness.program), 1);
    cr_expect_eq(result_of(&harness, "k"), 1);
    harness_release(&harness);
}

Test(linking, the_largest_common)
{
    struct harness harness;
    uint64_t address, size;
    link_good(
        &harness,
        (const char *[]){".common .global .u64 c;\n" KERNEL("k", "ld.global.u64 %v, [c];\n"),
                         ".common .global .u64 c[4] = {8, 9};\n",
                         ".common .global .u64 c[2];\n" KERNEL("m", "ld.global.u64 %v, [c+8];\n")},
        3);
    cr_expect_eq(result_of(&harness, "k"), 8);
    cr_expect_eq(result_of(&harness, "m"), 9);
    cr_assert(wm_program_variable(harness.program, "c", &address, &size));
    cr_expect_eq(size, 32);
    harness_release(&harness);
}

Test(linking, shared_memory)
{
    struct harness harness;
    link_good(&harness,
              (const char *[]){".weak .shared .u64 s;\n.extern .shared .align 8 .b8 dynamic[];\n"
                               ".extern .func f;\n" KERNEL(
                                   "k", "mov.u64 %a, 3;\nst.shared.u64 [s], %a;\n"
                                        "st.shared.u64 [dynamic+8], %a;\ncall f;\n"
                                        "ld.shared.u64 %v, [s];\nld.shared.u64 %a, [dynamic+8];\n"
                                        "mad.lo.u64 %v, %v, 100, %a;\n"),
                               ".weak .shared .u64 s;\n.extern .shared .align 16 .b8 other[];\n"
                               ".visible .func f { .reg .b64 %v;\nld.shared.u64 %v, [s];\n"
                               "add.u64 %v, %v, 1;\nst.shared.u64 [s], %v;\n"
                               "ld.shared.u64 %v, [other+8];\nadd.u64 %v, %v, 2;\n"
                               "st.shared.u64 [other+8], %v;\nret; }\n"},
              2);
    harness.dynamic_shared = 64;
    cr_expect_eq(harness_kernel(&harness, "k")->static_shared_bytes, 8);
    cr_expect(harness_kernel(&harness, "k")->uses_dynamic_shared);
    cr_expect_eq(result_of(&harness, "k"), 405);
    harness_release(&harness);
}

// An alias is a name like others to the other modules (PTX ISA 11.6.6).
Test(linking, aliases)
{
    struct harness harness;
    link_good(
        &harness,
        (const char *[]){ADDER_DECLARED("other") KERNEL("k", CALL_ADDER("other", "4")),
                         ADDER(".visible", "add",
                               "8") ".visible .func (.param .b64 r) other (.param .b64 x);\n"
                                    ".alias other, add;\n" KERNEL("l", CALL_ADDER("other", "5"))},
        2);
    cr_expect_eq(result_of(&harness, "k"), 12);
    cr_expect_eq(result_of(&harness, "l"), 13);
    harness_release(&harness);
}

Test(linking, what_nothing_defines_refuses_its_users_alone)
{
    struct harness harness;
    const struct wm_kernel *kernel;
    link_good(&harness,
              (const char *[]){ADDER_DECLARED("nowhere") ".extern .global .u64 missing;\n" KERNEL(
                                   "good", "mov.u64 %v, 1;\n"),
                               ADDER_DECLARED("nowhere") ".extern .global .u64 missing;\n" KERNEL(
                                   "calls", CALL_ADDER("nowhere", "5"))
                                   KERNEL("loads", "ld.global.u64 %v, [missing];\n")
                                       KERNEL("takes", "mov.u64 %v, missing;\n")},
              2);
    cr_expect_eq(result_of(&harness, "good"), 1);
    cr_expect_eq(wm_program_kernel(harness.program, "calls", &kernel, &why), WM_UNSUPPORTED);
    cr_expect_not_null(strstr(why.message, "'nowhere'"), "%s", why.message);
    cr_expect_not_null(strstr(why.place, "second.ptx:"), "%s", why.place);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "takes" : "loads";
        cr_expect_eq(wm_program_kernel(harness.program, name, &kernel, &why), WM_UNSUPPORTED);
        cr_expect_not_null(strstr(why.message, "no module of the program defines 'missing'"), "%s",
                           why.message);
        cr_expect_not_null(strstr(why.place, "second.ptx:"), "%s", why.place);
    }
    harness_release(&harness);
}

Test(linking, contradictions)
{
    EXPECT_CONFLICT(".visible .global .u32 v = 1;\n", ".visible .global .u32 v = 2;\n", "'v'",
                    "defined twice");
    EXPECT_CONFLICT(ADDER(".visible", "f", "1"), ADDER(".visible", "f", "2"), "'f'",
                    "defined twice");
    EXPECT_CONFLICT(".extern .global .u32 v[2];\n", ".visible .global .u32 v[3];\n", "'v'",
                    "sizes");
    EXPECT_CONFLICT(".weak .global .u32 v[2];\n", ".weak .global .u32 v[3];\n", "'v'", "sizes");
    EXPECT_CONFLICT(".weak .global .u32 v[2];\n", ".visible .global .u32 v[3];\n", "'v'", "sizes");
    EXPECT_CONFLICT(".extern .const .u32 v;\n", ".visible .global .u32 v;\n", "'v'",
                    "state spaces");
    EXPECT_CONFLICT(ADDER_DECLARED("f"), ".visible .global .u32 f;\n", "'f'", "a function");
    EXPECT_CONFLICT(ADDER_DECLARED("f"), ".visible .func f { ret; }\n", "'f'", "parameters");
    EXPECT_CONFLICT(ADDER_DECLARED("f"),
                    ".visible .func (.param .b64 r) f(.param .b32 x) { ret; }\n", "'f'",
                    "parameters");
    EXPECT_CONFLICT(".weak .func f { ret; }\n", ADDER(".weak", "f", "1"), "'f'", "parameters");
    EXPECT_CONFLICT(".common .global .u32 v = 1;\n", ".common .global .u32 v = 1;\n", "'v'",
                    "initial value twice");
    EXPECT_CONFLICT(".common .global .u32 v = 1;\n", ".common .global .u32 v[2];\n", "'v'",
                    "no initial value");
    EXPECT_CONFLICT(".common .global .u32 v[2];\n", ".visible .global .u32 v;\n", "'v'", "sizes");
    EXPECT_CONFLICT(".visible .global .u32 v;\n", ".common .global .u32 v[2];\n", "'v'", "sizes");
}

// A fault names the module that its line is in.
Test(linking, faults_name_the_module)
{
    struct harness harness;
    link_good(&harness,
              (const char *[]){".extern .func f;\n" KERNEL("k", "call f;\nmov.u64 %v, 0;\n"),
                               ".visible .func f {\n.reg .b64 %a;\nmov.u64 %a, 16;\n"
                               "st.global.u64 [%a], %a;\nret;\n}\n"},
              2);
    uint64_t *out = harness_allocate(&harness, 8);
    HARNESS_LAUNCH(&harness, "k", 1, 1, ADDRESS(out));
    cr_expect_eq(harness.fault.kind, WM_FAULT_OUT_OF_BOUNDS);
    cr_expect_not_null(strstr(harness.fault.error.place, "kernel k, second.ptx:7"), "%s",
                       harness.fault.error.place);
    harness_release(&harness);
}

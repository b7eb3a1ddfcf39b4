// What a faulty kernel is told, and what is refused before it runs.
#include "exec_harness.h"

static struct harness harness;

static void *start(const char *body, uint64_t bytes)
{
    harness_init(&harness, body, 32, wm_host_best_isa(), false);
    return harness_allocate(&harness, bytes);
}

static void finish(void)
{
    harness_release(&harness);
}

#define KERNEL(declarations, body)                                                  \
    ".visible .entry k(.param .u64 out, .param .u64 other) {\n"                     \
    ".reg .b32 %i, %v, %w; .reg .b64 %o, %q, %a, %l; .reg .pred %p;\n" declarations \
    "ld.param.u64 %o, [out]; ld.param.u64 %l, [other]; mov.u32 %i, %tid.x;\n" body "\nret; }\n"

static void expect(enum wm_fault_kind kind, const char *part)
{
    cr_assert_eq(harness.fault.kind, kind, "kind %d, %s", (int)harness.fault.kind,
                 harness.fault.error.message);
    cr_assert(strstr(harness.fault.error.message, part), "\"%s\" not in \"%s\"", part,
              harness.fault.error.message);
}

Test(faults, an_access_past_the_end_names_the_allocation, .fini = finish)
{
    void *out = start(".file 1 \"scale.cu\"\n" KERNEL(
                          "", "mul.wide.u32 %q, %i, 4; add.u64 %a, %o, %q;\n.loc 1 12 5\n"
                              "st.global.u32 [%a], %i;"),
                      400);
    harness_allocate(&harness, 400);
    HARNESS_LAUNCH(&harness, "k", 2, 128, ADDRESS(out), 0);
    expect(WM_FAULT_OUT_OF_BOUNDS, "write of 4 bytes at 0x200000000190 out of bounds: 0 bytes past "
                                   "the end of cudaMalloc (400 bytes at 0x200000000000)");
    const struct wm_finding *fault = &harness.fault;
    cr_assert_eq(fault->thread[0], 100);
    cr_assert_eq(fault->address, ADDRESS(out) + 400);
    cr_assert_eq(fault->bytes, 4);
    cr_assert(fault->write);
    cr_assert(strstr(fault->error.place, "kernel k, test.ptx:10 (scale.cu:12), block (0,0,0), "
                                         "thread (100,0,0)"),
              "%s", fault->error.place);
    cr_assert(strstr(fault->error.excerpt, "st.global.u32"), "%s", fault->error.excerpt);
}

Test(faults, an_access_that_only_ends_outside_is_found, .fini = finish)
{
    void *out = start(KERNEL("", "ld.global.u64 %q, [%o+8];"), 12);
    HARNESS_LAUNCH(&harness, "k", 1, 1, ADDRESS(out), 0);
    expect(WM_FAULT_OUT_OF_BOUNDS, "read of 8 bytes at 0x200000000008 out of bounds: 8 bytes into");
}

Test(faults, freed_memory_is_named, .fini = finish)
{
    void *out = start(KERNEL("", "ld.global.u32 %v, [%o+16];"), 64);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    cr_assert_eq(wm_device_memory_release(harness.memory, ADDRESS(out), NULL), WM_OK);
    HARNESS_LAUNCH(&harness, "k", 1, 32, ADDRESS(out), 0);
    expect(WM_FAULT_FREED, "in freed memory: 16 bytes into freed cudaMalloc (64 bytes");
}

Test(faults, a_null_pointer_is_guessed, .fini = finish)
{
    start(KERNEL("", "atom.global.add.u32 %v, [%l+4], 1;"), 64);
    HARNESS_LAUNCH(&harness, "k", 1, 32, 0, 0);
    expect(WM_FAULT_OUT_OF_BOUNDS, "atomic access of 4 bytes at 0x4");
    cr_assert(strstr(harness.fault.error.hint, "null pointer"));
}

Test(faults, misaligned_accesses_are_found_in_each_form, .fini = finish)
{
    static const char *const bodies[] = {
        KERNEL("", "ld.global.u32 %v, [%o+2];"),
        KERNEL("", "ld.global.v2.u32 {%v,%w}, [%o+4];"),
        KERNEL(".shared .align 8 .b8 s[64];\n", "st.shared.u64 [s+4], %o;"),
        KERNEL(".local .align 8 .b8 m[64];\n", "st.local.u16 [m+3], %i;"),
        KERNEL("", "red.global.add.u32 [%o+1], 1;"),
    };
    for (size_t b = 0; b < sizeof(bodies) / sizeof(bodies[0]); b++) {
        if (b > 0)
            finish();
        void *out = start(bodies[b], 64);
        HARNESS_LAUNCH(&harness, "k", 1, 32, ADDRESS(out), 0);
        expect(WM_FAULT_MISALIGNED, "misaligned");
    }
}

Test(faults, shared_and_local_memory_have_ends, .fini = finish)
{
    start(KERNEL(
              ".shared .align 4 .b8 s[64];\n",
              "mul.wide.u32 %q, %i, 4; mov.u64 %a, s; add.u64 %a, %a, %q; st.shared.u32 [%a], %i;"),
          64);
    HARNESS_LAUNCH(&harness, "k", 1, 32, 0, 0);
    expect(WM_FAULT_SHARED_OUT_OF_BOUNDS, "at 0x40 beyond the block's 64 bytes");
    cr_assert_eq(harness.fault.thread[0], 16);
    finish();
    start(
        KERNEL(".local .align 4 .b8 m[64];\n",
               "mul.wide.u32 %q, %i, 4; mov.u64 %a, m; add.u64 %a, %a, %q; ld.local.u32 %v, [%a];"),
        64);
    HARNESS_LAUNCH(&harness, "k", 1, 32, 0, 0);
    expect(WM_FAULT_LOCAL_OUT_OF_BOUNDS, "beyond the thread's 64 bytes of local memory");
}

Test(faults, generic_windows_have_ends_too, .fini = finish)
{
    start(KERNEL(".shared .align 4 .b8 s[64];\n",
                 "mov.u64 %a, s; cvta.shared.u64 %a, %a; ld.u32 %v, [%a+64];"),
          64);
    HARNESS_LAUNCH(&harness, "k", 1, 32, 0, 0);
    expect(WM_FAULT_SHARED_OUT_OF_BOUNDS, "at 0x40");
}

Test(faults, a_trap_is_found_only_when_reached, .fini = finish)
{
    start(KERNEL("", "setp.eq.u32 %p, %i, 40; @%p trap;"), 64);
    HARNESS_RUN(&harness, "k", 1, 40, 0, 0);
    HARNESS_LAUNCH(&harness, "k", 1, 64, 0, 0);
    expect(WM_FAULT_TRAP, "trap");
    cr_assert_eq(harness.fault.thread[0], 40);
}

Test(faults, a_breakpoint_is_one_too, .fini = finish)
{
    start(KERNEL("", "setp.eq.u32 %p, %i, 40; @%p brkpt;"), 64);
    HARNESS_RUN(&harness, "k", 1, 40, 0, 0);
    HARNESS_LAUNCH(&harness, "k", 1, 64, 0, 0);
    expect(WM_FAULT_TRAP, "a trap instruction");
}

Test(faults, a_failed_assertion_is_told_in_the_program_s_words, .fini = finish)
{
    start(".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,\n"
          ".param .b64 e);\n"
          ".global .align 1 .b8 m[6] = {120, 32, 62, 32, 49, 0};\n"
          ".global .align 1 .b8 f[5] = {97, 46, 99, 117, 0};\n" KERNEL(
              "",
              "setp.lt.u32 %p, %i, 33; @%p bra D; mov.u64 %a, m; mov.u64 %q, f;\n"
              "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
              "st.param.b64 [a], %a; st.param.b64 [b], %q; st.param.b32 [c], 77;\n"
              "st.param.b64 [d], %q; st.param.b64 [e], 1; call __assertfail, (a, b, c, d, e); }\n"
              "trap;\nD: ret;"),
          64);
    HARNESS_LAUNCH(&harness, "k", 1, 64, 0, 0);
    expect(WM_FAULT_ASSERT, "a.cu:77: a.cu: assertion `x > 1` failed");
    cr_assert_eq(harness.fault.thread[0], 33);
}

Test(faults, a_partly_wrong_warp_keeps_the_lanes_that_do_not_take_part, .fini = finish)
{
    uint32_t *out = start(KERNEL("", "mul.wide.u32 %q, %i, 64; add.u64 %a, %o, %q;\n"
                                     "setp.lt.u32 %p, %i, 4; @%p st.global.u32 [%a], %i;"),
                          256);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 4; i++)
        cr_assert_eq(out[16 * i], i);
}

// --- refusals ---

static void refuse(const char *body, enum wm_status status, const char *part, const char *place)
{
    struct wm_error error;
    harness_expect_refusal(body, status, &error);
    cr_assert(strstr(error.message, part), "\"%s\" not in \"%s\"", part, error.message);
    cr_assert(strstr(error.place, place), "\"%s\" not in \"%s\"", place, error.place);
}

Test(faults, unsupported_instructions_refuse_their_kernel_alone)
{
    static const char bad[] = ".visible .entry k() { .reg .f32 %f<9>; .reg .b32 %r<9>;\n"
                              "fetch.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%f4,%f5}];\nret; }\n"
                              ".visible .entry good() { ret; }\n";
    refuse(bad, WM_UNSUPPORTED, "not supported yet", "test.ptx:5:");
    struct harness own;
    harness_init(&own, bad, 32, WM_HOST_C, false);
    harness_run(&own, "good", 1, 1, NULL, 0);
    cr_assert_eq(wm_program_kernel_count(own.program), 2);
    cr_assert_str_eq(wm_program_kernel_name(own.program, 1), "good");
    harness_release(&own);
}

Test(faults, calls_of_what_is_not_there_are_refused)
{
    refuse(".extern .func (.param .b32 r) vfprintf(.param .b64 a, .param .b64 b);\n"
           ".visible .entry k() { .param .b64 a; .param .b64 b; .param .b32 r;\n"
           "call (r), vfprintf, (a, b); ret; }\n",
           WM_UNSUPPORTED, "vfprintf", "test.ptx:6");
    // What the runtime has, otherwise than it has it.
    refuse(".extern .func (.param .b32 r) vprintf(.param .b64 a);\n"
           ".visible .entry k() { .param .b64 a; .param .b32 r;\n"
           "call (r), vprintf, (a); ret; }\n",
           WM_INVALID, "vprintf takes 2 arguments and returns 1", "test.ptx:6");
    refuse(".extern .func (.param .b32 r) malloc(.param .b64 a);\n"
           ".visible .entry k() { .param .b64 a; .param .b32 r;\n"
           "call (r), malloc, (a); ret; }\n",
           WM_INVALID, "'r' has the wrong size for malloc", "test.ptx:6");
    refuse(".visible .entry k() { ret; }\n.visible .entry k2() { ret; }", WM_OK, "", "");
}

Test(faults, wrong_operands_are_refused)
{
    refuse(".visible .entry k() { .reg .b32 %r<3>; .reg .b64 %d<2>;\n"
           "add.u64 %d0, %d1, %r0; ret; }\n",
           WM_INVALID, "%r0", "test.ptx:5");
    refuse(".const .b32 c;\n.visible .entry k() {\nst.const.u32 [c], 1; ret; }\n", WM_INVALID,
           "constant memory", "test.ptx:6");
    refuse(".func f(.param .b64 x) { ret; }\n.visible .entry k() { .param .b32 y;\n"
           "call f, (y); ret; }\n",
           WM_INVALID, "has 4 bytes, the parameter 8", "test.ptx:6");
    refuse(".visible .entry k() { .reg .b32 %r<3>;\nadd.u32 5, %r1, %r0; ret; }\n", WM_INVALID,
           "not a register", "test.ptx:5");
}

Test(faults, launches_are_checked, .fini = finish)
{
    start(".visible .entry k(.param .u64 p) .maxntid 64, 1, 1 { ret; }\n"
          ".visible .entry v() { .reg .b32 %r; vote.sync.ballot.b32 %r, 1, -1; ret; }\n",
          64);
    struct wm_error error;
    struct wm_grid *grid;
    struct wm_launch launch = {.kernel = harness_kernel(&harness, "k"),
                               .grid = {1, 1, 1},
                               .block = {65, 1, 1},
                               .parameters = "12345678",
                               .parameter_bytes = 8};
    cr_assert_eq(wm_grid_new(&launch, harness.memory, &grid, &error), WM_INVALID);
    cr_assert(strstr(error.message, "65 threads"));
    launch.block[0] = 0;
    cr_assert_eq(wm_grid_new(&launch, harness.memory, &grid, &error), WM_INVALID);
    launch.block[0] = 1;
    launch.grid[2] = 0;
    cr_assert_eq(wm_grid_new(&launch, harness.memory, &grid, &error), WM_INVALID);
    launch.grid[2] = 1;
    launch.parameter_bytes = 4;
    cr_assert_eq(wm_grid_new(&launch, harness.memory, &grid, &error), WM_INVALID);
    launch.parameter_bytes = 8;
    launch.block[0] = 1024;
    launch.block[1] = 2;
    cr_assert_eq(wm_grid_new(&launch, harness.memory, &grid, &error), WM_INVALID);
}

Test(faults, warp_primitives_refuse_wavefronts_of_64)
{
    struct harness own;
    struct wm_error error;
    struct wm_grid *grid;
    harness_init(&own,
                 ".visible .entry v() { .reg .b32 %r; .reg .pred %p;\n"
                 "vote.sync.ballot.b32 %r, %p, -1; ret; }\n",
                 64, WM_HOST_C, false);
    struct wm_launch launch = {
        .kernel = harness_kernel(&own, "v"), .grid = {1, 1, 1}, .block = {64, 1, 1}};
    cr_assert_eq(wm_grid_new(&launch, own.memory, &grid, &error), WM_UNSUPPORTED);
    cr_assert(strstr(error.message, "vote"), "%s", error.message);
    harness_release(&own);
}

// The lane kernels take what they are given: one operand too many once read past the third.
Test(faults, operands_are_counted)
{
    static const struct {
        const char *instruction, *message;
    } wrong[] = {
        {"add.s32 %r0, %r1", "2 operands, where this instruction has 3"},
        {"add.s32 %r0, %r1, %r2, %r3", "4 operands, where this instruction has 3"},
        {"neg.s32 %r0, %r1, %r2", "3 operands, where this instruction has 2"},
        {"fma.rn.f32 %f0, %f1, %f2", "3 operands, where this instruction has 4"},
        {"fma.rn.ftz.f32 %f0, %f1, %f2, %f3, 0xE8", "5 operands, where this instruction has 4"},
        {"bfi.b32 %r0, %r1, %r2, %r3", "4 operands, where this instruction has 5"},
        {"max.s32 %r0, %r1, %r2, %r3", "4 operands, where this instruction has 3"},
        {"cvt.rn.f32.s32 %f0, %r1, %r2", "3 operands, where this instruction has 2"},
        {"setp.lt.s32 %p0, %r1, %r2, %p1", "4 operands, where this instruction has 3"},
        {"setp.lt.and.s32 %p0, %r1, %r2", "3 operands, where this instruction has 4"},
        {"setp.lt.and.s32 %p0|%p1, %r1, %r2", "3 operands, where this instruction has 4"},
        {"selp.b32 %r0, %r1, %r2", "3 operands, where this instruction has 4"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct wm_text text;
        wm_text_init(&text);
        wm_text_format(
            &text,
            ".visible .entry k() { .reg .f32 %%f<9>; .reg .b32 %%r<9>; .reg .pred %%p<3>;\n"
            "%s;\nret; }\n",
            wrong[i].instruction);
        char *body = wm_text_take(&text);
        refuse(body, WM_INVALID, wrong[i].message, "test.ptx:5:");
        free(body);
    }
}

// Its destination was looked for before its operands were counted.
Test(faults, a_barrier_reduction_without_operands_is_refused)
{
    refuse(".visible .entry k() {\n.reg .pred %p;\nbar.red.or.pred;\nret; }\n", WM_UNSUPPORTED,
           "not supported yet", "test.ptx:6:");
}

// Two floats become the halves of one register, the first the upper (PTX ISA 9.7.9.21).
Test(faults, cvt_packs_two_sources)
{
    struct harness own;
    harness_init(
        &own,
        ".visible .entry k(.param .u64 out) { .reg .b64 %o; .reg .f32 %f<9>; .reg .b32 %r<9>;\n"
        "ld.param.u64 %o, [out]; ld.global.v2.f32 {%f0, %f1}, [%o];\n"
        "cvt.rn.f16x2.f32 %r0, %f0, %f1; st.global.b32 [%o+8], %r0; ret; }\n",
        32, WM_HOST_C, false);
    uint32_t *out = harness_allocate(&own, 16);
    const float values[2] = {1.0f, -2.0f};
    memcpy(out, values, sizeof values);
    HARNESS_RUN(&own, "k", 1, 1, ADDRESS(out));
    cr_assert_eq(out[2], 0x3C00C000, "%08x", out[2]);
    harness_release(&own);
}

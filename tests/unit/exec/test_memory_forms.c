// Loads and stores of every type, space and vector length; addresses of all kinds; what the sink
// is told.
#include "exec/memory/spaces.h"
#include "exec_harness.h"

static struct harness harness;

enum { MOST_ACCESSES = 64 };

static struct {
    struct wm_warp_access accesses[MOST_ACCESSES];
    uint64_t addresses[MOST_ACCESSES][WM_MAX_LANES];
    uint32_t count;
} seen;

static void see(void *context, const struct wm_warp_access *access)
{
    (void)context;
    cr_assert_lt(seen.count, MOST_ACCESSES);
    memcpy(seen.addresses[seen.count], access->addresses, access->lanes * sizeof(uint64_t));
    seen.accesses[seen.count++] = *access;
}

static uint32_t *start(const char *body, unsigned width)
{
    harness_init(&harness, body, width, wm_host_best_isa(), false);
    harness.sink.access = see;
    seen.count = 0;
    return harness_allocate(&harness, 1 << 16);
}

static void finish(void)
{
    harness_release(&harness);
}

#define REGISTERS                                                                        \
    ".reg .b16 %h<4>; .reg .b32 %i, %n, %v<8>, %w, %x; .reg .b64 %o, %q, %l, %a, %d<8>;" \
    ".reg .pred %p; .reg .f32 %f<4>; .reg .f64 %g<4>;\n"
#define KERNEL(declarations, body)                                                     \
    ".visible .entry k(.param .u64 out, .param .u64 other) {\n" REGISTERS declarations \
    "ld.param.u64 %o, [out]; ld.param.u64 %l, [other]; mov.u32 %i, %tid.x;\n" body "ret;\n}\n"

// --- types and spaces ---

struct form {
    const char *type;
    unsigned bytes;
    bool is_signed;
};

static const struct form forms[] = {
    {"b8", 1, false},  {"u8", 1, false},  {"s8", 1, true},   {"b16", 2, false}, {"u16", 2, false},
    {"s16", 2, true},  {"b32", 4, false}, {"u32", 4, false}, {"s32", 4, true},  {"f32", 4, false},
    {"b64", 8, false}, {"u64", 8, false}, {"s64", 8, true},  {"f64", 8, false},
};

static uint64_t reference_load(const struct form *form, uint64_t stored, unsigned register_bytes)
{
    unsigned shift = 64 - 8 * form->bytes;
    uint64_t value = form->is_signed ? (uint64_t)((int64_t)(stored << shift) >> shift)
                                     : stored << shift >> shift;
    return register_bytes == 8 ? value : (uint32_t)value;
}

static uint64_t pattern(uint32_t thread)
{
    return UINT64_C(0x8182838485868788) * (thread + 1) ^ UINT64_C(0xF0E0D0C0B0A09080);
}

// Stores each thread's pattern and loads it back through a register of 4 or 8 bytes.
static char *round_trip_source(const struct form *form, const char *space, unsigned register_bytes,
                               const char *address)
{
    struct wm_text text;
    bool wide = register_bytes == 8;
    bool is_float = form->type[0] == 'f';
    const char *reg = !is_float ? (wide ? "%d1" : "%v1") : wide ? "%g1" : "%f1";
    const char *source = !is_float ? (wide ? "%d0" : "%v0") : wide ? "%g0" : "%f0";
    wm_text_init(&text);
    wm_text_add(&text, ".shared .align 16 .b8 area[2048]; .global .align 16 .b8 room[2048];\n");
    wm_text_add(&text, ".visible .entry k(.param .u64 out, .param .u64 other) {\n" REGISTERS
                       ".local .align 16 .b8 mine[64];\n ld.param.u64 %o, [out];\n"
                       "mov.u32 %i, %tid.x; mul.wide.u32 %q, %i, 8; add.u64 %l, %o, %q;\n"
                       "ld.global.u64 %d0, [%l]; cvt.u32.u64 %v0, %d0;\n"
                       "mov.b32 %f0, %v0; mov.b64 %g0, %d0; mov.b64 %d1, -1;\n");
    wm_text_add(&text, address);
    wm_text_format(&text, "st%s.%s [%%a+8], %s; ld%s.%s %s, [%%a+8];\n", space, form->type, source,
                   space, form->type, reg);
    if (is_float)
        wm_text_add(&text, wide ? "mov.b64 %d1, %g1;\n" : "mov.b32 %v1, %f1;\n");
    if (!wide)
        wm_text_add(&text, "cvt.u64.u32 %d1, %v1;\n");
    wm_text_add(&text, "st.global.u64 [%l+4096], %d1; ret; }\n");
    return wm_text_take(&text);
}

static void check_round_trip(const struct form *form, const char *space, unsigned register_bytes,
                             const char *address, unsigned width)
{
    enum { THREADS = 100 };
    char *source = round_trip_source(form, space, register_bytes, address);
    uint64_t *out = (uint64_t *)(void *)start(source, width);
    free(source);
    for (uint32_t i = 0; i < THREADS; i++)
        out[i] = pattern(i);
    HARNESS_RUN(&harness, "k", 1, THREADS, ADDRESS(out), 0);
    for (uint32_t i = 0; i < THREADS; i++)
        cr_assert_eq(out[512 + i], reference_load(form, pattern(i), register_bytes),
                     "%s%s through %u bytes: %llx from %llx", space, form->type, register_bytes,
                     (unsigned long long)out[512 + i], (unsigned long long)pattern(i));
    finish();
}

#define THREAD_OFFSET "mul.wide.u32 %q, %i, 16; add.u64 %a, %a, %q;\n"
#define LOCAL_ADDRESS \
    "and.b32 %w, %i, 3; mul.wide.u32 %q, %w, 8; mov.u64 %a, mine; add.u64 %a, %a, %q;\n"

static const struct {
    const char *space, *address;
} places[] = {
    {".global", "mov.u64 %a, room;\n" THREAD_OFFSET},
    {".shared", "mov.u64 %a, area;\n" THREAD_OFFSET},
    {".local", LOCAL_ADDRESS},
    {"", "cvta.global.u64 %a, room;\n" THREAD_OFFSET},
    {"", "cvta.shared.u64 %a, area;\n" THREAD_OFFSET},
    {"", LOCAL_ADDRESS "cvta.local.u64 %a, %a;\n"},
};

Test(memory_forms, every_type_in_every_space)
{
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
        for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++)
            for (unsigned bytes = 4; bytes <= 8; bytes += 4)
                if (forms[f].bytes <= bytes && (forms[f].type[0] != 'f' || forms[f].bytes == bytes))
                    check_round_trip(&forms[f], places[p].space, bytes, places[p].address,
                                     f % 2 ? 64 : 32);
}

Test(memory_forms, a_16_bit_register_takes_a_sign_extended_byte, .fini = finish)
{
    uint32_t *out = start(KERNEL("", "ld.global.s8 %h0, [%o]; mov.b32 %v0, {%h0, %h0};\n"
                                     "st.global.u32 [%o+4], %v0;"),
                          32);
    out[0] = 0x80;
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out), 0);
    cr_assert_eq(out[1], 0xFF80FF80);
}

Test(memory_forms, conversions_fill_wider_registers, .fini = finish)
{
    uint32_t *out =
        start(KERNEL("", "ld.global.u32 %v0, [%o]; cvt.s8.s32 %v1, %v0; cvt.u8.u32 %v2, %v0;\n"
                         "cvt.s16.s32 %v3, %v0; cvt.s8.s32 %d0, %v0; cvt.u16.u32 %d1, %v0;\n"
                         "cvt.s32.s32 %d2, %v0; cvt.u32.u64 %d2, %d2;\n"
                         "st.global.v2.u32 [%o+8], {%v1, %v2}; st.global.u32 [%o+16], %v3;\n"
                         "st.global.u64 [%o+24], %d0; st.global.u64 [%o+32], %d1;\n"
                         "st.global.u64 [%o+40], %d2;"),
              32);
    out[0] = 0xFFFF8182;
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out), 0);
    cr_assert_eq(out[2], 0xFFFFFF82);
    cr_assert_eq(out[3], 0x82);
    cr_assert_eq(out[4], 0xFFFF8182);
    const uint64_t *wide = (const uint64_t *)(const void *)out;
    cr_assert_eq(wide[3], UINT64_C(0xFFFFFFFFFFFFFF82));
    cr_assert_eq(wide[4], 0x8182);
    cr_assert_eq(wide[5], 0xFFFF8182);
}

Test(memory_forms, vectors_move_whole, .fini = finish)
{
    uint32_t *out = start(
        KERNEL(".shared .align 16 .b8 s[1024]; .local .align 16 .b8 m[32];\n",
               "mul.wide.u32 %q, %i, 16; add.u64 %a, %o, %q; ld.global.v4.u32 {%v0,%v1,%v2,%v3}, "
               "[%a];\n"
               "mov.u64 %d0, s; add.u64 %d0, %d0, %q; st.shared.v4.b32 [%d0], {%v3,%v2,%v1,%v0};\n"
               "ld.shared.v2.u64 {%d1,%d2}, [%d0]; st.local.v2.b64 [m+16], {%d2,%d1};\n"
               "ld.local.v4.u32 {%v0,_,%v2,%v3}, [m+16]; st.global.v4.u32 [%a+512], "
               "{%v0,7,%v2,%v3};\n"),
        32);
    for (uint32_t i = 0; i < 128; i++)
        out[i] = i * 3 + 1;
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t *in = out + 4 * i, *result = out + 128 + 4 * i;
        cr_assert_eq(result[0], in[1]);
        cr_assert_eq(result[1], 7);
        cr_assert_eq(result[2], in[3]);
        cr_assert_eq(result[3], in[2]);
    }
}

Test(memory_forms, a_load_may_overwrite_its_own_address, .fini = finish)
{
    uint64_t *out = (uint64_t *)(void *)start(
        KERNEL("", "mul.wide.u32 %q, %i, 8; add.u64 %a, %o, %q; ld.global.u64 %a, [%a];\n"
                   "ld.global.v2.u64 {%a, %d0}, [%a]; add.u64 %d0, %d0, %a; add.u64 %q, %o, %q;\n"
                   "st.global.u64 [%q+1024], %d0;"),
        64);
    for (uint64_t i = 0; i < 64; i++)
        out[i] = ADDRESS(&out[200 + 2 * (i ^ 5)]);
    for (uint64_t i = 0; i < 128; i++)
        out[200 + i] = 1000 * i;
    HARNESS_RUN(&harness, "k", 1, 64, ADDRESS(out), 0);
    for (uint64_t i = 0; i < 64; i++)
        cr_assert_eq(out[128 + i], 4000 * (i ^ 5) + 1000);
    cr_assert_eq(seen.addresses[0][3], ADDRESS(&out[3]), "the report keeps the address");
    cr_assert_eq(seen.addresses[1][3], ADDRESS(&out[200 + 2 * (3 ^ 5)]));
}

// --- addresses ---

Test(memory_forms, one_instruction_may_touch_three_spaces, .fini = finish)
{
    uint32_t *out = start(
        ".shared .align 4 .b8 s[128];\n" KERNEL(
            ".local .align 4 .b8 m[8];\n",
            "mul.wide.u32 %q, %i, 4; add.u64 %d0, %o, %q; mov.u64 %d1, s; add.u64 %d1, %d1, %q;\n"
            "cvta.shared.u64 %d1, %d1; mov.u64 %d2, m; cvta.local.u64 %d2, %d2;\n"
            "rem.u32 %v0, %i, 3; setp.eq.u32 %p, %v0, 0; selp.b64 %a, %d0, %d1, %p;\n"
            "setp.eq.u32 %p, %v0, 2; selp.b64 %a, %d2, %a, %p; st.u32 [%a+4], %i; ld.u32 %v1, "
            "[%a+4];\n"
            "isspacep.shared %p, %a; selp.u32 %v2, 1, 0, %p; isspacep.local %p, %a;\n"
            "@%p mov.u32 %v2, 2; isspacep.global %p, %a; @%p mov.u32 %v2, 3;\n"
            "mad.lo.u32 %v1, %v2, 100, %v1; st.global.u32 [%d0+256], %v1;"),
        32);
    HARNESS_RUN(&harness, "k", 1, 31, ADDRESS(out), 0);
    for (uint32_t i = 0; i < 31; i++)
        cr_assert_eq(out[64 + i], (i % 3 == 0 ? 300 : i % 3 == 1 ? 100 : 200) + i);
    cr_assert_eq(seen.count, 7);
    uint64_t thirds = 0x49249249;
    static const enum wm_address_space order[] = {WM_SPACE_GLOBAL, WM_SPACE_SHARED, WM_SPACE_LOCAL};
    for (uint32_t a = 0; a < 6; a++) {
        cr_assert_eq(seen.accesses[a].space, order[a % 3]);
        cr_assert_eq(seen.accesses[a].active, thirds << (a % 3) & 0x7FFFFFFF);
        cr_assert_eq(seen.accesses[a].kind, a < 3 ? WM_ACCESS_STORE : WM_ACCESS_LOAD);
    }
    cr_assert_eq(seen.addresses[1][4], 16 + 4, "shared addresses are offsets");
}

Test(memory_forms, cvta_goes_both_ways, .fini = finish)
{
    uint64_t *out = (uint64_t *)(void *)start(
        ".shared .align 4 .b8 first[64]; .shared .align 4 .b8 s[128];\n" KERNEL(
            ".local .align 4 .b8 m[8];\n",
            "mov.u32 %w, first; mov.u64 %d0, s; cvta.shared.u64 %d1, %d0; cvta.to.shared.u64 %d2, "
            "%d1;\n"
            "mov.u64 %d3, m; cvta.local.u64 %d4, %d3; cvta.to.local.u64 %d5, %d4;\n"
            "st.global.u64 [%o], %d0; st.global.u64 [%o+8], %d1; st.global.u64 [%o+16], %d2;\n"
            "st.global.u64 [%o+24], %d4; st.global.u64 [%o+32], %d5;\n"),
        32);
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out), 0);
    cr_assert_eq(out[0], 64);
    cr_assert_eq(out[1], WM_SHARED_WINDOW + 64);
    cr_assert_eq(out[2], 64);
    cr_assert_eq(out[3], WM_LOCAL_WINDOW);
    cr_assert_eq(out[4], 0);
}

Test(memory_forms, dynamic_shared_memory_follows_the_static, .fini = finish)
{
    uint32_t *out = start(".extern .shared .align 16 .b8 dynamic[];\n" KERNEL(
                              ".shared .align 4 .b8 fixed[20];\n",
                              "mov.u32 %w, fixed; mov.u32 %x, dynamic; st.global.u32 [%o], %w; "
                              "st.global.u32 [%o+4], %x;\n"
                              "mov.u32 %v0, %dynamic_smem_size; st.global.u32 [%o+8], %v0;\n"
                              "mov.u32 %v0, %total_smem_size; st.global.u32 [%o+12], %v0;\n"
                              "st.shared.u32 [dynamic+60], 5; ld.shared.u32 %v0, [%x+60]; "
                              "st.global.u32 [%o+16], %v0;"),
                          32);
    harness.dynamic_shared = 64;
    const struct wm_kernel *kernel = harness_kernel(&harness, "k");
    cr_assert_eq(kernel->static_shared_bytes, 20);
    cr_assert(kernel->uses_dynamic_shared);
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out), 0);
    cr_assert_eq(out[0], 0);
    cr_assert_eq(out[1], 32);
    cr_assert_eq(out[2], 64);
    cr_assert_eq(out[3], 256, "96 bytes are one unit of sm_75");
    cr_assert_eq(out[4], 5);
}

// A kernel that asks for it has 1 KiB more of shared memory, behind its own.
Test(memory_forms, the_systems_shared_memory_follows_the_dynamic, .fini = finish)
{
    uint32_t *out = start(KERNEL(".shared .align 4 .b8 fixed[20];\n",
                                 "mov.u32 %w, fixed; mov.u32 %x, %reserved_smem_offset_1;\n"
                                 "st.shared.u32 [%w], 3; st.shared.u32 [%w+92], 4;\n"
                                 "st.shared.u32 [%x], 5; st.shared.u32 [%x+508], 6;\n"
                                 "ld.shared.u32 %v0, [%w]; st.global.u32 [%o], %v0;\n"
                                 "ld.shared.u32 %v0, [%w+92]; st.global.u32 [%o+4], %v0;\n"
                                 "ld.shared.u32 %v0, [%x+508]; st.global.u32 [%o+8], %v0;\n"
                                 "mov.u32 %v0, %total_smem_size; st.global.u32 [%o+12], %v0;\n"
                                 "mov.u32 %v0, %aggr_smem_size; st.global.u32 [%o+16], %v0;\n"
                                 "st.global.u32 [%o+20], %x;"),
                          32);
    harness.dynamic_shared = 64;
    cr_assert_eq(harness_kernel(&harness, "k")->static_shared_bytes, 20);
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out), 0);
    static const uint32_t wanted[] = {3, 4, 6, 256, 256 + 1024, 128 + 512};
    for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        cr_expect_eq(out[i], wanted[i], "%u: %u", i, out[i]);
}

Test(memory_forms, parameters_are_laid_out_as_a_struct, .fini = finish)
{
    uint32_t *out =
        start(".visible .entry k(.param .u64 out, .param .u8 c, .param .u16 s, .param .align 16 "
              ".b8 t[24],\n"
              ".param .f64 g) {\n" REGISTERS "ld.param.u64 %o, [out]; ld.param.s8 %v0, [c]; "
              "ld.param.u16 %h0, [s]; cvt.u32.u16 %v1, %h0;\n"
              "mov.b64 %a, t; ld.param.u32 %v2, [%a+4]; ld.param.v2.u32 {%v3, %v4}, [t+16];\n"
              "ld.param.f64 %g0, [g]; cvt.rn.f32.f64 %f0, %g0; st.global.f32 [%o+20], %f0;\n"
              "st.global.v2.u32 [%o], {%v0, %v1}; st.global.u32 [%o+8], %v2; st.global.v2.u32 "
              "[%o+24], {%v3, %v4};\n"
              "ret; }\n",
              32);
    struct {
        uint64_t out;
        signed char c;
        uint16_t s;
        uint32_t t[6] __attribute__((aligned(16)));
        double g;
    } parameters = {ADDRESS(out), -2, 65535, {1, 2, 3, 4, 5, 6}, 2.5};
    const struct wm_kernel *kernel = harness_kernel(&harness, "k");
    cr_assert_eq(kernel->parameter_count, 5);
    cr_assert_eq(kernel->parameters[3].offset, 16);
    cr_assert_eq(kernel->parameters[4].offset, 40);
    cr_assert_eq(kernel->parameter_bytes, 48);
    harness_run(&harness, "k", 1, 1, (const uint64_t *)(const void *)&parameters, 6);
    const uint32_t expected[] = {0xFFFFFFFE, 65535, 2, 0, 0, 0x40200000, 5, 6};
    for (int i = 0; i < 8; i++)
        cr_assert(i == 3 || i == 4 || out[i] == expected[i], "word %d: %x", i, out[i]);
}

// --- what the sink is told ---

Test(memory_forms, cache_operators_become_hints, .fini = finish)
{
    uint32_t *out = start(
        KERNEL(
            "",
            "ld.global.u32 %v0, [%o]; ld.global.ca.u32 %v0, [%o]; ld.global.cg.u32 %v0, [%o];\n"
            "ld.global.cs.u32 %v0, [%o]; ld.global.lu.u32 %v0, [%o]; ld.global.cv.u32 %v0, [%o];\n"
            "ld.volatile.global.u32 %v0, [%o]; ld.global.nc.u32 %v0, [%o];\n"
            "ld.relaxed.gpu.global.u32 %v0, [%o]; ld.acquire.cta.global.u32 %v0, [%o];\n"
            "ld.global.L1::no_allocate.u32 %v0, [%o]; st.global.wt.u32 [%o], 1;\n"
            "st.global.wb.u32 [%o], 1; st.global.cs.u32 [%o], 1;\n"
            "ld.global.ca.nc.u32 %v0, [%o]; ld.global.cg.nc.u32 %v0, [%o];\n"),
        32);
    static const enum wm_cache_hint hints[] = {
        WM_HINT_DEFAULT,  WM_HINT_DEFAULT,   WM_HINT_L2_ONLY,   WM_HINT_STREAMING,
        WM_HINT_LAST_USE, WM_HINT_VOLATILE,  WM_HINT_VOLATILE,  WM_HINT_READ_ONLY,
        WM_HINT_L2_ONLY,  WM_HINT_DEFAULT,   WM_HINT_NO_L1,     WM_HINT_VOLATILE,
        WM_HINT_DEFAULT,  WM_HINT_STREAMING, WM_HINT_READ_ONLY, WM_HINT_L2_ONLY};
    HARNESS_RUN(&harness, "k", 1, 7, ADDRESS(out), 0);
    cr_assert_eq(seen.count, sizeof(hints) / sizeof(hints[0]));
    for (uint32_t a = 0; a < seen.count; a++) {
        cr_assert_eq(seen.accesses[a].hint, hints[a], "access %u", a);
        cr_assert_eq(seen.accesses[a].active, 0x7F);
        cr_assert_eq(seen.accesses[a].lanes, 32);
    }
}

Test(memory_forms, reports_name_the_instruction_and_the_bytes, .fini = finish)
{
    uint32_t *out = start(
        ".const .align 4 .b32 c[8] = {5, 6, 7, 8};\n"
        ".file 1 \"source.cu\"\n" KERNEL(
            "",
            ".loc 1 42 3\n mul.wide.u32 %q, %i, 8; add.u64 %a, %o, %q; st.global.v2.u32 [%a+8], "
            "{%i, %i};\n"
            "ld.const.u32 %v0, [c+4]; @%p ld.global.u32 %v0, [%o]; red.global.add.u32 [%o], 1;\n"
            "atom.global.add.u32 %v1, [%o], 1; atom.global.add.u32 _, [%o], 1;\n"),
        32);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out), 0);
    const struct wm_kernel *kernel = harness_kernel(&harness, "k");
    cr_assert_eq(seen.count, 5, "an access by no lane is none");
    cr_assert_eq(seen.accesses[0].bytes_per_lane, 8);
    cr_assert_eq(seen.addresses[0][5], ADDRESS(out) + 48);
    const struct wm_kernel_instruction *at = &kernel->instructions[seen.accesses[0].pc];
    cr_assert_eq(at->instruction->opcode, WM_PTX_OP_st);
    cr_assert_str_eq(at->source_file, "source.cu");
    cr_assert_eq(at->source_line, 42);
    cr_assert(at->is_memory);
    cr_assert_eq(seen.accesses[1].space, WM_SPACE_CONSTANT);
    cr_assert_eq(seen.accesses[2].kind, WM_ACCESS_REDUCTION);
    cr_assert_eq(seen.accesses[3].kind, WM_ACCESS_ATOMIC);
    cr_assert_eq(seen.accesses[4].kind, WM_ACCESS_REDUCTION);
    cr_assert_not(kernel->instructions[0].is_memory, "parameters are not reported");
}

Test(memory_forms, local_memory_is_interleaved_by_lane, .fini = finish)
{
    uint32_t *out =
        start(KERNEL(".local .align 8 .b8 m[32];\n",
                     "st.local.u32 [m+8], %i; st.local.u64 [m+16], %l; st.local.u8 [m+13], %i;\n"),
              32);
    HARNESS_RUN(&harness, "k", 3, 64, ADDRESS(out), 0);
    cr_assert_eq(seen.count, 18);
    uint64_t per_warp = 32 * 32;
    for (uint32_t warp = 0; warp < 6; warp++) {
        // Blocks 0, 1, 2 sit in (SM 0, place 0), (SM 1, place 0), (SM 0, place 1) of two SMs.
        uint64_t base = WM_LOCAL_BASE + warp * per_warp;
        for (uint32_t lane = 0; lane < 32; lane++) {
            const uint64_t expected[] = {base + 2 * 128 + 4 * lane, base + 4 * 128 + 8 * lane,
                                         base + 3 * 128 + 4 * lane + 1};
            for (uint32_t a = 0; a < 3; a++)
                cr_assert_eq(seen.addresses[3 * warp + a][lane], expected[a]);
        }
        cr_assert_eq(seen.accesses[3 * warp].space, WM_SPACE_LOCAL);
    }
}

// --- variables ---

Test(memory_forms, variables_are_initialised, .fini = finish)
{
    uint32_t *out = start(
        ".global .align 4 .b32 numbers[4] = {1, 2, -3};\n"
        ".global .align 1 .b8 text[6] = {104, 101, 121, 0};\n"
        ".const .align 8 .u64 where = generic(numbers+8);\n"
        ".global .align 8 .u64 there[2] = {numbers, text};\n"
        ".global .align 8 .f64 half = 0d3FE0000000000000;\n"
        ".visible .global .attribute(.managed) .align 4 .u32 managed;\n" KERNEL(
            "",
            "ld.const.u64 %a, [where]; ld.global.u32 %v0, [%a]; st.global.u32 [%o], %v0;\n"
            "ld.global.u64 %a, [there+8]; ld.global.u8 %v0, [%a+2]; st.global.u32 [%o+4], %v0;\n"
            "ld.global.f64 %g0, [half]; cvt.rn.f32.f64 %f0, %g0; st.global.f32 [%o+8], %f0;\n"
            "ld.global.u32 %v0, [numbers+12]; st.global.u32 [%o+12], %v0; st.global.u32 [managed], "
            "3;\n"),
        32);
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out), 0);
    cr_assert_eq(out[0], (uint32_t)-3);
    cr_assert_eq(out[1], 'y');
    cr_assert_eq(out[2], 0x3F000000);
    cr_assert_eq(out[3], 0);
    uint64_t address, size;
    cr_assert(wm_program_variable(harness.program, "managed", &address, &size));
    cr_assert_eq(size, 4);
    cr_assert_eq(*(uint32_t *)(uintptr_t)address, 3);
    cr_assert_eq(wm_device_memory_find(harness.memory, address)->kind, WM_ALLOCATION_MANAGED);
    cr_assert_not(wm_program_variable(harness.program, "nothing", &address, &size));
}

Test(memory_forms, special_registers_tell_the_place, .fini = finish)
{
    uint32_t *out = start(
        ".visible .entry k(.param .u64 out) {\n" REGISTERS
        "ld.param.u64 %o, [out]; mov.u32 %v0, %tid.x; mov.u32 %v1, %tid.y; mov.u32 %v2, %tid.z;\n"
        "mov.u32 %v3, %ntid.x; mov.u32 %v4, %ntid.y; mad.lo.u32 %w, %v2, %v4, %v1;\n"
        "mad.lo.u32 %w, %w, %v3, %v0; mov.u32 %v5, %ctaid.x; mov.u32 %v6, %ctaid.y; mov.u32 %v7, "
        "%ctaid.z;\n"
        "mad.lo.u32 %x, %v7, %nctaid.y, %v6; mad.lo.u32 %x, %x, %nctaid.x, %v5;\n"
        "mad.lo.u32 %n, %x, 60, %w; mul.wide.u32 %q, %n, 16; add.u64 %a, %o, %q;\n"
        "st.global.v4.u32 [%a], {%v0, %v1, %v2, %x}; ret; }\n",
        32);
    struct wm_launch launch = {.kernel = harness_kernel(&harness, "k"),
                               .grid = {2, 3, 4},
                               .block = {5, 4, 3},
                               .parameters = &(uint64_t){ADDRESS(out)},
                               .parameter_bytes = 8};
    struct wm_grid *grid;
    struct wm_block *block;
    struct wm_run_result result = {0};
    cr_assert_eq(wm_grid_new(&launch, harness.memory, &grid, NULL), WM_OK);
    for (uint64_t b = 0; b < wm_grid_block_count(grid); b++) {
        cr_assert_eq(wm_grid_start_block(grid, b, 0, 0, &block, NULL), WM_OK);
        cr_assert_eq(block->warp_count, 2);
        wm_warp_run(block, 0, 1000, WM_RUN_INSTRUCTIONS, NULL, &result);
        wm_warp_run(block, 1, 1000, WM_RUN_INSTRUCTIONS, NULL, &result);
        cr_assert_eq(block->finished, 3);
        wm_grid_finish_block(grid, block);
    }
    wm_grid_free(grid);
    for (uint32_t b = 0; b < 24; b++)
        for (uint32_t t = 0; t < 60; t++) {
            const uint32_t *at = out + 4 * (b * 60 + t);
            cr_assert(at[0] == t % 5 && at[1] == t / 5 % 4 && at[2] == t / 20 && at[3] == b);
        }
}

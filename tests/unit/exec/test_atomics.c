// Each atomic operation, type and space against plain code that takes lanes in order.
#include "exec_harness.h"

#include <math.h>

enum { THREADS = 96, WORDS = 8 };

struct atomic {
    const char *operation, *type;
    unsigned bytes;
};

static const struct atomic atomics[] = {
    {"add", "u32", 4}, {"add", "s32", 4},  {"add", "u64", 8},  {"add", "f32", 4}, {"add", "f64", 8},
    {"inc", "u32", 4}, {"dec", "u32", 4},  {"min", "u32", 4},  {"min", "s32", 4}, {"min", "u64", 8},
    {"min", "s64", 8}, {"max", "u32", 4},  {"max", "s32", 4},  {"max", "u64", 8}, {"max", "s64", 8},
    {"and", "b32", 4}, {"and", "b64", 8},  {"or", "b32", 4},   {"or", "b64", 8},  {"xor", "b32", 4},
    {"xor", "b64", 8}, {"exch", "b32", 4}, {"exch", "b64", 8}, {"cas", "b32", 4}, {"cas", "b64", 8},
};

static uint64_t add_floats(uint64_t a, uint64_t b, bool wide)
{
    if (wide) {
        double x, y;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        x += y;
        memcpy(&a, &x, 8);
        return a;
    }
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    x += y;
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static bool is(const struct atomic *atomic, const char *operation)
{
    return strcmp(atomic->operation, operation) == 0;
}

static uint64_t after(const struct atomic *atomic, uint64_t old, uint64_t b, uint64_t c)
{
    bool wide = atomic->bytes == 8, is_signed = atomic->type[0] == 's';
    bool b_less = !is_signed ? b < old
                  : wide     ? (int64_t)b < (int64_t)old
                             : (int32_t)b < (int32_t)old;
    if (is(atomic, "add"))
        return atomic->type[0] == 'f' ? add_floats(old, b, wide) : old + b;
    if (is(atomic, "inc"))
        return old >= b ? 0 : old + 1;
    if (is(atomic, "dec"))
        return old == 0 || old > b ? b : old - 1;
    if (is(atomic, "min"))
        return b_less ? b : old;
    if (is(atomic, "max"))
        return b_less || b == old ? old : b;
    if (is(atomic, "and"))
        return old & b;
    if (is(atomic, "or"))
        return old | b;
    if (is(atomic, "xor"))
        return old ^ b;
    if (is(atomic, "exch"))
        return b;
    return old == b ? c : old;
}

// Each thread works on word (thread & 7) of 8; values[] are its operands, two each.
static char *source_of(const struct atomic *atomic, const char *space, bool reduction)
{
    struct wm_text text;
    bool wide = atomic->bytes == 8, cas = is(atomic, "cas");
    const char *r = wide ? "%d" : "%v";
    bool shared = strcmp(space, ".shared") == 0;
    wm_text_init(&text);
    wm_text_format(
        &text,
        ".shared .align 8 .b8 s[64];\n"
        ".visible .entry k(.param .u64 words, .param .u64 values, .param .u64 old) {\n"
        ".reg .b32 %%v<4>, %%i, %%w; .reg .b64 %%d<4>, %%a, %%b, %%c, %%q; .reg .pred %%p;\n"
        "ld.param.u64 %%a, [words]; ld.param.u64 %%b, [values]; ld.param.u64 %%c, [old];\n"
        "mov.u32 %%i, %%tid.x; mul.wide.u32 %%q, %%i, 16; add.u64 %%b, %%b, %%q;\n"
        "mul.wide.u32 %%q, %%i, 8; add.u64 %%c, %%c, %%q; and.b32 %%w, %%i, 7;\n"
        "mul.wide.u32 %%q, %%w, 8; add.u64 %%a, %%a, %%q;\n"
        "ld.global.b%u %s1, [%%b]; ld.global.b%u %s2, [%%b+8];\n",
        8 * atomic->bytes, r, 8 * atomic->bytes, r);
    // Shared memory takes the words over and gives them back at the end.
    wm_text_add(&text, "mov.u64 %d0, s; add.u64 %d0, %d0, %q; mov.u64 %q, %a;\n");
    if (shared)
        wm_text_add(&text, "ld.global.u64 %d3, [%q]; st.shared.u64 [%d0], %d3; bar.sync 0;\n"
                           "mov.u64 %a, %d0;\n");
    wm_text_format(&text, "%s%s.%s.%s %s%s[%%a], %s1%s%s;\n", reduction ? "red" : "atom", space,
                   atomic->operation, atomic->type, reduction ? "" : r, reduction ? "" : "3, ", r,
                   cas ? ", " : "",
                   !cas   ? ""
                   : wide ? "%d2"
                          : "%v2");
    if (!reduction)
        wm_text_format(&text, "st.global.b%u [%%c], %s3;\n", 8 * atomic->bytes, r);
    if (shared)
        wm_text_add(&text, "bar.sync 0; ld.shared.u64 %d3, [%a]; st.global.u64 [%q], %d3;\n");
    wm_text_add(&text, "ret; }\n");
    return wm_text_take(&text);
}

static uint64_t draw_value(struct wm_random *random, const struct atomic *atomic)
{
    if (atomic->type[0] == 'f') { // small integers: every order of additions is exact
        double wide = (double)wm_random_below(random, 1000) - 500;
        float narrow = (float)wide;
        uint64_t bits = 0;
        memcpy(&bits, atomic->bytes == 8 ? (const void *)&wide : &narrow, atomic->bytes);
        return bits;
    }
    uint64_t value = wm_random_u64(random);
    if (is(atomic, "inc") || is(atomic, "dec") || is(atomic, "cas"))
        value %= 4;
    return atomic->bytes == 8 ? value : (uint32_t)value;
}

static void check_atomic(const struct atomic *atomic, const char *space, bool reduction)
{
    struct harness harness;
    struct wm_random random;
    wm_random_init(&random, 5, "atomics");
    char *source = source_of(atomic, space, reduction);
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    uint64_t *words = harness_allocate(&harness, 8 * WORDS), expected[WORDS];
    uint64_t *values = harness_allocate(&harness, 16 * THREADS);
    uint64_t *old = harness_allocate(&harness, 8 * THREADS);
    for (uint32_t i = 0; i < WORDS; i++)
        expected[i] = words[i] = draw_value(&random, atomic);
    for (uint32_t i = 0; i < 2 * THREADS; i++)
        values[i] = draw_value(&random, atomic);
    // One warp where a barrier would let another go first.
    uint32_t threads = strcmp(space, ".shared") == 0 ? 32 : THREADS;
    HARNESS_RUN(&harness, "k", 1, threads, ADDRESS(words), ADDRESS(values), ADDRESS(old));
    uint64_t mask = atomic->bytes == 8 ? UINT64_MAX : UINT32_MAX;
    for (uint32_t t = 0; t < threads; t++) {
        cr_assert(reduction || old[t] == (expected[t & 7] & mask), "%s%s.%s thread %u: old value",
                  space, atomic->operation, atomic->type, t);
        expected[t & 7] = after(atomic, expected[t & 7], values[2 * t], values[2 * t + 1]) & mask;
    }
    for (uint32_t i = 0; i < WORDS; i++)
        cr_assert_eq(words[i] & mask, expected[i], "%s%s.%s word %u: %llx, expected %llx\n%s",
                     space, atomic->operation, atomic->type, i, (unsigned long long)words[i],
                     (unsigned long long)expected[i], source);
    free(source);
    harness_release(&harness);
}

Test(atomics, every_operation_in_every_space)
{
    static const char *const spaces[] = {".global", ".shared", ""};
    for (size_t a = 0; a < sizeof(atomics) / sizeof(atomics[0]); a++)
        for (size_t s = 0; s < 3; s++)
            for (int reduction = 0; reduction < 2; reduction++)
                if (!reduction || (!is(&atomics[a], "cas") && !is(&atomics[a], "exch")))
                    check_atomic(&atomics[a], spaces[s], reduction);
}

#define KERNEL(body)                                                                             \
    ".shared .align 4 .b8 s[64];\n"                                                              \
    ".visible .entry k(.param .u64 out) { .reg .b32 %v<4>; .reg .b64 %o, %a; .reg .f32 %f<4>;\n" \
    ".local .align 8 .b8 m[16]; ld.param.u64 %o, [out];\n" body " ret; }\n"

// PTX ISA 9.7.13.5: global atom.add.f32 flushes subnormals, shared does not.
Test(atomics, global_float_additions_flush_subnormals)
{
    struct harness harness;
    harness_init(&harness,
                 KERNEL("mov.f32 %f1, 0f00000001; st.shared.f32 [s], %f1;\n"
                        "atom.global.add.f32 %f2, [%o], %f1; red.shared.add.f32 [s], %f1;\n"
                        "ld.shared.f32 %f3, [s]; st.global.f32 [%o+4], %f3;"),
                 32, WM_HOST_C, false);
    uint32_t *out = harness_allocate(&harness, 64);
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out));
    cr_assert_eq(out[0], 0);
    cr_assert_eq(out[1], 2);
    harness_release(&harness);
}

Test(atomics, generic_addresses_may_be_local)
{
    struct harness harness;
    harness_init(&harness,
                 KERNEL("st.local.u32 [m+8], 5; mov.u64 %a, m; cvta.local.u64 %a, %a;\n"
                        "atom.add.u32 %v0, [%a+8], 7; ld.local.u32 %v1, [m+8];\n"
                        "st.global.v2.u32 [%o], {%v0, %v1};"),
                 32, WM_HOST_C, false);
    uint32_t *out = harness_allocate(&harness, 64);
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out));
    cr_assert(out[0] == 5 && out[1] == 12);
    harness_release(&harness);
}

// --- halves and vectors ---

struct vector_atomic {
    const char *instruction; // ".add.noftz.v4.f16"
    unsigned elements;       // halves or floats in all
    unsigned bytes;          // of one of them
    bool bfloat;
    char operation; // '+', '<', '>'
    const char *result, *operand;
};

// Operands are small integers, which every format and every order of additions holds exactly.
static float vector_operand(const struct vector_atomic *atomic, uint32_t thread, unsigned element)
{
    float value = (float)((thread * 7 + element * 3) % 11) - 5;
    return atomic->operation == '+' ? value / 2 : value;
}

static void store_float(const struct vector_atomic *atomic, char *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    uint16_t half = (uint16_t)(bits >> 16);
    if (atomic->bytes == 2 && !atomic->bfloat) { // a normal number of few bits, or zero
        uint32_t magnitude = bits & 0x7FFFFFFF;
        half = (uint16_t)((magnitude ? (magnitude - 0x38000000) >> 13 : 0) | (bits >> 16 & 0x8000));
    }
    memcpy(to, atomic->bytes == 4 ? (const void *)&bits : &half, atomic->bytes);
}

static const char vector_kernel[] =
    ".shared .align 16 .b8 s[16];\n"
    ".visible .entry k(.param .u64 words, .param .u64 values, .param .u64 old) {\n"
    ".local .align 16 .b8 m[16]; .reg .b64 %%w, %%v, %%o, %%q, %%a; .reg .b32 %%i, %%r<8>;\n"
    ".reg .b16 %%h<16>; .reg .b64 %%d<2>;\n"
    "ld.param.u64 %%w, [words]; ld.param.u64 %%v, [values]; ld.param.u64 %%o, [old];\n"
    "mov.u32 %%i, %%tid.x; mul.wide.u32 %%q, %%i, 16; add.u64 %%v, %%v, %%q; add.u64 %%o, %%o, "
    "%%q;\n"
    "ld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%v];\n"
    "mov.b32 {%%h8, %%h9}, %%r4; mov.b32 {%%h10, %%h11}, %%r5;\n"
    "mov.b32 {%%h12, %%h13}, %%r6; mov.b32 {%%h14, %%h15}, %%r7;\n"
    "ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%w]; mov.u64 %%a, %s;\n"
    "%s.v4.u32 [%%a], {%%r0, %%r1, %%r2, %%r3};\n"
    "mov.b32 {%%h0, %%h1}, %%r0; mov.b32 {%%h2, %%h3}, %%r1; mov.b32 {%%h4, %%h5}, %%r2;\n"
    "mov.b32 {%%h6, %%h7}, %%r3;\n"
    "atom%s%s %s, [%%a], %s;\n"
    "%s st.global.v4.u32 [%%o], {%%r0, %%r1, %%r2, %%r3};\n"
    "%s.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%a]; st.global.v4.u32 [%%w], {%%r0, %%r1, %%r2, %%r3};\n"
    "ret; }\n";

static void check_vector_atomic(const struct vector_atomic *atomic, const char *space,
                                const char *base, const char *store, const char *load,
                                uint32_t threads)
{
    struct harness harness;
    struct wm_text text;
    wm_text_init(&text);
    wm_text_format(&text, vector_kernel, base, store, space, atomic->instruction, atomic->result,
                   atomic->operand,
                   atomic->bytes == 2 && atomic->result[strspn(atomic->result, "{")] == '%' &&
                           strstr(atomic->result, "%h")
                       ? "mov.b32 %r0, {%h0, %h1}; mov.b32 %r1, {%h2, %h3};\n"
                         "mov.b32 %r2, {%h4, %h5}; mov.b32 %r3, {%h6, %h7};\n"
                       : "",
                   load);
    harness_init(&harness, text.data, 32, wm_host_best_isa(), false);
    char *words = harness_allocate(&harness, 16), expected[16];
    char *values = harness_allocate(&harness, (uint64_t)16 * threads);
    char *old = harness_allocate(&harness, (uint64_t)16 * threads);
    float sums[8];
    memset(words, 0x42, 16);
    for (unsigned e = 0; e < atomic->elements; e++) {
        sums[e] = (float)e;
        store_float(atomic, words + e * atomic->bytes, sums[e]);
    }
    memcpy(expected, words, 16);
    for (uint32_t t = 0; t < threads; t++)
        for (unsigned e = 0; e < atomic->elements; e++)
            store_float(atomic, values + 16 * t + e * atomic->bytes, vector_operand(atomic, t, e));
    HARNESS_RUN(&harness, "k", 1, threads, ADDRESS(words), ADDRESS(values), ADDRESS(old));
    for (uint32_t t = 0; t < threads; t++) {
        cr_assert_arr_eq(old + 16 * t, expected, atomic->elements * atomic->bytes,
                         "atom%s%s of thread %u: old value", space, atomic->instruction, t);
        for (unsigned e = 0; e < atomic->elements; e++) {
            float b = vector_operand(atomic, t, e);
            sums[e] = atomic->operation == '+'   ? sums[e] + b
                      : atomic->operation == '<' ? fminf(sums[e], b)
                                                 : fmaxf(sums[e], b);
            store_float(atomic, expected + e * atomic->bytes, sums[e]);
        }
    }
    cr_assert_arr_eq(words, expected, 16, "atom%s%s", space, atomic->instruction);
    wm_text_release(&text);
    harness_release(&harness);
}

#define HALVES_2 "{%h0, %h1}", "{%h8, %h9}"
#define HALVES_4 "{%h0, %h1, %h2, %h3}", "{%h8, %h9, %h10, %h11}"
#define HALVES_8 \
    "{%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}", "{%h8, %h9, %h10, %h11, %h12, %h13, %h14, %h15}"
#define WORDS_2 "{%r0, %r1}", "{%r4, %r5}"
#define WORDS_4 "{%r0, %r1, %r2, %r3}", "{%r4, %r5, %r6, %r7}"

Test(atomics, halves_and_vectors)
{
    static const struct vector_atomic vectors[] = {
        {".add.noftz.f16", 1, 2, false, '+', "%h0", "%h8"},
        {".add.noftz.bf16", 1, 2, true, '+', "%h0", "%h8"},
        {".add.noftz.f16x2", 2, 2, false, '+', "%r0", "%r4"},
        {".add.noftz.bf16x2", 2, 2, true, '+', "%r0", "%r4"},
        {".add.v2.f32", 2, 4, false, '+', WORDS_2},
        {".v4.f32.add", 4, 4, false, '+', WORDS_4},
        {".add.noftz.v2.f16", 2, 2, false, '+', HALVES_2},
        {".min.noftz.v4.bf16", 4, 2, true, '<', HALVES_4},
        {".max.noftz.v8.f16", 8, 2, false, '>', HALVES_8},
        {".max.noftz.v4.bf16x2", 8, 2, true, '>', WORDS_4},
        {".min.noftz.v2.f16x2", 4, 2, false, '<', WORDS_2},
    };
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        check_vector_atomic(&vectors[i], ".global", "%w", "st.global", "ld.global", 32);
        check_vector_atomic(&vectors[i], ".shared", "s", "st.shared", "ld.shared", 32);
        check_vector_atomic(&vectors[i], "", "m; cvta.local.u64 %a, %a", "st", "ld", 1);
    }
}

// Rounded once, and subnormals kept: 2^-14 - 2^-24 of f16, and a tie to even.
Test(atomics, half_additions_round_once)
{
    struct harness harness;
    harness_init(&harness,
                 ".visible .entry k(.param .u64 out) { .reg .b64 %o; .reg .b16 %h<4>;\n"
                 "ld.param.u64 %o, [out]; mov.b16 %h0, 0x8001; mov.b16 %h1, 0x1000;\n"
                 "red.global.add.noftz.f16 [%o], %h0; atom.global.add.noftz.f16 %h2, [%o+2], %h1;\n"
                 "mov.b16 %h3, 0x7c01; red.global.add.noftz.f16 [%o+4], %h3;\n"
                 "atom.global.cas.b16 %h2, [%o+6], %h0, %h1; ret; }\n",
                 32, WM_HOST_C, false);
    uint16_t *out = harness_allocate(&harness, 8);
    out[0] = 0x0400, out[1] = 0x3C01, out[2] = 0x3C00, out[3] = 0x8001;
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out));
    cr_assert_eq(out[0], 0x03FF);
    cr_assert_eq(out[1], 0x3C02); // 1 + 2^-10 + 2^-11
    cr_assert_eq(out[2], 0x7FFF);
    cr_assert_eq(out[3], 0x1000);
    harness_release(&harness);
}

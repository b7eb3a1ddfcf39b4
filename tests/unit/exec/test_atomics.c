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
    harness_init(&harness, source, 32, wm_lane_best_isa(), false);
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
                 32, WM_LANE_C, false);
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
                 32, WM_LANE_C, false);
    uint32_t *out = harness_allocate(&harness, 64);
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(out));
    cr_assert(out[0] == 5 && out[1] == 12);
    harness_release(&harness);
}

// setp, set and testp of the plain C build: every comparison, type and combination.
#include "lanes_check.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct type {
    const char *name;
    unsigned bits;
    char kind; // u, s, f, b
    bool ftz;
};

static const struct type types[] = {
    {"b16", 16, 'b', false}, {"b32", 32, 'b', false}, {"b64", 64, 'b', false},
    {"u16", 16, 'u', false}, {"u32", 32, 'u', false}, {"u64", 64, 'u', false},
    {"s16", 16, 's', false}, {"s32", 32, 's', false}, {"s64", 64, 's', false},
    {"f32", 32, 'f', false}, {"f64", 64, 'f', false}, {"ftz.f32", 32, 'f', true},
};
static const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                          "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                          "ltu", "leu", "gtu", "geu", "num", "nan"};

static bool exists(const struct type *type, unsigned comparison)
{
    if (type->kind == 'f')
        return comparison < 6 || comparison >= 10;
    if (type->kind == 'b')
        return comparison < 2;
    return comparison < (type->kind == 'u' ? 10u : 6u);
}

// -1, 0, 1, or 2 when a NaN leaves the operands unordered.
static int order(const struct type *type, uint64_t a, uint64_t b)
{
    if (type->kind == 'f') {
        double x, y;
        if (type->bits == 64) {
            memcpy(&x, &a, 8), memcpy(&y, &b, 8);
        } else {
            float p, q;
            memcpy(&p, &a, 4), memcpy(&q, &b, 4);
            x = type->ftz && fabsf(p) < 0x1p-126f ? 0 : (double)p;
            y = type->ftz && fabsf(q) < 0x1p-126f ? 0 : (double)q;
        }
        return isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y;
    }
    if (type->kind == 's') { // moves the signed range onto the unsigned one
        const uint64_t top = (uint64_t)1 << (type->bits - 1);
        a ^= top, b ^= top;
    }
    return a < b ? -1 : a > b;
}

static bool holds(const char *comparison, int order)
{
    if (strcmp(comparison, "num") == 0)
        return order != 2;
    if (strcmp(comparison, "nan") == 0)
        return order == 2;
    const bool unordered_form = strlen(comparison) == 3;
    if (order == 2)
        return unordered_form;
    if (strncmp(comparison, "eq", 2) == 0)
        return order == 0;
    if (strncmp(comparison, "ne", 2) == 0)
        return order != 0;
    if (comparison[0] == 'l') // lt lo le ls
        return order < 0 || (order == 0 && (comparison[1] == 'e' || comparison[1] == 's'));
    return order > 0 || (order == 0 && (comparison[1] == 'e' || comparison[1] == 's'));
}

static bool combine(unsigned combination, bool t, bool source)
{
    switch (combination) { // 0 none; 1-3 and, or, xor; 4-6 with the source negated
    case 0: return t;
    case 1: return t && source;
    case 2: return t || source;
    case 3: return t != source;
    case 4: return t && !source;
    case 5: return t || !source;
    default: return t == source;
    }
}

struct trial {
    const struct type *type;
    struct lane_array a, b;
    uint32_t source, mask, expected;
};

static void draw(struct trial *trial, struct wm_random *random, const char *comparison,
                 unsigned combination)
{
    const unsigned bytes = trial->type->bits == 64 ? 8 : 4, bits = trial->type->bits;
    trial->source = (uint32_t)wm_random_u64(random);
    trial->mask = awkward_mask(random);
    trial->expected = 0;
    for (unsigned l = 0; l < LANES; l++) {
        const bool is_float = trial->type->kind == 'f';
        const uint64_t a = awkward_value(random, bits, is_float);
        const uint64_t b = wm_random_below(random, 4) ? awkward_value(random, bits, is_float) : a;
        const uint64_t rubbish = bits == 16 ? wm_random_u64(random) << 16 : 0;
        set_lane(&trial->a, bytes, l, a | rubbish);
        set_lane(&trial->b, bytes, l, b | (rubbish << 3 & 0xffff0000u));
        const bool t = holds(comparison, order(trial->type, a, b));
        trial->expected |= (uint32_t)combine(combination, t, trial->source >> l & 1) << l;
    }
}

static const char *const booleans[] = {"", ".and", ".or", ".xor", ".and", ".or", ".xor"};

static void for_each(void (*check)(const struct type *, const char *, unsigned))
{
    for (unsigned t = 0; t < sizeof types / sizeof types[0]; t++)
        for (unsigned i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++)
            for (unsigned combination = 0; combination < 7; combination++)
                if (exists(&types[t], i))
                    check(&types[t], comparisons[i], combination);
}

static void check_setp(const struct type *type, const char *comparison, unsigned combination)
{
    char text[48];
    snprintf(text, sizeof text, "setp.%s%s.%s%s", comparison, booleans[combination], type->name,
             combination > 3 ? "!" : "");
    const struct wm_lane_key key = key_of_text(text);
    wm_lane_function *function = wm_lane_find(WM_HOST_C, &key);
    cr_assert_not_null(function, "%s", text);
    struct wm_random random;
    wm_random_init(&random, 1, text);
    for (unsigned round = 0; round < 12; round++) {
        struct trial trial = {.type = type};
        draw(&trial, &random, comparison, combination);
        const uint32_t old = (uint32_t)wm_random_u64(&random);
        uint32_t d = old;
        function(&d, &trial.a, &trial.b, &trial.source, trial.mask);
        cr_assert_eq(d, (old & ~trial.mask) | (trial.expected & trial.mask), "%s", text);
        d = trial.source; // into its own source
        function(&d, &trial.a, &trial.b, &d, trial.mask);
        cr_assert_eq(d, (trial.source & ~trial.mask) | (trial.expected & trial.mask), "%s", text);
    }
}

static void check_set(const struct type *type, const char *comparison, unsigned combination)
{
    static const char *const results[] = {"u32", "s32", "f32"};
    for (unsigned r = 0; r < 3; r++) {
        char text[48];
        snprintf(text, sizeof text, "set.%s%s%s.%s.%s%s", comparison, booleans[combination],
                 type->ftz ? ".ftz" : "", results[r], type->name + (type->ftz ? 4 : 0),
                 combination > 3 ? "!" : "");
        const struct wm_lane_key key = key_of_text(text);
        wm_lane_function *function = wm_lane_find(WM_HOST_C, &key);
        cr_assert_not_null(function, "%s", text);
        struct wm_random random;
        wm_random_init(&random, 1, text);
        for (unsigned round = 0; round < 4; round++) {
            struct trial trial = {.type = type};
            draw(&trial, &random, comparison, combination);
            struct lane_array d;
            memset(&d, 0x77, sizeof d);
            function(&d, &trial.a, &trial.b, &trial.source, trial.mask);
            for (unsigned l = 0; l < LANES; l++) {
                const uint32_t one = r == 2 ? 0x3f800000u : UINT32_MAX;
                const uint32_t wanted = trial.expected >> l & 1 ? one : 0;
                cr_assert_eq(d.narrow[l], trial.mask >> l & 1 ? wanted : 0x77777777u, "%s", text);
            }
        }
    }
}

Test(compare, setp)
{
    for_each(check_setp);
}

Test(compare, set)
{
    for_each(check_set);
}

Test(compare, testp)
{
    static const char *const classes[] = {"finite",     "infinite", "number",
                                          "notanumber", "normal",   "subnormal"};
    struct wm_random random;
    wm_random_init(&random, 1, "testp");
    for (unsigned round = 0; round < 600; round++) {
        const unsigned class = round % 6, bytes = round & 8 ? 8 : 4;
        char text[32];
        snprintf(text, sizeof text, "testp.%s.f%u", classes[class], 8 * bytes);
        const struct wm_lane_key key = key_of_text(text);
        struct lane_array a;
        uint32_t expected = 0, d = 0;
        for (unsigned l = 0; l < LANES; l++) {
            const uint64_t bits = awkward_value(&random, 8 * bytes, true);
            set_lane(&a, bytes, l, bits);
            double value;
            float narrow;
            memcpy(&value, &bits, 8), memcpy(&narrow, &bits, 4);
            const int kind = bytes == 8 ? fpclassify(value) : fpclassify(narrow);
            const bool answers[] = {kind != FP_NAN && kind != FP_INFINITE,
                                    kind == FP_INFINITE,
                                    kind != FP_NAN,
                                    kind == FP_NAN,
                                    kind == FP_NORMAL || kind == FP_ZERO,
                                    kind == FP_SUBNORMAL};
            expected |= (uint32_t)answers[class] << l;
        }
        const uint32_t mask = awkward_mask(&random);
        wm_lane_find(WM_HOST_C, &key)(&d, &a, NULL, NULL, mask);
        cr_assert_eq(d, expected & mask, "%s", text);
    }
}

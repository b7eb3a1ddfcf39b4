// The approximate operations: error against the host's long double functions, within the bounds of
// the PTX ISA; special values; and the same bits from every build (test_lanes_builds.c).
#include "lanes_check.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

typedef long double function(long double);

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

// Distance in units in the last place of the exact value.
static long double ulps(float got, long double exact)
{
    int exponent;
    frexpl(exact, &exponent);
    if (exponent < -125)
        exponent = -125;
    return fabsl((long double)got - exact) / ldexpl(1, exponent - 24);
}

struct error {
    long double ulps, absolute, relative;
};

// The largest errors over arguments from `low` to `high`, evenly spaced in bits (so in every
// binade), each build in turn.
static struct error measure(const char *text, function *exact, float low, float high, bool spaced)
{
    const struct wm_lane_key key = key_of_text(text);
    struct error error = {0};
    struct lane_array a, d;
    struct wm_random random;
    wm_random_init(&random, 1, text);
    for (unsigned round = 0; round < 3000; round++) {
        for (unsigned l = 0; l < LANES; l++) {
            const uint32_t range = bits_of(high) - bits_of(low);
            a.narrow[l] = spaced ? bits_of(low + (high - low) * (float)wm_random_unit(&random))
                                 : bits_of(low) + (uint32_t)wm_random_below(&random, range + 1ull);
        }
        wm_lane_find(WM_HOST_C, &key)(&d, &a, NULL, NULL, UINT32_MAX);
        for (unsigned l = 0; l < LANES; l++) {
            const long double expected = exact(float_of(a.narrow[l]));
            const float got = float_of(d.narrow[l]);
            if (fabsl(expected) > 0x1.fffffep127L) {
                cr_assert(isinf(got), "%s of %a", text, (double)float_of(a.narrow[l]));
                continue;
            }
            const long double absolute = fabsl(got - expected);
            error.absolute = fmaxl(error.absolute, absolute);
            error.ulps = fmaxl(error.ulps, ulps(got, expected));
            if (fabsl(expected) >= 0x1p-126L)
                error.relative = fmaxl(error.relative, absolute / fabsl(expected));
        }
    }
    return error;
}

static long double reciprocal_root(long double x)
{
    return 1 / sqrtl(x);
}

static long double reciprocal(long double x)
{
    return 1 / x;
}

#define CLOSE(text, exact, low, high, bound)                                               \
    do {                                                                                   \
        const struct error error = measure(text, exact, low, high, false);                 \
        cr_assert_leq(error.ulps, bound, "%s from %a to %a: %Lf ulp", text, (double)(low), \
                      (double)(high), error.ulps);                                         \
    } while (0)

Test(approximate, ex2_within_half_a_unit)
{
    CLOSE("ex2.approx.f32", exp2l, 0x1p-149f, 127.99f, 0.5001L);
    CLOSE("ex2.approx.f32", exp2l, -0x1p-149f, -149.0f, 0.5001L);
    CLOSE("ex2.approx.ftz.f32", exp2l, -0x1p-126f, -125.9f, 0.5001L);
}

Test(approximate, lg2_within_half_a_unit)
{
    CLOSE("lg2.approx.f32", log2l, 0x1p-149f, 0x1.fffffep127f, 0.5001L);
    CLOSE("lg2.approx.f32", log2l, 0.99f, 1.01f, 0.5001L);
}

Test(approximate, sin_and_cos_within_half_a_unit_up_to_a_million)
{
    CLOSE("sin.approx.f32", sinl, 0x1p-149f, 0x1p20f, 0.5005L);
    CLOSE("cos.approx.f32", cosl, 0x1p-149f, 0x1p20f, 0.5005L);
    CLOSE("sin.approx.f32", sinl, -0x1p-149f, -0x1p20f, 0.5005L);
    const struct error sine = measure("sin.approx.f32", sinl, -3.1416f, 3.1416f, true);
    cr_assert_leq(sine.absolute, 0x1p-24L); // PTX ISA: 2^-20.5
}

Test(approximate, circular_functions_of_huge_arguments_stay_in_range)
{
    static const char *const texts[] = {"sin.approx.f32", "cos.approx.f32"};
    for (unsigned i = 0; i < 2; i++) {
        const struct wm_lane_key key = key_of_text(texts[i]);
        struct lane_array a, d;
        for (uint32_t l = 0; l < LANES; l++)
            a.narrow[l] = 0x49800000u + l * 0x01b00000u; // 2^20 to beyond 2^127
        wm_lane_find(WM_HOST_C, &key)(&d, &a, NULL, NULL, UINT32_MAX);
        for (unsigned l = 0; l < LANES; l++)
            if ((a.narrow[l] & 0x7f800000u) != 0x7f800000u)
                cr_assert_leq(fabsf(float_of(d.narrow[l])), 1.0f);
            else
                cr_assert_eq(d.narrow[l], 0x7fffffffu);
    }
}

Test(approximate, roots_and_reciprocals)
{
    CLOSE("rsqrt.approx.f32", reciprocal_root, 0x1p-149f, 0x1.fffffep127f, 0.5001L);
    CLOSE("sqrt.approx.f32", sqrtl, 0x1p-149f, 0x1.fffffep127f, 0.5L);
    CLOSE("rcp.approx.f32", reciprocal, 0x1p-149f, 0x1.fffffep127f, 0.5L);
    CLOSE("rcp.approx.f32", reciprocal, -0x1p-149f, -0x1.fffffep127f, 0.5L);
}

// PTX ISA: relative error at most 2^-11.
Test(approximate, tanh)
{
    const struct error near = measure("tanh.approx.f32", tanhl, 0x1p-149f, 20.0f, false);
    cr_assert_leq(near.relative, 0x1p-23L, "%La", near.relative);
    const struct error negative = measure("tanh.approx.f32", tanhl, -0x1p-149f, -100.0f, false);
    cr_assert_leq(negative.relative, 0x1p-23L, "%La", negative.relative);
}

// The f64 forms: the upper 32 bits with .ftz, full precision without.
Test(approximate, double_reciprocals)
{
    const struct wm_lane_key keys[] = {key_of_text("rcp.approx.ftz.f64"),
                                       key_of_text("rsqrt.approx.ftz.f64"),
                                       key_of_text("rsqrt.approx.f64")};
    struct wm_random random;
    wm_random_init(&random, 1, "doubles");
    for (unsigned round = 0; round < 3000; round++) {
        struct lane_array a, d;
        for (unsigned l = 0; l < LANES; l++)
            a.wide[l] = (wm_random_u64(&random) >> 1) % 0x7fc0000000000000u + 0x0020000000000000u;
        wm_lane_find(WM_HOST_C, &keys[round % 3])(&d, &a, NULL, NULL, UINT32_MAX);
        for (unsigned l = 0; l < LANES; l++) {
            double x, got;
            memcpy(&x, &a.wide[l], 8), memcpy(&got, &d.wide[l], 8);
            const long double exact = round % 3 ? 1 / sqrtl(x) : 1 / (long double)x;
            if (exact < 0x1p-1022L)
                continue;
            const long double relative = fabsl(got - exact) / exact;
            cr_assert_leq(relative, round % 3 == 2 ? 0x1p-52L : 0x1p-20L, "%a", x);
            cr_assert(round % 3 == 2 || (d.wide[l] & 0xffffffffu) == 0);
        }
    }
}

Test(approximate, special_values)
{
    static const struct {
        const char *text;
        uint32_t a, d;
    } cases[] = {
        {"ex2.approx.f32", 0x7f800000, 0x7f800000},
        {"ex2.approx.f32", 0xff800000, 0},
        {"ex2.approx.f32", 0x7fc00000, 0x7fffffff},
        {"ex2.approx.f32", 0x80000000, 0x3f800000},
        {"ex2.approx.f32", 0x40400000, 0x41000000},
        {"ex2.approx.f32", 0xc3150000, 0x00000001},
        {"ex2.approx.ftz.f32", 0xc3150000, 0},
        {"ex2.approx.f32", 0x43000000, 0x7f800000},
        {"lg2.approx.f32", 0, 0xff800000},
        {"lg2.approx.f32", 0x80000000, 0xff800000},
        {"lg2.approx.f32", 0xbf800000, 0x7fffffff},
        {"lg2.approx.f32", 0x7f800000, 0x7f800000},
        {"lg2.approx.f32", 0x3f800000, 0},
        {"lg2.approx.f32", 0x00000001, 0xc3150000},
        {"lg2.approx.ftz.f32", 1, 0xff800000},
        {"lg2.approx.f32", 0x7fc00001, 0x7fffffff},
        {"sin.approx.f32", 0x80000000, 0x80000000},
        {"sin.approx.f32", 0, 0},
        {"sin.approx.f32", 0x7f800000, 0x7fffffff},
        {"cos.approx.f32", 0xff800000, 0x7fffffff},
        {"cos.approx.f32", 0x80000000, 0x3f800000},
        {"sin.approx.f32", 0x00000003, 3},
        {"sin.approx.ftz.f32", 0x80000003, 0x80000000},
        {"tanh.approx.f32", 0x7f800000, 0x3f800000},
        {"tanh.approx.f32", 0xff800000, 0xbf800000},
        {"tanh.approx.f32", 0x80000001, 0x80000001},
        {"tanh.approx.f32", 0x7fc00000, 0x7fffffff},
        {"rsqrt.approx.f32", 0x80000000, 0xff800000},
        {"rsqrt.approx.f32", 0, 0x7f800000},
        {"rsqrt.approx.f32", 0x7f800000, 0},
        {"rsqrt.approx.f32", 0xbf800000, 0x7fffffff},
        {"rsqrt.approx.f32", 0x40800000, 0x3f000000},
        {"rcp.approx.ftz.f32", 0x80000001, 0xff800000},
        {"rcp.approx.f32", 0xff800000, 0x80000000},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct wm_lane_key key = key_of_text(cases[i].text);
        struct lane_array a, d;
        for (unsigned l = 0; l < LANES; l++)
            a.narrow[l] = cases[i].a, d.narrow[l] = 0;
        wm_lane_find(WM_HOST_C, &key)(&d, &a, NULL, NULL, 0x100);
        cr_assert_eq(d.narrow[8], cases[i].d, "%s of %x: %x", cases[i].text, cases[i].a,
                     d.narrow[8]);
    }
}

// div.approx: at most 2 units where the divisor is at most 2^126, zero or NaN beyond.
Test(approximate, division)
{
    static const char *const texts[] = {"div.approx.f32", "div.full.f32", "div.approx.ftz.f32",
                                        "div.full.ftz.f32"};
    struct wm_random random;
    wm_random_init(&random, 1, "division");
    for (unsigned round = 0; round < 2000; round++) {
        const unsigned form = round % 4;
        const struct wm_lane_key key = key_of_text(texts[form]);
        struct lane_array a, b, d;
        for (unsigned l = 0; l < LANES; l++) {
            a.narrow[l] = (uint32_t)awkward_value(&random, 32, true);
            b.narrow[l] = (uint32_t)awkward_value(&random, 32, true);
        }
        wm_lane_find(WM_HOST_C, &key)(&d, &a, &b, NULL, UINT32_MAX);
        for (unsigned l = 0; l < LANES; l++) {
            const float x = float_of(a.narrow[l]), y = float_of(b.narrow[l]);
            const float got = float_of(d.narrow[l]);
            if (form >= 2 && (fpclassify(x) == FP_SUBNORMAL || fpclassify(y) == FP_SUBNORMAL))
                continue;
            if (form % 2 == 0 && fabsf(y) > 0x1p126f && !isinf(y)) {
                cr_assert(isinf(x) || isnan(x) ? isnan(got) : got == 0);
                continue;
            }
            const long double exact = (long double)x / y;
            if (isnan(exact) || isinf(exact) || fabsl(exact) > 0x1.fffffep127L)
                cr_assert(isnan(exact) ? isnan(got) : isinf(got));
            else if (form < 2 || fabsl(exact) >= 0x1p-126L)
                cr_assert_leq(ulps(got, exact), 2.0L);
        }
    }
}

// bf16 arithmetic, and .relu and .xorsign.abs of both half formats, against exact values rounded
// once.
#include "lanes_check.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct {
    char text[48];
    const char *name;
    bool bfloat, nan, relu, xorsign, ftz, oob;
} operation;

static long double value_of(uint64_t bits)
{
    if (!operation.bfloat)
        return value_of_half(operation.ftz && !(bits & 0x7c00) ? bits & 0x8000 : bits);
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, 4);
    return (long double)value;
}

// v to the nearest multiple of the last place at its magnitude.
static uint64_t bits_of(long double v)
{
    if (!operation.bfloat) {
        const uint64_t bits = half_of_value(v, FE_TONEAREST);
        return operation.ftz && !(bits & 0x7c00) ? bits & 0x8000 : bits;
    }
    if (isnan(v))
        return 0x7fff;
    int exponent;
    frexpl(v, &exponent);
    const int place = (exponent - 1 < -126 ? -126 : exponent - 1) - 7;
    const float value = isinf(v) ? (float)v : (float)ldexpl(rintl(ldexpl(v, -place)), place);
    uint32_t word;
    memcpy(&word, &value, 4);
    return word >> 16;
}

static bool is(const char *name)
{
    return strcmp(operation.name, name) == 0;
}

// x + y, which 113 bits may not hold, as 64 bits with the last bent off a tie.
static long double sum_of(__float128 x, __float128 y)
{
    const __float128 sum = x + y, back = sum - x, error = (x - (sum - back)) + (y - back);
    const long double v = (long double)sum;
    if (isnan(v) || isinf(v) || ((__float128)v == sum && error == 0))
        return v;
    const bool above = sum > (__float128)v || (sum == (__float128)v && error > 0);
    return nextafterl(v, above ? (long double)INFINITY : -(long double)INFINITY);
}

static uint64_t extreme(uint64_t a, uint64_t b)
{
    const uint64_t sign = operation.xorsign ? (a ^ b) & 0x8000 : 0;
    if (operation.xorsign)
        a &= 0x7fff, b &= 0x7fff;
    const long double x = value_of(a), y = value_of(b);
    if ((isnan(x) && isnan(y)) || (operation.nan && (isnan(x) || isnan(y))))
        return 0x7fff;
    long double v;
    if (isnan(x) || isnan(y))
        v = isnan(x) ? y : x;
    else if (x == y)
        v = is("min") == (bool)signbit(x) ? x : y;
    else
        v = (x < y) == is("min") ? x : y;
    return bits_of(v) | sign;
}

static uint64_t one(uint64_t a, uint64_t b, uint64_t c)
{
    if (is("neg"))
        return (a ^ 0x8000) & 0xffff;
    if (is("abs"))
        return a & 0x7fff;
    if (is("min") || is("max"))
        return extreme(a, b);
    if (operation.oob && ((a & 0x7fff) == 0x7ff7 || (b & 0x7fff) == 0x7ff7))
        return 0;
    const __float128 x = value_of(a), y = value_of(b), z = value_of(c);
    const uint64_t bits = bits_of(is("add")   ? sum_of(x, y)
                                  : is("sub") ? sum_of(x, -y)
                                  : is("mul") ? (long double)(x * y)
                                              : sum_of(x * y, z));
    return operation.relu && bits != 0x7fff && (bits & 0x8000) ? 0 : bits;
}

static uint64_t two(uint64_t a, uint64_t b, uint64_t c)
{
    return one(a & 0xffff, b & 0xffff, c & 0xffff) | one(a >> 16, b >> 16, c >> 16) << 16;
}

static void check(const char *name, unsigned operands, const char *flags, const char *type)
{
    const bool packed = strstr(type, "x2") != NULL;
    operation.name = name;
    operation.bfloat = type[0] == 'b';
    operation.nan = strstr(flags, "NaN") != NULL;
    operation.relu = strstr(flags, "relu") != NULL;
    operation.xorsign = strstr(flags, "xorsign") != NULL;
    operation.ftz = strstr(flags, "ftz") != NULL;
    operation.oob = strstr(flags, "oob") != NULL;
    snprintf(operation.text, sizeof operation.text, "%s%s.%s", name, flags, type);
    const uint8_t bits = packed ? 32 : 16;
    const struct lane_check lane_check = {
        .text = operation.text,
        .d_bits = bits,
        .a_bits = bits,
        .b_bits = operands > 1 ? bits : 0,
        .c_bits = operands > 2 ? bits : 0,
        .reference = packed ? two : one,
        .is_float = true,
    };
    check_against_reference(&lane_check);
}

static const char *const bfloats[] = {"bf16", "bf16x2"}, *const halves[] = {"f16", "f16x2"};

Test(bfloat, arithmetic)
{
    for (unsigned i = 0; i < 2; i++) {
        check("add", 2, "", bfloats[i]);
        check("sub", 2, ".rn", bfloats[i]);
        check("mul", 2, "", bfloats[i]);
        check("neg", 1, "", bfloats[i]);
        check("abs", 1, "", bfloats[i]);
        check("fma", 3, ".rn", bfloats[i]);
        check("fma", 3, ".rn.relu", bfloats[i]);
        check("fma", 3, ".rn.relu", halves[i]);
        check("fma", 3, ".rn.ftz.relu", halves[i]);
        check("fma", 3, ".rn.oob", bfloats[i]);
        check("fma", 3, ".rn.oob", halves[i]);
        check("fma", 3, ".rn.oob.relu", bfloats[i]);
        check("fma", 3, ".rn.oob.relu", halves[i]);
    }
}

static void check_cases(const char *text, const uint32_t (*cases)[4], unsigned count)
{
    const struct wm_lane_key key = key_of_text(text);
    for (unsigned i = 0; i < count; i++)
        for (enum wm_lane_isa isa = WM_HOST_C; isa <= wm_host_best_isa(); isa++) {
            struct lane_array a, b, c, d;
            for (unsigned l = 0; l < LANES; l++)
                a.narrow[l] = cases[i][0], b.narrow[l] = cases[i][1], c.narrow[l] = cases[i][2];
            wm_lane_find(isa, &key)(&d, &a, &b, &c, UINT32_MAX);
            for (unsigned l = 0; l < LANES; l++)
                cr_expect_eq(d.narrow[l], cases[i][3], "%s, case %u: %x", text, i, d.narrow[l]);
        }
}

// Each half by itself: a factor beyond the bounds makes +0 of it, any other NaN and an addend
// beyond the bounds stay.
Test(bfloat, factors_out_of_bounds)
{
    static const uint32_t halves_of[][4] = {
        {0x3C007FF7, 0x40003C00, 0x3C003C00, 0x42000000}, // 1 * 2 + 1 | NaN * 1 + 1
        {0x40003C00, 0x7FF73C00, 0xBC00BC00, 0x00000000}, // the other factor; 1 * 1 - 1
        {0x7FF77E01, 0x3C003C00, 0x3C003C00, 0x00007FFF}, // an ordinary NaN
        {0x3C003C00, 0x40004000, 0x3C007FF7, 0x42007FFF}, // the addend
        {0x7C007FF6, 0x7FF73C00, 0x3C003C00, 0x00007FFF}, // an infinity | the NaN beside it
    };
    static const uint32_t bfloats_of[][4] = {
        {0x3F807FF7, 0x40003F80, 0x3F803F80, 0x40400000},
        {0x3F803F80, 0x7FF74000, 0xBF80BF80, 0x00003F80},
    };
    check_cases("fma.rn.oob.f16x2", halves_of, 5);
    check_cases("fma.rn.oob.relu.f16x2", halves_of, 5);
    check_cases("fma.rn.oob.bf16x2", bfloats_of, 2);
}

Test(bfloat, extremes)
{
    static const char *const names[] = {"min", "max"};
    for (unsigned n = 0; n < 2; n++)
        for (unsigned i = 0; i < 2; i++) {
            check(names[n], 2, "", bfloats[i]);
            check(names[n], 2, ".NaN", bfloats[i]);
            check(names[n], 2, ".xorsign.abs", bfloats[i]);
            check(names[n], 2, ".NaN.xorsign.abs", bfloats[i]);
            check(names[n], 2, ".xorsign.abs", halves[i]);
            check(names[n], 2, ".NaN.xorsign.abs", halves[i]);
        }
}

// A product on a tie of bf16s moved off it by an addend far below.
Test(bfloat, fma_rounds_once)
{
    static const uint32_t cases[][4] = {
        {0x3f81, 0x3fc0, 0x0000, 0x3fc2}, // 129/128 * 3/2 = 193.5/128: the tie goes to even
        {0x3f81, 0x3fc0, 0x0001, 0x3fc2}, // and just above it goes up
        {0x3f81, 0x3fc0, 0x8001, 0x3fc1}, // below it down
        {0x3f83, 0x3fc0, 0x0000, 0x3fc4}, // 196.5/128: to even, downwards
        {0x3f83, 0x3fc0, 0x0001, 0x3fc5},
    };
    check_cases("fma.rn.bf16", cases, sizeof cases / sizeof cases[0]);
}

// tanh and ex2 of halves: within a unit of the last place of the value in double.
Test(bfloat, functions_of_halves)
{
    static const char *const texts[] = {"tanh.approx.f16", "ex2.approx.f16", "tanh.approx.bf16",
                                        "ex2.approx.ftz.bf16"};
    for (unsigned form = 0; form < 4; form++) {
        const struct wm_lane_key key = key_of_text(texts[form]);
        operation.bfloat = form > 1;
        operation.ftz = false;
        for (uint32_t first = 0; first < 0x10000; first += LANES) {
            struct lane_array a, d;
            for (unsigned l = 0; l < LANES; l++)
                a.narrow[l] = first + l;
            wm_lane_find(wm_host_best_isa(), &key)(&d, &a, NULL, NULL, UINT32_MAX);
            for (unsigned l = 0; l < LANES; l++) {
                const double x = (double)value_of(a.narrow[l]);
                if (form == 3 && fabs(x) < 0x1p-126)
                    continue;
                const double exact = form % 2 ? exp2(x) : tanh(x);
                uint64_t expected = bits_of(exact);
                if (form == 3 && (expected & 0x7f80) == 0)
                    continue;
                const int64_t away = (int64_t)d.narrow[l] - (int64_t)expected;
                cr_assert(away >= -1 && away <= 1, "%s %x: %x, expected %x", texts[form],
                          a.narrow[l], d.narrow[l], (unsigned)expected);
            }
        }
    }
}

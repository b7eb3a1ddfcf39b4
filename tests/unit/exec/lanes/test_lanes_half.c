// Half-precision arithmetic of the plain C build against exact values rounded once.
#include "lanes_check.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct {
    char text[48];
    char name[8];
    bool ftz, sat, nan;
} operation;

static uint64_t flush(uint64_t bits)
{
    return operation.ftz && (bits & 0x7c00) == 0 ? bits & 0x8000 : bits & 0xffff;
}

static bool is(const char *name)
{
    return strcmp(operation.name, name) == 0;
}

// The exact result of halves spans at most 80 bits, so 113 hold it; half_of_value's argument
// has 64. A result that does not fit is bent away from ties in its last bit.
static long double narrowed(__float128 exact)
{
    long double v = (long double)exact;
    if (isnan(v) || isinf(v) || (__float128)v == exact)
        return v;
    return nextafterl(v, exact > (__float128)v ? (long double)INFINITY : -(long double)INFINITY);
}

static uint64_t extreme(uint64_t a, uint64_t b)
{
    const long double x = value_of_half(a), y = value_of_half(b);
    if ((isnan(x) && isnan(y)) || (operation.nan && (isnan(x) || isnan(y))))
        return 0x7fff;
    if (isnan(x) || isnan(y))
        return isnan(x) ? b : a;
    if (x == y)
        return is("min") == (bool)signbit(x) ? a : b;
    return (x < y) == is("min") ? a : b;
}

static uint64_t one_half(uint64_t a, uint64_t b, uint64_t c)
{
    a = flush(a), b = flush(b), c = flush(c);
    if (is("neg"))
        return a ^ 0x8000;
    if (is("abs"))
        return a & 0x7fff;
    if (is("min") || is("max"))
        return extreme(a, b);
    const __float128 x = value_of_half(a), y = value_of_half(b), z = value_of_half(c);
    long double v = narrowed(is("add") ? x + y : is("sub") ? x - y : is("mul") ? x * y : x * y + z);
    if (operation.sat)
        v = isnan(v) || v <= 0 ? 0 : v > 1 ? 1 : v;
    return flush(half_of_value(v, FE_TONEAREST));
}

static uint64_t two_halves(uint64_t a, uint64_t b, uint64_t c)
{
    return one_half(a & 0xffff, b & 0xffff, c & 0xffff) | one_half(a >> 16, b >> 16, c >> 16) << 16;
}

static void check(const char *name, unsigned operands, unsigned flags, bool packed)
{
    snprintf(operation.name, sizeof operation.name, "%s", name);
    operation.ftz = flags & 1, operation.sat = flags & 2, operation.nan = flags & 4;
    snprintf(operation.text, sizeof operation.text, "%s%s%s%s%s.%s", name, is("fma") ? ".rn" : "",
             flags & 1 ? ".ftz" : "", flags & 2 ? ".sat" : "", flags & 4 ? ".NaN" : "",
             packed ? "f16x2" : "f16");
    const uint8_t bits = packed ? 32 : 16;
    const struct lane_check lane_check = {
        .text = operation.text,
        .d_bits = bits,
        .a_bits = bits,
        .b_bits = operands > 1 ? bits : 0,
        .c_bits = operands > 2 ? bits : 0,
        .reference = packed ? two_halves : one_half,
        .is_float = true,
    };
    check_against_reference(&lane_check);
}

Test(half, arithmetic)
{
    static const char *const names[] = {"add", "sub", "mul", "fma"};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned flags = 0; flags < 4; flags++)
            for (unsigned packed = 0; packed < 2; packed++)
                check(names[i], i == 3 ? 3 : 2, flags, packed);
}

Test(half, signs_and_extremes)
{
    for (unsigned ftz = 0; ftz < 2; ftz++)
        for (unsigned packed = 0; packed < 2; packed++) {
            check("neg", 1, ftz, packed);
            check("abs", 1, ftz, packed);
            for (unsigned nan = 0; nan < (ftz && packed ? 1u : 2u); nan++) {
                check("min", 2, ftz | nan << 2, packed);
                check("max", 2, ftz | nan << 2, packed);
            }
        }
}

// A product next to a tie, moved off it by an addend far below: two roundings would fail here.
Test(half, fma_rounds_once)
{
    const struct wm_lane_key key = key_of_text("fma.rn.f16");
    struct lane_array a, b, c, d;
    for (unsigned l = 0; l < LANES; l++) {
        a.narrow[l] = 0x7801;                  // 32,800
        b.narrow[l] = 0x3c00;                  // 1
        c.narrow[l] = l & 1 ? 0x4c00 : 0x4c01; // 16, half a step of a; 16.015625
    }
    for (enum wm_lane_isa isa = WM_LANE_C; isa <= wm_lane_best_isa(); isa++) {
        wm_lane_find(isa, &key)(&d, &a, &b, &c, UINT32_MAX);
        for (unsigned l = 0; l < LANES; l++)
            cr_assert_eq(d.narrow[l], 0x7802); // odd, so the tie goes up too
        for (unsigned l = 0; l < LANES; l++)
            c.narrow[l] = 0x8001; // -2^-24
        for (unsigned l = 0; l < LANES; l++)
            a.narrow[l] = 0x7bff, b.narrow[l] = 0x3c01; // 65,504 * (1 + 2^-10)
        wm_lane_find(isa, &key)(&d, &a, &b, &c, UINT32_MAX);
        for (unsigned l = 0; l < LANES; l++)
            cr_assert_eq(d.narrow[l], 0x7c00);
        for (unsigned l = 0; l < LANES; l++) {
            a.narrow[l] = 0x7801, b.narrow[l] = 0x3c00;
            c.narrow[l] = l & 1 ? 0x4c00 : 0x4c01;
        }
    }
}

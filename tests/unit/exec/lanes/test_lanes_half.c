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

// A product on a tie of halves, moved off it by an addend far below: rounding the sum to a float
// first would lose the addend.
Test(half, fma_rounds_once)
{
    static const struct {
        uint32_t a, b, c, d;
    } cases[] = {
        {0x7801, 0x3c00, 0x4c00, 0x7802}, // 32,800 + 16: the tie goes to the even neighbour
        {0x7800, 0x3c00, 0x4c00, 0x7800}, // 32,768 + 16: downwards
        {0x4200, 0x7009, 0x0001, 0x760e}, // 3 * 8,264 = 24,792 + 2^-24: above the tie
        {0x4200, 0x7009, 0x8001, 0x760d}, // below it
        {0x4200, 0x7009, 0x0000, 0x760e}, // on it
        {0x7bff, 0x3c01, 0x8001, 0x7c00},
    };
    const struct wm_lane_key key = key_of_text("fma.rn.f16");
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(operation.name, sizeof operation.name, "fma");
        cr_expect_eq(one_half(cases[i].a, cases[i].b, cases[i].c), cases[i].d, "case %u: %x", i,
                     (unsigned)one_half(cases[i].a, cases[i].b, cases[i].c));
        for (enum wm_lane_isa isa = WM_HOST_C; isa <= wm_host_best_isa(); isa++) {
            struct lane_array a, b, c, d;
            for (unsigned l = 0; l < LANES; l++)
                a.narrow[l] = cases[i].a, b.narrow[l] = cases[i].b, c.narrow[l] = cases[i].c;
            wm_lane_find(isa, &key)(&d, &a, &b, &c, UINT32_MAX);
            for (unsigned l = 0; l < LANES; l++)
                cr_expect_eq(d.narrow[l], cases[i].d, "case %u: %x", i, d.narrow[l]);
        }
    }
}

Test(half, set)
{
    static const char *const texts[] = {"set.eq.f16.f16", "set.lt.f16x2.f16x2",
                                        "set.neu.ftz.f16x2.f16x2", "set.ge.u16.f16"};
    struct wm_random random;
    wm_random_init(&random, 1, "set");
    for (unsigned round = 0; round < 400; round++) {
        const unsigned form = round % 4;
        const struct wm_lane_key key = key_of_text(texts[form]);
        struct lane_array a, b, d;
        for (unsigned l = 0; l < 2 * LANES; l++) { // two halves a lane
            const uint16_t x = (uint16_t)awkward_value(&random, 16, true);
            const uint16_t y =
                wm_random_below(&random, 3) ? (uint16_t)awkward_value(&random, 16, true) : x;
            memcpy((uint16_t *)a.narrow + l, &x, 2), memcpy((uint16_t *)b.narrow + l, &y, 2);
        }
        wm_lane_find(WM_HOST_C, &key)(&d, &a, &b, NULL, UINT32_MAX);
        operation.ftz = form == 2;
        for (unsigned l = 0; l < LANES; l++) {
            uint32_t expected = 0;
            for (unsigned i = 0; i < (form == 1 || form == 2 ? 2u : 1u); i++) {
                const long double x = value_of_half(flush(a.narrow[l] >> 16 * i & 0xffff));
                const long double y = value_of_half(flush(b.narrow[l] >> 16 * i & 0xffff));
                const bool holds[] = {x == y, x < y, !(x == y), x >= y};
                expected |= (holds[form] ? (form == 3 ? 0xffffu : 0x3c00u) : 0) << 16 * i;
            }
            cr_assert_eq(d.narrow[l], expected, "%s %x %x", texts[form], a.narrow[l], b.narrow[l]);
        }
    }
}

// Conversions of the plain C build against exact values rounded in one obvious step.
#include "lanes_check.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct type {
    const char *name;
    unsigned bits;
    char kind; // u, s, f
};
static const struct type types[] = {{"u8", 8, 'u'},   {"s8", 8, 's'},   {"u16", 16, 'u'},
                                    {"s16", 16, 's'}, {"u32", 32, 'u'}, {"s32", 32, 's'},
                                    {"u64", 64, 'u'}, {"s64", 64, 's'}, {"f16", 16, 'f'},
                                    {"f32", 32, 'f'}, {"f64", 64, 'f'}};
enum { TYPES = sizeof types / sizeof types[0], FIRST_FLOAT = 8 };

static struct {
    char text[48];
    const struct type *to, *from;
    char rounding[5]; // "", "rn", "rni", …
    bool ftz, sat;
} conversion;

// 64 bits of fraction hold every value of every type exactly.
static long double value_of(const struct type *type, uint64_t bits)
{
    if (type->kind == 'u')
        return (long double)bits;
    if (type->kind == 's') {
        const unsigned unused = 64 - type->bits;
        return (long double)((int64_t)(bits << unused) >> unused);
    }
    if (type->bits == 16)
        return value_of_half(bits);
    float f;
    double d;
    memcpy(&f, &bits, 4), memcpy(&d, &bits, 8);
    if (type->bits == 32)
        return conversion.ftz && fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f;
    return d;
}

static int fenv_mode(void)
{
    switch (conversion.rounding[1]) {
    case 'z': return FE_TOWARDZERO;
    case 'm': return FE_DOWNWARD;
    case 'p': return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

static uint64_t float_bits(long double v)
{
    if (conversion.sat)
        v = isnan(v) || v <= 0 ? 0 : v > 1 ? 1 : v;
    if (conversion.to->bits == 16)
        return half_of_value(v, fenv_mode());
    fesetround(fenv_mode());
    volatile float f = 0;
    volatile double d = 0;
    if (conversion.to->bits == 32)
        f = (float)v;
    else
        d = (double)v;
    fesetround(FE_TONEAREST);
    if (conversion.ftz && conversion.to->bits == 32 && fpclassify(f) == FP_SUBNORMAL)
        f = copysignf(0, f);
    float f_copy = f;
    double d_copy = d;
    uint64_t bits = 0;
    if (conversion.to->bits == 32)
        memcpy(&bits, &f_copy, 4);
    else
        memcpy(&bits, &d_copy, 8);
    if (isnan(v))
        return conversion.to->bits == 32 ? 0x7fffffffu : 0x7ff8000000000000u;
    return bits;
}

static long double integral(long double v)
{
    fesetround(fenv_mode());
    volatile long double in = v;
    const long double result = strlen(conversion.rounding) == 3 ? rintl(in) : in;
    fesetround(FE_TONEAREST);
    return result;
}

static uint64_t cut(__int128 v, unsigned bits)
{
    return (uint64_t)v & (bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1);
}

// A result narrower than its register is extended to 16 bits, by sign for s8.
static uint64_t in_register(uint64_t bits)
{
    if (conversion.to->kind == 's' && conversion.to->bits == 8 && (bits & 0x80))
        return bits | 0xff00;
    return bits;
}

static uint64_t convert(uint64_t a, uint64_t b, uint64_t c)
{
    (void)b, (void)c;
    const struct type *to = conversion.to, *from = conversion.from;
    if (to->kind == 'f')
        return float_bits(integral(value_of(from, a)));
    const __int128 low = to->kind == 's' ? -((__int128)1 << (to->bits - 1)) : 0;
    const __int128 high = low + ((__int128)1 << to->bits) - 1;
    if (from->kind == 'f') {
        const long double v = integral(value_of(from, a));
        if (isnan(v)) // PTX ISA 9.7.9.21
            return in_register(from->bits != 64 && to->bits != 64 ? 0
                                                                  : (uint64_t)1 << (to->bits - 1));
        return in_register(cut(v < (long double)low    ? low
                               : v > (long double)high ? high
                                                       : (__int128)v,
                               to->bits));
    }
    __int128 v = (__int128)value_of(from, a);
    if (conversion.sat)
        v = v < low ? low : v > high ? high : v;
    return in_register(cut(v, to->bits));
}

static void check(const struct type *to, const struct type *from, const char *rounding, bool ftz,
                  bool sat)
{
    conversion.to = to, conversion.from = from, conversion.ftz = ftz, conversion.sat = sat;
    snprintf(conversion.rounding, sizeof conversion.rounding, "%s", rounding);
    snprintf(conversion.text, sizeof conversion.text, "cvt%s%s%s%s.%s.%s", *rounding ? "." : "",
             rounding, ftz ? ".ftz" : "", sat ? ".sat" : "", to->name, from->name);
    const struct lane_check lane_check = {
        .text = conversion.text,
        .d_bits = (uint8_t)(to->bits < 16 ? 16 : to->bits),
        .a_bits = (uint8_t)from->bits,
        .reference = convert,
        .is_float = from->kind == 'f',
    };
    check_against_reference(&lane_check);
}

Test(convert, integer_to_integer)
{
    for (unsigned to = 0; to < FIRST_FLOAT; to++)
        for (unsigned from = 0; from < FIRST_FLOAT; from++)
            for (unsigned sat = 0; sat < 2; sat++)
                check(&types[to], &types[from], "", false, sat);
}

Test(convert, integer_to_float)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    for (unsigned to = FIRST_FLOAT; to < TYPES; to++)
        for (unsigned from = 0; from < FIRST_FLOAT; from++)
            for (unsigned r = 0; r < 4; r++)
                for (unsigned sat = 0; sat < (types[to].bits == 16 ? 1u : 2u); sat++)
                    check(&types[to], &types[from], roundings[r], false, sat);
}

Test(convert, float_to_integer)
{
    static const char *const roundings[] = {"rni", "rzi", "rmi", "rpi"};
    for (unsigned to = 0; to < FIRST_FLOAT; to++)
        for (unsigned from = FIRST_FLOAT; from < TYPES; from++)
            for (unsigned r = 0; r < 4; r++)
                for (unsigned flags = 0; flags < (types[from].bits == 32 ? 4u : 2u); flags++)
                    check(&types[to], &types[from], roundings[r], flags & 2, flags & 1);
}

Test(convert, float_to_the_same_float)
{
    static const char *const roundings[] = {"", "rni", "rzi", "rmi", "rpi"};
    for (unsigned t = FIRST_FLOAT; t < TYPES; t++)
        for (unsigned r = 0; r < 5; r++)
            for (unsigned flags = 0; flags < (types[t].bits == 32 ? 4u : 2u); flags++)
                check(&types[t], &types[t], roundings[r], flags & 2, flags & 1);
}

Test(convert, float_to_wider_float)
{
    for (unsigned to = FIRST_FLOAT; to < TYPES; to++)
        for (unsigned from = FIRST_FLOAT; from < to; from++)
            for (unsigned sat = 0; sat < 2; sat++)
                for (unsigned ftz = 0; ftz < (from + to == 2 * FIRST_FLOAT + 2 ? 1u : 2u); ftz++)
                    check(&types[to], &types[from], "", ftz, sat);
}

Test(convert, float_to_narrower_float)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    for (unsigned to = FIRST_FLOAT; to < TYPES; to++)
        for (unsigned from = to + 1; from < TYPES; from++)
            for (unsigned r = 0; r < 4; r++)
                for (unsigned flags = 0; flags < 4; flags++)
                    if (!(flags & 2) || from + to != 2 * FIRST_FLOAT + 2)
                        check(&types[to], &types[from], roundings[r], flags & 2, flags & 1);
}

// A half is small enough to try all of them.
Test(convert, every_half_survives_a_round_trip)
{
    const struct wm_lane_key widen = key_of_text("cvt.f32.f16"),
                             narrow = key_of_text("cvt.rn.f16.f32");
    for (enum wm_lane_isa isa = WM_HOST_C; isa <= wm_host_best_isa(); isa++)
        for (uint32_t first = 0; first < 0x10000; first += LANES) {
            struct lane_array half, wide;
            for (unsigned l = 0; l < LANES; l++)
                half.narrow[l] = first + l;
            wm_lane_find(isa, &widen)(&wide, &half, NULL, NULL, UINT32_MAX);
            wm_lane_find(isa, &narrow)(&half, &wide, NULL, NULL, UINT32_MAX);
            for (unsigned l = 0; l < LANES; l++) {
                const uint32_t bits = first + l;
                const bool is_nan = (bits & 0x7fff) > 0x7c00;
                cr_assert_eq(half.narrow[l], is_nan ? 0x7fff : bits);
            }
        }
}

// bf16 is the upper half of a float, so the reference is an addition of half a step.
Test(convert, bf16)
{
    const struct wm_lane_key to = key_of_text("cvt.rn.bf16.f32"),
                             cut_off = key_of_text("cvt.rz.bf16.f32"),
                             back = key_of_text("cvt.f32.bf16");
    struct wm_random random;
    wm_random_init(&random, 1, "bf16");
    for (unsigned round = 0; round < 500; round++) {
        struct lane_array a, d, z, wide;
        for (unsigned l = 0; l < LANES; l++)
            a.narrow[l] = (uint32_t)awkward_value(&random, 32, true);
        wm_lane_find(WM_HOST_C, &to)(&d, &a, NULL, NULL, UINT32_MAX);
        wm_lane_find(WM_HOST_C, &cut_off)(&z, &a, NULL, NULL, UINT32_MAX);
        wm_lane_find(WM_HOST_C, &back)(&wide, &d, NULL, NULL, UINT32_MAX);
        for (unsigned l = 0; l < LANES; l++) {
            const uint32_t bits = a.narrow[l], low = bits & 0xffff, upper = bits >> 16;
            const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
            const bool up = low > 0x8000 || (low == 0x8000 && upper & 1);
            cr_assert_eq(d.narrow[l], is_nan ? 0x7fff : upper + up);
            cr_assert_eq(z.narrow[l], is_nan ? 0x7fff : upper);
            cr_assert_eq(wide.narrow[l], is_nan ? 0x7fffffff : (upper + up) << 16);
        }
    }
}

Test(convert, pairs)
{
    static const char *const pairs[] = {"cvt.rn.f16x2.f32", "cvt.rz.f16x2.f32", "cvt.rn.bf16x2.f32",
                                        "cvt.rz.bf16x2.f32"};
    static const char *const singles[] = {"cvt.rn.f16.f32", "cvt.rz.f16.f32", "cvt.rn.bf16.f32",
                                          "cvt.rz.bf16.f32"};
    struct wm_random random;
    wm_random_init(&random, 1, "pairs");
    for (unsigned round = 0; round < 200; round++) {
        const struct wm_lane_key pair = key_of_text(pairs[round % 4]),
                                 single = key_of_text(singles[round % 4]);
        struct lane_array a, b, high, low, d;
        for (unsigned l = 0; l < LANES; l++) {
            a.narrow[l] = (uint32_t)awkward_value(&random, 32, true);
            b.narrow[l] = (uint32_t)awkward_value(&random, 32, true);
        }
        wm_lane_find(WM_HOST_C, &pair)(&d, &a, &b, NULL, UINT32_MAX);
        wm_lane_find(WM_HOST_C, &single)(&high, &a, NULL, NULL, UINT32_MAX);
        wm_lane_find(WM_HOST_C, &single)(&low, &b, NULL, NULL, UINT32_MAX);
        for (unsigned l = 0; l < LANES; l++)
            cr_assert_eq(d.narrow[l], high.narrow[l] << 16 | low.narrow[l]);
    }
}

// cvt.pack: each source to the nearest end of the range, b below a; up to 8 bits c above both.
static uint64_t packed(uint64_t a, uint64_t b, uint64_t c, int bits, bool is_signed)
{
    const int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    const int64_t high = ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
    const uint64_t ones = ((uint64_t)1 << bits) - 1;
    const int64_t values[] = {(int32_t)b, (int32_t)a};
    uint64_t d = bits == 16 ? 0 : c << 2 * bits;
    for (int i = 0; i < 2; i++) {
        const int64_t inside = values[i] < low ? low : values[i] > high ? high : values[i];
        d |= ((uint64_t)inside & ones) << i * bits;
    }
    return d & UINT32_MAX;
}
#define PACKS(bits)                                                  \
    static uint64_t pack_u##bits(uint64_t a, uint64_t b, uint64_t c) \
    {                                                                \
        return packed(a, b, c, bits, false);                         \
    }                                                                \
    static uint64_t pack_s##bits(uint64_t a, uint64_t b, uint64_t c) \
    {                                                                \
        return packed(a, b, c, bits, true);                          \
    }
PACKS(2)
PACKS(4)
PACKS(8)
PACKS(16)

Test(convert, packs)
{
    static const struct lane_check checks[] = {
        {"cvt.pack.sat.u16.s32", 32, 32, 32, 0, pack_u16, false},
        {"cvt.pack.sat.s16.s32", 32, 32, 32, 0, pack_s16, false},
        {"cvt.pack.sat.u8.s32.b32", 32, 32, 32, 32, pack_u8, false},
        {"cvt.pack.sat.s8.s32.b32", 32, 32, 32, 32, pack_s8, false},
        {"cvt.pack.sat.u4.s32.b32", 32, 32, 32, 32, pack_u4, false},
        {"cvt.pack.sat.s4.s32.b32", 32, 32, 32, 32, pack_s4, false},
        {"cvt.pack.sat.u2.s32.b32", 32, 32, 32, 32, pack_u2, false},
        {"cvt.pack.sat.s2.s32.b32", 32, 32, 32, 32, pack_s2, false},
    };
    CHECK_ALL(checks);
}

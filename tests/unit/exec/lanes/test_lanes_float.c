// Floating-point arithmetic of the plain C build against wider arithmetic rounded once.
#include "lanes_check.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The operation under test: references take bits only, so this says the rest.
static struct {
    char text[48];
    char name[8]; // add, sub, mul, div, fma, rcp, sqrt, min, max, …
    int mode;     // fenv's
    bool nearest, ftz, sat, nan, f64;
} operation;

static long double value_of(uint64_t bits)
{
    double d;
    float f;
    if (operation.f64) {
        memcpy(&d, &bits, 8);
        return d;
    }
    uint32_t low = (uint32_t)bits;
    if (operation.ftz && (low & 0x7f800000u) == 0)
        low &= 0x80000000u;
    memcpy(&f, &low, 4);
    return f;
}

static uint64_t bits_of(long double v)
{
    uint64_t bits = 0;
    if (operation.f64) {
        volatile double d = (double)v;
        double copy = d;
        memcpy(&bits, &copy, 8);
        return isnan(copy) ? 0x7ff8000000000000u : bits;
    }
    volatile float f = (float)v;
    if (operation.ftz && fpclassify(f) == FP_SUBNORMAL)
        f = copysignf(0, f);
    if (operation.sat)
        f = isnan(f) || f <= 0 ? 0 : f > 1 ? 1 : f;
    float copy = f;
    memcpy(&bits, &copy, 4);
    return isnan(copy) ? 0x7fffffffu : bits;
}

static volatile long double operand_x, operand_y, operand_z;

static long double compute(void)
{
    if (strcmp(operation.name, "add") == 0)
        return operand_x + operand_y;
    if (strcmp(operation.name, "sub") == 0)
        return operand_x - operand_y;
    if (strcmp(operation.name, "mul") == 0)
        return operand_x * operand_y;
    if (strcmp(operation.name, "div") == 0)
        return operand_x / operand_y;
    if (strcmp(operation.name, "rcp") == 0)
        return 1 / operand_x;
    if (strcmp(operation.name, "sqrt") == 0)
        return sqrtl(operand_x);
    return operand_x * operand_y + operand_z; // the product of two floats is exact in 64 bits
}

// Directed: rounding twice in one direction is rounding once. To nearest: the wide result is
// rounded to odd (its last bit is set when it is inexact), so the second rounding sees which side
// of a tie it was on (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
static uint64_t arithmetic(uint64_t a, uint64_t b, uint64_t c)
{
    operand_x = value_of(a), operand_y = value_of(b), operand_z = value_of(c);
    fesetround(operation.nearest ? FE_TOWARDZERO : operation.mode);
    feclearexcept(FE_ALL_EXCEPT);
    volatile long double exact = compute();
    if (operation.nearest) {
        if (fetestexcept(FE_INEXACT)) {
            long double odd = exact;
            unsigned char bytes[sizeof odd];
            memcpy(bytes, &odd, sizeof odd);
            bytes[0] |= 1;
            memcpy(&odd, bytes, sizeof odd);
            exact = odd;
        }
        fesetround(FE_TONEAREST);
    }
    const uint64_t result = bits_of(exact);
    fesetround(FE_TONEAREST);
    return result;
}

// The same for fma.f64, whose product needs 106 bits.
static uint64_t fused_f64(uint64_t a, uint64_t b, uint64_t c)
{
    const volatile __float128 x = (double)value_of(a), y = (double)value_of(b);
    const volatile __float128 z = (double)value_of(c);
    fesetround(operation.nearest ? FE_TOWARDZERO : operation.mode);
    feclearexcept(FE_ALL_EXCEPT);
    volatile __float128 product = x * y;
    volatile __float128 exact = product + z;
    if (operation.nearest) {
        if (fetestexcept(FE_INEXACT)) {
            __float128 odd = exact;
            unsigned char bytes[sizeof odd];
            memcpy(bytes, &odd, sizeof odd);
            bytes[0] |= 1;
            memcpy(&odd, bytes, sizeof odd);
            exact = odd;
        }
        fesetround(FE_TONEAREST);
    }
    volatile double d = (double)exact;
    fesetround(FE_TONEAREST);
    double copy = d;
    uint64_t bits;
    memcpy(&bits, &copy, 8);
    return isnan(copy) ? 0x7ff8000000000000u : bits;
}

static void check_operation(unsigned operands, lane_reference *reference)
{
    const uint8_t bits = operation.f64 ? 64 : 32;
    const struct lane_check check = {
        .text = operation.text,
        .d_bits = bits,
        .a_bits = bits,
        .b_bits = operands > 1 ? bits : 0,
        .c_bits = operands > 2 ? bits : 0,
        .reference = reference,
        .is_float = true,
    };
    check_against_reference(&check);
}

static void describe(const char *name, const char *rounding, bool ftz, bool sat, bool f64)
{
    memset(&operation, 0, sizeof operation);
    snprintf(operation.name, sizeof operation.name, "%s", name);
    snprintf(operation.text, sizeof operation.text, "%s%s%s%s%s", name, rounding, ftz ? ".ftz" : "",
             sat ? ".sat" : "", f64 ? ".f64" : ".f32");
    operation.ftz = ftz, operation.sat = sat, operation.f64 = f64;
    operation.nearest = *rounding == 0 || strcmp(rounding, ".rn") == 0;
    operation.mode = strcmp(rounding, ".rz") == 0   ? FE_TOWARDZERO
                     : strcmp(rounding, ".rm") == 0 ? FE_DOWNWARD
                     : strcmp(rounding, ".rp") == 0 ? FE_UPWARD
                                                    : FE_TONEAREST;
}

static const char *const roundings[] = {".rn", ".rz", ".rm", ".rp"};

static void check_family(const char *name, unsigned operands, bool can_saturate)
{
    for (unsigned r = 0; r < 4; r++) {
        for (unsigned flags = 0; flags < (can_saturate ? 4u : 2u); flags++) {
            describe(name, roundings[r], flags & 1, flags & 2, false);
            check_operation(operands, arithmetic);
        }
        describe(name, roundings[r], false, false, true);
        check_operation(operands, operands == 3 ? fused_f64 : arithmetic);
    }
}

Test(floats, add)
{
    check_family("add", 2, true);
}
Test(floats, sub)
{
    check_family("sub", 2, true);
}
Test(floats, mul)
{
    check_family("mul", 2, true);
}
Test(floats, fma)
{
    check_family("fma", 3, true);
}
Test(floats, mad_is_fma)
{
    check_family("mad", 3, true);
}
Test(floats, div)
{
    check_family("div", 2, false);
}
Test(floats, rcp)
{
    check_family("rcp", 1, false);
}
Test(floats, sqrt)
{
    check_family("sqrt", 1, false);
}

Test(floats, default_rounding_is_nearest)
{
    static const char *const names[] = {"add", "sub", "mul"};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned f64 = 0; f64 < 2; f64++) {
            describe(names[i], "", false, false, f64);
            check_operation(2, arithmetic);
        }
}

static uint64_t extreme(uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    const long double x = value_of(a), y = value_of(b);
    const bool smaller = strcmp(operation.name, "min") == 0;
    if ((isnan(x) && isnan(y)) || (operation.nan && (isnan(x) || isnan(y))))
        return bits_of((long double)NAN);
    if (isnan(x) || isnan(y))
        return bits_of(isnan(x) ? y : x);
    if (x == y) // zeros of two signs: the negative one is smaller
        return bits_of(smaller == (bool)signbit(x) ? x : y);
    return bits_of((x < y) == smaller ? x : y);
}

Test(floats, extremes)
{
    static const char *const names[] = {"min", "max"};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned flags = 0; flags < 4; flags++) {
            describe(names[i], flags & 1 ? ".ftz" : "", false, false, false);
            operation.ftz = flags & 1, operation.nan = flags & 2;
            if (operation.nan)
                snprintf(operation.text, sizeof operation.text, "%s%s.NaN.f32", names[i],
                         flags & 1 ? ".ftz" : "");
            check_operation(2, extreme);
        }
        describe(names[i], "", false, false, true);
        check_operation(2, extreme);
    }
}

static uint64_t sign_operation(uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    const uint64_t top = operation.f64 ? (uint64_t)1 << 63 : 0x80000000u;
    if (operation.ftz && (a & 0x7f800000u) == 0)
        a &= top;
    if (strcmp(operation.name, "abs") == 0)
        return a & ~top;
    if (strcmp(operation.name, "neg") == 0)
        return a ^ top;
    return (a & top) | (b & ~top);
}

Test(floats, signs)
{
    static const char *const names[] = {"abs", "neg", "copysig"};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned form = 0; form < (i == 2 ? 2u : 3u); form++) { // f32, f64, ftz.f32
            describe(names[i], "", form == 2, false, form == 1);
            if (i == 2)
                snprintf(operation.text, sizeof operation.text, "copysign%s",
                         form == 1 ? ".f64" : ".f32");
            check_operation(i == 2 ? 2 : 1, sign_operation);
        }
}

// Cases whose answers are known without any arithmetic of the host.
Test(floats, planted)
{
    static const struct {
        const char *text;
        uint64_t a, b, c, d;
    } cases[] = {
        {"fma.rn.f64", 0x3ff0000000000001, 0x3feffffffffffffe, 0xbff0000000000000,
         0xb970000000000000},
        {"fma.rn.f32", 0x3f800001, 0x3f7ffffe, 0xbf800000, 0xa8800000},
        {"add.rm.f32", 0x3f800000, 0xbf800000, 0, 0x80000000},
        {"add.rn.f32", 0x3f800000, 0xbf800000, 0, 0},
        {"add.rz.f32", 0x7f7fffff, 0x7f7fffff, 0, 0x7f7fffff},
        {"add.rp.f32", 0x7f7fffff, 0x00000001, 0, 0x7f800000},
        {"mul.rm.f32", 0x00000001, 0x00000001, 0, 0},
        {"mul.rp.f32", 0x00000001, 0x00000001, 0, 1},
        {"mul.rn.ftz.f32", 0x00800000, 0x3f000000, 0, 0},
        {"mul.rn.f32", 0x00800000, 0x3f000000, 0, 0x00400000},
        {"add.rn.f32", 0x7f800000, 0xff800000, 0, 0x7fffffff},
        {"add.f32", 0x7f800001, 0x3f800000, 0, 0x7fffffff},
        {"div.rn.f32", 0x3f800000, 0x40400000, 0, 0x3eaaaaab},
        {"sqrt.rn.f32", 0xbf800000, 0, 0, 0x7fffffff},
        {"sqrt.rn.f32", 0x80000000, 0, 0, 0x80000000},
        {"rcp.rn.f64", 0x8000000000000000, 0, 0, 0xfff0000000000000},
        {"add.sat.f32", 0x7fc00000, 0x3f800000, 0, 0},
        {"mul.sat.f32", 0x40000000, 0x40000000, 0, 0x3f800000},
        {"max.f32", 0x80000000, 0, 0, 0},
        {"min.f32", 0, 0x80000000, 0, 0x80000000},
        {"max.f32", 0x7fc00000, 0xff800000, 0, 0xff800000},
        {"abs.f32", 0xffc12345, 0, 0, 0x7fc12345},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct wm_lane_key key = key_of_text(cases[i].text);
        const unsigned bytes = key.type == WM_PTX_f64 ? 8 : 4;
        struct lane_array a, b, c, d;
        for (unsigned l = 0; l < LANES; l++) {
            set_lane(&a, bytes, l, cases[i].a), set_lane(&b, bytes, l, cases[i].b);
            set_lane(&c, bytes, l, cases[i].c), set_lane(&d, bytes, l, 0);
        }
        for (enum wm_lane_isa isa = WM_HOST_C; isa <= wm_host_best_isa(); isa++) {
            wm_lane_find(isa, &key)(&d, &a, &b, &c, 0x80000001u);
            cr_assert_eq(lane_of(&d, bytes, 31), cases[i].d, "%s (case %u, %s): %llx",
                         cases[i].text, i, wm_host_isa_name(isa),
                         (unsigned long long)lane_of(&d, bytes, 31));
        }
    }
}

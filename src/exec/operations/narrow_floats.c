// Formats below f64: see narrow_floats.h.
#include "exec/operations/narrow_floats.h"

#include <math.h>
#include <string.h>

double wm_float_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

uint64_t wm_float_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

const struct wm_float_format *wm_float_format(wm_ptx_type type)
{
    // e4m3 has one NaN a sign, where others have infinity (PTX ISA 5.2.3).
    static const struct wm_float_format f16 = {10, 5, 15, true, 0x7BFF, 0x7FFF},
                                        bf16 = {7, 8, 127, true, 0x7F7F, 0x7FFF},
                                        f32 = {23, 8, 127, true, 0x7F7FFFFF, 0x7FFFFFFF},
                                        tf32 = {10, 8, 127, true, 0x3FBFF, 0x3FFFF},
                                        e4m3 = {3, 4, 7, false, 0x7E, 0x7F},
                                        e5m2 = {2, 5, 15, true, 0x7B, 0x7F};
    switch ((int)type) {
    case WM_PTX_f16:
    case WM_PTX_f16x2: return &f16;
    case WM_PTX_bf16:
    case WM_PTX_bf16x2: return &bf16;
    case WM_PTX_f32: return &f32;
    case WM_PTX_tf32: return &tf32;
    case WM_PTX_e4m3:
    case WM_PTX_e4m3x2: return &e4m3;
    case WM_PTX_e5m2:
    case WM_PTX_e5m2x2: return &e5m2;
    default: return NULL;
    }
}

static unsigned sign_place(const struct wm_float_format *format)
{
    return format->fraction_bits + format->exponent_bits;
}

double wm_float_decode(const struct wm_float_format *format, uint32_t bits)
{
    uint32_t sign = bits >> sign_place(format) & 1;
    uint32_t magnitude = bits & ((UINT32_C(1) << sign_place(format)) - 1);
    uint32_t fraction = magnitude & ((UINT32_C(1) << format->fraction_bits) - 1);
    int exponent = (int)(magnitude >> format->fraction_bits);
    double value;
    if (magnitude > format->largest)
        value = format->has_infinity && fraction == 0 ? INFINITY : NAN;
    else if (exponent == 0)
        value = ldexp(fraction, 1 - format->bias - (int)format->fraction_bits);
    else
        value = ldexp(fraction + (double)(UINT32_C(1) << format->fraction_bits),
                      exponent - format->bias - (int)format->fraction_bits);
    return sign ? -value : value;
}

static bool rounds_away(enum wm_ptx_modifier rounding, bool negative, bool odd, uint64_t rest,
                        uint64_t half)
{
    switch ((int)rounding) {
    case WM_PTX_rz: return false;
    case WM_PTX_rm: return negative && rest;
    case WM_PTX_rp: return !negative && rest;
    case WM_PTX_rna: return rest >= half;
    default: return rest > half || (rest == half && odd);
    }
}

static uint32_t beyond(const struct wm_float_format *format, enum wm_ptx_modifier rounding,
                       bool negative, bool satfinite)
{
    bool stays = rounding == WM_PTX_rz || (rounding == WM_PTX_rm && !negative) ||
                 (rounding == WM_PTX_rp && negative);
    if (satfinite || stays)
        return format->largest;
    return format->has_infinity ? format->largest + 1 : format->nan;
}

uint32_t wm_float_encode(const struct wm_float_format *format, double value,
                         enum wm_ptx_modifier rounding, bool satfinite)
{
    uint64_t bits = wm_float_bits(value);
    bool negative = bits >> 63;
    uint32_t sign = (negative ? UINT32_C(1) : 0) << sign_place(format);
    if (isnan(value))
        return format->nan;
    if (isinf(value)) {
        uint32_t end = format->has_infinity ? format->largest + 1 : format->nan;
        return (satfinite ? format->largest : end) | sign;
    }
    if (value == 0)
        return sign;
    int exponent;
    uint64_t significand = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53); // exact
    exponent--;                                                                // of its first bit
    int least = 1 - format->bias, places = 52 - (int)format->fraction_bits;
    if (exponent < least)
        places += least - exponent;
    uint64_t kept = places > 62 ? 0 : significand >> places;
    uint64_t rest = places > 62 ? 1 : significand & ((UINT64_C(1) << places) - 1);
    uint64_t half = places > 62 ? 2 : UINT64_C(1) << (places - 1);
    kept += rounds_away(rounding, negative, kept & 1, rest, half);
    // A subnormal's `kept` is its code; of a normal one the leading bit adds one to the exponent.
    uint64_t code = kept;
    if (exponent >= least)
        code += (uint64_t)(exponent - least) << format->fraction_bits;
    if (code > format->largest)
        code = beyond(format, rounding, negative, satfinite);
    return (uint32_t)code == format->nan ? format->nan : (uint32_t)code | sign;
}

double wm_float_sum_to_odd(double a, double b)
{
    double sum = a + b, back = sum - a, error = (a - (sum - back)) + (b - back);
    uint64_t bits = wm_float_bits(sum);
    if (!isfinite(sum) || error == 0 || (bits & 1))
        return sum;
    return wm_float_of_bits((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

double wm_float_of_unsigned(uint64_t value)
{
    if (value >> 53 == 0)
        return (double)value;
    uint64_t lost = value & 0x7FF;
    return ldexp((double)((value >> 11) | (lost ? 1 : 0)), 11);
}

double wm_float_of_signed(int64_t value)
{
    return value < 0 ? -wm_float_of_unsigned(0 - (uint64_t)value)
                     : wm_float_of_unsigned((uint64_t)value);
}

double wm_float_to_integral(double value, enum wm_ptx_modifier rounding)
{
    switch ((int)rounding) {
    case WM_PTX_rzi: return trunc(value);
    case WM_PTX_rmi: return floor(value);
    case WM_PTX_rpi: return ceil(value);
    case WM_PTX_rni: return nearbyint(value);
    default: return value;
    }
}

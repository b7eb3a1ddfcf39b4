#include "float_values.h"

#include <math.h>

struct format {
    unsigned fraction, exponent; // bits
    uint64_t largest, nan;
    bool has_infinity;
};

static struct format format_of(wm_ptx_type type)
{
    switch ((int)type) {
    case WM_PTX_f16: return (struct format){10, 5, 0x7BFF, 0x7FFF, true};
    case WM_PTX_bf16: return (struct format){7, 8, 0x7F7F, 0x7FFF, true};
    case WM_PTX_e4m3: return (struct format){3, 4, 0x7E, 0x7F, false};
    case WM_PTX_e5m2: return (struct format){2, 5, 0x7B, 0x7F, true};
    case WM_PTX_tf32: return (struct format){10, 8, 0x3FBFF, 0x3FFFF, true};
    case WM_PTX_f32: return (struct format){23, 8, 0x7F7FFFFF, 0x7FFFFFFF, true};
    default:
        return (struct format){52, 11, UINT64_C(0x7FEFFFFFFFFFFFFF), UINT64_C(0x7FF8000000000000),
                               true};
    }
}

static long double float_value(struct format format, uint64_t bits)
{
    int bias = (1 << (format.exponent - 1)) - 1;
    uint64_t fraction = bits & ((UINT64_C(1) << format.fraction) - 1);
    int exponent = (int)(bits >> format.fraction & ((UINT64_C(1) << format.exponent) - 1));
    long double sign = bits >> (format.fraction + format.exponent) & 1 ? -1 : 1;
    long double unit = (long double)(UINT64_C(1) << format.fraction);
    if (format.has_infinity && exponent == (1 << format.exponent) - 1)
        return fraction ? (long double)NAN : sign * (long double)INFINITY;
    if (!format.has_infinity && (bits & format.nan) == format.nan)
        return (long double)NAN;
    if (exponent == 0)
        return sign * ldexpl((long double)fraction / unit, 1 - bias);
    return sign * ldexpl((unit + (long double)fraction) / unit, exponent - bias);
}

long double value_of_bits(wm_ptx_type type, uint64_t bits)
{
    switch ((int)type) {
    case WM_PTX_s8: return (int8_t)bits;
    case WM_PTX_s16: return (int16_t)bits;
    case WM_PTX_s32: return (int32_t)bits;
    case WM_PTX_s64: return (int64_t)bits;
    case WM_PTX_u8:
    case WM_PTX_b8: return (uint8_t)bits;
    case WM_PTX_u16:
    case WM_PTX_b16: return (uint16_t)bits;
    case WM_PTX_u32:
    case WM_PTX_b32: return (uint32_t)bits;
    case WM_PTX_u64:
    case WM_PTX_b64: return (long double)bits;
    case WM_PTX_tf32: return float_value(format_of(WM_PTX_f32), bits);
    default: return float_value(format_of(type), bits);
    }
}

long double whole_value(long double value, enum wm_ptx_modifier rounding)
{
    switch ((int)rounding) {
    case WM_PTX_rn:
    case WM_PTX_rni: return rintl(value);
    case WM_PTX_rz:
    case WM_PTX_rzi: return truncl(value);
    case WM_PTX_rm:
    case WM_PTX_rmi: return floorl(value);
    case WM_PTX_rp:
    case WM_PTX_rpi: return ceill(value);
    case WM_PTX_rna: return roundl(value);
    default: return value;
    }
}

uint64_t bits_of_value(wm_ptx_type type, long double value, enum wm_ptx_modifier rounding,
                       bool saturates)
{
    struct format format = format_of(type);
    int bias = (1 << (format.exponent - 1)) - 1;
    uint64_t sign = signbit(value) ? UINT64_C(1) << (format.fraction + format.exponent) : 0;
    uint64_t beyond = saturates || !format.has_infinity ? format.largest : format.largest + 1;
    if (isnan(value))
        return format.nan;
    if (isinf(value))
        return sign | beyond;
    if (value == 0)
        return sign;
    int exponent = ilogbl(value) < 1 - bias ? 1 - bias : ilogbl(value);
    long double units = whole_value(ldexpl(value, (int)format.fraction - exponent),
                                    rounding == WM_PTX_none ? WM_PTX_rn : rounding);
    // A carry out of the fraction is one more in the exponent.
    uint64_t bits = (uint64_t)fabsl(units) + ((uint64_t)(exponent + bias - 1) << format.fraction);
    if (bits <= format.largest)
        return sign | bits;
    bool stays = rounding == WM_PTX_rz || (rounding == WM_PTX_rm && !sign) ||
                 (rounding == WM_PTX_rp && sign);
    return sign | (stays ? format.largest : beyond);
}

wm_ptx_type element_type(wm_ptx_type type)
{
    switch ((int)type) {
    case WM_PTX_f16x2: return WM_PTX_f16;
    case WM_PTX_bf16x2: return WM_PTX_bf16;
    case WM_PTX_u16x2: return WM_PTX_u16;
    case WM_PTX_s16x2: return WM_PTX_s16;
    case WM_PTX_e4m3x2: return WM_PTX_e4m3;
    case WM_PTX_e5m2x2: return WM_PTX_e5m2;
    default: return type;
    }
}

bool is_subnormal(wm_ptx_type type, uint64_t bits)
{
    struct format format = format_of(type);
    return (bits >> format.fraction & ((UINT64_C(1) << format.exponent) - 1)) == 0 &&
           (bits & ((UINT64_C(1) << format.fraction) - 1)) != 0;
}

// Conversions to and from bf16, tf32 and the 8-bit floats, and those with .relu or .satfinite (PTX
// ISA 9.7.9.21).
#include "exec/operations/scalar_ops.h"

#include "exec/operations/narrow_floats.h"

#include <math.h>

static double source_value(const struct wm_scalar_form *form, wm_ptx_type type, uint64_t bits)
{
    const struct wm_float_format *format = wm_float_format(type);
    if (format) {
        uint32_t word = (uint32_t)bits;
        if (type == WM_PTX_f32 && form->ftz && !(word & 0x7F800000))
            word &= 0x80000000;
        return wm_float_decode(format, word);
    }
    switch ((int)type) {
    case WM_PTX_f64: return wm_float_of_bits(bits);
    case WM_PTX_s16: return (int16_t)bits;
    case WM_PTX_u16: return (uint16_t)bits;
    case WM_PTX_s8: return (int8_t)bits;
    case WM_PTX_u8: return (uint8_t)bits;
    case WM_PTX_s32: return (int32_t)bits;
    case WM_PTX_u32: return (uint32_t)bits;
    case WM_PTX_s64: return wm_float_of_signed((int64_t)bits);
    default: return wm_float_of_unsigned(bits);
    }
}

static uint32_t encoded(const struct wm_scalar_form *form, wm_ptx_type type, double value)
{
    if (form->sat)
        value = !(value > 0) ? 0 : value > 1 ? 1 : value;
    if (form->relu && signbit(value) && !isnan(value))
        value = 0;
    uint32_t bits = wm_float_encode(wm_float_format(type), value, form->rounding, form->satfinite);
    if (type == WM_PTX_f32 && form->ftz && !(bits & 0x7F800000))
        bits &= 0x80000000;
    // A tf32 is a f32 whose low 13 bits do not count.
    return type == WM_PTX_tf32 ? bits << 13 : bits;
}

static bool is_pair(wm_ptx_type type)
{
    return type == WM_PTX_f16x2 || type == WM_PTX_bf16x2 || type == WM_PTX_e4m3x2 ||
           type == WM_PTX_e5m2x2;
}

static unsigned half_bits(wm_ptx_type type)
{
    return 4 * wm_ptx_type_bytes(type);
}

static void to_float(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    wm_ptx_type type = form->instruction->type, source = form->instruction->type2;
    double value = wm_float_to_integral(source_value(form, source, s[0]), form->rounding);
    results[0] =
        type == WM_PTX_f64 ? wm_float_bits(isnan(value) ? NAN : value) : encoded(form, type, value);
}

// Of two sources the first goes into the upper half, which is also the upper half of a pair.
static void to_pair(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    wm_ptx_type type = form->instruction->type, source = form->instruction->type2;
    bool from_pair = is_pair(source);
    unsigned from = half_bits(source);
    uint64_t ones = (UINT64_C(1) << from) - 1;
    uint64_t high = from_pair ? s[0] >> from & ones : s[0], low = from_pair ? s[0] & ones : s[1];
    results[0] = encoded(form, type, source_value(form, source, low)) |
                 (uint64_t)encoded(form, type, source_value(form, source, high)) << half_bits(type);
}

// A float beyond the range goes to its nearest end, a NaN to 0, or for 64 bits to the top bit (as
// in lanes_convert.inc).
static void to_integer(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    wm_ptx_type type = form->instruction->type;
    double value = source_value(form, form->instruction->type2, s[0]);
    unsigned bits = 8 * wm_ptx_type_bytes(type);
    bool is_signed = wm_ptx_type_is_signed(type);
    double end = ldexp(1, (int)bits - (is_signed ? 1 : 0)), low = is_signed ? -end : 0;
    uint64_t top = UINT64_C(1) << (bits - 1);
    value = wm_float_to_integral(value, form->rounding);
    if (isnan(value))
        results[0] = bits == 64 ? top : 0;
    else if (value >= end)
        results[0] = is_signed ? top - 1 : top | (top - 1);
    else if (value <= low)
        results[0] = is_signed ? top : 0;
    else
        results[0] = is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
    results[0] &= top | (top - 1);
}

static bool is_scalar_integer(wm_ptx_type type)
{
    switch ((int)type) {
    case WM_PTX_u8:
    case WM_PTX_s8:
    case WM_PTX_u16:
    case WM_PTX_s16:
    case WM_PTX_u32:
    case WM_PTX_s32:
    case WM_PTX_u64:
    case WM_PTX_s64: return true;
    default: return false;
    }
}

// As values in registers: 8-bit floats come in pairs of 16 bits, a tf32 fills 32.
static bool is_value(wm_ptx_type type)
{
    return is_scalar_integer(type) || type == WM_PTX_f64 ||
           (wm_float_format(type) && type != WM_PTX_e4m3 && type != WM_PTX_e5m2);
}

bool wm_scalar_convert(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan)
{
    wm_ptx_type type = instruction->type, source = instruction->type2;
    if (instruction->opcode != WM_PTX_OP_cvt || !is_value(type) || !is_value(source) ||
        wm_ptx_has(instruction, WM_PTX_pack))
        return false;
    *plan = (struct wm_scalar_plan){.results = {type}, .sources = {source}};
    unsigned count = 2;
    if (is_pair(type)) {
        plan->function = to_pair;
        if (!is_pair(source)) {
            plan->sources[1] = source;
            count = 3;
        }
    } else if (is_pair(source)) {
        return false;
    } else if (!wm_ptx_type_is_float(type)) {
        plan->function = wm_ptx_type_is_float(source) ? to_integer : NULL;
    } else {
        plan->function = to_float;
    }
    return plan->function && instruction->operand_count == count;
}

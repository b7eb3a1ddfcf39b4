// Every listed form of cvt against PTX ISA 9.7.9.21, through exact values.
#include "float_values.h"
#include "form_state.h"

#include <math.h>

static bool is_float(wm_ptx_type type)
{
    return wm_ptx_type_is_float(type) || type == WM_PTX_tf32 || type == WM_PTX_e4m3 ||
           type == WM_PTX_e5m2;
}

static bool is_conversion(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_cvt && !wm_ptx_has(instruction, WM_PTX_pack);
}

static unsigned bits_in(wm_ptx_type type)
{
    return type == WM_PTX_e4m3 || type == WM_PTX_e5m2 ? 8 : 8 * wm_ptx_type_bytes(type);
}

static long double source_value(const struct wm_ptx_instruction *instruction, wm_ptx_type type,
                                uint64_t bits)
{
    bool flushes = wm_ptx_has(instruction, WM_PTX_ftz) && type == WM_PTX_f32;
    if (flushes && is_subnormal(type, bits))
        return copysignl(0, value_of_bits(type, bits));
    return value_of_bits(type, bits);
}

static uint64_t to_float(const struct wm_ptx_instruction *instruction, wm_ptx_type type,
                         long double value, wm_ptx_type source)
{
    if (wm_ptx_has(instruction, WM_PTX_sat))
        value = !(value > 0) ? 0 : value > 1 ? 1 : value;
    if (wm_ptx_has(instruction, WM_PTX_relu) && signbit(value) && !isnan(value))
        value = 0;
    // Between floats rni and its kin make whole numbers.
    enum wm_ptx_modifier rounding = instruction->rounding;
    if (is_float(source) && !isnan(value))
        switch ((int)rounding) {
        case WM_PTX_rni:
        case WM_PTX_rzi:
        case WM_PTX_rmi:
        case WM_PTX_rpi:
            value = copysignl(whole_value(value, rounding), value);
            rounding = WM_PTX_rn;
            break;
        default: break;
        }
    uint64_t bits = bits_of_value(type, value, rounding, wm_ptx_has(instruction, WM_PTX_satfinite));
    if (wm_ptx_has(instruction, WM_PTX_ftz) && type == WM_PTX_f32 && is_subnormal(type, bits))
        bits &= UINT64_C(0x80000000);
    return type == WM_PTX_tf32 ? bits << 13 : bits;
}

// Out of range: the nearest end. NaN: zero, or the top bit alone where 64 bits take part.
static uint64_t float_to_integer(const struct wm_ptx_instruction *instruction, wm_ptx_type type,
                                 long double value, wm_ptx_type source)
{
    unsigned bits = bits_in(type);
    bool is_signed = wm_ptx_type_is_signed(type);
    long double end = ldexpl(1, (int)bits - (is_signed ? 1 : 0)), least = is_signed ? -end : 0;
    if (isnan(value))
        return bits == 64 || source == WM_PTX_f64 ? UINT64_C(1) << (bits - 1) : 0;
    value = whole_value(value, instruction->rounding);
    value = value < least ? least : value > end - 1 ? end - 1 : value;
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

// Modulo the type's range; with .sat its nearest end.
static uint64_t integer_to_integer(const struct wm_ptx_instruction *instruction, wm_ptx_type type,
                                   long double value, uint64_t bits)
{
    if (wm_ptx_has(instruction, WM_PTX_sat))
        return float_to_integer(instruction, type, value, WM_PTX_f32);
    return value < 0 ? (uint64_t)(int64_t)value : bits;
}

static uint64_t converted(const struct wm_ptx_instruction *instruction, wm_ptx_type type,
                          wm_ptx_type source, uint64_t bits)
{
    if (bits_in(source) < 64)
        bits &= (UINT64_C(1) << bits_in(source)) - 1;
    long double value = source_value(instruction, source, bits);
    if (is_float(type))
        return to_float(instruction, type, value, source);
    if (is_float(source))
        return float_to_integer(instruction, type, value, source);
    return integer_to_integer(instruction, type, value, bits);
}

// An integer result fills its register by its type's sign.
static uint64_t extended(wm_ptx_type type, uint64_t bits)
{
    unsigned shift = 64 - bits_in(type);
    if (is_float(type))
        return bits;
    return wm_ptx_type_is_signed(type) ? (uint64_t)((int64_t)(bits << shift) >> shift)
                                       : bits << shift >> shift;
}

static void convert(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    wm_ptx_type type = element_type(instruction->type), source = element_type(instruction->type2);
    const struct wm_ptx_operand *operands = instruction->operands;
    uint64_t a = form_source(thread, &operands[1]), result;
    if (type == instruction->type) {
        result = extended(type, converted(instruction, type, source, a));
    } else if (source == instruction->type2) { // two floats: the first is the upper half
        uint64_t b = form_source(thread, &operands[2]);
        result = converted(instruction, type, source, b) | converted(instruction, type, source, a)
                                                               << bits_in(type);
    } else {
        result = converted(instruction, type, source, a) |
                 converted(instruction, type, source, a >> bits_in(source)) << bits_in(type);
    }
    form_write(thread, &operands[0], result);
}

Test(form_convert, agrees_with_the_isa)
{
    form_check_family(&(struct form_family){is_conversion, NULL, convert}, 600);
}

// --- cvt.pack ---

static bool is_pack(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_cvt && wm_ptx_has(instruction, WM_PTX_pack);
}

// a and b, saturated, behind the bits of c that are pushed up by the two of them.
static void pack(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    static const struct {
        wm_ptx_type type;
        unsigned bits;
    } widths[] = {{WM_PTX_u2, 2}, {WM_PTX_s2, 2}, {WM_PTX_u4, 4},   {WM_PTX_s4, 4},
                  {WM_PTX_u8, 8}, {WM_PTX_s8, 8}, {WM_PTX_u16, 16}, {WM_PTX_s16, 16}};
    const struct wm_ptx_operand *operands = instruction->operands;
    wm_ptx_type type = instruction->type;
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; i++)
        if (widths[i].type == type)
            bits = widths[i].bits;
    bool is_signed =
        type == WM_PTX_s2 || type == WM_PTX_s4 || type == WM_PTX_s8 || type == WM_PTX_s16;
    int64_t end = INT64_C(1) << (is_signed ? bits - 1 : bits), least = is_signed ? -end : 0;
    uint32_t result = 0;
    if (instruction->operand_count == 4)
        result = (uint32_t)(form_source(thread, &operands[3]) << 2 * bits);
    for (unsigned i = 0; i < 2; i++) {
        int64_t value = (int32_t)form_source(thread, &operands[2 - i]);
        value = value < least ? least : value > end - 1 ? end - 1 : value;
        result |= ((uint32_t)value & ((UINT32_C(1) << bits) - 1)) << i * bits;
    }
    form_write(thread, &operands[0], result);
}

Test(form_convert, packs)
{
    form_check_family(&(struct form_family){is_pack, NULL, pack}, 8);
}

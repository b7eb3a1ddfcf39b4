// Every listed form of comparison, selection by sign, minimum and maximum against PTX ISA 9.7.1,
// 9.7.3, 9.7.4, 9.7.6 and 9.7.7.
#include "float_values.h"
#include "form_state.h"

#include <math.h>

static unsigned element_count(wm_ptx_type type)
{
    return element_type(type) == type ? 1 : 2;
}

static uint64_t ones_of(wm_ptx_type type)
{
    unsigned bits = 8 * wm_ptx_type_bytes(type);
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

// Element `i` of a source, without subnormals under .ftz.
static uint64_t element(const struct wm_ptx_instruction *instruction,
                        const struct form_state *thread, unsigned source, wm_ptx_type type,
                        unsigned i)
{
    wm_ptx_type own = element_type(type);
    unsigned bits = 8 * wm_ptx_type_bytes(own);
    uint64_t value =
        form_source(thread, &instruction->operands[source]) >> (i * bits) & ones_of(own);
    bool flushes = wm_ptx_has(instruction, WM_PTX_ftz) && wm_ptx_type_is_float(own) &&
                   is_subnormal(own, value);
    return flushes ? value & UINT64_C(1) << (bits - 1) : value;
}

// --- set and setp ---

static bool holds(enum wm_ptx_modifier compare, long double a, long double b)
{
    bool unordered = isnan(a) || isnan(b);
    switch ((int)compare) {
    case WM_PTX_eq: return a == b;
    case WM_PTX_ne: return a < b || a > b;
    case WM_PTX_lt:
    case WM_PTX_lo: return a < b;
    case WM_PTX_le:
    case WM_PTX_ls: return a <= b;
    case WM_PTX_gt:
    case WM_PTX_hi: return a > b;
    case WM_PTX_ge:
    case WM_PTX_hs: return a >= b;
    case WM_PTX_equ: return unordered || a == b;
    case WM_PTX_neu: return unordered || a != b;
    case WM_PTX_ltu: return unordered || a < b;
    case WM_PTX_leu: return unordered || a <= b;
    case WM_PTX_gtu: return unordered || a > b;
    case WM_PTX_geu: return unordered || a >= b;
    case WM_PTX_num: return !unordered;
    default: return unordered;
    }
}

static bool compare(const struct wm_ptx_instruction *instruction, const struct form_state *thread,
                    wm_ptx_type type, unsigned i)
{
    wm_ptx_type own = element_type(type);
    return holds(instruction->compare, value_of_bits(own, element(instruction, thread, 1, type, i)),
                 value_of_bits(own, element(instruction, thread, 2, type, i)));
}

static bool combine(const struct wm_ptx_instruction *instruction, const struct form_state *thread,
                    bool result)
{
    if (instruction->operand_count < 4)
        return result;
    bool third = form_source(thread, &instruction->operands[3]);
    return wm_ptx_has(instruction, WM_PTX_and)  ? result && third
           : wm_ptx_has(instruction, WM_PTX_or) ? result || third
                                                : result != third;
}

static bool is_setp(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_setp;
}

static void setp(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    const struct wm_ptx_operand *d = &instruction->operands[0];
    const struct form_state before = *thread;
    bool first = compare(instruction, &before, instruction->type, 0), second = !first;
    if (element_count(instruction->type) == 2)
        second = compare(instruction, &before, instruction->type, 1);
    form_write(thread, d->kind == WM_PTX_OPERAND_PAIR ? &d->list[0] : d,
               combine(instruction, &before, first));
    if (d->kind == WM_PTX_OPERAND_PAIR)
        form_write(thread, &d->list[1], combine(instruction, &before, second));
}

static bool is_set(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_set;
}

// 1.0 of a float, all ones of an integer: 16 of them for an element of two.
static uint64_t truth(wm_ptx_type type, wm_ptx_type source)
{
    if (wm_ptx_type_is_float(type))
        return bits_of_value(element_type(type), 1, WM_PTX_rn, false);
    return element_count(source) == 2 ? 0xFFFF : ones_of(type);
}

static void set(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < element_count(instruction->type2); i++)
        if (combine(instruction, thread, compare(instruction, thread, instruction->type2, i)))
            value |= truth(instruction->type, instruction->type2) << 16 * i;
    form_write(thread, &instruction->operands[0], value);
}

Test(form_compare, setp)
{
    form_check_family(&(struct form_family){is_setp, NULL, setp}, 300);
}

Test(form_compare, set)
{
    form_check_family(&(struct form_family){is_set, NULL, set}, 270);
}

// --- selection by sign ---

static bool is_slct(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_slct;
}

static void slct(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    wm_ptx_type type = instruction->type2;
    bool first = value_of_bits(type, element(instruction, thread, 3, type, 0)) >= 0;
    form_write(thread, &instruction->operands[0],
               form_source(thread, &instruction->operands[first ? 1 : 2]));
}

Test(form_compare, slct)
{
    form_check_family(&(struct form_family){is_slct, NULL, slct}, 15);
}

// --- min and max ---

static bool is_extreme(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_min || instruction->opcode == WM_PTX_OP_max;
}

// The lesser or greater of two; -0 is less than +0, and a number goes before a NaN without .NaN.
static uint64_t extreme(const struct wm_ptx_instruction *instruction, wm_ptx_type type, uint64_t a,
                        uint64_t b)
{
    long double x = value_of_bits(type, a), y = value_of_bits(type, b);
    if (wm_ptx_type_is_float(type) && (isnan(x) || isnan(y))) {
        bool all = wm_ptx_has(instruction, WM_PTX_NaN) || (isnan(x) && isnan(y));
        return all ? bits_of_value(type, NAN, WM_PTX_rn, false) : isnan(x) ? b : a;
    }
    bool less = x < y || (x == y && signbit(x) && !signbit(y));
    return less == (instruction->opcode == WM_PTX_OP_min) ? a : b;
}

static uint64_t extreme_of_all(const struct wm_ptx_instruction *instruction,
                               const struct form_state *thread, unsigned i)
{
    wm_ptx_type type = element_type(instruction->type);
    uint64_t top = UINT64_C(1) << (8 * wm_ptx_type_bytes(type) - 1), signs = 0, result = 0;
    for (unsigned s = 1; s < instruction->operand_count; s++) {
        uint64_t value = element(instruction, thread, s, instruction->type, i);
        signs ^= value & top;
        if (wm_ptx_has(instruction, WM_PTX_abs))
            value &= ~top;
        result = s == 1 ? value : extreme(instruction, type, result, value);
    }
    if (wm_ptx_type_is_float(type) && isnan(value_of_bits(type, result)))
        return bits_of_value(type, NAN, WM_PTX_rn, false);
    if (wm_ptx_has(instruction, WM_PTX_xorsign))
        return result | signs;
    return wm_ptx_has(instruction, WM_PTX_relu) && result & top ? 0 : result;
}

static void min_or_max(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < element_count(instruction->type); i++)
        value |= extreme_of_all(instruction, thread, i) << 16 * i;
    form_write(thread, &instruction->operands[0], value);
}

Test(form_compare, min_and_max)
{
    form_check_family(&(struct form_family){is_extreme, NULL, min_or_max}, 90);
}

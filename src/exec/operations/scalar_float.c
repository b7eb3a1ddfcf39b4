// Floats: min and max of f32 beyond two plain operands, comparisons of halves in pairs or into
// registers of another kind (PTX ISA 9.7.3.11, 9.7.6, 9.7.7).
#include "exec/operations/scalar_ops.h"

#include "exec/operations/narrow_floats.h"

#include <math.h>

enum { LEAST, MOST };

static uint32_t flushed(uint32_t bits)
{
    return bits & 0x7F800000 ? bits : bits & 0x80000000;
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7FFFFFFF) > 0x7F800000;
}

// Floats in their order as integers: -0 comes before +0.
static int64_t rank(uint32_t bits)
{
    return bits >> 31 ? -(int64_t)(bits & 0x7FFFFFFF) - 1 : (int64_t)bits;
}

static uint32_t extreme_of_two(const struct wm_scalar_form *form, uint32_t a, uint32_t b)
{
    if (is_nan(a) || is_nan(b))
        return form->nan || (is_nan(a) && is_nan(b)) ? 0x7FFFFFFF : is_nan(a) ? b : a;
    return (rank(a) < rank(b)) == (form->kind == LEAST) ? a : b;
}

static void extreme(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    uint32_t word = 0, sign = 0;
    for (unsigned i = 0; i < form->source_count; i++) {
        uint32_t value = (uint32_t)s[i];
        value = form->ftz ? flushed(value) : value;
        sign ^= value & 0x80000000;
        value = form->absolute ? value & 0x7FFFFFFF : value;
        word = i == 0 ? value : extreme_of_two(form, word, value);
    }
    results[0] = is_nan(word) ? 0x7FFFFFFF : form->xorsign ? word | sign : word;
}

bool wm_scalar_extreme(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan)
{
    bool most = instruction->opcode == WM_PTX_OP_max, three = instruction->operand_count == 4;
    bool xorsign = wm_ptx_has(instruction, WM_PTX_xorsign);
    *plan = (struct wm_scalar_plan){.function = extreme,
                                    .kind = most ? MOST : LEAST,
                                    .results = {WM_PTX_f32},
                                    .sources = {WM_PTX_f32, WM_PTX_f32, WM_PTX_f32}};
    if (!three)
        plan->sources[2] = WM_PTX_none;
    return (most || instruction->opcode == WM_PTX_OP_min) && instruction->type == WM_PTX_f32 &&
           (three ? !xorsign
                  : instruction->operand_count == 3 && xorsign &&
                        wm_ptx_has(instruction, WM_PTX_abs));
}

// --- comparisons ---

static bool compares(enum wm_ptx_modifier compare, double a, double b)
{
    bool unordered = isnan(a) || isnan(b);
    switch ((int)compare) {
    case WM_PTX_eq: return a == b;
    case WM_PTX_ne: return !unordered && a != b;
    case WM_PTX_lt:
    case WM_PTX_lo: return a < b;
    case WM_PTX_le:
    case WM_PTX_ls: return a <= b;
    case WM_PTX_gt:
    case WM_PTX_hi: return a > b;
    case WM_PTX_ge:
    case WM_PTX_hs: return a >= b;
    case WM_PTX_equ: return unordered || a == b;
    case WM_PTX_neu: return a != b;
    case WM_PTX_ltu: return unordered || a < b;
    case WM_PTX_leu: return unordered || a <= b;
    case WM_PTX_gtu: return unordered || a > b;
    case WM_PTX_geu: return unordered || a >= b;
    case WM_PTX_num: return !unordered;
    default: return unordered;
    }
}

static bool compares_integers(const struct wm_scalar_form *form, uint64_t a, uint64_t b)
{
    wm_ptx_type type = form->instruction->type2;
    unsigned shift = 64 - 8 * wm_ptx_type_bytes(type);
    a <<= shift;
    b <<= shift;
    bool less = wm_ptx_type_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
    switch ((int)form->instruction->compare) {
    case WM_PTX_eq: return a == b;
    case WM_PTX_ne: return a != b;
    case WM_PTX_lt:
    case WM_PTX_lo: return less;
    case WM_PTX_le:
    case WM_PTX_ls: return less || a == b;
    case WM_PTX_gt:
    case WM_PTX_hi: return !less && a != b;
    default: return !less;
    }
}

static double value_of(const struct wm_scalar_form *form, wm_ptx_type type, uint64_t bits)
{
    if (type == WM_PTX_f64)
        return wm_float_of_bits(bits);
    uint32_t word = (uint32_t)bits;
    if (type == WM_PTX_f32)
        word = form->ftz ? flushed(word) : word;
    else
        word = form->ftz && !(word & 0x7C00) ? word & 0x8000 : word & 0xFFFF;
    return wm_float_decode(wm_float_format(type), word);
}

// A comparison's result with the predicate of .and, .or or .xor.
static bool with_boolean(const struct wm_scalar_form *form, bool holds, bool predicate)
{
    const struct wm_ptx_instruction *instruction = form->instruction;
    if (form->source_count < 3)
        return holds;
    if (wm_ptx_has(instruction, WM_PTX_and))
        return holds && predicate;
    return wm_ptx_has(instruction, WM_PTX_or) ? holds || predicate : holds != predicate;
}

static bool half_compares(const struct wm_scalar_form *form, wm_ptx_type type, const uint64_t *s,
                          unsigned shift)
{
    return with_boolean(form,
                        compares(form->instruction->compare, value_of(form, type, s[0] >> shift),
                                 value_of(form, type, s[1] >> shift)),
                        s[2]);
}

// setp.f16x2 p|q: p of the low halves, q of the high ones.
static void compare_pair(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    results[0] = half_compares(form, form->instruction->type, s, 0);
    results[1] = half_compares(form, form->instruction->type, s, 16);
}

static uint32_t one_of(wm_ptx_type type)
{
    switch ((int)type) {
    case WM_PTX_f16:
    case WM_PTX_f16x2: return 0x3C00;
    case WM_PTX_bf16:
    case WM_PTX_bf16x2: return 0x3F80;
    case WM_PTX_f32: return 0x3F800000;
    case WM_PTX_u16:
    case WM_PTX_s16: return 0xFFFF;
    default: return UINT32_MAX;
    }
}

// set: of a pair a 16-bit result each, all ones or 1.0.
static void set(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    wm_ptx_type type = form->instruction->type, source = form->instruction->type2;
    uint32_t one = one_of(type);
    if (source == WM_PTX_f16x2 || source == WM_PTX_bf16x2) {
        uint32_t low = half_compares(form, source, s, 0) ? one & 0xFFFF : 0;
        results[0] = low | (half_compares(form, source, s, 16) ? one << 16 : 0);
        return;
    }
    bool holds = wm_ptx_type_is_float(source)
                     ? compares(form->instruction->compare, value_of(form, source, s[0]),
                                value_of(form, source, s[1]))
                     : compares_integers(form, s[0], s[1]);
    results[0] = with_boolean(form, holds, s[2]) ? one : 0;
}

bool wm_scalar_compare(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan)
{
    bool boolean = wm_ptx_has(instruction, WM_PTX_and) || wm_ptx_has(instruction, WM_PTX_or) ||
                   wm_ptx_has(instruction, WM_PTX_xor);
    wm_ptx_type type = instruction->type, source = instruction->type2;
    *plan = (struct wm_scalar_plan){0};
    if (instruction->operand_count != (boolean ? 4 : 3) || !instruction->compare)
        return false;
    if (instruction->opcode == WM_PTX_OP_set && wm_ptx_type_bytes(type) && source != WM_PTX_none &&
        wm_ptx_type_bytes(type) <= 4) {
        plan->function = set;
        plan->results[0] = type;
    } else if (instruction->opcode == WM_PTX_OP_setp &&
               (type == WM_PTX_f16x2 || type == WM_PTX_bf16x2)) {
        plan->function = compare_pair;
        plan->results[0] = plan->results[1] = WM_PTX_pred;
        source = type;
    } else {
        return false;
    }
    plan->sources[0] = plan->sources[1] = source;
    plan->sources[2] = boolean ? WM_PTX_pred : WM_PTX_none;
    return true;
}

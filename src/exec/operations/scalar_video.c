// Video instructions (PTX ISA 9.7.18): vadd and its kin on words of which parts are named, and the
// same on two halves or four bytes at once.
#include "exec/operations/scalar_ops.h"

enum video_operation { ADD, SUBTRACT, AVERAGE, DIFFERENCE, LEAST, MOST, COMPARE, LEFT, RIGHT };

static int64_t clamped(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

// `bits` bits of `word` from `first` on, extended by the type's sign.
static int64_t field(uint64_t word, unsigned first, unsigned bits, bool is_signed)
{
    uint64_t value = word >> first & ((UINT64_C(1) << bits) - 1);
    unsigned shift = 64 - bits;
    return is_signed ? (int64_t)(value << shift) >> shift : (int64_t)value;
}

static bool compares(enum wm_ptx_modifier compare, int64_t a, int64_t b)
{
    switch ((int)compare) {
    case WM_PTX_eq: return a == b;
    case WM_PTX_ne: return a != b;
    case WM_PTX_lt: return a < b;
    case WM_PTX_le: return a <= b;
    case WM_PTX_gt: return a > b;
    default: return a >= b;
    }
}

static int64_t combined(const struct wm_scalar_form *form, int64_t a, int64_t b)
{
    switch ((enum video_operation)form->kind) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case AVERAGE: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case DIFFERENCE: return a < b ? b - a : a - b;
    case LEAST: return a < b ? a : b;
    case MOST: return a < b ? b : a;
    case COMPARE: return compares(form->instruction->compare, a, b);
    // At most 32 places: no bit is lost.
    case LEFT: return (int64_t)((uint64_t)a << b);
    default: return a >> b;
    }
}

static int64_t saturated(int64_t value, unsigned bits, bool is_signed)
{
    int64_t end = INT64_C(1) << (is_signed ? bits - 1 : bits);
    return clamped(value, is_signed ? -end : 0, end - 1);
}

// --- scalar: one result a register ---

static int64_t part_of(const struct wm_ptx_operand *operand, uint64_t word, bool is_signed)
{
    unsigned bytes = operand->part_count ? operand->part_bytes : 4;
    return field(word, 8 * bytes * (operand->part_count ? operand->parts[0] : 0), 8 * bytes,
                 is_signed);
}

// The types: result (vset has none), a, b.
static wm_ptx_type type_at(const struct wm_ptx_instruction *instruction, unsigned index)
{
    for (unsigned i = 0; i < instruction->modifier_count; i++)
        if (wm_ptx_modifier_class_of(instruction->modifiers[i]) == WM_PTX_CLASS_TYPE &&
            index-- == 0)
            return instruction->modifiers[i];
    return WM_PTX_none;
}

static bool is_comparison(const struct wm_scalar_form *form)
{
    return form->kind == COMPARE;
}

static bool signed_at(const struct wm_scalar_form *form, unsigned operand)
{
    if (is_comparison(form))
        return operand > 0 && wm_ptx_type_is_signed(type_at(form->instruction, operand - 1));
    return wm_ptx_type_is_signed(type_at(form->instruction, operand));
}

// The second operation on the result and c, or the result put into c's place of its name.
static uint32_t merged(const struct wm_scalar_form *form, int64_t value, uint32_t c)
{
    const struct wm_ptx_instruction *instruction = form->instruction;
    const struct wm_ptx_operand *d = &instruction->operands[0];
    uint32_t word = (uint32_t)value;
    bool is_signed = signed_at(form, 0);
    bool less = is_signed ? (int32_t)word < (int32_t)c : word < c;
    if (wm_ptx_has(instruction, WM_PTX_add))
        return word + c;
    if (wm_ptx_has(instruction, WM_PTX_min))
        return less ? word : c;
    if (wm_ptx_has(instruction, WM_PTX_max))
        return less ? c : word;
    if (!d->part_count)
        return word;
    unsigned bits = 8 * (unsigned)d->part_bytes, first = bits * d->parts[0];
    uint32_t mask = ((UINT32_C(1) << bits) - 1) << first;
    return (c & ~mask) | (word << first & mask);
}

static void scalar_video(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    const struct wm_ptx_instruction *instruction = form->instruction;
    const struct wm_ptx_operand *operands = instruction->operands;
    bool shift = form->kind == LEFT || form->kind == RIGHT;
    int64_t a = part_of(&operands[1], s[0], signed_at(form, 1));
    int64_t b = part_of(&operands[2], s[1], !shift && signed_at(form, 2));
    if (shift)
        b = wm_ptx_has(instruction, WM_PTX_wrap) ? b & 31 : b > 32 ? 32 : b;
    int64_t value = combined(form, a, b);
    if (form->sat)
        value = saturated(value, operands[0].part_count ? 8 * operands[0].part_bytes : 32,
                          signed_at(form, 0));
    results[0] = merged(form, value, (uint32_t)s[2]);
}

// vmad: the product is exact; .po adds one, as the two's complement of a negated operand does.
static void multiply_add(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    const struct wm_ptx_instruction *instruction = form->instruction;
    const struct wm_ptx_operand *operands = instruction->operands;
    bool negated = operands[1].negated != operands[2].negated, negated_c = operands[3].negated;
    bool is_signed = signed_at(form, 1) || signed_at(form, 2) || negated || negated_c;
    __int128 product = (__int128)part_of(&operands[1], s[0], signed_at(form, 1)) *
                       part_of(&operands[2], s[1], signed_at(form, 2));
    __int128 c = field(s[2], 0, 32, is_signed);
    bool plus_one = wm_ptx_has(instruction, WM_PTX_po);
    if (!plus_one && negated)
        product = -product;
    else if (!plus_one && negated_c)
        c = -c;
    __int128 sum = product + c + plus_one;
    int64_t value = (int64_t)(sum >> (wm_ptx_has(instruction, WM_PTX_shr7)    ? 7
                                      : wm_ptx_has(instruction, WM_PTX_shr15) ? 15
                                                                              : 0));
    results[0] = (uint32_t)(form->sat ? saturated(value, 32, is_signed) : value);
}

// --- two halves or four bytes ---

static uint64_t lane_field(const struct wm_ptx_operand *operand, const uint64_t *s, unsigned lane,
                           unsigned lanes, unsigned other, bool is_signed)
{
    unsigned bits = 32 / lanes;
    uint64_t words = (s[0] & UINT32_MAX) | s[1] << 32;
    unsigned place = operand->part_count == lanes ? operand->parts[lane] : lane + other;
    return (uint64_t)field(words, place * bits, bits, is_signed);
}

static bool lane_is_wanted(const struct wm_ptx_operand *d, unsigned lane)
{
    for (unsigned i = 0; i < d->part_count; i++)
        if (d->parts[i] == lane)
            return true;
    return d->part_count == 0;
}

static void packed_video(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results,
                         unsigned lanes)
{
    const struct wm_ptx_instruction *instruction = form->instruction;
    const struct wm_ptx_operand *operands = instruction->operands;
    bool sum = wm_ptx_has(instruction, WM_PTX_add);
    unsigned bits = 32 / lanes;
    uint32_t word = sum ? (uint32_t)s[2] : 0, ones = (UINT32_C(1) << bits) - 1;
    for (unsigned lane = 0; lane < lanes; lane++) {
        int64_t a = (int64_t)lane_field(&operands[1], s, lane, lanes, 0, signed_at(form, 1));
        int64_t b = (int64_t)lane_field(&operands[2], s, lane, lanes, lanes, signed_at(form, 2));
        int64_t value = combined(form, a, b);
        bool wanted = lane_is_wanted(&operands[0], lane);
        if (form->sat)
            value = saturated(value, bits, signed_at(form, 0));
        if (sum)
            word += wanted ? (uint32_t)value : 0;
        else
            word |= wanted ? ((uint32_t)value & ones) << lane * bits
                           : (uint32_t)s[2] & ones << lane * bits;
    }
    results[0] = word;
}

static void video_of_two(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    packed_video(form, s, results, 2);
}

static void video_of_four(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    packed_video(form, s, results, 4);
}

bool wm_scalar_video(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan)
{
    static const struct {
        enum wm_ptx_opcode opcode;
        wm_scalar_function *function;
        enum video_operation operation;
    } table[] = {
        {WM_PTX_OP_vadd, scalar_video, ADD},
        {WM_PTX_OP_vsub, scalar_video, SUBTRACT},
        {WM_PTX_OP_vabsdiff, scalar_video, DIFFERENCE},
        {WM_PTX_OP_vmin, scalar_video, LEAST},
        {WM_PTX_OP_vmax, scalar_video, MOST},
        {WM_PTX_OP_vset, scalar_video, COMPARE},
        {WM_PTX_OP_vshl, scalar_video, LEFT},
        {WM_PTX_OP_vshr, scalar_video, RIGHT},
        {WM_PTX_OP_vmad, multiply_add, ADD},
        {WM_PTX_OP_vadd2, video_of_two, ADD},
        {WM_PTX_OP_vsub2, video_of_two, SUBTRACT},
        {WM_PTX_OP_vavrg2, video_of_two, AVERAGE},
        {WM_PTX_OP_vabsdiff2, video_of_two, DIFFERENCE},
        {WM_PTX_OP_vmin2, video_of_two, LEAST},
        {WM_PTX_OP_vmax2, video_of_two, MOST},
        {WM_PTX_OP_vset2, video_of_two, COMPARE},
        {WM_PTX_OP_vadd4, video_of_four, ADD},
        {WM_PTX_OP_vsub4, video_of_four, SUBTRACT},
        {WM_PTX_OP_vavrg4, video_of_four, AVERAGE},
        {WM_PTX_OP_vabsdiff4, video_of_four, DIFFERENCE},
        {WM_PTX_OP_vmin4, video_of_four, LEAST},
        {WM_PTX_OP_vmax4, video_of_four, MOST},
        {WM_PTX_OP_vset4, video_of_four, COMPARE},
    };
    unsigned count = instruction->operand_count;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].opcode != instruction->opcode)
            continue;
        *plan = (struct wm_scalar_plan){.function = table[i].function,
                                        .kind = table[i].operation,
                                        .results = {WM_PTX_u32},
                                        .sources = {WM_PTX_u32, WM_PTX_u32, WM_PTX_u32}};
        if (count == 3)
            plan->sources[2] = WM_PTX_none;
        return count == 4 || (count == 3 && table[i].function == scalar_video);
    }
    return false;
}

// Every listed form of video instruction against PTX ISA 9.7.18, written with numbers that no
// intermediate result exceeds.
#include "form_state.h"

static const char *opcode_of(const struct wm_ptx_instruction *instruction)
{
    return wm_ptx_opcode_text(instruction->opcode);
}

static bool is_video(const struct wm_ptx_instruction *instruction)
{
    const char *opcode = opcode_of(instruction);
    return opcode[0] == 'v' && instruction->opcode != WM_PTX_OP_vote;
}

static bool is(const struct wm_ptx_instruction *instruction, const char *operation)
{
    return strncmp(opcode_of(instruction) + 1, operation, strlen(operation)) == 0;
}

// Whether the result (0), a (1) or b (2) is signed. vset names no type of its result.
static bool is_signed(const struct wm_ptx_instruction *instruction, unsigned which)
{
    unsigned skipped = is(instruction, "set") ? which - 1 : which;
    if (is(instruction, "set") && which == 0)
        return false;
    for (unsigned i = 0; i < instruction->modifier_count; i++) {
        enum wm_ptx_modifier modifier = (enum wm_ptx_modifier)instruction->modifiers[i];
        if (wm_ptx_modifier_class_of(modifier) == WM_PTX_CLASS_TYPE && skipped-- == 0)
            return wm_ptx_type_is_signed(modifier);
    }
    cr_assert_fail("an instruction without types");
    return false;
}

// Bits first … first + bits - 1 of a and b together.
static int64_t field(uint64_t words, unsigned first, unsigned bits, bool with_sign)
{
    int64_t value = (int64_t)(words >> first & ((UINT64_C(1) << bits) - 1));
    return with_sign && value >> (bits - 1) ? value - (INT64_C(1) << bits) : value;
}

static int64_t part(const struct wm_ptx_operand *operand, uint64_t word, bool with_sign)
{
    if (operand->part_count == 0)
        return field(word, 0, 32, with_sign);
    unsigned bits = 8 * (unsigned)operand->part_bytes;
    return field(word, operand->parts[0] * bits, bits, with_sign);
}

static bool holds(enum wm_ptx_modifier compare, int64_t a, int64_t b)
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

static int64_t shifted(const struct wm_ptx_instruction *instruction, int64_t a, int64_t b)
{
    bool wraps = wm_ptx_has(instruction, WM_PTX_wrap);
    int64_t places = wraps ? b % 32 : b > 32 ? 32 : b, scale = INT64_C(1) << places;
    if (is(instruction, "shl"))
        return a * scale;
    return a >= 0 ? a / scale : -((-a + scale - 1) / scale); // rounds down
}

static int64_t operate(const struct wm_ptx_instruction *instruction, int64_t a, int64_t b)
{
    if (is(instruction, "add"))
        return a + b;
    if (is(instruction, "sub"))
        return a - b;
    if (is(instruction, "abs"))
        return a > b ? a - b : b - a;
    if (is(instruction, "min"))
        return a < b ? a : b;
    if (is(instruction, "max"))
        return a > b ? a : b;
    if (is(instruction, "set"))
        return holds(instruction->compare, a, b);
    if (is(instruction, "sh"))
        return shifted(instruction, a, b);
    // The average, of which a half rounds away from zero where it is positive, to zero where not.
    int64_t sum = a + b;
    return sum >= 0 ? (sum + 1) / 2 : -((-sum + 1) / 2);
}

static int64_t saturated(int64_t value, unsigned bits, bool with_sign)
{
    int64_t least = with_sign ? -(INT64_C(1) << (bits - 1)) : 0;
    int64_t most = (INT64_C(1) << (with_sign ? bits - 1 : bits)) - 1;
    return value < least ? least : value > most ? most : value;
}

static uint32_t second_operation(const struct wm_ptx_instruction *instruction, uint32_t value,
                                 uint32_t c)
{
    bool greater =
        is_signed(instruction, 0) ? (int32_t)value > (int32_t)c : (uint32_t)value > (uint32_t)c;
    if (wm_ptx_has(instruction, WM_PTX_add))
        return value + c;
    return greater == wm_ptx_has(instruction, WM_PTX_max) ? value : c;
}

static uint32_t of_one(const struct wm_ptx_instruction *instruction, uint32_t a, uint32_t b,
                       uint32_t c)
{
    const struct wm_ptx_operand *d = &instruction->operands[0];
    bool b_signed = !is(instruction, "sh") && is_signed(instruction, 2);
    unsigned bits = d->part_count ? 8 * (unsigned)d->part_bytes : 32;
    int64_t value =
        operate(instruction, part(&instruction->operands[1], a, is_signed(instruction, 1)),
                part(&instruction->operands[2], b, b_signed));
    if (wm_ptx_has(instruction, WM_PTX_sat))
        value = saturated(value, bits, is_signed(instruction, 0));
    if (d->part_count) {
        uint32_t ones = (uint32_t)((UINT64_C(1) << bits) - 1) << d->parts[0] * bits;
        return (c & ~ones) | ((uint32_t)value << d->parts[0] * bits & ones);
    }
    if (instruction->operand_count == 4)
        return second_operation(instruction, (uint32_t)value, c);
    return (uint32_t)value;
}

// Parts of a and b together, which name fields 0 to 2n - 1; without names a is the first n of them.
static uint32_t of_several(const struct wm_ptx_instruction *instruction, uint32_t a, uint32_t b,
                           uint32_t c, unsigned n)
{
    const struct wm_ptx_operand *operands = instruction->operands;
    unsigned bits = 32 / n;
    uint64_t words = a | (uint64_t)b << 32;
    bool sum = wm_ptx_has(instruction, WM_PTX_add);
    uint32_t result = c;
    for (unsigned i = 0; i < n; i++) {
        unsigned from_a = operands[1].part_count ? operands[1].parts[i] : i;
        unsigned from_b = operands[2].part_count ? operands[2].parts[i] : n + i;
        int64_t value =
            operate(instruction, field(words, from_a * bits, bits, is_signed(instruction, 1)),
                    field(words, from_b * bits, bits, is_signed(instruction, 2)));
        bool named = operands[0].part_count == 0;
        for (unsigned p = 0; p < operands[0].part_count; p++)
            named |= operands[0].parts[p] == i;
        if (!named)
            continue;
        if (wm_ptx_has(instruction, WM_PTX_sat))
            value = saturated(value, bits, is_signed(instruction, 0));
        uint32_t ones = ((UINT32_C(1) << bits) - 1) << i * bits;
        result = sum ? result + (uint32_t)value
                     : (result & ~ones) | ((uint32_t)value << i * bits & ones);
    }
    return result;
}

// a * b + c, exact; a minus is that of the product, or of c. "po" adds one instead (9.7.18.1.6).
static uint32_t multiply_add(const struct wm_ptx_instruction *instruction, uint32_t a, uint32_t b,
                             uint32_t c)
{
    const struct wm_ptx_operand *operands = instruction->operands;
    bool minus = operands[1].negated != operands[2].negated;
    bool with_sign =
        is_signed(instruction, 1) || is_signed(instruction, 2) || minus || operands[3].negated;
    __int128 product = (__int128)part(&operands[1], a, is_signed(instruction, 1)) *
                       part(&operands[2], b, is_signed(instruction, 2));
    __int128 addend = field(c, 0, 32, with_sign), scale = 1;
    __int128 sum = (minus ? -product : product) + (operands[3].negated ? -addend : addend) +
                   wm_ptx_has(instruction, WM_PTX_po);
    if (wm_ptx_has(instruction, WM_PTX_shr7))
        scale = 128;
    if (wm_ptx_has(instruction, WM_PTX_shr15))
        scale = 32768;
    int64_t value = (int64_t)(sum >= 0 ? sum / scale : -((-sum + scale - 1) / scale));
    if (wm_ptx_has(instruction, WM_PTX_sat))
        value = saturated(value, 32, with_sign);
    return (uint32_t)value;
}

static void apply(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    const struct wm_ptx_operand *operands = instruction->operands;
    uint32_t s[3] = {0}, result;
    for (unsigned i = 1; i < instruction->operand_count; i++)
        s[i - 1] = (uint32_t)form_source(thread, &operands[i]);
    char last = opcode_of(instruction)[strlen(opcode_of(instruction)) - 1];
    if (last == '2' || last == '4')
        result = of_several(instruction, s[0], s[1], s[2], (unsigned)(last - '0'));
    else if (is(instruction, "mad"))
        result = multiply_add(instruction, s[0], s[1], s[2]);
    else
        result = of_one(instruction, s[0], s[1], s[2]);
    form_write(thread, &operands[0], result);
}

Test(form_video, agrees_with_the_isa)
{
    form_check_family(&(struct form_family){is_video, NULL, apply}, 1500);
}

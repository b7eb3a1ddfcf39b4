#include "bypass/address_analysis.h"

#include "base/containers/array.h"

#include <stdlib.h>

// Rounds until nothing changes: units shrink a few times, then a register is settled.
enum { MOST_ROUNDS = 64 };

// Names of what all lanes share.
enum {
    SYMBOL_OF_BLOCK = 1,         // and the next two: its number in x, y, z
    SYMBOL_OF_OTHER_SPECIAL = 4, // by special register
    SYMBOL_OF_PARAMETER = 1 << 16,
    SYMBOL_OF_STATEMENT = 1 << 24,
};

struct analysis {
    const struct wm_ptx_function *function;
    const struct wm_launch_shape *shape;
    uint32_t warp;
    struct wm_lane_value *registers; // owned; by index
    bool changed;
};

// --- Operands ---

static struct wm_lane_value thread_numbers(const struct analysis *it, int axis)
{
    const uint32_t *block = it->shape->block;
    int64_t lanes[WM_LANE_VALUES];
    for (int lane = 0; lane < WM_LANE_VALUES; lane++) {
        uint32_t thread = it->warp * WM_LANE_VALUES + (uint32_t)lane;
        lanes[lane] = axis == 0   ? thread % block[0]
                      : axis == 1 ? thread / block[0] % block[1]
                                  : thread / block[0] / block[1];
    }
    return wm_lanes_of(lanes);
}

static struct wm_lane_value lane_numbers(void)
{
    int64_t lanes[WM_LANE_VALUES];
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        lanes[lane] = lane;
    return wm_lanes_of(lanes);
}

static struct wm_lane_value value_of_special(const struct analysis *it, enum wm_ptx_special special)
{
    switch ((int)special) {
    case WM_PTX_SPECIAL_tid_x: return thread_numbers(it, 0);
    case WM_PTX_SPECIAL_tid_y: return thread_numbers(it, 1);
    case WM_PTX_SPECIAL_tid_z: return thread_numbers(it, 2);
    case WM_PTX_SPECIAL_ntid_x: return wm_lanes_constant(it->shape->block[0]);
    case WM_PTX_SPECIAL_ntid_y: return wm_lanes_constant(it->shape->block[1]);
    case WM_PTX_SPECIAL_ntid_z: return wm_lanes_constant(it->shape->block[2]);
    case WM_PTX_SPECIAL_ctaid_x:
    case WM_PTX_SPECIAL_ctaid_y:
    case WM_PTX_SPECIAL_ctaid_z: {
        uint32_t axis = (uint32_t)special - WM_PTX_SPECIAL_ctaid_x;
        return it->shape->grid[axis] == 1 ? wm_lanes_constant(0)
                                          : wm_lanes_uniform(SYMBOL_OF_BLOCK + axis, 1);
    }
    case WM_PTX_SPECIAL_nctaid_x: return wm_lanes_constant(it->shape->grid[0]);
    case WM_PTX_SPECIAL_nctaid_y: return wm_lanes_constant(it->shape->grid[1]);
    case WM_PTX_SPECIAL_nctaid_z: return wm_lanes_constant(it->shape->grid[2]);
    case WM_PTX_SPECIAL_laneid: return lane_numbers();
    case WM_PTX_SPECIAL_warpid: return wm_lanes_constant(it->warp);
    case WM_PTX_SPECIAL_warp_size: return wm_lanes_constant(WM_LANE_VALUES);
    case WM_PTX_SPECIAL_lanemask_eq:
    case WM_PTX_SPECIAL_lanemask_le:
    case WM_PTX_SPECIAL_lanemask_lt:
    case WM_PTX_SPECIAL_lanemask_ge:
    case WM_PTX_SPECIAL_lanemask_gt: return wm_lanes_unknown;
    default: return wm_lanes_uniform(SYMBOL_OF_OTHER_SPECIAL + (uint32_t)special, 1);
    }
}

// An integer as the instruction's type takes it: 0xFFFFFFF0 of 32 bits is -16.
static int64_t integer_of(const struct wm_ptx_instruction *instruction, uint64_t bits)
{
    return wm_ptx_type_bytes(instruction->type) == 4 ? (int32_t)bits : (int64_t)bits;
}

static struct wm_lane_value value_of(const struct analysis *it,
                                     const struct wm_ptx_instruction *instruction, uint32_t number)
{
    if (number >= instruction->operand_count)
        return wm_lanes_unknown;
    const struct wm_ptx_operand *operand = &instruction->operands[number];
    switch (operand->kind) {
    case WM_PTX_OPERAND_REGISTER:
        return operand->part_count == 0 ? it->registers[operand->index] : wm_lanes_unknown;
    case WM_PTX_OPERAND_SPECIAL: return value_of_special(it, operand->special);
    case WM_PTX_OPERAND_INTEGER: return wm_lanes_constant(integer_of(instruction, operand->bits));
    case WM_PTX_OPERAND_SYMBOL: // a variable's address, aligned as it is
        if (operand->symbol != NULL && operand->symbol->kind == WM_PTX_SYMBOL_VARIABLE) {
            struct wm_lane_value base = wm_lanes_uniform(
                0, operand->symbol->alignment != 0 ? operand->symbol->alignment : 1);
            struct wm_lane_value offset = wm_lanes_constant(operand->offset);
            return wm_lanes_add(&base, &offset);
        }
        return wm_lanes_unknown;
    default: return wm_lanes_unknown;
    }
}

static struct wm_lane_value address_of(const struct analysis *it,
                                       const struct wm_ptx_operand *operand)
{
    struct wm_lane_value offset = wm_lanes_constant(operand->offset), base = wm_lanes_unknown;
    if (operand->kind != WM_PTX_OPERAND_ADDRESS)
        return wm_lanes_unknown;
    if (operand->base_register)
        base = it->registers[operand->index];
    else if (operand->symbol != NULL && operand->symbol->alignment != 0)
        base = wm_lanes_uniform(0, operand->symbol->alignment);
    return wm_lanes_add(&base, &offset);
}

// --- Instructions ---

static uint32_t parameter_symbol(const struct analysis *it, const struct wm_ptx_operand *operand)
{
    for (uint32_t i = 0; i < it->function->parameter_count; i++)
        if (it->function->parameters[i] == operand->symbol)
            return SYMBOL_OF_PARAMETER + i * 256 + (uint32_t)(operand->offset & 255);
    return 0;
}

static struct wm_lane_value loaded(const struct analysis *it,
                                   const struct wm_ptx_instruction *instruction, uint32_t statement)
{
    if (instruction->operand_count < 2)
        return wm_lanes_unknown;
    const struct wm_ptx_operand *from = &instruction->operands[1];
    if (instruction->space == WM_PTX_param && from->symbol != NULL) {
        uint32_t symbol = parameter_symbol(it, from);
        return symbol != 0 ? wm_lanes_uniform(symbol, 1) : wm_lanes_unknown;
    }
    struct wm_lane_value address = address_of(it, from);
    if (instruction->space == WM_PTX_local || wm_ptx_type_is_float(instruction->type))
        return wm_lanes_unknown;
    if (address.knowledge == WM_LANES_UNSEEN)
        return address;
    return wm_lanes_are_uniform(&address) ? wm_lanes_uniform(SYMBOL_OF_STATEMENT + statement, 1)
                                          : wm_lanes_unknown;
}

// A pointer that is a parameter is one that cudaMalloc gave.
static struct wm_lane_value converted_address(const struct wm_lane_value *value)
{
    bool is_parameter = value->knowledge == WM_LANES_KNOWN &&
                        value->symbol >= SYMBOL_OF_PARAMETER && value->symbol < SYMBOL_OF_STATEMENT;
    return is_parameter ? wm_lanes_uniform(value->symbol, WM_POINTER_ALIGNMENT) : *value;
}

// A positive constant that all lanes share; 0 for anything else.
static int64_t constant_of(const struct wm_lane_value *value)
{
    return wm_lanes_are_constant(value) && wm_lanes_are_uniform(value) && value->lanes[0] > 0
               ? value->lanes[0]
               : 0;
}

static struct wm_lane_value shifted(const struct wm_lane_value *value,
                                    const struct wm_lane_value *by, bool left)
{
    if (by->knowledge == WM_LANES_UNSEEN)
        return *by;
    if (!wm_lanes_are_constant(by) || !wm_lanes_are_uniform(by) || by->lanes[0] < 0 ||
        by->lanes[0] > 40)
        return wm_lanes_are_uniform(value) && wm_lanes_are_uniform(by) ? wm_lanes_uniform(0, 1)
                                                                       : wm_lanes_unknown;
    int64_t factor = INT64_C(1) << by->lanes[0];
    struct wm_lane_value constant = wm_lanes_constant(factor);
    return left ? wm_lanes_multiply(value, &constant, 0) : wm_lanes_divide(value, factor);
}

// By what is no positive constant: uniform where both are.
static struct wm_lane_value divided(const struct wm_lane_value *a, const struct wm_lane_value *b,
                                    bool remainder)
{
    if (a->knowledge == WM_LANES_UNSEEN || b->knowledge == WM_LANES_UNSEEN)
        return (struct wm_lane_value){.knowledge = WM_LANES_UNSEEN};
    int64_t by = constant_of(b);
    if (by == 0)
        return wm_lanes_are_uniform(a) && wm_lanes_are_uniform(b) ? wm_lanes_uniform(0, 1)
                                                                  : wm_lanes_unknown;
    return remainder ? wm_lanes_remainder(a, by) : wm_lanes_divide(a, by);
}

static struct wm_lane_value negated(const struct wm_lane_value *value)
{
    struct wm_lane_value zero = wm_lanes_constant(0);
    return wm_lanes_subtract(&zero, value);
}

static struct wm_lane_value complement(const struct wm_lane_value *value)
{
    struct wm_lane_value minus_one = wm_lanes_constant(-1);
    return wm_lanes_subtract(&minus_one, value);
}

static struct wm_lane_value result_of(const struct analysis *it,
                                      const struct wm_ptx_instruction *instruction,
                                      uint32_t statement)
{
    struct wm_lane_value a = value_of(it, instruction, 1), b = value_of(it, instruction, 2);
    uint32_t name = SYMBOL_OF_STATEMENT + statement;
    if (wm_ptx_type_is_float(instruction->type))
        return wm_lanes_unknown;
    bool high = instruction->compare == WM_PTX_hi;
    switch ((int)instruction->opcode) {
    case WM_PTX_OP_mov:
        return instruction->operands[0].kind == WM_PTX_OPERAND_REGISTER ? a : wm_lanes_unknown;
    case WM_PTX_OP_ld: return loaded(it, instruction, statement);
    case WM_PTX_OP_cvta: return converted_address(&a);
    case WM_PTX_OP_cvt: return wm_ptx_type_is_float(instruction->type2) ? wm_lanes_unknown : a;
    case WM_PTX_OP_add: return wm_lanes_add(&a, &b);
    case WM_PTX_OP_sub: return wm_lanes_subtract(&a, &b);
    case WM_PTX_OP_mul:
    case WM_PTX_OP_mul24: return high ? wm_lanes_unknown : wm_lanes_multiply(&a, &b, name);
    case WM_PTX_OP_mad:
    case WM_PTX_OP_mad24: {
        struct wm_lane_value c = value_of(it, instruction, 3),
                             product = wm_lanes_multiply(&a, &b, name);
        return high ? wm_lanes_unknown : wm_lanes_add(&product, &c);
    }
    case WM_PTX_OP_shl: return shifted(&a, &b, true);
    case WM_PTX_OP_shr: return shifted(&a, &b, false);
    case WM_PTX_OP_div: return divided(&a, &b, false);
    case WM_PTX_OP_rem: return divided(&a, &b, true);
    case WM_PTX_OP_and: return wm_lanes_and(&a, &b);
    case WM_PTX_OP_or: return wm_lanes_or(&a, &b);
    case WM_PTX_OP_xor: return wm_lanes_xor(&a, &b);
    case WM_PTX_OP_not: return complement(&a);
    case WM_PTX_OP_neg: return negated(&a);
    case WM_PTX_OP_min: return wm_lanes_least(&a, &b);
    case WM_PTX_OP_max: return wm_lanes_most(&a, &b);
    case WM_PTX_OP_selp: return wm_lanes_join(&a, &b);
    default: return wm_lanes_unknown;
    }
}

// --- Registers ---

static void assign(struct analysis *it, const struct wm_ptx_operand *operand,
                   const struct wm_lane_value *value)
{
    if (operand->kind == WM_PTX_OPERAND_VECTOR || operand->kind == WM_PTX_OPERAND_LIST ||
        operand->kind == WM_PTX_OPERAND_PAIR) {
        for (uint32_t i = 0; i < operand->list_count; i++)
            assign(it, &operand->list[i], &wm_lanes_unknown);
        return;
    }
    if (operand->kind != WM_PTX_OPERAND_REGISTER)
        return;
    struct wm_lane_value *to = &it->registers[operand->index];
    struct wm_lane_value joined = wm_lanes_join(to, value);
    if (wm_lanes_equal(&joined, to))
        return;
    *to = joined;
    it->changed = true;
}

static void run_round(struct analysis *it)
{
    for (uint32_t s = 0; s < it->function->statement_count; s++) {
        const struct wm_ptx_statement *statement = &it->function->statements[s];
        if (statement->kind != WM_PTX_STATEMENT_INSTRUCTION ||
            !wm_ptx_writes_first(statement->instruction))
            continue;
        struct wm_lane_value value = result_of(it, statement->instruction, s);
        assign(it, &statement->instruction->operands[0], &value);
    }
}

// Instructions that name registers and cannot be read (WM_PTX_OP_unknown) may write any.
static bool has_unknown(const struct wm_ptx_function *function)
{
    for (uint32_t s = 0; s < function->statement_count; s++)
        if (function->statements[s].kind == WM_PTX_STATEMENT_INSTRUCTION &&
            function->statements[s].instruction->opcode == WM_PTX_OP_unknown)
            return true;
    return false;
}

static const struct wm_ptx_operand *address_operand(const struct wm_ptx_statement *statement)
{
    if (statement->kind != WM_PTX_STATEMENT_INSTRUCTION)
        return NULL;
    const struct wm_ptx_instruction *instruction = statement->instruction;
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].kind == WM_PTX_OPERAND_ADDRESS)
            return &instruction->operands[i];
    return NULL;
}

enum wm_status wm_address_analysis(const struct wm_ptx_function *function,
                                   const struct wm_launch_shape *shape, uint32_t warp,
                                   struct wm_lane_value *addresses, struct wm_error *error)
{
    struct analysis it = {.function = function, .shape = shape, .warp = warp, .changed = true};
    WM_TRY(WM_ARRAY_NEW(it.registers, function->register_count + UINT64_C(1), error,
                        "analysing the addresses of %s", function->name));
    bool readable = !has_unknown(function);
    for (int round = 0; round < MOST_ROUNDS && it.changed && readable; round++) {
        it.changed = false;
        run_round(&it);
    }
    for (uint32_t s = 0; s < function->statement_count; s++) {
        const struct wm_ptx_operand *operand = address_operand(&function->statements[s]);
        addresses[s] = wm_lanes_unknown;
        if (operand != NULL && readable && !it.changed)
            addresses[s] = address_of(&it, operand);
    }
    free(it.registers);
    return WM_OK;
}

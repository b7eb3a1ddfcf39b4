// Which PTX instructions vanish into others. The machine instructions that take several at once are
// those of NVIDIA's CUDA Binary Utilities, "Instruction Set Reference": IMAD and IMAD.WIDE (product
// and sum, of 64 bits too), LEA (shift and sum), IADD3 (three summands), LOP3 (any logic of three
// inputs), PLOP3 and comparisons with a predicate to combine, FFMA; operands may be negated, made
// absolute, immediate, or stand in the constant bank where parameters are (Jia et al., arXiv
// 1804.06826, section 2), and addresses have an immediate offset.
#include "engine/issue/machine_code.h"

#include "engine/issue/machine_code_reading.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = WM_CODE_NONE };

struct estimate {
    struct wm_code code;
    uint8_t *slots;
    uint8_t *absorbs; // by pc: the instruction does the work of another, too
    uint32_t compute_major;
};

static const struct wm_code_instruction *at(const struct estimate *estimate, int64_t pc)
{
    return &estimate->code.instructions[pc];
}

static bool is(const struct estimate *estimate, int64_t pc, enum wm_ptx_opcode opcode)
{
    return pc != NONE && at(estimate, pc)->opcode == opcode;
}

static const struct wm_code_register *result_of(const struct estimate *estimate, uint32_t pc)
{
    int64_t number = wm_code_result_of(&estimate->code, pc);
    return number != NONE ? &estimate->code.registers[number] : NULL;
}

// Whether `holds` of each reader of what the instruction writes, and there is one.
static bool all_readers(const struct estimate *estimate, uint32_t pc,
                        bool (*holds)(const struct estimate *, const struct wm_code_operand *))
{
    const struct wm_code_register *result = result_of(estimate, pc);
    if (result == NULL || result->readers == 0)
        return false;
    for (int64_t i = result->first_reader; i != NONE; i = estimate->code.operands[i].next)
        if (!holds(estimate, &estimate->code.operands[i]))
            return false;
    return true;
}

// --- Constants ---

// Kernels' parameters, and what the launch says of its shape, lie in the constant bank.
static bool is_in_constant_bank(const char *operand)
{
    static const char *const names[] = {"%ntid.", "%nctaid.", "%dynamic_smem_size"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(operand, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool is_constant(const struct estimate *estimate, uint32_t pc)
{
    const struct wm_code_instruction *it = at(estimate, pc);
    if (wm_code_loads_parameter(it))
        return it->operand_count == 1;
    if (it->opcode == WM_PTX_OP_cvta)
        return wm_code_is_constant_in(&estimate->code, pc, 1);
    if (it->opcode != WM_PTX_OP_mov)
        return false;
    const char *operand = wm_code_second_operand(it);
    return operand[0] == '%' && it->operand_count == 1
               ? is_in_constant_bank(operand)
               : wm_code_is_constant_in(&estimate->code, pc, 1);
}

static void find_constants(struct estimate *estimate)
{
    for (uint32_t pc = 0; pc < estimate->code.count; pc++) {
        int64_t number = wm_code_result_of(&estimate->code, pc);
        if (number != NONE)
            estimate->code.registers[number].is_constant = is_constant(estimate, pc);
    }
}

// --- Halves ---

static bool addresses_shared_memory(const struct wm_code_instruction *it)
{
    return wm_code_has_word(it, "shared") || wm_code_has_word(it, "shared::cta") ||
           wm_code_has_word(it, "local");
}

// Whether this reader uses only the lower half of a register of 64 bits. Addresses in shared and
// local memory have 32.
static bool uses_low_half(const struct estimate *estimate, const struct wm_code_operand *operand)
{
    const struct wm_code_instruction *it = at(estimate, operand->pc);
    if (operand->address)
        return addresses_shared_memory(it);
    if (operand->place == UINT8_MAX)
        return false;
    switch (it->opcode) {
    case WM_PTX_OP_cvt: return it->type.bits <= 32 && !it->type.is_float && !it->source.is_float;
    case WM_PTX_OP_shl:
        if (operand->place == 2)
            return true;
        break;
    case WM_PTX_OP_mul:
    case WM_PTX_OP_mad:
        if (!wm_code_has_word(it, "lo"))
            return false;
        break;
    case WM_PTX_OP_add:
    case WM_PTX_OP_sub:
    case WM_PTX_OP_and:
    case WM_PTX_OP_or:
    case WM_PTX_OP_xor:
    case WM_PTX_OP_mov:
    case WM_PTX_OP_cvta: break;
    default: return false;
    }
    int64_t result = wm_code_register_in(&estimate->code, operand->pc, 0);
    return result != NONE && estimate->code.registers[result].low_half;
}

static bool reads_more(const struct estimate *estimate, const struct wm_code_register *number)
{
    for (int64_t i = number->first_reader; i != NONE; i = estimate->code.operands[i].next)
        if (!uses_low_half(estimate, &estimate->code.operands[i]))
            return true;
    return number->first_reader == NONE;
}

// The largest set of registers that do.
static void find_low_halves(struct estimate *estimate)
{
    for (uint32_t i = 0; i < estimate->code.register_count; i++)
        estimate->code.registers[i].low_half = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < estimate->code.register_count; i++) {
            struct wm_code_register *number = &estimate->code.registers[i];
            if (!number->low_half || !reads_more(estimate, number))
                continue;
            number->low_half = false;
            changed = true;
        }
    }
}

static bool is_low_half(const struct estimate *estimate, uint32_t pc)
{
    int64_t result = wm_code_register_in(&estimate->code, pc, 0);
    return result != NONE && estimate->code.registers[result].low_half;
}

// --- What vanishes by itself ---

static bool is_special(const struct wm_code_instruction *it)
{
    return wm_code_second_operand(it)[0] == '%' && it->operand_count == 1;
}

// A copy whose source has no other reader needs no instruction: both are one register. A variable
// of a loop, which is written in several places, has a register that constants are moved to.
static uint32_t slots_of_move(const struct estimate *estimate, uint32_t pc)
{
    const struct wm_code *code = &estimate->code;
    const struct wm_code_instruction *it = at(estimate, pc);
    const struct wm_code_register *result = result_of(estimate, pc);
    bool special = is_special(it);
    if (special && !is_in_constant_bank(wm_code_second_operand(it)))
        return 1; // S2R, CS2R
    if (special)
        return estimate->compute_major >= 9;
    if (result != NULL || wm_code_register_in(code, pc, 0) == NONE)
        return 0; // or parts of a pair, which are registers
    int64_t source = wm_code_register_in(code, pc, 1);
    if (source == NONE)
        return 1;
    const struct wm_code_register *from = &code->registers[source];
    return from->definitions != 1 || from->readers != 1 || from->is_constant;
}

static bool is_of_floats(const struct estimate *estimate, const struct wm_code_operand *operand)
{
    const struct wm_code_instruction *it = at(estimate, operand->pc);
    switch (it->opcode) {
    case WM_PTX_OP_add:
    case WM_PTX_OP_sub:
    case WM_PTX_OP_mul:
    case WM_PTX_OP_fma:
    case WM_PTX_OP_min:
    case WM_PTX_OP_max:
    case WM_PTX_OP_setp: return it->type.is_float;
    default: return false;
    }
}

static bool takes_predicate(const struct estimate *estimate, const struct wm_code_operand *operand)
{
    const struct wm_code_instruction *it = at(estimate, operand->pc);
    return operand->place == UINT8_MAX || it->opcode == WM_PTX_OP_selp ||
           it->opcode == WM_PTX_OP_setp || it->type.bits == 1;
}

// Operands may be negated, predicates too.
static bool is_modifier(const struct estimate *estimate, uint32_t pc)
{
    const struct wm_code_instruction *it = at(estimate, pc);
    if (it->opcode == WM_PTX_OP_neg || it->opcode == WM_PTX_OP_abs)
        return it->type.is_float && all_readers(estimate, pc, is_of_floats);
    bool inverts = it->opcode == WM_PTX_OP_not ||
                   (it->opcode == WM_PTX_OP_xor && wm_code_is_constant_in(&estimate->code, pc, 2));
    return inverts && it->type.bits == 1 && all_readers(estimate, pc, takes_predicate);
}

static uint32_t slots_alone(const struct estimate *estimate, uint32_t pc)
{
    const struct wm_code_instruction *it = at(estimate, pc);
    if (wm_code_loads_parameter(it))
        return it->operand_count == 1 && estimate->compute_major >= 9; // LDC
    if (it->opcode == WM_PTX_OP_st && wm_code_has_word(it, "param"))
        return 0; // a function's argument is in its register
    if (it->opcode == WM_PTX_OP_mov)
        return slots_of_move(estimate, pc);
    if (it->opcode == WM_PTX_OP_cvta || is_modifier(estimate, pc) ||
        wm_code_is_other_branch(&estimate->code, pc))
        return 0;
    return wm_code_expansion(it, is_low_half(estimate, pc));
}

// --- What others do ---

static bool is_integer(const struct wm_code_instruction *it)
{
    return !it->type.is_float && it->type.bits > 1;
}

static bool has_rounding(const struct wm_code_instruction *it)
{
    return wm_code_has_word(it, "rn") || wm_code_has_word(it, "rz") || wm_code_has_word(it, "rm") ||
           wm_code_has_word(it, "rp") || wm_code_has_word(it, "sat");
}

static bool is_extension(const struct estimate *estimate, int64_t pc)
{
    return is(estimate, pc, WM_PTX_OP_cvt) && at(estimate, pc)->type.bits == 64 &&
           at(estimate, pc)->source.bits == 32 && !at(estimate, pc)->type.is_float &&
           !at(estimate, pc)->source.is_float;
}

// Of two numbers that were extended alike from 32 bits.
static bool multiplies_extensions(const struct estimate *estimate, uint32_t pc)
{
    int64_t left = wm_code_definition_in(&estimate->code, pc, 1);
    int64_t right = wm_code_definition_in(&estimate->code, pc, 2);
    return is(estimate, pc, WM_PTX_OP_mul) && wm_code_has_word(at(estimate, pc), "lo") &&
           is_extension(estimate, left) && is_extension(estimate, right) &&
           at(estimate, left)->source.is_signed == at(estimate, right)->source.is_signed;
}

// Products of two 32-bit numbers with 64 bits, as IMAD.WIDE adds something to.
static bool is_wide_product(const struct estimate *estimate, int64_t pc)
{
    if (pc == NONE || result_of(estimate, (uint32_t)pc) == NULL)
        return false;
    const struct wm_code_instruction *it = at(estimate, pc);
    if (it->opcode == WM_PTX_OP_mul && wm_code_has_word(it, "wide"))
        return it->source.bits == 32;
    if (multiplies_extensions(estimate, (uint32_t)pc))
        return true;
    // A shift of what was 32 bits is one, too.
    if (it->opcode != WM_PTX_OP_shl || !wm_code_is_constant_in(&estimate->code, (uint32_t)pc, 2))
        return false;
    int64_t from = wm_code_definition_in(&estimate->code, (uint32_t)pc, 1);
    return is_extension(estimate, from);
}

static bool is_wide_sum(const struct estimate *estimate, const struct wm_code_operand *operand)
{
    const struct wm_code_instruction *it = at(estimate, operand->pc);
    return it->opcode == WM_PTX_OP_add && it->type.bits == 64 && is_integer(it) &&
           !operand->address;
}

// Each sum of such a product is an IMAD.WIDE; the product alone is none when all its readers are.
static void fold_wide_products(struct estimate *estimate)
{
    for (uint32_t pc = 0; pc < estimate->code.count; pc++) {
        struct wm_code_operand sum = {.pc = pc};
        int64_t left = wm_code_definition_in(&estimate->code, pc, 1);
        int64_t right = wm_code_definition_in(&estimate->code, pc, 2);
        if (is_wide_sum(estimate, &sum) &&
            (is_wide_product(estimate, left) || is_wide_product(estimate, right))) {
            // A summand of 32 bits is given an upper half first: it is a pair of registers.
            bool extends = is_extension(estimate, left) || is_extension(estimate, right);
            estimate->slots[pc] = extends ? 2 : 1;
            estimate->absorbs[pc] = true;
        }
        if (multiplies_extensions(estimate, pc))
            estimate->slots[pc] = 1;
        if (is_wide_product(estimate, pc) && all_readers(estimate, pc, is_wide_sum))
            estimate->slots[pc] = 0;
    }
}

static bool is_shifted_wide(const struct estimate *estimate, const struct wm_code_operand *operand)
{
    return multiplies_extensions(estimate, operand->pc) ||
           (operand->place == 1 && is_wide_product(estimate, operand->pc));
}

// The extension to 64 bits that IMAD.WIDE does.
static void fold_extensions(struct estimate *estimate)
{
    for (uint32_t pc = 0; pc < estimate->code.count; pc++)
        if (is(estimate, pc, WM_PTX_OP_cvt) && all_readers(estimate, pc, is_shifted_wide))
            estimate->slots[pc] = 0;
}

static bool is_address(const struct estimate *estimate, const struct wm_code_operand *operand)
{
    (void)estimate;
    return operand->address;
}

// A register and a number, for addresses alone: their offset.
static void fold_offsets(struct estimate *estimate)
{
    const struct wm_code *code = &estimate->code;
    for (uint32_t pc = 0; pc < code->count; pc++) {
        if (!is(estimate, pc, WM_PTX_OP_add) || !is_integer(at(estimate, pc)))
            continue;
        // What is constant for a kernel is no immediate, but addresses in shared memory are.
        bool immediate = wm_code_register_in(code, pc, 2) == NONE ||
                         (is_low_half(estimate, pc) && (wm_code_is_constant_in(code, pc, 1) ||
                                                        wm_code_is_constant_in(code, pc, 2)));
        if (immediate && all_readers(estimate, pc, is_address))
            estimate->slots[pc] = 0;
    }
}

static bool is_sum(const struct wm_code_instruction *it)
{
    return it->opcode == WM_PTX_OP_add || it->opcode == WM_PTX_OP_sub;
}

static bool is_logic(const struct wm_code_instruction *it)
{
    return it->opcode == WM_PTX_OP_and || it->opcode == WM_PTX_OP_or ||
           it->opcode == WM_PTX_OP_xor || it->opcode == WM_PTX_OP_not;
}

static bool is_shift(const struct estimate *estimate, uint32_t pc)
{
    return is(estimate, pc, WM_PTX_OP_shl) && wm_code_is_constant_in(&estimate->code, pc, 2);
}

// Whether one machine instruction does what both do: the second reads the first's result.
static bool goes_with(const struct estimate *estimate, uint32_t first, uint32_t second)
{
    const struct wm_code_instruction *from = at(estimate, first), *to = at(estimate, second);
    if (from->type.bits != to->type.bits || from->type.is_float != to->type.is_float)
        return from->opcode == WM_PTX_OP_setp && to->type.bits == 1 && is_logic(to);
    if (from->type.bits == 1)
        return false;
    if (from->type.is_float)
        return from->opcode == WM_PTX_OP_mul && is_sum(to) && !has_rounding(from) &&
               !has_rounding(to);
    if (is_logic(from) && is_logic(to))
        return true; // LOP3
    bool pair = to->type.bits == 64 && !is_low_half(estimate, second);
    if (!is_sum(to) || wm_code_has_word(to, "cc") || wm_code_has_word(from, "cc"))
        return false;
    if (from->opcode == WM_PTX_OP_mul)
        return wm_code_has_word(from, "lo") && !pair; // IMAD
    return is_sum(from) || is_shift(estimate, first); // IADD3, LEA
}

// The first of the instruction's two operands whose work it can do, too.
static void fold_pairs(struct estimate *estimate)
{
    for (uint32_t pc = 0; pc < estimate->code.count; pc++) {
        for (uint8_t place = 1; place <= 2 && !estimate->absorbs[pc]; place++) {
            int64_t from = wm_code_definition_in(&estimate->code, pc, place);
            if (from == NONE || estimate->slots[pc] == 0 || estimate->slots[from] == 0 ||
                estimate->absorbs[from] ||
                wm_code_result_of(&estimate->code, (uint32_t)from) == NONE ||
                result_of(estimate, (uint32_t)from)->readers != 1 ||
                !goes_with(estimate, (uint32_t)from, pc))
                continue;
            estimate->absorbs[pc] = true;
            // The comparison stays, and the logic goes into it.
            bool compares = is(estimate, from, WM_PTX_OP_setp);
            estimate->slots[compares ? pc : from] = 0;
        }
    }
}

// --- All of it ---

// The stack's pointer is loaded first, and from sm_80 on what all accesses to memory are described
// by.
static void add_prologue(struct estimate *estimate)
{
    uint32_t more = estimate->compute_major >= 8 ? 2 : 1;
    for (uint32_t pc = 0; pc < estimate->code.count; pc++)
        if (at(estimate, pc)->is_ptx) {
            estimate->slots[pc] = (uint8_t)(estimate->slots[pc] + more);
            return;
        }
}

static void fold(struct estimate *estimate)
{
    find_constants(estimate);
    find_low_halves(estimate);
    for (uint32_t pc = 0; pc < estimate->code.count; pc++)
        estimate->slots[pc] = (uint8_t)slots_alone(estimate, pc);
    fold_wide_products(estimate);
    fold_extensions(estimate);
    fold_offsets(estimate);
    fold_pairs(estimate);
    wm_code_predicate(&estimate->code, estimate->slots);
    add_prologue(estimate);
}

enum wm_status wm_machine_code_estimate(const struct wm_work *work, uint32_t compute_major,
                                        uint8_t *slots, uint8_t *rounds, struct wm_error *error)
{
    struct estimate estimate = {.slots = slots, .compute_major = compute_major};
    bool done = wm_code_read(&estimate.code, work);
    char *ptx = done && work->ops->copy_ptx != NULL ? work->ops->copy_ptx(work) : NULL;
    done = done && (ptx == NULL || wm_code_find_targets(&estimate.code, ptx));
    free(ptx);
    estimate.absorbs = calloc(work->instruction_count + UINT64_C(1), 1);
    done &= estimate.absorbs != NULL;
    if (done) {
        fold(&estimate);
        wm_code_unroll(&estimate.code, slots, rounds);
    }
    free(estimate.absorbs);
    wm_code_release(&estimate.code);
    return done ? WM_OK : wm_fail_no_memory(error, "the estimate of a kernel's machine code");
}

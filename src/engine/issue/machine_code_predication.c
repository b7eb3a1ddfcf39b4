// Branches over few instructions, which ptxas leaves out: what they pass over has their condition
// as its guard.
#include "engine/issue/machine_code_reading.h"

#include <string.h>

static const struct wm_code_instruction *at(const struct wm_code *code, int64_t pc)
{
    return &code->instructions[pc];
}

static bool is(const struct wm_code *code, int64_t pc, enum wm_ptx_opcode opcode)
{
    return at(code, pc)->opcode == opcode;
}

static bool reads_lane(const struct wm_code_instruction *it)
{
    const char *operand = wm_code_second_operand(it);
    return strncmp(operand, "%tid", 4) == 0 || strncmp(operand, "%laneid", 7) == 0 ||
           strncmp(operand, "%lanemask", 9) == 0;
}

// What it writes: of threads' numbers and of memory, or of such values.
static bool varies(const struct wm_code *code, uint32_t pc)
{
    const struct wm_code_instruction *it = at(code, pc);
    if (wm_code_loads_parameter(it))
        return false;
    unsigned traits = wm_ptx_opcode_traits(it->opcode);
    if (it->opcode == WM_PTX_OP_ld || (traits & WM_PTX_TRAIT_ATOMIC) || reads_lane(it))
        return true;
    for (uint32_t i = it->first_operand; i < it->first_operand + it->operand_count; i++)
        if (code->registers[code->operands[i].number].varies)
            return true;
    return false;
}

static void find_varying(struct wm_code *code)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = 0; pc < code->count; pc++) {
            int64_t result = wm_code_register_in(code, pc, 0);
            if (result == WM_CODE_NONE || code->registers[result].varies || !varies(code, pc))
                continue;
            code->registers[result].varies = true;
            changed = true;
        }
    }
}

static bool can_be_predicated(const struct wm_code_instruction *it)
{
    switch (it->opcode) {
    case WM_PTX_OP_bar:
    case WM_PTX_OP_barrier:
    case WM_PTX_OP_bra:
    case WM_PTX_OP_brx:
    case WM_PTX_OP_call:
    case WM_PTX_OP_exit:
    case WM_PTX_OP_ret:
    case WM_PTX_OP_trap: return false;
    default: return !it->guarded;
    }
}

// The slots of what the branch passes over, or 0 when it cannot be predicated.
static uint32_t slots_passed(const struct wm_code *code, const uint8_t *slots, uint32_t pc,
                             uint32_t most)
{
    uint32_t passed = 0, first = pc + 1;
    // "@!p bra B; bra A; A: … B:" passes over what follows A.
    bool around = wm_code_is_other_branch(code, first) && at(code, first)->target == first + 1;
    first += around;
    for (uint32_t i = first; i < (uint64_t)at(code, pc)->target; i++) {
        passed += slots[i];
        if (!can_be_predicated(at(code, i)) || passed > most ||
            at(code, i)->reached != (around && i == first))
            return 0;
    }
    return passed;
}

static bool leaves(const struct wm_code_instruction *it)
{
    return it->opcode == WM_PTX_OP_ret || it->opcode == WM_PTX_OP_exit;
}

// "@p bra A; bra B; A:" is a branch to B.
static int64_t leads_to(const struct wm_code *code, uint32_t pc)
{
    int64_t target = at(code, pc)->target;
    bool turned =
        pc + 1 < code->count && wm_code_is_other_branch(code, pc + 1) && target == (int64_t)pc + 2;
    return turned ? at(code, pc + 1)->target : target;
}

// Whether lanes that take the branch wait for the others where both ways meet. Those that leave a
// loop, or begin its next turn, wait behind it, once for all turns.
static bool converges(const struct wm_code *code, uint32_t pc)
{
    int64_t target = leads_to(code, pc);
    if (target <= (int64_t)pc || leaves(at(code, target)))
        return false;
    for (uint32_t i = pc + 1; i < (uint64_t)target; i++) {
        int64_t back = at(code, i)->target;
        if (is(code, i, WM_PTX_OP_bra) && back != WM_CODE_NONE && back <= (int64_t)pc)
            return false;
    }
    return true;
}

// A branch over few instructions is left out, and they have its condition as their guard: all warps
// issue them, those that would have branched, too. Of conditions that vary in a warp up to 7, of
// others up to 4 (CUDA C++ Best Practices Guide, "Branch Predication"). A branch that stays, and
// that lanes part at, has them wait where they meet (BSSY, BSYNC; Volta's and later ones).
void wm_code_predicate(struct wm_code *code, uint8_t *slots)
{
    enum { PREDICATED = 4, PREDICATED_VARYING = 7, CONVERGENCE = 2 };
    find_varying(code);
    for (uint32_t pc = 0; pc < code->count; pc++) {
        const struct wm_code_instruction *it = at(code, pc);
        if (it->opcode != WM_PTX_OP_bra || !it->guarded || it->target <= (int64_t)pc)
            continue;
        bool parts = varies(code, pc);
        uint32_t passed = slots_passed(code, slots, pc, parts ? PREDICATED_VARYING : PREDICATED);
        if (passed == 0) {
            if (parts && converges(code, pc))
                slots[pc] = (uint8_t)(slots[pc] + CONVERGENCE);
            continue;
        }
        memset(slots + pc + 1, 0, (size_t)it->target - pc - 1);
        slots[pc] = (uint8_t)passed;
    }
}

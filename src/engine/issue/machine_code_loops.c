// Loops that are unrolled: of innermost loops that are one basic block NVIDIA's compiler puts
// several rounds behind each other, so that loads of all of them go ahead of what reads them. It
// makes four rounds one where it does not know how many there are (measured: tests/oracle/gpu/h100,
// launch_times.csv, gemm_naive and gramschmidt_norm, whose loops differ in how far clang has
// unrolled them); what PTX has been unrolled already counts.
#include "base/numbers/divisor.h"
#include "engine/issue/machine_code_reading.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 4, MOST_INSTRUCTIONS = 128 };

static bool is_branch(const struct wm_code *code, uint32_t pc)
{
    return code->instructions[pc].opcode == WM_PTX_OP_bra;
}

// What ends a basic block, but for branches.
static bool ends_block(const struct wm_code_instruction *it)
{
    switch (it->opcode) {
    case WM_PTX_OP_bar:
    case WM_PTX_OP_barrier:
    case WM_PTX_OP_brx:
    case WM_PTX_OP_call:
    case WM_PTX_OP_ret:
    case WM_PTX_OP_exit: return true;
    default: return false;
    }
}

// Whether the block from `first` to the branch at `last` is left only there, or by the branch right
// before it.
static bool is_one_block(const struct wm_code *code, const uint8_t *slots, uint32_t first,
                         uint32_t last)
{
    for (uint32_t pc = first; pc < last; pc++) {
        bool leaves = is_branch(code, pc) && slots[pc] != 0;
        if (ends_block(&code->instructions[pc]) || (leaves && pc + 1 != last))
            return false;
    }
    for (uint32_t pc = 0; pc < code->count; pc++) {
        int64_t target = is_branch(code, pc) ? code->instructions[pc].target : WM_CODE_NONE;
        if (slots[pc] != 0 && target > first && target <= last)
            return false;
    }
    return true;
}

// What the loop's counter is raised by, 1 or a power of 2 up to MOST_ROUNDS: rounds that PTX has
// put behind each other. 0: no counter goes up or down by so little.
static uint32_t step_of(const struct wm_code *code, uint32_t pc)
{
    const struct wm_code_instruction *it = &code->instructions[pc];
    int64_t counter = wm_code_register_in(code, pc, 0);
    if (it->opcode != WM_PTX_OP_add || it->type.is_float || counter == WM_CODE_NONE ||
        counter != wm_code_register_in(code, pc, 1) ||
        wm_code_register_in(code, pc, 2) != WM_CODE_NONE)
        return 0;
    long by = labs(strtol(strrchr(it->text, ',') + 1, NULL, 0));
    return by <= MOST_ROUNDS && (by & (by - 1)) == 0 ? (uint32_t)by : 0;
}

// Rounds that PTX has put behind each other: by the loop's counter, and where that counts bytes, by
// how often its loads and sums of floating point are repeated.
static uint32_t unrolled_before(const struct wm_code *code, uint32_t first, uint32_t last)
{
    uint32_t least = 0, loads = 0, sums = 0;
    for (uint32_t pc = first; pc <= last; pc++) {
        const struct wm_code_instruction *it = &code->instructions[pc];
        uint32_t step = step_of(code, pc);
        least = step != 0 && (least == 0 || step < least) ? step : least;
        loads += it->opcode == WM_PTX_OP_ld;
        sums += it->type.is_float && (it->opcode == WM_PTX_OP_fma || it->opcode == WM_PTX_OP_add);
    }
    return least != 0 ? least : (uint32_t)wm_common_divisor(loads, sums);
}

static uint8_t rounds_of(const struct wm_code *code, const uint8_t *slots, uint32_t first,
                         uint32_t last)
{
    uint32_t instructions = 1, before = unrolled_before(code, first, last), rounds = MOST_ROUNDS;
    for (uint32_t pc = first; pc <= last; pc++)
        instructions += slots[pc];
    while (rounds > 1 &&
           (rounds * before > MOST_ROUNDS || rounds * instructions > MOST_INSTRUCTIONS))
        rounds /= 2;
    return (uint8_t)rounds;
}

void wm_code_unroll(const struct wm_code *code, const uint8_t *slots, uint8_t *rounds)
{
    for (uint32_t pc = 0; pc < code->count; pc++)
        if (is_branch(code, pc) && slots[pc] == 0)
            rounds[pc] = UINT8_MAX;
    for (uint32_t pc = 0; pc < code->count; pc++) {
        int64_t first = is_branch(code, pc) ? code->instructions[pc].target : WM_CODE_NONE;
        if (first == WM_CODE_NONE || first > pc || !is_one_block(code, slots, (uint32_t)first, pc))
            continue;
        // Of two branches, which end it, one is left out.
        uint32_t end = slots[pc] == 0 && pc > 0 && is_branch(code, pc - 1) ? pc - 1 : pc;
        rounds[end] = rounds_of(code, slots, (uint32_t)first, pc);
    }
}

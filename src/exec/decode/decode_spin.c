// Loops that wait for time to pass: spins. Such a loop reads a clock, touches no memory and nothing
// of other threads, and all its branches depend on values that are computed from the clock and from
// what the loop does not change. How often it goes round between two moments then has no influence
// on when it ends, nor on anything else but on registers that count its rounds.
//
// A loop is taken as it stands in the text, from the label to the last branch back to it: compilers
// lay out loops of this kind in one piece.
#include "exec/decode/decoder.h"

#include "exec/operations/data_ops.h"

#include <string.h>

enum { MOST_INSTRUCTIONS = 256 }; // of a loop: longer ones are no spins

// What is known of a register's value at a place in the loop.
struct known {
    bool changes; // the loop writes it
    bool waits;   // it is computed from the clock and from what the loop does not change
    bool timed;   // … and from the clock indeed
};

struct spin_search {
    struct wm_decoder *decoder;
    const struct wm_ptx_control_flow *flow;
    uint32_t begin, end; // of the loop: instructions
    // By register, and the condition code's carry behind them: where a round begins, and where the
    // search is.
    struct known *first, *now;
    uint32_t carry;
    bool all_wait, any_timed; // of this round's branches
};

enum { NOWHERE = UINT32_MAX };

// Where a branch goes; NOWHERE: it is no branch to a label.
static uint32_t target_of(const struct spin_search *search,
                          const struct wm_ptx_instruction *instruction)
{
    if (instruction->opcode != WM_PTX_OP_bra || instruction->operand_count != 1 ||
        instruction->operands[0].kind != WM_PTX_OPERAND_LABEL)
        return NOWHERE;
    return search->flow->label_targets[instruction->operands[0].index];
}

static bool leaves(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_exit || instruction->opcode == WM_PTX_OP_ret;
}

// Whether executing it is seen by nothing but its own registers. A pause is part of waiting.
static bool is_quiet(const struct wm_ptx_instruction *instruction)
{
    if (instruction->opcode == WM_PTX_OP_ld &&
        (instruction->space == WM_PTX_param || instruction->space == WM_PTX_const))
        return true;
    return !(wm_ptx_opcode_traits(instruction->opcode) & WM_PTX_TRAIT_SEEN);
}

typedef void visit_register(struct spin_search *search, uint32_t index, void *context);

static void visit_operand(struct spin_search *search, const struct wm_ptx_operand *operand,
                          visit_register *visit, void *context)
{
    if (operand->kind == WM_PTX_OPERAND_REGISTER ||
        (operand->kind == WM_PTX_OPERAND_ADDRESS && operand->base_register))
        visit(search, operand->index, context);
    for (uint32_t i = 0; operand->list != NULL && i < operand->list_count; i++)
        visit_operand(search, &operand->list[i], visit, context);
}

static void visit_written(struct spin_search *search, const struct wm_ptx_instruction *instruction,
                          visit_register *visit, void *context)
{
    if (wm_ptx_writes_first(instruction))
        visit_operand(search, &instruction->operands[0], visit, context);
    if (wm_ptx_has(instruction, WM_PTX_cc))
        visit(search, search->carry, context);
}

static void note_change(struct spin_search *search, uint32_t index, void *context)
{
    (void)context;
    search->first[index].changes = true;
}

// What an instruction computes with. `perhaps`: it may be passed over, and what was there stays.
struct sources {
    bool wait, timed, perhaps;
};

static void add_source(struct spin_search *search, uint32_t index, void *context)
{
    struct sources *sources = context;
    const struct known *known = &search->now[index];
    sources->wait &= !known->changes || known->waits;
    sources->timed |= known->timed;
}

static struct sources sources_of(struct spin_search *search,
                                 const struct wm_ptx_instruction *instruction)
{
    struct sources sources = {.wait = true, .timed = wm_ptx_reads_clock(instruction)};
    for (uint32_t i = wm_ptx_writes_first(instruction); i < instruction->operand_count; i++)
        visit_operand(search, &instruction->operands[i], add_source, &sources);
    if (instruction->guard != WM_PTX_NO_REGISTER)
        add_source(search, (uint32_t)instruction->guard, &sources);
    if (wm_ptx_opcode_traits(instruction->opcode) & WM_PTX_TRAIT_CARRY)
        add_source(search, search->carry, &sources);
    return sources;
}

static void note_written(struct spin_search *search, uint32_t index, void *context)
{
    const struct sources *sources = context;
    struct known *known = &search->now[index];
    known->waits = sources->wait && (!sources->perhaps || known->waits);
    known->timed = sources->timed || (sources->perhaps && known->timed);
}

static bool is_plain(struct spin_search *search)
{
    bool reads = false;
    for (uint32_t i = search->begin; i < search->end; i++) {
        const struct wm_ptx_instruction *instruction = search->flow->instructions[i];
        uint32_t target = target_of(search, instruction);
        if (!is_quiet(instruction) || (instruction->opcode == WM_PTX_OP_bra && target == NOWHERE) ||
            (target <= i && target != search->begin))
            return false;
        reads |= wm_ptx_reads_clock(instruction);
        visit_written(search, instruction, note_change, NULL);
    }
    return reads;
}

// Follows a round from what is known of its beginning. False when its end gives nothing new for the
// next one's: a value that is computed from itself, as a counter of rounds, never waits.
static bool follow_round(struct spin_search *search)
{
    uint32_t registers = search->carry + 1, passed = search->begin;
    bool learned = false;
    search->all_wait = true;
    search->any_timed = false;
    memcpy(search->now, search->first, registers * sizeof *search->now);
    for (uint32_t i = search->begin; i < search->end; i++) {
        const struct wm_ptx_instruction *instruction = search->flow->instructions[i];
        struct sources sources = sources_of(search, instruction);
        sources.perhaps = instruction->guard != WM_PTX_NO_REGISTER || i < passed;
        visit_written(search, instruction, note_written, &sources);
        if (instruction->opcode != WM_PTX_OP_bra && !leaves(instruction))
            continue;
        search->all_wait &= sources.wait;
        search->any_timed |= sources.timed;
        uint32_t target = target_of(search, instruction);
        if (target < search->end && target > passed)
            passed = target; // until there, a path may come from here
    }
    for (uint32_t i = 0; i < registers; i++) {
        struct known *first = &search->first[i];
        const struct known *last = &search->now[i];
        learned |= (last->waits && !first->waits) || (last->timed && !first->timed);
        first->waits |= last->waits;
        first->timed |= last->timed;
    }
    return learned;
}

// All its branches wait for the clock, or always go the same way; and one waits indeed.
static bool is_spin(struct spin_search *search)
{
    memset(search->first, 0, (search->carry + (size_t)1) * sizeof *search->first);
    if (!is_plain(search))
        return false;
    while (follow_round(search))
        continue;
    return search->all_wait && search->any_timed;
}

// The last branch back to `begin`, from `last` on; behind it the loop ends.
static uint32_t end_of_loop(struct spin_search *search, uint32_t begin, uint32_t last)
{
    uint32_t end = last + 1;
    for (uint32_t i = end; i < search->flow->instruction_count && i - begin < MOST_INSTRUCTIONS;
         i++)
        if (target_of(search, search->flow->instructions[i]) == begin)
            end = i + 1;
    return end;
}

static void find_all(struct spin_search *search, uint32_t *lengths)
{
    const struct wm_ptx_control_flow *flow = search->flow;
    for (uint32_t i = 0; i < flow->instruction_count; i++) {
        uint32_t begin = target_of(search, flow->instructions[i]);
        if (begin > i || i - begin >= MOST_INSTRUCTIONS)
            continue;
        search->begin = begin;
        search->end = end_of_loop(search, begin, i);
        if (!is_spin(search))
            continue;
        uint32_t length = search->end - begin;
        for (uint32_t at = begin; at < search->end; at++)
            if (wm_ptx_reads_clock(flow->instructions[at])) {
                lengths[at] = length;
                length = WM_SPIN_CONTINUES;
            }
    }
}

uint32_t wm_decode_spin_length(struct wm_decoder *decoder)
{
    const struct wm_ptx_control_flow *flow = decoder->flow;
    if (decoder->spin_lengths == NULL) {
        struct spin_search search = {
            .decoder = decoder, .flow = flow, .carry = flow->function->register_count};
        uint32_t *lengths = WM_ARENA_ARRAY(&decoder->scratch, uint32_t, flow->instruction_count);
        search.first = WM_ARENA_ARRAY(&decoder->scratch, struct known, search.carry + (size_t)1);
        search.now = WM_ARENA_ARRAY(&decoder->scratch, struct known, search.carry + (size_t)1);
        if (lengths == NULL || search.first == NULL || search.now == NULL) {
            wm_decode_no_memory(decoder);
            return 0;
        }
        memset(lengths, 0, flow->instruction_count * sizeof *lengths);
        find_all(&search, lengths);
        decoder->spin_lengths = lengths;
    }
    return decoder
        ->spin_lengths[decoder->pc - decoder->out->functions[decoder->function_index].first_pc];
}

// Branches, barriers and warp-wide instructions: see decoder.h.
#include "exec/decode/decoder.h"

#include "exec/operations/control_ops.h"
#include "exec/operations/memory_ops.h"
#include "exec/sync/barriers.h"
#include "exec/sync/warp_sync.h"

// Until the whole function is decoded, targets are block numbers; decode_kernel.c turns them into
// op indices.
static uint32_t meeting_block(const struct wm_decoder *decoder)
{
    const struct wm_ptx_control_flow *flow = decoder->flow;
    uint32_t block =
        flow->block_of[decoder->pc - decoder->out->functions[decoder->function_index].first_pc];
    return flow->blocks[block].reconvergence;
}

static uint32_t target_block(struct wm_decoder *decoder, const struct wm_ptx_operand *operand)
{
    const struct wm_ptx_control_flow *flow = decoder->flow;
    if (operand->kind != WM_PTX_OPERAND_LABEL) {
        wm_decode_refuse(decoder, WM_INVALID, "the target is not a label");
        return 0;
    }
    uint32_t at = flow->label_targets[operand->index];
    // A label at the end of the function: falling off the end returns.
    return at < flow->instruction_count ? flow->block_of[at] : flow->block_count;
}

void wm_decode_branch(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    if (instruction->operand_count != 1) {
        wm_decode_refuse(decoder, WM_INVALID, "%u operands", instruction->operand_count);
        return;
    }
    uint32_t target = target_block(decoder, &instruction->operands[0]);
    bool conditional = instruction->guard != WM_PTX_NO_REGISTER;
    struct wm_op *op = wm_decode_emit(decoder, conditional ? wm_run_branch_if : wm_run_branch);
    op->run = conditional ? wm_run_branch_if : wm_run_branch;
    op->target = target;
    op->reconverge = conditional ? meeting_block(decoder) : WM_PTX_NO_BLOCK;
}

void wm_decode_branch_index(struct wm_decoder *decoder)
{
    const struct wm_ptx_control_flow *flow = decoder->flow;
    if (decoder->instruction->operand_count != 2) {
        wm_decode_refuse(decoder, WM_INVALID, "%u operands", decoder->instruction->operand_count);
        return;
    }
    const struct wm_ptx_block *block =
        &flow->blocks[flow->block_of[decoder->pc -
                                     decoder->out->functions[decoder->function_index].first_pc]];
    uint32_t count = block->branch_successor_count;
    uint32_t *targets = wm_decode_allocate(decoder, (count + 1) * sizeof(*targets));
    if (!targets)
        return;
    memcpy(targets, block->branch_successors, count * sizeof(*targets));
    uint32_t index = wm_decode_source(decoder, &decoder->instruction->operands[0], WM_PTX_u32);
    struct wm_op *op = wm_decode_emit(decoder, wm_run_branch_index);
    op->a = index;
    op->targets = targets;
    op->target_count = count;
    op->reconverge = block->reconvergence;
}

void wm_decode_leave(struct wm_decoder *decoder)
{
    bool conditional = decoder->instruction->guard != WM_PTX_NO_REGISTER;
    enum wm_ptx_opcode opcode = decoder->instruction->opcode;
    if (opcode == WM_PTX_OP_trap || opcode == WM_PTX_OP_brkpt) {
        wm_decode_emit(decoder, wm_run_trap);
        return;
    }
    bool leaves_kernel = opcode == WM_PTX_OP_exit || decoder->function_index == 0;
    if (!leaves_kernel)
        wm_decode_before_return(decoder, conditional);
    struct wm_op *op = wm_decode_emit(decoder, wm_run_exit);
    if (leaves_kernel)
        op->run = conditional ? wm_run_exit_if : wm_run_exit;
    else
        op->run = conditional ? wm_run_return_if : wm_run_return;
}

void wm_decode_nothing(struct wm_decoder *decoder)
{
    wm_decode_emit(decoder, wm_run_nothing);
}

void wm_decode_fence(struct wm_decoder *decoder)
{
    wm_decode_emit(decoder, wm_run_fence);
}

void wm_decode_pause(struct wm_decoder *decoder)
{
    wm_decode_emit(decoder, wm_run_pause);
}

// --- block barriers ---

static void decode_barrier_reduction(struct wm_decoder *decoder, struct wm_op *op,
                                     const struct wm_ptx_operand *predicate)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    if (wm_ptx_has(instruction, WM_PTX_popc))
        op->flags |= WM_BARRIER_RED_POPC;
    else if (wm_ptx_has(instruction, WM_PTX_and))
        op->flags |= WM_BARRIER_RED_AND;
    else
        op->flags |= WM_BARRIER_RED_OR;
    op->flags |= predicate->negated ? WM_BARRIER_NEGATED : 0;
    op->c = wm_decode_predicate(decoder, predicate);
    op->d = wm_decode_destination(decoder, &instruction->operands[0],
                                  op->flags & WM_BARRIER_RED_POPC ? WM_PTX_u32 : WM_PTX_pred);
}

void wm_decode_barrier(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    bool reduction = wm_ptx_has(instruction, WM_PTX_red);
    unsigned first = reduction ? 1 : 0, last = instruction->operand_count - (reduction ? 1u : 0u);
    if (wm_ptx_has(instruction, WM_PTX_warp)) {
        wm_decode_warp(decoder);
        return;
    }
    if (wm_ptx_has(instruction, WM_PTX_cluster)) {
        bool wait = wm_ptx_has(instruction, WM_PTX_wait);
        wm_decode_emit(decoder, wait ? wm_run_cluster_wait : wm_run_cluster_arrive);
        return;
    }
    if (last <= first || last - first > 2) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
        return;
    }
    struct wm_op filled = {0};
    filled.a = wm_decode_source(decoder, &instruction->operands[first], WM_PTX_u32);
    if (last - first == 2) {
        filled.b = wm_decode_source(decoder, &instruction->operands[first + 1], WM_PTX_u32);
        filled.flags |= WM_BARRIER_HAS_COUNT;
    }
    if (wm_ptx_has(instruction, WM_PTX_arrive))
        filled.flags |= WM_BARRIER_ARRIVE;
    if (reduction)
        decode_barrier_reduction(decoder, &filled, &instruction->operands[last]);
    struct wm_op *op = wm_decode_emit(decoder, wm_run_barrier);
    op->a = filled.a;
    op->b = filled.b;
    op->c = filled.c;
    op->d = filled.d;
    op->flags = filled.flags;
}

// --- warp-wide instructions ---

static const struct warp_mode {
    enum wm_ptx_opcode opcode;
    enum wm_ptx_modifier modifier;
    enum wm_warp_operation operation;
} warp_modes[] = {
    {WM_PTX_OP_bar, WM_PTX_warp, WM_WARP_BARRIER},
    {WM_PTX_OP_shfl, WM_PTX_up, WM_WARP_SHFL_UP},
    {WM_PTX_OP_shfl, WM_PTX_down, WM_WARP_SHFL_DOWN},
    {WM_PTX_OP_shfl, WM_PTX_bfly, WM_WARP_SHFL_BFLY},
    {WM_PTX_OP_shfl, WM_PTX_idx, WM_WARP_SHFL_IDX},
    {WM_PTX_OP_vote, WM_PTX_all, WM_WARP_VOTE_ALL},
    {WM_PTX_OP_vote, WM_PTX_any, WM_WARP_VOTE_ANY},
    {WM_PTX_OP_vote, WM_PTX_uni, WM_WARP_VOTE_UNI},
    {WM_PTX_OP_vote, WM_PTX_ballot, WM_WARP_VOTE_BALLOT},
    {WM_PTX_OP_match, WM_PTX_any, WM_WARP_MATCH_ANY},
    {WM_PTX_OP_match, WM_PTX_all, WM_WARP_MATCH_ALL},
    {WM_PTX_OP_redux, WM_PTX_add, WM_WARP_REDUX_ADD},
    {WM_PTX_OP_redux, WM_PTX_min, WM_WARP_REDUX_MIN},
    {WM_PTX_OP_redux, WM_PTX_max, WM_WARP_REDUX_MAX},
    {WM_PTX_OP_redux, WM_PTX_and, WM_WARP_REDUX_AND},
    {WM_PTX_OP_redux, WM_PTX_or, WM_WARP_REDUX_OR},
    {WM_PTX_OP_redux, WM_PTX_xor, WM_WARP_REDUX_XOR},
    {WM_PTX_OP_elect, WM_PTX_sync, WM_WARP_ELECT},
};

static bool warp_operation(const struct wm_ptx_instruction *instruction,
                           enum wm_warp_operation *operation)
{
    for (size_t i = 0; i < sizeof(warp_modes) / sizeof(warp_modes[0]); i++) {
        if (warp_modes[i].opcode == instruction->opcode &&
            wm_ptx_has(instruction, warp_modes[i].modifier)) {
            *operation = warp_modes[i].operation;
            return true;
        }
    }
    return false;
}

// Operands besides the destination and the member mask.
static unsigned own_sources(enum wm_warp_operation operation)
{
    if (operation == WM_WARP_BARRIER || operation == WM_WARP_ELECT)
        return 0;
    return operation <= WM_WARP_SHFL_IDX ? 3 : 1;
}

static void decode_warp_destination(struct wm_decoder *decoder, struct wm_op *op,
                                    struct wm_warp_form *form)
{
    const struct wm_ptx_operand *operand = &decoder->instruction->operands[0];
    form->predicate = WM_NO_OP;
    bool predicate = op->flags >= WM_WARP_VOTE_ALL && op->flags <= WM_WARP_VOTE_UNI;
    if (operand->kind == WM_PTX_OPERAND_PAIR && operand->list_count == 2) {
        if (operand->list[1].kind != WM_PTX_OPERAND_SINK)
            form->predicate = wm_decode_destination(decoder, &operand->list[1], WM_PTX_pred);
        operand = &operand->list[0];
    }
    op->d = operand->kind == WM_PTX_OPERAND_SINK
                ? WM_NO_OP
                : wm_decode_destination(decoder, operand, predicate ? WM_PTX_pred : WM_PTX_b32);
}

void wm_decode_warp(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    enum wm_warp_operation operation;
    struct wm_warp_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return;
    if (!warp_operation(instruction, &operation)) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
        return;
    }
    unsigned first = operation == WM_WARP_BARRIER ? 0 : 1, sources = own_sources(operation);
    unsigned rest = instruction->operand_count - first;
    bool members = rest == sources + 1;
    if (instruction->operand_count < first || (rest != sources && !members)) {
        wm_decode_refuse(decoder, WM_INVALID, "%u operands", instruction->operand_count);
        return;
    }
    const struct wm_ptx_operand *operands = instruction->operands + first;
    struct wm_op filled = {.flags = (uint8_t)operation};
    bool vote = operation >= WM_WARP_VOTE_ALL && operation <= WM_WARP_VOTE_BALLOT;
    wm_ptx_type source_type =
        vote ? WM_PTX_pred
        : instruction->opcode == WM_PTX_OP_match || instruction->opcode == WM_PTX_OP_redux
            ? instruction->type
            : WM_PTX_b32;
    if (sources > 0)
        filled.a = wm_decode_source(decoder, &operands[0], source_type);
    if (sources == 3) {
        filled.b = wm_decode_source(decoder, &operands[1], WM_PTX_b32);
        filled.c = wm_decode_source(decoder, &operands[2], WM_PTX_b32);
    }
    form->has_members = members;
    form->negated = vote && operands[0].negated;
    form->wide = wm_register_class_of(source_type) == WM_CLASS_8;
    form->is_signed = wm_ptx_type_is_signed(instruction->type);
    form->is_float = instruction->opcode == WM_PTX_OP_redux && instruction->type == WM_PTX_f32;
    form->absolute = wm_ptx_has(instruction, WM_PTX_abs);
    form->nan = wm_ptx_has(instruction, WM_PTX_NaN);
    if (members)
        form->members = wm_decode_source(decoder, &operands[sources], WM_PTX_b32);
    if (first)
        decode_warp_destination(decoder, &filled, form);
    struct wm_op *op = wm_decode_emit(decoder, wm_run_warp_sync);
    op->a = filled.a;
    op->b = filled.b;
    op->c = filled.c;
    op->d = filled.d;
    op->flags = filled.flags;
    op->warp = form;
}

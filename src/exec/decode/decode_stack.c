// alloca, stacksave and stackrestore (PTX ISA 9.7.16): see decoder.h.
#include "exec/decode/decoder.h"

#include "exec/operations/stack_ops.h"

enum { DEFAULT_ALIGNMENT = 8, MOST_ALIGNMENT = 4096 };

static bool is_wide(const struct wm_decoder *decoder)
{
    return wm_ptx_type_bytes(decoder->instruction->type) == 8;
}

static wm_ptx_type address_type(const struct wm_decoder *decoder)
{
    return is_wide(decoder) ? WM_PTX_u64 : WM_PTX_u32;
}

static bool read_alignment(struct wm_decoder *decoder, uint32_t *alignment)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    *alignment = DEFAULT_ALIGNMENT;
    if (instruction->operand_count < 3)
        return true;
    const struct wm_ptx_operand *operand = &instruction->operands[2];
    bool good = operand->kind == WM_PTX_OPERAND_INTEGER && operand->bits != 0 &&
                operand->bits <= MOST_ALIGNMENT && !(operand->bits & (operand->bits - 1));
    if (good)
        *alignment = (uint32_t)operand->bits;
    else
        wm_decode_refuse(decoder, WM_INVALID, "the alignment is no power of two up to %d",
                         MOST_ALIGNMENT);
    return good;
}

void wm_decode_stack(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    bool allocates = instruction->opcode == WM_PTX_OP_alloca;
    bool restores = instruction->opcode == WM_PTX_OP_stackrestore;
    uint32_t alignment = 0, d = 0, a = 0;
    if (instruction->operand_count < (allocates ? 2 : 1)) {
        wm_decode_refuse(decoder, WM_INVALID, "%u operands", instruction->operand_count);
        return;
    }
    if (allocates && !read_alignment(decoder, &alignment))
        return;
    if (allocates || restores)
        a = wm_decode_source(decoder, &instruction->operands[allocates ? 1 : 0],
                             address_type(decoder));
    if (!restores)
        d = wm_decode_destination(decoder, &instruction->operands[0], address_type(decoder));
    struct wm_op *op = wm_decode_emit(decoder, allocates  ? wm_run_alloca
                                               : restores ? wm_run_stack_restore
                                                          : wm_run_stack_save);
    op->a = a;
    op->b = alignment;
    op->d = d;
    op->flags = is_wide(decoder) ? WM_STACK_WIDE : 0;
    op->immediate = decoder->out->functions[decoder->function_index].local_bytes;
}

static bool uses_stack(const struct wm_ptx_control_flow *flow)
{
    for (uint32_t i = 0; i < flow->instruction_count; i++)
        if (flow->instructions[i]->opcode == WM_PTX_OP_alloca ||
            flow->instructions[i]->opcode == WM_PTX_OP_stackrestore)
            return true;
    return false;
}

// A called function remembers at its entry what it gives back when it returns.
void wm_decode_stack_enter(struct wm_decoder *decoder)
{
    bool uses = uses_stack(decoder->flow);
    decoder->out->allocates |= uses;
    decoder->stack_mark = WM_NO_OP;
    if (!uses || decoder->function_index == 0)
        return;
    decoder->stack_mark = decoder->registers.frame_bytes | WM_BASE_FRAME;
    decoder->registers.frame_bytes += 4 * decoder->width;
    wm_decode_emit_extra(decoder, wm_run_stack_save)->d = decoder->stack_mark;
}

void wm_decode_stack_leave(struct wm_decoder *decoder, bool guarded)
{
    if (decoder->stack_mark == WM_NO_OP)
        return;
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    struct wm_op *op = wm_decode_emit_extra(decoder, wm_run_stack_leave);
    op->a = decoder->stack_mark;
    if (!guarded)
        return;
    op->flags = WM_STACK_GUARDED;
    op->guard = decoder->registers.offsets[(uint32_t)instruction->guard] | WM_BASE_FRAME;
    op->guard_negated = instruction->guard_negated;
}

// One instruction: its family, and what its guard needs. See decoder.h.
#include "exec/decode/decoder.h"

#include "exec/operations/control_ops.h"

typedef void decode_function(struct wm_decoder *decoder);

static decode_function *family_of(const struct wm_ptx_instruction *instruction)
{
    static decode_function *const families[] = {
        NULL, // of unknown ones
#define WM_PTX_OPCODE(name, section, family, operands, traits, unit, sass) wm_decode_##family,
#include "ptx/opcodes.def"
    };
    bool writes = instruction->opcode == WM_PTX_OP_st || instruction->opcode == WM_PTX_OP_red;
    if (writes && wm_ptx_has(instruction, WM_PTX_async))
        return wm_decode_async_access;
    return families[instruction->opcode];
}

// Instructions whose guard cannot be a mask: they may stop in the middle, or write their guard.
static bool needs_branch_around(const struct wm_ptx_instruction *instruction)
{
    if (instruction->guard == WM_PTX_NO_REGISTER)
        return false;
    if (wm_ptx_opcode_traits(instruction->opcode) & WM_PTX_TRAIT_TOGETHER)
        return true;
    switch (instruction->opcode) {
    case WM_PTX_OP_setp:
        return instruction->operand_count > 0 &&
               instruction->operands[0].kind == WM_PTX_OPERAND_PAIR;
    case WM_PTX_OP_mov: return instruction->type == WM_PTX_b128; // two ops
    default: return false;
    }
}

static void note_primitive(struct wm_decoder *decoder)
{
    enum wm_ptx_opcode opcode = decoder->instruction->opcode;
    const char *name = NULL;
    if (wm_ptx_opcode_traits(opcode) & WM_PTX_TRAIT_WARP)
        name = wm_ptx_opcode_text(opcode);
    else if ((opcode == WM_PTX_OP_bar || opcode == WM_PTX_OP_barrier) &&
             wm_ptx_has(decoder->instruction, WM_PTX_warp))
        name = "bar.warp.sync";
    if (name && !decoder->out->kernel.warp_primitive)
        decoder->out->kernel.warp_primitive = name;
}

static void decode_around(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    uint32_t branch = decoder->out->op_count;
    struct wm_op *op = wm_decode_append(decoder);
    op->run = wm_run_branch_around;
    op->guard = decoder->registers.offsets[(uint32_t)instruction->guard] | WM_BASE_FRAME;
    op->guard_negated = !instruction->guard_negated;
    decoder->around = true;
    family_of(instruction)(decoder);
    decoder->around = false;
    if (decoder->status != WM_OK)
        return;
    op = &decoder->out->ops[branch]; // the array may have moved
    op->target = op->reconverge = decoder->out->op_count;
    wm_decode_append(decoder)->run = wm_run_reconverge;
}

// Only what computes and moves leaves the warp's lanes together.
static void pass_plans(struct wm_decoder *decoder)
{
    decode_function *family = family_of(decoder->instruction);
    if (family == wm_decode_lanes || family == wm_decode_video || family == wm_decode_mov ||
        family == wm_decode_setp || family == wm_decode_cvta || family == wm_decode_memory)
        wm_decode_readers_pass(decoder);
    else
        wm_decode_readers_forget(decoder);
}

void wm_decode_instruction(struct wm_decoder *decoder, uint32_t index)
{
    const struct wm_ptx_control_flow *flow = decoder->flow;
    const struct wm_ptx_statement *statement =
        &decoder->function->statements[flow->statements[index]];
    decoder->instruction = wm_decode_as_of_version(decoder, flow->instructions[index]);
    decoder->line = statement->line;
    decoder->column = statement->column;
    decoder->pc = decoder->out->functions[decoder->function_index].first_pc + index;
    decoder->temporaries = 0;
    note_primitive(decoder);
    if (decoder->instruction->opcode == WM_PTX_OP_unknown)
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
    else if (needs_branch_around(decoder->instruction))
        decode_around(decoder);
    else
        family_of(decoder->instruction)(decoder);
    pass_plans(decoder);
}

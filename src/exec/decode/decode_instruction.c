// One instruction: its family, and what its guard needs. See decoder.h.
#include "exec/decode/decoder.h"

#include "exec/operations/control_ops.h"

typedef void decode_function(struct wm_decoder *decoder);

static decode_function *family_of(const struct wm_ptx_instruction *instruction)
{
    bool async = wm_ptx_has(instruction, WM_PTX_async);
    switch (instruction->opcode) {
    case WM_PTX_OP_mov: return wm_decode_mov;
    case WM_PTX_OP_setp: return wm_decode_setp;
    case WM_PTX_OP_cvta: return wm_decode_cvta;
    case WM_PTX_OP_isspacep: return wm_decode_isspacep;
    case WM_PTX_OP_activemask: return wm_decode_activemask;
    case WM_PTX_OP_addc:
    case WM_PTX_OP_subc:
    case WM_PTX_OP_madc: return wm_decode_carry;
    case WM_PTX_OP_ld:
    case WM_PTX_OP_ldu: return wm_decode_memory;
    case WM_PTX_OP_st: return async ? wm_decode_async_access : wm_decode_memory;
    case WM_PTX_OP_atom: return wm_decode_atomic;
    case WM_PTX_OP_red: return async ? wm_decode_async_access : wm_decode_atomic;
    case WM_PTX_OP_tex:
    case WM_PTX_OP_tld4: return wm_decode_texture;
    case WM_PTX_OP_suld:
    case WM_PTX_OP_sust:
    case WM_PTX_OP_sured: return wm_decode_surface;
    case WM_PTX_OP_txq:
    case WM_PTX_OP_suq: return wm_decode_image_query;
    case WM_PTX_OP_bar:
    case WM_PTX_OP_barrier: return wm_decode_barrier;
    case WM_PTX_OP_shfl:
    case WM_PTX_OP_vote:
    case WM_PTX_OP_match:
    case WM_PTX_OP_elect:
    case WM_PTX_OP_redux: return wm_decode_warp;
    case WM_PTX_OP_call: return wm_decode_call;
    case WM_PTX_OP_alloca:
    case WM_PTX_OP_stacksave:
    case WM_PTX_OP_stackrestore: return wm_decode_stack;
    case WM_PTX_OP_bra: return wm_decode_branch;
    case WM_PTX_OP_brx: return wm_decode_branch_index;
    case WM_PTX_OP_exit:
    case WM_PTX_OP_ret:
    case WM_PTX_OP_trap:
    case WM_PTX_OP_brkpt: return wm_decode_leave;
    // All lanes of all warps see memory in one order already.
    case WM_PTX_OP_membar:
    case WM_PTX_OP_fence:
    case WM_PTX_OP_prefetch:
    case WM_PTX_OP_prefetchu:
    case WM_PTX_OP_discard:
    case WM_PTX_OP_applypriority:
    case WM_PTX_OP_griddepcontrol: // a grid begins when those before it have ended
    case WM_PTX_OP_setmaxnreg:     // registers are not handed from warp to warp
    case WM_PTX_OP_pmevent: return wm_decode_nothing;
    case WM_PTX_OP_createpolicy: return wm_decode_policy;
    case WM_PTX_OP_cp: return wm_decode_async;
    case WM_PTX_OP_mbarrier: return wm_decode_mbarrier;
    case WM_PTX_OP_mma:
    case WM_PTX_OP_wmma:
    case WM_PTX_OP_ldmatrix:
    case WM_PTX_OP_stmatrix:
    case WM_PTX_OP_movmatrix: return wm_decode_matrix;
    case WM_PTX_OP_mapa:
    case WM_PTX_OP_getctarank: return wm_decode_cluster_address;
    case WM_PTX_OP_nanosleep: return wm_decode_pause;
    default: return wm_decode_lanes;
    }
}

// Instructions whose guard cannot be a mask: they may stop in the middle, or write their guard.
static bool needs_branch_around(const struct wm_ptx_instruction *instruction)
{
    if (instruction->guard == WM_PTX_NO_REGISTER)
        return false;
    switch (instruction->opcode) {
    case WM_PTX_OP_bar:
    case WM_PTX_OP_barrier:
    case WM_PTX_OP_shfl:
    case WM_PTX_OP_vote:
    case WM_PTX_OP_match:
    case WM_PTX_OP_redux:
    case WM_PTX_OP_elect:
    case WM_PTX_OP_mbarrier:
    case WM_PTX_OP_mma:
    case WM_PTX_OP_wmma:
    case WM_PTX_OP_ldmatrix:
    case WM_PTX_OP_stmatrix:
    case WM_PTX_OP_movmatrix:
    case WM_PTX_OP_brx:
    case WM_PTX_OP_call: return true;
    case WM_PTX_OP_setp:
        return instruction->operand_count > 0 &&
               instruction->operands[0].kind == WM_PTX_OPERAND_PAIR;
    case WM_PTX_OP_mov: return instruction->type == WM_PTX_b128; // two ops
    default: return false;
    }
}

static void note_primitive(struct wm_decoder *decoder)
{
    const char *name = NULL;
    switch (decoder->instruction->opcode) {
    case WM_PTX_OP_shfl: name = "shfl"; break;
    case WM_PTX_OP_vote: name = "vote"; break;
    case WM_PTX_OP_match: name = "match"; break;
    case WM_PTX_OP_redux: name = "redux"; break;
    case WM_PTX_OP_elect: name = "elect"; break;
    case WM_PTX_OP_mma:
    case WM_PTX_OP_wmma:
    case WM_PTX_OP_ldmatrix:
    case WM_PTX_OP_stmatrix:
    case WM_PTX_OP_movmatrix: name = wm_ptx_opcode_text(decoder->instruction->opcode); break;
    case WM_PTX_OP_activemask: name = "activemask"; break;
    case WM_PTX_OP_bar:
    case WM_PTX_OP_barrier:
        if (wm_ptx_has(decoder->instruction, WM_PTX_warp))
            name = "bar.warp.sync";
        break;
    default: break;
    }
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
    if (family == wm_decode_lanes || family == wm_decode_mov || family == wm_decode_setp ||
        family == wm_decode_cvta || family == wm_decode_memory)
        wm_decode_plans_pass(decoder);
    else
        wm_decode_plans_forget(decoder);
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

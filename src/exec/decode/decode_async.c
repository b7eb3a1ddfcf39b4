// cp.async, mbarrier, st.async and red.async: see async_ops.h.
#include "exec/decode/decoder.h"

#include "exec/operations/async_ops.h"

static void refuse(struct wm_decoder *decoder)
{
    wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
}

static void set_memory(struct wm_decoder *decoder, struct wm_memory_form *form,
                       enum wm_access_kind kind, unsigned bytes,
                       const struct wm_plain_address *base)
{
    *form = (struct wm_memory_form){.kind = kind,
                                    .space = base->space,
                                    .element_bytes = (uint8_t)bytes,
                                    .element_count = 1,
                                    .bytes = (uint8_t)bytes,
                                    .address = base->place,
                                    .offset = base->offset,
                                    .wide_address = base->wide};
    form->range = decoder->out->range_count++;
    decoder->out->kernel.instructions[decoder->pc].is_memory = true;
}

// --- cp.async ---

// The operand behind the size of a copy: bytes to read, or a predicate to read none.
static bool decode_source_size(struct wm_decoder *decoder, struct wm_copy_form *form)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    bool hint = wm_ptx_has(instruction, WM_PTX_L2_cache_hint);
    unsigned count = instruction->operand_count - (hint ? 1u : 0u);
    form->size = form->ignore = WM_NO_OP;
    if (count == 3)
        return true;
    const struct wm_ptx_operand *operand = &instruction->operands[3];
    if (count != 4)
        return false;
    if (wm_decode_class_of(decoder, operand) == WM_CLASS_PREDICATE) {
        form->ignore = wm_decode_predicate(decoder, operand);
        form->ignore_negated = operand->negated;
    } else {
        form->size = wm_decode_source(decoder, operand, WM_PTX_u32);
    }
    return true;
}

static void decode_copy(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    const struct wm_ptx_operand *operands = instruction->operands;
    struct wm_copy_form *form = wm_decode_allocate(decoder, sizeof(*form));
    struct wm_plain_address from, to;
    if (!form)
        return;
    if (instruction->operand_count < 3 || operands[2].kind != WM_PTX_OPERAND_INTEGER ||
        (operands[2].bits != 4 && operands[2].bits != 8 && operands[2].bits != 16) ||
        (instruction->cache != WM_PTX_ca && instruction->cache != WM_PTX_cg) ||
        !decode_source_size(decoder, form)) {
        refuse(decoder);
        return;
    }
    if (!wm_decode_plain_address(decoder, &operands[0], &to) ||
        !wm_decode_plain_address(decoder, &operands[1], &from))
        return;
    from.space = WM_PTX_global; // the instruction's first space is the destination's
    set_memory(decoder, &form->load, WM_ACCESS_LOAD, (unsigned)operands[2].bits, &from);
    set_memory(decoder, &form->store, WM_ACCESS_STORE, (unsigned)operands[2].bits, &to);
    form->load.hint = instruction->cache == WM_PTX_cg ? WM_HINT_L2_ONLY : WM_HINT_DEFAULT;
    wm_decode_emit(decoder, wm_run_copy)->memory = &form->load;
}

// --- mbarrier ---

static bool operation_of(const struct wm_ptx_instruction *instruction,
                         struct wm_mbarrier_form *form)
{
    static const struct {
        enum wm_ptx_modifier modifier;
        enum wm_mbarrier_operation operation;
    } table[] = {
        {WM_PTX_init, WM_MBARRIER_INIT},        {WM_PTX_inval, WM_MBARRIER_INVALIDATE},
        {WM_PTX_arrive, WM_MBARRIER_ARRIVE},    {WM_PTX_arrive_drop, WM_MBARRIER_ARRIVE},
        {WM_PTX_expect_tx, WM_MBARRIER_EXPECT}, {WM_PTX_complete_tx, WM_MBARRIER_COMPLETE},
        {WM_PTX_test_wait, WM_MBARRIER_TEST},   {WM_PTX_try_wait, WM_MBARRIER_TEST},
    };
    form->drops = wm_ptx_has(instruction, WM_PTX_arrive_drop);
    form->expects = wm_ptx_has(instruction, WM_PTX_expect_tx);
    form->by_parity = wm_ptx_has(instruction, WM_PTX_parity);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (wm_ptx_has(instruction, table[i].modifier)) {
            form->operation = table[i].operation;
            return true;
        }
    return false;
}

// Operands: the result when the first is no address, the address, and one or two more.
static void decode_mbarrier_operands(struct wm_decoder *decoder, struct wm_mbarrier_form *form)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    const struct wm_ptx_operand *operands = instruction->operands;
    bool tests = form->operation == WM_MBARRIER_TEST;
    unsigned at = operands[0].kind == WM_PTX_OPERAND_ADDRESS ? 0 : 1;
    struct wm_plain_address base;
    form->d = form->operand = WM_NO_OP;
    if (instruction->operand_count <= at ||
        !wm_decode_plain_address(decoder, &operands[at], &base)) {
        refuse(decoder);
        return;
    }
    unsigned more = instruction->operand_count - at - 1;
    bool needs_operand = tests || form->operation == WM_MBARRIER_INIT || form->expects ||
                         form->operation == WM_MBARRIER_COMPLETE;
    if (more > (tests ? 2u : 1u) || (needs_operand && more == 0)) {
        wm_decode_refuse(decoder, WM_INVALID, "%u operands", instruction->operand_count);
        return;
    }
    set_memory(decoder, &form->memory,
               tests ? WM_ACCESS_LOAD
               : form->operation == WM_MBARRIER_INIT || form->operation == WM_MBARRIER_INVALIDATE
                   ? WM_ACCESS_STORE
                   : WM_ACCESS_ATOMIC,
               8, &base);
    if (more > 0)
        form->operand = wm_decode_source(decoder, &operands[at + 1],
                                         tests && !form->by_parity ? WM_PTX_b64 : WM_PTX_u32);
    // A limit of time is over at once: see docs/interpreter.md.
    form->waits = wm_ptx_has(instruction, WM_PTX_try_wait) && more == 1;
    if (at == 1 && operands[0].kind != WM_PTX_OPERAND_SINK)
        form->d = wm_decode_destination(decoder, &operands[0], tests ? WM_PTX_pred : WM_PTX_b64);
}

void wm_decode_mbarrier(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    if (wm_ptx_has(instruction, WM_PTX_pending_count)) {
        if (!wm_decode_scalar(decoder))
            refuse(decoder);
        return;
    }
    struct wm_mbarrier_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return;
    if (instruction->operand_count == 0 || !operation_of(instruction, form)) {
        refuse(decoder);
        return;
    }
    decode_mbarrier_operands(decoder, form);
    if (decoder->status == WM_OK)
        wm_decode_emit(decoder, wm_run_mbarrier)->memory = &form->memory;
}

void wm_decode_async(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    if (!wm_ptx_has(instruction, WM_PTX_async)) {
        refuse(decoder);
        return;
    }
    if (wm_ptx_has(instruction, WM_PTX_commit_group) ||
        wm_ptx_has(instruction, WM_PTX_wait_group) || wm_ptx_has(instruction, WM_PTX_wait_all)) {
        wm_decode_nothing(decoder);
        return;
    }
    if (!wm_ptx_has(instruction, WM_PTX_mbarrier)) {
        decode_copy(decoder);
        return;
    }
    struct wm_mbarrier_form *form = wm_decode_allocate(decoder, sizeof(*form));
    struct wm_plain_address base;
    if (!form || instruction->operand_count != 1 ||
        !wm_decode_plain_address(decoder, &instruction->operands[0], &base)) {
        refuse(decoder);
        return;
    }
    *form = (struct wm_mbarrier_form){.operation = WM_MBARRIER_COPIES,
                                      .counted = wm_ptx_has(instruction, WM_PTX_noinc),
                                      .d = WM_NO_OP,
                                      .operand = WM_NO_OP};
    set_memory(decoder, &form->memory, WM_ACCESS_ATOMIC, 8, &base);
    wm_decode_emit(decoder, wm_run_mbarrier)->memory = &form->memory;
}

// --- st.async, red.async ---

// The op that makes the access, which has just been appended, completes the bytes too.
static void add_completion(struct wm_decoder *decoder, struct wm_async_access_form *form,
                           const struct wm_plain_address *object)
{
    struct wm_op *op = &decoder->out->ops[decoder->out->op_count - 1];
    form->memory = *op->memory;
    form->access = op->body;
    form->completion = (struct wm_mbarrier_form){
        .operation = WM_MBARRIER_COMPLETE,
        .d = WM_NO_OP,
        .operand = wm_decode_constant(decoder, form->memory.bytes, WM_CLASS_4),
        .reported = true};
    set_memory(decoder, &form->completion.memory, WM_ACCESS_ATOMIC, 8, object);
    if (op->run == op->body) // no guard
        op->run = wm_run_async_access;
    op->body = wm_run_async_access;
    op->memory = &form->memory;
}

void wm_decode_async_access(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    struct wm_plain_address object;
    struct wm_async_access_form *form = wm_decode_allocate(decoder, sizeof(*form));
    bool shared = instruction->space == WM_PTX_shared_cluster || instruction->space == WM_PTX_none;
    if (!form)
        return;
    if (!shared || instruction->operand_count != 3 ||
        !wm_ptx_has(instruction, WM_PTX_mbarrier_complete_tx_bytes)) {
        refuse(decoder);
        return;
    }
    if (!wm_decode_plain_address(decoder, &instruction->operands[2], &object))
        return;
    if (instruction->opcode == WM_PTX_OP_st)
        wm_decode_memory(decoder);
    else
        wm_decode_atomic(decoder);
    if (decoder->status == WM_OK)
        add_completion(decoder, form, &object);
}

// Instructions without a lane kernel: see scalar_ops.h.
#include "exec/decode/decoder.h"

#include "exec/operations/scalar_ops.h"

static bool find_plan(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan)
{
    static bool (*const families[])(const struct wm_ptx_instruction *, struct wm_scalar_plan *) = {
        wm_scalar_video, wm_scalar_integer, wm_scalar_extreme, wm_scalar_compare, wm_scalar_convert,
    };
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (families[i](instruction, plan))
            return true;
    return false;
}

static void set_flags(struct wm_scalar_form *form)
{
    const struct wm_ptx_instruction *instruction = form->instruction;
    form->rounding = instruction->rounding;
    form->ftz = wm_ptx_has(instruction, WM_PTX_ftz);
    form->sat = wm_ptx_has(instruction, WM_PTX_sat);
    form->nan = wm_ptx_has(instruction, WM_PTX_NaN);
    form->relu = wm_ptx_has(instruction, WM_PTX_relu);
    form->satfinite = wm_ptx_has(instruction, WM_PTX_satfinite);
    form->absolute = wm_ptx_has(instruction, WM_PTX_abs);
    form->xorsign = wm_ptx_has(instruction, WM_PTX_xorsign);
}

// A conversion's result is extended to a wider register by the sign of its type (PTX ISA 9.4.1).
static wm_ptx_type register_type(const struct wm_decoder *decoder,
                                 const struct wm_ptx_operand *operand, wm_ptx_type type,
                                 struct wm_scalar_form *form)
{
    if (decoder->instruction->opcode != WM_PTX_OP_cvt || operand->kind != WM_PTX_OPERAND_REGISTER ||
        wm_ptx_type_is_float(type))
        return type;
    unsigned bytes = wm_ptx_type_bytes(decoder->function->registers[operand->index].type);
    unsigned own = wm_ptx_type_bytes(type);
    if (bytes <= own && own > 1)
        return type;
    if (wm_ptx_type_is_signed(type))
        form->extended_bits = 8 * own;
    return bytes == 8 ? WM_PTX_b64 : type;
}

static void decode_result(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                          wm_ptx_type type, unsigned result, struct wm_scalar_form *form)
{
    form->results[result] = WM_NO_OP;
    if (type == WM_PTX_none || operand->kind == WM_PTX_OPERAND_SINK)
        return;
    if (result == 0)
        type = register_type(decoder, operand, type, form);
    form->result_classes[result] = wm_register_class_of(type);
    form->results[result] = wm_decode_destination(decoder, operand, type);
}

static void decode_sources(struct wm_decoder *decoder, const struct wm_scalar_plan *plan,
                           struct wm_scalar_form *form)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    const struct wm_ptx_operand *operand = &instruction->operands[1];
    while (form->source_count < WM_SCALAR_SOURCES &&
           plan->sources[form->source_count] != WM_PTX_none) {
        unsigned i = form->source_count++;
        // The table of lop3 stands between its sources, and is read from the instruction.
        if (instruction->opcode == WM_PTX_OP_lop3 && i == 3)
            operand++;
        form->source_classes[i] = wm_register_class_of(plan->sources[i]);
        form->sources[i] = wm_decode_source(decoder, operand, plan->sources[i]);
        form->negated[i] = form->source_classes[i] == WM_CLASS_PREDICATE && operand->negated;
        operand++;
    }
}

bool wm_decode_scalar(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    static const struct wm_ptx_operand sink = {.kind = WM_PTX_OPERAND_SINK};
    struct wm_scalar_plan plan;
    if (!find_plan(instruction, &plan))
        return false;
    struct wm_scalar_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return true;
    *form = (struct wm_scalar_form){
        .function = plan.function, .kind = plan.kind, .instruction = instruction};
    const struct wm_ptx_operand *first = &instruction->operands[0], *second = &sink;
    if (first->kind == WM_PTX_OPERAND_PAIR) {
        second = &first->list[1];
        first = &first->list[0];
    }
    set_flags(form);
    decode_sources(decoder, &plan, form);
    decode_result(decoder, first, plan.results[0], 0, form);
    decode_result(decoder, second, plan.results[1], 1, form);
    wm_decode_emit(decoder, wm_run_scalar)->scalar = form;
    return true;
}

void wm_decode_video(struct wm_decoder *decoder)
{
    if (!wm_decode_scalar(decoder))
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
}

// Surface instructions, and questions about textures and surfaces: see decoder.h.
#include "exec/decode/decoder.h"

#include "exec/texture/surface_ops.h"

static void refuse(struct wm_decoder *decoder)
{
    wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
}

static enum wm_surface_outside outside_of(const struct wm_ptx_instruction *instruction)
{
    return wm_ptx_has(instruction, WM_PTX_clamp)  ? WM_OUTSIDE_CLAMP
           : wm_ptx_has(instruction, WM_PTX_zero) ? WM_OUTSIDE_ZERO
                                                  : WM_OUTSIDE_TRAP;
}

static wm_ptx_type register_type(unsigned bytes)
{
    return bytes == 8 ? WM_PTX_b64 : WM_PTX_b32;
}

// The registers of a load or a store: of narrow elements those of 16 bits are as good as wider
// ones.
static bool decode_values(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                          struct wm_memory_form *memory)
{
    bool vector = operand->kind == WM_PTX_OPERAND_VECTOR;
    const struct wm_ptx_operand *elements = vector ? operand->list : operand;
    unsigned count = vector ? operand->list_count : 1;
    wm_ptx_type type = register_type(memory->element_bytes);
    if (count != memory->element_count || count > 4) {
        wm_decode_refuse(decoder, WM_INVALID, "%u registers for a vector of %u", count,
                         memory->element_count);
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (memory->kind == WM_ACCESS_LOAD && elements[i].kind == WM_PTX_OPERAND_SINK)
            memory->values[i] = WM_NO_OP;
        else if (memory->kind == WM_ACCESS_LOAD)
            memory->values[i] = wm_decode_destination(decoder, &elements[i], type);
        else
            memory->values[i] = wm_decode_source(decoder, &elements[i], type);
    }
    return decoder->status == WM_OK;
}

static bool reduction_of(const struct wm_ptx_instruction *instruction,
                         enum wm_atomic_operation *operation)
{
    static const struct {
        enum wm_ptx_modifier modifier;
        enum wm_atomic_operation operation;
    } table[] = {{WM_PTX_add, WM_ATOMIC_ADD},
                 {WM_PTX_min, WM_ATOMIC_MIN},
                 {WM_PTX_max, WM_ATOMIC_MAX},
                 {WM_PTX_and, WM_ATOMIC_AND},
                 {WM_PTX_or, WM_ATOMIC_OR}};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (wm_ptx_has(instruction, table[i].modifier)) {
            *operation = table[i].operation;
            return true;
        }
    return false;
}

static bool decode_access(struct wm_decoder *decoder, const struct wm_ptx_operand *value,
                          struct wm_surface_form *form)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    struct wm_memory_form *memory = &form->memory;
    unsigned bytes = wm_ptx_type_bytes(instruction->type);
    memory->type = instruction->type;
    memory->element_bytes = (uint8_t)bytes;
    memory->element_count = instruction->vector_length;
    memory->bytes = (uint8_t)(bytes * instruction->vector_length);
    memory->wide_value = bytes == 8;
    if (memory->kind != WM_ACCESS_REDUCTION)
        return decode_values(decoder, value, memory);
    memory->values[0] = WM_NO_OP;
    memory->operand = wm_decode_source(decoder, value, instruction->type);
    return decoder->status == WM_OK;
}

static bool is_supported(const struct wm_ptx_instruction *instruction, struct wm_surface_form *form)
{
    unsigned bytes = wm_ptx_type_bytes(instruction->type);
    bool load = instruction->opcode == WM_PTX_OP_suld,
         store = instruction->opcode == WM_PTX_OP_sust;
    form->formatted = store && wm_ptx_has(instruction, WM_PTX_p);
    form->memory.kind = load ? WM_ACCESS_LOAD : store ? WM_ACCESS_STORE : WM_ACCESS_REDUCTION;
    if (instruction->operand_count != 2 || bytes == 0 || bytes > 8 ||
        bytes * instruction->vector_length > WM_TILE_RUN)
        return false;
    if (form->formatted)
        return bytes == 4;
    if (!wm_ptx_has(instruction, WM_PTX_b))
        return false;
    return load || store ||
           (bytes >= 4 && instruction->vector_length == 1 &&
            !wm_ptx_type_is_float(instruction->type) &&
            reduction_of(instruction, &form->memory.atomic));
}

void wm_decode_surface(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    struct wm_surface_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return;
    if (!is_supported(instruction, form)) {
        refuse(decoder);
        return;
    }
    bool load = form->memory.kind == WM_ACCESS_LOAD;
    const struct wm_ptx_operand *where = &instruction->operands[load ? 1 : 0];
    const struct wm_ptx_operand *value = &instruction->operands[load ? 0 : 1];
    if (where->kind != WM_PTX_OPERAND_TEXTURE || where->list_count != 2) {
        refuse(decoder);
        return;
    }
    if (!wm_decode_geometry(decoder, &form->geometry))
        return;
    if (form->geometry.cubemap) {
        refuse(decoder);
        return;
    }
    form->outside = outside_of(instruction);
    if (!wm_decode_object(decoder, &where->list[0], &form->object) ||
        !wm_decode_coordinates(decoder, &where->list[1], &form->geometry, WM_PTX_s32, &form->layer,
                               form->coordinates) ||
        !decode_access(decoder, value, form))
        return;
    form->range = decoder->out->range_count++;
    wm_decode_emit(decoder, wm_run_surface)->surface = form;
    decoder->out->kernel.instructions[decoder->pc].is_memory = true;
}

void wm_decode_image_query(struct wm_decoder *decoder)
{
    static const struct {
        enum wm_ptx_modifier modifier;
        enum wm_image_query_kind question;
    } table[] = {{WM_PTX_width, WM_QUERY_WIDTH},
                 {WM_PTX_height, WM_QUERY_HEIGHT},
                 {WM_PTX_depth, WM_QUERY_DEPTH},
                 {WM_PTX_array_size, WM_QUERY_LAYERS},
                 {WM_PTX_num_mipmap_levels, WM_QUERY_LEVELS},
                 {WM_PTX_channel_data_type, WM_QUERY_TYPE},
                 {WM_PTX_channel_order, WM_QUERY_ORDER},
                 {WM_PTX_normalized_coords, WM_QUERY_NORMALIZED}};
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    const struct wm_ptx_operand *where = &instruction->operands[1];
    struct wm_image_query_form *form = wm_decode_allocate(decoder, sizeof(*form));
    size_t row = 0, rows = sizeof(table) / sizeof(table[0]);
    while (row < rows && !wm_ptx_has(instruction, table[row].modifier))
        row++;
    if (!form)
        return;
    if (row == rows || instruction->operand_count != 2 || instruction->type != WM_PTX_b32 ||
        where->kind != WM_PTX_OPERAND_ADDRESS || where->offset != 0 ||
        wm_ptx_has(instruction, WM_PTX_level)) {
        refuse(decoder);
        return;
    }
    form->question = table[row].question;
    form->surface = instruction->opcode == WM_PTX_OP_suq;
    struct wm_ptx_operand object = {.kind = where->base_register ? WM_PTX_OPERAND_REGISTER
                                                                 : WM_PTX_OPERAND_SYMBOL,
                                    .index = where->index,
                                    .symbol = where->symbol};
    if (!wm_decode_object(decoder, &object, &form->object))
        return;
    form->value = wm_decode_destination(decoder, &instruction->operands[0], WM_PTX_b32);
    wm_decode_emit(decoder, wm_run_image_query)->image_query = form;
}

// How many references of that type the program defines; their numbers too where `numbers` is given.
static uint32_t references_of(const struct wm_decoder *decoder, wm_ptx_type type, uint64_t *numbers)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < decoder->addresses->capacity; i++) {
        const struct wm_symbol_place *place = &decoder->addresses->slots[i];
        if (!place->symbol || place->symbol->kind != WM_PTX_SYMBOL_VARIABLE ||
            place->symbol->type != type)
            continue;
        if (numbers)
            numbers[count] = place->value;
        count++;
    }
    return count;
}

// "Whether a register points to an opaque variable of a specified type" (PTX ISA 9.7.10, istypep):
// the objects that the CUDA runtime makes are no variables.
void wm_decode_reference_query(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    wm_ptx_type type = instruction->type;
    bool known = type == WM_PTX_texref || type == WM_PTX_samplerref || type == WM_PTX_surfref;
    if (!known || instruction->operand_count != 2) {
        refuse(decoder);
        return;
    }
    uint32_t count = references_of(decoder, type, NULL);
    struct wm_reference_query_form *form =
        wm_decode_allocate(decoder, sizeof(*form) + count * sizeof(form->numbers[0]));
    if (!form || !wm_decode_object(decoder, &instruction->operands[1], &form->object))
        return;
    form->count = references_of(decoder, type, form->numbers);
    uint32_t d = wm_decode_destination(decoder, &instruction->operands[0], WM_PTX_pred);
    struct wm_op *op = wm_decode_emit(decoder, wm_run_reference_query);
    op->reference_query = form;
    op->d = d;
}

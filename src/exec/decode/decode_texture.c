// Texture fetches: see decoder.h.
#include "exec/decode/decoder.h"

#include "exec/texture/texture_ops.h"

static void refuse(struct wm_decoder *decoder)
{
    wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
}

bool wm_decode_geometry(struct wm_decoder *decoder, struct wm_texture_geometry *geometry)
{
    static const struct {
        enum wm_ptx_modifier modifier;
        struct wm_texture_geometry geometry;
    } table[] = {
        {WM_PTX_geometry_1d, {1, false, false}},  {WM_PTX_geometry_2d, {2, false, false}},
        {WM_PTX_geometry_3d, {3, false, false}},  {WM_PTX_geometry_a1d, {1, true, false}},
        {WM_PTX_geometry_a2d, {2, true, false}},  {WM_PTX_geometry_cube, {2, false, true}},
        {WM_PTX_geometry_acube, {2, true, true}},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (wm_ptx_has(decoder->instruction, table[i].modifier)) {
            *geometry = table[i].geometry;
            return true;
        }
    }
    refuse(decoder);
    return false;
}

// The elements of a vector, or the operand alone.
static const struct wm_ptx_operand *elements_of(const struct wm_ptx_operand *operand,
                                                unsigned *count)
{
    bool vector = operand->kind == WM_PTX_OPERAND_VECTOR;
    *count = vector ? operand->list_count : 1;
    return vector ? operand->list : operand;
}

// A variable whose address is the number of an object.
static bool is_reference(const struct wm_decoder *decoder, const struct wm_ptx_operand *operand)
{
    uint64_t number;
    const struct wm_ptx_symbol *symbol = operand->symbol;
    return operand->kind == WM_PTX_OPERAND_SYMBOL && operand->offset == 0 && symbol &&
           symbol->kind == WM_PTX_SYMBOL_VARIABLE &&
           (symbol->type == WM_PTX_texref || symbol->type == WM_PTX_surfref) &&
           wm_symbol_addresses_get(decoder->addresses, symbol, &number);
}

bool wm_decode_object(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                      uint32_t *object)
{
    if (operand->kind != WM_PTX_OPERAND_REGISTER && !is_reference(decoder, operand)) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED,
                         "what is read here is neither a texture or surface object in a register "
                         "nor a reference that a module of the program defines");
        return false;
    }
    *object = wm_decode_source(decoder, operand, WM_PTX_b64);
    return decoder->status == WM_OK;
}

bool wm_decode_coordinates(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                           const struct wm_texture_geometry *geometry, wm_ptx_type type,
                           uint32_t *layer, uint32_t coordinates[3])
{
    unsigned count, used = geometry->cubemap ? 3 : geometry->dimensions, at = 0;
    const struct wm_ptx_operand *elements = elements_of(operand, &count);
    if (count < used + geometry->layered) {
        wm_decode_refuse(decoder, WM_INVALID, "%u coordinates", count);
        return false;
    }
    if (geometry->layered)
        *layer = wm_decode_source(decoder, &elements[at++], WM_PTX_u32);
    for (unsigned d = 0; d < used; d++)
        coordinates[d] = wm_decode_source(decoder, &elements[at++], type);
    return decoder->status == WM_OK;
}

static bool decode_details(struct wm_decoder *decoder, struct wm_texture_form *form)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    const struct wm_ptx_operand *operands = &instruction->operands[2];
    unsigned given = instruction->operand_count - 2u;
    if (form->detail == WM_LOD_LEVEL && given == 1) {
        form->details[0][0] = wm_decode_source(decoder, &operands[0], WM_PTX_f32);
        return decoder->status == WM_OK;
    }
    if (form->detail == WM_LOD_GRADIENTS && given == 2 && !form->geometry.cubemap) {
        const struct wm_texture_geometry plain = {.dimensions = form->geometry.dimensions};
        return wm_decode_coordinates(decoder, &operands[0], &plain, WM_PTX_f32, NULL,
                                     form->details[0]) &&
               wm_decode_coordinates(decoder, &operands[1], &plain, WM_PTX_f32, NULL,
                                     form->details[1]);
    }
    // Offsets, depths to compare with, and gradients on a cubemap.
    if (form->detail != WM_LOD_NONE || given != 0)
        refuse(decoder);
    return decoder->status == WM_OK;
}

static bool decode_results(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                           struct wm_texture_form *form)
{
    wm_ptx_type type = form->type;
    unsigned count, expected = type == WM_PTX_f16x2 ? 2 : 4;
    form->resident = WM_NO_OP;
    if (operand->kind == WM_PTX_OPERAND_PAIR && operand->list_count == 2) {
        if (operand->list[1].kind != WM_PTX_OPERAND_SINK)
            form->resident = wm_decode_destination(decoder, &operand->list[1], WM_PTX_pred);
        operand = &operand->list[0];
    }
    const struct wm_ptx_operand *elements = elements_of(operand, &count);
    bool known = type == WM_PTX_u32 || type == WM_PTX_s32 || type == WM_PTX_f32 ||
                 type == WM_PTX_f16 || type == WM_PTX_f16x2;
    if (!known || count != expected || decoder->instruction->vector_length != expected) {
        refuse(decoder);
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        form->values[i] = WM_NO_OP;
        if (i < count && elements[i].kind != WM_PTX_OPERAND_SINK)
            form->values[i] = wm_decode_destination(decoder, &elements[i], type);
    }
    return decoder->status == WM_OK;
}

static int gathered_channel(const struct wm_ptx_instruction *instruction)
{
    static const enum wm_ptx_modifier channels[] = {WM_PTX_r, WM_PTX_g, WM_PTX_b, WM_PTX_a};
    if (instruction->opcode == WM_PTX_OP_tld4)
        for (int i = 0; i < 4; i++)
            if (wm_ptx_has(instruction, channels[i]))
                return i;
    return -1;
}

void wm_decode_texture(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    struct wm_texture_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return;
    const struct wm_ptx_operand *where = &instruction->operands[1];
    bool gathers = instruction->opcode == WM_PTX_OP_tld4;
    form->gather = gathered_channel(instruction);
    form->type = instruction->type;
    form->integer = instruction->type2 == WM_PTX_s32;
    form->detail = wm_ptx_has(instruction, WM_PTX_level)  ? WM_LOD_LEVEL
                   : wm_ptx_has(instruction, WM_PTX_grad) ? WM_LOD_GRADIENTS
                                                          : WM_LOD_NONE;
    // Without ".r" and its kin a type may stand where the channel does: refused below.
    if (instruction->operand_count < 2 || where->kind != WM_PTX_OPERAND_TEXTURE ||
        where->list_count != 2 || (!form->integer && instruction->type2 != WM_PTX_f32) ||
        (gathers && (form->gather < 0 || form->integer))) {
        refuse(decoder);
        return;
    }
    if (!wm_decode_geometry(decoder, &form->geometry))
        return;
    if (gathers && (form->geometry.dimensions != 2 || form->geometry.cubemap)) {
        refuse(decoder);
        return;
    }
    if (!wm_decode_object(decoder, &where->list[0], &form->object) ||
        !wm_decode_coordinates(decoder, &where->list[1], &form->geometry, instruction->type2,
                               &form->layer, form->coordinates) ||
        !decode_details(decoder, form) || !decode_results(decoder, &instruction->operands[0], form))
        return;
    form->range = decoder->out->range_count++;
    wm_decode_emit(decoder, wm_run_texture)->texture = form;
    decoder->out->kernel.instructions[decoder->pc].is_memory = true;
}

// mma, wmma, ldmatrix, stmatrix and movmatrix: see matrix_ops.h.
#include "exec/decode/decoder.h"

#include "exec/operations/matrix_ops.h"
#include "exec/sync/warp_sync.h"

struct shape {
    enum wm_ptx_modifier modifier;
    uint16_t m, n, k;
};

static bool shape_of(const struct wm_ptx_instruction *instruction, struct shape *shape)
{
    static const struct shape shapes[] = {
        {WM_PTX_m16n16k16, 16, 16, 16}, {WM_PTX_m8n32k16, 8, 32, 16},
        {WM_PTX_m32n8k16, 32, 8, 16},   {WM_PTX_m16n16k8, 16, 16, 8},
        {WM_PTX_m8n8k4, 8, 8, 4},       {WM_PTX_m8n8k16, 8, 8, 16},
        {WM_PTX_m8n8k32, 8, 8, 32},     {WM_PTX_m8n8k128, 8, 8, 128},
        {WM_PTX_m16n8k4, 16, 8, 4},     {WM_PTX_m16n8k8, 16, 8, 8},
        {WM_PTX_m16n8k16, 16, 8, 16},   {WM_PTX_m16n8k32, 16, 8, 32},
        {WM_PTX_m16n8k64, 16, 8, 64},   {WM_PTX_m16n8k128, 16, 8, 128},
        {WM_PTX_m16n8k256, 16, 8, 256},
    };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        if (wm_ptx_has(instruction, shapes[i].modifier)) {
            *shape = shapes[i];
            return true;
        }
    return false;
}

static void refuse(struct wm_decoder *decoder)
{
    wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
}

// The layouts in order: of A, then of B. True for the other one than the usual row, column.
static bool has_layout(const struct wm_ptx_instruction *instruction, unsigned index,
                       enum wm_ptx_modifier layout)
{
    for (unsigned i = 0; i < instruction->modifier_count; i++)
        if ((instruction->modifiers[i] == WM_PTX_row || instruction->modifiers[i] == WM_PTX_col) &&
            index-- == 0)
            return instruction->modifiers[i] == layout;
    return false;
}

static wm_ptx_type register_type(wm_ptx_type type)
{
    return type == WM_PTX_f64 ? WM_PTX_f64 : WM_PTX_b32;
}

// `count` registers that hold elements; wmma's f16 fragments of A and B have eight in all.
static bool decode_fragment(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                            wm_ptx_type type, unsigned count, unsigned given, bool written,
                            struct wm_fragment *fragment)
{
    const struct wm_ptx_operand *list = operand;
    unsigned named = 1;
    if (operand->kind == WM_PTX_OPERAND_VECTOR) {
        list = operand->list;
        named = operand->list_count;
    }
    if (named != given || given > WM_MATRIX_REGISTERS || count > given) {
        wm_decode_refuse(decoder, WM_INVALID, "%u registers for a fragment of %u", named, given);
        return false;
    }
    fragment->type = type;
    fragment->count = count;
    fragment->given = given;
    for (unsigned i = 0; i < given; i++)
        fragment->places[i] = written
                                  ? wm_decode_destination(decoder, &list[i], register_type(type))
                                  : wm_decode_source(decoder, &list[i], register_type(type));
    return decoder->status == WM_OK;
}

// --- mma ---

static unsigned source_count(wm_ptx_type type, unsigned rows, unsigned k)
{
    if (type == WM_PTX_b1)
        k /= 32;
    return rows * k / (32 * wm_matrix_elements(type));
}

static unsigned result_count(wm_ptx_type type, unsigned m, unsigned n)
{
    return m * n / (32 * wm_matrix_elements(type));
}

// Types in the order of the instruction: D, A, B, C; of wmma with f16 sources D and C alone.
static bool matrix_types(const struct wm_ptx_instruction *instruction, wm_ptx_type types[4])
{
    unsigned count = 0;
    for (unsigned i = 0; i < instruction->modifier_count; i++) {
        enum wm_ptx_modifier modifier = (enum wm_ptx_modifier)instruction->modifiers[i];
        if (wm_ptx_modifier_class_of(modifier) != WM_PTX_CLASS_TYPE)
            continue;
        if (count == 4)
            return false;
        types[count++] = modifier;
    }
    if (count == 2) {
        types[3] = types[1];
        types[1] = types[2] = WM_PTX_f16;
    }
    return count == 4 || (count == 2 && instruction->opcode == WM_PTX_OP_wmma);
}

static bool is_integer_source(wm_ptx_type type)
{
    return type == WM_PTX_u8 || type == WM_PTX_s8 || type == WM_PTX_u4 || type == WM_PTX_s4 ||
           type == WM_PTX_b1;
}

static bool types_fit(const wm_ptx_type types[4])
{
    wm_ptx_type d = types[0], a = types[1], b = types[2], c = types[3];
    bool floats = (c == WM_PTX_f32 || c == WM_PTX_f16) && (d == WM_PTX_f32 || d == WM_PTX_f16);
    if (wm_matrix_elements(a) != wm_matrix_elements(b))
        return false;
    if (is_integer_source(a))
        return is_integer_source(b) && (a == WM_PTX_b1) == (b == WM_PTX_b1) && c == WM_PTX_s32 &&
               d == WM_PTX_s32;
    switch ((int)a) {
    case WM_PTX_f16: return b == a && floats;
    case WM_PTX_bf16:
    case WM_PTX_tf32: return b == a && c == WM_PTX_f32 && d == WM_PTX_f32;
    case WM_PTX_e4m3:
    case WM_PTX_e5m2: return (b == WM_PTX_e4m3 || b == WM_PTX_e5m2) && floats;
    case WM_PTX_f64: return b == a && c == a && d == a;
    default: return false;
    }
}

static void decode_multiply(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    const struct wm_ptx_operand *operands = instruction->operands;
    bool wmma = instruction->opcode == WM_PTX_OP_wmma;
    struct shape shape;
    wm_ptx_type types[4];
    struct wm_matrix_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return;
    if (!shape_of(instruction, &shape) || !matrix_types(instruction, types) || !types_fit(types) ||
        instruction->operand_count != 4) {
        refuse(decoder);
        return;
    }
    *form = (struct wm_matrix_form){.m = shape.m, .n = shape.n, .k = shape.k};
    form->rounding = instruction->rounding;
    form->satfinite = wm_ptx_has(instruction, WM_PTX_satfinite);
    form->both = wm_ptx_has(instruction, WM_PTX_and);
    form->quads = !wmma && shape.modifier == WM_PTX_m8n8k4 && types[1] == WM_PTX_f16;
    form->a_column = has_layout(instruction, 0, WM_PTX_col);
    form->b_row = has_layout(instruction, 1, WM_PTX_row);
    unsigned a = form->quads ? 2 : source_count(types[1], shape.m, shape.k);
    unsigned b = form->quads ? 2 : source_count(types[2], shape.n, shape.k);
    unsigned results = form->quads ? 256 : shape.m * shape.n; // four matrices
    bool repeated = wmma && types[1] == WM_PTX_f16;
    if (a == 0 || b == 0) {
        refuse(decoder);
        return;
    }
    unsigned c = result_count(types[3], results, 1), d = result_count(types[0], results, 1);
    if (!decode_fragment(decoder, &operands[1], types[1], a, repeated ? 8 : a, false, &form->a) ||
        !decode_fragment(decoder, &operands[2], types[2], b, repeated ? 8 : b, false, &form->b) ||
        !decode_fragment(decoder, &operands[3], types[3], c, c, false, &form->c) ||
        !decode_fragment(decoder, &operands[0], types[0], d, d, true, &form->d))
        return;
    struct wm_op *op = wm_decode_emit(decoder, wm_run_matrix);
    op->memory = &form->memory;
    op->flags = WM_WARP_MATRIX;
}

// --- wmma.load, wmma.store ---

static unsigned element_bits(wm_ptx_type type)
{
    switch ((int)type) {
    case WM_PTX_b1: return 1;
    case WM_PTX_u4:
    case WM_PTX_s4: return 4;
    case WM_PTX_tf32: return 32;
    default: return 8 * wm_ptx_type_bytes(type);
    }
}

static void decode_stride(struct wm_decoder *decoder, struct wm_matrix_form *form)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    if (instruction->operand_count == 3)
        form->stride = wm_decode_source(decoder, &instruction->operands[2], WM_PTX_u32);
    else // rows one behind another
        form->stride = wm_decode_constant(decoder, form->row_bits / form->element_bits, WM_CLASS_4);
}

// The rows as they lie in memory: of A and C rows of the matrix, or columns; of B the other way
// round, since its fragment is that of its transpose.
static bool lay_out_tile(struct wm_matrix_form *form, const struct shape *shape,
                         const struct wm_ptx_instruction *instruction)
{
    bool of_b = !form->result && wm_ptx_has(instruction, WM_PTX_b);
    form->element_bits = element_bits(instruction->type);
    unsigned across = of_b ? shape->n : shape->m;
    form->blocks = across / 8;
    form->swapped = has_layout(instruction, 0, WM_PTX_col) != of_b;
    unsigned rows = 8 * form->blocks, columns = form->result ? shape->n : shape->k;
    form->rows = form->swapped ? columns : rows;
    form->row_bits = (form->swapped ? rows : columns) * form->element_bits;
    // Types below a byte lie along k only.
    return form->element_bits >= 8 || (form->element_bits > 0 && !form->swapped);
}

static void set_move(struct wm_decoder *decoder, struct wm_matrix_form *form,
                     const struct wm_plain_address *base, unsigned bytes)
{
    form->memory = (struct wm_memory_form){.kind = form->store ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
                                           .space = base->space,
                                           .element_bytes = (uint8_t)bytes,
                                           .element_count = 1,
                                           .bytes = (uint8_t)bytes,
                                           .address = base->place,
                                           .offset = base->offset,
                                           .wide_address = base->wide};
    form->memory.range = decoder->out->range_count++;
    struct wm_op *op = wm_decode_emit(decoder, wm_run_matrix);
    op->memory = &form->memory;
    op->flags = WM_WARP_MATRIX;
    decoder->out->kernel.instructions[decoder->pc].is_memory = true;
}

static void decode_move(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    struct shape shape;
    struct wm_plain_address base;
    struct wm_matrix_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return;
    *form = (struct wm_matrix_form){.tile = true, .store = wm_ptx_has(instruction, WM_PTX_store)};
    form->result = wm_ptx_has(instruction, WM_PTX_c) || wm_ptx_has(instruction, WM_PTX_d);
    if (!shape_of(instruction, &shape) || instruction->operand_count < 2 ||
        instruction->operand_count > 3 || !lay_out_tile(form, &shape, instruction)) {
        refuse(decoder);
        return;
    }
    unsigned count = form->result ? result_count(instruction->type, shape.m, shape.n)
                                  : source_count(instruction->type, 8 * form->blocks, shape.k);
    bool repeated = instruction->type == WM_PTX_f16 && !form->result;
    unsigned bytes = form->row_bits / 8 < 16 ? form->row_bits / 8 : 16;
    if (count == 0 || form->rows * form->row_bits > 64 * 128) {
        refuse(decoder);
        return;
    }
    if (!wm_decode_plain_address(decoder, &instruction->operands[form->store ? 0 : 1], &base) ||
        !decode_fragment(decoder, &instruction->operands[form->store ? 1 : 0], instruction->type,
                         count, repeated ? 8 : count, !form->store, &form->d))
        return;
    decode_stride(decoder, form);
    set_move(decoder, form, &base, bytes);
}

// --- ldmatrix, stmatrix, movmatrix ---

static void decode_rows(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    bool store = instruction->opcode == WM_PTX_OP_stmatrix;
    unsigned count = wm_ptx_has(instruction, WM_PTX_x4)   ? 4
                     : wm_ptx_has(instruction, WM_PTX_x2) ? 2
                                                          : 1;
    struct wm_plain_address base;
    struct wm_matrix_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return;
    if (instruction->operand_count != 2 || instruction->type != WM_PTX_b16 ||
        !wm_ptx_has(instruction, WM_PTX_m8n8)) {
        refuse(decoder);
        return;
    }
    *form = (struct wm_matrix_form){.store = store,
                                    .transposed = wm_ptx_has(instruction, WM_PTX_trans)};
    if (!wm_decode_plain_address(decoder, &instruction->operands[store ? 0 : 1], &base) ||
        !decode_fragment(decoder, &instruction->operands[store ? 1 : 0], WM_PTX_b32, count, count,
                         !store, &form->d))
        return;
    set_move(decoder, form, &base, 16);
}

static void decode_transpose(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    struct wm_matrix_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return;
    *form = (struct wm_matrix_form){0};
    if (instruction->operand_count != 2 || instruction->type != WM_PTX_b16) {
        refuse(decoder);
        return;
    }
    if (!decode_fragment(decoder, &instruction->operands[1], WM_PTX_b32, 1, 1, false, &form->a) ||
        !decode_fragment(decoder, &instruction->operands[0], WM_PTX_b32, 1, 1, true, &form->d))
        return;
    struct wm_op *op = wm_decode_emit(decoder, wm_run_matrix);
    op->memory = &form->memory;
    op->flags = WM_WARP_MATRIX;
}

void wm_decode_matrix(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    switch (instruction->opcode) {
    case WM_PTX_OP_ldmatrix:
    case WM_PTX_OP_stmatrix: decode_rows(decoder); break;
    case WM_PTX_OP_movmatrix: decode_transpose(decoder); break;
    case WM_PTX_OP_mma: decode_multiply(decoder); break;
    default:
        if (wm_ptx_has(instruction, WM_PTX_mma))
            decode_multiply(decoder);
        else
            decode_move(decoder);
        break;
    }
}

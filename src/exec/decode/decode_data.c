// Arithmetic, moves and address conversions: see decoder.h.
#include "exec/decode/decoder.h"
#include "exec/decode/operand_types.h"

#include "exec/memory/spaces.h"
#include "exec/operations/carry_ops.h"
#include "exec/operations/data_ops.h"

static wm_lane_function *find_kernel(struct wm_decoder *decoder, const struct wm_lane_key *key)
{
    wm_lane_function *lane = wm_lane_find(decoder->isa, key);
    if (!lane)
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
    return lane;
}

static wm_op_handler *lanes_handler(const struct wm_decoder *decoder)
{
    return decoder->width == 64 ? wm_run_lanes_64 : wm_run_lanes_32;
}

// d = lane(a, b, c), where the types say how far apart the halves of a warp of 64 are.
static void set_lanes(struct wm_op *op, wm_lane_function *lane, const uint32_t places[4],
                      const wm_ptx_type types[4])
{
    op->lane = lane;
    op->d = places[0];
    op->a = places[1];
    op->b = places[2];
    op->c = places[3];
    op->step_d = wm_decode_step(types[0]);
    op->step_a = wm_decode_step(types[1]);
    op->step_b = wm_decode_step(types[2]);
    op->step_c = wm_decode_step(types[3]);
}

// The type that a conversion's result is extended from, when its register is wider than its type
// (PTX ISA 9.4.1: the result is extended to the register's width by the sign of the type); none
// when nothing is to do. The lane kernels extend to s8 to 16 bits themselves.
static wm_ptx_type extended_from(const struct wm_decoder *decoder, wm_ptx_type *to)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    const struct wm_ptx_operand *d = &instruction->operands[0];
    if (instruction->opcode != WM_PTX_OP_cvt || d->kind != WM_PTX_OPERAND_REGISTER ||
        wm_ptx_has(instruction, WM_PTX_pack))
        return WM_PTX_none;
    unsigned bytes = wm_ptx_type_bytes(instruction->type);
    unsigned register_bytes = wm_ptx_type_bytes(decoder->function->registers[d->index].type);
    bool is_signed = wm_ptx_type_is_signed(instruction->type);
    if (register_bytes <= bytes || register_bytes < 4 || (register_bytes == 4 && !is_signed))
        return WM_PTX_none;
    *to = register_bytes == 8 ? (is_signed ? WM_PTX_s64 : WM_PTX_u64) : WM_PTX_s32;
    if (bytes == 4)
        return is_signed ? WM_PTX_s32 : WM_PTX_u32;
    return is_signed ? WM_PTX_s16 : WM_PTX_u16;
}

// d = lane(a) by way of a temporary, which `from` is extended from.
static void decode_extended(struct wm_decoder *decoder, wm_lane_function *lane, wm_ptx_type from,
                            wm_ptx_type to)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    uint32_t between = wm_decode_temporary(decoder);
    const wm_ptx_type first_types[4] = {from, instruction->type2};
    const wm_ptx_type last_types[4] = {to, from};
    struct wm_lane_key key = {.opcode = WM_PTX_OP_cvt, .type = to, .type2 = from};
    wm_lane_function *extend = find_kernel(decoder, &key);
    const uint32_t first_places[4] = {
        between, wm_decode_source(decoder, &instruction->operands[1], instruction->type2)};
    const uint32_t last_places[4] = {wm_decode_destination(decoder, &instruction->operands[0], to),
                                     between};
    set_lanes(wm_decode_emit_extra(decoder, lanes_handler(decoder)), lane, first_places,
              first_types);
    set_lanes(wm_decode_emit(decoder, lanes_handler(decoder)), extend, last_places, last_types);
}

// mad.cc and madc: the half of the product that they add to, in a temporary.
static uint32_t emit_product(struct wm_decoder *decoder, const uint32_t *sources)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    wm_ptx_type type = instruction->type;
    struct wm_lane_key key = {.opcode = WM_PTX_OP_mul,
                              .type = type,
                              .mode = wm_ptx_has(instruction, WM_PTX_hi) ? WM_PTX_hi : WM_PTX_lo};
    uint32_t product = wm_decode_temporary(decoder);
    const uint32_t places[4] = {product, sources[0], sources[1], 0};
    const wm_ptx_type types[4] = {type, type, type, WM_PTX_pred};
    wm_lane_function *lane = find_kernel(decoder, &key);
    set_lanes(wm_decode_emit_extra(decoder, lanes_handler(decoder)), lane, places, types);
    return product;
}

void wm_decode_carry(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    enum wm_ptx_opcode opcode = instruction->opcode;
    bool multiply = opcode == WM_PTX_OP_mad || opcode == WM_PTX_OP_madc;
    bool subtract = opcode == WM_PTX_OP_sub || opcode == WM_PTX_OP_subc;
    bool known = multiply || subtract || opcode == WM_PTX_OP_add || opcode == WM_PTX_OP_addc;
    unsigned bytes = wm_ptx_type_bytes(instruction->type);
    if (!known || bytes < 4 || bytes > 8 || wm_ptx_type_is_float(instruction->type) ||
        instruction->operand_count != (multiply ? 4 : 3)) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
        return;
    }
    wm_ptx_type type = bytes == 8 ? WM_PTX_u64 : WM_PTX_u32;
    bool in = opcode == WM_PTX_OP_addc || opcode == WM_PTX_OP_subc || opcode == WM_PTX_OP_madc;
    struct wm_lane_key key = {.opcode = subtract ? (in ? WM_PTX_OP_subc : WM_PTX_OP_sub)
                                                 : (in ? WM_PTX_OP_addc : WM_PTX_OP_add),
                              .type = type,
                              .mode = wm_ptx_has(instruction, WM_PTX_cc) ? WM_PTX_cc : WM_PTX_none};
    wm_lane_function *lane = find_kernel(decoder, &key);
    uint32_t sources[3] = {0};
    for (unsigned i = 1; i < instruction->operand_count; i++)
        sources[i - 1] = wm_decode_source(decoder, &instruction->operands[i], type);
    uint32_t a = multiply ? emit_product(decoder, sources) : sources[0];
    uint32_t d = wm_decode_destination(decoder, &instruction->operands[0], type);
    const uint32_t places[4] = {d, a, sources[multiply ? 2 : 1], 0};
    const wm_ptx_type types[4] = {type, type, type, WM_PTX_pred};
    struct wm_op *op = wm_decode_emit(decoder, wm_run_carry);
    set_lanes(op, lane, places, types);
    op->extra = decoder->carry;
}

static bool refuse_other_count(struct wm_decoder *decoder)
{
    unsigned expected = wm_operand_count(decoder->instruction);
    if (decoder->instruction->operand_count == expected)
        return false;
    wm_decode_refuse(decoder, WM_INVALID, "%u operands, where this instruction has %u",
                     decoder->instruction->operand_count, expected);
    return true;
}

static void emit_predicate(struct wm_decoder *decoder, wm_op_handler *handler, uint32_t d,
                           uint32_t a)
{
    struct wm_op *op = wm_decode_emit_extra(decoder, handler);
    op->d = d;
    op->a = a;
}

// Source `i` of an instruction that a lane kernel does. Kernels of setp and set negate their third
// source themselves.
static uint32_t lane_source(struct wm_decoder *decoder, unsigned i, wm_ptx_type type)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    const struct wm_ptx_operand *operand = &instruction->operands[i];
    uint32_t place = wm_decode_source(decoder, operand, type);
    if (!operand->negated || instruction->opcode == WM_PTX_OP_setp ||
        instruction->opcode == WM_PTX_OP_set)
        return place;
    uint32_t negated = wm_decode_temporary(decoder);
    emit_predicate(decoder, wm_run_negate_predicate, negated, place);
    return negated;
}

void wm_decode_lanes(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    if (wm_ptx_has(instruction, WM_PTX_cc)) {
        wm_decode_carry(decoder);
        return;
    }
    struct wm_lane_key key = wm_lane_key_of(instruction);
    wm_lane_function *lane = wm_lane_find(decoder->isa, &key);
    unsigned count = instruction->operand_count;
    if ((!lane || count != wm_operand_count(instruction)) && wm_decode_scalar(decoder))
        return;
    if (!lane)
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
    if (!lane || refuse_other_count(decoder))
        return;
    wm_ptx_type to = WM_PTX_none, from = extended_from(decoder, &to);
    if (from != WM_PTX_none) {
        decode_extended(decoder, lane, from, to);
        return;
    }
    struct wm_operand_types types = wm_operand_types(instruction);
    uint32_t places[5] = {0};
    for (unsigned i = 1; i < count; i++)
        places[i] = lane_source(decoder, i, types.types[i]);
    places[0] = wm_decode_destination(decoder, &instruction->operands[0], types.types[0]);
    struct wm_op *op;
    if (count == 5) {
        op = wm_decode_emit(decoder, wm_run_lanes_pair);
        set_lanes(op, lane, places, types.types);
        op->extra = places[4];
    } else {
        op = wm_decode_emit(decoder, lanes_handler(decoder));
        set_lanes(op, lane, places, types.types);
    }
}

// p = t op c, with the boolean operation of a setp.
static void emit_boolean(struct wm_decoder *decoder, uint32_t d, uint32_t a, uint32_t c)
{
    static const enum wm_ptx_opcode opcodes[] = {WM_PTX_OP_and, WM_PTX_OP_or, WM_PTX_OP_xor};
    struct wm_lane_key own = wm_lane_key_of(decoder->instruction);
    struct wm_lane_key key = {.opcode = opcodes[own.boolean == WM_PTX_and  ? 0
                                                : own.boolean == WM_PTX_or ? 1
                                                                           : 2],
                              .type = WM_PTX_pred};
    struct wm_op *op = wm_decode_emit_extra(decoder, lanes_handler(decoder));
    const uint32_t places[4] = {d, a, c, 0};
    const wm_ptx_type types[4] = {WM_PTX_pred, WM_PTX_pred, WM_PTX_pred, WM_PTX_pred};
    set_lanes(op, wm_lane_find(decoder->isa, &key), places, types);
}

// Without a boolean operation no result is a source: p is the comparison, q its opposite.
static void decode_plain_pair(struct wm_decoder *decoder, wm_lane_function *lane)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    const struct wm_ptx_operand *pair = &instruction->operands[0];
    wm_ptx_type type = instruction->type;
    uint32_t a = wm_decode_source(decoder, &instruction->operands[1], type);
    uint32_t b = wm_decode_source(decoder, &instruction->operands[2], type);
    uint32_t p = wm_decode_destination(decoder, &pair->list[0], WM_PTX_pred);
    uint32_t q = wm_decode_destination(decoder, &pair->list[1], WM_PTX_pred);
    const uint32_t places[4] = {p, a, b, 0};
    const wm_ptx_type types[4] = {WM_PTX_pred, type, type, WM_PTX_pred};
    set_lanes(wm_decode_emit(decoder, lanes_handler(decoder)), lane, places, types);
    emit_predicate(decoder, wm_run_negate_predicate, q, p);
}

// setp with two results: p = t op c, q = !t op c, where t is the comparison (PTX ISA 9.7.6.2).
// Guarded ones branch around, since the guard may be one of the results.
static void decode_setp_pair(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    const struct wm_ptx_operand *pair = &instruction->operands[0];
    struct wm_lane_key key = wm_lane_key_of(instruction);
    bool boolean = key.boolean != WM_PTX_none;
    key.boolean = WM_PTX_none;
    key.boolean_negated = false;
    wm_lane_function *lane = find_kernel(decoder, &key);
    if (!lane)
        return;
    if (!boolean) {
        decode_plain_pair(decoder, lane);
        return;
    }
    uint32_t compared = wm_decode_temporary(decoder), negated = wm_decode_temporary(decoder);
    uint32_t third = wm_decode_predicate(decoder, &instruction->operands[3]);
    if (instruction->operands[3].negated) {
        uint32_t flipped = wm_decode_temporary(decoder);
        emit_predicate(decoder, wm_run_negate_predicate, flipped, third);
        third = flipped;
    }
    uint32_t places[4] = {
        compared, wm_decode_source(decoder, &instruction->operands[1], instruction->type),
        wm_decode_source(decoder, &instruction->operands[2], instruction->type), 0};
    const wm_ptx_type types[4] = {WM_PTX_pred, instruction->type, instruction->type, WM_PTX_pred};
    uint32_t p = wm_decode_destination(decoder, &pair->list[0], WM_PTX_pred);
    uint32_t q = wm_decode_destination(decoder, &pair->list[1], WM_PTX_pred);
    set_lanes(wm_decode_emit(decoder, lanes_handler(decoder)), lane, places, types);
    emit_predicate(decoder, wm_run_negate_predicate, negated, compared);
    // The results are written last: p may be the register of the third source.
    emit_boolean(decoder, compared, compared, third);
    emit_boolean(decoder, negated, negated, third);
    emit_predicate(decoder, wm_run_copy_predicate, p, compared);
    emit_predicate(decoder, wm_run_copy_predicate, q, negated);
}

void wm_decode_setp(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    if (refuse_other_count(decoder))
        return;
    bool halves = instruction->type == WM_PTX_f16x2 || instruction->type == WM_PTX_bf16x2;
    if (instruction->operands[0].kind == WM_PTX_OPERAND_PAIR && !halves)
        decode_setp_pair(decoder);
    else
        wm_decode_lanes(decoder);
}

// The parts first … first + count - 1 of a vector are the whole, lowest first.
static void emit_parts(struct wm_decoder *decoder, const struct wm_ptx_operand *vector,
                       unsigned first, unsigned count, unsigned whole_bytes, bool unpack,
                       uint32_t whole)
{
    struct wm_pack_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return;
    form->count = (uint8_t)count;
    form->part_bytes = (uint8_t)(whole_bytes / count);
    form->wide_whole = whole_bytes == 8;
    form->wide_part = form->part_bytes == 8;
    wm_ptx_type part = form->wide_part ? WM_PTX_b64 : WM_PTX_b32;
    for (unsigned i = 0; i < count; i++) {
        const struct wm_ptx_operand *element = &vector->list[first + i];
        if (unpack && element->kind == WM_PTX_OPERAND_SINK)
            form->parts[i] = WM_NO_OP;
        else if (unpack)
            form->parts[i] = wm_decode_destination(decoder, element, part);
        else
            form->parts[i] = wm_decode_source(decoder, element, part);
    }
    wm_op_handler *handler = unpack ? wm_run_unpack : wm_run_pack;
    struct wm_op *op =
        first == 0 ? wm_decode_emit(decoder, handler) : wm_decode_emit_extra(decoder, handler);
    op->pack = form;
    op->a = op->d = whole;
}

// A vector of two parts of half a register each into one, as most are.
static void decode_mov_pair(struct wm_decoder *decoder, const struct wm_ptx_operand *vector,
                            unsigned whole_bytes, uint32_t whole)
{
    wm_ptx_type type = whole_bytes == 8 ? WM_PTX_b64 : WM_PTX_b32;
    struct wm_lane_key key = {
        .opcode = WM_PTX_OP_mov, .type = type, .type2 = whole_bytes == 8 ? WM_PTX_b32 : WM_PTX_b16};
    const wm_ptx_type types[4] = {type, WM_PTX_b32, WM_PTX_b32};
    const uint32_t places[4] = {whole, wm_decode_source(decoder, &vector->list[0], WM_PTX_b32),
                                wm_decode_source(decoder, &vector->list[1], WM_PTX_b32)};
    wm_lane_function *lane = find_kernel(decoder, &key);
    set_lanes(wm_decode_emit(decoder, lanes_handler(decoder)), lane, places, types);
}

// mov.b64 {lo, hi}, %rd and back (PTX ISA 9.7.9.3); a .b128 by halves.
static void decode_mov_vector(struct wm_decoder *decoder, bool unpack)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    const struct wm_ptx_operand *vector = &instruction->operands[unpack ? 0 : 1];
    const struct wm_ptx_operand *scalar = &instruction->operands[unpack ? 1 : 0];
    unsigned whole_bytes = wm_ptx_type_bytes(instruction->type), count = vector->list_count;
    unsigned halves = whole_bytes == 16 ? 2 : 1;
    if (count == 0 || count > WM_MAX_VECTOR || whole_bytes % count != 0 || count % halves != 0 ||
        whole_bytes == 0) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "mov of this vector is not supported yet");
        return;
    }
    uint32_t whole = unpack ? wm_decode_source(decoder, scalar, instruction->type)
                            : wm_decode_destination(decoder, scalar, instruction->type);
    if (!unpack && count == 2 && (whole_bytes == 4 || whole_bytes == 8)) {
        decode_mov_pair(decoder, vector, whole_bytes, whole);
        return;
    }
    for (unsigned half = 0; half < halves; half++)
        emit_parts(decoder, vector, half * count / halves, count / halves, whole_bytes / halves,
                   unpack, half ? wm_decode_high_half(decoder, whole) : whole);
}

// d = a, by the op given
static void set_copy(struct wm_decoder *decoder, struct wm_op *op, wm_ptx_type type, uint32_t d,
                     uint32_t a)
{
    enum wm_register_class class = wm_register_class_of(type);
    struct wm_lane_key key = {.opcode = WM_PTX_OP_mov,
                              .type = class == WM_CLASS_PREDICATE ? WM_PTX_pred
                                      : class == WM_CLASS_4       ? WM_PTX_b32
                                                                  : WM_PTX_b64};
    const uint32_t places[4] = {d, a};
    const wm_ptx_type types[4] = {key.type, key.type};
    set_lanes(op, find_kernel(decoder, &key), places, types);
}

static void emit_copy(struct wm_decoder *decoder, wm_ptx_type type, uint32_t d, uint32_t a)
{
    set_copy(decoder, wm_decode_emit(decoder, lanes_handler(decoder)), type, d, a);
}

void wm_decode_mov(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    if (instruction->operand_count != 2) {
        wm_decode_refuse(decoder, WM_INVALID, "%u operands", instruction->operand_count);
        return;
    }
    if (instruction->operands[0].kind == WM_PTX_OPERAND_VECTOR ||
        instruction->operands[1].kind == WM_PTX_OPERAND_VECTOR) {
        decode_mov_vector(decoder, instruction->operands[0].kind == WM_PTX_OPERAND_VECTOR);
        return;
    }
    uint32_t source = wm_decode_source(decoder, &instruction->operands[1], instruction->type);
    uint32_t d = wm_decode_destination(decoder, &instruction->operands[0], instruction->type);
    if (instruction->operands[1].negated) {
        struct wm_op *op = wm_decode_emit(decoder, wm_run_negate_predicate);
        op->d = d;
        op->a = source;
        return;
    }
    emit_copy(decoder, instruction->type, d, source);
    if (instruction->type == WM_PTX_b128)
        set_copy(decoder, wm_decode_emit_extra(decoder, lanes_handler(decoder)), WM_PTX_b64,
                 wm_decode_high_half(decoder, d), wm_decode_high_half(decoder, source));
}

static bool window_of(wm_ptx_space space, uint64_t *window)
{
    switch ((int)space) {
    case WM_PTX_global:
    case WM_PTX_const: *window = 0; return true;
    case WM_PTX_shared:
    case WM_PTX_shared_cluster: // a cluster is one block
    case WM_PTX_shared_cta: *window = WM_SHARED_WINDOW; return true;
    case WM_PTX_local: *window = WM_LOCAL_WINDOW; return true;
    case WM_PTX_param:
    case WM_PTX_param_entry: *window = WM_PARAMETER_WINDOW; return true;
    default: return false;
    }
}

void wm_decode_cvta(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    uint64_t window;
    if (!window_of(instruction->space, &window) || instruction->operand_count != 2 ||
        wm_ptx_type_bytes(instruction->type) != 8) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
        return;
    }
    uint32_t source = wm_decode_source(decoder, &instruction->operands[1], WM_PTX_u64);
    uint32_t d = wm_decode_destination(decoder, &instruction->operands[0], WM_PTX_u64);
    if (!window) {
        emit_copy(decoder, WM_PTX_b64, d, source);
        return;
    }
    struct wm_op *op = wm_decode_emit(decoder, wm_run_add_8);
    op->d = d;
    op->a = source;
    op->immediate = wm_ptx_has(instruction, WM_PTX_to) ? 0 - window : window;
}

void wm_decode_isspacep(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    if (instruction->operand_count != 2) {
        wm_decode_refuse(decoder, WM_INVALID, "%u operands", instruction->operand_count);
        return;
    }
    uint32_t source = wm_decode_source(decoder, &instruction->operands[1], WM_PTX_u64);
    uint32_t d = wm_decode_destination(decoder, &instruction->operands[0], WM_PTX_pred);
    wm_ptx_space space = instruction->space;
    if (space == WM_PTX_const) {
        struct wm_op *op = wm_decode_emit(decoder, wm_run_is_constant);
        op->d = d;
        op->a = source;
        return;
    }
    if (space == WM_PTX_shared_cta || space == WM_PTX_shared_cluster)
        space = WM_PTX_shared;
    if (space == WM_PTX_param_entry)
        space = WM_PTX_param;
    struct wm_lane_key key = {
        .opcode = WM_PTX_OP_isspacep, .type = WM_PTX_u64, .mode = (enum wm_ptx_modifier)space};
    wm_lane_function *lane = find_kernel(decoder, &key);
    const uint32_t places[4] = {d, source};
    const wm_ptx_type types[4] = {WM_PTX_pred, WM_PTX_u64};
    set_lanes(wm_decode_emit(decoder, lanes_handler(decoder)), lane, places, types);
}

void wm_decode_activemask(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    if (instruction->operand_count != 1) {
        wm_decode_refuse(decoder, WM_INVALID, "%u operands", instruction->operand_count);
        return;
    }
    uint32_t d = wm_decode_destination(decoder, &instruction->operands[0], WM_PTX_b32);
    wm_decode_emit(decoder, wm_run_activemask)->d = d;
}

// A policy names eviction priorities of lines in L2, which the memory system does not get: the
// value is as opaque as PTX makes it, and the same on every run.
void wm_decode_policy(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    if (instruction->operand_count == 0) {
        wm_decode_refuse(decoder, WM_INVALID, "no operands");
        return;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < instruction->modifier_count; i++)
        value = value << 8 | instruction->modifiers[i];
    uint32_t d = wm_decode_destination(decoder, &instruction->operands[0], WM_PTX_b64);
    emit_copy(decoder, WM_PTX_b64, d, wm_decode_constant(decoder, value, WM_CLASS_8));
}

// In a cluster of one block every address is the block's own, whose rank is 0.
void wm_decode_cluster_address(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    bool rank = instruction->opcode == WM_PTX_OP_getctarank;
    if (instruction->operand_count != (rank ? 2 : 3)) {
        wm_decode_refuse(decoder, WM_INVALID, "%u operands", instruction->operand_count);
        return;
    }
    wm_ptx_type type = rank ? WM_PTX_u32 : instruction->type;
    uint32_t source = rank ? wm_decode_constant(decoder, 0, WM_CLASS_4)
                           : wm_decode_source(decoder, &instruction->operands[1], type);
    emit_copy(decoder, type, wm_decode_destination(decoder, &instruction->operands[0], type),
              source);
}

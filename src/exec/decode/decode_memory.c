// Loads, stores, atomics: see decoder.h.
#include "exec/decode/decoder.h"

#include "exec/operations/local_ops.h"
#include "exec/operations/memory_ops.h"
#include "exec/operations/moves.h"

// Cache operators of PTX ISA 9.7.9.1 as the memory system's hints. Relaxed and stronger accesses
// of more than a block's scope are served by L2, where all SMs agree.
static enum wm_cache_hint hint_of(const struct wm_ptx_instruction *instruction)
{
    if (wm_ptx_has(instruction, WM_PTX_volatile) || wm_ptx_has(instruction, WM_PTX_cv) ||
        wm_ptx_has(instruction, WM_PTX_wt) || wm_ptx_has(instruction, WM_PTX_mmio))
        return WM_HINT_VOLATILE;
    if (wm_ptx_has(instruction, WM_PTX_L1_no_allocate))
        return WM_HINT_NO_L1;
    if (wm_ptx_has(instruction, WM_PTX_cg)) // `.nc` or not: PTX ISA 9.7.9.9 allows both
        return WM_HINT_L2_ONLY;
    if (wm_ptx_has(instruction, WM_PTX_nc))
        return WM_HINT_READ_ONLY;
    if (wm_ptx_has(instruction, WM_PTX_cs))
        return WM_HINT_STREAMING;
    if (wm_ptx_has(instruction, WM_PTX_lu))
        return WM_HINT_LAST_USE;
    bool strong = instruction->semantics == WM_PTX_relaxed ||
                  instruction->semantics == WM_PTX_acquire ||
                  instruction->semantics == WM_PTX_release;
    return strong && instruction->scope != WM_PTX_cta ? WM_HINT_L2_ONLY : WM_HINT_DEFAULT;
}

static bool may_spin(const struct wm_ptx_instruction *instruction)
{
    return instruction->semantics != WM_PTX_none && instruction->semantics != WM_PTX_weak;
}

// Where a memory instruction's address comes from.
struct address {
    wm_ptx_space space;
    bool function_param; // of a called function, or of a call
    bool frame_relative;
    bool wide;
    uint32_t place;
    int64_t offset;
};

static bool plain_space(wm_ptx_space space, wm_ptx_space *result)
{
    switch ((int)space) {
    case WM_PTX_none:
    case WM_PTX_global:
    case WM_PTX_shared:
    case WM_PTX_local:
    case WM_PTX_const:
    case WM_PTX_param: *result = space; return true;
    case WM_PTX_shared_cluster: // a cluster is one block
    case WM_PTX_shared_cta: *result = WM_PTX_shared; return true;
    case WM_PTX_param_entry:
    case WM_PTX_param_func: *result = WM_PTX_param; return true;
    default: return false;
    }
}

static bool symbol_address(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                           struct address *address)
{
    const struct wm_ptx_symbol *symbol = operand->symbol;
    uint64_t at;
    address->offset = operand->offset;
    if (address->space == WM_PTX_param &&
        wm_symbol_addresses_get(&decoder->frame_params, symbol, &at)) {
        address->function_param = true;
        address->offset += (int64_t)at;
        return true;
    }
    address->wide = true;
    if (wm_decode_symbol_address(decoder, symbol, &at)) {
        address->place = wm_decode_constant(decoder, at, WM_CLASS_8);
        return true;
    }
    if (wm_symbol_addresses_get(&decoder->locals, symbol, &at)) {
        address->frame_relative = true;
        address->place = wm_decode_constant(decoder, at, WM_CLASS_8);
        return true;
    }
    wm_decode_refuse_symbol(decoder, symbol, "variable '%s' cannot be reached here");
    return false;
}

static bool decode_address(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                           struct address *address)
{
    *address = (struct address){0};
    if (!plain_space(decoder->instruction->space, &address->space) ||
        operand->kind != WM_PTX_OPERAND_ADDRESS) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
        return false;
    }
    if (operand->symbol)
        return symbol_address(decoder, operand, address);
    address->offset = operand->offset;
    if (!operand->base_register) {
        address->wide = true;
        address->place = wm_decode_constant(decoder, 0, WM_CLASS_8);
        return true;
    }
    const struct wm_ptx_register *base = &decoder->function->registers[operand->index];
    enum wm_register_class class = wm_register_class_of(base->type);
    if (class != WM_CLASS_4 && class != WM_CLASS_8) {
        wm_decode_refuse(decoder, WM_INVALID, "register %s cannot hold an address", base->name);
        return false;
    }
    address->wide = class == WM_CLASS_8;
    address->place = decoder->registers.offsets[operand->index] | WM_BASE_FRAME;
    return true;
}

static void set_address(struct wm_decoder *decoder, struct wm_memory_form *form,
                        const struct address *address)
{
    form->space = address->space;
    form->address = address->place;
    form->offset = address->offset;
    form->wide_address = address->wide;
    form->frame_relative = address->frame_relative;
    form->function = decoder->function_index;
    form->range = decoder->out->range_count++;
}

// The registers of a load or store, which may be wider than the element (PTX ISA 9.4.1).
static bool decode_values(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                          bool store, struct wm_memory_form *form)
{
    const struct wm_ptx_operand *elements = operand;
    unsigned count = 1;
    if (operand->kind == WM_PTX_OPERAND_VECTOR) {
        elements = operand->list;
        count = operand->list_count;
    }
    if (count != decoder->instruction->vector_length || count > WM_MAX_VECTOR) {
        wm_decode_refuse(decoder, WM_INVALID, "%u registers for a vector of %u", count,
                         decoder->instruction->vector_length);
        return false;
    }
    wm_ptx_type type = form->element_bytes == 8 ? WM_PTX_b64 : WM_PTX_b32;
    for (unsigned i = 0; i < count; i++)
        if (wm_decode_class_of(decoder, &elements[i]) == WM_CLASS_8)
            type = WM_PTX_b64;
    form->wide_value = type == WM_PTX_b64;
    form->element_count = (uint8_t)count;
    uint64_t register_mask = form->wide_value ? UINT64_MAX : UINT32_MAX;
    for (unsigned i = 0; i < count; i++) {
        const struct wm_ptx_operand *element = &elements[i];
        if (!store && element->kind == WM_PTX_OPERAND_SINK) {
            form->values[i] = WM_NO_OP;
            continue;
        }
        if (element->kind == WM_PTX_OPERAND_REGISTER &&
            wm_ptx_type_bytes(decoder->function->registers[element->index].type) == 2)
            register_mask = UINT16_MAX;
        form->values[i] = store ? wm_decode_source(decoder, element,
                                                   element->kind == WM_PTX_OPERAND_REGISTER
                                                       ? type
                                                       : decoder->instruction->type)
                                : wm_decode_destination(decoder, element, type);
    }
    form->value_mask = register_mask;
    return decoder->status == WM_OK;
}

// A .b128's register as two elements of 64 bits.
static bool decode_wide_value(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                              bool store, struct wm_memory_form *form)
{
    if (decoder->instruction->vector_length != 1) {
        wm_decode_refuse(decoder, WM_INVALID, "a vector of more than 128 bits");
        return false;
    }
    form->element_bytes = 8;
    form->element_count = 2;
    form->wide_value = true;
    form->value_mask = UINT64_MAX;
    form->values[0] = form->values[1] = WM_NO_OP;
    if (!store && operand->kind == WM_PTX_OPERAND_SINK)
        return true;
    form->values[0] = store ? wm_decode_source(decoder, operand, WM_PTX_b128)
                            : wm_decode_destination(decoder, operand, WM_PTX_b128);
    form->values[1] = wm_decode_high_half(decoder, form->values[0]);
    return decoder->status == WM_OK;
}

// The element of a move, if there is one for it.
static bool element_of(const struct wm_memory_form *form, enum wm_move_element *element)
{
    bool is_half = form->value_mask == UINT16_MAX;
    switch (form->element_bytes) {
    case 1:
        *element = !form->sign_extend ? WM_MOVE_U8 : is_half ? WM_MOVE_S8_HALF : WM_MOVE_S8;
        return !form->wide_value;
    case 2:
        *element = form->sign_extend && !is_half ? WM_MOVE_S16 : WM_MOVE_U16;
        return !form->wide_value;
    case 4:
        *element = !form->wide_value   ? WM_MOVE_B32
                   : form->sign_extend ? WM_MOVE_S32_WIDE
                                       : WM_MOVE_U32_WIDE;
        return true;
    default: *element = WM_MOVE_B64; return form->wide_value;
    }
}

// The fast way of a load or store, or NULL.
static wm_move_function *find_move(const struct wm_decoder *decoder,
                                   const struct wm_memory_form *form)
{
    enum wm_move_element element;
    bool store = form->kind == WM_ACCESS_STORE;
    if (!element_of(form, &element) || form->space == WM_PTX_param ||
        (decoder->width != 32 && (form->space == WM_PTX_none || form->space == WM_PTX_local)))
        return NULL;
    for (unsigned e = 0; e < form->element_count; e++)
        if (form->values[e] == WM_NO_OP)
            return NULL;
    if (form->space == WM_PTX_local)
        return wm_local_move_find(decoder->isa, store, form->wide_address, element,
                                  form->element_count);
    if (form->frame_relative)
        return NULL;
    if (form->element_count == 1 && form->element_bytes == (form->wide_value ? 8 : 4))
        return wm_move_find(decoder->isa, store, form->wide_address, form->wide_value);
    return wm_row_move_find(decoder->isa, store, form->wide_address, element, form->element_count);
}

static enum wm_address_space fast_space(wm_ptx_space space)
{
    switch ((int)space) {
    case WM_PTX_shared: return WM_SPACE_SHARED;
    case WM_PTX_const: return WM_SPACE_CONSTANT;
    default: return WM_SPACE_GLOBAL;
    }
}

static wm_op_handler *move_handler(const struct wm_memory_form *form)
{
    if (form->space == WM_PTX_local)
        return wm_run_move_local;
    if (form->element_count > 1)
        return wm_run_move_vector;
    return form->space == WM_PTX_shared ? wm_run_move_shared : wm_run_move_global;
}

static void emit_fast(struct wm_decoder *decoder, struct wm_memory_form *form,
                      wm_move_function *move)
{
    struct wm_op *op = wm_decode_emit(decoder, move_handler(form));
    op->move = move;
    op->memory = form;
    op->offset = form->offset;
    op->a = form->address;
    op->d = form->values[0];
    op->step_a = form->wide_address ? 256 : 128;
    op->step_d = form->wide_value ? 256 : 128;
    if (form->space == WM_PTX_local)
        form->keeps_address = wm_decode_keeps_address(decoder, form);
    else
        wm_decode_access_by_registers(decoder, form, fast_space(form->space));
}

// A kernel parameter, named directly, is the same for all lanes; of 4 or 8 bytes it needs nothing
// but to be copied to them.
static bool emit_kernel_param(struct wm_decoder *decoder, const struct wm_memory_form *form,
                              const struct wm_ptx_operand *operand)
{
    uint64_t at;
    if (form->space != WM_PTX_param || form->kind != WM_ACCESS_LOAD || !operand->symbol ||
        !wm_symbol_addresses_get(&decoder->kernel_parameters, operand->symbol, &at))
        return false;
    int64_t offset = (int64_t)at + operand->offset;
    bool is_plain = form->element_count == 1 && form->values[0] != WM_NO_OP &&
                    form->element_bytes == (form->wide_value ? 8 : 4);
    bool is_inside = offset >= 0 && offset + form->bytes <= decoder->out->kernel.parameter_bytes;
    if (!is_plain && (!is_inside || (offset & (form->bytes - 1)) != 0))
        return false;
    if (!is_inside) {
        wm_decode_refuse(decoder, WM_INVALID, "the address lies outside of the parameters");
        return true;
    }
    struct wm_op *op =
        wm_decode_emit(decoder, is_plain ? wm_run_kernel_param : wm_run_kernel_params);
    op->memory = form;
    op->d = form->values[0];
    op->offset = offset;
    op->flags = form->element_bytes;
    return true;
}

static bool check_function_param(struct wm_decoder *decoder, const struct wm_memory_form *form)
{
    const struct wm_decoded_function *function = &decoder->out->functions[decoder->function_index];
    if (form->offset >= 0 && form->offset + form->bytes <= function->param_bytes)
        return true;
    wm_decode_refuse(decoder, WM_INVALID, "the address lies outside of the parameters");
    return false;
}

void wm_decode_memory(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    bool store = instruction->opcode == WM_PTX_OP_st;
    unsigned bytes = wm_ptx_type_bytes(instruction->type);
    struct wm_memory_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return;
    if (instruction->operand_count < 2 || bytes == 0) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
        return;
    }
    const struct wm_ptx_operand *where = &instruction->operands[store ? 0 : 1];
    const struct wm_ptx_operand *what = &instruction->operands[store ? 1 : 0];
    form->kind = store ? WM_ACCESS_STORE : WM_ACCESS_LOAD;
    form->hint = hint_of(instruction);
    form->spins = may_spin(instruction) && !store;
    form->type = instruction->type;
    form->element_bytes = (uint8_t)bytes;
    form->bytes = (uint8_t)(bytes * instruction->vector_length);
    form->sign_extend = !store && wm_ptx_type_is_signed(instruction->type) && bytes < 8;
    struct address address;
    if (!decode_address(decoder, where, &address) ||
        !(bytes == 16 ? decode_wide_value : decode_values)(decoder, what, store, form))
        return;
    set_address(decoder, form, &address);
    if (store && form->space == WM_PTX_const) {
        wm_decode_refuse(decoder, WM_INVALID, "a store into constant memory");
        return;
    }
    if (address.function_param) {
        if (check_function_param(decoder, form))
            wm_decode_emit(decoder, wm_run_function_param)->memory = form;
    } else if (!emit_kernel_param(decoder, form, where)) {
        wm_move_function *move = find_move(decoder, form);
        if (move)
            emit_fast(decoder, form, move);
        else
            wm_decode_emit(decoder, wm_run_memory)->memory = form;
        decoder->out->kernel.instructions[decoder->pc].is_memory = form->space != WM_PTX_param;
    }
}

static bool atomic_operation(const struct wm_ptx_instruction *instruction,
                             enum wm_atomic_operation *operation)
{
    static const struct {
        enum wm_ptx_modifier modifier;
        enum wm_atomic_operation operation;
    } table[] = {
        {WM_PTX_add, WM_ATOMIC_ADD}, {WM_PTX_inc, WM_ATOMIC_INC}, {WM_PTX_dec, WM_ATOMIC_DEC},
        {WM_PTX_min, WM_ATOMIC_MIN}, {WM_PTX_max, WM_ATOMIC_MAX}, {WM_PTX_and, WM_ATOMIC_AND},
        {WM_PTX_or, WM_ATOMIC_OR},   {WM_PTX_xor, WM_ATOMIC_XOR}, {WM_PTX_exch, WM_ATOMIC_EXCH},
        {WM_PTX_cas, WM_ATOMIC_CAS},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (wm_ptx_has(instruction, table[i].modifier)) {
            *operation = table[i].operation;
            return true;
        }
    }
    return false;
}

static bool atomic_is_supported(const struct wm_ptx_instruction *instruction,
                                enum wm_atomic_operation operation)
{
    wm_ptx_type type = instruction->type;
    unsigned bytes = wm_ptx_type_bytes(type), count = instruction->vector_length;
    bool half =
        type == WM_PTX_f16 || type == WM_PTX_bf16 || type == WM_PTX_f16x2 || type == WM_PTX_bf16x2;
    bool extreme = operation == WM_ATOMIC_MIN || operation == WM_ATOMIC_MAX;
    if (bytes == 16)
        return count == 1 && (operation == WM_ATOMIC_EXCH || operation == WM_ATOMIC_CAS);
    if (bytes != 2 && bytes != 4 && bytes != 8)
        return false;
    if (count * bytes > 16 || (count > 1 && !half && type != WM_PTX_f32))
        return false;
    if (half)
        return operation == WM_ATOMIC_ADD || extreme;
    if (bytes == 2)
        return operation == WM_ATOMIC_CAS && type == WM_PTX_b16;
    return !wm_ptx_type_is_float(type) || operation == WM_ATOMIC_ADD || operation == WM_ATOMIC_EXCH;
}

// The registers of a vector's elements, or the one of a scalar, read or written.
static bool atomic_registers(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                             bool written, uint32_t *places)
{
    const struct wm_ptx_operand *elements = operand;
    unsigned count = decoder->instruction->vector_length, given = 1;
    if (operand->kind == WM_PTX_OPERAND_VECTOR) {
        elements = operand->list;
        given = operand->list_count;
    }
    if (given != count || count > WM_MAX_VECTOR) {
        wm_decode_refuse(decoder, WM_INVALID, "%u registers for a vector of %u", given, count);
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (written && elements[i].kind == WM_PTX_OPERAND_SINK)
            places[i] = WM_NO_OP;
        else
            places[i] =
                written ? wm_decode_destination(decoder, &elements[i], decoder->instruction->type)
                        : wm_decode_source(decoder, &elements[i], decoder->instruction->type);
    }
    return true;
}

static void atomic_operands(struct wm_decoder *decoder, struct wm_memory_form *form, bool sink,
                            const struct wm_ptx_operand *operands, unsigned first)
{
    uint32_t *places = wm_decode_allocate(decoder, WM_MAX_VECTOR * sizeof(*places));
    if (!places || !atomic_registers(decoder, &operands[first + 1], false, places))
        return;
    form->operands = places;
    form->operand = places[0];
    if (form->atomic == WM_ATOMIC_CAS)
        form->swap = wm_decode_source(decoder, &operands[first + 2], decoder->instruction->type);
    for (unsigned i = 0; i < WM_MAX_VECTOR; i++)
        form->values[i] = WM_NO_OP;
    if (!sink)
        atomic_registers(decoder, &operands[0], true, form->values);
}

void wm_decode_atomic(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    bool reduction = instruction->opcode == WM_PTX_OP_red;
    enum wm_atomic_operation operation;
    if (!atomic_operation(instruction, &operation) ||
        !atomic_is_supported(instruction, operation)) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
        return;
    }
    unsigned first = reduction ? 0 : 1;
    unsigned needed = first + 2 + (operation == WM_ATOMIC_CAS);
    struct wm_memory_form *form = wm_decode_allocate(decoder, sizeof(*form));
    struct address address;
    if (!form)
        return;
    if (instruction->operand_count < needed) {
        wm_decode_refuse(decoder, WM_INVALID, "%u operands", instruction->operand_count);
        return;
    }
    const struct wm_ptx_operand *operands = instruction->operands;
    if (!decode_address(decoder, &operands[first], &address))
        return;
    bool sink = reduction || operands[0].kind == WM_PTX_OPERAND_SINK;
    form->kind = sink ? WM_ACCESS_REDUCTION : WM_ACCESS_ATOMIC;
    form->type = instruction->type;
    form->element_bytes = (uint8_t)wm_ptx_type_bytes(instruction->type);
    form->element_count = instruction->vector_length;
    form->bytes = (uint8_t)(form->element_bytes * form->element_count);
    form->wide_value = form->element_bytes >= 8;
    form->atomic = operation;
    form->spins = true;
    atomic_operands(decoder, form, sink, operands, first);
    set_address(decoder, form, &address);
    if (form->space == WM_PTX_const || form->space == WM_PTX_param) {
        wm_decode_refuse(decoder, WM_INVALID, "an atomic operation on read-only memory");
        return;
    }
    wm_decode_emit(decoder, wm_run_memory)->memory = form;
    decoder->out->kernel.instructions[decoder->pc].is_memory = true;
}

bool wm_decode_plain_address(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                             struct wm_plain_address *base)
{
    struct address address;
    if (!decode_address(decoder, operand, &address))
        return false;
    if (address.function_param || address.frame_relative || address.space == WM_PTX_param ||
        address.space == WM_PTX_local || address.space == WM_PTX_const) {
        wm_decode_refuse(decoder, WM_INVALID, "the address is not of global or shared memory");
        return false;
    }
    *base = (struct wm_plain_address){.space = address.space,
                                      .wide = address.wide,
                                      .place = address.place,
                                      .offset = address.offset};
    return true;
}

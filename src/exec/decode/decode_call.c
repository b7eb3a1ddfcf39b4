// Calls, direct and indirect: see decoder.h.
//
// Arguments and results go through the parameter spaces of the two frames. What a caller gives or
// takes in registers and constants lies, for the call, in a place of its own behind its variables.
#include "exec/decode/decoder.h"

#include "exec/operations/control_ops.h"
#include "exec/operations/memory_ops.h"

enum { MOST_PARAM_BYTES = 64 * 1024 };

// The operands of a call, and what the callee makes of them.
struct call {
    const struct wm_ptx_operand *results, *callee, *arguments;
    struct wm_ptx_symbol *const *result_symbols, *const *parameter_symbols;
    uint32_t result_count, parameter_count;
    uint32_t *result_places, *argument_places; // in the parameter space of the caller's frame
};

bool wm_decode_param_place(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                           uint32_t *place)
{
    uint64_t at;
    if (operand->kind != WM_PTX_OPERAND_SYMBOL || operand->offset != 0 ||
        !wm_symbol_addresses_get(&decoder->frame_params, operand->symbol, &at)) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED,
                         "an argument of a call that is not a .param variable is not supported "
                         "yet");
        return false;
    }
    *place = (uint32_t)at;
    return true;
}

// --- values in registers ---

static uint32_t new_place(struct wm_decoder *decoder)
{
    struct wm_decoded_function *function = &decoder->out->functions[decoder->function_index];
    uint32_t place = function->param_bytes;
    if (place > MOST_PARAM_BYTES)
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "more than 64 KiB of arguments in registers");
    function->param_bytes += 16;
    return place;
}

// One value between a register or constant and the parameter space of the function's frame.
static void move_param(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                       const struct wm_ptx_symbol *parameter, uint32_t place, bool store)
{
    unsigned bytes = wm_ptx_type_bytes(parameter->type);
    struct wm_memory_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return;
    if (parameter->dimension_count || parameter->vector_length != 1 || bytes == 0 || bytes > 8) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "parameter '%s' cannot be given in a register",
                         parameter->name);
        return;
    }
    *form = (struct wm_memory_form){.kind = store ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
                                    .space = WM_PTX_param,
                                    .element_bytes = (uint8_t)bytes,
                                    .element_count = 1,
                                    .bytes = (uint8_t)bytes,
                                    .type = parameter->type,
                                    .wide_value = bytes == 8,
                                    .value_mask = UINT64_MAX,
                                    .offset = place,
                                    .function = decoder->function_index};
    form->values[0] = store ? wm_decode_source(decoder, operand, parameter->type)
                            : wm_decode_destination(decoder, operand, parameter->type);
    wm_decode_emit_extra(decoder, wm_run_function_param)->memory = form;
}

// Parameters in registers are registers to the body: the first that a function declares, its
// results before its parameters.
static void move_own(struct wm_decoder *decoder, bool store)
{
    const struct wm_ptx_function *function = decoder->function;
    uint32_t next = 0, count = function->result_count + function->parameter_count;
    if (decoder->function_index == 0 || !wm_decode_has_register_parameters(function))
        return;
    for (uint32_t i = 0; i < count && decoder->status == WM_OK; i++) {
        bool result = i < function->result_count;
        const struct wm_ptx_symbol *symbol =
            result ? function->results[i] : function->parameters[i - function->result_count];
        uint64_t place;
        if (symbol->space != WM_PTX_reg)
            continue;
        struct wm_ptx_operand own = {.kind = WM_PTX_OPERAND_REGISTER, .index = next++};
        if (result == store && wm_symbol_addresses_get(&decoder->frame_params, symbol, &place))
            move_param(decoder, &own, symbol, (uint32_t)place, store);
    }
}

bool wm_decode_has_register_parameters(const struct wm_ptx_function *function)
{
    bool has = false;
    for (uint32_t i = 0; i < function->result_count; i++)
        has |= function->results[i]->space == WM_PTX_reg;
    for (uint32_t i = 0; i < function->parameter_count; i++)
        has |= function->parameters[i]->space == WM_PTX_reg;
    return has;
}

void wm_decode_enter(struct wm_decoder *decoder)
{
    move_own(decoder, false);
}

void wm_decode_before_return(struct wm_decoder *decoder, bool guarded)
{
    move_own(decoder, true);
    wm_decode_stack_leave(decoder, guarded);
}

// --- arguments ---

static bool find_operands(struct wm_decoder *decoder, struct call *call)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct wm_ptx_operand *operand = &instruction->operands[i];
        if (operand->kind == WM_PTX_OPERAND_LIST && !call->callee)
            call->results = operand;
        else if (operand->kind == WM_PTX_OPERAND_LIST)
            call->arguments = operand;
        else
            call->callee = operand;
    }
    if (call->callee)
        return true;
    wm_decode_refuse(decoder, WM_INVALID, "a call of nothing");
    return false;
}

// Where each value of a list lies; those of registers and constants are put there.
static uint32_t *list_places(struct wm_decoder *decoder, const struct wm_ptx_operand *list,
                             struct wm_ptx_symbol *const *symbols, uint32_t count, bool arguments)
{
    uint32_t given = list ? list->list_count : 0;
    if (given != count) {
        wm_decode_refuse(decoder, WM_INVALID, "%u %s for %u", given,
                         arguments ? "arguments" : "results", count);
        return NULL;
    }
    uint32_t *places = wm_decode_allocate(decoder, (count + 1) * sizeof(*places));
    for (uint32_t i = 0; places && i < count; i++) {
        const struct wm_ptx_operand *value = &list->list[i];
        if (value->kind != WM_PTX_OPERAND_SYMBOL || value->symbol->space != WM_PTX_param) {
            places[i] = new_place(decoder);
            if (arguments)
                move_param(decoder, value, symbols[i], places[i], true);
            continue;
        }
        if (!wm_decode_param_place(decoder, value, &places[i]))
            return NULL;
        if (value->symbol->size_bytes != symbols[i]->size_bytes) {
            wm_decode_refuse(decoder, WM_INVALID, "'%s' has %llu bytes, the parameter %llu",
                             value->symbol->name, (unsigned long long)value->symbol->size_bytes,
                             (unsigned long long)symbols[i]->size_bytes);
            return NULL;
        }
    }
    return places;
}

static bool place_values(struct wm_decoder *decoder, struct call *call)
{
    call->result_places =
        list_places(decoder, call->results, call->result_symbols, call->result_count, false);
    if (decoder->status == WM_OK)
        call->argument_places = list_places(decoder, call->arguments, call->parameter_symbols,
                                            call->parameter_count, true);
    return decoder->status == WM_OK;
}

// After the call: results that go to registers.
static void take_results(struct wm_decoder *decoder, const struct call *call)
{
    for (uint32_t i = 0; i < call->result_count && decoder->status == WM_OK; i++) {
        const struct wm_ptx_operand *value = &call->results->list[i];
        bool in_place = value->kind == WM_PTX_OPERAND_SYMBOL;
        if (!in_place && value->kind != WM_PTX_OPERAND_SINK)
            move_param(decoder, value, call->result_symbols[i], call->result_places[i], false);
    }
}

static struct wm_param_copy *copies(struct wm_decoder *decoder, const uint32_t *places,
                                    const uint32_t *offsets, struct wm_ptx_symbol *const *symbols,
                                    uint32_t count)
{
    struct wm_param_copy *made = wm_decode_allocate(decoder, (count + 1) * sizeof(*made));
    for (uint32_t i = 0; made && i < count; i++)
        made[i] = (struct wm_param_copy){
            .caller = places[i], .callee = offsets[i], .bytes = (uint32_t)symbols[i]->size_bytes};
    return made;
}

static void fill_form(struct wm_decoder *decoder, const struct call *call,
                      const struct wm_ptx_function *function, struct wm_call_form *form)
{
    uint32_t *offsets = wm_decode_allocate(
        decoder, (function->parameter_count + function->result_count + 1) * sizeof(*offsets));
    *form = (struct wm_call_form){0};
    if (!offsets)
        return;
    wm_decode_param_offsets(function, offsets);
    form->caller = decoder->function_index;
    form->function = wm_decode_function_index(decoder, function);
    form->local_advance = decoder->out->functions[decoder->function_index].local_bytes;
    form->out_count = function->result_count;
    form->in_count = function->parameter_count;
    form->out = copies(decoder, call->result_places, offsets, function->results, form->out_count);
    form->in = copies(decoder, call->argument_places, offsets + function->result_count,
                      function->parameters, form->in_count);
}

// --- direct calls ---

static void decode_direct(struct wm_decoder *decoder, struct call *call)
{
    const struct wm_ptx_symbol *symbol = call->callee->symbol;
    const struct wm_ptx_function *function = wm_decode_function_of(decoder, symbol);
    if (!function && wm_decode_runtime_call(decoder, symbol->name, call->results, call->arguments))
        return;
    if (!function) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED,
                         "no module of the program defines '%s', and the device's runtime has no "
                         "such function",
                         symbol->name);
        return;
    }
    if (function->entry) {
        wm_decode_refuse(decoder, WM_INVALID, "'%s' is a kernel", symbol->name);
        return;
    }
    call->result_symbols = function->results;
    call->result_count = function->result_count;
    call->parameter_symbols = function->parameters;
    call->parameter_count = function->parameter_count;
    struct wm_call_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form || !place_values(decoder, call))
        return;
    fill_form(decoder, call, function, form);
    if (decoder->status == WM_OK)
        wm_decode_emit(decoder, wm_run_call)->call = form;
    take_results(decoder, call);
}

// --- indirect calls ---

static bool same_sizes(struct wm_ptx_symbol *const *a, uint32_t a_count,
                       struct wm_ptx_symbol *const *b, uint32_t b_count)
{
    bool same = a_count == b_count;
    for (uint32_t i = 0; same && i < a_count; i++)
        same = a[i]->size_bytes == b[i]->size_bytes;
    return same;
}

static bool fits(const struct wm_ptx_prototype *prototype, const struct wm_ptx_function *function)
{
    return same_sizes(prototype->results, prototype->result_count, function->results,
                      function->result_count) &&
           same_sizes(prototype->parameters, prototype->parameter_count, function->parameters,
                      function->parameter_count);
}

static bool is_target(const struct wm_decoder *decoder, const struct wm_ptx_prototype *prototype,
                      const struct wm_ptx_function *function)
{
    for (uint32_t i = 0; i < prototype->target_count; i++)
        if (wm_decode_function_of(decoder, prototype->targets[i]) == function)
            return true;
    return false;
}

const struct wm_ptx_function *wm_decode_next_target(const struct wm_decoder *decoder,
                                                    const struct wm_ptx_prototype *prototype,
                                                    uint32_t *number)
{
    const struct wm_function_table *table = decoder->functions;
    for (; *number < table->count; ++*number) {
        const struct wm_ptx_function *function = table->functions[*number];
        bool reached = prototype->targets ? is_target(decoder, prototype, function)
                                          : table->taken[*number] && fits(prototype, function);
        if (reached && !function->entry) // a kernel is launched, not called
            return function;
    }
    return NULL;
}

const struct wm_ptx_prototype *wm_decode_prototype(const struct wm_ptx_function *function,
                                                   const struct wm_ptx_instruction *instruction)
{
    bool has_one = instruction->opcode == WM_PTX_OP_call && instruction->call_prototype &&
                   instruction->prototype < function->prototype_count;
    return has_one ? function->prototypes[instruction->prototype] : NULL;
}

// The layout that arguments and results are held against.
static bool set_layout(struct wm_decoder *decoder, const struct wm_ptx_prototype *prototype,
                       struct call *call)
{
    if (!prototype->targets) {
        call->result_symbols = prototype->results;
        call->result_count = prototype->result_count;
        call->parameter_symbols = prototype->parameters;
        call->parameter_count = prototype->parameter_count;
        return true;
    }
    const struct wm_ptx_function *first = prototype->targets[0]->function;
    for (uint32_t i = 1; i < prototype->target_count; i++) {
        const struct wm_ptx_function *other = prototype->targets[i]->function;
        if (!same_sizes(first->results, first->result_count, other->results, other->result_count) ||
            !same_sizes(first->parameters, first->parameter_count, other->parameters,
                        other->parameter_count)) {
            wm_decode_refuse(decoder, WM_INVALID, "its targets '%s' and '%s' differ in parameters",
                             first->name, other->name);
            return false;
        }
    }
    call->result_symbols = first->results;
    call->result_count = first->result_count;
    call->parameter_symbols = first->parameters;
    call->parameter_count = first->parameter_count;
    return true;
}

// All functions that the call may reach, by ascending address.
static struct wm_indirect_form *targets_of(struct wm_decoder *decoder,
                                           const struct wm_ptx_prototype *prototype,
                                           const struct call *call)
{
    const struct wm_function_table *table = decoder->functions;
    struct wm_indirect_form *form = wm_decode_allocate(decoder, sizeof(*form));
    uint32_t count = 0, number = 0;
    for (; wm_decode_next_target(decoder, prototype, &number); number++)
        count++;
    struct wm_call_target *targets =
        wm_decode_allocate(decoder, (count + UINT64_C(1)) * sizeof(*targets));
    if (!form || !targets)
        return NULL;
    *form = (struct wm_indirect_form){.targets = targets, .table = table};
    const struct wm_ptx_function *function;
    for (number = 0; (function = wm_decode_next_target(decoder, prototype, &number)); number++) {
        struct wm_call_target *target = &targets[form->count++];
        target->address = wm_function_table_address(table, number);
        fill_form(decoder, call, function, &target->call);
    }
    return form;
}

static void decode_indirect(struct wm_decoder *decoder, struct call *call)
{
    const struct wm_ptx_prototype *prototype =
        wm_decode_prototype(decoder->function, decoder->instruction);
    if (!prototype) {
        wm_decode_refuse(decoder, WM_INVALID,
                         "an indirect call without .callprototype or .calltargets");
        return;
    }
    if (!set_layout(decoder, prototype, call) || !place_values(decoder, call))
        return;
    struct wm_indirect_form *form = targets_of(decoder, prototype, call);
    if (!form || decoder->status != WM_OK)
        return;
    enum wm_register_class class = wm_decode_class_of(decoder, call->callee);
    form->wide = class == WM_CLASS_8;
    uint32_t address =
        wm_decode_source(decoder, call->callee, form->wide ? WM_PTX_b64 : WM_PTX_b32);
    struct wm_op *op = wm_decode_emit(decoder, wm_run_call_indirect);
    op->a = address;
    op->indirect = form;
    op->reconverge = decoder->out->op_count; // the next op
    wm_decode_emit_extra(decoder, wm_run_reconverge)->run = wm_run_reconverge;
    take_results(decoder, call);
}

void wm_decode_call(struct wm_decoder *decoder)
{
    struct call call = {0};
    if (!find_operands(decoder, &call))
        return;
    bool direct = call.callee->kind == WM_PTX_OPERAND_SYMBOL &&
                  call.callee->symbol->kind == WM_PTX_SYMBOL_FUNCTION;
    if (direct)
        decode_direct(decoder, &call);
    else
        decode_indirect(decoder, &call);
}

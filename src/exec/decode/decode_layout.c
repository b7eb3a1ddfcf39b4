// Where a kernel's variables lie: parameters, shared memory, the frames of functions. See
// decoder.h.
#include "exec/decode/decoder.h"

enum {
    DYNAMIC_SHARED_ALIGNMENT = 16,
    MOST_SHARED_BYTES = 1 << 24,
    MOST_LOCAL_BYTES = 512 * 1024, // CUDA C++ Programming Guide, technical specifications
    MOST_PARAM_BYTES = 64 * 1024,
};

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static uint64_t alignment_of(const struct wm_ptx_symbol *symbol)
{
    return symbol->alignment ? symbol->alignment : 1;
}

static void put(struct wm_decoder *decoder, struct wm_symbol_addresses *places,
                const struct wm_ptx_symbol *symbol, uint64_t value)
{
    if (!wm_symbol_addresses_put(places, symbol, value))
        wm_decode_no_memory(decoder);
}

static void layout_parameters(struct wm_decoder *decoder, const struct wm_ptx_function *function)
{
    struct wm_kernel *kernel = &decoder->out->kernel;
    kernel->parameter_count = function->parameter_count;
    kernel->parameters = wm_decode_allocate(decoder, (function->parameter_count + 1) *
                                                         sizeof(kernel->parameters[0]));
    if (!kernel->parameters)
        return;
    uint64_t end = 0;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct wm_ptx_symbol *symbol = function->parameters[i];
        uint64_t at = align_up(end, alignment_of(symbol));
        end = at + symbol->size_bytes;
        if (end > UINT16_MAX) {
            wm_decode_refuse(decoder, WM_INVALID, "more than 64 KiB of kernel parameters");
            return;
        }
        kernel->parameters[i] =
            (struct wm_kernel_parameter){.offset = (uint32_t)at,
                                         .size = (uint32_t)symbol->size_bytes,
                                         .alignment = (uint32_t)alignment_of(symbol)};
        put(decoder, &decoder->kernel_parameters, symbol, at);
    }
    kernel->parameter_bytes = (uint32_t)end;
}

// --- shared memory ---

static void place_shared(struct wm_decoder *decoder, const struct wm_ptx_symbol *symbol)
{
    uint64_t known;
    if (symbol->kind != WM_PTX_SYMBOL_VARIABLE || symbol->space != WM_PTX_shared ||
        wm_symbol_addresses_get(&decoder->shared, symbol, &known))
        return;
    const struct wm_ptx_symbol *definition = wm_linker_definition(decoder->linker, symbol);
    if (definition != symbol) {
        place_shared(decoder, definition);
        if (wm_symbol_addresses_get(&decoder->shared, definition, &known))
            put(decoder, &decoder->shared, symbol, known);
        return;
    }
    if (symbol->unsized || symbol->size_bytes == 0) {
        decoder->out->kernel.uses_dynamic_shared = true;
        put(decoder, &decoder->shared, symbol, UINT64_MAX);
        return;
    }
    uint64_t at = align_up(decoder->shared_bytes, alignment_of(symbol));
    if (at + symbol->size_bytes > MOST_SHARED_BYTES) {
        wm_decode_refuse(decoder, WM_INVALID, "'%s' makes shared memory larger than 16 MiB",
                         symbol->name);
        return;
    }
    decoder->shared_bytes = (uint32_t)(at + symbol->size_bytes);
    put(decoder, &decoder->shared, symbol, at);
}

static void scan_operand(struct wm_decoder *decoder, const struct wm_ptx_operand *operand)
{
    if (operand->symbol)
        place_shared(decoder, operand->symbol);
    for (unsigned i = 0; i < operand->list_count; i++)
        scan_operand(decoder, &operand->list[i]);
}

static void add_targets(struct wm_decoder *decoder, const struct wm_ptx_prototype *prototype)
{
    const struct wm_ptx_function *target;
    if (prototype && !wm_function_table_look(decoder->functions)) {
        wm_decode_no_memory(decoder);
        return;
    }
    for (uint32_t number = 0;
         prototype && (target = wm_decode_next_target(decoder, prototype, &number)); number++)
        wm_decode_function_index(decoder, target);
}

// Finds the functions and the shared variables that a function uses.
static void scan_function(struct wm_decoder *decoder, const struct wm_ptx_function *function)
{
    for (uint32_t s = 0; s < function->statement_count; s++) {
        if (function->statements[s].kind != WM_PTX_STATEMENT_INSTRUCTION)
            continue;
        const struct wm_ptx_instruction *instruction = function->statements[s].instruction;
        add_targets(decoder, wm_decode_prototype(function, instruction));
        for (unsigned i = 0; i < instruction->operand_count; i++) {
            const struct wm_ptx_operand *operand = &instruction->operands[i];
            scan_operand(decoder, operand);
            if (instruction->opcode != WM_PTX_OP_call || operand->kind != WM_PTX_OPERAND_SYMBOL)
                continue;
            const struct wm_ptx_function *callee = wm_decode_function_of(decoder, operand->symbol);
            if (callee)
                wm_decode_function_index(decoder, callee);
        }
    }
}

// Marks what function `f` calls by name; false when all of that was marked.
static bool require_callees(struct wm_decoder *decoder, uint32_t f)
{
    const struct wm_ptx_function *function = decoder->out->functions[f].function;
    bool changed = false;
    for (uint32_t s = 0; s < function->statement_count; s++) {
        if (function->statements[s].kind != WM_PTX_STATEMENT_INSTRUCTION)
            continue;
        const struct wm_ptx_instruction *instruction = function->statements[s].instruction;
        for (unsigned i = 0; i < instruction->operand_count; i++) {
            const struct wm_ptx_operand *operand = &instruction->operands[i];
            if (instruction->opcode != WM_PTX_OP_call || operand->kind != WM_PTX_OPERAND_SYMBOL)
                continue;
            const struct wm_ptx_function *callee = wm_decode_function_of(decoder, operand->symbol);
            uint32_t index = callee ? wm_decode_function_index(decoder, callee) : 0;
            changed |= !decoder->out->functions[index].required;
            decoder->out->functions[index].required = true;
        }
    }
    return changed;
}

// What is reached only through addresses may never be called at all.
static void mark_required(struct wm_decoder *decoder)
{
    struct wm_decoded_kernel *out = decoder->out;
    out->functions[0].required = true;
    for (bool changed = true; changed && decoder->status == WM_OK;) {
        changed = false;
        for (uint32_t f = 0; f < out->function_count; f++)
            if (out->functions[f].required)
                changed |= require_callees(decoder, f);
    }
}

void wm_decode_layout_kernel(struct wm_decoder *decoder, const struct wm_ptx_function *kernel)
{
    struct wm_decoded_kernel *out = decoder->out;
    layout_parameters(decoder, kernel);
    for (uint32_t f = 0; f < out->function_count && decoder->status == WM_OK; f++)
        scan_function(decoder, out->functions[f].function);
    mark_required(decoder);
    out->kernel.static_shared_bytes = decoder->shared_bytes;
    out->dynamic_shared_offset =
        (uint32_t)align_up(decoder->shared_bytes, DYNAMIC_SHARED_ALIGNMENT);
    for (uint32_t i = 0; i < decoder->shared.capacity; i++)
        if (decoder->shared.slots[i].symbol && decoder->shared.slots[i].value == UINT64_MAX)
            decoder->shared.slots[i].value = out->dynamic_shared_offset;
}

// --- functions ---

void wm_decode_param_offsets(const struct wm_ptx_function *function, uint32_t *offsets)
{
    uint64_t end = 0;
    uint32_t count = function->result_count + function->parameter_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct wm_ptx_symbol *symbol = i < function->result_count
                                                 ? function->results[i]
                                                 : function->parameters[i - function->result_count];
        uint64_t at = align_up(end, alignment_of(symbol));
        offsets[i] = (uint32_t)at;
        end = at + symbol->size_bytes;
    }
    offsets[count] = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
}

static uint64_t place_own_params(struct wm_decoder *decoder, const struct wm_ptx_function *function)
{
    uint32_t count = function->result_count + function->parameter_count;
    uint32_t *offsets = WM_ARENA_ARRAY(&decoder->scratch, uint32_t, count + 1);
    if (!offsets) {
        wm_decode_no_memory(decoder);
        return 0;
    }
    wm_decode_param_offsets(function, offsets);
    for (uint32_t i = 0; i < function->result_count; i++)
        put(decoder, &decoder->frame_params, function->results[i], offsets[i]);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        put(decoder, &decoder->frame_params, function->parameters[i],
            offsets[function->result_count + i]);
    return offsets[count];
}

void wm_decode_layout_function(struct wm_decoder *decoder, const struct wm_ptx_function *function,
                               uint32_t index)
{
    wm_symbol_addresses_release(&decoder->locals);
    wm_symbol_addresses_release(&decoder->frame_params);
    uint64_t params = index == 0 ? 0 : place_own_params(decoder, function), local = 0;
    if (params > MOST_PARAM_BYTES) {
        wm_decode_refuse(decoder, WM_INVALID, "function '%s' has more than 64 KiB of parameters",
                         function->name);
        return;
    }
    for (uint32_t s = 0; s < function->statement_count; s++) {
        if (function->statements[s].kind != WM_PTX_STATEMENT_VARIABLE)
            continue;
        const struct wm_ptx_symbol *symbol = function->statements[s].variable;
        uint64_t *end = symbol->space == WM_PTX_local   ? &local
                        : symbol->space == WM_PTX_param ? &params
                                                        : NULL;
        if (!end)
            continue;
        uint64_t at = align_up(*end, alignment_of(symbol));
        *end = at + symbol->size_bytes;
        if (*end > (end == &local ? MOST_LOCAL_BYTES : MOST_PARAM_BYTES)) {
            wm_decode_refuse(decoder, WM_INVALID, "'%s' is too large", symbol->name);
            return;
        }
        put(decoder, end == &local ? &decoder->locals : &decoder->frame_params, symbol, at);
    }
    decoder->out->functions[index].local_bytes = (uint32_t)align_up(local, 16);
    decoder->out->functions[index].param_bytes = (uint32_t)align_up(params, 16);
}

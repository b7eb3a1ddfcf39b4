// Decodes a kernel and everything it calls: see decoder.h.
#include "base/containers/array.h"
#include "exec/decode/decoder.h"

#include "exec/operations/control_ops.h"
#include "exec/operations/memory_ops.h"

enum {
    // ptxas keeps a few registers that PTX does not show: the stack pointer, halves of addresses.
    HIDDEN_REGISTERS = 4,
    MOST_REGISTERS = 255,
    // Of a call's return address and frame pointer, where calls go in circles.
    ACTIVATION_BYTES = 16,
};

// --- functions ---

static bool append_instructions(struct wm_decoder *decoder)
{
    struct wm_kernel *kernel = &decoder->out->kernel;
    const struct wm_ptx_control_flow *flow = decoder->flow;
    decoder->out->functions[decoder->function_index].first_pc = kernel->instruction_count;
    for (uint32_t i = 0; i < flow->instruction_count; i++) {
        if (!WM_ARRAY_RESERVE(kernel->instructions, kernel->instruction_count,
                              decoder->instruction_capacity, 1)) {
            wm_decode_no_memory(decoder);
            return false;
        }
        struct wm_kernel_instruction *to = &kernel->instructions[kernel->instruction_count++];
        *to = (struct wm_kernel_instruction){
            .function = decoder->function,
            .instruction = flow->instructions[i],
            .ptx_line = decoder->function->statements[flow->statements[i]].line};
        if (i > 0 && flow->locs[i] == flow->locs[i - 1]) {
            to->source_file = to[-1].source_file;
            to->source_line = to[-1].source_line;
            to->inlined = to[-1].inlined;
            to->inlined_count = to[-1].inlined_count;
        } else {
            wm_decode_source_location(decoder, flow->locs[i], flow->statements[i], to);
        }
    }
    return true;
}

// Blocks where the lanes of some branch reconverge.
static bool *meeting_blocks(struct wm_decoder *decoder)
{
    const struct wm_ptx_control_flow *flow = decoder->flow;
    bool *reconverges = wm_arena_alloc(&decoder->scratch, flow->block_count + 1, 1);
    if (!reconverges) {
        wm_decode_no_memory(decoder);
        return NULL;
    }
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const struct wm_ptx_block *block = &flow->blocks[b];
        if (!block->reachable || block->reconvergence == WM_PTX_NO_BLOCK)
            continue;
        bool parts = block->successors[1] != WM_PTX_NO_BLOCK || block->branch_successor_count > 0;
        if (parts)
            reconverges[block->reconvergence] = true;
    }
    return reconverges;
}

// Branch targets from block numbers to op indices.
static void resolve_targets(struct wm_decoder *decoder, uint32_t first_op)
{
    struct wm_decoded_kernel *out = decoder->out;
    const uint32_t *block_ops = decoder->block_ops;
    for (uint32_t i = first_op; i < out->op_count; i++) {
        struct wm_op *op = &out->ops[i];
        bool index = op->body == wm_run_branch_index;
        if (op->run != wm_run_branch && op->run != wm_run_branch_if && !index)
            continue;
        op->reconverge = op->reconverge == WM_PTX_NO_BLOCK ? WM_NO_OP : block_ops[op->reconverge];
        if (!index) {
            op->target = block_ops[op->target];
            continue;
        }
        uint32_t *targets = wm_decode_allocate(decoder, (op->target_count + 1) * sizeof(*targets));
        for (uint32_t t = 0; targets && t < op->target_count; t++)
            targets[t] = block_ops[op->targets[t]];
        op->targets = targets;
    }
}

static void decode_blocks(struct wm_decoder *decoder)
{
    struct wm_decoded_kernel *out = decoder->out;
    const struct wm_ptx_control_flow *flow = decoder->flow;
    uint32_t first_op = out->op_count;
    const bool *reconverges = meeting_blocks(decoder);
    decoder->block_ops = WM_ARENA_ARRAY(&decoder->scratch, uint32_t, flow->block_count + 1);
    if (!reconverges || !decoder->block_ops) {
        wm_decode_no_memory(decoder);
        return;
    }
    decoder->pc = out->functions[decoder->function_index].first_pc;
    wm_decode_stack_enter(decoder);
    wm_decode_enter(decoder);
    for (uint32_t b = 0; b < flow->block_count && decoder->status == WM_OK; b++) {
        const struct wm_ptx_block *block = &flow->blocks[b];
        decoder->block_ops[b] = out->op_count;
        wm_decode_readers_forget(decoder);
        if (!block->reachable)
            continue;
        decoder->pc = out->functions[decoder->function_index].first_pc + block->first;
        if (reconverges[b])
            wm_decode_append(decoder)->run = wm_run_reconverge;
        for (uint32_t i = block->first; i < block->end && decoder->status == WM_OK; i++)
            wm_decode_instruction(decoder, i);
    }
    // A lane that falls off the end returns.
    decoder->block_ops[flow->block_count] = out->op_count;
    wm_decode_before_return(decoder, false);
    wm_decode_append(decoder)->run = decoder->function_index == 0 ? wm_run_exit : wm_run_return;
    if (decoder->status == WM_OK)
        resolve_targets(decoder, first_op);
}

static void decode_function_body(struct wm_decoder *decoder, uint32_t index)
{
    struct wm_ptx_control_flow *flow;
    decoder->function = decoder->out->functions[index].function;
    decoder->module = decoder->function->symbol->module;
    decoder->function_index = index;
    decoder->instruction = NULL;
    decoder->most_temporaries = 0;
    decoder->status = wm_ptx_control_flow_build(decoder->function, &flow, decoder->error);
    if (decoder->status != WM_OK)
        return;
    decoder->flow = flow;
    decoder->spin_lengths = NULL;
    wm_decode_layout_function(decoder, decoder->function, index);
    // Nothing in the body says when registers that are parameters are read and written.
    bool share = decoder->share_registers && !wm_decode_has_register_parameters(decoder->function);
    if (!wm_registers_allocate(flow, decoder->width, share, &decoder->scratch, &decoder->registers))
        wm_decode_no_memory(decoder);
    decoder->carry = decoder->registers.frame_bytes | WM_BASE_FRAME;
    decoder->registers.frame_bytes += 64;
    if (decoder->status == WM_OK && append_instructions(decoder)) {
        struct wm_decoded_function *out = &decoder->out->functions[index];
        out->entry = decoder->out->op_count;
        out->live_registers = decoder->registers.live_units;
        decode_blocks(decoder);
        out = &decoder->out->functions[index];
        uint32_t registers =
            decoder->registers.frame_bytes + decoder->most_temporaries * 8 * decoder->width;
        out->param_area = registers;
        out->frame_bytes =
            (registers + out->param_bytes * decoder->width + 63 + 64) & ~UINT32_C(63);
    }
    wm_ptx_control_flow_free(flow);
    decoder->flow = NULL;
}

// A function that may never be called does not refuse the kernel: its body becomes a fault, at
// the instruction that cannot be executed.
static void refuse_when_called(struct wm_decoder *decoder, uint32_t f)
{
    struct wm_decoded_kernel *out = decoder->out;
    const struct wm_decoded_function *function = &out->functions[f];
    if (decoder->status != WM_UNSUPPORTED || function->required || function->entry == 0)
        return;
    char text[1024];
    int length = snprintf(text, sizeof(text), "function '%s' cannot be executed: %s",
                          function->function->name, decoder->error->message);
    decoder->status = WM_OK;
    wm_error_clear(decoder->error);
    char *refusal = wm_decode_allocate(decoder, (size_t)length + 1);
    out->op_count = function->entry;
    struct wm_op *op = wm_decode_append(decoder);
    op->run = op->body = wm_run_refused;
    op->refusal = refusal;
    if (refusal)
        memcpy(refusal, text, (size_t)length + 1);
}

uint32_t wm_decode_function_index(struct wm_decoder *decoder,
                                  const struct wm_ptx_function *function)
{
    struct wm_decoded_kernel *out = decoder->out;
    for (uint32_t i = 0; i < out->function_count; i++)
        if (out->functions[i].function == function)
            return i;
    if (WM_ARRAY_ADD(out->functions, out->function_count, decoder->function_capacity,
                     {.function = function}))
        return out->function_count - 1;
    wm_decode_no_memory(decoder);
    return 0;
}

// --- the kernel as a whole ---

struct call_graph {
    struct wm_decoded_kernel *out;
    uint8_t *state; // 0 new, 1 being looked at, 2 done
    bool recursive;
};

// Local memory of a function with the deepest chain of calls below it.
static uint32_t depth_of(struct call_graph *graph, uint32_t f);

// That of the deepest function an op calls.
static uint32_t depth_below(struct call_graph *graph, const struct wm_op *op)
{
    uint32_t deepest = 0;
    if (op->body == wm_run_call)
        return depth_of(graph, op->call->function);
    if (op->body != wm_run_call_indirect)
        return 0;
    for (uint32_t i = 0; i < op->indirect->count; i++) {
        uint32_t depth = depth_of(graph, op->indirect->targets[i].call.function);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

static uint32_t depth_of(struct call_graph *graph, uint32_t f)
{
    struct wm_decoded_function *function = &graph->out->functions[f];
    if (graph->state[f] == 2)
        return function->depth_local_bytes;
    if (graph->state[f] == 1) {
        graph->recursive = true;
        return 0;
    }
    graph->state[f] = 1;
    uint32_t deepest = 0;
    uint32_t end = f + 1 < graph->out->function_count ? graph->out->functions[f + 1].entry
                                                      : graph->out->op_count;
    for (uint32_t i = function->entry; i < end; i++) {
        uint32_t depth = depth_below(graph, &graph->out->ops[i]);
        deepest = depth > deepest ? depth : deepest;
    }
    function->depth_local_bytes = function->local_bytes + deepest;
    graph->state[f] = 2;
    return function->depth_local_bytes;
}

static void apply_directives(struct wm_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->function->directive_count; i++) {
        const struct wm_ptx_directive *directive = &kernel->function->directives[i];
        uint32_t product = 1;
        for (unsigned v = 0; v < directive->value_count; v++)
            product *= directive->values[v];
        if (strcmp(directive->name, ".maxntid") == 0 || strcmp(directive->name, ".reqntid") == 0)
            kernel->max_threads_per_block = product;
        else if (strcmp(directive->name, ".maxnreg") == 0 && directive->value_count > 0 &&
                 kernel->registers_per_thread > directive->values[0])
            kernel->registers_per_thread = directive->values[0];
    }
}

static void refuse_clusters(struct wm_decoder *decoder)
{
    const struct wm_ptx_function *kernel = decoder->out->kernel.function;
    for (uint32_t i = 0; i < kernel->directive_count; i++) {
        const struct wm_ptx_directive *directive = &kernel->directives[i];
        uint32_t blocks = 1;
        for (unsigned v = 0; v < directive->value_count; v++)
            blocks *= directive->values[v];
        if (strcmp(directive->name, ".reqnctapercluster") != 0 || blocks == 1)
            continue;
        decoder->instruction = NULL;
        decoder->line = kernel->line;
        decoder->column = kernel->column;
        wm_decode_refuse(
            decoder, WM_UNSUPPORTED,
            "clusters of more than one block are not supported yet (.reqnctapercluster "
            "of kernel '%s')",
            kernel->name);
    }
}

static void finish_kernel(struct wm_decoder *decoder)
{
    struct wm_decoded_kernel *out = decoder->out;
    refuse_clusters(decoder);
    struct call_graph graph = {
        .out = out, .state = wm_arena_alloc(&decoder->scratch, out->function_count + 1, 1)};
    if (!graph.state) {
        wm_decode_no_memory(decoder);
        return;
    }
    uint32_t local = depth_of(&graph, 0), registers = 0;
    out->activation_bytes = graph.recursive ? ACTIVATION_BYTES : 0;
    out->kernel.needs_stack = graph.recursive || out->allocates;
    for (uint32_t f = 0; f < out->function_count; f++)
        if (out->functions[f].live_registers > registers)
            registers = out->functions[f].live_registers;
    registers += HIDDEN_REGISTERS;
    out->kernel.local_bytes_per_thread = (local + 15) & ~UINT32_C(15);
    out->kernel.registers_per_thread = registers < MOST_REGISTERS ? registers : MOST_REGISTERS;
    apply_directives(&out->kernel);
}

// Ops that stand for no PTX instruction count themselves out (control_ops.c).
static void count_instructions(struct wm_decoder *decoder)
{
    struct wm_decoded_kernel *out = decoder->out;
    out->counted = malloc((out->op_count + 1) * sizeof(out->counted[0]));
    if (!out->counted) {
        wm_decode_no_memory(decoder);
        return;
    }
    out->counted[0] = 0;
    for (uint32_t i = 0; i < out->op_count; i++) {
        wm_op_handler *run = out->ops[i].run;
        bool extra = run == wm_run_reconverge || run == wm_run_extra || run == wm_run_branch_around;
        out->counted[i + 1] = out->counted[i] + !extra;
    }
}

void wm_decoded_kernel_free(struct wm_decoded_kernel *decoded)
{
    if (!decoded)
        return;
    wm_arena_release(&decoded->arena);
    free(decoded->ops);
    free(decoded->counted);
    free(decoded->constants);
    free(decoded->functions);
    free(decoded->kernel.instructions);
    free(decoded);
}

static void release_decoder(struct wm_decoder *decoder)
{
    wm_arena_release(&decoder->scratch);
    wm_symbol_addresses_release(&decoder->shared);
    wm_symbol_addresses_release(&decoder->kernel_parameters);
    wm_symbol_addresses_release(&decoder->locals);
    wm_symbol_addresses_release(&decoder->frame_params);
}

enum wm_status wm_decode_kernel(struct wm_decoder *decoder, const struct wm_ptx_function *kernel,
                                struct wm_decoded_kernel **decoded)
{
    struct wm_error unasked;
    *decoded = NULL;
    decoder->error = decoder->error ? decoder->error : &unasked;
    decoder->status = WM_OK;
    decoder->function = kernel;
    decoder->module = kernel->symbol->module;
    decoder->line = kernel->line;
    decoder->column = kernel->column;
    wm_arena_init(&decoder->scratch);
    decoder->out = calloc(1, sizeof(*decoder->out));
    if (!decoder->out)
        return wm_decode_no_memory(decoder);
    struct wm_decoded_kernel *out = decoder->out;
    wm_arena_init(&out->arena);
    out->width = decoder->width;
    out->kernel.name = kernel->name;
    out->kernel.function = kernel;
    wm_decode_function_index(decoder, kernel);
    wm_decode_constant(decoder, 0, WM_CLASS_8); // so that the pool is never empty
    wm_decode_layout_kernel(decoder, kernel);
    for (uint32_t f = 0; f < out->function_count && decoder->status == WM_OK; f++) {
        decode_function_body(decoder, f);
        refuse_when_called(decoder, f);
    }
    if (decoder->status == WM_OK)
        finish_kernel(decoder);
    if (decoder->status == WM_OK)
        count_instructions(decoder);
    release_decoder(decoder);
    if (decoder->status != WM_OK) {
        wm_decoded_kernel_free(out);
        return decoder->status;
    }
    *decoded = out;
    return WM_OK;
}

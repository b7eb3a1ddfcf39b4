// Decodes a kernel and everything it calls: see decoder.h.
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

// --- errors ---

static void set_excerpt(const struct wm_decoder *decoder)
{
    const char *at = decoder->module->source;
    for (uint32_t line = 1; at && line < decoder->line; line++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (at)
        wm_error_excerpt(decoder->error, at, strcspn(at, "\r\n"), decoder->column);
}

enum wm_status wm_decode_refuse(struct wm_decoder *decoder, enum wm_status status,
                                const char *format, ...)
{
    if (decoder->status != WM_OK)
        return decoder->status;
    decoder->status = status;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    struct wm_text printed;
    wm_text_init(&printed);
    if (decoder->instruction)
        wm_ptx_print_instruction(decoder->function, decoder->instruction, &printed);
    wm_fail(decoder->error, status, "%s%s%s%s", printed.data ? "'" : "",
            printed.data ? printed.data : "", printed.data ? "': " : "", text);
    wm_text_release(&printed);
    if (decoder->error) {
        wm_error_place(decoder->error, "%s:%u:%u", decoder->module->name, decoder->line,
                       decoder->column);
        set_excerpt(decoder);
    }
    return status;
}

enum wm_status wm_decode_no_memory(struct wm_decoder *decoder)
{
    if (decoder->status == WM_OK)
        decoder->status = wm_fail(decoder->error, WM_NO_MEMORY, "out of memory for a kernel");
    return decoder->status;
}

void *wm_decode_allocate(struct wm_decoder *decoder, size_t size)
{
    void *memory = wm_arena_alloc(&decoder->out->arena, size, 16);
    if (!memory)
        wm_decode_no_memory(decoder);
    return memory;
}

// --- ops ---

// Makes room for one more element; false, with the failure recorded, when out of memory.
static bool grow(struct wm_decoder *decoder, void **array, uint32_t count, uint32_t *capacity,
                 size_t size)
{
    if (count < *capacity)
        return true;
    uint32_t larger = *capacity ? *capacity * 2 : 64;
    void *grown = realloc(*array, larger * size);
    if (!grown) {
        wm_decode_no_memory(decoder);
        return false;
    }
    *array = grown;
    *capacity = larger;
    return true;
}

static struct wm_op *append_op(struct wm_decoder *decoder)
{
    struct wm_decoded_kernel *out = decoder->out;
    void *ops = out->ops;
    bool good = grow(decoder, &ops, out->op_count + 1, &decoder->op_capacity, sizeof(out->ops[0]));
    out->ops = ops;
    if (!good)
        return &decoder->nowhere;
    struct wm_op *op = &out->ops[out->op_count++];
    *op = (struct wm_op){.pc = decoder->pc};
    return op;
}

struct wm_op *wm_decode_emit(struct wm_decoder *decoder, wm_op_handler *handler)
{
    struct wm_op *op = append_op(decoder);
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    op->run = op->body = handler;
    if (instruction->guard != WM_PTX_NO_REGISTER && !decoder->around) {
        op->run = wm_run_guarded;
        op->guard = decoder->registers.offsets[(uint32_t)instruction->guard] | WM_BASE_FRAME;
        op->guard_negated = instruction->guard_negated;
    }
    return op;
}

struct wm_op *wm_decode_emit_extra(struct wm_decoder *decoder, wm_op_handler *handler)
{
    struct wm_op *op = append_op(decoder);
    op->run = wm_run_extra;
    op->body = handler;
    return op;
}

// --- instructions ---

typedef void decode_function(struct wm_decoder *decoder);

static decode_function *family_of(enum wm_ptx_opcode opcode)
{
    switch (opcode) {
    case WM_PTX_OP_mov: return wm_decode_mov;
    case WM_PTX_OP_setp: return wm_decode_setp;
    case WM_PTX_OP_cvta: return wm_decode_cvta;
    case WM_PTX_OP_isspacep: return wm_decode_isspacep;
    case WM_PTX_OP_activemask: return wm_decode_activemask;
    case WM_PTX_OP_addc:
    case WM_PTX_OP_subc:
    case WM_PTX_OP_madc: return wm_decode_carry;
    case WM_PTX_OP_ld:
    case WM_PTX_OP_ldu:
    case WM_PTX_OP_st: return wm_decode_memory;
    case WM_PTX_OP_atom:
    case WM_PTX_OP_red: return wm_decode_atomic;
    case WM_PTX_OP_tex:
    case WM_PTX_OP_tld4: return wm_decode_texture;
    case WM_PTX_OP_suld:
    case WM_PTX_OP_sust:
    case WM_PTX_OP_sured: return wm_decode_surface;
    case WM_PTX_OP_txq:
    case WM_PTX_OP_suq: return wm_decode_image_query;
    case WM_PTX_OP_bar:
    case WM_PTX_OP_barrier: return wm_decode_barrier;
    case WM_PTX_OP_shfl:
    case WM_PTX_OP_vote:
    case WM_PTX_OP_match:
    case WM_PTX_OP_elect:
    case WM_PTX_OP_redux: return wm_decode_warp;
    case WM_PTX_OP_call: return wm_decode_call;
    case WM_PTX_OP_alloca:
    case WM_PTX_OP_stacksave:
    case WM_PTX_OP_stackrestore: return wm_decode_stack;
    case WM_PTX_OP_bra: return wm_decode_branch;
    case WM_PTX_OP_brx: return wm_decode_branch_index;
    case WM_PTX_OP_exit:
    case WM_PTX_OP_ret:
    case WM_PTX_OP_trap:
    case WM_PTX_OP_brkpt: return wm_decode_leave;
    // All lanes of all warps see memory in one order already.
    case WM_PTX_OP_membar:
    case WM_PTX_OP_fence:
    case WM_PTX_OP_prefetch:
    case WM_PTX_OP_prefetchu:
    case WM_PTX_OP_discard:
    case WM_PTX_OP_applypriority:
    case WM_PTX_OP_griddepcontrol: // a grid begins when those before it have ended
    case WM_PTX_OP_setmaxnreg:     // registers are not handed from warp to warp
    case WM_PTX_OP_pmevent: return wm_decode_nothing;
    case WM_PTX_OP_createpolicy: return wm_decode_policy;
    case WM_PTX_OP_cp: return wm_decode_async;
    case WM_PTX_OP_mbarrier: return wm_decode_mbarrier;
    case WM_PTX_OP_mma:
    case WM_PTX_OP_wmma:
    case WM_PTX_OP_ldmatrix:
    case WM_PTX_OP_stmatrix:
    case WM_PTX_OP_movmatrix: return wm_decode_matrix;
    case WM_PTX_OP_mapa:
    case WM_PTX_OP_getctarank: return wm_decode_cluster_address;
    case WM_PTX_OP_nanosleep: return wm_decode_pause;
    default: return wm_decode_lanes;
    }
}

// Instructions whose guard cannot be a mask: they may stop in the middle, or write their guard.
static bool needs_branch_around(const struct wm_ptx_instruction *instruction)
{
    if (instruction->guard == WM_PTX_NO_REGISTER)
        return false;
    switch (instruction->opcode) {
    case WM_PTX_OP_bar:
    case WM_PTX_OP_barrier:
    case WM_PTX_OP_shfl:
    case WM_PTX_OP_vote:
    case WM_PTX_OP_match:
    case WM_PTX_OP_redux:
    case WM_PTX_OP_elect:
    case WM_PTX_OP_mbarrier:
    case WM_PTX_OP_mma:
    case WM_PTX_OP_wmma:
    case WM_PTX_OP_ldmatrix:
    case WM_PTX_OP_stmatrix:
    case WM_PTX_OP_movmatrix:
    case WM_PTX_OP_brx:
    case WM_PTX_OP_call: return true;
    case WM_PTX_OP_setp:
        return instruction->operand_count > 0 &&
               instruction->operands[0].kind == WM_PTX_OPERAND_PAIR;
    case WM_PTX_OP_mov: return instruction->type == WM_PTX_b128; // two ops
    default: return false;
    }
}

static void note_primitive(struct wm_decoder *decoder)
{
    const char *name = NULL;
    switch (decoder->instruction->opcode) {
    case WM_PTX_OP_shfl: name = "shfl"; break;
    case WM_PTX_OP_vote: name = "vote"; break;
    case WM_PTX_OP_match: name = "match"; break;
    case WM_PTX_OP_redux: name = "redux"; break;
    case WM_PTX_OP_elect: name = "elect"; break;
    case WM_PTX_OP_mma:
    case WM_PTX_OP_wmma:
    case WM_PTX_OP_ldmatrix:
    case WM_PTX_OP_stmatrix:
    case WM_PTX_OP_movmatrix: name = wm_ptx_opcode_text(decoder->instruction->opcode); break;
    case WM_PTX_OP_activemask: name = "activemask"; break;
    case WM_PTX_OP_bar:
    case WM_PTX_OP_barrier:
        if (wm_ptx_has(decoder->instruction, WM_PTX_warp))
            name = "bar.warp.sync";
        break;
    default: break;
    }
    if (name && !decoder->out->kernel.warp_primitive)
        decoder->out->kernel.warp_primitive = name;
}

static void decode_around(struct wm_decoder *decoder)
{
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    uint32_t branch = decoder->out->op_count;
    struct wm_op *op = append_op(decoder);
    op->run = wm_run_branch_around;
    op->guard = decoder->registers.offsets[(uint32_t)instruction->guard] | WM_BASE_FRAME;
    op->guard_negated = !instruction->guard_negated;
    decoder->around = true;
    family_of(instruction->opcode)(decoder);
    decoder->around = false;
    if (decoder->status != WM_OK)
        return;
    op = &decoder->out->ops[branch]; // the array may have moved
    op->target = op->reconverge = decoder->out->op_count;
    append_op(decoder)->run = wm_run_meet;
}

// Only what computes and moves leaves the warp's lanes together.
static void pass_plans(struct wm_decoder *decoder)
{
    decode_function *family = family_of(decoder->instruction->opcode);
    if (family == wm_decode_lanes || family == wm_decode_mov || family == wm_decode_setp ||
        family == wm_decode_cvta || family == wm_decode_memory)
        wm_decode_plans_pass(decoder);
    else
        wm_decode_plans_forget(decoder);
}

static void decode_instruction(struct wm_decoder *decoder, uint32_t index)
{
    const struct wm_ptx_control_flow *flow = decoder->flow;
    const struct wm_ptx_statement *statement =
        &decoder->function->statements[flow->statements[index]];
    decoder->instruction = flow->instructions[index];
    decoder->line = statement->line;
    decoder->column = statement->column;
    decoder->pc = decoder->out->functions[decoder->function_index].first_pc + index;
    decoder->temporaries = 0;
    note_primitive(decoder);
    if (decoder->instruction->opcode == WM_PTX_OP_unknown)
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "this instruction is not supported yet");
    else if (needs_branch_around(decoder->instruction))
        decode_around(decoder);
    else
        family_of(decoder->instruction->opcode)(decoder);
    pass_plans(decoder);
}

// --- functions ---

static bool append_instructions(struct wm_decoder *decoder)
{
    struct wm_kernel *kernel = &decoder->out->kernel;
    const struct wm_ptx_control_flow *flow = decoder->flow;
    decoder->out->functions[decoder->function_index].first_pc = kernel->instruction_count;
    for (uint32_t i = 0; i < flow->instruction_count; i++) {
        void *instructions = kernel->instructions;
        bool good = grow(decoder, &instructions, kernel->instruction_count,
                         &decoder->instruction_capacity, sizeof(kernel->instructions[0]));
        kernel->instructions = instructions;
        if (!good)
            return false;
        const struct wm_ptx_loc *loc = flow->locs[i];
        kernel->instructions[kernel->instruction_count++] = (struct wm_kernel_instruction){
            .function = decoder->function,
            .instruction = flow->instructions[i],
            .ptx_line = decoder->function->statements[flow->statements[i]].line,
            .source_file = loc ? wm_ptx_module_file_name(decoder->module, loc->file) : NULL,
            .source_line = loc ? loc->line : 0};
    }
    return true;
}

// Blocks where the lanes of some branch meet again.
static bool *meeting_blocks(struct wm_decoder *decoder)
{
    const struct wm_ptx_control_flow *flow = decoder->flow;
    bool *meets = wm_arena_alloc(&decoder->scratch, flow->block_count + 1, 1);
    if (!meets) {
        wm_decode_no_memory(decoder);
        return NULL;
    }
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const struct wm_ptx_block *block = &flow->blocks[b];
        if (!block->reachable || block->meeting == WM_PTX_NO_BLOCK)
            continue;
        bool parts = block->successors[1] != WM_PTX_NO_BLOCK || block->branch_successor_count > 0;
        if (parts)
            meets[block->meeting] = true;
    }
    return meets;
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
    const bool *meets = meeting_blocks(decoder);
    decoder->block_ops = WM_ARENA_ARRAY(&decoder->scratch, uint32_t, flow->block_count + 1);
    if (!meets || !decoder->block_ops) {
        wm_decode_no_memory(decoder);
        return;
    }
    decoder->pc = out->functions[decoder->function_index].first_pc;
    wm_decode_stack_enter(decoder);
    wm_decode_enter(decoder);
    for (uint32_t b = 0; b < flow->block_count && decoder->status == WM_OK; b++) {
        const struct wm_ptx_block *block = &flow->blocks[b];
        decoder->block_ops[b] = out->op_count;
        wm_decode_plans_forget(decoder);
        if (!block->reachable)
            continue;
        decoder->pc = out->functions[decoder->function_index].first_pc + block->first;
        if (meets[b])
            append_op(decoder)->run = wm_run_meet;
        for (uint32_t i = block->first; i < block->end && decoder->status == WM_OK; i++)
            decode_instruction(decoder, i);
    }
    // Whoever falls off the end returns.
    decoder->block_ops[flow->block_count] = out->op_count;
    wm_decode_before_return(decoder, false);
    append_op(decoder)->run = decoder->function_index == 0 ? wm_run_exit : wm_run_return;
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
    wm_decode_layout_function(decoder, decoder->function, index);
    // Nothing in the body says when registers that are parameters are read and written.
    bool share = decoder->share_registers && !wm_decode_has_register_parameters(decoder->function);
    if (!wm_registers_place(flow, decoder->width, share, &decoder->scratch, &decoder->registers))
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

uint32_t wm_decode_function_index(struct wm_decoder *decoder,
                                  const struct wm_ptx_function *function)
{
    struct wm_decoded_kernel *out = decoder->out;
    for (uint32_t i = 0; i < out->function_count; i++)
        if (out->functions[i].function == function)
            return i;
    void *functions = out->functions;
    bool good = grow(decoder, &functions, out->function_count, &decoder->function_capacity,
                     sizeof(out->functions[0]));
    out->functions = functions;
    if (!good)
        return 0;
    out->functions[out->function_count] = (struct wm_decoded_function){.function = function};
    return out->function_count++;
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
        bool extra = run == wm_run_meet || run == wm_run_extra || run == wm_run_branch_around;
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
    wm_symbol_places_release(&decoder->shared);
    wm_symbol_places_release(&decoder->kernel_parameters);
    wm_symbol_places_release(&decoder->locals);
    wm_symbol_places_release(&decoder->frame_params);
}

enum wm_status wm_decode_kernel(struct wm_decoder *decoder, const struct wm_ptx_function *kernel,
                                struct wm_decoded_kernel **decoded)
{
    *decoded = NULL;
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
    for (uint32_t f = 0; f < out->function_count && decoder->status == WM_OK; f++)
        decode_function_body(decoder, f);
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

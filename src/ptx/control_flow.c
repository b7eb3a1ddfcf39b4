#include "ptx/control_flow.h"

#include "base/containers/array.h"
#include "ptx/control_flow_parts.h"

// A graph may have far more edges than its text is long: every brx.idx of a function may name the
// same long list. No compiler comes near this many.
enum { MAX_EDGES = 1 << 24 };

struct build {
    struct wm_ptx_control_flow *flow;
    struct wm_error *error;
    // By label of a .branchtargets: its statement, then its targets as blocks (shared by all brx).
    const struct wm_ptx_statement **target_lists;
    uint32_t **target_blocks;
    bool *leaders; // by instruction
};

static enum wm_status out_of_memory(struct build *build)
{
    return wm_fail_no_memory(build->error, "building the control flow of '%s'",
                             build->flow->function->name);
}

static bool ends_path(enum wm_ptx_opcode opcode)
{
    return opcode == WM_PTX_OP_ret || opcode == WM_PTX_OP_exit || opcode == WM_PTX_OP_trap;
}

static bool ends_block(enum wm_ptx_opcode opcode)
{
    return ends_path(opcode) || opcode == WM_PTX_OP_bra || opcode == WM_PTX_OP_brx;
}

static const struct wm_ptx_operand *last_operand(const struct wm_ptx_instruction *instruction)
{
    return &instruction->operands[instruction->operand_count - 1];
}

static enum wm_status allocate_lists(struct build *build)
{
    struct wm_ptx_control_flow *flow = build->flow;
    const struct wm_ptx_function *function = flow->function;
    uint32_t count = 0;
    for (uint32_t i = 0; i < function->statement_count; i++)
        count += function->statements[i].kind == WM_PTX_STATEMENT_INSTRUCTION;
    flow->instruction_count = count;
    flow->instructions = WM_ARENA_ARRAY(&flow->arena, const struct wm_ptx_instruction *, count);
    flow->statements = WM_ARENA_ARRAY(&flow->arena, uint32_t, count);
    flow->locs = WM_ARENA_ARRAY(&flow->arena, const struct wm_ptx_loc *, count);
    flow->block_of = WM_ARENA_ARRAY(&flow->arena, uint32_t, count);
    flow->label_targets = WM_ARENA_ARRAY(&flow->arena, uint32_t, function->label_count);
    build->leaders = WM_ARENA_ARRAY(&flow->arena, bool, (size_t)count + 1);
    build->target_lists =
        WM_ARENA_ARRAY(&flow->arena, const struct wm_ptx_statement *, function->label_count);
    build->target_blocks = WM_ARENA_ARRAY(&flow->arena, uint32_t *, function->label_count);
    if (!flow->instructions || !flow->statements || !flow->locs || !flow->block_of ||
        !flow->label_targets || !build->leaders || !build->target_lists || !build->target_blocks)
        return out_of_memory(build);
    return WM_OK;
}

static void list_instructions(struct build *build)
{
    struct wm_ptx_control_flow *flow = build->flow;
    const struct wm_ptx_function *function = flow->function;
    const struct wm_ptx_loc *loc = NULL;
    uint32_t at = 0;
    for (uint32_t i = 0; i < function->statement_count; i++) {
        const struct wm_ptx_statement *statement = &function->statements[i];
        switch (statement->kind) {
        case WM_PTX_STATEMENT_INSTRUCTION:
            flow->instructions[at] = statement->instruction;
            flow->statements[at] = i;
            flow->locs[at++] = loc;
            break;
        case WM_PTX_STATEMENT_LOC: loc = statement->loc; break;
        case WM_PTX_STATEMENT_LABEL: flow->label_targets[statement->label] = at; break;
        case WM_PTX_STATEMENT_BRANCH_TARGETS:
            flow->label_targets[statement->branch.label] = at;
            build->target_lists[statement->branch.label] = statement;
            break;
        default: break;
        }
    }
}

// A block begins at the entry, at each label that is branched to, and after each branch.
static void mark_leaders(struct build *build)
{
    struct wm_ptx_control_flow *flow = build->flow;
    const struct wm_ptx_function *function = flow->function;
    build->leaders[0] = true;
    for (uint32_t i = 0; i < function->statement_count; i++) {
        const struct wm_ptx_statement *statement = &function->statements[i];
        if (statement->kind == WM_PTX_STATEMENT_BRANCH_TARGETS)
            for (uint32_t j = 0; j < statement->branch.target_count; j++)
                build->leaders[flow->label_targets[statement->branch.targets[j]]] = true;
    }
    for (uint32_t i = 0; i < flow->instruction_count; i++) {
        const struct wm_ptx_instruction *instruction = flow->instructions[i];
        if (!ends_block(instruction->opcode))
            continue;
        build->leaders[i + 1] = true;
        if (instruction->opcode == WM_PTX_OP_bra)
            build->leaders[flow->label_targets[last_operand(instruction)->index]] = true;
    }
}

static enum wm_status cut_blocks(struct build *build)
{
    struct wm_ptx_control_flow *flow = build->flow;
    for (uint32_t i = 0; i < flow->instruction_count; i++)
        flow->block_count += build->leaders[i];
    flow->blocks = WM_ARENA_ARRAY(&flow->arena, struct wm_ptx_block, flow->block_count);
    if (!flow->blocks)
        return out_of_memory(build);
    uint32_t block = WM_PTX_NO_BLOCK; // becomes 0 at the first leader
    for (uint32_t i = 0; i < flow->instruction_count; i++) {
        if (build->leaders[i])
            flow->blocks[++block].first = i;
        flow->blocks[block].end = i + 1;
        flow->block_of[i] = block;
    }
    return WM_OK;
}

// The block that begins at the label; NO_BLOCK where nothing but the end of the function follows.
static uint32_t block_at_label(const struct wm_ptx_control_flow *flow, uint32_t label)
{
    uint32_t instruction = flow->label_targets[label];
    return instruction == flow->instruction_count ? WM_PTX_NO_BLOCK : flow->block_of[instruction];
}

static enum wm_status connect_list(struct build *build, struct wm_ptx_block *block, uint32_t label)
{
    struct wm_ptx_control_flow *flow = build->flow;
    const struct wm_ptx_statement *list = build->target_lists[label];
    uint32_t count = list->branch.target_count;
    if (!build->target_blocks[label]) {
        uint32_t *blocks = WM_ARENA_ARRAY(&flow->arena, uint32_t, count);
        if (!blocks)
            return out_of_memory(build);
        for (uint32_t i = 0; i < count; i++)
            blocks[i] = block_at_label(flow, list->branch.targets[i]);
        build->target_blocks[label] = blocks;
    }
    block->branch_successors = build->target_blocks[label];
    block->branch_successor_count = count;
    return WM_OK;
}

static enum wm_status connect_blocks(struct build *build)
{
    struct wm_ptx_control_flow *flow = build->flow;
    uint64_t edges = 0;
    for (uint32_t i = 0; i < flow->block_count; i++) {
        struct wm_ptx_block *block = &flow->blocks[i];
        const struct wm_ptx_instruction *last = flow->instructions[block->end - 1];
        bool jumps = ends_block(last->opcode) && last->guard == WM_PTX_NO_REGISTER;
        block->successors[0] = jumps || i + 1 == flow->block_count ? WM_PTX_NO_BLOCK : i + 1;
        block->successors[1] = WM_PTX_NO_BLOCK;
        if (last->opcode == WM_PTX_OP_bra)
            block->successors[1] = block_at_label(flow, last_operand(last)->index);
        if (last->opcode == WM_PTX_OP_brx)
            WM_TRY(connect_list(build, block, last_operand(last)->index));
        edges += 2 + block->branch_successor_count;
    }
    if (edges > MAX_EDGES)
        return wm_fail(build->error, WM_UNSUPPORTED,
                       "function '%s' has more than %d branch targets", flow->function->name,
                       MAX_EDGES);
    return WM_OK;
}

uint32_t wm_ptx_block_successor_count(const struct wm_ptx_block *block)
{
    return 2 + block->branch_successor_count;
}

uint32_t wm_ptx_block_successor(const struct wm_ptx_block *block, uint32_t index)
{
    return index < 2 ? block->successors[index] : block->branch_successors[index - 2];
}

bool wm_ptx_block_exits(const struct wm_ptx_control_flow *flow, const struct wm_ptx_block *block)
{
    const struct wm_ptx_instruction *last = flow->instructions[block->end - 1];
    if (ends_path(last->opcode))
        return true;
    bool guarded = last->guard != WM_PTX_NO_REGISTER;
    // Off the end of the function, by falling or by a branch to a label there.
    if (block->end == flow->instruction_count && (!ends_block(last->opcode) || guarded))
        return true;
    if (last->opcode == WM_PTX_OP_bra)
        return block->successors[1] == WM_PTX_NO_BLOCK;
    for (uint32_t i = 0; i < block->branch_successor_count; i++)
        if (block->branch_successors[i] == WM_PTX_NO_BLOCK)
            return true;
    return false;
}

// Fills predecessor lists, each predecessor once: counted first, then placed.
static enum wm_status list_predecessors(struct build *build)
{
    struct wm_ptx_control_flow *flow = build->flow;
    uint32_t *seen = WM_ARENA_ARRAY(&flow->arena, uint32_t, flow->block_count);
    if (!seen)
        return out_of_memory(build);
    for (int place = 0; place < 2; place++) {
        for (uint32_t i = 0; i < flow->block_count; i++) {
            const struct wm_ptx_block *block = &flow->blocks[i];
            for (uint32_t j = 0; j < wm_ptx_block_successor_count(block); j++) {
                uint32_t successor = wm_ptx_block_successor(block, j);
                uint32_t mark = i + 1 + (place ? flow->block_count : 0);
                if (successor == WM_PTX_NO_BLOCK || seen[successor] == mark)
                    continue;
                seen[successor] = mark;
                struct wm_ptx_block *target = &flow->blocks[successor];
                if (place)
                    target->predecessors[target->predecessor_count] = i;
                target->predecessor_count++;
            }
        }
        for (uint32_t i = 0; i < flow->block_count && !place; i++) {
            struct wm_ptx_block *block = &flow->blocks[i];
            block->predecessors = WM_ARENA_ARRAY(&flow->arena, uint32_t, block->predecessor_count);
            if (!block->predecessors)
                return out_of_memory(build);
            block->predecessor_count = 0;
        }
    }
    return WM_OK;
}

static enum wm_status mark_reachable(struct build *build)
{
    struct wm_ptx_control_flow *flow = build->flow;
    uint32_t *stack = WM_ARENA_ARRAY(&flow->arena, uint32_t, flow->block_count);
    if (!stack)
        return out_of_memory(build);
    uint32_t depth = 0;
    stack[depth++] = 0;
    flow->blocks[0].reachable = true;
    while (depth) {
        const struct wm_ptx_block *block = &flow->blocks[stack[--depth]];
        for (uint32_t j = 0; j < wm_ptx_block_successor_count(block); j++) {
            uint32_t successor = wm_ptx_block_successor(block, j);
            if (successor == WM_PTX_NO_BLOCK || flow->blocks[successor].reachable)
                continue;
            flow->blocks[successor].reachable = true;
            stack[depth++] = successor;
        }
    }
    return WM_OK;
}

static enum wm_status build_graph(struct build *build)
{
    WM_TRY(allocate_lists(build));
    list_instructions(build);
    if (!build->flow->instruction_count)
        return WM_OK;
    mark_leaders(build);
    WM_TRY(cut_blocks(build));
    WM_TRY(connect_blocks(build));
    WM_TRY(list_predecessors(build));
    WM_TRY(mark_reachable(build));
    return wm_ptx_find_post_dominators(build->flow) ? WM_OK : out_of_memory(build);
}

enum wm_status wm_ptx_control_flow_build(const struct wm_ptx_function *function,
                                         struct wm_ptx_control_flow **result,
                                         struct wm_error *error)
{
    *result = NULL;
    wm_error_clear(error);
    struct wm_ptx_control_flow *flow;
    WM_TRY(WM_ARRAY_NEW(flow, 1, error, "building the control flow of '%s'", function->name));
    wm_arena_init(&flow->arena);
    flow->function = function;
    struct build build = {.flow = flow, .error = error};
    enum wm_status status = build_graph(&build);
    if (status != WM_OK) {
        wm_ptx_control_flow_free(flow);
        return status;
    }
    *result = flow;
    return WM_OK;
}

void wm_ptx_control_flow_free(struct wm_ptx_control_flow *flow)
{
    if (!flow)
        return;
    wm_arena_release(&flow->arena);
    free(flow);
}

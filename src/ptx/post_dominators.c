// Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph" (TOPLAS 1979), the
// simple version, on the reverse graph from a virtual exit. O(edges · log blocks) whatever the
// graph, where the iterative algorithms are quadratic on graphs made to hurt. Nothing recurses.
//
// Below, vertices are numbers of the depth-first search from the exit: 0 is the exit itself.
#include "ptx/control_flow_parts.h"

typedef bool end_test(const struct wm_ptx_control_flow *flow, const struct wm_ptx_block *block);

struct tree {
    struct wm_ptx_control_flow *flow;
    end_test *ends;          // does an edge lead from the block to the exit?
    uint32_t count;          // vertices found
    uint32_t *number;        // by block; 0 when no path leads from it to the exit
    uint32_t *block;         // by vertex
    uint32_t *parent;        // by vertex, in the search tree
    uint32_t *semi;          // by vertex: its semidominator
    uint32_t *dominator;     // by vertex: immediate dominator at the end
    uint32_t *ancestor;      // by vertex, in the link-eval forest; NONE at a root
    uint32_t *label;         // by vertex: the least semidominator on its compressed path
    uint32_t *bucket, *next; // lists by vertex of the vertices whose semidominator it is
    uint32_t *stack, *edge;  // for walks
};

enum { NONE = UINT32_MAX };

static bool init_tree(struct tree *tree, struct wm_ptx_control_flow *flow, end_test *ends)
{
    *tree = (struct tree){.flow = flow, .ends = ends, .count = 1};
    size_t size = (size_t)flow->block_count + 1;
    uint32_t **arrays[] = {&tree->number,    &tree->block,    &tree->parent, &tree->semi,
                           &tree->dominator, &tree->ancestor, &tree->label,  &tree->bucket,
                           &tree->next,      &tree->stack,    &tree->edge};
    for (unsigned i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = WM_ARENA_ARRAY(&flow->arena, uint32_t, size);
        if (!*arrays[i])
            return false;
    }
    for (uint32_t i = 0; i < size; i++) {
        tree->semi[i] = tree->label[i] = i;
        tree->ancestor[i] = tree->bucket[i] = tree->next[i] = NONE;
    }
    return true;
}

static void visit(struct tree *tree, uint32_t block, uint32_t parent, uint32_t *depth)
{
    uint32_t vertex = tree->count++;
    tree->number[block] = vertex;
    tree->block[vertex] = block;
    tree->parent[vertex] = parent;
    tree->edge[vertex] = 0;
    tree->stack[(*depth)++] = vertex;
}

// Numbers the blocks that reach the exit, depth first along predecessors.
static void search(struct tree *tree)
{
    const struct wm_ptx_control_flow *flow = tree->flow;
    for (uint32_t i = 0; i < flow->block_count; i++) {
        uint32_t depth = 0;
        if (!tree->number[i] && tree->ends(flow, &flow->blocks[i]))
            visit(tree, i, 0, &depth);
        while (depth) {
            uint32_t vertex = tree->stack[depth - 1];
            const struct wm_ptx_block *block = &flow->blocks[tree->block[vertex]];
            if (tree->edge[vertex] == block->predecessor_count) {
                depth--;
                continue;
            }
            uint32_t predecessor = block->predecessors[tree->edge[vertex]++];
            if (!tree->number[predecessor])
                visit(tree, predecessor, vertex, &depth);
        }
    }
}

// The vertex of least semidominator on the path from `vertex` up to its forest root, compressing
// that path.
static uint32_t evaluate(struct tree *tree, uint32_t vertex)
{
    if (tree->ancestor[vertex] == NONE)
        return tree->label[vertex];
    uint32_t depth = 0;
    for (uint32_t v = vertex; tree->ancestor[tree->ancestor[v]] != NONE; v = tree->ancestor[v])
        tree->stack[depth++] = v;
    while (depth) {
        uint32_t v = tree->stack[--depth], above = tree->ancestor[v];
        if (tree->semi[tree->label[above]] < tree->semi[tree->label[v]])
            tree->label[v] = tree->label[above];
        tree->ancestor[v] = tree->ancestor[above];
    }
    return tree->label[vertex];
}

static void find_semidominator(struct tree *tree, uint32_t vertex)
{
    const struct wm_ptx_control_flow *flow = tree->flow;
    const struct wm_ptx_block *block = &flow->blocks[tree->block[vertex]];
    // The edges of the reverse graph that enter a block are those that leave it.
    if (tree->ends(flow, block))
        tree->semi[vertex] = 0;
    for (uint32_t i = 0; i < wm_ptx_block_successor_count(block); i++) {
        uint32_t successor = wm_ptx_block_successor(block, i);
        if (successor == WM_PTX_NO_BLOCK || !tree->number[successor])
            continue;
        uint32_t least = evaluate(tree, tree->number[successor]);
        if (tree->semi[least] < tree->semi[vertex])
            tree->semi[vertex] = tree->semi[least];
    }
}

static void find_dominators(struct tree *tree)
{
    for (uint32_t vertex = tree->count - 1; vertex > 0; vertex--) {
        uint32_t parent = tree->parent[vertex];
        find_semidominator(tree, vertex);
        tree->next[vertex] = tree->bucket[tree->semi[vertex]];
        tree->bucket[tree->semi[vertex]] = vertex;
        tree->ancestor[vertex] = parent;
        for (uint32_t v = tree->bucket[parent]; v != NONE; v = tree->next[v]) {
            uint32_t least = evaluate(tree, v);
            tree->dominator[v] = tree->semi[least] < tree->semi[v] ? least : parent;
        }
        tree->bucket[parent] = NONE;
    }
    for (uint32_t vertex = 1; vertex < tree->count; vertex++)
        if (tree->dominator[vertex] != tree->semi[vertex])
            tree->dominator[vertex] = tree->dominator[tree->dominator[vertex]];
}

static bool leaves_by(const struct wm_ptx_control_flow *flow, const struct wm_ptx_block *block,
                      enum wm_ptx_opcode opcode)
{
    const struct wm_ptx_instruction *last = flow->instructions[block->end - 1];
    return last->opcode == opcode && last->guard == WM_PTX_NO_REGISTER;
}

// The end of the function as all its lanes see it: ret, or falling off.
static bool ends_by_return(const struct wm_ptx_control_flow *flow, const struct wm_ptx_block *block)
{
    enum wm_ptx_opcode last = flow->instructions[block->end - 1]->opcode;
    if (last == WM_PTX_OP_ret || last == WM_PTX_OP_exit || last == WM_PTX_OP_trap)
        return leaves_by(flow, block, WM_PTX_OP_ret);
    return wm_ptx_block_exits(flow, block);
}

static bool ends_by_exit(const struct wm_ptx_control_flow *flow, const struct wm_ptx_block *block)
{
    return leaves_by(flow, block, WM_PTX_OP_exit);
}

// A kernel may end in exit alone.
static end_test *end_of(const struct wm_ptx_control_flow *flow)
{
    for (uint32_t i = 0; i < flow->block_count; i++)
        if (flow->blocks[i].reachable && ends_by_return(flow, &flow->blocks[i]))
            return ends_by_return;
    return ends_by_exit;
}

static uint32_t dominator_of(const struct tree *tree, uint32_t block)
{
    uint32_t vertex = tree->number[block];
    uint32_t dominator = vertex ? tree->dominator[vertex] : 0;
    return dominator ? tree->block[dominator] : WM_PTX_NO_BLOCK;
}

bool wm_ptx_find_post_dominators(struct wm_ptx_control_flow *flow)
{
    struct tree tree;
    if (!init_tree(&tree, flow, wm_ptx_block_exits))
        return false;
    search(&tree);
    find_dominators(&tree);
    for (uint32_t i = 0; i < flow->block_count; i++)
        flow->blocks[i].post_dominator = dominator_of(&tree, i);
    if (!init_tree(&tree, flow, end_of(flow)))
        return false;
    search(&tree);
    find_dominators(&tree);
    for (uint32_t i = 0; i < flow->block_count; i++)
        flow->blocks[i].reconvergence = dominator_of(&tree, i);
    return true;
}

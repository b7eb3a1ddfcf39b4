// Paths and the nodes where they reconverge: see reconvergence.h.
#include "exec/sync/reconvergence.h"

#include "base/containers/array.h"
#include "exec/faults.h"
#include "exec/frames.h"
#include "exec/operations/stack_ops.h"

#include <assert.h>

enum {
    // A path that spins gives way to the warp's other lanes after this many ops, each time that
    // warp_run.c looks…
    SPINNING_SHARE = 512,
    // … of which so many may wait for another lane (atomics, volatile loads, nanosleep).
    SPINNING_ACCESSES = 8,
    // And any path does after this many: a long loop without them is most likely only work.
    LONGEST_SHARE = 1 << 22,
    FIRST_NODES = 64,
};

void wm_paths_count(struct wm_warp *warp)
{
    uint64_t executed = warp->mark - warp->left + 1 - warp->uncounted;
    warp->warp_instructions += executed;
    warp->thread_instructions += executed * (uint64_t)__builtin_popcountll(warp->mask);
    warp->uncounted = 0;
    warp->mark = warp->left - 1;
}

// --- nodes ---

static void free_node(struct wm_warp *warp, uint32_t index)
{
    struct wm_reconvergence_node *node = &warp->nodes[index];
    assert(index != WM_ROOT_NODE);
    if (node->call)
        wm_frame_free(warp->grid, node->call->function, node->callee_frame);
    node->expected = 0;
    node->call = NULL;
    warp->nodes_used--;
    node->next_free = warp->free_node;
    warp->free_node = index;
}

bool wm_paths_grow_nodes(struct wm_warp *warp)
{
    uint32_t first = warp->node_capacity ? warp->node_capacity : 1; // number 0 is the root
    uint32_t capacity = warp->node_capacity ? warp->node_capacity * 2 : FIRST_NODES;
    if (capacity > WM_MAX_RECONVERGENCE_NODES)
        return false;
    if (!WM_ARRAY_EXTEND(warp->nodes, warp->node_capacity, capacity))
        return false;
    for (uint32_t i = first; i < capacity; i++)
        warp->nodes[i].next_free = i + 1 < capacity ? i + 1 : WM_NO_RECONVERGENCE_NODE;
    warp->free_node = first;
    warp->node_capacity = capacity;
    return true;
}

// A node below the current path's, which becomes the path's; WM_NO_RECONVERGENCE_NODE when there is
// no room.
static uint32_t push_node(struct wm_warp *warp, const struct wm_op *op)
{
    if (warp->free_node == WM_NO_RECONVERGENCE_NODE && !wm_paths_grow_nodes(warp))
        return WM_NO_RECONVERGENCE_NODE;
    uint32_t index = warp->free_node;
    struct wm_reconvergence_node *node = &warp->nodes[index];
    warp->free_node = node->next_free;
    warp->nodes_used++;
    *node = (struct wm_reconvergence_node){.parent = warp->node,
                                           .op = op,
                                           .expected = warp->mask,
                                           .frame = warp->bases[WM_BASE_FRAME],
                                           .local_base = warp->local_base};
    warp->node = index;
    return index;
}

// --- paths ---

static struct wm_path *new_path(struct wm_warp *warp)
{
    // Each path has a lane of its own, so there is a place for one more.
    assert(warp->free_paths);
    unsigned place = (unsigned)__builtin_ctzll(warp->free_paths);
    warp->free_paths &= ~(UINT64_C(1) << place);
    return &warp->paths[place];
}

static void free_path(struct wm_warp *warp, uint32_t place)
{
    warp->paths[place].state = WM_PATH_FREE;
    warp->ready_paths &= ~(UINT64_C(1) << place);
    warp->free_paths |= UINT64_C(1) << place;
}

void wm_paths_wake(struct wm_warp *warp, struct wm_path *path)
{
    path->state = WM_PATH_READY;
    warp->ready_paths |= UINT64_C(1) << (path - warp->paths);
    warp->block->public.ready |= UINT64_C(1) << warp->index;
}

// The call node that the current path returns to is not a place to run into.
static void set_node(struct wm_warp *warp, uint32_t node)
{
    warp->node = node;
    warp->reconverge = warp->nodes[node].call ? NULL : warp->nodes[node].op;
}

// The lanes that have arrived at the node continue; the others, if any, will reconverge there
// without them.
static void release_node(struct wm_warp *warp, uint32_t index)
{
    struct wm_reconvergence_node *node = &warp->nodes[index];
    struct wm_path *path = new_path(warp);
    *path = (struct wm_path){.mask = node->arrived,
                             .next = node->op,
                             .frame = node->frame,
                             .local_base = node->local_base,
                             .node = node->parent};
    wm_paths_wake(warp, path);
    warp->waiting &= ~node->arrived;
    node->expected &= ~node->arrived;
    node->arrived = 0;
    if (!node->expected)
        free_node(warp, index);
}

// `lanes` will not come to the node. Returns its parent.
static uint32_t drop_lanes(struct wm_warp *warp, uint32_t index, uint64_t lanes)
{
    struct wm_reconvergence_node *node = &warp->nodes[index];
    uint32_t parent = node->parent;
    node->expected &= ~lanes;
    if (index == WM_ROOT_NODE)
        return parent;
    if (!node->expected)
        free_node(warp, index);
    else if (node->expected == node->arrived)
        release_node(warp, index);
    return parent;
}

static void make_current(struct wm_warp *warp, uint32_t place)
{
    struct wm_path *path = &warp->paths[place];
    warp->ready_paths &= ~(UINT64_C(1) << place);
    // Lanes that happen to be at the same place continue together.
    for (uint64_t others = warp->ready_paths; others; others &= others - 1) {
        uint32_t other = (uint32_t)__builtin_ctzll(others);
        if (warp->paths[other].next == path->next && warp->paths[other].node == path->node) {
            path->mask |= warp->paths[other].mask;
            free_path(warp, other);
        }
    }
    path->state = WM_PATH_RUNNING;
    warp->path = place;
    warp->mask = path->mask;
    warp->bases[WM_BASE_FRAME] = path->frame;
    warp->local_base = path->local_base;
    set_node(warp, path->node);
    warp->next = path->next;
    warp->path_steps = 0;
    warp->steps_from = warp->left;
    warp->spins_before += warp->spins;
    warp->spins = 0;
}

// The innermost node above a path that cannot run, or any other, where lanes wait.
static uint32_t waiting_node(const struct wm_warp *warp, uint32_t from)
{
    for (uint32_t n = from; n != WM_NO_RECONVERGENCE_NODE; n = warp->nodes[n].parent)
        if (warp->nodes[n].expected && warp->nodes[n].arrived)
            return n;
    for (uint32_t n = 0; n < warp->node_capacity; n++)
        if (warp->nodes[n].expected && warp->nodes[n].arrived)
            return n;
    return WM_NO_RECONVERGENCE_NODE;
}

const struct wm_op *wm_paths_next(struct wm_warp *warp)
{
    if (!warp->ready_paths && warp->waiting)
        release_node(warp, waiting_node(warp, WM_NO_RECONVERGENCE_NODE));
    if (!warp->ready_paths) {
        warp->path = WM_NO_PATH;
        warp->next = NULL;
        warp->mask = 0;
        warp->block->public.ready &= ~(UINT64_C(1) << warp->index);
        return NULL;
    }
    // The next place after the last one, so that all take turns.
    uint32_t last = warp->path == WM_NO_PATH ? 0 : warp->path;
    uint64_t after = last == 63 ? 0 : warp->ready_paths & ~((UINT64_C(2) << last) - 1);
    make_current(warp, (uint32_t)__builtin_ctzll(after ? after : warp->ready_paths));
    return warp->next;
}

static void save_current(struct wm_warp *warp, struct wm_path *path, const struct wm_op *next)
{
    path->mask = warp->mask;
    path->next = next;
    path->frame = warp->bases[WM_BASE_FRAME];
    path->local_base = warp->local_base;
    path->node = warp->node;
}

struct wm_path *wm_paths_block(struct wm_warp *warp, enum wm_path_state state,
                               const struct wm_op *next)
{
    wm_paths_count(warp);
    struct wm_path *path = &warp->paths[warp->path];
    save_current(warp, path, next);
    path->state = state;
    return path;
}

void wm_paths_yield(struct wm_warp *warp)
{
    if (warp->path == WM_NO_PATH || !(warp->ready_paths || warp->waiting))
        return;
    bool spins = warp->path_steps >= SPINNING_SHARE && warp->spins >= SPINNING_ACCESSES;
    if (!spins && warp->path_steps < LONGEST_SHARE)
        return;
    if (warp->waiting)
        release_node(warp, waiting_node(warp, warp->node));
    struct wm_path *path = &warp->paths[warp->path];
    save_current(warp, path, warp->next);
    wm_paths_wake(warp, path);
    wm_paths_next(warp);
}

void wm_paths_start(struct wm_warp *warp, uint64_t lanes, const struct wm_op *entry,
                    uintptr_t frame)
{
    unsigned width = wm_width(warp);
    warp->live = warp->existing = lanes;
    warp->waiting = 0;
    warp->free_paths = wm_all_lanes(width) & ~UINT64_C(1);
    warp->ready_paths = 1;
    warp->nodes[WM_ROOT_NODE] =
        (struct wm_reconvergence_node){.parent = WM_NO_RECONVERGENCE_NODE, .expected = lanes};
    warp->paths[0] = (struct wm_path){
        .state = WM_PATH_READY, .mask = lanes, .next = entry, .frame = frame, .node = WM_ROOT_NODE};
    make_current(warp, 0);
}

void wm_paths_abandon(struct wm_warp *warp)
{
    if (warp->nodes_used == 0)
        return;
    for (uint32_t i = 1; i < warp->node_capacity; i++)
        if (warp->nodes[i].expected)
            free_node(warp, i);
}

// --- the handlers' steps ---

// `lanes` become a path of their own at `there`; they still reconverge with the rest at the node of
// both.
static void part(struct wm_warp *warp, uint64_t lanes, const struct wm_op *there)
{
    struct wm_path *path = new_path(warp);
    save_current(warp, path, there);
    path->mask = lanes;
    wm_paths_wake(warp, path);
    warp->mask &= ~lanes;
}

const struct wm_op *wm_paths_split(struct wm_warp *warp, const struct wm_op *op, uint64_t taken,
                                   const struct wm_op *there, const struct wm_op *here)
{
    const struct wm_op *point = op->reconverge == WM_NO_OP ? NULL : &warp->ops[op->reconverge];
    uint64_t other = warp->mask & ~taken;
    wm_paths_count(warp);
    // Lanes that leave a loop one after another all reconverge at the node of the first to leave.
    // When there is no room for a node the lanes reconverge further out, which is as correct.
    if (point && warp->reconverge != point && push_node(warp, point) != WM_NO_RECONVERGENCE_NODE)
        warp->reconverge = point;
    if (point && warp->reconverge == point && (there == point || here == point)) {
        uint64_t arrived = there == point ? taken : other;
        warp->nodes[warp->node].arrived |= arrived;
        warp->waiting |= arrived;
        warp->mask &= ~arrived;
        return there == point ? here : there;
    }
    part(warp, taken, there);
    return here;
}

const struct wm_op *wm_paths_diverge(struct wm_warp *warp, uint64_t lanes,
                                     const struct wm_op *there, const struct wm_op *here)
{
    wm_paths_count(warp);
    part(warp, lanes, there);
    return here;
}

const struct wm_op *wm_paths_arrive(struct wm_warp *warp, const struct wm_op *op)
{
    struct wm_reconvergence_node *node = &warp->nodes[warp->node];
    wm_paths_count(warp);
    node->arrived |= warp->mask;
    if (node->arrived != node->expected) {
        warp->waiting |= warp->mask;
        free_path(warp, warp->path);
        return wm_paths_next(warp);
    }
    warp->waiting &= ~node->arrived;
    warp->mask = node->arrived;
    uint32_t parent = node->parent;
    free_node(warp, warp->node);
    set_node(warp, parent);
    return op; // the parent's lanes may reconverge here too
}

void wm_paths_exit(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes)
{
    if (warp->sink && warp->sink->exit)
        warp->sink->exit(warp->sink->context, op->pc, lanes);
    wm_paths_count(warp);
    warp->live &= ~lanes;
    warp->mask &= ~lanes;
    warp->block->live_threads -= (uint32_t)__builtin_popcountll(lanes);
    if (!warp->mask)
        free_path(warp, warp->path);
    for (uint32_t n = warp->node; n != WM_NO_RECONVERGENCE_NODE;)
        n = drop_lanes(warp, n, lanes);
}

const struct wm_op *wm_paths_call(struct wm_warp *warp, const struct wm_op *op,
                                  const struct wm_call_form *call)
{
    const struct wm_decoded_kernel *decoded = warp->grid->decoded;
    const struct wm_decoded_function *callee = &decoded->functions[call->function];
    uint32_t local_base = warp->local_base + call->local_advance + decoded->activation_bytes;
    uintptr_t caller_frame = warp->bases[WM_BASE_FRAME];
    if (local_base + callee->local_bytes > wm_stack_room(warp))
        return wm_fault_stack_overflow(warp, op);
    uintptr_t frame = wm_frame_new(warp->grid, call->function);
    if (!frame)
        return wm_fault_stack_overflow(warp, op);
    uint32_t index = push_node(warp, op + 1);
    if (index == WM_NO_RECONVERGENCE_NODE) {
        wm_frame_free(warp->grid, call->function, frame);
        return wm_fault_stack_overflow(warp, op);
    }
    warp->nodes[index].call = call;
    warp->nodes[index].callee_frame = frame;
    warp->reconverge = NULL;
    wm_frame_copy_in(warp, call, caller_frame, frame);
    warp->bases[WM_BASE_FRAME] = frame;
    warp->local_base = local_base;
    return &warp->ops[callee->entry];
}

const struct wm_op *wm_paths_return(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes)
{
    wm_paths_count(warp);
    uint32_t n = warp->node;
    // Every way to a return passes the reconvergence points of its function; should one not, the
    // others must not wait for these lanes.
    while (!warp->nodes[n].call)
        n = drop_lanes(warp, n, lanes);
    struct wm_reconvergence_node *node = &warp->nodes[n];
    wm_frame_copy_out(warp, node->call, node->frame, node->callee_frame, lanes);
    node->arrived |= lanes;
    if (warp->mask != lanes) {
        warp->waiting |= lanes;
        warp->mask &= ~lanes;
        return op + 1;
    }
    if (node->arrived != node->expected) {
        warp->waiting |= lanes;
        free_path(warp, warp->path);
        return wm_paths_next(warp);
    }
    const struct wm_op *next = node->op;
    warp->waiting &= ~node->arrived;
    warp->mask = node->arrived;
    warp->bases[WM_BASE_FRAME] = node->frame;
    warp->local_base = node->local_base;
    uint32_t parent = node->parent;
    free_node(warp, n);
    set_node(warp, parent);
    return next;
}

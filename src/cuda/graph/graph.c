#include "cuda/graph/graph.h"

#include "base/containers/array.h"
#include "cuda/graph/user_object.h"

#include <stdlib.h>
#include <string.h>

bool wm_cuda_graph_known(const struct wm_cuda_process *process, const struct wm_cuda_graph *graph)
{
    return wm_cuda_handle_known(&process->handles, graph, WM_CUDA_HANDLE_GRAPH);
}

bool wm_cuda_node_known(const struct wm_cuda_process *process,
                        const struct wm_cuda_graph_node *node)
{
    return wm_cuda_handle_known(&process->handles, node, WM_CUDA_HANDLE_NODE);
}

uint32_t wm_cuda_node_graphs(const struct wm_cuda_graph_node *node,
                             struct wm_cuda_graph *const **graphs)
{
    const struct wm_cuda_work *work = &node->work;
    if (work->kind == WM_CUDA_WORK_CHILD) {
        *graphs = &work->child;
        return 1;
    }
    *graphs = work->condition.graphs;
    return work->kind == WM_CUDA_WORK_CONDITIONAL ? work->condition.size : 0;
}

// ---- Graphs ------------------------------------------------------------------------------------

wm_cuda_status wm_cuda_graph_new(struct wm_cuda_process *process, bool published,
                                 struct wm_cuda_graph **graph)
{
    struct wm_cuda_graph *made = calloc(1, sizeof *made);
    if (!made ||
        (published && !wm_cuda_handle_add(&process->handles, made, WM_CUDA_HANDLE_GRAPH))) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    made->id = ++process->graph_ids;
    made->published = published;
    *graph = made;
    return cudaSuccess;
}

static void free_node(struct wm_cuda_process *process, struct wm_cuda_graph_node *node)
{
    if (node->graph->published)
        wm_cuda_handle_remove(&process->handles, node);
    wm_cuda_work_release(process, &node->work);
    free(node->dependencies.items);
    free(node->dependents.items);
    free(node);
}

void wm_cuda_graph_free(struct wm_cuda_process *process, struct wm_cuda_graph *graph)
{
    if (!graph)
        return;
    for (uint32_t i = graph->node_count; i-- > 0;)
        free_node(process, graph->nodes[i]);
    for (uint32_t i = 0; i < graph->user_count; i++)
        wm_cuda_user_object_release(process, graph->users[i].object, graph->users[i].count);
    if (graph->published)
        wm_cuda_handle_remove(&process->handles, graph);
    free(graph->users);
    free(graph->conditions);
    free(graph->nodes);
    free(graph->order);
    free(graph);
}

static void forget_order(struct wm_cuda_graph *graph)
{
    free(graph->order);
    graph->order = NULL;
}

// ---- Edges -------------------------------------------------------------------------------------

static bool reserve(struct wm_cuda_graph_edges *edges)
{
    return WM_ARRAY_RESERVE(edges->items, edges->count, edges->capacity, 1);
}

static struct wm_cuda_graph_edge *find_edge(const struct wm_cuda_graph_edges *edges,
                                            const struct wm_cuda_graph_node *node)
{
    for (uint32_t i = 0; i < edges->count; i++)
        if (edges->items[i].node == node)
            return &edges->items[i];
    return NULL;
}

static void drop_edge(struct wm_cuda_graph_edges *edges, const struct wm_cuda_graph_node *node)
{
    struct wm_cuda_graph_edge *edge = find_edge(edges, node);
    if (!edge)
        return;
    size_t behind = (size_t)(edges->items + edges->count - (edge + 1));
    memmove(edge, edge + 1, behind * sizeof *edge);
    edges->count--;
}

bool wm_cuda_edge_plain(const struct wm_cuda_edge_data *data)
{
    return data->from_port == 0 && data->to_port == 0 && data->type == 0;
}

// Programmatic edges go from a kernel's ports to a kernel.
static bool edge_fits(const struct wm_cuda_graph_node *from, const struct wm_cuda_graph_node *to,
                      const struct wm_cuda_edge_data *data)
{
    static const unsigned char zero[sizeof data->reserved];
    if (memcmp(data->reserved, zero, sizeof zero) != 0)
        return false;
    if (wm_cuda_edge_plain(data))
        return true;
    return data->type <= 1 && data->from_port <= 2 && data->to_port == 0 &&
           (data->type == 0 || data->from_port != 0) && from->work.kind == WM_CUDA_WORK_KERNEL &&
           to->work.kind == WM_CUDA_WORK_KERNEL;
}

wm_cuda_status wm_cuda_graph_connect(struct wm_cuda_graph_node *from, struct wm_cuda_graph_node *to,
                                     const struct wm_cuda_edge_data *data)
{
    static const struct wm_cuda_edge_data plain;
    if (!data)
        data = &plain;
    // The side with fewer edges is searched: a node may have very many dependents.
    bool there = from->dependents.count < to->dependencies.count
                     ? find_edge(&from->dependents, to) != NULL
                     : find_edge(&to->dependencies, from) != NULL;
    if (from == to || from->graph != to->graph || there || !edge_fits(from, to, data))
        return cudaErrorInvalidValue;
    if (!reserve(&from->dependents) || !reserve(&to->dependencies))
        return cudaErrorMemoryAllocation;
    from->dependents.items[from->dependents.count++] = (struct wm_cuda_graph_edge){to, *data};
    to->dependencies.items[to->dependencies.count++] = (struct wm_cuda_graph_edge){from, *data};
    forget_order(from->graph);
    return cudaSuccess;
}

wm_cuda_status wm_cuda_graph_disconnect(struct wm_cuda_graph_node *from,
                                        struct wm_cuda_graph_node *to,
                                        const struct wm_cuda_edge_data *data)
{
    const struct wm_cuda_graph_edge *edge = find_edge(&to->dependencies, from);
    if (!edge || (data && memcmp(&edge->data, data, sizeof *data) != 0))
        return cudaErrorInvalidValue;
    drop_edge(&to->dependencies, from);
    drop_edge(&from->dependents, to);
    forget_order(from->graph);
    return cudaSuccess;
}

// ---- Nodes -------------------------------------------------------------------------------------

static bool reserve_node(struct wm_cuda_graph *graph)
{
    return WM_ARRAY_RESERVE(graph->nodes, graph->node_count, graph->node_capacity, 1);
}

// Takes the work over, on failure too.
static struct wm_cuda_graph_node *append(struct wm_cuda_process *process,
                                         struct wm_cuda_graph *graph, struct wm_cuda_work *work)
{
    struct wm_cuda_graph_node *node = reserve_node(graph) ? calloc(1, sizeof *node) : NULL;
    if (!node ||
        (graph->published && !wm_cuda_handle_add(&process->handles, node, WM_CUDA_HANDLE_NODE))) {
        free(node);
        wm_cuda_work_release(process, work);
        return NULL;
    }
    node->graph = graph;
    node->work = *work;
    node->index = graph->node_count;
    graph->nodes[graph->node_count++] = node;
    struct wm_cuda_graph *const *graphs;
    uint32_t count = wm_cuda_node_graphs(node, &graphs);
    for (uint32_t i = 0; i < count; i++)
        graphs[i]->holder = node;
    forget_order(graph);
    return node;
}

wm_cuda_status wm_cuda_graph_add(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                 struct wm_cuda_graph_node *const *dependencies,
                                 const struct wm_cuda_edge_data *edges, size_t count,
                                 struct wm_cuda_work *work, struct wm_cuda_graph_node **made)
{
    bool good = count == 0 || dependencies;
    for (size_t i = 0; i < count && good; i++)
        good = wm_cuda_node_known(process, dependencies[i]) && dependencies[i]->graph == graph;
    if (!good) {
        wm_cuda_work_release(process, work);
        return cudaErrorInvalidValue;
    }
    struct wm_cuda_graph_node *node = append(process, graph, work);
    if (!node)
        return cudaErrorMemoryAllocation;
    wm_cuda_status status = cudaSuccess;
    for (size_t i = 0; i < count && status == cudaSuccess; i++)
        status = wm_cuda_graph_connect(dependencies[i], node, edges ? &edges[i] : NULL);
    if (status != cudaSuccess)
        wm_cuda_graph_remove(process, node);
    else
        *made = node;
    return status;
}

void wm_cuda_graph_remove(struct wm_cuda_process *process, struct wm_cuda_graph_node *node)
{
    struct wm_cuda_graph *graph = node->graph;
    for (uint32_t i = 0; i < node->dependencies.count; i++)
        drop_edge(&node->dependencies.items[i].node->dependents, node);
    for (uint32_t i = 0; i < node->dependents.count; i++)
        drop_edge(&node->dependents.items[i].node->dependencies, node);
    for (uint32_t i = node->index + 1; i < graph->node_count; i++) {
        graph->nodes[i]->index--;
        graph->nodes[i - 1] = graph->nodes[i];
    }
    graph->node_count--;
    free_node(process, node);
    forget_order(graph);
}

void wm_cuda_replace_work(struct wm_cuda_process *process, struct wm_cuda_graph_node *node,
                          struct wm_cuda_work *work)
{
    if (work->kind == WM_CUDA_WORK_KERNEL) {
        struct wm_cuda_kernel_work *from = &node->work.kernel, *to = &work->kernel;
        if (!to->attributes) {
            to->attributes = from->attributes;
            to->attribute_count = from->attribute_count;
            to->configuration.cooperative = from->configuration.cooperative;
            from->attributes = NULL;
        }
    }
    wm_cuda_work_release(process, &node->work);
    node->work = *work;
    struct wm_cuda_graph *const *graphs;
    uint32_t count = wm_cuda_node_graphs(node, &graphs);
    for (uint32_t i = 0; i < count; i++)
        graphs[i]->holder = node;
}

// ---- Copies ------------------------------------------------------------------------------------

static wm_cuda_status clone_edges(const struct wm_cuda_graph *from, struct wm_cuda_graph *to)
{
    for (uint32_t i = 0; i < from->node_count; i++) {
        const struct wm_cuda_graph_edges *edges = &from->nodes[i]->dependencies;
        for (uint32_t j = 0; j < edges->count; j++) {
            wm_cuda_status status = wm_cuda_graph_connect(to->nodes[edges->items[j].node->index],
                                                          to->nodes[i], &edges->items[j].data);
            if (status != cudaSuccess)
                return status;
        }
    }
    return cudaSuccess;
}

static wm_cuda_status clone_users(const struct wm_cuda_graph *from, struct wm_cuda_graph *to)
{
    if (from->user_count > 0) {
        to->users = malloc(from->user_count * sizeof *to->users);
        if (!to->users)
            return cudaErrorMemoryAllocation;
    }
    for (; to->user_count < from->user_count; to->user_count++) {
        struct wm_cuda_user_object *object = from->users[to->user_count].object;
        wm_cuda_user_object_retain(object, 1);
        to->users[to->user_count] = (struct wm_cuda_user_reference){object, 1};
    }
    if (from->condition_count > 0) {
        to->conditions = malloc(from->condition_count * sizeof *to->conditions);
        if (!to->conditions)
            return cudaErrorMemoryAllocation;
        memcpy(to->conditions, from->conditions, from->condition_count * sizeof *to->conditions);
        to->condition_count = from->condition_count;
    }
    return cudaSuccess;
}

wm_cuda_status wm_cuda_graph_clone(struct wm_cuda_process *process,
                                   const struct wm_cuda_graph *from, bool published,
                                   struct wm_cuda_graph **clone)
{
    struct wm_cuda_graph *made;
    wm_cuda_status status = wm_cuda_graph_new(process, published, &made);
    if (status != cudaSuccess)
        return status;
    made->body = from->body;
    for (uint32_t i = 0; i < from->node_count && status == cudaSuccess; i++) {
        struct wm_cuda_work work;
        struct wm_cuda_graph_node *node = NULL;
        if (wm_cuda_work_copy(process, &from->nodes[i]->work, published, &work))
            node = append(process, made, &work);
        if (!node) {
            status = cudaErrorMemoryAllocation;
        } else {
            node->original = from->nodes[i];
            node->disabled = from->nodes[i]->disabled;
        }
    }
    if (status == cudaSuccess)
        status = clone_edges(from, made);
    if (status == cudaSuccess)
        status = clone_users(from, made);
    if (status == cudaSuccess)
        *clone = made;
    else
        wm_cuda_graph_free(process, made);
    return status;
}

struct wm_cuda_graph_node *wm_cuda_graph_counterpart(struct wm_cuda_graph *clone,
                                                     const struct wm_cuda_graph_node *original)
{
    for (uint32_t i = 0; i < clone->node_count; i++)
        if (clone->nodes[i]->original == original)
            return clone->nodes[i];
    for (uint32_t i = 0; i < clone->node_count; i++) {
        struct wm_cuda_graph *const *graphs;
        uint32_t count = wm_cuda_node_graphs(clone->nodes[i], &graphs);
        for (uint32_t j = 0; j < count; j++) {
            struct wm_cuda_graph_node *found = wm_cuda_graph_counterpart(graphs[j], original);
            if (found)
                return found;
        }
    }
    return NULL;
}

bool wm_cuda_graph_has(const struct wm_cuda_graph *graph, uint32_t kinds)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct wm_cuda_graph_node *node = graph->nodes[i];
        if (WM_CUDA_WORK_BIT(node->work.kind) & kinds)
            return true;
        struct wm_cuda_graph *const *graphs;
        uint32_t count = wm_cuda_node_graphs(node, &graphs);
        for (uint32_t j = 0; j < count; j++)
            if (wm_cuda_graph_has(graphs[j], kinds))
                return true;
    }
    return false;
}

// ---- Order -------------------------------------------------------------------------------------

enum mark { MARK_NONE, MARK_OPEN, MARK_DONE };
struct step {
    struct wm_cuda_graph_node *node;
    uint32_t next; // dependency to look at
};

// Appends a node after all it depends on, with a stack of our own: chains may be long.
static struct wm_cuda_graph_node *visit(struct wm_cuda_graph *graph,
                                        struct wm_cuda_graph_node *first, struct step *stack,
                                        uint32_t *placed)
{
    uint32_t depth = 0;
    first->mark = MARK_OPEN;
    stack[depth++] = (struct step){first, 0};
    while (depth > 0) {
        struct step *top = &stack[depth - 1];
        if (top->next == top->node->dependencies.count) {
            top->node->mark = MARK_DONE;
            graph->order[(*placed)++] = top->node;
            depth--;
            continue;
        }
        struct wm_cuda_graph_node *node = top->node->dependencies.items[top->next++].node;
        if (node->mark == MARK_OPEN)
            return node;
        if (node->mark == MARK_NONE) {
            node->mark = MARK_OPEN;
            stack[depth++] = (struct step){node, 0};
        }
    }
    return NULL;
}

static wm_cuda_status sort_here(struct wm_cuda_graph *graph, struct wm_cuda_graph_node **broken)
{
    struct step *stack = malloc((graph->node_count + 1) * sizeof *stack);
    graph->order = malloc((graph->node_count + 1) * sizeof(struct wm_cuda_graph_node *));
    wm_cuda_status status = stack && graph->order ? cudaSuccess : cudaErrorMemoryAllocation;
    uint32_t placed = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        graph->nodes[i]->mark = MARK_NONE;
    for (uint32_t i = 0; i < graph->node_count && status == cudaSuccess; i++) {
        if (graph->nodes[i]->mark != MARK_NONE)
            continue;
        *broken = visit(graph, graph->nodes[i], stack, &placed);
        if (*broken)
            status = cudaErrorInvalidValue;
    }
    free(stack);
    if (status != cudaSuccess)
        forget_order(graph);
    return status;
}

wm_cuda_status wm_cuda_graph_sort(struct wm_cuda_graph *graph, struct wm_cuda_graph_node **broken)
{
    wm_cuda_status status = graph->order ? cudaSuccess : sort_here(graph, broken);
    for (uint32_t i = 0; i < graph->node_count && status == cudaSuccess; i++) {
        struct wm_cuda_graph *const *graphs;
        uint32_t count = wm_cuda_node_graphs(graph->nodes[i], &graphs);
        for (uint32_t j = 0; j < count && status == cudaSuccess; j++)
            status = wm_cuda_graph_sort(graphs[j], broken);
    }
    return status;
}

// Graphs as structures: making, copying and destroying them, and what depends on what.
#include "cuda/graph/api_graph.h"
#include "cuda/graph/graph_dot.h"
#include "cuda/graph/graph_launch.h"
#include "cuda/runtime_prototypes.h"

#include <string.h>

wm_cuda_status wm_cuda_enter_graph(struct wm_cuda_process **process,
                                   const struct wm_cuda_graph *graph)
{
    wm_cuda_status status = wm_cuda_enter(process);
    if (status == cudaSuccess && !wm_cuda_graph_known(*process, graph))
        status = cudaErrorInvalidValue;
    return status;
}

static wm_cuda_status enter_any_node(struct wm_cuda_process **process,
                                     const struct wm_cuda_graph_node *node)
{
    wm_cuda_status status = wm_cuda_enter(process);
    if (status == cudaSuccess && !wm_cuda_node_known(*process, node))
        status = cudaErrorInvalidValue;
    return status;
}

wm_cuda_status wm_cuda_enter_node(struct wm_cuda_process **process,
                                  const struct wm_cuda_graph_node *node,
                                  enum wm_cuda_work_kind kind)
{
    wm_cuda_status status = enter_any_node(process, node);
    return status == cudaSuccess && node->work.kind != kind ? cudaErrorInvalidValue : status;
}

// ---- Graphs ------------------------------------------------------------------------------------

// The program's own, which it destroys.
static void adopt(struct wm_cuda_process *process, struct wm_cuda_graph *graph)
{
    graph->next = process->graphs;
    process->graphs = graph;
}

WM_CUDA_API wm_cuda_status cudaGraphCreate(struct wm_cuda_graph **graph, unsigned flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (!graph || flags != 0))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_graph_new(process, true, graph);
    if (status == cudaSuccess)
        adopt(process, *graph);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphDestroy(struct wm_cuda_graph *graph)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_graph(&process, graph);
    if (status == cudaSuccess) {
        struct wm_cuda_graph **link = &process->graphs;
        while (*link && *link != graph)
            link = &(*link)->next;
        // One that belongs to a node goes with that.
        if (!*link || graph->capturing)
            status = cudaErrorInvalidValue;
        else
            *link = graph->next;
    }
    if (status == cudaSuccess)
        wm_cuda_graph_free(process, graph);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphClone(struct wm_cuda_graph **clone,
                                          struct wm_cuda_graph *original)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_graph(&process, original);
    if (status == cudaSuccess && !clone)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && wm_cuda_graph_has(original, WM_CUDA_MEMORY_NODES))
        status = cudaErrorNotSupported;
    if (status == cudaSuccess)
        status = wm_cuda_graph_clone(process, original, true, clone);
    if (status == cudaSuccess)
        adopt(process, *clone);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphNodeFindInClone(struct wm_cuda_graph_node **node,
                                                    struct wm_cuda_graph_node *original,
                                                    struct wm_cuda_graph *clone)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_graph(&process, clone);
    if (status == cudaSuccess && (!node || !wm_cuda_node_known(process, original)))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct wm_cuda_graph_node *found = wm_cuda_graph_counterpart(clone, original);
        if (found)
            *node = found;
        else
            status = cudaErrorInvalidValue;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphDebugDotPrint(struct wm_cuda_graph *graph, const char *path,
                                                  unsigned flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_graph(&process, graph);
    if (status == cudaSuccess)
        status = path ? wm_cuda_graph_write_dot(graph, path, flags) : cudaErrorInvalidValue;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphConditionalHandleCreate(unsigned long long *handle,
                                                            struct wm_cuda_graph *graph,
                                                            unsigned first_value, unsigned flags)
{
    struct wm_cuda_process *process;
    uint64_t made = 0;
    wm_cuda_status status = wm_cuda_enter_graph(&process, graph);
    if (status == cudaSuccess && (!handle || flags > 1))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_condition_new(process, graph, first_value, flags == 1, &made);
    if (status == cudaSuccess)
        *handle = made;
    return wm_cuda_leave(process, status);
}

// ---- Nodes -------------------------------------------------------------------------------------

WM_CUDA_API wm_cuda_status cudaGraphDestroyNode(struct wm_cuda_graph_node *node)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_any_node(&process, node);
    if (status == cudaSuccess && node->graph->capturing)
        status = cudaErrorIllegalState;
    // Graphs with memory nodes may only grow.
    if (status == cudaSuccess && wm_cuda_graph_has(node->graph, WM_CUDA_MEMORY_NODES))
        status = cudaErrorNotSupported;
    if (status == cudaSuccess)
        wm_cuda_graph_remove(process, node);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphNodeGetType(struct wm_cuda_graph_node *node, int *type)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_any_node(&process, node);
    if (status == cudaSuccess && !type)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *type = (int)node->work.kind;
    return wm_cuda_leave(process, status);
}

static wm_cuda_status get_nodes(struct wm_cuda_graph *graph, bool roots,
                                struct wm_cuda_graph_node **nodes, size_t *count)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_graph(&process, graph);
    if (status == cudaSuccess && !count)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        size_t room = nodes ? *count : SIZE_MAX, found = 0;
        for (uint32_t i = 0; i < graph->node_count && found < room; i++) {
            if (roots && graph->nodes[i]->dependencies.count > 0)
                continue;
            if (nodes)
                nodes[found] = graph->nodes[i];
            found++;
        }
        for (size_t i = found; nodes && i < room; i++)
            nodes[i] = NULL;
        *count = found;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphGetNodes(struct wm_cuda_graph *graph,
                                             struct wm_cuda_graph_node **nodes, size_t *count)
{
    return get_nodes(graph, false, nodes, count);
}

WM_CUDA_API wm_cuda_status cudaGraphGetRootNodes(struct wm_cuda_graph *graph,
                                                 struct wm_cuda_graph_node **nodes, size_t *count)
{
    return get_nodes(graph, true, nodes, count);
}

// ---- Edges -------------------------------------------------------------------------------------

// Lists of edges as the program takes them: any of the arrays may be missing, and what does not fit
// is left out. Data that would be lost is an error (402).
struct edge_list {
    struct wm_cuda_graph_node **from, **to;
    struct wm_cuda_edge_data *data;
    size_t room, found;
    bool wanted, lossy;
};

static void list_edge(struct edge_list *list, struct wm_cuda_graph_node *from,
                      struct wm_cuda_graph_node *to, const struct wm_cuda_edge_data *data)
{
    if (list->found == list->room)
        return;
    if (list->from)
        list->from[list->found] = from;
    if (list->to)
        list->to[list->found] = to;
    if (list->data)
        list->data[list->found] = *data;
    else
        list->lossy |= list->wanted && !wm_cuda_edge_plain(data);
    list->found++;
}

static wm_cuda_status end_list(struct edge_list *list, size_t *count)
{
    static const struct wm_cuda_edge_data plain;
    *count = list->found;
    for (size_t i = list->found; list->wanted && i < list->room; i++) {
        if (list->from)
            list->from[i] = NULL;
        if (list->to)
            list->to[i] = NULL;
        if (list->data)
            list->data[i] = plain;
    }
    return list->lossy ? cudaErrorLossyQuery : cudaSuccess;
}

wm_cuda_status wm_cuda_get_edges(struct wm_cuda_graph *graph, struct wm_cuda_graph_node **from,
                                 struct wm_cuda_graph_node **to, struct wm_cuda_edge_data *edges,
                                 size_t *count)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_graph(&process, graph);
    bool wanted = from && to;
    if (status == cudaSuccess && (!count || (!wanted && (from || to))))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct edge_list list = {.from = from,
                                 .to = to,
                                 .data = edges,
                                 .wanted = wanted,
                                 .room = wanted ? *count : SIZE_MAX};
        if (!wanted)
            list.data = NULL;
        for (uint32_t i = 0; i < graph->node_count; i++) {
            struct wm_cuda_graph_node *node = graph->nodes[i];
            for (uint32_t j = 0; j < node->dependents.count; j++)
                list_edge(&list, node, node->dependents.items[j].node,
                          &node->dependents.items[j].data);
        }
        status = end_list(&list, count);
    }
    return wm_cuda_leave(process, status);
}

wm_cuda_status wm_cuda_get_neighbours(struct wm_cuda_graph_node *node, bool dependents,
                                      struct wm_cuda_graph_node **nodes,
                                      struct wm_cuda_edge_data *edges, size_t *count)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_any_node(&process, node);
    if (status == cudaSuccess && !count)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct edge_list list = {.to = nodes,
                                 .data = nodes ? edges : NULL,
                                 .wanted = nodes != NULL,
                                 .room = nodes ? *count : SIZE_MAX};
        const struct wm_cuda_graph_edges *all =
            dependents ? &node->dependents : &node->dependencies;
        for (uint32_t i = 0; i < all->count; i++)
            list_edge(&list, node, all->items[i].node, &all->items[i].data);
        status = end_list(&list, count);
    }
    return wm_cuda_leave(process, status);
}

static wm_cuda_status change_one(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                 struct wm_cuda_graph_node *from, struct wm_cuda_graph_node *to,
                                 const struct wm_cuda_edge_data *edge, bool add)
{
    if (!wm_cuda_node_known(process, from) || !wm_cuda_node_known(process, to) ||
        from->graph != graph || to->graph != graph)
        return cudaErrorInvalidValue;
    return add ? wm_cuda_graph_connect(from, to, edge) : wm_cuda_graph_disconnect(from, to, edge);
}

wm_cuda_status wm_cuda_change_dependencies(struct wm_cuda_graph *graph,
                                           struct wm_cuda_graph_node *const *from,
                                           struct wm_cuda_graph_node *const *to,
                                           const struct wm_cuda_edge_data *edges, size_t count,
                                           bool add)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_graph(&process, graph);
    if (status == cudaSuccess && count > 0 && (!from || !to))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && !add && wm_cuda_graph_has(graph, WM_CUDA_MEMORY_NODES))
        status = cudaErrorNotSupported;
    size_t done = 0;
    for (; done < count && status == cudaSuccess; done++)
        status = change_one(process, graph, from[done], to[done], edges ? &edges[done] : NULL, add);
    // All of them or none: what was changed before the bad one is changed back.
    if (status != cudaSuccess && done > 0)
        for (done--; done-- > 0;)
            (void)change_one(process, graph, from[done], to[done], edges ? &edges[done] : NULL,
                             !add);
    return wm_cuda_leave(process, status);
}

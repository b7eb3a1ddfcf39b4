#include "cuda/graph/graph_update.h"

#include <string.h>

static bool same_copy_shape(struct wm_cuda_process *process, const struct wm_cuda_copy3d *a,
                            const struct wm_cuda_copy3d *b)
{
    bool to[2], from[2];
    if (wm_cuda_check_copy(process, a, &to[0], &from[0]) != cudaSuccess ||
        wm_cuda_check_copy(process, b, &to[1], &from[1]) != cudaSuccess ||
        !a->source_array != !b->source_array || !a->destination_array != !b->destination_array)
        return false;
    bool lines = a->extent.height == 1 && a->extent.depth == 1 && b->extent.height == 1 &&
                 b->extent.depth == 1;
    bool same = memcmp(&a->extent, &b->extent, sizeof a->extent) == 0;
    return (lines || same) && to[0] == to[1] && from[0] == from[1];
}

static bool same_fill_shape(const struct wm_cuda_fill_parameters *a,
                            const struct wm_cuda_fill_parameters *b)
{
    if (a->element_bytes != b->element_bytes)
        return false;
    return (a->height == 1 && b->height == 1) ||
           (a->height == b->height && a->width == b->width && a->pitch == b->pitch);
}

// What is done stays; where, and with which values, may change.
static bool same_operations(const struct wm_cuda_operations_work *a,
                            const struct wm_cuda_operations_work *b)
{
    bool same = a->count == b->count;
    for (unsigned i = 0; same && i < a->count; i++)
        same = a->operations[i].type == b->operations[i].type;
    return same;
}

enum wm_cuda_update_code wm_cuda_update_check(struct wm_cuda_process *process,
                                              const struct wm_cuda_work *from,
                                              const struct wm_cuda_work *to)
{
    if (from->kind != to->kind)
        return WM_CUDA_UPDATE_TYPE;
    bool same = true;
    switch (from->kind) {
    case WM_CUDA_WORK_KERNEL:
        return from->kernel.configuration.cooperative == to->kernel.configuration.cooperative
                   ? WM_CUDA_UPDATE_SUCCESS
                   : WM_CUDA_UPDATE_ATTRIBUTES;
    case WM_CUDA_WORK_COPY: same = same_copy_shape(process, &from->copy, &to->copy); break;
    case WM_CUDA_WORK_FILL: same = same_fill_shape(&from->fill, &to->fill); break;
    case WM_CUDA_WORK_ALLOCATE:
        same = from->allocation.memory == to->allocation.memory;
        return same ? WM_CUDA_UPDATE_SUCCESS : WM_CUDA_UPDATE_NOT_SUPPORTED;
    case WM_CUDA_WORK_FREE:
        return from->freed == to->freed ? WM_CUDA_UPDATE_SUCCESS : WM_CUDA_UPDATE_NOT_SUPPORTED;
    case WM_CUDA_WORK_OPERATIONS: same = same_operations(&from->operations, &to->operations); break;
    case WM_CUDA_WORK_CONDITIONAL:
        same = from->condition.handle == to->condition.handle &&
               from->condition.type == to->condition.type &&
               from->condition.size == to->condition.size;
        break;
    default: break;
    }
    return same ? WM_CUDA_UPDATE_SUCCESS : WM_CUDA_UPDATE_PARAMETERS;
}

static bool fail(struct wm_cuda_update_result *result, enum wm_cuda_update_code code,
                 struct wm_cuda_graph_node *node, struct wm_cuda_graph_node *from)
{
    *result = (struct wm_cuda_update_result){(int)code, node, from};
    return false;
}

static bool check_edges(const struct wm_cuda_graph_node *executed, struct wm_cuda_graph_node *node,
                        struct wm_cuda_update_result *result)
{
    const struct wm_cuda_graph_edges *old = &executed->dependencies, *new = &node->dependencies;
    for (uint32_t i = 0; i < new->count; i++) {
        bool there = false;
        for (uint32_t j = 0; j < old->count && !there; j++)
            there = old->items[j].node->index == new->items[i].node->index;
        if (!there)
            return fail(result, WM_CUDA_UPDATE_TOPOLOGY, node, new->items[i].node);
    }
    return old->count == new->count || fail(result, WM_CUDA_UPDATE_TOPOLOGY, node, NULL);
}

static bool check_graph(struct wm_cuda_process *process, const struct wm_cuda_graph *executed,
                        const struct wm_cuda_graph *graph, struct wm_cuda_update_result *result)
{
    if (executed->node_count != graph->node_count)
        return fail(result, WM_CUDA_UPDATE_TOPOLOGY,
                    graph->node_count > executed->node_count ? graph->nodes[executed->node_count]
                                                             : NULL,
                    NULL);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct wm_cuda_graph_node *node = graph->nodes[i];
        const struct wm_cuda_graph_node *old = executed->nodes[i];
        enum wm_cuda_update_code code = wm_cuda_update_check(process, &old->work, &node->work);
        if (code != WM_CUDA_UPDATE_SUCCESS)
            return fail(result, code, node, NULL);
        if (!check_edges(old, node, result))
            return false;
        struct wm_cuda_graph *const *inside, *const *given;
        uint32_t count = wm_cuda_node_graphs(old, &inside);
        (void)wm_cuda_node_graphs(node, &given);
        for (uint32_t j = 0; j < count; j++)
            if (!check_graph(process, inside[j], given[j], result))
                return false;
    }
    return true;
}

static wm_cuda_status take(struct wm_cuda_process *process, struct wm_cuda_graph *executed,
                           const struct wm_cuda_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct wm_cuda_graph_node *node = executed->nodes[i];
        struct wm_cuda_graph *const *inside, *const *given;
        uint32_t count = wm_cuda_node_graphs(node, &inside);
        if (count == 0) {
            struct wm_cuda_work work;
            if (!wm_cuda_work_copy(process, &graph->nodes[i]->work, false, &work))
                return cudaErrorMemoryAllocation;
            wm_cuda_replace_work(process, node, &work);
            continue;
        }
        (void)wm_cuda_node_graphs(graph->nodes[i], &given);
        for (uint32_t j = 0; j < count; j++) {
            wm_cuda_status status = take(process, inside[j], given[j]);
            if (status != cudaSuccess)
                return status;
        }
    }
    return cudaSuccess;
}

wm_cuda_status wm_cuda_exec_update(struct wm_cuda_process *process, struct wm_cuda_graph *executed,
                                   const struct wm_cuda_graph *graph,
                                   struct wm_cuda_update_result *result)
{
    *result = (struct wm_cuda_update_result){.result = WM_CUDA_UPDATE_SUCCESS};
    if (!check_graph(process, executed, graph, result))
        return cudaErrorGraphExecUpdateFailure;
    return take(process, executed, graph);
}

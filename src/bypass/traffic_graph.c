#include "bypass/traffic_graph.h"

#include <assert.h>

enum wm_status wm_traffic_graph_init(struct wm_traffic_graph *graph, uint32_t count,
                                     struct wm_arena *arena, struct wm_error *error)
{
    *graph = (struct wm_traffic_graph){
        .count = count,
        .nodes = WM_ARENA_ARRAY(arena, double, count),
        .edges = WM_ARENA_ARRAY(arena, double, (uint64_t)count *count),
    };
    if (graph->nodes == NULL || graph->edges == NULL)
        return wm_fail_no_memory(error, "a traffic graph of %u loads", count);
    return WM_OK;
}

void wm_traffic_graph_connect(struct wm_traffic_graph *graph, uint32_t a, uint32_t b, double weight)
{
    assert(a != b);
    graph->edges[(uint64_t)a * graph->count + b] = weight;
    graph->edges[(uint64_t)b * graph->count + a] = weight;
}

double wm_traffic_graph_value(const struct wm_traffic_graph *graph, const bool *cached)
{
    double value = 0;
    for (uint32_t a = 0; a < graph->count; a++) {
        if (!cached[a])
            continue;
        value += graph->nodes[a];
        for (uint32_t b = a + 1; b < graph->count; b++)
            if (cached[b])
                value += wm_traffic_graph_edge(graph, a, b);
    }
    return value;
}

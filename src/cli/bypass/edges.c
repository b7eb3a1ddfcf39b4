#include "cli/bypass/edges.h"

#include <math.h>
#include <stdlib.h>

static int heavier_first(const void *one, const void *other)
{
    const struct wm_bypass_edge *a = one, *b = other;
    double left = fabs(a->weight), right = fabs(b->weight);
    if (left != right)
        return left < right ? 1 : -1;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

struct wm_bypass_edge *wm_bypass_edges_of(const struct wm_traffic_graph *graph, uint32_t *count)
{
    struct wm_bypass_edge *edges = calloc((uint64_t)graph->count * graph->count + 1, sizeof *edges);
    *count = 0;
    for (uint32_t a = 0; a < graph->count && edges != NULL; a++)
        for (uint32_t b = a + 1; b < graph->count; b++)
            if (wm_traffic_graph_edge(graph, a, b) != 0)
                edges[(*count)++] =
                    (struct wm_bypass_edge){a, b, wm_traffic_graph_edge(graph, a, b)};
    if (*count > 0)
        qsort(edges, *count, sizeof *edges, heavier_first);
    return edges;
}

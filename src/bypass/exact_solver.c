#include "bypass/exact_solver.h"

#include "bypass/cbc_solver.h"
#include "bypass/concave_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What the search does at a node grows with the square of the loads: so many of these steps take
// about half a second.
#define SEARCH_STEPS UINT64_C(300000000)

enum state { FREE, CACHED, BYPASSED };

struct solving {
    const struct wm_traffic_graph *graph;
    enum state *states; // owned
    uint32_t *free;     // owned: the nodes that are left to the solver
    uint32_t free_count;
};

// --- What is decided beforehand ---

// What caching a free node adds at least and at most, whatever becomes of the other free ones.
static void bounds_of(const struct solving *solving, uint32_t v, double *least, double *most)
{
    const struct wm_traffic_graph *graph = solving->graph;
    *least = *most = graph->nodes[v];
    for (uint32_t u = 0; u < graph->count; u++) {
        double edge = u != v ? wm_traffic_graph_edge(graph, u, v) : 0;
        if (solving->states[u] == BYPASSED)
            continue;
        bool certain = solving->states[u] == CACHED;
        *least += certain || edge < 0 ? edge : 0;
        *most += certain || edge > 0 ? edge : 0;
    }
}

static void decide_beforehand(struct solving *solving)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t v = 0; v < solving->graph->count; v++) {
            if (solving->states[v] != FREE)
                continue;
            double least, most;
            bounds_of(solving, v, &least, &most);
            if (most <= 0)
                solving->states[v] = BYPASSED;
            else if (least >= 0)
                solving->states[v] = CACHED;
            changed |= solving->states[v] != FREE;
        }
    }
    for (uint32_t v = 0; v < solving->graph->count; v++)
        if (solving->states[v] == FREE)
            solving->free[solving->free_count++] = v;
}

// --- What is left ---

// What the nodes decided so far are worth; and of a free one, its weight and edges to the cached.
static double decided_value(const struct solving *solving)
{
    const struct wm_traffic_graph *graph = solving->graph;
    double value = 0;
    for (uint32_t a = 0; a < graph->count; a++) {
        if (solving->states[a] != CACHED)
            continue;
        value += graph->nodes[a];
        for (uint32_t b = a + 1; b < graph->count; b++)
            value += solving->states[b] == CACHED ? wm_traffic_graph_edge(graph, a, b) : 0;
    }
    return value;
}

static double weight_beside_cached(const struct solving *solving, uint32_t v)
{
    double weight = solving->graph->nodes[v];
    for (uint32_t u = 0; u < solving->graph->count; u++)
        weight += solving->states[u] == CACHED ? wm_traffic_graph_edge(solving->graph, u, v) : 0;
    return weight;
}

static double largest_weight(const struct solving *solving)
{
    double largest = 0;
    for (uint32_t i = 0; i < solving->free_count; i++) {
        uint32_t v = solving->free[i];
        largest = fmax(largest, fabs(weight_beside_cached(solving, v)));
        for (uint32_t k = 0; k < i; k++)
            largest =
                fmax(largest, fabs(wm_traffic_graph_edge(solving->graph, solving->free[k], v)));
    }
    return largest;
}

// Takes an answer, of the free nodes, where it is worth more than what is there.
static void take_answer(const struct solving *solving, const bool *answer, bool *cached,
                        double *value)
{
    bool *found = calloc(solving->graph->count + UINT64_C(1), sizeof *found);
    if (found == NULL)
        return;
    for (uint32_t v = 0; v < solving->graph->count; v++)
        found[v] = solving->states[v] == CACHED;
    for (uint32_t i = 0; i < solving->free_count; i++)
        found[solving->free[i]] = answer[i];
    double its = wm_traffic_graph_value(solving->graph, found);
    if (its > *value) {
        memcpy(cached, found, solving->graph->count * sizeof *cached);
        *value = its;
    }
    free(found);
}

// The same, and what the answer proves; its weights have been divided by `scale`.
static void take(const struct solving *solving, const struct wm_quadratic_answer *answer,
                 const bool *set, double scale, bool *cached, struct wm_exact_decision *decision)
{
    if (answer->found)
        take_answer(solving, set, cached, &decision->value);
    decision->proved = decision->proved || answer->proved;
    decision->bound = fmin(decision->bound, decided_value(solving) + answer->bound * scale);
    if (decision->proved || decision->bound < decision->value) // as sums of parts are rounded
        decision->bound = decision->value;
}

// Returns how many pairs have a weight.
static uint32_t fill_program(const struct solving *solving, double scale, double *linear,
                             double *pairs)
{
    uint32_t count = solving->free_count, edges = 0;
    for (uint32_t i = 0; i < count; i++) {
        linear[i] = weight_beside_cached(solving, solving->free[i]) / scale;
        for (uint32_t k = 0; k < count; k++) {
            double weight =
                wm_traffic_graph_edge(solving->graph, solving->free[i], solving->free[k]);
            pairs[(uint64_t)i * count + k] = weight / scale;
            edges += k < i && weight != 0;
        }
    }
    return edges;
}

// The search is a thousand times as fast where most edges have a weight, as its bound is close
// then. Where few have one, CBC's, of a program that holds each edge by itself, is the closer one.
static enum wm_status solve_both(const struct solving *solving, uint32_t most_nodes,
                                 double *weights, bool *set, bool *cached,
                                 struct wm_exact_decision *decision, struct wm_error *error)
{
    uint64_t count = solving->free_count,
             nodes = most_nodes != 0 ? most_nodes : SEARCH_STEPS / (count * count);
    double scale = largest_weight(solving);
    const struct wm_quadratic_program program = {(uint32_t)count, weights, weights + count};
    struct wm_quadratic_answer answer;
    uint32_t edges = fill_program(solving, scale, weights, weights + count);
    for (uint32_t i = 0; i < count; i++)
        set[i] = cached[solving->free[i]];
    decision->bound = INFINITY;
    WM_TRY(wm_concave_search(&program, nodes, set, &answer, error));
    take(solving, &answer, set, scale, cached, decision);
    if (decision->proved || edges > WM_EXACT_MOST_EDGES)
        return WM_OK;
    WM_TRY(wm_cbc_solve(&program, most_nodes != 0 ? most_nodes : WM_EXACT_MOST_NODES, set, &answer,
                        error));
    take(solving, &answer, set, scale, cached, decision);
    return WM_OK;
}

static enum wm_status solve_rest(const struct solving *solving, uint32_t most_nodes, bool *cached,
                                 struct wm_exact_decision *decision, struct wm_error *error)
{
    uint64_t count = solving->free_count;
    double *weights = calloc(count + count * count, sizeof *weights);
    bool *set = calloc(count, sizeof *set);
    enum wm_status status =
        weights != NULL && set != NULL
            ? solve_both(solving, most_nodes, weights, set, cached, decision, error)
            : wm_fail_no_memory(error, "the decision of %u loads", solving->free_count);
    free(weights);
    free(set);
    return status;
}

enum wm_status wm_bypass_solve_exact(const struct wm_traffic_graph *graph, uint32_t most_nodes,
                                     bool *cached, struct wm_exact_decision *decision,
                                     struct wm_error *error)
{
    struct solving solving = {.graph = graph};
    solving.states = calloc(graph->count + UINT64_C(1), sizeof *solving.states);
    solving.free = calloc(graph->count + UINT64_C(1), sizeof *solving.free);
    enum wm_status status = WM_OK;
    if (solving.states == NULL || solving.free == NULL) {
        status = wm_fail_no_memory(error, "deciding %u loads", graph->count);
    } else {
        decide_beforehand(&solving);
        *decision = (struct wm_exact_decision){.left_to_solver = solving.free_count,
                                               .value = wm_traffic_graph_value(graph, cached)};
        if (solving.free_count != 0) {
            status = solve_rest(&solving, most_nodes, cached, decision, error);
        } else {
            take_answer(&solving, (bool[]){false}, cached, &decision->value);
            decision->bound = decision->value;
            decision->proved = true;
        }
    }
    free(solving.states);
    free(solving.free);
    return status;
}

#include "bypass/exact_solver.h"

#include <Cbc_C_Interface.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- The solver's library ---

// It is loaded when it is needed: with what it needs itself it makes the start of each process take
// three milliseconds more, and most processes decide nothing.
#define CBC_LIBRARY "libCbcSolver.so.3"

// What is used of it, under its own names (Cbc_C_Interface.h).
#define CBC_FUNCTIONS(X) \
    X(newModel)          \
    X(deleteModel)       \
    X(setLogLevel)       \
    X(setObjSense)       \
    X(setParameter)      \
    X(setMaximumNodes)   \
    X(addCol)            \
    X(addRow)            \
    X(getNumCols)        \
    X(solve)             \
    X(getColSolution)    \
    X(isProvenOptimal)   \
    X(getBestPossibleObjValue)

#define CBC_POINTER(name) __typeof__(&Cbc_##name) name;
static struct {
    CBC_FUNCTIONS(CBC_POINTER)
} cbc;

static enum wm_status load_solver(struct wm_error *error)
{
    static void *library;
    if (library != NULL)
        return WM_OK;
    void *loaded = dlopen(CBC_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool found = loaded != NULL;
#define CBC_FIND(name)                                     \
    cbc.name = found ? dlsym(loaded, "Cbc_" #name) : NULL; \
    found = found && cbc.name != NULL;
    CBC_FUNCTIONS(CBC_FIND)
    if (!found) {
        const char *why = dlerror();
        wm_fail(error, WM_NOT_FOUND, "the exact solver cannot be loaded: %.200s",
                why != NULL ? why : CBC_LIBRARY " is another version");
        return wm_error_hint(error, "install Debian's coinor-libcbc3");
    }
    library = loaded;
    return WM_OK;
}

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

// --- The program ---

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

// Column i is the free node i. An edge of weight 0 needs none. Of M's bounds only those matter that
// its weight pulls against; M is whole where both N are.
static void add_edge(Cbc_Model *model, int low, int high, double weight)
{
    int edge = (int)cbc.getNumCols(model);
    cbc.addCol(model, "M", 0, 1, weight, 0, 0, NULL, NULL);
    if (weight < 0) {
        cbc.addRow(model, "both", 3, (int[]){low, high, edge}, (double[]){1, 1, -1}, 'L', 1);
        return;
    }
    cbc.addRow(model, "low", 2, (int[]){edge, low}, (double[]){1, -1}, 'L', 0);
    cbc.addRow(model, "high", 2, (int[]){edge, high}, (double[]){1, -1}, 'L', 0);
}

static void build(const struct solving *solving, double scale, Cbc_Model *model)
{
    cbc.setLogLevel(model, 0);
    cbc.setObjSense(model, -1); // to be as large as can be
    for (uint32_t i = 0; i < solving->free_count; i++)
        cbc.addCol(model, "N", 0, 1, weight_beside_cached(solving, solving->free[i]) / scale, 1, 0,
                   NULL, NULL);
    for (uint32_t high = 1; high < solving->free_count; high++)
        for (uint32_t low = 0; low < high; low++) {
            double weight =
                wm_traffic_graph_edge(solving->graph, solving->free[low], solving->free[high]);
            if (weight != 0)
                add_edge(model, (int)low, (int)high, weight / scale);
        }
}

// Takes the solver's answer where it is worth more than what is there.
static void take_answer(const struct solving *solving, const double *answer, bool *cached,
                        double *value)
{
    bool *found = calloc(solving->graph->count + UINT64_C(1), sizeof *found);
    if (found == NULL || answer == NULL) {
        free(found);
        return;
    }
    for (uint32_t v = 0; v < solving->graph->count; v++)
        found[v] = solving->states[v] == CACHED;
    for (uint32_t i = 0; i < solving->free_count; i++)
        found[solving->free[i]] = answer[i] > 0.5;
    double its = wm_traffic_graph_value(solving->graph, found);
    if (its > *value) {
        memcpy(cached, found, solving->graph->count * sizeof *cached);
        *value = its;
    }
    free(found);
}

static enum wm_status solve_rest(const struct solving *solving, uint32_t most_nodes, bool *cached,
                                 struct wm_exact_decision *decision, struct wm_error *error)
{
    WM_TRY(load_solver(error));
    double scale = largest_weight(solving);
    Cbc_Model *model = cbc.newModel();
    if (model == NULL)
        return wm_fail_no_memory(error, "the exact decision of %u loads", solving->free_count);
    build(solving, scale, model);
    // Cuts take most of the time and decide little: branches fix more of an N than they do.
    cbc.setParameter(model, "cuts", "off");
    cbc.setMaximumNodes(model, (int)most_nodes);
    cbc.solve(model);
    take_answer(solving, cbc.getColSolution(model), cached, &decision->value);
    decision->proved = cbc.isProvenOptimal(model) != 0;
    double bound = decided_value(solving) + cbc.getBestPossibleObjValue(model) * scale;
    decision->bound = decision->proved || bound < decision->value ? decision->value : bound;
    cbc.deleteModel(model);
    return WM_OK;
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
            status = solve_rest(&solving, most_nodes != 0 ? most_nodes : WM_EXACT_MOST_NODES,
                                cached, decision, error);
        } else {
            take_answer(&solving, (double[]){0}, cached, &decision->value);
            decision->bound = decision->value;
            decision->proved = true;
        }
    }
    free(solving.states);
    free(solving.free);
    return status;
}

#include "bypass/heuristic_solver.h"
#include "bypass/program_parts.h"

// T_off of the paper (section IV-B): bytes that the load moves when it bypasses L1, of its lines
// and of how many sectors each has by this source. As profiled, that is what was counted.
static double bypassed_bytes(const struct wm_bypass_program *program,
                             const struct wm_bypass_load *load, enum wm_efficiency_source source)
{
    const struct wm_load_efficiency *efficiency = &load->efficiency[source];
    double sectors = (double)load->profiled->sectors;
    if (source != WM_EFFICIENCY_PROFILED) {
        double each = efficiency->known ? efficiency->sectors : program->mean.sectors;
        sectors = (double)load->profiled->lines * each;
    }
    return sectors * WM_SECTOR_BYTES;
}

// What of it is fetched when the load alone uses L1: T_on.
static double fetched_bytes(const struct wm_profiled_kernel *kernel, uint32_t load)
{
    return (double)(int64_t)(kernel->loads[load].alone.bytes - kernel->none.bytes);
}

static enum wm_status build_graph(const struct wm_bypass_program *program,
                                  struct wm_bypass_kernel *kernel, enum wm_efficiency_source source,
                                  struct wm_arena *arena, struct wm_error *error)
{
    const struct wm_profiled_kernel *profiled = kernel->profiled;
    struct wm_bypass_view *view = &kernel->views[source];
    WM_TRY(wm_traffic_graph_init(&view->graph, profiled->load_count, arena, error));
    for (uint32_t a = 0; a < profiled->load_count; a++) {
        view->unknown +=
            profiled->loads[a].lines != 0 && !kernel->loads[a].efficiency[source].known;
        view->graph.nodes[a] =
            bypassed_bytes(program, &kernel->loads[a], source) - fetched_bytes(profiled, a);
        for (uint32_t b = 0; b < a; b++)
            wm_traffic_graph_connect(&view->graph, a, b,
                                     (double)wm_load_profile_edge(profiled, a, b));
    }
    return WM_OK;
}

// --- Solving ---

// The graph of the loads that are free: what they save together with those that are forced to be
// cached is part of their own weight.
struct rest {
    struct wm_traffic_graph graph;
    uint32_t *loads; // of the kernel, by node
};

static enum wm_status find_rest(const struct wm_traffic_graph *whole,
                                const enum wm_bypass_forced *forced, struct wm_arena *arena,
                                struct rest *rest, struct wm_error *error)
{
    uint32_t count = 0;
    rest->loads = WM_ARENA_ARRAY(arena, uint32_t, whole->count);
    if (rest->loads == NULL)
        return wm_fail_no_memory(error, "deciding a program's loads");
    for (uint32_t load = 0; load < whole->count; load++)
        if (forced[load] == WM_BYPASS_FREE)
            rest->loads[count++] = load;
    WM_TRY(wm_traffic_graph_init(&rest->graph, count, arena, error));
    for (uint32_t a = 0; a < count; a++) {
        uint32_t load = rest->loads[a];
        rest->graph.nodes[a] = whole->nodes[load];
        for (uint32_t b = 0; b < whole->count; b++)
            if (forced[b] == WM_BYPASS_FORCED_CACHED)
                rest->graph.nodes[a] += wm_traffic_graph_edge(whole, load, b);
        for (uint32_t b = 0; b < a; b++)
            wm_traffic_graph_connect(&rest->graph, a, b,
                                     wm_traffic_graph_edge(whole, load, rest->loads[b]));
    }
    return WM_OK;
}

static void put_together(const struct rest *rest, const bool *decided,
                         const enum wm_bypass_forced *forced, uint32_t count, bool *cached)
{
    for (uint32_t load = 0; load < count; load++)
        cached[load] = forced[load] == WM_BYPASS_FORCED_CACHED;
    for (uint32_t i = 0; i < rest->graph.count; i++)
        cached[rest->loads[i]] = decided[i];
}

// The heuristic's decision and, from there, the exact one.
static enum wm_status solve_rest(const struct wm_traffic_graph *whole,
                                 const enum wm_bypass_forced *forced, struct wm_arena *arena,
                                 struct wm_bypass_solution *solutions, struct wm_error *error)
{
    struct rest rest;
    struct wm_exact_decision found;
    WM_TRY(find_rest(whole, forced, arena, &rest, error));
    bool *decided = WM_ARENA_ARRAY(arena, bool, whole->count);
    if (decided == NULL)
        return wm_fail_no_memory(error, "deciding a program's loads");
    struct wm_bypass_solution *exact = &solutions[WM_BYPASS_EXACT];
    put_together(&rest, decided, forced, whole->count, exact->cached); // the forced ones alone
    double given = wm_traffic_graph_value(whole, exact->cached);
    WM_TRY(wm_bypass_solve_heuristic(&rest.graph, decided, error));
    put_together(&rest, decided, forced, whole->count, solutions[WM_BYPASS_HEURISTIC].cached);
    WM_TRY(wm_bypass_solve_exact(&rest.graph, 0, decided, &found, error));
    put_together(&rest, decided, forced, whole->count, exact->cached);
    exact->bound = given + found.bound;
    exact->proved = found.proved;
    return WM_OK;
}

static enum wm_status solve(struct wm_bypass_kernel *kernel, struct wm_bypass_view *view,
                            struct wm_arena *arena, struct wm_error *error)
{
    const struct wm_traffic_graph *graph = &view->graph;
    struct wm_bypass_solution *solutions = view->solutions;
    for (int i = 0; i < WM_BYPASS_SOLVERS; i++) {
        solutions[i].cached = WM_ARENA_ARRAY(arena, bool, graph->count);
        if (solutions[i].cached == NULL)
            return wm_fail_no_memory(error, "deciding a program's loads");
    }
    for (uint32_t load = 0; load < graph->count; load++)
        solutions[WM_BYPASS_ALL_CACHED].cached[load] = true;
    WM_TRY(solve_rest(graph, kernel->forced, arena, solutions, error));
    for (int i = 0; i < WM_BYPASS_SOLVERS; i++)
        solutions[i].saved = wm_traffic_graph_value(graph, solutions[i].cached);
    struct wm_bypass_solution *exact = &solutions[WM_BYPASS_EXACT];
    if (exact->proved || exact->bound < exact->saved) // as sums of parts are rounded
        exact->bound = exact->saved;
    return WM_OK;
}

enum wm_status wm_bypass_decide(struct wm_bypass_program *program, struct wm_error *error)
{
    for (uint32_t k = 0; k < program->kernel_count; k++)
        for (int source = 0; source < WM_EFFICIENCY_SOURCES; source++) {
            struct wm_bypass_kernel *kernel = &program->kernels[k];
            WM_TRY(build_graph(program, kernel, (enum wm_efficiency_source)source, &program->arena,
                               error));
            WM_TRY(solve(kernel, &kernel->views[source], &program->arena, error));
        }
    return WM_OK;
}

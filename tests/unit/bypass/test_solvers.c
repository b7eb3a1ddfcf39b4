// The solvers of the traffic-reduction graph, against brute force, a minimum cut, and the paper's
// worked example.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "bypass/cbc_solver.h"
#include "bypass/concave_search.h"
#include "bypass/exact_solver.h"
#include "bypass/heuristic_solver.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, SCALE = 1000 }; // SCALE: no weight is larger

struct drawn {
    struct wm_arena arena;
    struct wm_traffic_graph graph;
};

static void begin(struct drawn *drawn, uint32_t count)
{
    wm_arena_init(&drawn->arena);
    cr_assert_eq(wm_traffic_graph_init(&drawn->graph, count, &drawn->arena, NULL), WM_OK);
}

static double draw_weight(struct wm_random *random, double least, double most)
{
    return least + (double)wm_random_below(random, (uint64_t)(most - least) + 1);
}

// Nodes and edges between these; of 100 pairs, `dense` have an edge.
static void draw(struct drawn *drawn, struct wm_random *random, uint32_t count, double least_edge,
                 double most_edge, uint32_t dense)
{
    begin(drawn, count);
    for (uint32_t a = 0; a < count; a++) {
        drawn->graph.nodes[a] = draw_weight(random, -1000, 1000);
        for (uint32_t b = 0; b < a; b++)
            if (wm_random_below(random, 100) < dense)
                wm_traffic_graph_connect(&drawn->graph, a, b,
                                         draw_weight(random, least_edge, most_edge));
    }
}

// The value of the set whose members are the bits of `set`, added up by itself.
static double value_of(const struct wm_traffic_graph *graph, uint64_t set)
{
    double value = 0;
    for (uint32_t a = 0; a < graph->count; a++)
        for (uint32_t b = 0; b <= a; b++)
            if ((set >> a & 1) != 0 && (set >> b & 1) != 0)
                value += a == b ? graph->nodes[a] : graph->edges[a * graph->count + b];
    return value;
}

// Gray code: one node changes at a time.
static double brute_force(const struct wm_traffic_graph *graph)
{
    double value = 0, best = 0;
    uint64_t set = 0;
    for (uint64_t step = 1; step < UINT64_C(1) << graph->count; step++) {
        uint32_t v = (uint32_t)__builtin_ctzll(step);
        double change = graph->nodes[v];
        for (uint32_t u = 0; u < graph->count; u++)
            change += (set >> u & 1) != 0 && u != v ? graph->edges[v * graph->count + u] : 0;
        value += (set >> v & 1) != 0 ? -change : change;
        set ^= UINT64_C(1) << v;
        best = value > best ? value : best;
    }
    return best;
}

static double solve(const struct wm_traffic_graph *graph, uint32_t most_nodes,
                    struct wm_exact_decision *decision, double *heuristic)
{
    bool cached[MOST];
    cr_assert_eq(wm_bypass_solve_heuristic(graph, cached, NULL), WM_OK);
    *heuristic = wm_traffic_graph_value(graph, cached);
    cr_assert_eq(wm_bypass_solve_exact(graph, most_nodes, cached, decision, NULL), WM_OK);
    uint64_t set = 0;
    for (uint32_t v = 0; v < graph->count; v++)
        set |= (uint64_t)cached[v] << v;
    double value = value_of(graph, set);
    cr_expect_float_eq(decision->value, value, 1e-6);
    return value;
}

// Each solver by itself on the whole graph, from no load on: what it finds and proves.
static double solve_by(bool by_cbc, const struct wm_traffic_graph *graph,
                       struct wm_quadratic_answer *answer)
{
    bool set[MOST] = {false};
    static double linear[MOST], pairs[MOST * MOST];
    const struct wm_quadratic_program program = {graph->count, linear, pairs};
    for (uint32_t i = 0; i < graph->count; i++)
        linear[i] = graph->nodes[i] / SCALE;
    for (uint32_t i = 0; i < graph->count * graph->count; i++)
        pairs[i] = graph->edges[i] / SCALE;
    cr_assert_eq(by_cbc ? wm_cbc_solve(&program, 100000, set, answer, NULL)
                        : wm_concave_search(&program, 100000, set, answer, NULL),
                 WM_OK);
    return wm_traffic_graph_value(graph, set);
}

static void expect_best(const struct wm_traffic_graph *graph, double best, const char *where)
{
    for (int by_cbc = 0; by_cbc < 2; by_cbc++) {
        struct wm_quadratic_answer answer;
        double value = solve_by(by_cbc != 0, graph, &answer);
        cr_expect(answer.found && answer.proved, "%s", where);
        cr_expect_float_eq(value, best, 1e-6, "%s: %f, the best is %f", where, value, best);
        cr_expect_float_eq(answer.bound * SCALE, best, 1e-3, "%s", where);
    }
}

static void compare_with_brute_force(uint32_t seed, uint32_t count, double least, double most,
                                     uint32_t dense)
{
    struct wm_random random;
    wm_random_init(&random, seed, "solvers");
    struct drawn drawn;
    struct wm_exact_decision decision;
    double heuristic;
    char where[32];
    snprintf(where, sizeof where, "seed %u", seed);
    draw(&drawn, &random, count, least, most, dense);
    double value = solve(&drawn.graph, 100000, &decision, &heuristic),
           best = brute_force(&drawn.graph);
    cr_expect(decision.proved, "%s", where);
    cr_expect_float_eq(value, best, 1e-6, "%s: %f, the best is %f", where, value, best);
    cr_expect_float_eq(decision.bound, value, 1e-6);
    cr_expect_leq(heuristic, value);
    expect_best(&drawn.graph, best, where);
    wm_arena_release(&drawn.arena);
}

Test(solvers, exact_is_the_best_of_all_sets)
{
    for (uint32_t seed = 1; seed <= TEST_ROUNDS(60); seed++)
        compare_with_brute_force(seed, 1 + seed % 12, -900, 900, 60);
    for (uint32_t seed = 100; seed < 100 + TEST_ROUNDS(3); seed++)
        compare_with_brute_force(seed, 20, -300, 300, 60);
}

// --- A minimum cut ---

// Where every edge is positive, the best set is one side of a minimum cut: a node's positive weight
// is an edge from the source, a negative one to the sink. The capacity that is left over decides.
struct cut {
    double left[MOST + 2][MOST + 2];
    uint32_t count;
};

static double push(struct cut *cut, uint32_t at, uint32_t sink, double most, bool *seen)
{
    if (at == sink)
        return most;
    seen[at] = true;
    for (uint32_t next = 0; next < cut->count; next++) {
        if (seen[next] || cut->left[at][next] <= 1e-9)
            continue;
        double pushed = push(cut, next, sink, fmin(most, cut->left[at][next]), seen);
        if (pushed > 0) {
            cut->left[at][next] -= pushed;
            cut->left[next][at] += pushed;
            return pushed;
        }
    }
    return 0;
}

// The most that a set is worth: all that is positive, less what the cut takes of it. An edge of two
// nodes is worth its weight when both are in: half of it is each node's own, and the other half is
// lost, once from each side, when they are apart.
static double best_by_cut(const struct wm_traffic_graph *graph)
{
    static struct cut cut;
    uint32_t count = graph->count, source = count, sink = count + 1;
    cut = (struct cut){.count = count + 2};
    double positive = 0;
    for (uint32_t a = 0; a < count; a++) {
        double weight = graph->nodes[a];
        for (uint32_t b = 0; b < count; b++) {
            weight += graph->edges[a * count + b] / 2;
            cut.left[a][b] = graph->edges[a * count + b] / 2;
        }
        cut.left[weight > 0 ? source : a][weight > 0 ? a : sink] = fabs(weight);
        positive += fmax(weight, 0);
    }
    double flow = 0, pushed;
    do {
        bool seen[MOST + 2] = {false};
        pushed = push(&cut, source, sink, INFINITY, seen);
        flow += pushed;
    } while (pushed > 0);
    return positive - flow;
}

Test(solvers, exact_is_a_minimum_cut_where_all_edges_are_positive)
{
    for (uint32_t seed = 1; seed <= TEST_ROUNDS(40); seed++) {
        struct wm_random random;
        wm_random_init(&random, seed, "solvers");
        struct drawn drawn;
        struct wm_exact_decision decision;
        double heuristic;
        draw(&drawn, &random, 2 + seed % (MOST - 2), 0, 200, 30);
        double value = solve(&drawn.graph, 100000, &decision, &heuristic),
               best = best_by_cut(&drawn.graph);
        cr_expect_float_eq(value, best, 1e-3, "seed %u: %f, the cut says %f", seed, value, best);
        cr_expect(decision.proved);
        wm_arena_release(&drawn.arena);
    }
}

// --- Forty loads ---

// Whether each two loads meet or few do: the best set is proved after fewer nodes than take a tenth
// of a second. Where few do, CBC says which value that is.
Test(solvers, forty_loads_are_proved)
{
    for (uint32_t seed = 1; seed <= TEST_ROUNDS(12); seed++) {
        struct wm_random random;
        wm_random_init(&random, seed, "solvers");
        struct drawn drawn;
        struct wm_exact_decision decision;
        struct wm_quadratic_answer answer;
        double heuristic;
        uint32_t dense = seed % 3 == 0 ? 10 : seed % 3 == 1 ? 50 : 100;
        double most = seed % 2 == 0 ? 300 : 900;
        draw(&drawn, &random, MOST, -most, most, dense);
        double value = solve(&drawn.graph, 2000, &decision, &heuristic);
        cr_expect(decision.proved, "seed %u: %f, and at most %f", seed, value, decision.bound);
        cr_expect_float_eq(decision.bound, value, 1e-6);
        cr_expect_leq(heuristic, value);
        if (dense == 10)
            cr_expect_float_eq(solve_by(true, &drawn.graph, &answer), value, 1e-6);
        wm_arena_release(&drawn.arena);
    }
}

// Whatever there is time for, the bound holds, and more time makes nothing worse.
Test(solvers, a_search_that_is_cut_short_has_a_bound)
{
    uint32_t open = 0;
    for (uint32_t seed = 1; seed <= TEST_ROUNDS(8); seed++) {
        struct wm_random random;
        wm_random_init(&random, seed, "solvers");
        struct drawn drawn;
        struct wm_exact_decision quick, decision;
        double heuristic;
        draw(&drawn, &random, MOST, -300, 300, 100);
        double value = solve(&drawn.graph, 1, &quick, &heuristic);
        double best = solve(&drawn.graph, 0, &decision, &heuristic);
        cr_expect(decision.proved);
        cr_expect_leq(heuristic, value);
        cr_expect_leq(value, best);
        cr_expect_leq(best, quick.bound + 1e-6);
        cr_expect_leq(quick.bound, 1.1 * best, "seed %u: at most %f", seed, quick.bound);
        open += !quick.proved;
        wm_arena_release(&drawn.arena);
    }
    cr_expect_gt(open, 0);
}

// --- The heuristic ---

// What the text says of Fig. 4, whose picture the source lacks; the weights that it does not say
// are invented. V3 is bypassed first, with -13; then V4 is cached, as is all that remains.
Test(solvers, the_worked_example_with_an_invented_vector)
{
    struct drawn drawn;
    begin(&drawn, 4);
    const double nodes[] = {2, -1, 1, 1};
    memcpy(drawn.graph.nodes, nodes, sizeof nodes);
    wm_traffic_graph_connect(&drawn.graph, 0, 1, 3);
    wm_traffic_graph_connect(&drawn.graph, 0, 2, -5);
    wm_traffic_graph_connect(&drawn.graph, 1, 2, -5);
    wm_traffic_graph_connect(&drawn.graph, 0, 3, 2);
    wm_traffic_graph_connect(&drawn.graph, 1, 3, 1);
    wm_traffic_graph_connect(&drawn.graph, 2, 3, -4);
    bool cached[4];
    cr_assert_eq(wm_bypass_solve_heuristic(&drawn.graph, cached, NULL), WM_OK);
    cr_expect(cached[0] && cached[1] && !cached[2] && cached[3]);
    cr_expect_float_eq(wm_traffic_graph_value(&drawn.graph, cached), 8, 1e-9);
    cr_expect_float_eq(brute_force(&drawn.graph), 8, 1e-9);
    wm_arena_release(&drawn.arena);
}

// Two loads that are alike and in each other's way: the last is bypassed, and then the first pays.
Test(solvers, of_equal_loads_the_last_goes_first)
{
    struct drawn drawn;
    begin(&drawn, 2);
    drawn.graph.nodes[0] = drawn.graph.nodes[1] = 5;
    wm_traffic_graph_connect(&drawn.graph, 0, 1, -9);
    bool cached[2];
    cr_assert_eq(wm_bypass_solve_heuristic(&drawn.graph, cached, NULL), WM_OK);
    cr_expect(cached[0] && !cached[1]);
    wm_arena_release(&drawn.arena);
}

// A graph without weights: nothing is worth caching, and nothing ends in a loop.
Test(solvers, what_saves_nothing_is_bypassed)
{
    struct drawn drawn;
    struct wm_exact_decision decision;
    begin(&drawn, 3);
    bool cached[3] = {true, true, true};
    cr_assert_eq(wm_bypass_solve_heuristic(&drawn.graph, cached, NULL), WM_OK);
    cr_expect(!cached[0] && !cached[1] && !cached[2]);
    cr_assert_eq(wm_bypass_solve_exact(&drawn.graph, 0, cached, &decision, NULL), WM_OK);
    cr_expect(decision.proved && decision.value == 0 && decision.left_to_solver == 0);
    wm_arena_release(&drawn.arena);
    begin(&drawn, 0);
    cr_expect_eq(wm_bypass_solve_heuristic(&drawn.graph, cached, NULL), WM_OK);
    cr_expect_eq(wm_bypass_solve_exact(&drawn.graph, 0, cached, &decision, NULL), WM_OK);
    wm_arena_release(&drawn.arena);
}

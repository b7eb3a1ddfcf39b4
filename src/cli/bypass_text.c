#include "cli/bypass_text.h"

#include "base/demangle.h"
#include "base/units.h"
#include "study/text_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    UNIT_BYTES = 32,
    MOST_LOADS = WM_TABLE_ROWS - 1, // of a kernel's table
    MOST_EDGES = 6,
    LOAD_COLUMNS = 12,
};

static const char *bytes_text(double bytes, char *buffer)
{
    char number[UNIT_BYTES];
    wm_units_round(fabs(bytes), WM_QUANTITY_BYTES, number, sizeof number);
    snprintf(buffer, UNIT_BYTES + 1, "%s%s", bytes < 0 ? "-" : "", number);
    return buffer;
}

static void add_percent(struct wm_text_table *table, uint32_t column, uint64_t part, uint64_t rest)
{
    if (part + rest == 0)
        wm_text_table_cell(table, column, "-");
    else
        wm_text_table_cell(table, column, "%.1f%%", 100.0 * (double)part / (double)(part + rest));
}

// --- Loads ---

static void add_place(struct wm_text_table *table, const struct wm_bypass_load *load)
{
    const char *slash = load->source_file != NULL ? strrchr(load->source_file, '/') : NULL;
    if (load->source_file == NULL) {
        wm_text_table_cell(table, 1, "PTX line %" PRIu32, load->profiled->ptx_line);
        return;
    }
    const char *name = slash != NULL ? slash + 1 : load->source_file;
    wm_text_table_cell(table, 1, "%.100s:%" PRIu32, name, load->source_line);
}

static void add_efficiency(struct wm_text_table *table, uint32_t column,
                           const struct wm_load_efficiency *efficiency, double value)
{
    if (efficiency->known)
        wm_text_table_cell(table, column, "%.1f%%", 100 * value);
    else
        wm_text_table_cell(table, column, "-");
}

static const char *word_of(const struct wm_bypass_solution *solution, uint32_t load)
{
    return solution->cached[load] ? "cache" : "bypass";
}

static void add_load(struct wm_text_table *table, const struct wm_bypass_report *report,
                     const struct wm_bypass_kernel *kernel, uint32_t number)
{
    char buffer[UNIT_BYTES + 1];
    const struct wm_bypass_load *load = &kernel->loads[number];
    const struct wm_load_record *profiled = load->profiled;
    const struct wm_load_efficiency *exact = &load->efficiency[WM_EFFICIENCY_EXACT];
    const struct wm_bypass_view *view = &kernel->views[report->program->source];
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "%" PRIu32, load->number);
    add_place(table, load);
    wm_text_table_cell(table, 2, "%.*s", (int)strcspn(load->text, " \t"), load->text);
    wm_text_table_cell(
        table, 3, "%s",
        wm_units_round((double)profiled->lines, WM_QUANTITY_COUNT, buffer, sizeof buffer));
    if (profiled->lines == 0)
        wm_text_table_cell(table, 4, "-");
    else
        wm_text_table_cell(table, 4, "%.2f", (double)profiled->sectors / (double)profiled->lines);
    add_percent(table, 5, profiled->alone.hits, profiled->alone.misses);
    add_percent(table, 6, profiled->hits_together, profiled->misses_together);
    add_efficiency(table, 7, exact, exact->on);
    add_efficiency(table, 8, exact, exact->off);
    wm_text_table_cell(table, 9, "%s", bytes_text(view->graph.nodes[number], buffer));
    wm_text_table_cell(table, 10, "%s", word_of(&view->solutions[WM_BYPASS_HEURISTIC], number));
    wm_text_table_cell(table, 11, "%s", word_of(&view->solutions[WM_BYPASS_EXACT], number));
}

// The loads that ask for most come first; these are printed, in the order of the PTX.
static void choose_loads(const struct wm_bypass_kernel *kernel, bool *shown)
{
    uint32_t count = kernel->profiled->load_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0;
        for (uint32_t k = 0; k < count; k++) {
            uint64_t theirs = kernel->loads[k].profiled->lines,
                     ours = kernel->loads[i].profiled->lines;
            before += theirs > ours || (theirs == ours && k < i);
        }
        shown[i] = before < MOST_LOADS;
    }
}

static void add_loads(const struct wm_bypass_report *report, const struct wm_bypass_kernel *kernel,
                      unsigned columns, struct wm_text *text)
{
    static const char *const titles[LOAD_COLUMNS] = {
        "ld",  "at",   "load",  "lines",       "sect/line", "alone",
        "all", "E on", "E off", "saves alone", "heuristic", "exact"};
    uint32_t count = kernel->profiled->load_count;
    struct wm_text_table *table = malloc(sizeof *table);
    bool *shown = calloc(count + UINT64_C(1), sizeof *shown);
    text->failed = text->failed || table == NULL || shown == NULL;
    if (!text->failed) {
        choose_loads(kernel, shown);
        wm_text_table_init(table, "rllrrrrrrrll");
        wm_text_table_row(table);
        for (uint32_t i = 0; i < LOAD_COLUMNS; i++)
            wm_text_table_cell(table, i, "%s", titles[i]);
        for (uint32_t i = 0; i < count; i++)
            if (shown[i])
                add_load(table, report, kernel, i);
        wm_text_table_optional(table, 8, 14);
        wm_text_table_optional(table, 7, 14);
        wm_text_table_print(table, columns, text);
        if (count > MOST_LOADS)
            wm_text_format(text, "  and %" PRIu32 " loads that ask for less: --json has all\n",
                           count - MOST_LOADS);
    }
    free(table);
    free(shown);
}

// --- Edges ---

struct edge {
    uint32_t a, b;
    double weight;
};

static int heavier_first(const void *one, const void *other)
{
    const struct edge *a = one, *b = other;
    double left = fabs(a->weight), right = fabs(b->weight);
    if (left != right)
        return left < right ? 1 : -1;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

static void add_edges(const struct wm_bypass_report *report, const struct wm_bypass_kernel *kernel,
                      struct wm_text *text)
{
    const struct wm_traffic_graph *graph = &kernel->views[report->program->source].graph;
    struct edge *edges = calloc((uint64_t)graph->count * graph->count + 1, sizeof *edges);
    uint32_t count = 0;
    text->failed = text->failed || edges == NULL;
    for (uint32_t a = 0; a < graph->count && edges != NULL; a++)
        for (uint32_t b = a + 1; b < graph->count; b++)
            if (wm_traffic_graph_edge(graph, a, b) != 0)
                edges[count++] = (struct edge){a, b, wm_traffic_graph_edge(graph, a, b)};
    if (count > 0)
        qsort(edges, count, sizeof *edges, heavier_first);
    for (uint32_t i = 0; i < count && i < MOST_EDGES; i++) {
        char buffer[UNIT_BYTES + 1];
        wm_text_format(text, "%s ld %" PRIu32 " and ld %" PRIu32 " %s %s",
                       i == 0 ? "  Together:" : ",", edges[i].a + 1, edges[i].b + 1,
                       edges[i].weight > 0 ? "save" : "cost",
                       bytes_text(fabs(edges[i].weight), buffer));
    }
    if (count > MOST_EDGES)
        wm_text_format(text, ", and %" PRIu32 " pairs less", count - MOST_EDGES);
    if (count > 0)
        wm_text_add(text, "\n");
    free(edges);
}

// --- What is decided ---

static void add_solutions(const struct wm_bypass_report *report,
                          const struct wm_bypass_kernel *kernel,
                          const struct wm_bypass_measured *measured, unsigned columns,
                          struct wm_text *text)
{
    struct wm_text_table *table = malloc(sizeof *table);
    text->failed = text->failed || table == NULL;
    if (table == NULL)
        return;
    wm_text_table_init(table, "lrrrrr");
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "  Solution");
    wm_text_table_cell(table, 1, "cached");
    wm_text_table_cell(table, 2, "saves, predicted");
    if (measured != NULL) {
        wm_text_table_cell(table, 3, "measured");
        wm_text_table_cell(table, 4, "L1-L2");
    }
    if (measured != NULL && report->clock)
        wm_text_table_cell(table, 5, "cycles");
    for (int i = 0; i < WM_BYPASS_SOLVERS; i++) {
        char buffer[UNIT_BYTES + 1];
        const struct wm_bypass_solution *solution =
            wm_bypass_solution_of(report->program, kernel, (enum wm_bypass_solver)i);
        wm_text_table_row(table);
        wm_text_table_cell(table, 0, "%s %s", i == (int)report->solver ? ">" : " ",
                           wm_bypass_solver_names[i]);
        wm_text_table_cell(table, 1, "%" PRIu32, wm_bypass_count_cached(kernel, solution));
        wm_text_table_cell(table, 2, "%s", bytes_text(solution->saved, buffer));
        if (measured == NULL)
            continue;
        const struct wm_bypass_counts *counts = &measured->solvers[i];
        double saved =
            (double)measured->solvers[WM_BYPASS_NONE_CACHED].bytes - (double)counts->bytes;
        wm_text_table_cell(table, 3, "%s", bytes_text(saved, buffer));
        wm_text_table_cell(table, 4, "%s", bytes_text((double)counts->bytes, buffer));
        if (report->clock)
            wm_text_table_cell(table, 5, "%" PRIu64, counts->cycles);
    }
    wm_text_table_print(table, columns, text);
    free(table);
}

static void add_bound(const struct wm_bypass_report *report, const struct wm_bypass_kernel *kernel,
                      struct wm_text *text)
{
    char buffer[UNIT_BYTES + 1];
    const struct wm_bypass_solution *exact =
        wm_bypass_solution_of(report->program, kernel, WM_BYPASS_EXACT);
    if (!exact->proved)
        wm_text_format(text, "  The exact solver stopped early: no set saves more than %s.\n",
                       bytes_text(exact->bound, buffer));
}

// Loads for which another source of efficiencies leads to another decision.
static void add_differences(const struct wm_bypass_report *report,
                            const struct wm_bypass_kernel *kernel, struct wm_text *text)
{
    const struct wm_bypass_solution *ours =
        wm_bypass_solution_of(report->program, kernel, WM_BYPASS_EXACT);
    for (int source = 0; source < WM_EFFICIENCY_SOURCES; source++) {
        const struct wm_bypass_solution *theirs = &kernel->views[source].solutions[WM_BYPASS_EXACT];
        uint32_t count = 0;
        for (uint32_t i = 0; i < kernel->profiled->load_count; i++) {
            const struct wm_load_efficiency *efficiency = &kernel->loads[i].efficiency[source];
            if (theirs->cached[i] == ours->cached[i])
                continue;
            wm_text_format(text, "%s ld %" PRIu32 " %s",
                           count++ == 0 ? source == WM_EFFICIENCY_TABLE ? "  By the paper's table:"
                                          : source == WM_EFFICIENCY_EXACT ? "  By addresses in PTX:"
                                                                          : "  As profiled:"
                                        : ",",
                           i + 1, word_of(theirs, i));
            if (efficiency->known)
                wm_text_format(text, " (%.2f sectors a line)", efficiency->sectors);
            else
                wm_text_add(text, " (its pattern is unknown)");
        }
        if (count > 0)
            wm_text_add(text, "\n");
    }
}

static void add_fixed(const struct wm_bypass_kernel *kernel, struct wm_text *text)
{
    for (uint32_t i = 0; i < kernel->fixed_count; i++)
        wm_text_format(text, "  The load in PTX line %" PRIu32 " is left as it is: it %s.\n",
                       kernel->fixed[i].statement->line, kernel->fixed[i].why);
}

static void add_title(const struct wm_bypass_kernel *kernel, struct wm_text *text)
{
    char l1[UNIT_BYTES];
    const struct wm_profiled_kernel *profiled = kernel->profiled;
    struct wm_text signature;
    wm_text_init(&signature);
    wm_demangle(profiled->name, &signature);
    size_t length = 0;
    const char *name =
        signature.failed ? profiled->name : wm_demangled_name(signature.data, &length);
    wm_text_format(text,
                   "\nKernel %.*s: %" PRIu32 " global load%s, %" PRIu64 " launch%s, L1 %s an SM\n",
                   signature.failed ? (int)strlen(name) : (int)length, name, profiled->load_count,
                   profiled->load_count == 1 ? "" : "s", profiled->launches,
                   profiled->launches == 1 ? "" : "es",
                   wm_units_print(profiled->l1_bytes, WM_QUANTITY_BYTES, l1, sizeof l1));
    wm_text_release(&signature);
}

void wm_bypass_text(const struct wm_bypass_report *report, unsigned columns, struct wm_text *text)
{
    const struct wm_bypass_program *program = report->program;
    wm_text_format(text, "warpmem: %s (%s), L1 lines of %" PRIu32 " bytes, efficiencies: %s\n",
                   report->machine->name, report->machine->device.title,
                   program->profile->line_bytes, wm_efficiency_source_names[program->source]);
    for (uint32_t k = 0; k < program->kernel_count; k++) {
        const struct wm_bypass_kernel *kernel = &program->kernels[k];
        add_title(kernel, text);
        add_loads(report, kernel, columns, text);
        add_edges(report, kernel, text);
        add_fixed(kernel, text);
        add_differences(report, kernel, text);
        add_solutions(report, kernel, report->measured != NULL ? &report->measured[k] : NULL,
                      columns, text);
        add_bound(report, kernel, text);
    }
    wm_text_add(
        text,
        "\n  lines: requests for a line of L1; alone, all: hit rate when the load alone, and when "
        "all "
        "loads\n  use L1; E on, E off: bytes used of bytes moved with L1 and without, out of the "
        "PTX; saves:\n  bytes between L1 and L2, of those when all loads bypass L1.\n");
}

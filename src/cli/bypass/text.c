#include "cli/bypass/formats.h"

#include "base/text/units.h"
#include "cli/bypass/all_sets.h"
#include "cli/bypass/bypass_columns.h"
#include "cli/bypass/edges.h"
#include "cli/bypass/hint_table.h"
#include "cli/bypass/partition.h"
#include "study/format/text_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LOADS = WM_TABLE_ROWS - 1, // of a kernel's table
    MOST_EDGES = 6,
    PARAGRAPH = 100, // characters of a line of words
};

// --- Loads ---

static void add_load(struct wm_text_table *table, const struct wm_bypass_report *report,
                     const struct wm_bypass_kernel *kernel, uint32_t number)
{
    struct wm_bypass_load_cells cells;
    wm_bypass_load_cells_of(report, kernel, number, &cells);
    wm_text_table_row(table);
    for (uint32_t i = 0; i < WM_BYPASS_LOAD_COLUMNS; i++)
        wm_text_table_cell(table, i, "%s", cells.text[i]);
}

// The loads that request most come first; these are printed, in the order of the PTX.
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
    uint32_t count = kernel->profiled->load_count;
    struct wm_text_table *table = malloc(sizeof *table);
    bool *shown = calloc(count + UINT64_C(1), sizeof *shown);
    text->failed = text->failed || table == NULL || shown == NULL;
    if (!text->failed) {
        choose_loads(kernel, shown);
        wm_report_table_begin(table, &wm_bypass_load_table, WM_BYPASS_LOAD_COLUMNS);
        for (uint32_t i = 0; i < count; i++)
            if (shown[i])
                add_load(table, report, kernel, i);
        wm_text_table_print(table, columns, text);
        if (count > MOST_LOADS)
            wm_text_format(text, "  and %" PRIu32 " loads that request less: --json has all\n",
                           count - MOST_LOADS);
    }
    free(table);
    free(shown);
}

// --- Edges ---

static void add_edges(const struct wm_bypass_report *report, const struct wm_bypass_kernel *kernel,
                      unsigned columns, struct wm_text *text)
{
    const struct wm_traffic_graph *graph = &kernel->views[report->program->source].graph;
    uint32_t count;
    struct wm_bypass_edge *edges = wm_bypass_edges_of(graph, &count);
    text->failed = text->failed || edges == NULL;
    struct wm_text pairs;
    wm_text_init(&pairs);
    for (uint32_t i = 0; i < count && i < MOST_EDGES; i++) {
        char buffer[WM_BYPASS_CELL_BYTES];
        wm_text_format(&pairs, "%s ld %" PRIu32 " and ld %" PRIu32 " %s %s",
                       i == 0 ? "Together:" : ",", edges[i].a + 1, edges[i].b + 1,
                       edges[i].weight > 0 ? "save" : "cost",
                       wm_bypass_bytes(fabs(edges[i].weight), buffer));
    }
    if (count > MOST_EDGES)
        wm_text_format(&pairs, ", and %" PRIu32 " pair%s less", count - MOST_EDGES,
                       count - MOST_EDGES == 1 ? "" : "s");
    if (pairs.data != NULL)
        wm_report_wrap(pairs.data, 2, columns < PARAGRAPH ? columns : PARAGRAPH, text);
    text->failed = text->failed || pairs.failed;
    wm_text_release(&pairs);
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
    uint32_t shown = measured == NULL ? WM_BYPASS_COLUMN_MEASURED
                     : report->clock  ? WM_BYPASS_SOLUTION_COLUMNS
                                      : WM_BYPASS_COLUMN_CYCLES;
    wm_report_table_begin(table, &wm_bypass_solution_table, shown);
    for (int i = 0; i < WM_BYPASS_SOLVERS; i++) {
        struct wm_bypass_solution_cells cells;
        wm_bypass_solution_cells_of(report, kernel, measured, (enum wm_bypass_solver)i, &cells);
        wm_text_table_row(table);
        wm_text_table_cell(table, 0, "%s %s", i == (int)report->solver ? ">" : " ", cells.text[0]);
        for (uint32_t column = 1; column < shown; column++)
            wm_text_table_cell(table, column, "%s", cells.text[column]);
    }
    wm_text_table_print(table, columns, text);
    free(table);
}

static void add_bound(const struct wm_bypass_report *report, const struct wm_bypass_kernel *kernel,
                      struct wm_text *text)
{
    char buffer[2 * WM_BYPASS_CELL_BYTES];
    const struct wm_bypass_solution *exact =
        wm_bypass_solution_of(report->program, kernel, WM_BYPASS_EXACT);
    if (!exact->proved)
        wm_text_format(text, "  %s\n", wm_bypass_bound_text(exact, buffer));
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
                           i + 1, wm_bypass_word(theirs, i));
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

static void add_forced(const struct wm_bypass_kernel *kernel, struct wm_text *text)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < kernel->profiled->load_count; i++)
        if (kernel->forced[i] != WM_BYPASS_FREE)
            wm_text_format(text, "%s ld %" PRIu32 " %s", count++ == 0 ? "  Forced:" : ",", i + 1,
                           kernel->forced[i] == WM_BYPASS_FORCED_CACHED ? "cache" : "bypass");
    if (count > 0)
        wm_text_add(text, "\n");
}

static void add_title(const struct wm_bypass_kernel *kernel, struct wm_text *text)
{
    char l1[WM_BYPASS_CELL_BYTES];
    const struct wm_profiled_kernel *profiled = kernel->profiled;
    wm_text_add(text, "\nKernel ");
    wm_text_add(text, wm_bypass_kernel_title(kernel));
    wm_text_format(text, ": %" PRIu32 " global load%s, %" PRIu64 " launch%s, L1 %s an SM\n",
                   profiled->load_count, profiled->load_count == 1 ? "" : "s", profiled->launches,
                   profiled->launches == 1 ? "" : "es",
                   wm_units_print(profiled->l1_bytes, WM_QUANTITY_BYTES, l1, sizeof l1));
}

void wm_bypass_text(const struct wm_bypass_report *report, unsigned columns, struct wm_text *text)
{
    const struct wm_bypass_program *program = report->program;
    wm_text_format(text, "warpmem: %s (%s), L1 lines of %" PRIu32 " bytes, efficiencies: %s\n",
                   report->machine->name, report->machine->device.title,
                   program->profile->line_bytes, wm_efficiency_source_names[program->source]);
    wm_bypass_partition_text(report, columns, text);
    for (uint32_t k = 0; k < program->kernel_count; k++) {
        const struct wm_bypass_kernel *kernel = &program->kernels[k];
        add_title(kernel, text);
        add_loads(report, kernel, columns, text);
        add_edges(report, kernel, columns, text);
        add_fixed(kernel, text);
        add_forced(kernel, text);
        add_differences(report, kernel, text);
        add_solutions(report, kernel, report->measured != NULL ? &report->measured[k] : NULL,
                      columns, text);
        add_bound(report, kernel, text);
        if (report->all_sets != NULL)
            wm_bypass_sets_text(report, k, columns < PARAGRAPH ? columns : PARAGRAPH, text);
        if (report->hints != NULL)
            wm_bypass_hint_text(report, k, columns, text);
    }
    wm_text_add(text, "\n");
    wm_report_table_legend(&wm_bypass_load_table, WM_BYPASS_LOAD_COLUMNS, columns, text);
    if (report->hints != NULL)
        wm_report_table_legend(&wm_bypass_hint_table, wm_bypass_hint_columns(report), columns,
                               text);
}

#include "cli/bypass/bypass_columns.h"

#include "base/text/units.h"
#include "study/tables/column_titles.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct wm_report_column load_columns[WM_BYPASS_LOAD_COLUMNS] = {
    [WM_BYPASS_COLUMN_NUMBER] = {"ld", 'r', 0,
                                 "the load's number in its kernel, in the order of the PTX: what "
                                 "--load takes and edges name",
                                 NULL, NULL},
    [WM_BYPASS_COLUMN_AT] = WM_BYPASS_TITLE_AT,
    [WM_BYPASS_COLUMN_LOAD] = WM_BYPASS_TITLE_LOAD,
    [WM_BYPASS_COLUMN_LINES] = {"lines", 'r', 0,
                                "requests for a line of L1, over all launches: one a line that a "
                                "warp's load touches; the paper's access",
                                "requests for a line of L1", NULL},
    [WM_BYPASS_COLUMN_SECTORS] = {"sect/line", 'r', 0,
                                  "32-byte sectors that it needs of such a line: what moves "
                                  "without L1, where with it a line moves whole",
                                  "sectors of 32 bytes needed of one", NULL},
    [WM_BYPASS_COLUMN_ALONE] = {"alone", 'r', 0,
                                "its sectors found in L1 when no other load uses L1; the paper's "
                                "hit, of one load",
                                "hit rate when no other load uses L1", NULL},
    [WM_BYPASS_COLUMN_ALL] = {"all", 'r', 0, "its sectors found in L1 when all loads use L1",
                              "hit rate when all loads do", NULL},
    [WM_BYPASS_COLUMN_ON] = {"E on", 'r', 14,
                             "load efficiency with L1, in lines: bytes that a warp uses of bytes "
                             "moved, by the addresses that the PTX computes; - where these are "
                             "unknown",
                             "bytes used of bytes moved with L1, out of the PTX", NULL},
    [WM_BYPASS_COLUMN_OFF] = {"E off", 'r', 14,
                              "load efficiency without L1, in sectors, by the addresses that the "
                              "PTX computes",
                              "likewise without L1", NULL},
    [WM_BYPASS_COLUMN_SAVES] = {"saves alone", 'r', 0,
                                "bytes between L1 and L2 that are saved when this load uses L1 and "
                                "no other does: its node's weight in the graph; negative: it costs",
                                "bytes between L1 and L2, of those when all loads bypass L1", NULL},
    [WM_BYPASS_COLUMN_HEURISTIC] = {"heuristic", 'l', 0,
                                    "what the paper's heuristic decides: cache (.ca) or bypass "
                                    "(.cg)",
                                    NULL, NULL},
    [WM_BYPASS_COLUMN_EXACT] = {"exact", 'l', 0,
                                "what the exact solver decides: the set of loads that saves most "
                                "by nodes and edges",
                                NULL, NULL},
};

static const struct wm_report_column solution_columns[WM_BYPASS_SOLUTION_COLUMNS] = {
    [WM_BYPASS_COLUMN_SOLVER] = {"", 'l', 0, NULL, NULL, NULL},
    [WM_BYPASS_COLUMN_CACHED] = {"cached", 'r', 0, "loads that use L1", NULL, NULL},
    [WM_BYPASS_COLUMN_PREDICTED] = {"saves, predicted", 'r', 0,
                                    "bytes between L1 and L2 that the graph's nodes and edges "
                                    "promise, of those when all loads bypass L1; pairs of loads "
                                    "are all that it knows",
                                    NULL, NULL},
    [WM_BYPASS_COLUMN_MEASURED] = {"measured", 'r', 0,
                                   "the same as counted when the kernel's accesses were driven "
                                   "through the machine with these decisions",
                                   NULL, NULL},
    [WM_BYPASS_COLUMN_BYTES] = WM_COLUMN_L1_L2,
    [WM_BYPASS_COLUMN_CYCLES] = WM_COLUMN_CYCLES,
};

static const struct wm_report_column partition_columns[WM_BYPASS_PARTITION_COLUMNS] = {
    [WM_BYPASS_COLUMN_L1] = {"L1", 'r', 0, "bytes of an SM's L1", NULL, NULL},
    [WM_BYPASS_COLUMN_SHARED] = {"shared", 'r', 0,
                                 "bytes of an SM's shared memory, which are L1's otherwise", NULL,
                                 NULL},
    [WM_BYPASS_COLUMN_OCCUPANCY] = {"occupancy", 'r', 0,
                                    "warps that are resident on an SM, of the most it can have: "
                                    "the mean over launches, weighted with the warp instructions "
                                    "that they execute",
                                    NULL, "sm__maximum_warps_per_active_cycle_pct"},
    [WM_BYPASS_COLUMN_RATE] = {"hit rate", 'r', 0,
                               "sectors of loads found in L1 when all loads use it, with so many "
                               "blocks resident",
                               NULL, NULL},
    [WM_BYPASS_COLUMN_MODELLED] = {"predicted", 'r', 0,
                                   "performance as the machine's partition model has it, fitted "
                                   "to that of programs with the most shared memory as 1: only "
                                   "the order counts",
                                   NULL, NULL},
};

static const struct wm_report_column fit_columns[WM_BYPASS_FIT_COLUMNS] = {
    [WM_BYPASS_COLUMN_PROGRAM] = {"program", 'l', 0, "the recording, without its folder", NULL,
                                  NULL},
    [WM_BYPASS_COLUMN_FASTEST] = {"fastest", 'r', 0,
                                  "shared memory of the partition that was measured fastest; of "
                                  "equals the one with the most",
                                  "shared memory of the partition measured fastest", NULL},
    [WM_BYPASS_COLUMN_CHOSEN] = {"chosen", 'r', 0,
                                 "that of the partition that the model chooses, which was fitted "
                                 "to this program too",
                                 "of the one that the model chooses", NULL},
    [WM_BYPASS_COLUMN_OF_FASTEST] = {"speed", 'r', 0,
                                     "measured speed of what is chosen, of the fastest's",
                                     "of the fastest's", NULL},
    [WM_BYPASS_COLUMN_LEFT_OUT] = {"left out", 'r', 0,
                                   "what a model chooses that is fitted to the other programs "
                                   "alone; - where these do not determine one",
                                   "of the one that a model of the other programs chooses", NULL},
    [WM_BYPASS_COLUMN_LEFT_OUT_OF_FASTEST] = {"its speed", 'r', 0,
                                              "measured speed of that, of the fastest's", NULL,
                                              NULL},
};

const struct wm_report_table wm_bypass_load_table =
    WM_REPORT_TABLE("bypass: each load", load_columns);
const struct wm_report_table wm_bypass_solution_table =
    WM_REPORT_TABLE("bypass: each solution of a kernel", solution_columns);
const struct wm_report_table wm_bypass_partition_table =
    WM_REPORT_TABLE("bypass: each partition of L1 and shared memory", partition_columns);
const struct wm_report_table wm_bypass_fit_table =
    WM_REPORT_TABLE("bypass --fit: each program", fit_columns);

// --- Cells ---

const char *wm_bypass_bytes(double bytes, char *buffer)
{
    char number[WM_BYPASS_CELL_BYTES - 1];
    wm_units_round(fabs(bytes), WM_QUANTITY_BYTES, number, sizeof number);
    snprintf(buffer, WM_BYPASS_CELL_BYTES, "%s%s", bytes < 0 ? "-" : "", number);
    return buffer;
}

const char *wm_bypass_bound_text(const struct wm_bypass_solution *exact, char *buffer)
{
    char bytes[WM_BYPASS_CELL_BYTES], above[WM_BYPASS_CELL_BYTES] = "";
    buffer[0] = '\0';
    if (exact->saved > 0)
        snprintf(above, sizeof above, ", %.1f %% above what it found",
                 100 * (exact->bound - exact->saved) / exact->saved);
    if (!exact->proved)
        snprintf(buffer, 2 * WM_BYPASS_CELL_BYTES,
                 "The exact solver stopped early: no set saves more than %s%s.",
                 wm_bypass_bytes(exact->bound, bytes), above);
    return buffer;
}

const char *wm_bypass_word(const struct wm_bypass_solution *solution, uint32_t load)
{
    return solution->cached[load] ? "cache" : "bypass";
}

double wm_bypass_measured_saving(const struct wm_bypass_measured *measured,
                                 enum wm_bypass_solver solver)
{
    return (double)measured->solvers[WM_BYPASS_NONE_CACHED].bytes -
           (double)measured->solvers[solver].bytes;
}

static void set_rate(char *cell, uint64_t part, uint64_t rest)
{
    if (part + rest == 0)
        snprintf(cell, WM_BYPASS_CELL_BYTES, "-");
    else
        snprintf(cell, WM_BYPASS_CELL_BYTES, "%.1f%%",
                 100.0 * (double)part / (double)(part + rest));
}

static void set_efficiency(char *cell, const struct wm_load_efficiency *efficiency, double value)
{
    if (efficiency->known)
        snprintf(cell, WM_BYPASS_CELL_BYTES, "%.1f%%", 100 * value);
    else
        snprintf(cell, WM_BYPASS_CELL_BYTES, "-");
}

static void set_place(char *cell, const struct wm_bypass_load *load)
{
    const char *file = load->source_file, *slash = file != NULL ? strrchr(file, '/') : NULL;
    if (file == NULL)
        snprintf(cell, WM_BYPASS_CELL_BYTES, "PTX line %" PRIu32, load->profiled->ptx_line);
    else
        snprintf(cell, WM_BYPASS_CELL_BYTES, "%.100s:%" PRIu32, slash != NULL ? slash + 1 : file,
                 load->source_line);
}

void wm_bypass_load_cells_of(const struct wm_bypass_report *report,
                             const struct wm_bypass_kernel *kernel, uint32_t number,
                             struct wm_bypass_load_cells *cells)
{
    const struct wm_bypass_load *load = &kernel->loads[number];
    const struct wm_load_record *profiled = load->profiled;
    const struct wm_load_efficiency *exact = &load->efficiency[WM_EFFICIENCY_EXACT];
    const struct wm_bypass_view *view = &kernel->views[report->program->source];
    enum { BYTES = WM_BYPASS_CELL_BYTES };
    snprintf(cells->text[WM_BYPASS_COLUMN_NUMBER], BYTES, "%" PRIu32, load->number);
    set_place(cells->text[WM_BYPASS_COLUMN_AT], load);
    snprintf(cells->text[WM_BYPASS_COLUMN_LOAD], BYTES, "%.*s", (int)strcspn(load->text, " \t"),
             load->text);
    wm_units_round((double)profiled->lines, WM_QUANTITY_COUNT, cells->text[WM_BYPASS_COLUMN_LINES],
                   BYTES);
    if (profiled->lines == 0)
        snprintf(cells->text[WM_BYPASS_COLUMN_SECTORS], BYTES, "-");
    else
        snprintf(cells->text[WM_BYPASS_COLUMN_SECTORS], BYTES, "%.2f",
                 (double)profiled->sectors / (double)profiled->lines);
    set_rate(cells->text[WM_BYPASS_COLUMN_ALONE], profiled->alone.hits, profiled->alone.misses);
    set_rate(cells->text[WM_BYPASS_COLUMN_ALL], profiled->hits_together, profiled->misses_together);
    set_efficiency(cells->text[WM_BYPASS_COLUMN_ON], exact, exact->on);
    set_efficiency(cells->text[WM_BYPASS_COLUMN_OFF], exact, exact->off);
    wm_bypass_bytes(view->graph.nodes[number], cells->text[WM_BYPASS_COLUMN_SAVES]);
    snprintf(cells->text[WM_BYPASS_COLUMN_HEURISTIC], BYTES, "%s",
             wm_bypass_word(&view->solutions[WM_BYPASS_HEURISTIC], number));
    snprintf(cells->text[WM_BYPASS_COLUMN_EXACT], BYTES, "%s",
             wm_bypass_word(&view->solutions[WM_BYPASS_EXACT], number));
}

void wm_bypass_partition_cells_of(const struct wm_partitions *partitions, uint32_t number,
                                  struct wm_bypass_partition_cells *cells)
{
    const struct wm_l1_partition *partition = &partitions->items[number];
    enum { BYTES = WM_BYPASS_CELL_BYTES };
    wm_units_print(partition->l1_bytes, WM_QUANTITY_BYTES, cells->text[WM_BYPASS_COLUMN_L1], BYTES);
    wm_units_print(partition->shared_bytes, WM_QUANTITY_BYTES, cells->text[WM_BYPASS_COLUMN_SHARED],
                   BYTES);
    for (int column = WM_BYPASS_COLUMN_OCCUPANCY; column < WM_BYPASS_PARTITION_COLUMNS; column++)
        snprintf(cells->text[column], BYTES, "-");
    if (partition->too_small_for != NULL)
        return;
    snprintf(cells->text[WM_BYPASS_COLUMN_OCCUPANCY], BYTES, "%.1f%%", 100 * partition->occupancy);
    snprintf(cells->text[WM_BYPASS_COLUMN_RATE], BYTES, "%.1f%%", 100 * partition->hit_rate);
    if (partitions->modelled)
        snprintf(cells->text[WM_BYPASS_COLUMN_MODELLED], BYTES, "%.4f", partition->predicted);
}

void wm_bypass_solution_cells_of(const struct wm_bypass_report *report,
                                 const struct wm_bypass_kernel *kernel,
                                 const struct wm_bypass_measured *measured,
                                 enum wm_bypass_solver solver,
                                 struct wm_bypass_solution_cells *cells)
{
    const struct wm_bypass_solution *solution =
        wm_bypass_solution_of(report->program, kernel, solver);
    memset(cells, 0, sizeof *cells);
    snprintf(cells->text[WM_BYPASS_COLUMN_SOLVER], WM_BYPASS_CELL_BYTES, "%s",
             wm_bypass_solver_names[solver]);
    snprintf(cells->text[WM_BYPASS_COLUMN_CACHED], WM_BYPASS_CELL_BYTES, "%" PRIu32,
             wm_bypass_count_cached(kernel, solution));
    wm_bypass_bytes(solution->saved, cells->text[WM_BYPASS_COLUMN_PREDICTED]);
    if (measured == NULL)
        return;
    wm_bypass_bytes(wm_bypass_measured_saving(measured, solver),
                    cells->text[WM_BYPASS_COLUMN_MEASURED]);
    wm_bypass_bytes((double)measured->solvers[solver].bytes, cells->text[WM_BYPASS_COLUMN_BYTES]);
    if (report->clock)
        snprintf(cells->text[WM_BYPASS_COLUMN_CYCLES], WM_BYPASS_CELL_BYTES, "%" PRIu64,
                 measured->solvers[solver].cycles);
}

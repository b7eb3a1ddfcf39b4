// The columns of warpmem bypass's tables: text, page and warpmem explain take them from here.
#ifndef WM_CLI_BYPASS_BYPASS_COLUMNS_H
#define WM_CLI_BYPASS_BYPASS_COLUMNS_H

#include "cli/bypass/report.h"
#include "study/tables/columns.h"

enum wm_bypass_load_column {
    WM_BYPASS_COLUMN_NUMBER,
    WM_BYPASS_COLUMN_AT,
    WM_BYPASS_COLUMN_LOAD,
    WM_BYPASS_COLUMN_LINES,
    WM_BYPASS_COLUMN_SECTORS,
    WM_BYPASS_COLUMN_ALONE,
    WM_BYPASS_COLUMN_ALL,
    WM_BYPASS_COLUMN_ON,
    WM_BYPASS_COLUMN_OFF,
    WM_BYPASS_COLUMN_SAVES,
    WM_BYPASS_COLUMN_HEURISTIC,
    WM_BYPASS_COLUMN_EXACT,
    WM_BYPASS_LOAD_COLUMNS
};
enum wm_bypass_solution_column {
    WM_BYPASS_COLUMN_SOLVER,
    WM_BYPASS_COLUMN_CACHED,
    WM_BYPASS_COLUMN_PREDICTED,
    WM_BYPASS_COLUMN_MEASURED,
    WM_BYPASS_COLUMN_BYTES,
    WM_BYPASS_COLUMN_CYCLES,
    WM_BYPASS_SOLUTION_COLUMNS
};
enum wm_bypass_partition_column {
    WM_BYPASS_COLUMN_L1,
    WM_BYPASS_COLUMN_SHARED,
    WM_BYPASS_COLUMN_OCCUPANCY,
    WM_BYPASS_COLUMN_RATE,
    WM_BYPASS_COLUMN_MODELLED,
    WM_BYPASS_PARTITION_COLUMNS
};
enum wm_bypass_fit_column {
    WM_BYPASS_COLUMN_PROGRAM,
    WM_BYPASS_COLUMN_FASTEST,
    WM_BYPASS_COLUMN_CHOSEN,
    WM_BYPASS_COLUMN_OF_FASTEST,
    WM_BYPASS_COLUMN_LEFT_OUT,
    WM_BYPASS_COLUMN_LEFT_OUT_OF_FASTEST,
    WM_BYPASS_FIT_COLUMNS
};
// A load's place and opcode, in tables of loads.
#define WM_BYPASS_TITLE_AT                                                              \
    {                                                                                   \
        "at", 'l', 0, "its source line, or its line of the PTX without one", NULL, NULL \
    }
#define WM_BYPASS_TITLE_LOAD                             \
    {                                                    \
        "load", 'l', 14, "its opcode in PTX", NULL, NULL \
    }
extern const struct wm_report_table wm_bypass_load_table, wm_bypass_solution_table,
    wm_bypass_partition_table, wm_bypass_fit_table;

// What stands in a row. A file's name is whole, an instruction its opcode.
enum { WM_BYPASS_CELL_BYTES = 160 };
struct wm_bypass_load_cells {
    char text[WM_BYPASS_LOAD_COLUMNS][WM_BYPASS_CELL_BYTES];
};
struct wm_bypass_solution_cells {
    char text[WM_BYPASS_SOLUTION_COLUMNS][WM_BYPASS_CELL_BYTES];
};
struct wm_bypass_partition_cells {
    char text[WM_BYPASS_PARTITION_COLUMNS][WM_BYPASS_CELL_BYTES];
};
void wm_bypass_load_cells_of(const struct wm_bypass_report *report,
                             const struct wm_bypass_kernel *kernel, uint32_t number,
                             struct wm_bypass_load_cells *cells);
// `measured` NULL: the cells for it are empty.
void wm_bypass_solution_cells_of(const struct wm_bypass_report *report,
                                 const struct wm_bypass_kernel *kernel,
                                 const struct wm_bypass_measured *measured,
                                 enum wm_bypass_solver solver,
                                 struct wm_bypass_solution_cells *cells);
// Of a partition that a kernel does not fit, all but the sizes are "-".
void wm_bypass_partition_cells_of(const struct wm_partitions *partitions, uint32_t number,
                                  struct wm_bypass_partition_cells *cells);

// "-1.50 MiB", in `buffer` of WM_BYPASS_CELL_BYTES.
const char *wm_bypass_bytes(double bytes, char *buffer);
// What the exact solver's answer is when it stopped early: a sentence with what no set exceeds, and
// how far that is above it. "" when it was proved. In `buffer`, of twice WM_BYPASS_CELL_BYTES.
const char *wm_bypass_bound_text(const struct wm_bypass_solution *exact, char *buffer);
// "cache" or "bypass".
const char *wm_bypass_word(const struct wm_bypass_solution *solution, uint32_t load);
// Bytes that a solution was measured to save, of those of bypass-all.
double wm_bypass_measured_saving(const struct wm_bypass_measured *measured,
                                 enum wm_bypass_solver solver);

#endif

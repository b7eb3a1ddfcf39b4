// The columns that tables have of a machine's levels: of each the share that was found there, from
// the units down, then what moved between each and what is above it. Made from the list of levels,
// so that a level is shown whatever it is called. Private to study/.
#ifndef WM_STUDY_TABLES_LEVEL_COLUMNS_H
#define WM_STUDY_TABLES_LEVEL_COLUMNS_H

#include "engine/session/results.h"
#include "study/tables/columns.h"

// The name of the counters of a level in the list, or of memory at its end; what people call that;
// and what is above it on the way of data: a level, or the SMs. False: several are, of which
// `title` is the last.
const char *wm_level_place_name(const struct wm_level_list *levels, uint32_t place);
const char *wm_level_place_title(const struct wm_level_list *levels, uint32_t place,
                                 char title[WM_LEVEL_COUNTER_BYTES]);
bool wm_level_above_title(const struct wm_level_list *levels, uint32_t place,
                          char title[WM_LEVEL_COUNTER_BYTES]);

enum { WM_MOST_LEVEL_COLUMNS = 2 * WM_MOST_LEVELS + 1, WM_LEVEL_HEAD_BYTES = 64 };

struct wm_level_column {
    char head[WM_LEVEL_HEAD_BYTES];    // "L1 hit", "L1-L2", "DRAM"
    char name[WM_LEVEL_COUNTER_BYTES]; // of the counters of a level, or of memory
    bool rate; // of the sectors looked for there those found, in per cent; else bytes
    bool data; // data go through it
};

struct wm_level_columns {
    uint32_t count;
    struct wm_level_column columns[WM_MOST_LEVEL_COLUMNS];
};

// Those of levels that data go through, of others in which `all` looked for something, and of
// memory; next to CPU cores, of data's levels too those in which something was looked for.
void wm_level_columns_make(const struct wm_level_list *levels,
                           const struct wm_instruction_counters *all,
                           struct wm_level_columns *columns);
// Adds those that only `more` has, of another machine, as far as there is room.
void wm_level_columns_join(struct wm_level_columns *columns, const struct wm_level_columns *more);

// What a machine with these levels has of it: NAN where nothing was looked for there, and where it
// has no such level.
double wm_level_column_value(const struct wm_level_column *column,
                             const struct wm_level_list *levels,
                             const struct wm_instruction_counters *counters);
// "12.5%", "3.00 MiB", "-".
const char *wm_level_cell_text(const struct wm_level_column *column, double value, char *text,
                               size_t size);

// Rows from what components counted: `sum` adds a counter up over the components of a kind.
void wm_level_rows_of_components(const struct wm_level_list *levels,
                                 uint64_t (*sum)(const void *context, const char *kind,
                                                 const char *counter),
                                 const void *context, struct wm_instruction_counters *counters);

// As wm_report_table_begin with the first `count` of the declared columns, and with those of levels
// behind them; of levels that data do not go through they are left out where there is no room.
void wm_report_table_begin_levels(struct wm_text_table *table,
                                  const struct wm_report_table *declared, uint32_t count,
                                  const struct wm_level_columns *columns);
// Their cells in the last row, from column `first` on.
void wm_report_level_cells(struct wm_text_table *table, uint32_t first,
                           const struct wm_level_columns *columns,
                           const struct wm_level_list *levels,
                           const struct wm_instruction_counters *counters);

#endif

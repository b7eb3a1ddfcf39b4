// The columns of the reports' tables, declared once next to the code that fills them: the heads,
// the legend below a table and `warpmem explain` are printed from the declarations.
#ifndef WM_STUDY_TABLES_COLUMNS_H
#define WM_STUDY_TABLES_COLUMNS_H

#include "base/text/text.h"
#include "study/format/text_table.h"

#include <stddef.h>

struct wm_report_column {
    const char *head;     // as printed; "" for a column that belongs to the one before it
    char alignment;       // 'l' or 'r'
    unsigned optional;    // left out where else text is cut to fewer characters; 0: never
    const char *sentence; // what it says; NULL where head is ""
    const char *legend;   // short, printed below the table; NULL where the head says enough
    const char *profiler; // what Nsight Compute calls the same, or NULL
};

struct wm_report_table {
    const char *where; // "warpmem run and replay, of each kernel"
    const struct wm_report_column *columns;
    uint32_t count;
};

#define WM_REPORT_TABLE(where, columns)                    \
    {                                                      \
        where, columns, sizeof columns / sizeof columns[0] \
    }

// All tables of all reports (all_tables.c); NULL past the last.
const struct wm_report_table *wm_report_table_at(size_t index);

// Starts the table with its first `count` columns and a row of their heads.
void wm_report_table_begin(struct wm_text_table *table, const struct wm_report_table *declared,
                           uint32_t count);
// The legends of its first `count` columns as one paragraph, lines broken at blanks; nothing when
// they have none.
void wm_report_table_legend(const struct wm_report_table *declared, uint32_t count,
                            unsigned columns, struct wm_text *text);

// Appends `words` in lines of at most `width` characters (of which a longer word makes one longer),
// broken at blanks; each begins with `indent` blanks.
void wm_report_wrap(const char *words, unsigned indent, unsigned width, struct wm_text *text);

#endif

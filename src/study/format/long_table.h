// A table for people of any number of rows, whose columns are as wide as their widest cell and
// whose cells are never cut: what is long comes last. Code points count as one column each.
// Private to study/.
#ifndef WM_STUDY_FORMAT_LONG_TABLE_H
#define WM_STUDY_FORMAT_LONG_TABLE_H

#include "base/text/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { WM_LONG_TABLE_COLUMNS = 96 };

struct wm_long_table {
    const char *alignment; // borrowed: a character a column, 'l' or 'r', at most as above
    uint32_t columns;
    struct wm_text cells; // each ends with a tab; a newline comes between rows
};

void wm_long_table_init(struct wm_long_table *table, const char *alignment);
// Starts a row, and adds its next cell, printf style. A row may end early.
void wm_long_table_row(struct wm_long_table *table);
void wm_long_table_add(struct wm_long_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Appends the rows, two blanks between columns and none at line ends, and releases the table. Out
// of memory is the text's failure.
void wm_long_table_print(struct wm_long_table *table, struct wm_text *text);

#endif

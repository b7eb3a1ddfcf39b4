// A table for people in plain text: columns as wide as their widest cell; those of text (aligned to
// the left) are cut, the widest first, when the table would be wider than the page. Code points
// count as one column each.
//
// Our own, though libraries exist: in a trial, libsmartcols (Debian 12, 2.38.1) did not return from
// a table whose cells were not ASCII, run without setlocale, as a library under a foreign program
// is; libfort is not in Debian 12.
#ifndef WM_STUDY_TEXT_TABLE_H
#define WM_STUDY_TEXT_TABLE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { WM_TABLE_COLUMNS = 12, WM_TABLE_ROWS = 24, WM_TABLE_CELL_BYTES = 160 };

struct wm_text_table {
    uint32_t columns, rows;
    bool right[WM_TABLE_COLUMNS]; // alignment
    char cells[WM_TABLE_ROWS][WM_TABLE_COLUMNS][WM_TABLE_CELL_BYTES];
};

// `alignment` has a character a column, 'l' or 'r'.
void wm_text_table_init(struct wm_text_table *table, const char *alignment);
// Starts a row; its cells are empty. There must be room for it.
void wm_text_table_row(struct wm_text_table *table);
// Sets a cell of the last row, printf style.
void wm_text_table_cell(struct wm_text_table *table, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Cuts a cell of the last row to `width` characters, the last of them an ellipsis if it was longer.
void wm_text_table_cut(struct wm_text_table *table, uint32_t column, unsigned width);
// Adds to the end of a cell of the last row.
void wm_text_table_append(struct wm_text_table *table, uint32_t column, const char *text);
// Appends the rows, at most `width` columns wide if cutting columns of text down to eight
// characters can achieve it, with no blanks at line ends.
void wm_text_table_print(const struct wm_text_table *table, unsigned width, struct wm_text *text);

#endif

// A table for people in plain text: columns as wide as their widest cell. When the table would be
// wider than the page, columns marked as optional may be left out, and then those of text (aligned
// to the left) are cut, the widest first: kernels' names to the part that distinguishes them, all
// that is still too wide in the middle, since names differ at their ends. Code points
// count as one column each.
//
// Our own, though libraries exist: in a trial, libsmartcols (Debian 12, 2.38.1) did not return from
// a table whose cells were not ASCII, run without setlocale, as a library under a foreign program
// is; libfort is not in Debian 12.
#ifndef WM_STUDY_FORMAT_TEXT_TABLE_H
#define WM_STUDY_FORMAT_TEXT_TABLE_H

#include "base/names/kernel_names.h"
#include "base/text/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WM_TABLE_COLUMNS = 24,
    WM_TABLE_ROWS = 24,
    WM_TABLE_CELL_BYTES = 160,
    WM_TABLE_END_BYTES = 24
};

// Its text, a borrowed name of any length behind it, and what stands behind that.
struct wm_table_cell {
    char text[WM_TABLE_CELL_BYTES];
    const char *name; // NULL: none
    size_t name_length;
    const char *part; // of a kernel's name, where the cell is too wide; NULL: none
    char end[WM_TABLE_END_BYTES];
};

struct wm_text_table {
    uint32_t columns, rows;
    bool right[WM_TABLE_COLUMNS];        // alignment
    unsigned optional[WM_TABLE_COLUMNS]; // 0: never left out
    struct wm_table_cell cells[WM_TABLE_ROWS][WM_TABLE_COLUMNS];
};

// `alignment` has a character a column, 'l' or 'r'.
void wm_text_table_init(struct wm_text_table *table, const char *alignment);
// The column is left out where else columns of text would have to be cut to fewer than `least`
// characters, at least 1; the last such column goes first.
void wm_text_table_optional(struct wm_text_table *table, uint32_t column, unsigned least);
// Starts a row; its cells are empty. There must be room for it.
void wm_text_table_row(struct wm_text_table *table);
// Sets a cell of the last row, printf style.
void wm_text_table_cell(struct wm_text_table *table, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Puts a name of any length behind a cell's text, in the last row; borrowed until the table is
// printed.
void wm_text_table_borrow(struct wm_text_table *table, uint32_t column, const char *name,
                          size_t length);
// The same of a kernel's name.
void wm_text_table_kernel(struct wm_text_table *table, uint32_t column,
                          const struct wm_kernel_name *name);
// Adds a few characters to the end of a cell of the last row.
void wm_text_table_append(struct wm_text_table *table, uint32_t column, const char *text);
// Appends the rows, at most `width` columns wide if leaving out optional columns and cutting
// columns of text down to eight characters can achieve it, with no blanks at line ends.
void wm_text_table_print(const struct wm_text_table *table, unsigned width, struct wm_text *text);

#endif

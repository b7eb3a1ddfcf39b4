#include "study/format/long_table.h"

#include "base/text/text_width.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CELL_BYTES = 1024 };

void wm_long_table_init(struct wm_long_table *table, const char *alignment)
{
    *table = (struct wm_long_table){.alignment = alignment, .columns = (uint32_t)strlen(alignment)};
    assert(table->columns <= WM_LONG_TABLE_COLUMNS);
    wm_text_init(&table->cells);
}

void wm_long_table_row(struct wm_long_table *table)
{
    if (table->cells.length > 0)
        wm_text_add(&table->cells, "\n");
}

void wm_long_table_add(struct wm_long_table *table, const char *format, ...)
{
    char cell[CELL_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell, sizeof cell, format, arguments);
    va_end(arguments);
    for (char *at = cell; *at != '\0'; at++)
        if (*at == '\t' || *at == '\n')
            *at = ' ';
    wm_text_add(&table->cells, cell);
    wm_text_add(&table->cells, "\t");
}

// The cell at `at`, which is left behind it; false at the end of its row.
static bool next_cell(const char **at, const char **cell, size_t *length)
{
    if (**at == '\0' || **at == '\n')
        return false;
    *cell = *at;
    *length = strcspn(*at, "\t");
    *at += *length + 1;
    return true;
}

static void measure(const struct wm_long_table *table, uint32_t *widths)
{
    const char *at = table->cells.data, *cell;
    size_t length;
    for (;; at++) {
        for (uint32_t column = 0; next_cell(&at, &cell, &length); column++) {
            uint32_t width = wm_text_width(cell, length);
            if (column < table->columns && width > widths[column])
                widths[column] = width;
        }
        if (*at == '\0')
            return;
    }
}

static void print_row(const struct wm_long_table *table, const uint32_t *widths, const char **at,
                      struct wm_text *text)
{
    const char *cell;
    size_t length;
    uint32_t blanks = 0; // owed: printed when something comes behind them
    for (uint32_t column = 0; next_cell(at, &cell, &length); column++) {
        uint32_t room = column < table->columns ? widths[column] - wm_text_width(cell, length) : 0;
        bool right = column < table->columns && table->alignment[column] == 'r';
        blanks += right ? room : 0;
        if (length > 0) {
            wm_text_format(text, "%*s", (int)blanks, "");
            wm_text_append(text, cell, length);
            blanks = 0;
        }
        blanks += (right ? 0 : room) + 2;
    }
    wm_text_add(text, "\n");
}

void wm_long_table_print(struct wm_long_table *table, struct wm_text *text)
{
    uint32_t widths[WM_LONG_TABLE_COLUMNS] = {0};
    if (table->cells.failed)
        text->failed = true;
    else if (table->cells.data != NULL) {
        measure(table, widths);
        const char *at = table->cells.data;
        for (;; at++) {
            print_row(table, widths, &at, text);
            if (*at == '\0')
                break;
        }
    }
    wm_text_release(&table->cells);
}

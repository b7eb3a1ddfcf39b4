#include "study/format/text_table.h"

#include "base/text/text_width.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { GAP = 2, LEAST_WIDTH = 8 };

static unsigned cell_width_with(const struct wm_table_cell *cell, const char *name, size_t length)
{
    return wm_text_width(cell->text, strlen(cell->text)) +
           (name != NULL ? wm_text_width(name, length) : 0) +
           wm_text_width(cell->end, strlen(cell->end));
}

static unsigned cell_width(const struct wm_table_cell *cell)
{
    return cell_width_with(cell, cell->name, cell->name_length);
}

// The name that the cell has in a column of that width, and the cell's width with it.
static const char *name_within(const struct wm_table_cell *cell, unsigned width, size_t *length,
                               unsigned *with)
{
    *length = cell->name_length;
    *with = cell_width(cell);
    if (*with <= width || cell->part == NULL)
        return cell->name;
    *length = strlen(cell->part);
    *with = cell_width_with(cell, cell->part, *length);
    return cell->part;
}

static unsigned width_within(const struct wm_table_cell *cell, unsigned width)
{
    size_t length;
    unsigned with;
    (void)name_within(cell, width, &length, &with);
    return with < width ? with : width;
}

void wm_text_table_init(struct wm_text_table *table, const char *alignment)
{
    memset(table, 0, sizeof *table);
    for (; alignment[table->columns] != '\0'; table->columns++) {
        assert(table->columns < WM_TABLE_COLUMNS);
        table->right[table->columns] = alignment[table->columns] == 'r';
    }
}

void wm_text_table_optional(struct wm_text_table *table, uint32_t column, unsigned least)
{
    table->optional[column] = least;
}

void wm_text_table_row(struct wm_text_table *table)
{
    assert(table->rows < WM_TABLE_ROWS);
    table->rows++;
}

static struct wm_table_cell *last_row(struct wm_text_table *table, uint32_t column)
{
    return &table->cells[table->rows - 1][column];
}

void wm_text_table_cell(struct wm_text_table *table, uint32_t column, const char *format, ...)
{
    struct wm_table_cell *cell = last_row(table, column);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell->text, sizeof cell->text, format, arguments);
    va_end(arguments);
}

void wm_text_table_borrow(struct wm_text_table *table, uint32_t column, const char *name,
                          size_t length)
{
    struct wm_table_cell *cell = last_row(table, column);
    cell->name = name;
    cell->name_length = length;
}

void wm_text_table_kernel(struct wm_text_table *table, uint32_t column,
                          const struct wm_kernel_name *name)
{
    wm_text_table_borrow(table, column, name->whole, strlen(name->whole));
    last_row(table, column)->part = name->part;
}

void wm_text_table_append(struct wm_text_table *table, uint32_t column, const char *text)
{
    struct wm_table_cell *cell = last_row(table, column);
    char *to = cell->name != NULL ? cell->end : cell->text;
    size_t size = cell->name != NULL ? sizeof cell->end : sizeof cell->text, length = strlen(to);
    snprintf(to + length, size - length, "%s", text);
}

// A control character (a name may hold anything) would break the line.
static void add_bytes(struct wm_text *text, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool control = (unsigned char)bytes[i] < ' ' || bytes[i] == 0x7F;
        wm_text_append(text, control ? "?" : &bytes[i], 1);
    }
}

// Bytes of the first `count` characters.
static size_t length_of(const char *bytes, size_t length, unsigned count)
{
    size_t at = 0;
    for (; count > 0 && at < length; count--) {
        at++;
        while (at < length && wm_continues_character(bytes[at]))
            at++;
    }
    return at;
}

// As much of the cell as `width` characters hold: its begin and, rather more, its end.
static void add_cut(struct wm_text *text, const struct wm_table_cell *cell, unsigned width)
{
    struct wm_text whole;
    wm_text_init(&whole);
    wm_text_add(&whole, cell->text);
    size_t length;
    unsigned all;
    const char *name = name_within(cell, width, &length, &all);
    if (name != NULL)
        wm_text_append(&whole, name, length);
    wm_text_add(&whole, cell->end);
    const char *bytes = whole.data != NULL ? whole.data : "";
    if (all <= width) {
        add_bytes(text, bytes, whole.length);
    } else {
        unsigned begin = (width - 1) / 2, end = width - 1 - begin;
        size_t from = length_of(bytes, whole.length, all - end);
        add_bytes(text, bytes, length_of(bytes, whole.length, begin));
        wm_text_add(text, "…");
        add_bytes(text, bytes + from, whole.length - from);
    }
    text->failed = text->failed || whole.failed;
    wm_text_release(&whole);
}

static void add_blanks(struct wm_text *text, unsigned count)
{
    for (; count > 0; count--)
        wm_text_add(text, " ");
}

struct layout {
    bool shown[WM_TABLE_COLUMNS];
    unsigned widths[WM_TABLE_COLUMNS];
};

static void print_row(const struct wm_text_table *table, uint32_t row, const struct layout *layout,
                      struct wm_text *text)
{
    unsigned pending = 0; // blanks not written yet: none at a line's end
    for (uint32_t column = 0; column < table->columns; column++) {
        if (!layout->shown[column])
            continue;
        const struct wm_table_cell *cell = &table->cells[row][column];
        unsigned width = width_within(cell, layout->widths[column]);
        unsigned blanks = layout->widths[column] - width;
        if (table->right[column])
            pending += blanks;
        if (width > 0) {
            add_blanks(text, pending);
            pending = 0;
            add_cut(text, cell, layout->widths[column]);
        }
        if (!table->right[column])
            pending += blanks;
        pending += GAP;
    }
    wm_text_add(text, "\n");
}

// With columns of text cut to `most` characters.
static unsigned total_of(const struct wm_text_table *table, const struct layout *layout,
                         unsigned most)
{
    unsigned total = 0;
    for (uint32_t column = 0; column < table->columns; column++) {
        unsigned width = layout->widths[column];
        if (!layout->shown[column])
            continue;
        total += total > 0 ? GAP : 0;
        total += !table->right[column] && width > most ? most : width;
    }
    return total;
}

// Takes one character from the widest of the columns that may be cut, the first of equals.
static bool narrow_widest(const struct wm_text_table *table, struct layout *layout)
{
    uint32_t widest = table->columns;
    const unsigned *widths = layout->widths;
    for (uint32_t column = 0; column < table->columns; column++)
        if (layout->shown[column] && !table->right[column] && widths[column] > LEAST_WIDTH &&
            (widest == table->columns || widths[column] > widths[widest]))
            widest = column;
    if (widest == table->columns)
        return false;
    layout->widths[widest]--;
    return true;
}

void wm_text_table_print(const struct wm_text_table *table, unsigned width, struct wm_text *text)
{
    struct layout layout = {0};
    for (uint32_t column = 0; column < table->columns; column++) {
        layout.shown[column] = true;
        for (uint32_t row = 0; row < table->rows; row++) {
            unsigned cell = cell_width(&table->cells[row][column]);
            if (cell > layout.widths[column])
                layout.widths[column] = cell;
        }
    }
    for (uint32_t column = table->columns; column-- > 0;)
        if (table->optional[column] != 0 &&
            total_of(table, &layout, table->optional[column]) > width)
            layout.shown[column] = false;
    unsigned total = total_of(table, &layout, UINT_MAX);
    for (; total > width && narrow_widest(table, &layout); total--)
        ;
    for (uint32_t column = 0; column < table->columns; column++) {
        unsigned most = 0; // shorter names may need less than there is
        for (uint32_t row = 0; row < table->rows; row++) {
            unsigned cell = width_within(&table->cells[row][column], layout.widths[column]);
            most = cell > most ? cell : most;
        }
        layout.widths[column] = most;
    }
    for (uint32_t row = 0; row < table->rows; row++)
        print_row(table, row, &layout, text);
}

#include "study/text_table.h"

#include <assert.h>
#include <stdarg.h>

enum { GAP = 2, LEAST_WIDTH = 8 };

static bool continues_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

static unsigned width_of(const char *cell)
{
    unsigned width = 0;
    for (; *cell != '\0'; cell++)
        width += !continues_character(*cell);
    return width;
}

void wm_text_table_init(struct wm_text_table *table, const char *alignment)
{
    memset(table, 0, sizeof *table);
    for (; alignment[table->columns] != '\0'; table->columns++) {
        assert(table->columns < WM_TABLE_COLUMNS);
        table->right[table->columns] = alignment[table->columns] == 'r';
    }
}

void wm_text_table_row(struct wm_text_table *table)
{
    assert(table->rows < WM_TABLE_ROWS);
    table->rows++;
}

void wm_text_table_cell(struct wm_text_table *table, uint32_t column, const char *format, ...)
{
    char *cell = table->cells[table->rows - 1][column];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell, WM_TABLE_CELL_BYTES, format, arguments);
    va_end(arguments);
    // A control character (a name may hold anything) would break the line.
    for (; *cell != '\0'; cell++)
        if ((unsigned char)*cell < ' ' || *cell == 0x7F)
            *cell = '?';
}

// Bytes of the first `count` characters.
static size_t length_of(const char *cell, unsigned count)
{
    size_t length = 0;
    for (; count > 0 && cell[length] != '\0'; count--) {
        length++;
        while (continues_character(cell[length]))
            length++;
    }
    return length;
}

// The first `width` characters, the last of them an ellipsis when something is left out.
static void add_cut(struct wm_text *text, const char *cell, unsigned width)
{
    if (width_of(cell) <= width) {
        wm_text_add(text, cell);
        return;
    }
    wm_text_append(text, cell, length_of(cell, width - 1));
    wm_text_add(text, "…");
}

void wm_text_table_cut(struct wm_text_table *table, uint32_t column, unsigned width)
{
    char *cell = table->cells[table->rows - 1][column];
    if (width == 0 || width_of(cell) <= width)
        return;
    size_t length = length_of(cell, width - 1);
    if (length + sizeof "…" <= WM_TABLE_CELL_BYTES)
        memcpy(cell + length, "…", sizeof "…");
}

void wm_text_table_append(struct wm_text_table *table, uint32_t column, const char *text)
{
    char *cell = table->cells[table->rows - 1][column];
    size_t length = strlen(cell), more = strlen(text);
    if (length + more < WM_TABLE_CELL_BYTES)
        memcpy(cell + length, text, more + 1);
}

static void add_blanks(struct wm_text *text, unsigned count)
{
    for (; count > 0; count--)
        wm_text_add(text, " ");
}

static void print_row(const struct wm_text_table *table, uint32_t row, const unsigned *widths,
                      struct wm_text *text)
{
    unsigned pending = 0; // blanks not written yet: none at a line's end
    for (uint32_t column = 0; column < table->columns; column++) {
        const char *cell = table->cells[row][column];
        unsigned width = width_of(cell);
        if (width > widths[column])
            width = widths[column];
        unsigned blanks = widths[column] - width;
        if (table->right[column])
            pending += blanks;
        if (width > 0) {
            add_blanks(text, pending);
            pending = 0;
            add_cut(text, cell, width);
        }
        if (!table->right[column])
            pending += blanks;
        pending += GAP;
    }
    wm_text_add(text, "\n");
}

// Takes one character from the widest of the columns that may be cut, the last of equals.
static bool narrow_widest(const struct wm_text_table *table, unsigned *widths)
{
    uint32_t widest = table->columns;
    for (uint32_t column = 0; column < table->columns; column++)
        if (!table->right[column] && widths[column] > LEAST_WIDTH &&
            (widest == table->columns || widths[column] >= widths[widest]))
            widest = column;
    if (widest == table->columns)
        return false;
    widths[widest]--;
    return true;
}

void wm_text_table_print(const struct wm_text_table *table, unsigned width, struct wm_text *text)
{
    unsigned widths[WM_TABLE_COLUMNS] = {0}, total = 0;
    for (uint32_t column = 0; column < table->columns; column++) {
        for (uint32_t row = 0; row < table->rows; row++) {
            unsigned cell = width_of(table->cells[row][column]);
            if (cell > widths[column])
                widths[column] = cell;
        }
        total += widths[column] + (column > 0 ? GAP : 0);
    }
    for (; total > width && narrow_widest(table, widths); total--)
        ;
    for (uint32_t row = 0; row < table->rows; row++)
        print_row(table, row, widths, text);
}

#include "machine/cacti_file.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum column { CAPACITY, BANKS, READ, WRITE, LEAKAGE, AREA, COLUMNS };

// By the headings that CACTI 5 to 7 write. `scale` leads to the base unit of energy tables.
static const struct {
    const char *heading;
    double scale;
    uint64_t most;
} columns[COLUMNS] = {
    [CAPACITY] = {"Capacity (bytes)", 1, WM_ENERGY_MOST_BYTES},
    [BANKS] = {"Number of banks", 1, WM_ENERGY_MOST_UNITS},
    [READ] = {"Dynamic read energy (nJ)", 1e9, WM_ENERGY_MOST_AJ},
    [WRITE] = {"Dynamic write energy (nJ)", 1e9, WM_ENERGY_MOST_AJ},
    [LEAKAGE] = {"Standby leakage per bank(mW)", 1e6, WM_ENERGY_MOST_NW},
    [AREA] = {"Area (mm2)", 1e6, WM_ENERGY_MOST_UM2},
};

struct reading {
    const char *file;
    locale_t plain; // numbers have points, whatever the program's locale
    unsigned at[COLUMNS];
    const char *line;
    size_t length;
    unsigned number; // of the line, from 1
    struct wm_error *error;
};

struct cell {
    const char *text; // without blanks around
    size_t length;
    bool is_whole; // a comma follows, as behind every cell: it is not cut
};

static enum wm_status point_at(const struct reading *reading, const char *where)
{
    unsigned column = (unsigned)(where - reading->line) + 1;
    wm_error_place(reading->error, "%s:%u:%u", reading->file, reading->number, column);
    return wm_error_excerpt(reading->error, reading->line, reading->length, column);
}

// Cell `index` of the current line, from 0. False when the line has fewer.
static bool find_cell(const struct reading *reading, unsigned index, struct cell *cell)
{
    const char *begin = reading->line, *end = begin + reading->length;
    for (; index > 0; index--) {
        begin = memchr(begin, ',', (size_t)(end - begin));
        if (!begin)
            return false;
        begin++;
    }
    const char *comma = memchr(begin, ',', (size_t)(end - begin));
    end = comma ? comma : end;
    while (begin < end && strchr(" \t\r", *begin))
        begin++;
    while (begin < end && strchr(" \t\r", end[-1]))
        end--;
    *cell = (struct cell){begin, (size_t)(end - begin), comma != NULL};
    return true;
}

static enum wm_status read_headings(struct reading *reading)
{
    for (unsigned column = 0; column < COLUMNS; column++) {
        const char *heading = columns[column].heading;
        struct cell cell;
        bool found = false;
        for (unsigned i = 0; !found && find_cell(reading, i, &cell); i++) {
            found = cell.length == strlen(heading) && memcmp(cell.text, heading, cell.length) == 0;
            reading->at[column] = i;
        }
        if (found)
            continue;
        wm_fail(reading->error, WM_INVALID, "no column \"%s\" among the headings", heading);
        wm_error_hint(reading->error, "name the .out file that CACTI wrote, with its first line");
        return point_at(reading, reading->line);
    }
    return WM_OK;
}

static enum wm_status wrong_cell(const struct reading *reading, enum column column,
                                 const struct cell *cell, const char *why)
{
    wm_fail(reading->error, WM_INVALID, "\"%s\" is \"%.*s\": %s", columns[column].heading,
            cell->length < 32 ? (int)cell->length : 32, cell->text, why);
    wm_error_hint(reading->error, "run CACTI again for this structure, or write a row by hand");
    return point_at(reading, cell->text);
}

static enum wm_status read_cell(const struct reading *reading, enum column column, uint64_t *value)
{
    struct cell cell;
    char text[64], *end;
    if (!find_cell(reading, reading->at[column], &cell) || !cell.is_whole) {
        wm_fail(reading->error, WM_INVALID, "the row is cut: it ends before or in its \"%s\"",
                columns[column].heading);
        wm_error_hint(reading->error, "a run of CACTI writes a whole row: run it again");
        return point_at(reading, reading->line + reading->length);
    }
    if (cell.length == 0 || cell.length >= sizeof text)
        return wrong_cell(reading, column, &cell, "no number");
    memcpy(text, cell.text, cell.length);
    text[cell.length] = '\0';
    if (strspn(text, "0123456789+-.eE") != cell.length)
        return wrong_cell(reading, column, &cell, "no number");
    double number = strtod_l(text, &end, reading->plain) * columns[column].scale;
    if (*end != '\0')
        return wrong_cell(reading, column, &cell, "no number");
    if (!(number >= 0.5) || !(number <= (double)columns[column].most))
        return wrong_cell(reading, column, &cell, "out of range");
    bool whole = column == CAPACITY || column == BANKS;
    if (whole && number != floor(number))
        return wrong_cell(reading, column, &cell, "no whole number");
    *value = (uint64_t)llround(number);
    return WM_OK;
}

static enum wm_status read_row(const struct reading *reading, const struct wm_energy_row *given,
                               struct wm_energy_table *table)
{
    uint64_t values[COLUMNS];
    for (enum column column = 0; column < COLUMNS; column++)
        WM_TRY(read_cell(reading, column, &values[column]));
    struct wm_energy_row row = *given;
    row.capacity_bytes = values[CAPACITY];
    row.read_aj = values[READ];
    row.write_aj = values[WRITE];
    row.leakage_nw = values[LEAKAGE] * values[BANKS];
    row.area_um2 = values[AREA];
    if (row.leakage_nw > WM_ENERGY_MOST_NW) {
        wm_fail(reading->error, WM_INVALID, "the leakage of all banks together is out of range");
        wm_error_hint(reading->error, "run CACTI again for this structure");
        return point_at(reading, reading->line);
    }
    if (wm_energy_table_add(table, &row, reading->error) != WM_OK)
        return point_at(reading, reading->line);
    return WM_OK;
}

static bool is_blank(const struct reading *reading)
{
    for (size_t i = 0; i < reading->length; i++)
        if (!strchr(" \t\r", reading->line[i]))
            return false;
    return true;
}

static enum wm_status read_lines(struct reading *reading, const char *text, size_t length,
                                 const struct wm_energy_row *row, struct wm_energy_table *table)
{
    unsigned rows = 0;
    bool has_headings = false;
    for (size_t begin = 0; begin < length; begin += reading->length + 1) {
        const char *newline = memchr(text + begin, '\n', length - begin);
        reading->line = text + begin;
        reading->length = newline ? (size_t)(newline - reading->line) : length - begin;
        reading->number++;
        if (is_blank(reading))
            continue;
        if (has_headings) {
            WM_TRY(read_row(reading, row, table));
            rows++;
        } else {
            WM_TRY(read_headings(reading));
            has_headings = true;
        }
    }
    if (rows > 0)
        return WM_OK;
    wm_fail(reading->error, WM_INVALID, "%s", has_headings ? "headings and no row" : "it is empty");
    wm_error_place(reading->error, "%s:%u", reading->file, reading->number + 1);
    return wm_error_hint(reading->error, "name the .out file of a run of CACTI that ended well");
}

enum wm_status wm_cacti_read_text(const char *text, size_t length, const char *file,
                                  const struct wm_energy_row *row, struct wm_energy_table *table,
                                  struct wm_error *error)
{
    struct wm_error unread;
    struct reading reading = {.file = file, .error = error ? error : &unread};
    const char *zero = memchr(text, '\0', length);
    if (zero) {
        wm_fail(reading.error, WM_INVALID, "a byte that is zero: this is no output of CACTI");
        return wm_error_place(reading.error, "%s", file);
    }
    reading.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (reading.plain == (locale_t)0)
        return wm_fail_no_memory(error, "reading \"%s\"", file);
    enum wm_status status = read_lines(&reading, text, length, row, table);
    freelocale(reading.plain);
    return status;
}

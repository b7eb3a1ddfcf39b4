// Rows of energy tables: from text, and back.
#include "machine/energy_rows.h"

#include "base/text/units.h"
#include "machine/cacti_file.h"
#include "machine/referenced_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 16, WORD_BYTES = 256, BUFFER_BYTES = 64 };

struct words {
    unsigned count;
    char at[MOST_WORDS][WORD_BYTES];
};

enum field { READ, WRITE, TAG, ACTIVATE, LEAKAGE, AREA, UNITS, PORTS, BYTE_MM, FIELDS };
enum { OF_ARRAYS = 1, OF_DRAM = 2, OF_INTERCONNECT = 4 };

// What may follow the capacity, in the order of printing.
static const struct {
    const char *name;
    enum wm_quantity quantity;
    uint64_t least, most;
    uint64_t fallback;
    unsigned of, required_of; // masks of what may have it, and must
    unsigned digits;          // behind the point, from the base unit to `unit`
    const char *unit;
} fields[FIELDS] = {
    [READ] = {"read", WM_QUANTITY_JOULES, 1, WM_ENERGY_MOST_AJ, 0, OF_ARRAYS | OF_DRAM,
              OF_ARRAYS | OF_DRAM, 6, "pJ"},
    [WRITE] = {"write", WM_QUANTITY_JOULES, 1, WM_ENERGY_MOST_AJ, 0, OF_ARRAYS | OF_DRAM,
               OF_ARRAYS | OF_DRAM, 6, "pJ"},
    [TAG] = {"tag", WM_QUANTITY_JOULES, 0, WM_ENERGY_MOST_AJ, 0, OF_ARRAYS, 0, 6, "pJ"},
    [ACTIVATE] = {"activate", WM_QUANTITY_JOULES, 0, WM_ENERGY_MOST_AJ, 0, OF_DRAM, 0, 6, "pJ"},
    [LEAKAGE] = {"leakage", WM_QUANTITY_WATTS, 0, WM_ENERGY_MOST_NW, 0, OF_ARRAYS, 0, 6, "mW"},
    [AREA] = {"area", WM_QUANTITY_AREA, 0, WM_ENERGY_MOST_UM2, 0, OF_ARRAYS, 0, 6, "mm2"},
    [UNITS] = {"units", WM_QUANTITY_COUNT, 1, WM_ENERGY_MOST_UNITS, 1, OF_ARRAYS, 0, 0, ""},
    [PORTS] = {"ports", WM_QUANTITY_COUNT, 1, WM_ENERGY_MOST_PORTS, 1, OF_ARRAYS, 0, 0, ""},
    [BYTE_MM] = {"byte_mm", WM_QUANTITY_JOULES, 1, WM_ENERGY_MOST_AJ, 0, OF_INTERCONNECT,
                 OF_INTERCONNECT, 6, "pJ"},
};

static unsigned sort_of(const char *name)
{
    enum wm_energy_sort sort = wm_energy_sort_of(name);
    return sort == WM_ENERGY_LINK     ? OF_INTERCONNECT
           : sort == WM_ENERGY_MEMORY ? OF_DRAM
                                      : OF_ARRAYS;
}

static enum wm_status form_of_rows(struct wm_error *error)
{
    return wm_error_hint(error, "write it like \"l2 1MiB read 99.7pJ write 96.1pJ leakage 211.24mW "
                                "area 1.25mm2\" or \"l2 cacti FILE\"");
}

static enum wm_status split(const char *text, struct words *words, struct wm_error *error)
{
    words->count = 0;
    for (const char *at = text; *(at += strspn(at, " \t\r\n")) != '\0';) {
        size_t length = strcspn(at, " \t\r\n");
        if (words->count == MOST_WORDS || length >= WORD_BYTES) {
            wm_fail(error, WM_INVALID, "this is no row of an energy table: it is too long");
            return form_of_rows(error);
        }
        memcpy(words->at[words->count], at, length);
        words->at[words->count++][length] = '\0';
        at += length;
    }
    if (words->count >= 2)
        return WM_OK;
    wm_fail(error, WM_INVALID, "\"%.40s\" is no row of an energy table", text);
    return form_of_rows(error);
}

// Whether a component may be called so; that one is, a machine says (wm_energy_model_init).
static enum wm_status check_name(const char *name, struct wm_error *error)
{
    static const char legal[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";
    size_t length = strlen(name);
    if (length < WM_ENERGY_NAME_BYTES && strspn(name, legal) == length && name[0] >= 'a')
        return WM_OK;
    wm_fail(error, WM_INVALID, "\"%.40s\" is no name of a component", name);
    return wm_error_hint(error, "name what the row is of, as machine files do: l1, l2, dram");
}

static enum wm_status unknown_field(const char *of, const char *name, struct wm_error *error)
{
    char known[BUFFER_BYTES * 2];
    size_t used = 0;
    known[0] = '\0';
    for (enum field field = 0; field < FIELDS; field++)
        if (fields[field].of & sort_of(of))
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                     fields[field].name);
    wm_fail(error, WM_INVALID, "a row of %s has no \"%.40s\"", of, name);
    return wm_error_hint(error, "after the capacity, known are %s, each with its value", known);
}

static enum wm_status read_quantity(const char *of, const char *name, const char *text,
                                    enum wm_quantity quantity, uint64_t least, uint64_t most,
                                    uint64_t *value, struct wm_error *error)
{
    struct wm_error inner;
    if (wm_units_parse(text, quantity, value, &inner) != WM_OK) {
        wm_fail(error, WM_INVALID, "%s of %s: %s", name, of, inner.message);
        return wm_error_hint(error, "%s", inner.hint);
    }
    if (*value >= least && *value <= most)
        return WM_OK;
    char low[BUFFER_BYTES], high[BUFFER_BYTES];
    wm_fail(error, WM_INVALID, "%s of %s: %.40s is out of range", name, of, text);
    return wm_error_hint(error, "legal is %s to %s",
                         wm_units_print(least, quantity, low, sizeof low),
                         wm_units_print(most, quantity, high, sizeof high));
}

static enum wm_status read_fields(const struct words *words, unsigned from, const char *of,
                                  uint64_t values[FIELDS], struct wm_error *error)
{
    bool given[FIELDS] = {0};
    for (enum field field = 0; field < FIELDS; field++)
        values[field] = fields[field].fallback;
    for (unsigned i = from; i < words->count; i += 2) {
        enum field field = 0;
        const char *name = words->at[i];
        while (field < FIELDS && strcmp(fields[field].name, name) != 0)
            field++;
        if (field == FIELDS || !(fields[field].of & sort_of(of)))
            return unknown_field(of, name, error);
        if (given[field] || i + 1 == words->count) {
            wm_fail(error, WM_INVALID, "%s of %s %s", name, of,
                    given[field] ? "is given twice" : "has no value");
            return form_of_rows(error);
        }
        WM_TRY(read_quantity(of, name, words->at[i + 1], fields[field].quantity,
                             fields[field].least, fields[field].most, &values[field], error));
        given[field] = true;
    }
    for (enum field field = 0; field < FIELDS; field++) {
        if (given[field] || !(fields[field].required_of & sort_of(of)))
            continue;
        wm_fail(error, WM_INVALID, "a row of %s is without its %s", of, fields[field].name);
        return form_of_rows(error);
    }
    return WM_OK;
}

// "l2 cacti FILE", and perhaps "ports N".
static enum wm_status add_cacti(const struct words *words, const char *of, const char *referrer,
                                struct wm_energy_table *table, struct wm_error *error)
{
    struct wm_energy_row row = {.units = 1, .ports = 1};
    char path[PATH_MAX];
    uint64_t ports = 1;
    bool has_ports = words->count == 5 && strcmp(words->at[3], "ports") == 0;
    if ((words->count != 3 && !has_ports) || sort_of(of) != OF_ARRAYS) {
        wm_fail(error, WM_INVALID, "\"cacti\" takes a file, and of an array that has a capacity");
        return wm_error_hint(error, "write it like \"l2 cacti FILE\" or \"l1 cacti FILE ports 2\"");
    }
    if (has_ports)
        WM_TRY(read_quantity(of, "ports", words->at[4], WM_QUANTITY_COUNT, 1, WM_ENERGY_MOST_PORTS,
                             &ports, error));
    snprintf(row.name, sizeof row.name, "%.*s", (int)sizeof row.name - 1, of);
    row.ports = (uint32_t)ports;
    WM_TRY(wm_referenced_file_path(referrer, words->at[2], path, sizeof path, error));
    struct wm_text bytes;
    wm_text_init(&bytes);
    enum wm_status status = wm_referenced_file_read("output of CACTI", path, &bytes, error);
    if (status == WM_OK)
        status = wm_cacti_read_text(bytes.data ? bytes.data : "", bytes.length, path, &row, table,
                                    error);
    wm_text_release(&bytes);
    return status;
}

enum wm_status wm_energy_row_add(const char *text, const char *referrer,
                                 struct wm_energy_table *table, struct wm_error *error)
{
    struct words words;
    uint64_t values[FIELDS], capacity_bytes = 0;
    WM_TRY(split(text, &words, error));
    const char *of = words.at[0];
    WM_TRY(check_name(of, error));
    if (strcmp(words.at[1], "cacti") == 0)
        return add_cacti(&words, of, referrer, table, error);
    bool has_capacity = wm_energy_sort_of(of) != WM_ENERGY_LINK;
    if (has_capacity)
        WM_TRY(read_quantity(of, "capacity", words.at[1], WM_QUANTITY_BYTES, 1,
                             WM_ENERGY_MOST_BYTES, &capacity_bytes, error));
    WM_TRY(read_fields(&words, has_capacity ? 2 : 1, of, values, error));
    struct wm_energy_row row = {
        .units = (uint32_t)values[UNITS],
        .ports = (uint32_t)values[PORTS],
        .capacity_bytes = capacity_bytes,
        .read_aj = has_capacity ? values[READ] : values[BYTE_MM],
        .write_aj = has_capacity ? values[WRITE] : values[BYTE_MM],
        .beside_aj = values[TAG] + values[ACTIVATE], // one is not of such a row, and 0
        .leakage_nw = values[LEAKAGE],
        .area_um2 = values[AREA],
    };
    memcpy(row.name, of, strlen(of));
    return wm_energy_table_add(table, &row, error);
}

void wm_energy_row_print(const struct wm_energy_row *row, struct wm_text *text)
{
    const uint64_t values[FIELDS] = {
        [READ] = row->read_aj,       [WRITE] = row->write_aj,     [TAG] = row->beside_aj,
        [ACTIVATE] = row->beside_aj, [LEAKAGE] = row->leakage_nw, [AREA] = row->area_um2,
        [UNITS] = row->units,        [PORTS] = row->ports,        [BYTE_MM] = row->read_aj};
    char buffer[BUFFER_BYTES];
    wm_text_add(text, row->name);
    if (wm_energy_sort_of(row->name) != WM_ENERGY_LINK)
        wm_text_format(
            text, " %s",
            wm_units_print(row->capacity_bytes, WM_QUANTITY_BYTES, buffer, sizeof buffer));
    for (enum field field = 0; field < FIELDS; field++) {
        bool is_default = values[field] == fields[field].fallback;
        if (!(fields[field].of & sort_of(row->name)) || is_default)
            continue;
        wm_units_decimal(values[field], fields[field].digits, buffer, sizeof buffer);
        wm_text_format(text, " %s %s%s", fields[field].name, buffer, fields[field].unit);
    }
}

static enum wm_status add(const char *text, const char *referrer, void *table,
                          struct wm_error *error)
{
    return wm_energy_row_add(text, referrer, table, error);
}

static bool print(const void *table, unsigned index, struct wm_text *text)
{
    const struct wm_energy_table *rows = table;
    if (index >= rows->count)
        return false;
    wm_energy_row_print(&rows->rows[index], text);
    return true;
}

const struct wm_row_table_kind wm_energy_row_table = {
    .noun = "energy table",
    .article = "an",
    .folder = "energy",
    .example = "l2 1MiB read 99.7pJ write 96.1pJ",
    .bytes = sizeof(struct wm_energy_table),
    .most_rows = WM_ENERGY_MAX_ROWS,
    .add = add,
    .print = print,
};

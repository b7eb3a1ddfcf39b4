#include "study/tables/level_columns.h"

#include "base/text/units.h"
#include "mem/system/memory_components.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL_BYTES = 32, LEAST_NAME = 24 };

// --- Places: levels, and memory behind them ---

const char *wm_level_place_name(const struct wm_level_list *levels, uint32_t place)
{
    return place == levels->count ? wm_dram_counter_set.kind : levels->levels[place].name;
}

const char *wm_level_place_title(const struct wm_level_list *levels, uint32_t place,
                                 char title[WM_LEVEL_COUNTER_BYTES])
{
    return wm_level_title(wm_level_place_name(levels, place), title);
}

bool wm_level_above_title(const struct wm_level_list *levels, uint32_t place,
                          char title[WM_LEVEL_COUNTER_BYTES])
{
    uint32_t found = 0;
    snprintf(title, WM_LEVEL_COUNTER_BYTES, "SM");
    for (uint32_t i = 0; i < levels->count; i++)
        if (levels->levels[i].data && levels->levels[i].below == place) {
            wm_level_place_title(levels, i, title);
            found++;
        }
    return found <= 1;
}

// --- Which columns there are ---

static bool is_shown(const struct wm_level_list *levels, uint32_t place,
                     const struct wm_instruction_counters *all)
{
    const struct wm_level_counters row = wm_listed_row(levels, place, all);
    return row.hits + row.misses != 0 ||
           (levels->levels[place].data && !wm_level_list_has_cpu(levels));
}

static struct wm_level_column *add(struct wm_level_columns *columns,
                                   const struct wm_level_list *levels, uint32_t place, bool rate)
{
    struct wm_level_column *added = &columns->columns[columns->count++];
    *added = (struct wm_level_column){.rate = rate,
                                      .data = place == levels->count || levels->levels[place].data};
    snprintf(added->name, sizeof added->name, "%s", wm_level_place_name(levels, place));
    return added;
}

static void add_rate(struct wm_level_columns *columns, const struct wm_level_list *levels,
                     uint32_t place)
{
    char title[WM_LEVEL_COUNTER_BYTES];
    struct wm_level_column *added = add(columns, levels, place, true);
    snprintf(added->head, sizeof added->head, "%s hit", wm_level_place_title(levels, place, title));
}

static void add_bytes(struct wm_level_columns *columns, const struct wm_level_list *levels,
                      uint32_t place)
{
    char title[WM_LEVEL_COUNTER_BYTES], above[WM_LEVEL_COUNTER_BYTES];
    struct wm_level_column *added = add(columns, levels, place, false);
    wm_level_place_title(levels, place, title);
    if (place == levels->count) // its name says enough
        snprintf(added->head, sizeof added->head, "%s", title);
    else if (wm_level_above_title(levels, place, above))
        snprintf(added->head, sizeof added->head, "%s-%s", above, title);
    else
        snprintf(added->head, sizeof added->head, "%s bytes", title);
}

void wm_level_columns_make(const struct wm_level_list *levels,
                           const struct wm_instruction_counters *all,
                           struct wm_level_columns *columns)
{
    columns->count = 0;
    for (uint32_t i = 0; i < levels->count; i++)
        if (is_shown(levels, i, all))
            add_rate(columns, levels, i);
    for (uint32_t i = 0; i < levels->count; i++)
        if (levels->levels[i].from_above && is_shown(levels, i, all))
            add_bytes(columns, levels, i);
    add_bytes(columns, levels, levels->count);
}

static bool has(const struct wm_level_columns *columns, const struct wm_level_column *column)
{
    for (uint32_t i = 0; i < columns->count; i++)
        if (columns->columns[i].rate == column->rate &&
            strcmp(columns->columns[i].name, column->name) == 0)
            return true;
    return false;
}

void wm_level_columns_join(struct wm_level_columns *columns, const struct wm_level_columns *more)
{
    for (uint32_t i = 0; i < more->count && columns->count < WM_MOST_LEVEL_COLUMNS; i++) {
        const struct wm_level_column *column = &more->columns[i];
        if (has(columns, column))
            continue;
        uint32_t at = columns->count - 1; // before memory, rates before all bytes
        while (column->rate && at > 0 && !columns->columns[at - 1].rate)
            at--;
        memmove(&columns->columns[at + 1], &columns->columns[at],
                (columns->count - at) * sizeof *column);
        columns->columns[at] = *column;
        columns->count++;
    }
}

// --- Their values ---

double wm_level_column_value(const struct wm_level_column *column,
                             const struct wm_level_list *levels,
                             const struct wm_instruction_counters *counters)
{
    uint32_t place = 0;
    while (place <= levels->count && strcmp(wm_level_place_name(levels, place), column->name) != 0)
        place++;
    if (place > levels->count)
        return NAN;
    const struct wm_level_counters row = wm_listed_row(levels, place, counters);
    double hits = (double)row.hits, looked_up = hits + (double)row.misses;
    if (!column->rate)
        return (double)row.bytes;
    return looked_up == 0 ? NAN : 100.0 * hits / looked_up;
}

const char *wm_level_cell_text(const struct wm_level_column *column, double value, char *text,
                               size_t size)
{
    if (isnan(value))
        snprintf(text, size, "-");
    else if (column->rate)
        snprintf(text, size, "%.1f%%", value);
    else
        wm_units_round(value, WM_QUANTITY_BYTES, text, size);
    return text;
}

void wm_level_rows_of_components(const struct wm_level_list *levels,
                                 uint64_t (*sum)(const void *context, const char *kind,
                                                 const char *counter),
                                 const void *context, struct wm_instruction_counters *counters)
{
    const char *memory = wm_dram_counter_set.kind;
    *counters = (struct wm_instruction_counters){
        .memory_bytes = sum(context, memory, "bytes_read") + sum(context, memory, "bytes_written")};
    for (uint32_t i = 0; i < levels->count; i++) {
        const char *kind = levels->levels[i].name;
        counters->levels[levels->levels[i].number] = (struct wm_level_counters){
            .hits = sum(context, kind, "hits"),
            .misses = sum(context, kind, "misses"),
            .bytes = sum(context, kind, "bytes_to_above") + sum(context, kind, "bytes_from_above")};
    }
}

// --- In a table ---

void wm_report_table_begin_levels(struct wm_text_table *table,
                                  const struct wm_report_table *declared, uint32_t count,
                                  const struct wm_level_columns *columns)
{
    struct wm_report_column all[WM_TABLE_COLUMNS];
    uint32_t levels = columns->count;
    if (levels > WM_TABLE_COLUMNS - count)
        levels = WM_TABLE_COLUMNS - count;
    memcpy(all, declared->columns, count * sizeof *all);
    for (uint32_t i = 0; i < levels; i++)
        all[count + i] =
            (struct wm_report_column){.head = columns->columns[i].head,
                                      .alignment = 'r',
                                      .optional = columns->columns[i].data ? 0 : LEAST_NAME};
    const struct wm_report_table joined = {declared->where, all, count + levels};
    wm_report_table_begin(table, &joined, joined.count);
}

void wm_report_level_cells(struct wm_text_table *table, uint32_t first,
                           const struct wm_level_columns *columns,
                           const struct wm_level_list *levels,
                           const struct wm_instruction_counters *counters)
{
    char text[CELL_BYTES];
    for (uint32_t i = 0; i < columns->count && first + i < table->columns; i++) {
        const struct wm_level_column *column = &columns->columns[i];
        double value = wm_level_column_value(column, levels, counters);
        wm_text_table_cell(table, first + i, "%s",
                           wm_level_cell_text(column, value, text, sizeof text));
    }
}

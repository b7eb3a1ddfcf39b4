#include "study/tables/launches.h"

#include "base/text/units.h"
#include "study/format/csv_field.h"
#include "study/format/long_table.h"
#include "study/run_report/result_sums.h"
#include "study/tables/column_titles.h"
#include "study/tables/level_columns.h"

#include <inttypes.h>

uint64_t wm_launch_sum(const struct wm_results *results, const struct wm_launch_result *launch,
                       const char *kind, const char *name)
{
    uint64_t sum = 0;
    const uint64_t *values = launch->values;
    for (uint32_t i = 0; i < results->level_count; i++) {
        const struct wm_counter_set *set = results->levels[i].set;
        size_t index = strcmp(set->kind, kind) == 0 ? wm_counter_index(set, name) : set->count;
        if (index < set->count)
            sum += values[index];
        values += set->count;
    }
    return sum;
}

// --- For people ---

static const struct wm_report_column launch_columns[] = {
    {"Launch", 'r', 0, "the launch's number among all of the run, from 0", NULL, "ID"},
    {"Grid", 'r', 0, "blocks of the launch, in each dimension", NULL, "launch__grid_size"},
    {"Block", 'r', 0, "threads of a block, in each dimension", NULL, "launch__block_size"},
    WM_COLUMN_WARP_INSTR,
    WM_COLUMN_CYCLES,
    WM_COLUMN_L1_HIT,
    WM_COLUMN_L2_HIT,
    WM_COLUMN_L1_L2,
    WM_COLUMN_DRAM,
    {"Kernel", 'l', 0, "the kernel that was launched", NULL, NULL},
};
enum { LAUNCH_COLUMNS = sizeof launch_columns / sizeof launch_columns[0], LAUNCH_CYCLES = 4 };
const struct wm_report_table wm_launch_table =
    WM_REPORT_TABLE("run and replay --per-launch: each launch", launch_columns);

static void add_round(struct wm_long_table *table, uint64_t number, enum wm_quantity quantity)
{
    char text[32];
    wm_long_table_add(table, "%s", wm_units_round((double)number, quantity, text, sizeof text));
}

static void add_size(struct wm_long_table *table, const uint32_t size[3])
{
    if (size[1] == 1 && size[2] == 1)
        wm_long_table_add(table, "%" PRIu32, size[0]);
    else if (size[2] == 1)
        wm_long_table_add(table, "%" PRIu32 "x%" PRIu32, size[0], size[1]);
    else
        wm_long_table_add(table, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, size[0], size[1], size[2]);
}

struct summed {
    const struct wm_results *results;
    const struct wm_launch_result *launch; // NULL: all of them
};

static uint64_t sum(const void *context, const char *kind, const char *counter)
{
    const struct summed *of = context;
    if (of->launch != NULL)
        return wm_launch_sum(of->results, of->launch, kind, counter);
    uint64_t all = 0;
    for (uint64_t i = 0; i < of->results->launch_count; i++)
        all += wm_launch_sum(of->results, &of->results->launches[i], kind, counter);
    return all;
}

static struct wm_instruction_counters moved_by(const struct wm_results *results,
                                               const struct wm_launch_result *launch)
{
    const struct summed of = {results, launch};
    struct wm_instruction_counters moved;
    wm_level_rows_of_components(&results->counted->levels, sum, &of, &moved);
    return moved;
}

static void add_row(struct wm_long_table *table, const struct wm_results *results,
                    const struct wm_level_columns *columns, const struct wm_launch_result *it)
{
    wm_long_table_row(table);
    wm_long_table_add(table, "%" PRIu64, it->number);
    add_size(table, it->grid);
    add_size(table, it->block);
    add_round(table, it->warp_instructions, WM_QUANTITY_COUNT);
    if (results->rates.sms != 0)
        wm_long_table_add(table, "%" PRIu64, it->cycles);
    struct wm_instruction_counters moved = moved_by(results, it);
    for (uint32_t i = 0; i < columns->count; i++) {
        const struct wm_level_column *column = &columns->columns[i];
        char cell[32];
        double value = wm_level_column_value(column, &results->counted->levels, &moved);
        wm_long_table_add(table, "%s", wm_level_cell_text(column, value, cell, sizeof cell));
    }
    wm_long_table_add(
        table, "%s",
        wm_kernel_name_within(&results->kernels[it->kernel].shown, WM_KERNEL_NAME_COLUMNS));
}

// Names are long and last: nothing is cut.
void wm_report_launches(const struct wm_results *results, struct wm_text *text)
{
    if (!results->per_launch || results->launch_count == 0)
        return;
    struct wm_level_columns columns = {0};
    struct wm_instruction_counters all = moved_by(results, NULL);
    if (strcmp(results->engine, "none") != 0)
        wm_level_columns_make(&results->counted->levels, &all, &columns);
    uint32_t before = results->rates.sms != 0 ? LAUNCH_CYCLES + 1 : LAUNCH_CYCLES;
    struct wm_long_table table;
    char alignment[WM_LONG_TABLE_COLUMNS + 1] = "";
    memset(alignment, 'r', before + columns.count);
    alignment[before + columns.count] = 'l';
    wm_long_table_init(&table, alignment);
    wm_long_table_row(&table);
    for (uint32_t i = 0; i < before; i++)
        wm_long_table_add(&table, "%s", launch_columns[i].head);
    for (uint32_t i = 0; i < columns.count; i++)
        wm_long_table_add(&table, "%s", columns.columns[i].head);
    wm_long_table_add(&table, "%s", launch_columns[LAUNCH_COLUMNS - 1].head);
    for (uint64_t i = 0; i < results->launch_count; i++)
        add_row(&table, results, &columns, &results->launches[i]);
    wm_text_add(text, "\n");
    wm_long_table_print(&table, text);
}

// --- For scripts ---

// Paths, kinds and counters' names are ours and need no escapes.
static void put_levels(const struct wm_results *results, const struct wm_launch_result *it,
                       FILE *stream)
{
    const uint64_t *values = it->values;
    for (uint32_t i = 0; i < results->level_count; i++) {
        const struct wm_level *level = &results->levels[i];
        fprintf(stream, "%s{\"path\":\"%s\",\"kind\":\"%s\",\"counters\":{", i > 0 ? "," : "",
                level->path, level->set->kind);
        for (size_t c = 0; c < level->set->count; c++)
            fprintf(stream, "%s\"%s\":%" PRIu64, c > 0 ? "," : "", level->set->declarations[c].name,
                    *values++);
        fputs("}}", stream);
    }
}

static void put_size(const char *key, const uint32_t size[3], FILE *stream)
{
    fprintf(stream, ",\"%s\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", key, size[0], size[1],
            size[2]);
}

void wm_launches_json(const struct wm_results *results, FILE *stream)
{
    if (!results->per_launch)
        return;
    fputs("  \"launches\": [", stream);
    for (uint64_t i = 0; i < results->launch_count; i++) {
        const struct wm_launch_result *it = &results->launches[i];
        fprintf(stream, "%s\n    {\"launch\":%" PRIu64 ",\"kernel\":%" PRIu32, i > 0 ? "," : "",
                it->number, it->kernel);
        put_size("grid", it->grid, stream);
        put_size("block", it->block, stream);
        fprintf(stream,
                ",\"dynamic_shared_bytes\":%" PRIu32 ",\"blocks_per_sm\":%" PRIu32
                ",\"warp_instructions\":%" PRIu64 ",\"thread_instructions\":%" PRIu64,
                it->dynamic_shared_bytes, it->blocks_per_sm, it->warp_instructions,
                it->thread_instructions);
        if (results->rates.sms != 0)
            fprintf(stream, ",\"cycles\":%" PRIu64, it->cycles);
        fputs(",\"levels\":[", stream);
        put_levels(results, it, stream);
        fputs("]}", stream);
    }
    fputs("\n  ],\n", stream);
}

static void csv_row(const struct wm_results *results, const struct wm_launch_result *it,
                    const char *level, const char *counter, uint64_t value, const char *unit,
                    FILE *stream)
{
    const struct wm_kernel_result *kernel = &results->kernels[it->kernel];
    wm_csv_field(stream, kernel->name);
    fprintf(stream, ",launch %" PRIu64 "%s%s,%s,%" PRIu64 ",%s,", it->number,
            level[0] != '\0' ? " " : "", level, counter, value, unit);
    if (level[0] == '\0')
        wm_csv_field(stream, kernel->signature);
    fputc('\n', stream);
}

void wm_launches_csv(const struct wm_results *results, FILE *stream)
{
    for (uint64_t i = 0; i < results->launch_count; i++) {
        const struct wm_launch_result *it = &results->launches[i];
        csv_row(results, it, "", "warp_instructions", it->warp_instructions, "warp-instructions",
                stream);
        csv_row(results, it, "", "thread_instructions", it->thread_instructions,
                "thread-instructions", stream);
        if (results->rates.sms != 0)
            csv_row(results, it, "", "cycles", it->cycles, "cycles", stream);
        const uint64_t *values = it->values;
        for (uint32_t l = 0; l < results->level_count; l++) {
            const struct wm_counter_set *set = results->levels[l].set;
            for (size_t c = 0; c < set->count; c++)
                csv_row(results, it, results->levels[l].path, set->declarations[c].name, *values++,
                        set->declarations[c].unit, stream);
        }
    }
}

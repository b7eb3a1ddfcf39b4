#include "study/tables/cpu_cores.h"

#include "base/text/units.h"
#include "study/format/text_table.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_CORES = 8, MOST_COUNTERS = 32 };

static const struct wm_report_column core_columns[] = {
    {"CPU cores", 'l', 0, "a core; of several, all of them", NULL, NULL},
    {"cycles", 'r', 0, "cycles of the core from its first instruction until all was done",
     "the core's own, until all is done", NULL},
    {"IPC", 'r', 0, "instructions that retired, a cycle", NULL, NULL},
    {"loads", 'r', 0, "loads that retired", NULL, NULL},
    {"stores", 'r', 0, "stores that retired, locked operations among them",
     "locked operations among them", NULL},
    {"latency", 'r', 0, "mean of the cycles from a load's dispatch to its data",
     "mean cycles from a load's dispatch to its data", NULL},
    {"window", 'r', 0, "of the cycles, those without a dispatch since the window was full",
     "of the cycles, those without a dispatch, and what was full, or the oldest of the window",
     NULL},
    {"load queue", 'r', 0, "those in which the load queue was full", NULL, NULL},
    {"store buffer", 'r', 0, "those in which the store buffer was full", NULL, NULL},
    {"fence", 'r', 0, "those in which a fence was the oldest of a full window", NULL, NULL},
    {"locked", 'r', 0, "those in which a locked operation was", NULL, NULL},
    {"order", 'r', 0, "those in which another core had to do something first",
     "another core had to do something first", NULL},
};
const struct wm_report_table wm_cpu_core_table =
    WM_REPORT_TABLE("run and replay in time: CPU cores", core_columns);

static uint64_t value_of(const struct wm_counter_set *set, const uint64_t *values, const char *name)
{
    return values[wm_counter_index(set, name)];
}

static void count_cell(struct wm_text_table *table, uint32_t column, uint64_t count)
{
    char number[32];
    wm_text_table_cell(table, column, "%s",
                       wm_units_round((double)count, WM_QUANTITY_COUNT, number, sizeof number));
}

static void fill_row(struct wm_text_table *table, const struct wm_counter_set *set,
                     const uint64_t *values)
{
    // In the order of the columns.
    static const char *const stalls[] = {"stalled_window",       "stalled_load_queue",
                                         "stalled_store_buffer", "stalled_fence",
                                         "stalled_locked",       "stalled_order"};
    uint64_t cycles = value_of(set, values, "cycles"), loads = value_of(set, values, "loads");
    wm_text_table_cell(table, 1, "%" PRIu64, cycles);
    wm_text_table_cell(table, 2, "%.3g",
                       (double)value_of(set, values, "instructions") / (double)cycles);
    count_cell(table, 3, loads);
    count_cell(table, 4, value_of(set, values, "stores") + value_of(set, values, "locked"));
    if (loads == 0)
        wm_text_table_cell(table, 5, "-");
    else
        wm_text_table_cell(table, 5, "%.1f",
                           (double)value_of(set, values, "load_cycles") / (double)loads);
    for (uint32_t i = 0; i < sizeof stalls / sizeof stalls[0]; i++)
        wm_text_table_cell(table, 6 + i, "%.1f%%",
                           100.0 * (double)value_of(set, values, stalls[i]) / (double)cycles);
}

void wm_report_cpu_cores(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    struct wm_text_table table;
    uint64_t sums[MOST_COUNTERS] = {0};
    uint32_t cores = 0;
    const struct wm_counter_set *set = NULL;
    wm_report_table_begin(&table, &wm_cpu_core_table, wm_cpu_core_table.count);
    for (uint32_t i = 0; i < results->component_count; i++) {
        const struct wm_component_result *core = &results->components[i];
        if (strcmp(core->set->kind, "core") != 0 ||
            value_of(core->set, core->values, "cycles") == 0)
            continue;
        set = core->set;
        for (size_t c = 0; c < set->count && c < MOST_COUNTERS; c++)
            sums[c] += core->values[c];
        if (cores++ >= MOST_CORES)
            continue;
        const char *end = strrchr(core->path, '.');
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "  %.*s", (int)(end - core->path), core->path);
        fill_row(&table, set, core->values);
    }
    if (cores == 0)
        return;
    if (cores > 1) {
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "  all %" PRIu32, cores);
        fill_row(&table, set, sums);
    }
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
    wm_report_table_legend(&wm_cpu_core_table, wm_cpu_core_table.count, columns, text);
}

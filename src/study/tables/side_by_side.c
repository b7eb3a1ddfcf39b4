#include "study/tables/side_by_side.h"

#include "base/text/units.h"
#include "study/format/long_table.h"
#include "study/run_report/result_sums.h"
#include "study/tables/column_titles.h"
#include "study/tables/level_columns.h"

#include <inttypes.h>
#include <math.h>

enum { CELL_BYTES = 64 };

// What a row is of.
struct row {
    const struct wm_results *results;
    struct wm_instruction_counters counters_by_pc; // of all kernels
    uint64_t cycles;
};

static double warp_instructions(const struct row *row)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < row->results->kernel_count; i++)
        sum += row->results->kernels[i].warp_instructions;
    return (double)sum;
}

static double cycles(const struct row *row)
{
    return (double)row->cycles;
}

// As the base keeps time: in picoseconds.
static double picoseconds(const struct row *row)
{
    return row->results->clock_hz == 0
               ? 0
               : (double)row->cycles / (double)row->results->clock_hz * 1e12;
}

// In attojoules.
static double energy(const struct row *row)
{
    return row->results->energy == NULL ? NAN : (double)row->results->energy->dynamic_fj * 1e3;
}

enum form { ROUND, WHOLE, RATE };

static const struct wm_report_column side_columns[] = {
    WM_COLUMNS_MEASURED,
    {"energy", 'r', 0, "of the memory system, without leakage", NULL, NULL},
    {"Machine", 'l', 0, "the machine, and the settings of its variant", NULL, NULL},
};
const struct wm_report_table wm_side_by_side_table =
    WM_REPORT_TABLE("replay: several machines or variants side by side", side_columns);

// Those that are not of levels, in the order of side_columns.
static const struct column {
    double (*value)(const struct row *row);
    enum form form;
    enum wm_quantity quantity; // of ROUND
    bool timed, priced;        // only of the clock engine; only with an energy table
} columns[] = {
    {warp_instructions, ROUND, WM_QUANTITY_COUNT, false, false},
    {cycles, WHOLE, WM_QUANTITY_COUNT, true, false},
    {picoseconds, ROUND, WM_QUANTITY_SECONDS, true, false},
    {energy, ROUND, WM_QUANTITY_JOULES, false, true},
};
enum {
    COLUMNS = sizeof columns / sizeof columns[0],
    BEFORE_LEVELS = 3, // columns of levels come before this one
    DECLARED = sizeof side_columns / sizeof side_columns[0],
};

static const char *head_of(int column)
{
    return side_columns[column < BEFORE_LEVELS ? column : DECLARED - 1 - COLUMNS + column].head;
}

static void add_number(struct wm_long_table *table, enum form form, enum wm_quantity quantity,
                       double value)
{
    char text[CELL_BYTES];
    if (isnan(value))
        wm_long_table_add(table, "-");
    else if (form == RATE)
        wm_long_table_add(table, "%.1f%%", value);
    else if (form == WHOLE)
        wm_long_table_add(table, "%.0f", value);
    else
        wm_long_table_add(table, "%s", wm_units_round(value, quantity, text, sizeof text));
}

static void add_difference(struct wm_long_table *table, enum form form, double first, double value)
{
    double points = form == RATE ? value - first : 100.0 * (value - first) / first;
    if (value == first || (isnan(value) && isnan(first)))
        wm_long_table_add(table, "=");
    else if (isnan(points) || isinf(points))
        wm_long_table_add(table, "-");
    else
        wm_long_table_add(table, form == RATE ? "%+.1f" : "%+.1f%%", points);
}

static struct row make_row(const struct wm_results *results)
{
    struct row row = {.results = results};
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        struct wm_instruction_counters counters_by_pc =
            wm_kernel_instruction_counters(&results->kernels[i]);
        wm_instruction_counters_add(&row.counters_by_pc, &counters_by_pc);
        row.cycles += results->kernels[i].cycles;
    }
    // Kernels that ran side by side took less together.
    if (results->elapsed_cycles != 0 && results->elapsed_cycles < row.cycles)
        row.cycles = results->elapsed_cycles;
    return row;
}

static bool is_shown(const struct column *column, const struct wm_results *first)
{
    return (!column->timed || first->rates.sms != 0) && (!column->priced || first->energy != NULL);
}

static double level_value(const struct wm_level_column *column, const struct row *row)
{
    return wm_level_column_value(column, &row->results->counted->levels, &row->counters_by_pc);
}

// A number, and behind it the difference from the first row's.
static void add_cells(struct wm_long_table *table, enum form form, enum wm_quantity quantity,
                      double first, double value, bool is_first)
{
    add_number(table, form, quantity, value);
    if (is_first)
        wm_long_table_add(table, "%s", "");
    else
        add_difference(table, form, first, value);
}

static void add_row(struct wm_long_table *table, const struct wm_level_columns *of_levels,
                    const struct row *first, const struct row *row)
{
    wm_long_table_row(table);
    for (int i = 0; i <= COLUMNS; i++) {
        for (uint32_t at = 0; i == BEFORE_LEVELS && at < of_levels->count; at++) {
            const struct wm_level_column *column = &of_levels->columns[at];
            add_cells(table, column->rate ? RATE : ROUND, WM_QUANTITY_BYTES,
                      level_value(column, first), level_value(column, row), row == first);
        }
        if (i < COLUMNS && is_shown(&columns[i], first->results))
            add_cells(table, columns[i].form, columns[i].quantity, columns[i].value(first),
                      columns[i].value(row), row == first);
    }
    const char *variant = row->results->variant;
    wm_long_table_add(table, "%s%s%s", row->results->machine_name, variant != NULL ? " " : "",
                      variant != NULL ? variant : "");
}

static void add_head(struct wm_long_table *table, const char *head)
{
    wm_long_table_add(table, "%s", head);
    wm_long_table_add(table, "%s", "");
}

// Those of all machines.
static void find_levels(const struct wm_results *const *results, uint32_t count,
                        struct wm_level_columns *of_levels)
{
    for (uint32_t i = 0; i < count; i++) {
        struct wm_level_columns own;
        struct row row = make_row(results[i]);
        wm_level_columns_make(&results[i]->counted->levels, &row.counters_by_pc, &own);
        if (i == 0)
            *of_levels = own;
        else
            wm_level_columns_join(of_levels, &own);
    }
}

void wm_report_side_by_side(const struct wm_results *const *results, uint32_t count,
                            struct wm_text *text)
{
    char alignment[WM_LONG_TABLE_COLUMNS + 1] = "";
    struct wm_long_table table;
    struct wm_level_columns of_levels;
    if (count < 2)
        return;
    find_levels(results, count, &of_levels);
    uint32_t shown = of_levels.count;
    for (int i = 0; i < COLUMNS; i++)
        shown += is_shown(&columns[i], results[0]);
    memset(alignment, 'r', 2 * (size_t)shown);
    alignment[2 * shown] = 'l';
    wm_long_table_init(&table, alignment);
    wm_long_table_row(&table);
    for (int i = 0; i <= COLUMNS; i++) {
        for (uint32_t at = 0; i == BEFORE_LEVELS && at < of_levels.count; at++)
            add_head(&table, of_levels.columns[at].head);
        if (i < COLUMNS && is_shown(&columns[i], results[0]))
            add_head(&table, head_of(i));
    }
    wm_long_table_add(&table, "%s", head_of(COLUMNS));
    struct row first = make_row(results[0]);
    add_row(&table, &of_levels, &first, &first);
    for (uint32_t i = 1; i < count; i++) {
        struct row row = make_row(results[i]);
        add_row(&table, &of_levels, &first, &row);
    }
    wm_text_add(text, "\nSide by side, with the difference from the first\n");
    wm_long_table_print(&table, text);
}

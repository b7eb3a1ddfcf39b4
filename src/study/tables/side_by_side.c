#include "study/tables/side_by_side.h"

#include "base/text/units.h"
#include "study/format/long_table.h"
#include "study/run_report/result_sums.h"
#include "study/tables/column_titles.h"

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

static double rate(uint64_t hits, uint64_t misses)
{
    return hits + misses == 0 ? NAN : 100.0 * (double)hits / ((double)hits + (double)misses);
}

static double l1_rate(const struct row *row)
{
    return rate(row->counters_by_pc.l1_hits, row->counters_by_pc.l1_misses);
}

static double l2_rate(const struct row *row)
{
    return rate(row->counters_by_pc.l2_hits, row->counters_by_pc.l2_misses);
}

static double l1_l2_bytes(const struct row *row)
{
    return (double)row->counters_by_pc.bytes_l1_l2;
}

static double dram_bytes(const struct row *row)
{
    return (double)row->counters_by_pc.bytes_dram;
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

// In the order of side_columns.
static const struct column {
    double (*value)(const struct row *row);
    enum form form;
    enum wm_quantity quantity; // of ROUND
    bool timed, priced;        // only of the clock engine; only with an energy table
} columns[] = {
    {warp_instructions, ROUND, WM_QUANTITY_COUNT, false, false},
    {cycles, WHOLE, WM_QUANTITY_COUNT, true, false},
    {picoseconds, ROUND, WM_QUANTITY_SECONDS, true, false},
    {l1_rate, RATE, WM_QUANTITY_COUNT, false, false},
    {l2_rate, RATE, WM_QUANTITY_COUNT, false, false},
    {l1_l2_bytes, ROUND, WM_QUANTITY_BYTES, false, false},
    {dram_bytes, ROUND, WM_QUANTITY_BYTES, false, false},
    {energy, ROUND, WM_QUANTITY_JOULES, false, true},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };
_Static_assert(COLUMNS + 1 == sizeof side_columns / sizeof side_columns[0], "the machine is last");

static void add_number(struct wm_long_table *table, const struct column *column, double value)
{
    char text[CELL_BYTES];
    if (isnan(value))
        wm_long_table_add(table, "-");
    else if (column->form == RATE)
        wm_long_table_add(table, "%.1f%%", value);
    else if (column->form == WHOLE)
        wm_long_table_add(table, "%.0f", value);
    else
        wm_long_table_add(table, "%s", wm_units_round(value, column->quantity, text, sizeof text));
}

static void add_difference(struct wm_long_table *table, const struct column *column, double first,
                           double value)
{
    double points = column->form == RATE ? value - first : 100.0 * (value - first) / first;
    if (value == first)
        wm_long_table_add(table, "=");
    else if (isnan(points) || isinf(points))
        wm_long_table_add(table, "-");
    else
        wm_long_table_add(table, column->form == RATE ? "%+.1f" : "%+.1f%%", points);
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

static void add_row(struct wm_long_table *table, const struct row *first, const struct row *row)
{
    wm_long_table_row(table);
    for (int i = 0; i < COLUMNS; i++) {
        const struct column *column = &columns[i];
        if (!is_shown(column, first->results))
            continue;
        double value = column->value(row);
        add_number(table, column, value);
        if (row == first)
            wm_long_table_add(table, "%s", "");
        else
            add_difference(table, column, column->value(first), value);
    }
    const char *variant = row->results->variant;
    wm_long_table_add(table, "%s%s%s", row->results->machine_name, variant != NULL ? " " : "",
                      variant != NULL ? variant : "");
}

void wm_report_side_by_side(const struct wm_results *const *results, uint32_t count,
                            struct wm_text *text)
{
    char alignment[2 * COLUMNS + 2] = "";
    struct wm_long_table table;
    if (count < 2)
        return;
    uint32_t shown = 0;
    for (int i = 0; i < COLUMNS; i++)
        shown += is_shown(&columns[i], results[0]);
    memset(alignment, 'r', 2 * (size_t)shown);
    alignment[2 * shown] = 'l';
    wm_long_table_init(&table, alignment);
    wm_long_table_row(&table);
    for (int i = 0; i < COLUMNS; i++)
        if (is_shown(&columns[i], results[0])) {
            wm_long_table_add(&table, "%s", side_columns[i].head);
            wm_long_table_add(&table, "%s", "");
        }
    wm_long_table_add(&table, "%s", side_columns[COLUMNS].head);
    struct row first = make_row(results[0]);
    add_row(&table, &first, &first);
    for (uint32_t i = 1; i < count; i++) {
        struct row row = make_row(results[i]);
        add_row(&table, &first, &row);
    }
    wm_text_add(text, "\nSide by side, with the difference from the first\n");
    wm_long_table_print(&table, text);
}

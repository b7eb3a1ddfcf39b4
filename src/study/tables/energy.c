// The energy section of the screen: a line a structure, from the SM down as the boundaries stand.
#include "study/tables/energy.h"

#include "base/text/units.h"
#include "study/format/text_table.h"

enum { BAR = 8, NUMBER_BYTES = 48 };
enum { NAME, READS, READ, WRITES, WRITE, OTHERS, OTHER, ENERGY, SHARE, BARS };

static const struct wm_report_column energy_columns[] = {
    {"Energy", 'l', 0, "a structure of the machine", NULL, NULL},
    {"reads", 'r', 0, "its reads; of the interconnect, bytes carried", NULL, NULL},
    {"pJ", 'r', 0, "picojoules of one; ~ interpolated between two rows of the energy table", NULL,
     NULL},
    {"writes", 'r', 0, "its writes", NULL, NULL},
    {"pJ", 'r', 0, "picojoules of one", NULL, NULL},
    {"other", 'r', 0, "look-ups of its tags alone; of DRAM, rows opened", NULL, NULL},
    {"pJ", 'r', 0, "picojoules of one", NULL, NULL},
    {"energy", 'r', 0, "dynamic energy of all of them", NULL, NULL},
    {"share", 'r', 0, "of all structures' dynamic energy", NULL, NULL},
    {"", 'l', 0, NULL, NULL, NULL}, // a bar
};
const struct wm_report_table wm_energy_columns =
    WM_REPORT_TABLE("run and replay: energy, where the machine has a table of it", energy_columns);

static void count_cell(struct wm_text_table *table, uint32_t column, uint64_t count,
                       enum wm_quantity quantity)
{
    char number[NUMBER_BYTES];
    wm_text_table_cell(table, column, "%s",
                       wm_units_round((double)count, quantity, number, sizeof number));
}

// Whole attojoules as picojoules, to a tenth or, of small ones, a thousandth.
static void each_cell(struct wm_text_table *table, uint32_t column, uint64_t aj, bool interpolated)
{
    char number[NUMBER_BYTES];
    uint64_t tenths = (aj + 50000) / 100000, thousandths = (aj + 500) / 1000;
    bool large = tenths >= 100;
    wm_text_table_cell(
        table, column, "%s%s", interpolated ? "~" : "",
        wm_units_decimal(large ? tenths : thousandths, large ? 1 : 3, number, sizeof number));
}

static void energy_cell(struct wm_text_table *table, uint32_t column, uint64_t fj)
{
    char number[NUMBER_BYTES];
    wm_text_table_cell(
        table, column, "%s",
        fj == 0 ? "0 pJ"
                : wm_units_round((double)fj * 1000, WM_QUANTITY_JOULES, number, sizeof number));
}

static void print_line(struct wm_text_table *table, const struct wm_energy_line *line,
                       uint64_t all_fj)
{
    bool wire = wm_energy_sort_of(line->name) == WM_ENERGY_LINK;
    enum wm_quantity quantity = wire ? WM_QUANTITY_BYTES : WM_QUANTITY_COUNT;
    char title[WM_LEVEL_COUNTER_BYTES];
    double share = all_fj ? (double)line->dynamic_fj / (double)all_fj : 0;
    wm_text_table_row(table);
    wm_text_table_cell(table, NAME, "  %s", wm_level_title(line->name, title));
    count_cell(table, READS, wire ? line->reads + line->writes : line->reads, quantity);
    each_cell(table, READ, line->cost.read_aj, line->cost.interpolated);
    if (!wire) {
        count_cell(table, WRITES, line->writes, quantity);
        each_cell(table, WRITE, line->cost.write_aj, line->cost.interpolated);
    }
    if (line->cost.beside_aj != 0) {
        count_cell(table, OTHERS, line->beside, quantity);
        each_cell(table, OTHER, line->cost.beside_aj, line->cost.interpolated);
    }
    energy_cell(table, ENERGY, line->dynamic_fj);
    wm_text_table_cell(table, SHARE, "%.1f%%", 100 * share);
    wm_text_table_cell(table, BARS, "%.*s", (int)(share * BAR + 0.5), "########");
}

static void print_rest(const struct wm_energy_result *energy, struct wm_text *text)
{
    char leakage[NUMBER_BYTES], area[NUMBER_BYTES], lost[NUMBER_BYTES], time[NUMBER_BYTES];
    wm_text_format(
        text, "Leakage %s mW",
        wm_units_decimal((energy->leakage_nw + 5000) / 10000, 2, leakage, sizeof leakage));
    if (energy->time_ps != 0)
        wm_text_format(text, ", in %s %s",
                       wm_units_print(energy->time_ps, WM_QUANTITY_SECONDS, time, sizeof time),
                       wm_units_round((double)energy->leakage_fj * 1000, WM_QUANTITY_JOULES, lost,
                                      sizeof lost));
    wm_text_format(text, "; area %s mm2.\n",
                   wm_units_decimal((energy->area_um2 + 5000) / 10000, 2, area, sizeof area));
    bool interpolated = false;
    for (uint32_t i = 0; i < energy->line_count; i++)
        interpolated = interpolated || energy->lines[i].cost.interpolated;
    if (interpolated)
        wm_text_add(text, "~ interpolated between two rows of the energy table.\n");
    for (uint32_t i = 0; i < energy->uncounted.count; i++)
        wm_text_format(text, "%s%s%s", i ? ", " : "Not in the energy table and not counted: ",
                       energy->uncounted.names[i], i + 1 == energy->uncounted.count ? ".\n" : "");
}

void wm_report_energy(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    const struct wm_energy_result *energy = results->energy;
    struct wm_text_table table;
    if (energy == NULL)
        return;
    wm_report_table_begin(&table, &wm_energy_columns, wm_energy_columns.count);
    for (uint32_t i = 0; i < energy->line_count; i++)
        print_line(&table, &energy->lines[i], energy->dynamic_fj);
    wm_text_table_row(&table);
    wm_text_table_cell(&table, NAME, "  all, dynamic");
    energy_cell(&table, ENERGY, energy->dynamic_fj);
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
    print_rest(energy, text);
}

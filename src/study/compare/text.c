// A comparison for people: kernels, lines, levels, largest change first.
#include "base/text/units.h"
#include "study/compare/compare.h"
#include "study/format/long_table.h"
#include "study/run_report/result_sums.h"
#include "study/tables/column_titles.h"
#include "study/tables/level_columns.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CELL_BYTES = 64, MOST_SETTINGS = 12 };

enum form { ROUND, WHOLE, RATE };

struct measured {
    double value; // NAN: none
    enum form form;
    enum wm_quantity quantity; // of ROUND
};

static void add_number(struct wm_long_table *table, const struct measured *it)
{
    char text[CELL_BYTES];
    if (isnan(it->value))
        wm_long_table_add(table, "-");
    else if (it->form == RATE)
        wm_long_table_add(table, "%.1f%%", it->value);
    else if (it->form == WHOLE)
        wm_long_table_add(table, "%.0f", it->value);
    else
        wm_long_table_add(table, "%s", wm_units_round(it->value, it->quantity, text, sizeof text));
}

static void add_difference(struct wm_long_table *table, const struct measured *a,
                           const struct measured *b)
{
    double points =
        b->form == RATE ? b->value - a->value : 100.0 * (b->value - a->value) / a->value;
    if (a->value == b->value || (isnan(a->value) && isnan(b->value)))
        wm_long_table_add(table, "=");
    else if (isnan(points))
        wm_long_table_add(table, "-");
    else if (isinf(points) || points > 99999)
        wm_long_table_add(table, "new");
    else
        wm_long_table_add(table, b->form == RATE ? "%+.1f" : "%+.1f%%", points);
}

// --- What is compared ---

static void add_machine(const struct wm_run_model *model, char side, struct wm_text *text)
{
    bool titled = model->title[0] != '\0';
    wm_text_format(text, "%c  %s: %s%s%s%s, %s%s%s\n", side, model->label, model->machine,
                   titled ? " (" : "", model->title, titled ? ")" : "",
                   model->timed                         ? "in time"
                   : strcmp(model->engine, "walk") == 0 ? "untimed walk"
                                                        : "executed only",
                   model->chosen != NULL ? ", " : "", model->chosen != NULL ? model->chosen : "");
}

static void add_settings(const struct wm_comparison *it, uint32_t most, struct wm_text *text)
{
    uint32_t shown = most == UINT32_MAX ? most : MOST_SETTINGS;
    if (it->setting_count == 0)
        return;
    wm_text_format(text, "\nThe machines differ in %" PRIu32 " key%s\n", it->setting_count,
                   it->setting_count == 1 ? "" : "s");
    struct wm_long_table table;
    wm_long_table_init(&table, "lll");
    for (uint32_t i = 0; i < it->setting_count && i < shown; i++) {
        wm_long_table_row(&table);
        wm_long_table_add(&table, "  %s", it->settings[i].key);
        wm_long_table_add(&table, "%s", it->settings[i].a != NULL ? it->settings[i].a : "-");
        wm_long_table_add(&table, "%s", it->settings[i].b != NULL ? it->settings[i].b : "-");
    }
    wm_long_table_print(&table, text);
    if (it->setting_count > shown)
        wm_text_format(text, "  and %" PRIu32 " more\n", it->setting_count - shown);
}

// --- Kernels ---

// A row's numbers: one kernel's, or the sum of all.
struct numbers {
    uint64_t launches, warp_instructions, cycles;
    struct wm_instruction_counters moved; // at the levels of the side's machine
};

static void add_kernel(struct numbers *to, const struct wm_model_kernel *kernel)
{
    to->launches += kernel->launches;
    to->warp_instructions += kernel->warp_instructions;
    to->cycles += kernel->cycles;
    wm_instruction_counters_add(&to->moved, &kernel->moved);
}

static void add_all(struct numbers *to, const struct wm_run_model *model)
{
    for (uint32_t i = 0; i < model->kernel_count; i++)
        add_kernel(to, &model->kernels[i]);
}

// Of both machines' levels.
static void find_levels(const struct wm_comparison *it, struct wm_level_columns *columns)
{
    struct numbers a = {0}, b = {0};
    struct wm_level_columns of_b;
    add_all(&a, it->a);
    add_all(&b, it->b);
    wm_level_columns_make(&it->a->levels, &a.moved, columns);
    wm_level_columns_make(&it->b->levels, &b.moved, &of_b);
    wm_level_columns_join(columns, &of_b);
}

// Columns before those of levels.
enum { MEASURES = 4, TIMED_FIRST = 2, TIMED_LAST = 3 };
static const struct wm_report_column kernel_columns[] = {
    {"Runs", 'r', 0, "its launches", NULL, NULL},
    WM_COLUMNS_MEASURED,
    {"Kernel", 'l', 0, "a kernel, all its launches added up", NULL, NULL},
};
const struct wm_report_table wm_compared_kernel_table =
    WM_REPORT_TABLE("compare: each kernel, in run A and in run B", kernel_columns);

static void measure(const struct numbers *of, uint64_t clock_hz, struct measured list[MEASURES])
{
    double time = clock_hz == 0 ? NAN : (double)of->cycles / (double)clock_hz * 1e12;
    list[0] = (struct measured){(double)of->launches, WHOLE, WM_QUANTITY_COUNT};
    list[1] = (struct measured){(double)of->warp_instructions, ROUND, WM_QUANTITY_COUNT};
    list[2] = (struct measured){(double)of->cycles, WHOLE, WM_QUANTITY_COUNT};
    list[3] = (struct measured){time, ROUND, WM_QUANTITY_SECONDS};
}

// Where a side has no such kernel, nothing is printed of it.
static struct measured measure_level(const struct wm_level_column *column,
                                     const struct wm_run_model *model, const struct numbers *of)
{
    static const struct numbers none;
    double value =
        wm_level_column_value(column, &model->levels, of != NULL ? &of->moved : &none.moved);
    return (struct measured){value, column->rate ? RATE : ROUND, WM_QUANTITY_BYTES};
}

// A number, and behind it the difference of B.
static void add_cells(struct wm_long_table *table, const struct measured *before,
                      const struct measured *after, int side, bool differs)
{
    add_number(table, side == 0 ? before : after);
    if (differs)
        add_difference(table, before, after);
    else
        wm_long_table_add(table, "%s", "");
}

// Two rows, or the one that there is.
static void add_kernel_rows(const struct wm_comparison *it, struct wm_long_table *table,
                            const struct wm_level_columns *columns, const struct numbers *a,
                            const struct numbers *b, const char *name)
{
    struct measured before[MEASURES], after[MEASURES];
    bool timed = it->a->timed || it->b->timed;
    if (a != NULL)
        measure(a, it->a->clock_hz, before);
    if (b != NULL)
        measure(b, it->b->clock_hz, after);
    for (int side = 0; side < 2; side++) {
        bool differs = side == 1 && a != NULL;
        if ((side == 0 ? a : b) == NULL)
            continue;
        wm_long_table_row(table);
        wm_long_table_add(table, "%c", side == 0 ? 'A' : 'B');
        for (int i = 0; i < MEASURES; i++)
            if (timed || i < TIMED_FIRST || i > TIMED_LAST)
                add_cells(table, &before[i], &after[i], side, differs);
        for (uint32_t i = 0; i < columns->count; i++) {
            const struct measured level_a = measure_level(&columns->columns[i], it->a, a),
                                  level_b = measure_level(&columns->columns[i], it->b, b);
            add_cells(table, &level_a, &level_b, side, differs);
        }
        wm_long_table_add(table, "%s%s", name,
                          a == NULL   ? ", in B alone"
                          : b == NULL ? ", in A alone"
                                      : "");
    }
}

static void add_pair(const struct wm_comparison *it, struct wm_long_table *table,
                     const struct wm_level_columns *columns, const struct wm_kernel_pair *pair)
{
    const char *name = wm_kernel_name_within(&pair->shown, WM_KERNEL_NAME_COLUMNS);
    struct numbers a = {0}, b = {0};
    if (pair->a != NULL)
        add_kernel(&a, pair->a);
    if (pair->b != NULL)
        add_kernel(&b, pair->b);
    add_kernel_rows(it, table, columns, pair->a != NULL ? &a : NULL, pair->b != NULL ? &b : NULL,
                    name);
}

static void add_head(struct wm_long_table *table, const char *head)
{
    wm_long_table_add(table, "%s", head);
    wm_long_table_add(table, "%s", "");
}

static void add_kernels(const struct wm_comparison *it, uint32_t most, struct wm_text *text)
{
    struct numbers all_a = {0}, all_b = {0};
    struct wm_long_table table;
    struct wm_level_columns columns;
    char alignment[WM_LONG_TABLE_COLUMNS + 1] = "l";
    bool timed = it->a->timed || it->b->timed;
    uint32_t shown = 0;
    find_levels(it, &columns);
    uint32_t last = 1 + 2 * (columns.count + MEASURES - (timed ? 0 : TIMED_LAST + 1 - TIMED_FIRST));
    memset(alignment + 1, 'r', last - 1);
    alignment[last] = 'l';
    wm_long_table_init(&table, alignment);
    wm_long_table_row(&table);
    wm_long_table_add(&table, "%s", "");
    for (int i = 0; i < MEASURES; i++)
        if (timed || i < TIMED_FIRST || i > TIMED_LAST)
            add_head(&table, kernel_columns[i].head);
    for (uint32_t i = 0; i < columns.count; i++)
        add_head(&table, columns.columns[i].head);
    wm_long_table_add(&table, "%s",
                      kernel_columns[sizeof kernel_columns / sizeof kernel_columns[0] - 1].head);
    for (uint32_t i = 0; i < it->kernel_count; i++) {
        const struct wm_kernel_pair *pair = &it->kernels[i];
        if (pair->a != NULL)
            add_kernel(&all_a, pair->a);
        if (pair->b != NULL)
            add_kernel(&all_b, pair->b);
        if (pair->differs && shown < most) {
            add_pair(it, &table, &columns, pair);
            shown++;
        }
    }
    if (it->kernel_count > 1)
        add_kernel_rows(it, &table, &columns, &all_a, &all_b, "all");
    wm_text_format(text, "\nKernels, by change of %s\n", timed ? "cycles" : "DRAM bytes");
    wm_long_table_print(&table, text);
    uint32_t same = it->kernel_count - it->differing_kernels;
    if (it->differing_kernels > shown)
        wm_text_format(text, "%" PRIu32 " more differ.\n", it->differing_kernels - shown);
    if (same > 0)
        wm_text_format(text, "%" PRIu32 " kernel%s the same in both.\n", same,
                       same == 1 ? " is" : "s are");
}

// --- Lines ---

static void add_line_place(struct wm_long_table *table, const struct wm_line_pair *line)
{
    const char *name = wm_kernel_name_within(&line->kernel->shown, WM_KERNEL_NAME_COLUMNS);
    const struct wm_model_instruction *a = line->a, *b = line->b, *it = a != NULL ? a : b;
    if (it->file == NULL)
        wm_long_table_add(table, "ptx:%" PRIu32, it->ptx_line);
    else if (a != NULL && b != NULL && a->line != b->line)
        wm_long_table_add(table, "%s:%" PRIu32 " (B: %" PRIu32 ")", it->file, a->line, b->line);
    else
        wm_long_table_add(table, "%s:%" PRIu32, it->file, it->line);
    uint32_t count = a != NULL ? line->count_a : line->count_b;
    char times[CELL_BYTES] = "";
    if (count > 1)
        snprintf(times, sizeof times, " x %" PRIu32, count);
    wm_long_table_add(table, "%s%s", it->opcode, times);
    wm_long_table_add(table, "%s%s", name,
                      a == NULL   ? ", in B alone"
                      : b == NULL ? ", in A alone"
                                  : "");
}

// What the line caused of a counter; 0 where no run counts it.
static double caused(const struct wm_comparison *it, const uint64_t *causes, const char *of,
                     const char *counter)
{
    char name[WM_INSTRUCTION_COUNTER_BYTES];
    snprintf(name, sizeof name, "%s%s", of, counter);
    for (uint32_t i = 0; i < it->name_count; i++)
        if (strcmp(it->names[i], name) == 0)
            return (double)causes[i];
    return 0;
}

static void add_triple(struct wm_long_table *table, double a, double b, enum wm_quantity quantity)
{
    const struct measured before = {a, ROUND, quantity}, after = {b, ROUND, quantity};
    add_number(table, &before);
    add_number(table, &after);
    add_difference(table, &before, &after);
}

static void add_line(const struct wm_comparison *it, struct wm_long_table *table,
                     const struct wm_level_columns *columns, const struct wm_line_pair *line,
                     bool timed)
{
    const uint64_t *a = line->causes_a, *b = line->causes_b;
    wm_long_table_row(table);
    add_triple(table, caused(it, a, "sectors", ""), caused(it, b, "sectors", ""),
               WM_QUANTITY_COUNT);
    for (uint32_t i = 0; i < columns->count; i++) {
        const char *name = columns->columns[i].name;
        if (!columns->columns[i].rate)
            add_triple(table, caused(it, a, name, ".bytes"), caused(it, b, name, ".bytes"),
                       WM_QUANTITY_BYTES);
    }
    if (timed)
        add_triple(table, (double)line->load_cycles_a, (double)line->load_cycles_b,
                   WM_QUANTITY_COUNT);
    add_line_place(table, line);
}

static const struct wm_report_column line_columns[] = {
    {"sectors", 'r', 0, "32-byte sectors that the line's accesses touched, in run A and in run B",
     NULL, "l1tex__t_sectors.sum"},
    WM_COLUMN_L1_L2,
    WM_COLUMN_DRAM,
    {"load cycles", 'r', 0, "cycles of the line's loads from issue until all lanes had their data",
     NULL, NULL},
    {"Line", 'l', 0, "the line of the source, its memory instructions and how many these are", NULL,
     NULL},
    {"Kernel", 'l', 0, "a kernel, all its launches added up", NULL, NULL},
};
const struct wm_report_table wm_compared_line_table =
    WM_REPORT_TABLE("compare: each line of the source", line_columns);

static void add_triple_head(struct wm_long_table *table, const char *head)
{
    wm_long_table_add(table, "%s: A", head);
    wm_long_table_add(table, "B");
    wm_long_table_add(table, "%s", "");
}

static void add_lines(const struct wm_comparison *it, uint32_t most, struct wm_text *text)
{
    bool timed = it->a->timed && it->b->timed;
    struct wm_long_table table;
    struct wm_level_columns columns;
    char alignment[WM_LONG_TABLE_COLUMNS + 1] = "";
    if (it->differing_lines == 0)
        return;
    find_levels(it, &columns);
    uint32_t numbers = 1 + timed;
    for (uint32_t i = 0; i < columns.count; i++)
        numbers += !columns.columns[i].rate;
    memset(alignment, 'r', 3 * (size_t)numbers);
    memcpy(alignment + 3 * (size_t)numbers, "lll", 4);
    wm_long_table_init(&table, alignment);
    wm_long_table_row(&table);
    add_triple_head(&table, line_columns[0].head);
    for (uint32_t i = 0; i < columns.count; i++)
        if (!columns.columns[i].rate)
            add_triple_head(&table, columns.columns[i].head);
    if (timed)
        add_triple_head(&table, line_columns[3].head);
    wm_long_table_add(&table, "%s", line_columns[4].head);
    wm_long_table_add(&table, "%s", "");
    wm_long_table_add(&table, "%s", line_columns[5].head);
    for (uint32_t i = 0; i < it->differing_lines && i < most; i++)
        add_line(it, &table, &columns, &it->lines[i], timed);
    wm_text_add(text, "\nLines, by change of bytes moved\n");
    wm_long_table_print(&table, text);
    if (it->differing_lines > most)
        wm_text_format(text, "%" PRIu32 " more differ.\n", it->differing_lines - most);
}

// --- Levels ---

static const struct wm_report_column level_columns[] = {
    {"A", 'r', 0, "in the first of two runs that are compared", NULL, NULL},
    {"B", 'r', 0, "in the second of two runs, and behind it the difference", NULL, NULL},
    {"Level", 'l', 0, "the components of a level of the machine, added up", NULL, NULL},
    {"Counter", 'l', 0, "what they count; \"warpmem explain KIND.COUNTER\" says what that is", NULL,
     NULL},
};
const struct wm_report_table wm_compared_level_table =
    WM_REPORT_TABLE("compare: each level of the machine", level_columns);

static void add_counters(const struct wm_comparison *it, uint32_t most, struct wm_text *text)
{
    struct wm_long_table table;
    if (it->counter_count == 0)
        return;
    wm_long_table_init(&table, "rrrlll");
    wm_long_table_row(&table);
    for (size_t i = 0; i < sizeof level_columns / sizeof level_columns[0]; i++) {
        wm_long_table_add(&table, "%s", level_columns[i].head);
        if (i == 1) { // the difference, and the unit
            wm_long_table_add(&table, "%s", "");
            wm_long_table_add(&table, "%s", "");
        }
    }
    for (uint32_t i = 0; i < it->counter_count && i < most; i++) {
        const struct wm_counter_pair *pair = &it->counters[i];
        const struct wm_model_counter *any = pair->a != NULL ? pair->a : pair->b;
        const struct measured a = {pair->a != NULL ? (double)pair->a->value : NAN, WHOLE,
                                   WM_QUANTITY_COUNT};
        const struct measured b = {pair->b != NULL ? (double)pair->b->value : NAN, WHOLE,
                                   WM_QUANTITY_COUNT};
        wm_long_table_row(&table);
        add_number(&table, &a);
        add_number(&table, &b);
        add_difference(&table, &a, &b);
        wm_long_table_add(&table, "%s", any->unit);
        wm_long_table_add(&table, "%s", any->level);
        wm_long_table_add(&table, "%s", any->name);
    }
    wm_text_add(text, "\nLevels, by change against the level's largest counter of that unit\n");
    wm_long_table_print(&table, text);
    if (it->counter_count > most)
        wm_text_format(text, "%" PRIu32 " more differ.\n", it->counter_count - most);
}

static void add_energy(const struct wm_comparison *it, struct wm_text *text)
{
    char a[CELL_BYTES], b[CELL_BYTES];
    if (!it->a->priced || !it->b->priced)
        return;
    // Attojoules are the unit that the base keeps.
    wm_text_format(text, "\nEnergy, without leakage: A %s, B %s (%+.1f%%)\n",
                   wm_units_round(it->a->dynamic_pj * 1e6, WM_QUANTITY_JOULES, a, sizeof a),
                   wm_units_round(it->b->dynamic_pj * 1e6, WM_QUANTITY_JOULES, b, sizeof b),
                   100.0 * (it->b->dynamic_pj - it->a->dynamic_pj) / it->a->dynamic_pj);
}

void wm_comparison_text(const struct wm_comparison *comparison, uint32_t most, struct wm_text *text)
{
    add_machine(comparison->a, 'A', text);
    add_machine(comparison->b, 'B', text);
    add_settings(comparison, most, text);
    if (!comparison->differs) {
        wm_text_add(text, "\nNothing that was counted differs.\n");
        return;
    }
    add_kernels(comparison, most, text);
    add_lines(comparison, most, text);
    add_counters(comparison, most, text);
    add_energy(comparison, text);
}

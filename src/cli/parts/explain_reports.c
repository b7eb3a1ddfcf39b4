// What reports print: the columns of their tables, and the counters of JSON, CSV and studies.
#include "cli/parts/explain_search.h"

#include "cli/bypass/bypass_columns.h"
#include "cli/bypass/hint_table.h"
#include "cli/framework/options.h"
#include "study/run_report/counter_sets.h"
#include "study/tables/columns.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

static void row(struct wm_explain_search *search, const char *left, const char *right)
{
    wm_usage_row(left, right, WM_EXPLAIN_COLUMN, search->text);
}

// --- Columns ---

// All tables of all reports, those of study/ first; NULL past the last.
static const struct wm_report_table *table_at(size_t index)
{
    static const struct wm_report_table *const own[] = {
        &wm_bypass_load_table, &wm_bypass_solution_table, &wm_bypass_hint_table,
        &wm_bypass_partition_table, &wm_bypass_fit_table};
    size_t before = 0;
    while (before < index && wm_report_table_at(before) != NULL)
        before++;
    const struct wm_report_table *table = wm_report_table_at(before);
    if (table != NULL)
        return table;
    return index - before < sizeof own / sizeof own[0] ? own[index - before] : NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool says_the_same(const struct wm_report_column *a, const struct wm_report_column *b)
{
    return same_text(a->head, b->head) && same_text(a->sentence, b->sentence) &&
           same_text(a->profiler, b->profiler);
}

static bool has_column(const struct wm_report_table *table, const struct wm_report_column *like)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (says_the_same(&table->columns[i], like))
            return true;
    return false;
}

// Whether a column that says the same comes earlier.
static bool was_explained(size_t table, uint32_t column)
{
    const struct wm_report_table *own = table_at(table);
    const struct wm_report_column *like = &own->columns[column];
    for (size_t i = 0; i < table; i++)
        if (has_column(table_at(i), like))
            return true;
    for (uint32_t i = 0; i < column; i++)
        if (says_the_same(&own->columns[i], like))
            return true;
    return false;
}

static void explain_column(struct wm_explain_search *search, const struct wm_report_column *column)
{
    const struct wm_report_table *table;
    const char *left = "printed by";
    wm_explain_begin(search);
    wm_text_format(search->text, "%s: a column of reports\n", column->head);
    row(search, "says", column->sentence);
    if (column->profiler != NULL)
        row(search, "Nsight", column->profiler);
    for (size_t i = 0; (table = table_at(i)) != NULL; i++)
        if (has_column(table, column)) {
            row(search, left, table->where);
            left = "";
        }
}

void wm_explain_columns(struct wm_explain_search *search)
{
    const struct wm_report_table *table;
    for (size_t i = 0; (table = table_at(i)) != NULL; i++)
        for (uint32_t c = 0; c < table->count; c++) {
            const struct wm_report_column *column = &table->columns[c];
            if (column->head[0] == '\0')
                continue;
            wm_nearest_offer(&search->nearest, column->head);
            if (strcasecmp(column->head, search->name) == 0 && !was_explained(i, c))
                explain_column(search, column);
        }
}

// --- Counters ---

static void explain_counter(struct wm_explain_search *search,
                            const struct wm_named_counters *counters,
                            const struct wm_counter_declaration *counter)
{
    const char *metric = wm_counter_profiler_metric(counters->kind, counter->name);
    wm_explain_begin(search);
    wm_text_format(search->text, "%s.%s: a counter\n", counters->kind, counter->name);
    row(search, "counts", counter->sentence);
    row(search, "unit", counter->unit);
    row(search, "of", counters->set->title);
    if (metric != NULL)
        row(search, "Nsight", metric);
}

// A name too long for the left side has a line of its own (wm_usage_row).
static void explain_kind(struct wm_explain_search *search, const struct wm_named_counters *counters)
{
    wm_explain_begin(search);
    wm_text_format(search->text, "%s: counters of each %s\n", counters->kind, counters->set->title);
    for (size_t i = 0; i < counters->set->count; i++)
        wm_usage_row(counters->set->declarations[i].name, counters->set->declarations[i].sentence,
                     24, search->text);
}

void wm_explain_counters(struct wm_explain_search *search)
{
    struct wm_named_counters counters;
    struct wm_instruction_counter_set at_instructions, explained;
    const struct wm_memory_spec all = wm_memory_spec_of_names();
    wm_instruction_counter_set_make(&all, &at_instructions);
    wm_instruction_miss_set_make(&all, &explained);
    const char *dot = strchr(search->name, '.');
    for (size_t i = 0; wm_counter_set_at(i, &at_instructions.set, &explained.set, &counters); i++) {
        bool named = dot != NULL && strlen(counters.kind) == (size_t)(dot - search->name) &&
                     strncmp(counters.kind, search->name, (size_t)(dot - search->name)) == 0;
        wm_nearest_offer(&search->nearest, counters.kind);
        if (strcmp(counters.kind, search->name) == 0)
            explain_kind(search, &counters);
        for (size_t c = 0; c < counters.set->count; c++) {
            const struct wm_counter_declaration *counter = &counters.set->declarations[c];
            wm_nearest_offer(&search->nearest, counter->name);
            if (strcmp(counter->name, named ? dot + 1 : search->name) == 0)
                explain_counter(search, &counters, counter);
        }
    }
}

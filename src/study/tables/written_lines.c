#include "study/tables/written_lines.h"

#include "study/format/text_table.h"
#include "study/run_report/result_sums.h"
#include "study/run_report/written_line_data.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_PLACES = 6, MOST_NAMES = 3 }; // of a line

static const struct wm_report_column written_line_columns[] = {
    {"Written lines", 'l', 0,
     "a line that several caches access and one writes at least, by address and by the variables "
     "and allocations that have bytes of it, where they are known; and below it the instructions "
     "that took copies of it from other caches, or missed as theirs had been taken",
     NULL, NULL},
    {"caches", 'r', 0, "coherent caches that accessed it; of an instruction, the SMs or cores",
     NULL, NULL},
    {"writers", 'r', 0, "of these, those that wrote it", NULL, NULL},
    {"taken", 'r', 0, "copies that the writes of another cache took", NULL, NULL},
    {"true", 'r', 0,
     "misses for it, of endless caches, after which a byte was accessed that another had written: "
     "true sharing",
     "misses of endless caches for it, for bytes that another wrote", NULL},
    {"false", 'r', 0,
     "the same, where none was: false sharing, which data in lines of their own do not have",
     "for others: false sharing", NULL},
};
const struct wm_report_table wm_written_line_table = WM_REPORT_TABLE(
    "annotate, and misses explained: lines that several write", written_line_columns);

static void add_counts(struct wm_text_table *table, uint64_t taken, uint64_t true_misses,
                       uint64_t false_misses)
{
    wm_text_table_cell(table, 3, "%" PRIu64, taken);
    wm_text_table_cell(table, 4, "%" PRIu64, true_misses);
    wm_text_table_cell(table, 5, "%" PRIu64, false_misses);
}

// "FILE:12 store", or the instruction as it is where its source is not known.
static void add_place(struct wm_text_table *table, const struct wm_written_place_result *place)
{
    const struct wm_instruction_result *it = place->instruction;
    const char *slash = it->source_file != NULL ? strrchr(it->source_file, '/') : NULL;
    struct wm_text where;
    wm_text_init(&where);
    if (it->source_file != NULL)
        wm_text_format(&where, "%s:%" PRIu32 " %s", slash != NULL ? slash + 1 : it->source_file,
                       it->source_line, wm_access_kind_name(it->kind));
    else
        wm_text_add(&where, it->text);
    if (!place->kernel->on_cores)
        wm_text_add(&where, ", ");
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "    %s", where.data != NULL ? where.data : "");
    if (!place->kernel->on_cores)
        wm_text_table_kernel(table, 0, &place->kernel->shown);
    wm_text_table_cell(table, 1, "%" PRIu32, place->units);
    add_counts(table, place->copies_taken, place->true_misses, place->false_misses);
    wm_text_release(&where);
}

static void add_line(struct wm_text_table *table, const struct wm_written_line_result *line)
{
    struct wm_text names;
    wm_text_init(&names);
    wm_written_line_names(line, MOST_NAMES, &names);
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "  0x%" PRIx64 "%s%s", line->address,
                       line->name_count != 0 ? " " : "", names.data != NULL ? names.data : "");
    wm_text_release(&names);
    wm_text_table_cell(table, 1, "%" PRIu32, line->caches);
    wm_text_table_cell(table, 2, "%" PRIu32, line->writers);
    add_counts(table, line->copies_taken, line->true_misses, line->false_misses);
    for (uint32_t i = 0; i < line->place_count && i < MOST_PLACES; i++)
        add_place(table, &line->places[i]);
}

// Rows that the line takes.
static uint32_t rows_of(const struct wm_written_line_result *line)
{
    return 1 + (line->place_count < MOST_PLACES ? line->place_count : MOST_PLACES);
}

void wm_report_written_lines(const struct wm_results *results, unsigned columns,
                             struct wm_text *text)
{
    struct wm_text_table table;
    uint32_t count = 0;
    if (results->written_line_count == 0)
        return;
    wm_report_table_begin(&table, &wm_written_line_table, wm_written_line_table.count);
    while (count < results->written_line_count &&
           table.rows + rows_of(&results->written_lines[count]) <= WM_TABLE_ROWS)
        add_line(&table, &results->written_lines[count++]);
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
    if (results->written_line_total > count)
        wm_text_format(text, "  and %" PRIu64 " more\n", results->written_line_total - count);
    wm_report_table_legend(&wm_written_line_table, wm_written_line_table.count, columns, text);
}

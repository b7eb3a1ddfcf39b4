// The annotated source as one page: style inside, no script, nothing loaded from anywhere. Folding
// is the browser's own (<details>); links lead to lines of the page itself.
#include "study/annotate/html.h"
#include "base/text/units.h"
#include "study/annotate/annotate.h"
#include "study/annotate/cells.h"
#include "study/format/html_text.h"
#include "study/run_report/report.h"
#include "study/run_report/report_file.h"
#include "study/run_report/result_sums.h"
#include "study/tables/counted_part.h"
#include "study/tables/written_lines.h"

#include <inttypes.h>
#include <math.h>

enum { MOST_HOT_LINES = 5, NUMBER_BYTES = 32 };

// A row's columns: the line's number, its figures, its text.
static int all_columns(const struct wm_annotate_columns *columns)
{
    return (int)columns->count + 2;
}

// "81.0 MiB" or "1.05 M".
static void put_number(FILE *stream, uint64_t value, enum wm_quantity quantity)
{
    char number[NUMBER_BYTES];
    if (quantity == WM_QUANTITY_COUNT && value < 100000)
        fprintf(stream, "%" PRIu64, value);
    else
        fputs(wm_units_round((double)value, quantity, number, sizeof number), stream);
}

// --- Facts: a name and a figure each ---

static void put_fact(FILE *stream, const char *name, uint64_t value, enum wm_quantity quantity)
{
    fprintf(stream, "<div><dt>%s</dt><dd>", name);
    put_number(stream, value, quantity);
    fputs("</dd></div>\n", stream);
}

static void put_traffic(FILE *stream, const struct wm_level_list *levels,
                        const struct wm_instruction_counters *moved)
{
    struct wm_level_columns columns;
    wm_level_columns_make(levels, moved, &columns);
    for (uint32_t i = 0; i < columns.count; i++) {
        const struct wm_level_column *column = &columns.columns[i];
        double value = wm_level_column_value(column, levels, moved);
        char title[WM_LEVEL_COUNTER_BYTES];
        if (!column->rate)
            put_fact(stream, column->head, (uint64_t)value, WM_QUANTITY_BYTES);
        else if (!isnan(value))
            fprintf(stream, "<div><dt>found in %s</dt><dd>%.1f%%</dd></div>\n",
                    wm_level_title(column->name, title), value);
    }
}

static void put_kernel_facts(FILE *stream, const struct wm_level_list *levels,
                             const struct wm_kernel_result *kernel)
{
    struct wm_instruction_counters counters_by_pc = wm_kernel_instruction_counters(kernel);
    const uint32_t *grid = kernel->grid, *block = kernel->block;
    fputs("<dl class=facts>\n", stream);
    put_fact(stream, "launches", kernel->launches, WM_QUANTITY_COUNT);
    fprintf(stream,
            "<div><dt>blocks x threads</dt><dd>%" PRIu32 "·%" PRIu32 "·%" PRIu32 " x %" PRIu32
            "·%" PRIu32 "·%" PRIu32 "</dd></div>\n",
            grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    put_fact(stream, "warp instructions", kernel->warp_instructions, WM_QUANTITY_COUNT);
    put_traffic(stream, levels, &counters_by_pc);
    if (kernel->l1_bytes != 0)
        put_fact(stream, "L1 of an SM", kernel->l1_bytes, WM_QUANTITY_BYTES);
    if (kernel->shared_bytes != 0)
        put_fact(stream, "shared memory of an SM", kernel->shared_bytes, WM_QUANTITY_BYTES);
    if (kernel->blocks_per_sm != 0) {
        fprintf(stream, "<div><dt>blocks an SM, limited by</dt><dd>%" PRIu32 ", ",
                kernel->blocks_per_sm);
        wm_html_text(stream, kernel->occupancy_limiter != NULL ? kernel->occupancy_limiter : "-");
        fputs("</dd></div>\n", stream);
    }
    fputs("</dl>\n", stream);
}

static void put_run_facts(FILE *stream, const struct wm_results *results)
{
    struct wm_instruction_counters counters_by_pc = {0};
    uint64_t launches = 0, instructions = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        struct wm_instruction_counters kernel =
            wm_kernel_instruction_counters(&results->kernels[i]);
        wm_instruction_counters_add(&counters_by_pc, &kernel);
        launches += results->kernels[i].launches;
        instructions += results->kernels[i].warp_instructions;
    }
    fputs("<dl class=facts>\n<div><dt>machine</dt><dd>", stream);
    wm_html_text(stream, results->machine_name);
    bool titled = results->machine_title != NULL && results->machine_title[0] != '\0';
    fputs(titled ? " (" : "", stream);
    wm_html_text(stream, titled ? results->machine_title : "");
    fputs(titled ? ")</dd></div>\n" : "</dd></div>\n", stream);
    put_fact(stream, "kernels", results->kernel_count, WM_QUANTITY_COUNT);
    put_fact(stream, "launches", launches, WM_QUANTITY_COUNT);
    put_fact(stream, "warp instructions", instructions, WM_QUANTITY_COUNT);
    put_traffic(stream, &results->counted->levels, &counters_by_pc);
    put_fact(stream, "copied by the host",
             results->host_to_device_bytes + results->device_to_host_bytes, WM_QUANTITY_BYTES);
    fputs("</dl>\n", stream);
}

// --- The lines that move most ---

struct place {
    uint32_t kernel, section;
    const struct wm_annotated_section *in;
    const struct wm_annotated_line *line; // NULL: none
};

static void put_anchor(FILE *stream, const struct place *place)
{
    fprintf(stream, "k%" PRIu32 "s%" PRIu32 "l%" PRIu32, place->kernel, place->section,
            place->line->number);
}

// Into the list in order, the last falling off its end; of equals, the earlier first.
static void rank(const struct wm_level_list *levels, struct place hot[MOST_HOT_LINES],
                 struct place place)
{
    static const struct wm_instruction_counters none;
    if (wm_compare_moved(levels, &place.line->counters, &none) == 0)
        return;
    for (uint32_t i = 0; i < MOST_HOT_LINES; i++)
        if (hot[i].line == NULL ||
            wm_compare_moved(levels, &place.line->counters, &hot[i].line->counters) > 0) {
            struct place pushed = hot[i];
            hot[i] = place;
            if (pushed.line == NULL)
                return;
            place = pushed;
        }
}

// "1.00 MiB DRAM, 2.00 MiB L1-L2": from memory upwards.
static void put_moved(FILE *stream, const struct wm_level_list *levels,
                      const struct wm_instruction_counters *counters)
{
    struct wm_level_columns columns;
    const char *between = "";
    wm_level_columns_make(levels, counters, &columns);
    for (uint32_t i = columns.count; i-- > 0;) {
        const struct wm_level_column *column = &columns.columns[i];
        if (column->rate)
            continue;
        fputs(between, stream);
        put_number(stream, (uint64_t)wm_level_column_value(column, levels, counters),
                   WM_QUANTITY_BYTES);
        fprintf(stream, " %s", column->head);
        between = ", ";
    }
}

static void put_hot_line(FILE *stream, const struct wm_level_list *levels,
                         const struct place *place)
{
    const char *file = place->in->file, *slash = file != NULL ? strrchr(file, '/') : NULL;
    fputs("<li><a href=\"#", stream);
    put_anchor(stream, place);
    fputs("\">", stream);
    wm_html_text(stream, file == NULL ? place->in->title : slash != NULL ? slash + 1 : file);
    fprintf(stream, ":%" PRIu32 "</a> <code>", place->line->number);
    const char *text = place->line->text;
    wm_html_text(stream, text + strspn(text, " \t"));
    fputs("</code> <span>", stream);
    put_moved(stream, levels, &place->line->counters);
    for (uint32_t i = 0; i < place->line->advice_count; i++)
        fprintf(stream, ", %s", place->line->advice[i].rule->name);
    fputs("</span></li>\n", stream);
}

static void put_hot_lines(FILE *stream, const struct wm_level_list *levels,
                          const struct wm_annotation *annotation)
{
    struct place hot[MOST_HOT_LINES] = {0};
    for (uint32_t k = 0; k < annotation->kernel_count; k++)
        for (uint32_t s = 0; s < annotation->kernels[k].section_count; s++) {
            const struct wm_annotated_section *in = &annotation->kernels[k].sections[s];
            for (uint32_t i = 0; i < in->line_count; i++)
                rank(levels, hot, (struct place){k, s, in, &in->lines[i]});
        }
    if (hot[0].line == NULL)
        return;
    fputs("<h2>Lines that move most</h2>\n<ol class=hot>\n", stream);
    for (uint32_t i = 0; i < MOST_HOT_LINES && hot[i].line != NULL; i++)
        put_hot_line(stream, levels, &hot[i]);
    fputs("</ol>\n", stream);
}

// --- Source ---

static bool put_advice(FILE *stream, const struct wm_annotate_columns *columns,
                       const struct wm_advice *advice)
{
    struct wm_text sentence;
    wm_text_init(&sentence);
    wm_advice_text(advice, &sentence);
    size_t name = strlen(advice->rule->name);
    bool good = !sentence.failed;
    if (good) {
        fprintf(stream, "<tr class=advice><td colspan=%d><b>%s</b>", all_columns(columns),
                advice->rule->name);
        wm_html_text(stream, sentence.data + name);
        fputs("</td></tr>\n", stream);
    }
    wm_text_release(&sentence);
    return good;
}

// Where instructions of inlined functions are, from the innermost place outwards.
static bool put_chain(FILE *stream, const struct wm_annotate_columns *columns,
                      const struct wm_instruction_result *it)
{
    struct wm_text sentence;
    wm_text_init(&sentence);
    wm_annotate_inline_chain_text(it, &sentence);
    bool good = !sentence.failed;
    if (good) {
        fprintf(stream, "<tr class=chain><td colspan=%d>", all_columns(columns));
        wm_html_text(stream, sentence.data);
        fputs("</td></tr>\n", stream);
    }
    wm_text_release(&sentence);
    return good;
}

// Bytes are shaded by their share of the section's most.
static void put_cell(FILE *stream, const struct wm_report_column *column,
                     const struct wm_annotate_cell *cell, uint64_t most)
{
    uint64_t value = cell->value;
    if (cell->shade == WM_SHADE_BYTES)
        value = most == 0 ? 0 : (uint64_t)(100.0 * (double)value / (double)most);
    if (cell->text[0] == '\0')
        fputs("<td></td>", stream);
    else if (cell->shade == WM_SHADE_NONE)
        fprintf(stream, "<td title=\"%s\">%s</td>", column->head, cell->text);
    else
        fprintf(stream, "<td title=\"%s\" class=%s style=\"--v:%" PRIu64 "\">%s</td>", column->head,
                cell->shade == WM_SHADE_RATE ? "rate" : "bytes", value, cell->text);
}

static bool put_line(FILE *stream, const struct wm_annotate_columns *columns,
                     const struct place *place, const uint64_t *most)
{
    const struct wm_annotated_line *line = place->line;
    struct wm_annotate_cell cells[WM_ANNOTATE_CELLS];
    bool good = true;
    wm_annotate_cells_of(columns, line, cells);
    fputs("<tr id=", stream);
    put_anchor(stream, place);
    fprintf(stream, "><td>%" PRIu32 "</td>", line->number);
    for (uint32_t c = 0; c < columns->count; c++)
        put_cell(stream, &columns->shown[c], &cells[c], most[c]);
    fputs("<td>", stream);
    wm_html_text(stream, line->text);
    fputs("</td></tr>\n", stream);
    for (uint32_t i = 0; i < line->inlined_count && good; i++)
        good = put_chain(stream, columns, line->inlined[i]);
    for (uint32_t a = 0; a < line->advice_count && good; a++)
        good = put_advice(stream, columns, &line->advice[a]);
    return good;
}

static void find_most(const struct wm_annotated_section *section,
                      const struct wm_annotate_columns *columns, uint64_t most[WM_ANNOTATE_CELLS])
{
    for (uint32_t i = 0; i < section->line_count; i++) {
        struct wm_annotate_cell cells[WM_ANNOTATE_CELLS];
        wm_annotate_cells_of(columns, &section->lines[i], cells);
        for (uint32_t c = 0; c < columns->count; c++)
            if (cells[c].value > most[c])
                most[c] = cells[c].value;
    }
}

static bool put_section(FILE *stream, const struct wm_annotate_columns *columns, uint32_t kernel,
                        uint32_t index, const struct wm_annotated_section *section)
{
    bool good = true;
    uint64_t most[WM_ANNOTATE_CELLS] = {0};
    find_most(section, columns, most);
    fputs("<h3>", stream);
    wm_html_text(stream, section->title);
    fputs("</h3>\n<div class=wide><table>\n<thead><tr><th>line</th>", stream);
    for (uint32_t c = 0; c < columns->count; c++) {
        fputs("<th title=\"", stream);
        wm_html_text(stream, columns->shown[c].sentence);
        fprintf(stream, "\">%s</th>", columns->shown[c].head);
    }
    fputs("<th>source</th></tr></thead>\n<tbody>\n", stream);
    for (uint32_t i = 0; i < section->line_count && good; i++) {
        if (section->file != NULL && i > 0 &&
            section->lines[i].number != section->lines[i - 1].number + 1)
            fprintf(stream, "<tr class=gap><td colspan=%d>…</td></tr>\n", all_columns(columns));
        struct place place = {kernel, index, section, &section->lines[i]};
        good = put_line(stream, columns, &place, most);
    }
    fputs("</tbody></table></div>\n", stream);
    return good;
}

static bool put_kernels(FILE *stream, const struct wm_annotate_columns *columns,
                        const struct wm_annotation *annotation)
{
    bool good = true;
    for (uint32_t i = 0; i < annotation->kernel_count && good; i++) {
        const struct wm_annotated_kernel *kernel = &annotation->kernels[i];
        fputs("<details class=kernel open><summary><code title=\"", stream);
        wm_html_text(stream, kernel->kernel->signature);
        fputs("\">", stream);
        wm_html_text(stream,
                     wm_kernel_heading_within(&kernel->kernel->shown, WM_KERNEL_NAME_COLUMNS));
        fputs("</code></summary>\n", stream);
        put_kernel_facts(stream, columns->levels, kernel->kernel);
        for (uint32_t s = 0; s < kernel->section_count && good; s++)
            good = put_section(stream, columns, i, s, &kernel->sections[s]);
        fputs("</details>\n", stream);
    }
    return good;
}

static void put_rules(FILE *stream, const struct wm_annotate_columns *columns)
{
    fputs("<h2>What the columns say</h2>\n<p class=key>Hit rates from "
          "<span class=scale></span>0 to 100%;<span class=load></span>bytes, as a share of the "
          "file's dearest line.</p>\n<dl class=rules>\n",
          stream);
    for (uint32_t c = 0; c < columns->count; c++) {
        fprintf(stream, "<dt>%s</dt><dd>", columns->shown[c].head);
        wm_html_text(stream, columns->shown[c].sentence);
        fputs("</dd>\n", stream);
    }
    fputs("</dl>\n<h2>Rules of advice</h2>\n<dl class=rules>\n", stream);
    for (uint32_t i = 0; i < wm_annotate_rule_count; i++) {
        const struct wm_annotate_rule *rule = &wm_annotate_rule_table[i];
        fprintf(stream, "<dt>%s</dt><dd>When ", rule->name);
        wm_html_text(stream, rule->threshold);
        fputs(". ", stream);
        wm_html_text(stream, rule->reason);
        struct wm_text basis;
        wm_text_init(&basis);
        wm_rule_basis(rule, &basis);
        fputs(" ", stream);
        wm_html_text(stream, basis.data != NULL ? basis.data : "");
        wm_text_release(&basis);
        fputs("</dd>\n", stream);
    }
    fputs("</dl>\n", stream);
}

static void put_head(FILE *stream, const struct wm_results *results)
{
    fprintf(stream,
            "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
            "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
            "<title>Memory traffic by source line</title>\n<style>\n%s</style>\n</head>\n<body>\n"
            "<header>\n<h1>Memory traffic by source line</h1>\n<p class=sub>",
            wm_annotate_style);
    for (const char *const *word = results->command; word != NULL && *word != NULL; word++) {
        fputs(word == results->command ? "<code>" : " ", stream);
        wm_html_text(stream, *word);
        fputs(word[1] == NULL ? "</code>, " : "", stream);
    }
    fprintf(stream, "%s, all launches added up</p>\n",
            wm_annotation_is_timed(results) ? "in time" : "untimed walk");
    put_run_facts(stream, results);
    fputs("</header>\n", stream);
}

static void put_no_kernel(FILE *stream, const struct wm_results *results)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_report_no_kernel(results, &text);
    fputs("<p>", stream);
    if (text.data != NULL)
        wm_html_text(stream, text.data);
    fputs("</p>\n", stream);
    wm_text_release(&text);
}

static void put_reason(FILE *stream, const struct wm_measured_advice *measured)
{
    const char *reason = wm_measured_advice_reason(measured);
    if (reason == NULL)
        return;
    fputs("<p>Advice was not measured: ", stream);
    wm_html_text(stream, reason);
    fputs(".</p>\n", stream);
}

// The table as it is in text.
static void put_written_lines(FILE *stream, const struct wm_results *results)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_report_written_lines(results, WM_REPORT_UNLIMITED, &text);
    if (text.data != NULL) {
        fputs("<h2>Lines that several write</h2>\n<pre>", stream);
        wm_html_text(stream, text.data);
        fputs("</pre>\n", stream);
    }
    wm_text_release(&text);
}

enum wm_status wm_annotate_html(const struct wm_results *results,
                                const struct wm_measured_advice *measured, const char *path,
                                struct wm_error *error)
{
    struct wm_report_file file;
    struct wm_annotation annotation;
    WM_TRY(wm_report_file_open(&file, path, error));
    bool good = wm_annotation_init(&annotation, results, measured);
    struct wm_annotate_columns columns;
    wm_annotate_columns_make(results, &columns);
    put_head(file.stream, results);
    if (results->kernel_count == 0)
        put_no_kernel(file.stream, results);
    if (good)
        put_hot_lines(file.stream, columns.levels, &annotation);
    good = good && put_kernels(file.stream, &columns, &annotation);
    put_written_lines(file.stream, results);
    put_reason(file.stream, measured);
    put_rules(file.stream, &columns);
    fputs("</body>\n</html>\n", file.stream);
    wm_annotation_release(&annotation);
    return wm_report_file_close(&file, good, error);
}

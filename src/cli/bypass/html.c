// What warpmem bypass decided, as one page: style inside, no script, nothing loaded from anywhere.
#include "base/text/units.h"
#include "cli/bypass/all_sets.h"
#include "cli/bypass/formats.h"
#include "cli/bypass/hint_table.h"
#include "cli/bypass/page.h"
#include "cli/bypass/partition.h"
#include "study/annotate/source_file.h"
#include "study/format/html_text.h"
#include "study/run_report/report_file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_SOURCES = 64 }; // files whose lines are shown

struct page {
    FILE *stream;
    const struct wm_bypass_report *report;
    struct wm_arena arena; // of the sources
    struct {
        const char *path;
        struct wm_source_file *file; // NULL: not found
    } sources[MOST_SOURCES];
    uint32_t source_count;
};

// --- Source ---

// The line's text; NULL when it cannot be read.
static const char *source_line(struct page *page, const char *path, uint32_t number)
{
    uint32_t i = 0;
    if (path == NULL)
        return NULL;
    while (i < page->source_count && strcmp(page->sources[i].path, path) != 0)
        i++;
    if (i == page->source_count) {
        if (i == MOST_SOURCES)
            return NULL;
        page->sources[i].path = path;
        page->sources[i].file = wm_source_file_read(&page->arena, path);
        page->source_count++;
    }
    const struct wm_source_file *file = page->sources[i].file;
    return file != NULL && number >= 1 && number <= file->line_count ? file->lines[number - 1]
                                                                     : NULL;
}

// --- Facts ---

static void put_fact(FILE *stream, const char *name, const char *value)
{
    fprintf(stream, "<div><dt>%s</dt><dd>", name);
    wm_html_text(stream, value);
    fputs("</dd></div>\n", stream);
}

static void put_count(FILE *stream, const char *name, uint64_t count)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, count);
    put_fact(stream, name, number);
}

static void put_bytes(FILE *stream, const char *name, double bytes)
{
    char number[WM_BYPASS_CELL_BYTES];
    put_fact(stream, name, wm_bypass_bytes(bytes, number));
}

static void put_head(struct page *page)
{
    const struct wm_bypass_report *report = page->report;
    FILE *stream = page->stream;
    fprintf(stream,
            "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
            "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
            "<title>Which loads are to use L1</title>\n<style>\n%s%s</style>\n</head>\n<body>\n"
            "<header>\n<h1>Which loads are to use L1</h1>\n<p class=sub><code>",
            wm_page_style, wm_bypass_style);
    for (uint32_t i = 0; i < report->word_count; i++) {
        fputs(i > 0 ? " " : "", stream);
        wm_html_text(stream, report->words[i]);
    }
    fputs("</code></p>\n<dl class=facts>\n", stream);
    put_fact(stream, "machine", report->machine->name);
    put_bytes(stream, "L1 line", report->program->profile->line_bytes);
    put_fact(stream, "decided by", wm_bypass_solver_names[report->solver]);
    put_fact(stream, "efficiencies", wm_efficiency_source_names[report->program->source]);
    put_count(stream, "kernels", report->program->kernel_count);
    put_fact(stream, "measured",
             report->measured == NULL ? "no"
             : report->clock          ? "in bytes and cycles"
                                      : "in bytes");
    fputs("</dl>\n</header>\n", stream);
}

static void put_kernel_facts(struct page *page, const struct wm_bypass_kernel *kernel)
{
    const struct wm_profiled_kernel *profiled = kernel->profiled;
    FILE *stream = page->stream;
    fputs("<dl class=facts>\n", stream);
    put_count(stream, "loads", profiled->load_count);
    put_count(stream, "launches", profiled->launches);
    put_bytes(stream, "L1 of an SM", (double)profiled->l1_bytes);
    put_count(stream, "loads that use L1",
              wm_bypass_count_cached(kernel, wm_bypass_solution_of(page->report->program, kernel,
                                                                   page->report->solver)));
    fputs("</dl>\n", stream);
}

// --- Tables ---

void wm_bypass_put_heads(FILE *stream, const struct wm_report_table *table, uint32_t count,
                         const char *more)
{
    fputs("<thead><tr>", stream);
    for (uint32_t c = 0; c < count; c++) {
        const struct wm_report_column *column = &table->columns[c];
        fprintf(stream, "<th%s", column->alignment == 'l' ? " class=l" : "");
        if (column->sentence != NULL) {
            fputs(" title=\"", stream);
            wm_html_text(stream, column->sentence);
            fputs("\"", stream);
        }
        fprintf(stream, ">%s</th>", column->head);
    }
    fprintf(stream, "%s</tr></thead>\n<tbody>\n", more);
}

static void put_load(struct page *page, const struct wm_bypass_kernel *kernel, uint32_t kernel_at,
                     uint32_t number)
{
    const struct wm_bypass_load *load = &kernel->loads[number];
    FILE *stream = page->stream;
    struct wm_bypass_load_cells cells;
    wm_bypass_load_cells_of(page->report, kernel, number, &cells);
    fprintf(stream, "<tr id=k%" PRIu32 "l%" PRIu32 ">", kernel_at + 1, number + 1);
    for (uint32_t c = 0; c < WM_BYPASS_LOAD_COLUMNS; c++) {
        if (c >= WM_BYPASS_COLUMN_HEURISTIC) {
            fprintf(stream, "<td class=\"l %s\"><b>%s</b>%s</td>", cells.text[c], cells.text[c],
                    kernel->forced[number] != WM_BYPASS_FREE ? " forced" : "");
            continue;
        }
        bool left = wm_bypass_load_table.columns[c].alignment == 'l';
        fputs(left ? "<td class=l>" : "<td>", stream);
        wm_html_text(stream, cells.text[c]);
        fputs("</td>", stream);
    }
    fprintf(stream, "</tr>\n<tr class=text><td></td><td colspan=%d>", WM_BYPASS_LOAD_COLUMNS - 1);
    const char *text = source_line(page, load->source_file, load->source_line);
    if (text != NULL) {
        wm_html_text(stream, text + strspn(text, " \t"));
        fputs("\n", stream);
    }
    wm_html_text(stream, load->text);
    fputs("</td></tr>\n", stream);
}

static void put_loads(struct page *page, const struct wm_bypass_kernel *kernel, uint32_t kernel_at)
{
    fputs("<h3>Loads</h3>\n<div class=wide><table class=loads>\n", page->stream);
    wm_bypass_put_heads(page->stream, &wm_bypass_load_table, WM_BYPASS_LOAD_COLUMNS, "");
    for (uint32_t i = 0; i < kernel->profiled->load_count; i++)
        put_load(page, kernel, kernel_at, i);
    fputs("</tbody></table></div>\n", page->stream);
    for (uint32_t i = 0; i < kernel->fixed_count; i++)
        fprintf(page->stream,
                "<p class=note>The load in PTX line %" PRIu32 " is left as it is: it %s.</p>\n",
                kernel->fixed[i].statement->line, kernel->fixed[i].why);
}

// --- Solutions as bars ---

// Bars of one scale: from the least to the most that is drawn, nothing among them.
struct scale {
    double least, most;
};

static void widen(struct scale *scale, double value)
{
    scale->least = fmin(scale->least, value);
    scale->most = fmax(scale->most, value);
}

static double percent_of(const struct scale *scale, double value)
{
    double span = scale->most - scale->least;
    return span > 0 ? 100 * (value - scale->least) / span : 0;
}

static void put_bar(FILE *stream, const char *kind, const char *title, const struct scale *scale,
                    double value)
{
    double left = percent_of(scale, fmin(value, 0)), right = percent_of(scale, fmax(value, 0));
    fprintf(stream, "<span class=\"bar %s\" title=\"%s\">", kind, title);
    if (right > left) // a rim would be seen
        fprintf(stream, "<i style=\"left:%.2f%%;width:%.2f%%\"></i>", left, right - left);
    fprintf(stream, "<u style=\"left:%.2f%%\"></u></span>", percent_of(scale, 0));
}

static void put_bars(struct page *page, const struct wm_bypass_solution *solution,
                     const struct wm_bypass_measured *measured, enum wm_bypass_solver solver,
                     const struct scale *saved, const struct scale *cycles)
{
    char bytes[WM_BYPASS_CELL_BYTES], title[WM_BYPASS_CELL_BYTES + 64];
    snprintf(title, sizeof title, "predicted to save %s", wm_bypass_bytes(solution->saved, bytes));
    put_bar(page->stream, "predicted", title, saved, solution->saved);
    if (measured == NULL)
        return;
    double saving = wm_bypass_measured_saving(measured, solver);
    snprintf(title, sizeof title, "measured to save %s", wm_bypass_bytes(saving, bytes));
    put_bar(page->stream, "measured", title, saved, saving);
    if (!page->report->clock)
        return;
    snprintf(title, sizeof title, "%" PRIu64 " cycles", measured->solvers[solver].cycles);
    put_bar(page->stream, "cycles", title, cycles, (double)measured->solvers[solver].cycles);
}

static void put_solution(struct page *page, const struct wm_bypass_kernel *kernel,
                         const struct wm_bypass_measured *measured, enum wm_bypass_solver solver,
                         uint32_t shown, const struct scale *saved, const struct scale *cycles)
{
    struct wm_bypass_solution_cells cells;
    wm_bypass_solution_cells_of(page->report, kernel, measured, solver, &cells);
    fputs(solver == page->report->solver ? "<tr class=decides>" : "<tr>", page->stream);
    for (uint32_t c = 0; c < shown; c++)
        fprintf(page->stream, "<td%s>%s</td>", c == 0 ? " class=l" : "", cells.text[c]);
    fputs("<td class=bars>", page->stream);
    put_bars(page, wm_bypass_solution_of(page->report->program, kernel, solver), measured, solver,
             saved, cycles);
    fputs("</td></tr>\n", page->stream);
}

static void put_solutions(struct page *page, const struct wm_bypass_kernel *kernel,
                          const struct wm_bypass_measured *measured)
{
    struct scale saved = {0}, cycles = {0};
    for (int i = 0; i < WM_BYPASS_SOLVERS; i++) {
        enum wm_bypass_solver solver = (enum wm_bypass_solver)i;
        widen(&saved, wm_bypass_solution_of(page->report->program, kernel, solver)->saved);
        if (measured == NULL)
            continue;
        widen(&saved, wm_bypass_measured_saving(measured, solver));
        widen(&cycles, (double)measured->solvers[i].cycles);
    }
    uint32_t shown = measured == NULL      ? WM_BYPASS_COLUMN_MEASURED
                     : page->report->clock ? WM_BYPASS_SOLUTION_COLUMNS
                                           : WM_BYPASS_COLUMN_CYCLES;
    fputs("<h3>What each solver saves</h3>\n<div class=wide><table class=solutions>\n",
          page->stream);
    wm_bypass_put_heads(page->stream, &wm_bypass_solution_table, shown, "<th></th>");
    for (int i = 0; i < WM_BYPASS_SOLVERS; i++)
        put_solution(page, kernel, measured, (enum wm_bypass_solver)i, shown, &saved, &cycles);
    fputs("</tbody></table></div>\n<p class=key>Bars:<span class=\"bar predicted\"><i></i></span>"
          "saving, predicted",
          page->stream);
    if (measured != NULL)
        fputs("<span class=\"bar measured\"><i></i></span>measured", page->stream);
    if (measured != NULL && page->report->clock)
        fputs("<span class=\"bar cycles\"><i></i></span>cycles", page->stream);
    fputs("</p>\n", page->stream);
    const struct wm_bypass_solution *exact =
        wm_bypass_solution_of(page->report->program, kernel, WM_BYPASS_EXACT);
    char sentence[2 * WM_BYPASS_CELL_BYTES];
    if (!exact->proved)
        fprintf(page->stream, "<p class=note>%s</p>\n", wm_bypass_bound_text(exact, sentence));
}

// --- Hints ---

static void put_hint(struct page *page, uint32_t kernel, uint32_t load)
{
    FILE *stream = page->stream;
    struct wm_bypass_hint_cells cells;
    wm_bypass_hint_cells_of(page->report, kernel, load, &cells);
    fputs("<tr>", stream);
    for (uint32_t c = 0; c < wm_bypass_hint_columns(page->report); c++) {
        fputs(wm_bypass_hint_table.columns[c].alignment == 'l' ? "<td class=l>" : "<td>", stream);
        wm_html_text(stream, cells.text[c]);
        fputs("</td>", stream);
    }
    fputs("</tr>\n", stream);
}

// Loads that get another hint than they have, what that saves, and what was not tried.
static bool put_hints(struct page *page, uint32_t number)
{
    const struct wm_hinted_kernel *found = &page->report->hints->kernels[number];
    uint32_t loads = page->report->program->kernels[number].profiled->load_count, hinted = 0;
    FILE *stream = page->stream;
    struct wm_text totals;
    wm_text_init(&totals);
    wm_bypass_hint_totals(&found->before, &found->after, &totals);
    for (uint32_t i = 0; i < loads; i++)
        hinted += wm_bypass_is_hinted(&found->loads[i]);
    fputs("<h3>Hints</h3>\n", stream);
    if (hinted > 0) {
        fputs("<div class=wide><table class=hints>\n", stream);
        wm_bypass_put_heads(stream, &wm_bypass_hint_table, wm_bypass_hint_columns(page->report),
                            "");
        for (uint32_t i = 0; i < loads; i++)
            if (wm_bypass_is_hinted(&found->loads[i]))
                put_hint(page, number, i);
        fputs("</tbody></table></div>\n", stream);
    }
    fprintf(stream, "<p class=note>%s", hinted > 0 ? "With them: " : "None saves 1 % or more: ");
    wm_html_text(stream, totals.data != NULL ? totals.data : "");
    fputs(".</p>\n", stream);
    for (uint32_t i = 0; i < found->left_out_count; i++) {
        fputs("<p class=note>", stream);
        wm_html_text(stream, found->left_out[i]);
        fputs(".</p>\n", stream);
    }
    bool good = !totals.failed;
    wm_text_release(&totals);
    return good;
}

// --- Sources of efficiencies ---

static void put_source(struct page *page, const struct wm_bypass_kernel *kernel, uint32_t load,
                       enum wm_efficiency_source source)
{
    const struct wm_load_efficiency *efficiency = &kernel->loads[load].efficiency[source];
    const struct wm_bypass_view *view = &kernel->views[source];
    const struct wm_bypass_solution *decides =
        wm_bypass_solution_of(page->report->program, kernel, WM_BYPASS_EXACT);
    FILE *stream = page->stream;
    if (efficiency->known)
        fprintf(stream, "<td>%.2f</td>", efficiency->sectors);
    else
        fputs("<td>unknown</td>", stream);
    for (int solver = WM_BYPASS_HEURISTIC; solver <= WM_BYPASS_EXACT; solver++) {
        const char *word = wm_bypass_word(&view->solutions[solver], load);
        bool differs = solver == WM_BYPASS_EXACT &&
                       view->solutions[solver].cached[load] != decides->cached[load];
        fprintf(stream, "<td class=\"l %s%s\"><b>%s</b></td>", word, differs ? " differs" : "",
                word);
    }
}

static void put_sources(struct page *page, const struct wm_bypass_kernel *kernel)
{
    FILE *stream = page->stream;
    fputs("<h3>By each source of load efficiency</h3>\n<div class=wide><table class=sources>\n"
          "<thead><tr><th></th>",
          stream);
    for (int source = 0; source < WM_EFFICIENCY_SOURCES; source++)
        fprintf(stream, "<th class=l colspan=3>%s</th>", wm_efficiency_source_names[source]);
    fputs("</tr><tr><th>ld</th>", stream);
    for (int source = 0; source < WM_EFFICIENCY_SOURCES; source++)
        fputs("<th>sect/line</th><th class=l>heuristic</th><th class=l>exact</th>", stream);
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (uint32_t i = 0; i < kernel->profiled->load_count; i++) {
        fprintf(stream, "<tr><td>%" PRIu32 "</td>", i + 1);
        for (int source = 0; source < WM_EFFICIENCY_SOURCES; source++)
            put_source(page, kernel, i, (enum wm_efficiency_source)source);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table></div>\n", stream);
}

// --- The page ---

static bool put_kernel(struct page *page, uint32_t number)
{
    const struct wm_bypass_report *report = page->report;
    const struct wm_bypass_kernel *kernel = &report->program->kernels[number];
    fputs("<details class=kernel open><summary><code>", page->stream);
    wm_html_text(page->stream, wm_bypass_kernel_title(kernel));
    fputs("</code></summary>\n", page->stream);
    put_kernel_facts(page, kernel);
    put_solutions(page, kernel, report->measured != NULL ? &report->measured[number] : NULL);
    bool good = report->hints == NULL || put_hints(page, number);
    fputs("<h3>What loads save, and cost each other</h3>\n", page->stream);
    good = wm_bypass_draw_graph(page->stream, report, kernel) && good;
    if (report->all_sets != NULL)
        wm_bypass_draw_sets(page->stream, report, number);
    put_loads(page, kernel, number);
    put_sources(page, kernel);
    fputs("</details>\n", page->stream);
    return good;
}

static void put_rules(FILE *stream, const struct wm_bypass_report *report)
{
    const struct wm_report_table *tables[4] = {&wm_bypass_load_table, &wm_bypass_solution_table};
    size_t count = 2;
    if (report->partitions != NULL)
        tables[count++] = &wm_bypass_partition_table;
    if (report->hints != NULL)
        tables[count++] = &wm_bypass_hint_table;
    fputs("<h2>What the columns say</h2>\n<dl class=rules>\n", stream);
    for (size_t t = 0; t < count; t++)
        for (uint32_t c = 0; c < tables[t]->count; c++) {
            const struct wm_report_column *column = &tables[t]->columns[c];
            if (column->sentence == NULL)
                continue;
            fprintf(stream, "<dt>%s</dt><dd>", column->head);
            wm_html_text(stream, column->sentence);
            fputs(".</dd>\n", stream);
        }
    fputs("</dl>\n<p class=note>A prediction adds up nodes and edges: loads alone and in pairs. "
          "Three loads that only together fill L1 cost what no pair shows, so measured and "
          "predicted may differ. A load has one decision, for all launches of its kernel.</p>\n",
          stream);
}

enum wm_status wm_bypass_html(const struct wm_bypass_report *report, const char *path,
                              struct wm_error *error)
{
    struct wm_report_file file;
    WM_TRY(wm_report_file_open(&file, path, error));
    struct page page = {.stream = file.stream, .report = report};
    wm_arena_init(&page.arena);
    put_head(&page);
    bool good = wm_bypass_partition_html(page.stream, report);
    for (uint32_t k = 0; k < report->program->kernel_count && good; k++)
        good = put_kernel(&page, k);
    put_rules(page.stream, report);
    fputs("</body>\n</html>\n", page.stream);
    wm_arena_release(&page.arena);
    return wm_report_file_close(&file, good, error);
}

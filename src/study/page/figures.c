// Figures: a place for the charts, and below it their numbers as a table.
#include "base/text/units.h"
#include "study/format/html_text.h"
#include "study/page/sections.h"

#include <inttypes.h>
#include <math.h>

// A table of more columns is written with a row a bar: on paper no column may become too narrow.
enum { NUMBER_BYTES = 32, MOST_COLUMNS = 16 };

static void put_value(FILE *stream, double value, bool ratio)
{
    char number[NUMBER_BYTES];
    if (isnan(value))
        fputs("<td class=none>–</td>", stream);
    else if (ratio)
        fprintf(stream, "<td>%.3f</td>", value);
    else if (fabs(value) < 10000)
        fprintf(stream, "<td>%.*g</td>", 4, value);
    else
        fprintf(stream, "<td>%s%s</td>", value < 0 ? "-" : "",
                wm_units_round(fabs(value), WM_QUANTITY_COUNT, number, sizeof number));
}

// Of a stacked figure each series has a column a part, else one; and one for the paper's number.
static uint32_t columns_of(const struct wm_chart_table *table)
{
    return table->part_count + table->has_paper;
}

static const char *title_of(const struct wm_study_rows *study, const char *metric)
{
    for (uint32_t i = 0; i < study->definition_count; i++)
        if (strcmp(study->definitions[i].name, metric) == 0 &&
            study->definitions[i].title[0] != '\0')
            return study->definitions[i].title;
    return metric;
}

// The headings of one value's columns: its parts, and the paper's number.
static void put_value_titles(const struct wm_page *page, const struct wm_chart_table *table)
{
    for (uint32_t part = 0; part < table->part_count; part++)
        wm_page_cell(page->stream, "<th scope=col>",
                     table->part_count > 1 ? title_of(page->study, table->parts[part]) : "ours",
                     "</th>");
    fputs(table->has_paper ? "<th scope=col class=paper>paper</th>" : "", page->stream);
}

static void put_head(const struct wm_page *page, const struct wm_chart_table *table)
{
    FILE *stream = page->stream;
    bool two = columns_of(table) > 1;
    fprintf(stream, "<thead><tr><th scope=col%s>", two ? " rowspan=2" : "");
    wm_page_cell(stream, "", table->place_title, "</th>");
    for (uint32_t s = 0; s < table->series_count; s++) {
        if (two)
            fprintf(stream, "<th scope=colgroup colspan=%" PRIu32 ">", columns_of(table));
        wm_page_cell(stream, two ? "" : "<th scope=col>", table->series[s], "</th>");
    }
    fputs("</tr>\n", stream);
    for (uint32_t s = 0; two && s < table->series_count; s++) {
        fputs(s == 0 ? "<tr>" : "", stream);
        put_value_titles(page, table);
        fputs(s + 1 == table->series_count ? "</tr>\n" : "", stream);
    }
    fputs("</thead>\n", stream);
}

static void put_values(FILE *stream, const struct wm_chart_table *table, uint32_t at)
{
    for (uint32_t part = 0; part < table->part_count; part++)
        put_value(stream, table->ours[at * table->part_count + part], table->normalise != NULL);
    if (table->has_paper)
        put_value(stream, table->paper[at], table->normalise != NULL);
}

static void put_long(const struct wm_page *page, const struct wm_chart_table *table)
{
    FILE *stream = page->stream;
    wm_page_cell(stream, "<thead><tr><th scope=col>", table->place_title, "</th>");
    wm_page_cell(stream, "<th scope=col>", table->series_title, "</th>");
    put_value_titles(page, table);
    fputs("</tr></thead>\n", stream);
    for (uint32_t place = 0; place < table->place_count; place++) {
        fprintf(stream, "<tbody>\n<tr><th scope=rowgroup rowspan=%" PRIu32 ">",
                table->series_count);
        wm_page_cell(stream, "", table->places[place], "</th>");
        for (uint32_t s = 0; s < table->series_count; s++) {
            wm_page_cell(stream, s > 0 ? "<tr><th scope=row>" : "<th scope=row>", table->series[s],
                         "</th>");
            put_values(stream, table, place * table->series_count + s);
            fputs("</tr>\n", stream);
        }
        fputs("</tbody>\n", stream);
    }
}

static void put_body(FILE *stream, const struct wm_chart_table *table)
{
    fputs("<tbody>\n", stream);
    for (uint32_t place = 0; place < table->place_count; place++) {
        wm_page_cell(stream, "<tr><th scope=row>", table->places[place], "</th>");
        for (uint32_t s = 0; s < table->series_count; s++)
            put_values(stream, table, place * table->series_count + s);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody>", stream);
}

// What is to be known of the numbers.
static void put_caption(const struct wm_page *page, const struct wm_chart_table *table)
{
    FILE *stream = page->stream;
    fputs("<caption>", stream);
    for (uint32_t part = 0; part < table->part_count; part++)
        wm_page_cell(stream, part > 0 ? ", " : "", title_of(page->study, table->parts[part]), "");
    if (table->normalise != NULL)
        wm_page_cell(stream, ", divided by that of ", table->normalise, "");
    if (table->has_means)
        fprintf(stream,
                "; %s%s mean over the figure's %" PRIu32 " workloads, none where one is missing",
                table->is_mean ? "each value the " : "mean: the ",
                table->geometric ? "geometric" : "arithmetic", table->workload_count);
    fputs("</caption>\n", stream);
}

static void put_table(const struct wm_page *page, const struct wm_chart_table *table)
{
    bool is_long = table->series_count * columns_of(table) > MOST_COLUMNS;
    fprintf(page->stream, "<table class=\"numbers%s\">", is_long ? " long" : "");
    put_caption(page, table);
    if (is_long) {
        put_long(page, table);
    } else {
        put_head(page, table);
        put_body(page->stream, table);
    }
    fputs("</table>", page->stream);
}

static void put_chart(const struct wm_page *page, uint32_t figure, bool paper)
{
    FILE *stream = page->stream;
    const char *whose = paper ? "The paper" : "warpmem";
    fprintf(stream, "<figure><figcaption>%s", whose);
    if (page->figures[figure].is_mean)
        fprintf(stream, ", mean over %" PRIu32 " workloads", page->figures[figure].workload_count);
    fputs("</figcaption><div class=chart role=img ", stream);
    fprintf(stream,
            "data-study=%" PRIu32 " data-figure=%" PRIu32 " data-of=%s aria-label=\"Chart of ",
            page->number, figure, paper ? "paper" : "ours");
    wm_html_text(stream, page->study->figures[figure].title);
    fprintf(stream, ", %s: the table below has its numbers\"></div></figure>\n",
            paper ? "the paper's numbers" : "our numbers");
}

void wm_page_figures(const struct wm_page *page)
{
    FILE *stream = page->stream;
    if (page->study->figure_count == 0)
        return;
    fprintf(stream, "<section><h2 id=s%" PRIu32 "-figures>Figures</h2>\n", page->number);
    for (uint32_t i = 0; i < page->study->figure_count; i++) {
        const struct wm_stored_figure *figure = &page->study->figures[i];
        const struct wm_chart_table *table = &page->figures[i];
        fprintf(stream, "<section class=figure><h3 id=s%" PRIu32 "-f%" PRIu32 ">", page->number, i);
        wm_page_cell(stream, "<span class=id>", figure->id, "</span> ");
        wm_page_cell(stream, "", figure->title, "</h3>\n");
        if (page->has_charts) {
            fprintf(stream,
                    "<div class=legend data-study=%" PRIu32 " data-figure=%" PRIu32 ">"
                    "</div>\n<div class=charts>\n",
                    page->number, i);
            if (table->has_paper)
                put_chart(page, i, true);
            put_chart(page, i, false);
            fputs("</div>\n", stream);
        }
        fputs("<div class=wide tabindex=0>", stream);
        put_table(page, table);
        fputs("</div></section>\n", stream);
    }
    fputs("</section>\n", stream);
}

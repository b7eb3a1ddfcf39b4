// The annotated source as one page: style inside, no script, nothing loaded from anywhere.
#include "study/annotate.h"
#include "study/annotate_cells.h"
#include "study/report_file.h"

#include <inttypes.h>

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem;"
    "color:#1b1f24;background:#fff}"
    "h1{font-size:1.4rem}h2{font-size:1.05rem;margin:2rem 0 .3rem;overflow-wrap:anywhere}"
    "h3{font:inherit;color:#59636e;margin:.6rem 0 .2rem}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;width:100%;font:13px/1.45 ui-monospace,monospace}"
    "th{position:sticky;top:0;background:#f2f4f6;font-weight:600}"
    "th,td{padding:.1rem .6rem;text-align:right;white-space:pre}"
    "th:last-child,td:last-child{text-align:left;width:100%}"
    "td:first-child{color:#818b96}"
    "tr.hot td{background:#fff5d6}"
    "tr.gap td{color:#818b96;border-top:1px dashed #d1d9e0}"
    "tr.advice td{white-space:normal;background:#fff5d6;font:14px/1.45 system-ui,sans-serif;"
    "border-bottom:1px solid #e8d48a;text-align:left}"
    "tr.advice b{color:#7a4b00}"
    "dt{font-weight:600;margin-top:.7rem}dd{margin-left:1.2rem}"
    "@media (prefers-color-scheme:dark){body{color:#d5dae0;background:#15181c}"
    "th{background:#22272d}tr.hot td,tr.advice td{background:#35300f}"
    "tr.advice td{border-color:#5c5220}tr.advice b{color:#f0c674}"
    "td:first-child,h3,tr.gap td{color:#8c96a1}}";

// Text of a program's author: no byte of it is markup. What is no UTF-8 the browser replaces.
static void put_text(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<': fputs("&lt;", stream); break;
        case '>': fputs("&gt;", stream); break;
        case '&': fputs("&amp;", stream); break;
        case '"': fputs("&quot;", stream); break;
        default:
            if ((unsigned char)*text >= 0x20 || *text == '\t')
                fputc(*text, stream);
        }
}

static bool put_advice(FILE *stream, const struct wm_advice *advice)
{
    struct wm_text sentence;
    wm_text_init(&sentence);
    wm_advice_say(advice, &sentence);
    size_t name = strlen(advice->rule->name);
    bool good = !sentence.failed;
    if (good) {
        fprintf(stream, "<tr class=advice><td colspan=%d><b>%s</b>", WM_ANNOTATE_CELLS + 2,
                advice->rule->name);
        put_text(stream, sentence.data + name);
        fputs("</td></tr>\n", stream);
    }
    wm_text_release(&sentence);
    return good;
}

static bool put_line(FILE *stream, const struct wm_annotated_line *line)
{
    struct wm_annotate_cells cells;
    bool good = true;
    wm_annotate_cells_of(line, &cells);
    fprintf(stream, "<tr%s><td>%" PRIu32 "</td>", line->advice_count > 0 ? " class=hot" : "",
            line->number);
    for (uint32_t c = 0; c < WM_ANNOTATE_CELLS; c++)
        fprintf(stream, "<td>%s</td>", cells.text[c]);
    fputs("<td>", stream);
    put_text(stream, line->text);
    fputs("</td></tr>\n", stream);
    for (uint32_t a = 0; a < line->advice_count && good; a++)
        good = put_advice(stream, &line->advice[a]);
    return good;
}

static bool put_section(FILE *stream, const struct wm_annotated_section *section)
{
    bool good = true;
    fputs("<h3>", stream);
    put_text(stream, section->file != NULL ? section->file : "PTX");
    fputs("</h3>\n<div class=wide><table>\n<thead><tr><th>line</th>", stream);
    for (uint32_t c = 0; c < WM_ANNOTATE_CELLS; c++) {
        fputs("<th title=\"", stream);
        put_text(stream, wm_annotate_head_sentences[c]);
        fprintf(stream, "\">%s</th>", wm_annotate_heads[c]);
    }
    fputs("<th>source</th></tr></thead>\n<tbody>\n", stream);
    for (uint32_t i = 0; i < section->line_count && good; i++) {
        if (section->file != NULL && i > 0 &&
            section->lines[i].number != section->lines[i - 1].number + 1)
            fprintf(stream, "<tr class=gap><td colspan=%d>…</td></tr>\n", WM_ANNOTATE_CELLS + 2);
        good = put_line(stream, &section->lines[i]);
    }
    fputs("</tbody></table></div>\n", stream);
    return good;
}

static bool put_kernels(FILE *stream, const struct wm_annotation *annotation)
{
    bool good = true;
    for (uint32_t i = 0; i < annotation->kernel_count && good; i++) {
        const struct wm_annotated_kernel *kernel = &annotation->kernels[i];
        fputs("<h2>", stream);
        put_text(stream, kernel->kernel->signature);
        fprintf(stream, "</h2>\n<p>%" PRIu64 " launches, %" PRIu64 " warp instructions</p>\n",
                kernel->kernel->launches, kernel->kernel->warp_instructions);
        for (uint32_t s = 0; s < kernel->section_count && good; s++)
            good = put_section(stream, &kernel->sections[s]);
    }
    return good;
}

static void put_rules(FILE *stream)
{
    fputs("<h2>Rules of advice</h2>\n<dl>\n", stream);
    for (uint32_t i = 0; i < wm_annotate_rule_count; i++) {
        const struct wm_annotate_rule *rule = &wm_annotate_rule_table[i];
        fprintf(stream, "<dt>%s</dt><dd>When ", rule->name);
        put_text(stream, rule->threshold);
        fputs(". ", stream);
        put_text(stream, rule->reason);
        fputs("</dd>\n", stream);
    }
    fputs("</dl>\n", stream);
}

enum wm_status wm_annotate_html(const struct wm_results *results, const char *path,
                                struct wm_error *error)
{
    struct wm_report_file file;
    struct wm_annotation annotation;
    WM_TRY(wm_report_file_open(&file, path, error));
    bool good = wm_annotation_init(&annotation, results);
    FILE *stream = file.stream;
    fprintf(stream,
            "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
            "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
            "<title>warpmem annotate</title>\n<style>%s</style>\n</head>\n<body>\n"
            "<h1>Memory traffic by source line</h1>\n<p>Machine ",
            style);
    put_text(stream, results->machine_name);
    fputs(", untimed walk", stream);
    for (const char *const *word = results->command; word != NULL && *word != NULL; word++) {
        fputs(word == results->command ? ": <code>" : " ", stream);
        put_text(stream, *word);
    }
    fputs(results->command != NULL && *results->command != NULL ? "</code></p>\n" : "</p>\n",
          stream);
    if (results->kernel_count == 0)
        fputs("<p>No kernel was launched.</p>\n", stream);
    good = good && put_kernels(stream, &annotation);
    put_rules(stream);
    fputs("</body>\n</html>\n", stream);
    wm_annotation_release(&annotation);
    return wm_report_file_close(&file, good, error);
}

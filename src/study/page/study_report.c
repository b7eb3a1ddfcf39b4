// The page around its sections: head, summary, contents, scripts, licences.
#include "study/page/study_report.h"

#include "study/format/html_text.h"
#include "study/page/machine_picture.h"
#include "study/page/sections.h"
#include "study/run_report/report_file.h"

#include <inttypes.h>
#include <sys/stat.h>

static void put_head(FILE *stream, const struct wm_results_file *file,
                     const struct wm_report_assets *assets)
{
    // The policy: should some text ever become markup, it still loads nothing.
    fputs("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
          "script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:\">\n",
          stream);
    const struct wm_study_rows *study = &file->studies[0];
    wm_page_cell(stream, "<title>", study->title[0] != '\0' ? study->title : study->name,
                 "</title>\n");
    fprintf(stream, "<style>\n%s</style>\n</head>\n<body>\n", assets->style);
    fputs("<form class=theme aria-label=\"Colours\"><label><input type=radio name=theme value=auto "
          "checked> auto</label><label><input type=radio name=theme value=light> light</label>"
          "<label><input type=radio name=theme value=dark> dark</label></form>\n",
          stream);
}

static void put_fact(FILE *stream, const char *name, uint32_t number, const char *kind)
{
    fprintf(stream, "<div class=\"%s\"><dt>%s</dt><dd>%" PRIu32 "</dd></div>\n", kind, name,
            number);
}

static void put_facts(const struct wm_page *page)
{
    const struct wm_study_rows *study = page->study;
    uint32_t done = 0, verdicts[3] = {0};
    for (uint32_t i = 0; i < study->point_count; i++)
        done += study->points[i].done;
    for (uint32_t i = 0; i < study->claim_count; i++)
        verdicts[study->claims[i].verdict]++;
    uint32_t all = study->workload_count * study->machine_count;
    fputs("<dl class=facts>\n", page->stream);
    put_fact(page->stream, "workloads", study->workload_count, "");
    put_fact(page->stream, "machines", study->machine_count, "");
    put_fact(page->stream, "points done", done, "");
    if (study->point_count > done)
        put_fact(page->stream, "points failed", study->point_count - done, "fails");
    if (all > study->point_count)
        put_fact(page->stream, "points not reached", all - study->point_count, "unknown");
    if (study->claim_count > 0) {
        put_fact(page->stream, "claims hold", verdicts[WM_CLAIM_HOLDS], "holds");
        put_fact(page->stream, "do not hold", verdicts[WM_CLAIM_FAILS], "fails");
        put_fact(page->stream, "undecided", verdicts[WM_CLAIM_UNKNOWN], "unknown");
    }
    fputs("</dl>\n", page->stream);
}

static void put_contents(const struct wm_page *page)
{
    const struct wm_study_rows *study = page->study;
    const struct {
        const char *id, *title;
        bool there;
    } entries[] = {
        {"claims", "Claims", study->claim_count > 0},
        {"figures", "Figures", study->figure_count > 0},
        {"machines", "Machines", study->machine_count > 0},
        {"loads", "Kernels and loads", true},
    };
    fputs("<nav aria-label=\"Contents\"><ul>", page->stream);
    for (uint32_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (entries[i].there)
            fprintf(page->stream, "<li><a href=\"#s%" PRIu32 "-%s\">%s</a></li>", page->number,
                    entries[i].id, entries[i].title);
    fputs("</ul></nav>\n", page->stream);
}

static void put_study(const struct wm_page *page, const struct wm_report_assets *assets)
{
    const struct wm_study_rows *study = page->study;
    FILE *stream = page->stream;
    fputs("<article>\n<header>\n", stream);
    wm_page_cell(stream, "<h1>", study->title[0] != '\0' ? study->title : study->name, "</h1>\n");
    wm_page_cell(stream, "<p class=sub>", study->paper, study->paper[0] != '\0' ? "<br>" : "");
    wm_page_cell(stream, "Study ", study->name, "");
    wm_page_cell(stream, ", measured by warpmem ", study->version, "</p>\n");
    put_facts(page);
    put_contents(page);
    fputs("</header>\n", stream);
    if (!page->has_charts && study->figure_count > 0)
        wm_page_cell(stream, "<p class=note>Figures are tables only here, without charts: ",
                     assets->chart_missing, "</p>\n");
    wm_page_claims(page);
    wm_page_figures(page);
    wm_page_failures(page);
    wm_page_machines(page);
    wm_page_loads(page);
    fputs("</article>\n", stream);
}

static void put_foot(FILE *stream, const struct wm_report_assets *assets, bool has_charts)
{
    fprintf(stream, "<script>\n%s</script>\n", assets->script);
    if (has_charts) {
        fputs("<footer>\n<details><summary>Licences of the charts' library</summary>\n<pre>",
              stream);
        wm_html_text(stream, assets->chart_licences);
        fprintf(stream, "</pre></details>\n</footer>\n<script>%s</script>\n<script>\n%s</script>\n",
                assets->chart_library, assets->chart_script);
    }
    fputs("</body>\n</html>\n", stream);
}

// --- What pages are made from ---

static enum wm_status prepare_page(struct wm_page *page, struct wm_results_file *file,
                                   struct wm_error *error)
{
    const struct wm_study_rows *study = page->study;
    struct wm_chart_table *figures =
        WM_ARENA_ARRAY(&file->arena, struct wm_chart_table, study->figure_count);
    struct wm_machine_values *machines =
        WM_ARENA_ARRAY(&file->arena, struct wm_machine_values, study->machine_count);
    const char **pictures = WM_ARENA_ARRAY(&file->arena, const char *, study->machine_count);
    if (figures == NULL || machines == NULL || pictures == NULL)
        return wm_fail_no_memory(error, "the page");
    for (uint32_t i = 0; i < study->figure_count; i++) {
        enum wm_status status =
            wm_chart_table_init(&figures[i], study, &study->figures[i], &file->arena, error);
        if (status != WM_OK)
            return wm_error_place(error, "%s: figure %s of study %s", file->path,
                                  study->figures[i].id, study->name);
    }
    for (uint32_t i = 0; i < study->machine_count; i++) {
        enum wm_status status = wm_machine_values_read(&machines[i], study->machines[i].description,
                                                       &file->arena, error);
        if (status != WM_OK)
            return wm_error_place(error, "%s: machine %s of study %s", file->path,
                                  study->machines[i].label, study->name);
        WM_TRY(wm_page_picture_make(study->machines[i].description, &file->arena, &pictures[i],
                                    error));
    }
    page->figures = figures;
    page->machines = machines;
    page->pictures = pictures;
    return WM_OK;
}

static enum wm_status prepare_pages(struct wm_results_file *file, bool has_charts,
                                    struct wm_page **pages, struct wm_error *error)
{
    *pages = WM_ARENA_ARRAY(&file->arena, struct wm_page, file->study_count);
    if (*pages == NULL)
        return wm_fail_no_memory(error, "the page");
    for (uint32_t i = 0; i < file->study_count; i++) {
        (*pages)[i] =
            (struct wm_page){.study = &file->studies[i], .number = i, .has_charts = has_charts};
        WM_TRY(prepare_page(&(*pages)[i], file, error));
    }
    return WM_OK;
}

// Everything that can be wrong with the database but its points' results is found before the
// output is opened; those are found while it is written under a temporary name.
static enum wm_status write_page(struct wm_results_file *file, const char *output,
                                 const struct wm_report_assets *assets, struct wm_error *error)
{
    struct wm_page *pages;
    struct wm_report_file out;
    bool has_charts = assets->chart_library[0] != '\0';
    WM_TRY(prepare_pages(file, has_charts, &pages, error));
    WM_TRY(wm_report_file_open(&out, output, error));
    put_head(out.stream, file, assets);
    fputs("<main>\n", out.stream);
    for (uint32_t i = 0; i < file->study_count; i++) {
        pages[i].stream = out.stream;
        put_study(&pages[i], assets);
    }
    fputs("</main>\n", out.stream);
    enum wm_status status = wm_page_data(pages, file->study_count, file, error);
    if (status == WM_OK)
        put_foot(out.stream, assets, has_charts);
    enum wm_status closed =
        wm_report_file_close(&out, status == WM_OK, status == WM_OK ? error : NULL);
    return status != WM_OK ? status : closed;
}

static enum wm_status check_output(const char *database, const char *output, struct wm_error *error)
{
    struct stat from, to;
    if (stat(database, &from) != 0 || stat(output, &to) != 0 || from.st_dev != to.st_dev ||
        from.st_ino != to.st_ino)
        return WM_OK;
    wm_fail(error, WM_INVALID, "'%s' is the database itself", output);
    return wm_error_hint(error, "name another file for the page");
}

enum wm_status wm_study_report(const char *database, const char *output,
                               const struct wm_report_assets *assets, struct wm_error *error)
{
    struct wm_results_file file;
    WM_TRY(check_output(database, output, error));
    enum wm_status status = wm_results_file_open(&file, database, error);
    if (status == WM_OK)
        status = write_page(&file, output, assets, error);
    wm_results_file_close(&file);
    return status;
}

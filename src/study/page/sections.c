// Claims, failures, and the place for what each load did.
#include "study/page/sections.h"
#include "study/format/html_text.h"

#include <inttypes.h>

void wm_page_cell(FILE *stream, const char *open, const char *text, const char *close)
{
    fputs(open, stream);
    wm_html_text(stream, text);
    fputs(close, stream);
}

static void put_verdict(FILE *stream, enum wm_verdict verdict)
{
    static const char *const verdicts[] = {
        [WM_CLAIM_HOLDS] = "<td data-label=\"Verdict\" class=\"verdict holds\">holds</td>",
        [WM_CLAIM_FAILS] = "<td data-label=\"Verdict\" class=\"verdict fails\">does not hold</td>",
        [WM_CLAIM_UNKNOWN] = "<td data-label=\"Verdict\" class=\"verdict unknown\">undecided</td>",
    };
    fputs(verdicts[verdict], stream);
}

static void put_claim(FILE *stream, const struct wm_claim_row *claim)
{
    fputs("<tr>", stream);
    wm_page_cell(stream, "<th scope=row data-label=\"Claim\">", claim->id, "</th>");
    wm_page_cell(stream, "<td data-label=\"Where\">", claim->place, "</td>");
    wm_page_cell(stream, "<td data-label=\"Says\" class=says>", claim->text, "");
    if (claim->statement[0] != '\0')
        wm_page_cell(stream, " <code>", claim->statement, "</code>");
    fputs("</td>", stream);
    wm_page_cell(stream, "<td data-label=\"Paper\">", claim->paper, "</td>");
    wm_page_cell(stream, "<td data-label=\"Ours\">", claim->ours, "</td>");
    put_verdict(stream, claim->verdict);
    fputs("</tr>\n", stream);
}

void wm_page_claims(const struct wm_page *page)
{
    FILE *stream = page->stream;
    if (page->study->claim_count == 0)
        return;
    fprintf(stream,
            "<section><h2 id=s%" PRIu32 "-claims>Claims</h2>\n<div class=wide tabindex=0>"
            "<table class=\"cards claims\"><caption>What the paper says, as it was checked"
            "</caption>\n<thead><tr><th scope=col>Claim<th scope=col>Where<th scope=col>Says"
            "<th scope=col>Paper<th scope=col>Ours<th scope=col>Verdict</tr></thead>\n<tbody>\n",
            page->number);
    for (uint32_t i = 0; i < page->study->claim_count; i++)
        put_claim(stream, &page->study->claims[i]);
    fputs("</tbody></table></div></section>\n", stream);
}

// In the study's order, whatever the order in which they failed.
void wm_page_failures(const struct wm_page *page)
{
    FILE *stream = page->stream;
    const struct wm_study_rows *study = page->study;
    bool any = false;
    for (uint32_t i = 0; i < study->point_count; i++)
        any |= !study->points[i].done;
    if (!any)
        return;
    fprintf(stream,
            "<section><h2 id=s%" PRIu32 "-failures>Points that failed</h2>\n<div class=wide "
            "tabindex=0><table class=\"cards failures\"><caption>They are missing in every number "
            "above</caption>\n<thead><tr><th scope=col>Workload<th scope=col>Machine<th scope=col>"
            "What was said</tr></thead>\n<tbody>\n",
            page->number);
    for (uint32_t w = 0; w < study->workload_count; w++)
        for (uint32_t m = 0; m < study->machine_count; m++) {
            const struct wm_point_row *point = wm_study_point(study, w, m);
            if (point == NULL || point->done)
                continue;
            wm_page_cell(stream, "<tr><th scope=row data-label=\"Workload\">",
                         study->workloads[w].label, "</th>");
            wm_page_cell(stream, "<td data-label=\"Machine\">", study->machines[m].label, "</td>");
            wm_page_cell(stream, "<td data-label=\"Said\" class=says>", point->error,
                         "</td></tr>\n");
        }
    fputs("</tbody></table></div></section>\n", stream);
}

void wm_page_loads(const struct wm_page *page)
{
    fprintf(page->stream,
            "<section class=loads data-study=%" PRIu32 "><h2 id=s%" PRIu32 "-loads>Kernels and "
            "loads</h2>\n<noscript><p class=note>This section is filled by a script, which this "
            "browser does not run.</p></noscript>\n<form class=pick></form>\n<div class=view>"
            "</div></section>\n",
            page->number, page->number);
}

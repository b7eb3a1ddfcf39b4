// Machines: each with what it has of its own, and whole.
#include "study/format/html_text.h"
#include "study/page/machine_picture.h"
#include "study/page/sections.h"

#include <inttypes.h>
#include <string.h>

static bool differs_somewhere(const struct wm_page *page, const struct wm_machine_value *value)
{
    for (uint32_t m = 1; m < page->study->machine_count; m++)
        if (wm_machine_value_differs(value, &page->machines[m]))
            return true;
    return false;
}

static void put_setting(FILE *stream, const struct wm_machine_value *value)
{
    wm_page_cell(stream, "<li><code>", value->key, ": ");
    wm_page_cell(stream, "<b>", value->value, "</b></code></li>");
}

static void put_plugin(FILE *stream, const struct wm_plugin_row *plugin)
{
    wm_page_cell(stream, "<li>plug-in <code>", plugin->file, "</code> with");
    wm_page_cell(stream, "<code>", plugin->entries, "</code>");
    wm_page_cell(stream, "<small>XXH3 ", plugin->hash, "</small></li>");
}

// A machine's values where it is another than the first; of the first, all that others change.
static void put_differences(const struct wm_page *page, uint32_t machine)
{
    FILE *stream = page->stream;
    const struct wm_machine_values *values = &page->machines[machine];
    bool any = false;
    fputs("<td data-label=\"Settings\"><ul class=settings>", stream);
    for (uint32_t i = 0; i < values->count; i++) {
        const struct wm_machine_value *value = &values->values[i];
        if (machine == 0 ? !differs_somewhere(page, value)
                         : !wm_machine_value_differs(value, &page->machines[0]))
            continue;
        put_setting(stream, value);
        any = true;
    }
    for (uint32_t i = 0; i < page->study->plugin_count; i++)
        if (page->study->plugins[i].machine == page->study->machines[machine].id) {
            put_plugin(stream, &page->study->plugins[i]);
            any = true;
        }
    if (!any)
        fputs(machine == 0 ? "<li>no other differs</li>" : "<li>as the first</li>", stream);
    fputs("</ul></td>", stream);
}

static void put_row(const struct wm_page *page, uint32_t machine)
{
    const struct wm_machine_row *row = &page->study->machines[machine];
    const char *axis;
    json_t *value;
    wm_page_cell(page->stream, "<tr><th scope=row data-label=\"Machine\">", row->label, "</th>");
    fputs("<td data-label=\"Axes\">", page->stream);
    const char *before = "";
    json_object_foreach(row->axes, axis, value)
    {
        if (!json_is_string(value))
            continue;
        wm_page_cell(page->stream, before, axis, ": ");
        wm_html_text(page->stream, json_string_value(value));
        before = ", ";
    }
    fputs("</td>", page->stream);
    put_differences(page, machine);
    fputs("</tr>\n", page->stream);
}

// One that looks like the first has no picture of its own.
static void put_picture(const struct wm_page *page, uint32_t machine)
{
    const char *svg = page->pictures[machine], *first = page->pictures[0];
    if (svg == NULL)
        return;
    if (machine == 0 || first == NULL || strcmp(svg, first) != 0)
        wm_page_picture_put(page->stream, svg, page->study->machines[machine].label);
    else
        wm_page_cell(page->stream, "<p>It looks like ", page->study->machines[0].label, ".</p>\n");
}

static void put_whole(const struct wm_page *page, uint32_t machine)
{
    FILE *stream = page->stream;
    const struct wm_machine_values *values = &page->machines[machine];
    wm_page_cell(stream, "<details class=machine><summary>All of ",
                 page->study->machines[machine].label, "</summary>\n");
    put_picture(page, machine);
    fputs("<div class=wide tabindex=0>", stream);
    fputs("<table class=keys><thead><tr><th scope=col>Key<th scope=col>Value</tr></thead>\n<tbody>"
          "\n",
          stream);
    for (uint32_t i = 0; i < values->count; i++) {
        const struct wm_machine_value *value = &values->values[i];
        bool own = machine > 0 && wm_machine_value_differs(value, &page->machines[0]);
        wm_page_cell(stream, own ? "<tr class=own><th scope=row>" : "<tr><th scope=row>",
                     value->key, "</th>");
        wm_page_cell(stream, own ? "<td><mark>" : "<td>", value->value,
                     own ? "</mark></td></tr>\n" : "</td></tr>\n");
    }
    fputs("</tbody></table></div></details>\n", stream);
}

void wm_page_machines(const struct wm_page *page)
{
    FILE *stream = page->stream;
    const struct wm_study_rows *study = page->study;
    if (study->machine_count == 0)
        return;
    fprintf(stream,
            "<section><h2 id=s%" PRIu32 "-machines>Machines</h2>\n<div class=wide tabindex=0>"
            "<table class=\"cards machines\">",
            page->number);
    if (study->machine_count > 1)
        wm_page_cell(stream, "<caption>Of ", study->machines[0].label,
                     " what others change; of the others what differs from it</caption>\n");
    fputs("<thead><tr><th scope=col>Machine<th scope=col>Axes<th scope=col>Settings</tr></thead>\n"
          "<tbody>\n",
          stream);
    for (uint32_t i = 0; i < study->machine_count; i++)
        put_row(page, i);
    fputs("</tbody></table></div>\n", stream);
    for (uint32_t i = 0; i < study->machine_count; i++)
        put_whole(page, i);
    fputs("</section>\n", stream);
}

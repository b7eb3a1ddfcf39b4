#include "study/tables/peer_links.h"

#include "base/text/units.h"
#include "mem/system/memory_components.h"
#include "study/format/text_table.h"

#include <string.h>

static const struct wm_report_column link_columns[] = {
    {"Links between GPUs", 'l', 0, "a direction of a link: from a GPU to another", NULL, NULL},
    {"requests", 'r', 0, "requests of the first one's SMs to the other's memory", NULL, NULL},
    {"read", 'r', 0, "bytes of the first one's memory that the other's SMs read", NULL, NULL},
    {"written", 'r', 0,
     "bytes that the first one's SMs sent to the other's memory: stores, and operands of atomics",
     NULL, NULL},
    {"copied", 'r', 0, "bytes of copies from the first one's memory to the other's", NULL, NULL},
};
const struct wm_report_table wm_peer_link_table =
    WM_REPORT_TABLE("run and replay: links between GPUs", link_columns);

static bool add_link(const struct wm_component_result *link, struct wm_text_table *table)
{
    // In the order of the columns.
    static const char *const counters[] = {"requests", "bytes_read", "bytes_written",
                                           "bytes_copied"};
    uint64_t any = 0;
    for (uint32_t i = 0; i < link->set->count; i++)
        any |= link->values[i];
    const char *between = strstr(link->path, ".link.");
    if (any == 0 || between == NULL)
        return false;
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "  %.*s to %s", (int)(between - link->path), link->path,
                       between + strlen(".link."));
    for (uint32_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        char number[32];
        enum wm_quantity quantity = i == 0 ? WM_QUANTITY_COUNT : WM_QUANTITY_BYTES;
        double value = (double)link->values[wm_counter_index(link->set, counters[i])];
        wm_text_table_cell(table, i + 1, "%s",
                           wm_units_round(value, quantity, number, sizeof number));
    }
    return true;
}

void wm_report_peer_links(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    struct wm_text_table table;
    bool any = false;
    if (results->gpus <= 1)
        return;
    wm_report_table_begin(&table, &wm_peer_link_table, wm_peer_link_table.count);
    for (uint32_t i = 0; i < results->component_count; i++)
        if (strcmp(results->components[i].set->kind, "peer_link") == 0)
            any |= add_link(&results->components[i], &table);
    wm_text_add(text, "\n");
    if (any)
        wm_text_table_print(&table, columns, text);
    else
        wm_text_add(text, "Nothing crossed a link between GPUs.\n");
}

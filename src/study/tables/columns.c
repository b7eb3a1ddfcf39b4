#include "study/tables/columns.h"

#include "base/text_width.h"
#include "study/annotate/cells.h"
#include "study/compare/compare.h"
#include "study/tables/column_titles.h"
#include "study/tables/energy.h"
#include "study/tables/instructions.h"
#include "study/tables/launches.h"
#include "study/tables/load_latency.h"
#include "study/tables/misses.h"
#include "study/tables/requests.h"
#include "study/tables/side_by_side.h"
#include "study/tables/side_caches.h"
#include "study/tables/sm_partition.h"
#include "study/tables/timing.h"

#include <string.h>

static const struct wm_report_table *const tables[] = {
    &wm_kernel_table,          &wm_request_table,       &wm_boundary_table,
    &wm_instruction_table,     &wm_cycle_table,         &wm_rate_table,
    &wm_stall_table,           &wm_l1_load_table,       &wm_sm_partition_table,
    &wm_side_cache_table,      &wm_tlb_table,           &wm_energy_columns,
    &wm_served_table,          &wm_slow_load_table,     &wm_miss_table,
    &wm_missed_request_table,  &wm_evictor_table,       &wm_unused_table,
    &wm_reuse_table,           &wm_reader_table,        &wm_sharer_table,
    &wm_annotate_table,        &wm_launch_table,        &wm_side_by_side_table,
    &wm_compared_kernel_table, &wm_compared_line_table, &wm_compared_level_table,
};

const struct wm_report_table *wm_report_table_at(size_t index)
{
    return index < sizeof tables / sizeof tables[0] ? tables[index] : NULL;
}

void wm_report_table_begin(struct wm_text_table *table, const struct wm_report_table *declared,
                           uint32_t count)
{
    char alignment[WM_TABLE_COLUMNS + 1] = {0};
    for (uint32_t i = 0; i < count && i < WM_TABLE_COLUMNS; i++)
        alignment[i] = declared->columns[i].alignment;
    wm_text_table_init(table, alignment);
    wm_text_table_row(table);
    for (uint32_t i = 0; i < count; i++) {
        wm_text_table_cell(table, i, "%s", declared->columns[i].head);
        if (declared->columns[i].optional != 0)
            wm_text_table_optional(table, i, declared->columns[i].optional);
    }
}

void wm_report_wrap(const char *words, unsigned indent, unsigned width, struct wm_text *text)
{
    unsigned used = 0;
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        unsigned word = wm_text_width(words, length);
        if (used != 0 && used + 1 + word > width) {
            wm_text_add(text, "\n");
            used = 0;
        }
        wm_text_format(text, "%*s", used == 0 ? (int)indent : 1, "");
        wm_text_append(text, words, length);
        used += (used == 0 ? indent : 1) + word;
        words += length + strspn(words + length, " ");
    }
    if (used != 0)
        wm_text_add(text, "\n");
}

void wm_report_table_legend(const struct wm_report_table *declared, uint32_t count,
                            unsigned columns, struct wm_text *text)
{
    enum { WIDEST = 100 }; // what is read as a paragraph
    struct wm_text legend;
    wm_text_init(&legend);
    for (uint32_t i = 0; i < count; i++) {
        const struct wm_report_column *column = &declared->columns[i];
        bool said = false; // a head may come again, of another group
        for (uint32_t j = 0; j < i && !said; j++)
            said = declared->columns[j].legend != NULL &&
                   strcmp(declared->columns[j].head, column->head) == 0;
        if (column->legend != NULL && !said)
            wm_text_format(&legend, "%s%s: %s", legend.length != 0 ? "; " : "", column->head,
                           column->legend);
    }
    if (legend.length != 0) {
        wm_text_add(&legend, ".");
        wm_report_wrap(legend.data != NULL ? legend.data : "", 2,
                       columns < WIDEST ? columns : WIDEST, text);
    }
    text->failed = text->failed || legend.failed;
    wm_text_release(&legend);
}

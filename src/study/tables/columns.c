#include "study/tables/columns.h"

#include "base/text/text_width.h"

#include <string.h>

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

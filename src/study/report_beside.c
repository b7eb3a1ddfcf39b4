#include "study/report_beside.h"

#include "base/units.h"
#include "mem/cache.h"
#include "study/result_sums.h"
#include "study/text_table.h"

static uint64_t sum_of(const struct wm_results *results, const char *kind, const char *name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++)
        sum += wm_component_sum(results->kernels[i].components, results->kernels[i].component_count,
                                kind, name);
    return sum;
}

static void number_cell(struct wm_text_table *table, uint32_t column, uint64_t value,
                        enum wm_quantity quantity)
{
    char number[32];
    wm_text_table_cell(table, column, "%s",
                       wm_units_round((double)value, quantity, number, sizeof number));
}

void wm_report_beside(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    static const char *const heads[] = {"Caches beside L1", "requests", "hit", "from L2"};
    struct wm_text_table table;
    bool any = false;
    wm_text_table_init(&table, "lrrr");
    wm_text_table_row(&table);
    for (uint32_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        wm_text_table_cell(&table, i, "%s", heads[i]);
    for (enum wm_beside_kind kind = 0; kind < WM_BESIDE_KINDS; kind++) {
        const char *name = wm_beside_counter_sets[kind].kind;
        uint64_t requests = sum_of(results, name, "accesses");
        if (requests == 0)
            continue;
        uint64_t hits = sum_of(results, name, "hits"), misses = sum_of(results, name, "misses");
        any = true;
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "  %s", name);
        number_cell(&table, 1, requests, WM_QUANTITY_COUNT);
        wm_text_table_cell(&table, 2, "%.1f%%",
                           100.0 * (double)hits / ((double)hits + (double)misses));
        number_cell(&table, 3, sum_of(results, name, "bytes_from_below"), WM_QUANTITY_BYTES);
    }
    if (!any)
        return;
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
}

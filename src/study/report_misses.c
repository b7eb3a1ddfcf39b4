// The part of the text report that says why sectors missed; printed when misses were explained.
#include "study/report_misses.h"
#include "base/units.h"
#include "study/result_sums.h"
#include "study/text_table.h"

#include <inttypes.h>

static uint64_t sum_of(const struct wm_results *results, const char *kind, const char *name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++)
        sum += wm_component_sum(results->kernels[i].components, results->kernels[i].component_count,
                                kind, name);
    return sum;
}

static void share_cell(struct wm_text_table *table, uint32_t column, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        wm_text_table_cell(table, column, "-");
    else
        wm_text_table_cell(table, column, "%.1f%%", 100.0 * (double)part / (double)whole);
}

static void print_level(const struct wm_results *results, struct wm_text_table *table,
                        const char *title, const char *cache, const char *kind)
{
    static const char *const classes[] = {"cold", "coherence", "capacity", "conflict",
                                          "unallocated"};
    char number[32];
    uint64_t misses = sum_of(results, cache, "misses");
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "  %s", title);
    wm_text_table_cell(table, 1, "%s",
                       wm_units_round((double)misses, WM_QUANTITY_COUNT, number, sizeof number));
    for (uint32_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        share_cell(table, 2 + i, sum_of(results, kind, classes[i]), misses);
}

static void print_evictors(const struct wm_results *results, struct wm_text_table *table,
                           const char *title, const char *kind)
{
    static const char *const evictors[] = {"evicted_same_warp", "evicted_same_block",
                                           "evicted_other_block"};
    uint64_t all = 0;
    for (uint32_t i = 0; i < 3; i++)
        all += sum_of(results, kind, evictors[i]);
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "  %s", title);
    for (uint32_t i = 0; i < 3; i++)
        share_cell(table, 1 + i, sum_of(results, kind, evictors[i]), all);
}

void wm_report_misses(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    static const char *const heads[] = {"Why sectors missed", "missed",   "cold",       "coherence",
                                        "capacity",           "conflict", "unallocated"};
    static const char *const who[] = {"Who had displaced the line", "same warp",
                                      "another of the block", "another block"};
    struct wm_text_table table;
    wm_text_table_init(&table, "lrrrrrr");
    wm_text_table_row(&table);
    for (uint32_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        wm_text_table_cell(&table, i, "%s", heads[i]);
    print_level(results, &table, "L1", "l1", "l1_explained");
    print_level(results, &table, "L2", "l2", "l2_explained");
    wm_text_table_print(&table, columns, text);
    wm_text_add(text, "\n");
    wm_text_table_init(&table, "lrrr");
    wm_text_table_row(&table);
    for (uint32_t i = 0; i < sizeof who / sizeof who[0]; i++)
        wm_text_table_cell(&table, i, "%s", who[i]);
    print_evictors(results, &table, "L1", "l1_explained");
    print_evictors(results, &table, "L2", "l2_explained");
    wm_text_table_print(&table, columns, text);
    uint64_t accesses = sum_of(results, "shared", "accesses");
    if (accesses != 0)
        wm_text_format(text,
                       "\nShared memory: %" PRIu64 " accesses took %" PRIu64
                       " passes of its banks, %" PRIu64 " of them for bank conflicts.\n",
                       accesses, sum_of(results, "shared", "passes"),
                       sum_of(results, "shared", "replays"));
}

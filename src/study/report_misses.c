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

// A histogram of which some buckets are printed together: `firsts` are the first of each.
static void print_histogram(const struct wm_results *results, struct wm_text_table *table,
                            const struct wm_counter_set *set, const uint32_t *firsts,
                            uint32_t count)
{
    uint64_t sums[WM_TABLE_COLUMNS] = {0}, all = 0;
    for (uint32_t column = 0; column < count; column++) {
        uint32_t end = column + 1 < count ? firsts[column + 1] : (uint32_t)set->count;
        for (uint32_t c = firsts[column]; c < end; c++)
            sums[column] += sum_of(results, set->kind, set->declarations[c].name);
        all += sums[column];
    }
    wm_text_table_row(table);
    for (uint32_t column = 0; column < count; column++)
        share_cell(table, 1 + column, sums[column], all);
}

static void print_reuse(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    static const char *const heads[] = {
        "Other lines used since", "first use", "0", "1-7", "8-63", "64-511", "512-4K", "more"};
    static const uint32_t firsts[] = {0, 1, 2, 5, 8, 11, 14}; // 0, 1 is 2^0, 8 is 2^3, …
    struct wm_text_table table;
    wm_text_table_init(&table, "lrrrrrrr");
    wm_text_table_row(&table);
    for (uint32_t i = 0; i < 8; i++)
        wm_text_table_cell(&table, i, "%s", heads[i]);
    print_histogram(results, &table, &wm_l1_reuse_set, firsts, 7);
    wm_text_table_cell(&table, 0, "  L1, of requests");
    wm_text_table_print(&table, columns, text);
}

static void print_sharing(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    static const char *const heads[] = {
        "SMs that read a line", "1", "2", "3-4", "5-8", "9-16", "17-32", "more"};
    static const uint32_t firsts[] = {0, 1, 2, 3, 4, 5, 6};
    struct wm_text_table table;
    wm_text_table_init(&table, "lrrrrrrr");
    wm_text_table_row(&table);
    for (uint32_t i = 0; i < 8; i++)
        wm_text_table_cell(&table, i, "%s", heads[i]);
    print_histogram(results, &table, &wm_sharing_counter_set, firsts, 7);
    wm_text_table_cell(&table, 0, "  of lines");
    wm_text_table_print(&table, columns, text);
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
    wm_text_add(text, "\n");
    print_reuse(results, columns, text);
    wm_text_add(text, "\n");
    print_sharing(results, columns, text);
    uint64_t accesses = sum_of(results, "shared", "accesses");
    if (accesses != 0)
        wm_text_format(text,
                       "\nShared memory: %" PRIu64 " accesses took %" PRIu64
                       " passes of its banks, %" PRIu64 " of them for bank conflicts.\n",
                       accesses, sum_of(results, "shared", "passes"),
                       sum_of(results, "shared", "replays"));
}

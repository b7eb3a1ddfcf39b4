// The part of the text report that says why sectors missed; printed when misses were explained.
#include "study/report_misses.h"
#include "base/units.h"
#include "study/result_sums.h"
#include "study/text_table.h"

#include <inttypes.h>

static void share_cell(struct wm_text_table *table, uint32_t column, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        wm_text_table_cell(table, column, "-");
    else
        wm_text_table_cell(table, column, "%.1f%%", 100.0 * (double)part / (double)whole);
}

// Calls `print` for each kind of cache whose misses are explained, in the order of the components:
// "l1_explained" stands beside "l1".
static void for_each_cache(const struct wm_results *results, struct wm_text_table *table,
                           void (*print)(const struct wm_results *results,
                                         struct wm_text_table *table, const char *cache,
                                         const char *explained))
{
    static const char suffix[] = "_explained";
    for (uint32_t i = 0; i < results->component_count; i++) {
        const struct wm_counter_set *set = results->components[i].set;
        size_t length = strlen(set->kind), base = length - (sizeof suffix - 1);
        bool seen = length < sizeof suffix || strcmp(set->kind + base, suffix) != 0;
        for (uint32_t j = 0; j < i && !seen; j++)
            seen = results->components[j].set == set;
        if (seen)
            continue;
        char cache[32];
        snprintf(cache, sizeof cache, "%.*s", (int)base, set->kind);
        if (wm_results_sum(results, cache, "accesses") == 0)
            continue;
        wm_text_table_row(table);
        // "L1" and "L2" are written so, other names in small letters.
        wm_text_table_cell(table, 0, "  %s",
                           strcmp(cache, "l1") == 0   ? "L1"
                           : strcmp(cache, "l2") == 0 ? "L2"
                                                      : cache);
        print(results, table, cache, set->kind);
    }
}

static void count_cell(struct wm_text_table *table, uint32_t column, uint64_t value,
                       enum wm_quantity quantity)
{
    char number[32];
    wm_text_table_cell(table, column, "%s",
                       wm_units_round((double)value, quantity, number, sizeof number));
}

static void print_level(const struct wm_results *results, struct wm_text_table *table,
                        const char *cache, const char *kind)
{
    static const char *const classes[] = {"cold", "coherence", "capacity", "conflict",
                                          "unallocated"};
    uint64_t misses = wm_results_sum(results, cache, "misses");
    count_cell(table, 1, misses, WM_QUANTITY_COUNT);
    for (uint32_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        share_cell(table, 2 + i, wm_results_sum(results, kind, classes[i]), misses);
}

static void print_kinds(const struct wm_results *results, struct wm_text_table *table,
                        const char *cache, const char *kind)
{
    static const char *const kinds[] = {"accesses_cold",       "accesses_same_warp",
                                        "accesses_other_warp", "accesses_refused",
                                        "accesses_dropped",    "accesses_unallocated"};
    uint64_t missed = wm_results_sum(results, cache, "accesses_missed");
    count_cell(table, 1, missed, WM_QUANTITY_COUNT);
    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        share_cell(table, 2 + i, wm_results_sum(results, kind, kinds[i]), missed);
}

static void print_evictors(const struct wm_results *results, struct wm_text_table *table,
                           const char *cache, const char *kind)
{
    static const char *const evictors[] = {"evicted_same_warp", "evicted_same_block",
                                           "evicted_other_block"};
    (void)cache;
    uint64_t all = 0;
    for (uint32_t i = 0; i < 3; i++)
        all += wm_results_sum(results, kind, evictors[i]);
    for (uint32_t i = 0; i < 3; i++)
        share_cell(table, 1 + i, wm_results_sum(results, kind, evictors[i]), all);
}

static void print_unused(const struct wm_results *results, struct wm_text_table *table,
                         const char *cache, const char *kind)
{
    static const char *const unused[] = {"unused_sector_bytes", "unused_bytes"};
    (void)cache;
    uint64_t fetched = wm_results_sum(results, kind, "fetched_bytes");
    count_cell(table, 1, fetched, WM_QUANTITY_BYTES);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t bytes = wm_results_sum(results, kind, unused[i]);
        count_cell(table, 2 + 2 * i, bytes, WM_QUANTITY_BYTES);
        share_cell(table, 3 + 2 * i, bytes, fetched);
    }
}

// A histogram of which some buckets are printed together: `firsts` are the first of each, `end` the
// one after the last.
static void print_histogram(const struct wm_results *results, struct wm_text_table *table,
                            const struct wm_counter_set *set, const uint32_t *firsts,
                            uint32_t count, uint32_t end)
{
    uint64_t sums[WM_TABLE_COLUMNS] = {0}, all = 0;
    for (uint32_t column = 0; column < count; column++) {
        uint32_t last = column + 1 < count ? firsts[column + 1] : end;
        for (uint32_t c = firsts[column]; c < last; c++)
            sums[column] += wm_results_sum(results, set->kind, set->declarations[c].name);
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
    print_histogram(results, &table, &wm_l1_reuse_set, firsts, 7, (uint32_t)wm_l1_reuse_set.count);
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
    print_histogram(results, &table, &wm_sharing_counter_set, firsts, 7, WM_SHARING_DEGREES);
    wm_text_table_cell(&table, 0, "  of lines");
    wm_text_table_print(&table, columns, text);
}

static void print_classes(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    static const char *const heads[] = {"Who shares a line", "one SM", "boundary", "broadcast",
                                        "dynamic"};
    static const uint32_t lines[] = {WM_SHARING_DEGREES, WM_SHARING_DEGREES + 1,
                                     WM_SHARING_DEGREES + 2, WM_SHARING_DEGREES + 3};
    uint64_t reads[4] = {0}, all = 0;
    for (uint32_t k = 0; k < results->kernel_count; k++)
        for (uint32_t i = 0; i < results->kernels[k].instruction_count; i++) {
            const struct wm_explained_cause *it = results->kernels[k].instructions[i].explained;
            reads[0] += it->reads_private;
            reads[1] += it->reads_boundary;
            reads[2] += it->reads_broadcast;
            reads[3] += it->reads_dynamic;
        }
    struct wm_text_table table;
    wm_text_table_init(&table, "lrrrr");
    wm_text_table_row(&table);
    for (uint32_t i = 0; i < 5; i++)
        wm_text_table_cell(&table, i, "%s", heads[i]);
    print_histogram(results, &table, &wm_sharing_counter_set, lines, 4,
                    (uint32_t)wm_sharing_counter_set.count);
    wm_text_table_cell(&table, 0, "  of lines");
    wm_text_table_row(&table);
    wm_text_table_cell(&table, 0, "  of read requests");
    for (uint32_t i = 0; i < 4; i++)
        all += reads[i];
    for (uint32_t i = 0; i < 4; i++)
        share_cell(&table, 1 + i, reads[i], all);
    wm_text_table_print(&table, columns, text);
}

static void print_by_cache(const struct wm_results *results, unsigned columns,
                           const char *const *heads, const char *alignment,
                           void (*print)(const struct wm_results *results,
                                         struct wm_text_table *table, const char *cache,
                                         const char *explained),
                           struct wm_text *text)
{
    struct wm_text_table table;
    wm_text_table_init(&table, alignment);
    wm_text_table_row(&table);
    for (uint32_t i = 0; alignment[i] != '\0'; i++)
        wm_text_table_cell(&table, i, "%s", heads[i]);
    for_each_cache(results, &table, print);
    wm_text_table_print(&table, columns, text);
    wm_text_add(text, "\n");
}

static bool knows_sharing(const struct wm_results *results)
{
    for (uint32_t i = 0; i < results->component_count; i++)
        if (results->components[i].set == &wm_sharing_counter_set)
            return true;
    return false;
}

void wm_report_misses(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    static const char *const why[] = {"Why sectors missed", "missed",   "cold",       "coherence",
                                      "capacity",           "conflict", "unallocated"};
    static const char *const kinds[] = {"Requests",   "missed",  "cold",    "same warp",
                                        "other warp", "refused", "dropped", "unallocated"};
    static const char *const who[] = {"Who had displaced it", "same warp", "another of the block",
                                      "another block"};
    static const char *const unused[] = {"Bytes never used", "fetched", "whole sectors", "",
                                         "all of them",      ""};
    print_by_cache(results, columns, why, "lrrrrrr", print_level, text);
    print_by_cache(results, columns, kinds, "lrrrrrrr", print_kinds, text);
    print_by_cache(results, columns, who, "lrrr", print_evictors, text);
    print_by_cache(results, columns, unused, "lrrrrr", print_unused, text);
    print_reuse(results, columns, text);
    if (knows_sharing(results)) {
        wm_text_add(text, "\n");
        print_sharing(results, columns, text);
        wm_text_add(text, "\n");
        print_classes(results, columns, text);
    }
    uint64_t accesses = wm_results_sum(results, "shared", "accesses");
    if (accesses != 0)
        wm_text_format(text,
                       "\nShared memory: %" PRIu64 " accesses took %" PRIu64
                       " passes of its banks, %" PRIu64 " of them for bank conflicts.\n",
                       accesses, wm_results_sum(results, "shared", "passes"),
                       wm_results_sum(results, "shared", "replays"));
}

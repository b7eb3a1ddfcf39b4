// The part of the text report that says why sectors missed; printed when misses were explained.
#include "study/tables/misses.h"
#include "base/text/units.h"
#include "study/run_report/result_sums.h"

#include <inttypes.h>

// --- What the columns say (docs/misses.md) ---

#define MISSED_BECAUSE(head, sentence)     \
    {                                      \
        head, 'r', 0, sentence, NULL, NULL \
    }
static const struct wm_report_column miss_columns[] = {
    {"Why sectors missed", 'l', 0, "a cache", NULL, NULL},
    MISSED_BECAUSE("missed", "sectors looked for in it and not found"),
    MISSED_BECAUSE("cold", "of them, those that it was never given to keep since it was emptied"),
    MISSED_BECAUSE("coherence", "those that it had to drop since: the host, an atomic or a store "
                                "around this cache changed them"),
    MISSED_BECAUSE("capacity", "those that a fully associative LRU cache of its size would not "
                               "hold either"),
    MISSED_BECAUSE("conflict", "those that a fully associative LRU cache of its size would hold"),
    MISSED_BECAUSE("unallocated", "those that it takes no line for, by policy"),
};
const struct wm_report_table wm_miss_table =
    WM_REPORT_TABLE("run and replay with --explain: each cache", miss_columns);

static const struct wm_report_column missed_request_columns[] = {
    {"Requests", 'l', 0, "a cache", NULL, NULL},
    MISSED_BECAUSE("missed", "requests for a line each that missed a sector or more"),
    MISSED_BECAUSE("cold", "of them, those whose sectors it was never given to keep"),
    MISSED_BECAUSE("same warp",
                   "those a sector of which an access of the same warp displaced last"),
    MISSED_BECAUSE("other warp",
                   "those a sector of which an access of another warp displaced last"),
    MISSED_BECAUSE("refused", "those that the replacement had refused to take"),
    MISSED_BECAUSE("dropped", "those a sector of which had to be dropped since"),
    MISSED_BECAUSE("unallocated", "those that it takes no line for, by policy"),
};
const struct wm_report_table wm_missed_request_table =
    WM_REPORT_TABLE("run and replay with --explain: each cache", missed_request_columns);

static const struct wm_report_column evictor_columns[] = {
    {"Who had displaced it", 'l', 0, "a cache; of its capacity and conflict misses", NULL, NULL},
    MISSED_BECAUSE("same warp", "those displaced last by the warp that misses them"),
    MISSED_BECAUSE("another of the block", "those displaced last by another warp of its block"),
    MISSED_BECAUSE("another block", "those displaced last by a warp of another block"),
};
const struct wm_report_table wm_evictor_table =
    WM_REPORT_TABLE("run and replay with --explain: each cache", evictor_columns);

static const struct wm_report_column unused_columns[] = {
    {"Bytes never used", 'l', 0, "a cache", NULL, NULL},
    MISSED_BECAUSE("fetched", "bytes that came into it from below, or past it to the SM"),
    MISSED_BECAUSE("whole sectors", "of them, those in sectors that were not used while there"),
    {"", 'r', 0, NULL, NULL, NULL},
    MISSED_BECAUSE("all of them", "of them, those that no lane used while there, those in used "
                                  "sectors included"),
    {"", 'r', 0, NULL, NULL, NULL},
};
const struct wm_report_table wm_unused_table =
    WM_REPORT_TABLE("run and replay with --explain: each cache", unused_columns);

#define SINCE(head)                                                                \
    MISSED_BECAUSE(head, "requests for a line that the SM used before, with " head \
                         " other lines used since")
static const struct wm_report_column reuse_columns[] = {
    {"Other lines used since", 'l', 0, "reuse distances in L1: LRU stack distances of a launch",
     NULL, NULL},
    MISSED_BECAUSE("first use", "requests for a line that the SM had not used in the launch"),
    SINCE("0"),
    SINCE("1-7"),
    SINCE("8-63"),
    SINCE("64-511"),
    SINCE("512-4K"),
    MISSED_BECAUSE("more", "requests for a line with more other lines used since"),
};
#undef SINCE
const struct wm_report_table wm_reuse_table =
    WM_REPORT_TABLE("run and replay with --explain: the whole run", reuse_columns);

#define READ_BY(head) MISSED_BECAUSE(head, "lines that " head " SMs read in a launch")
static const struct wm_report_column reader_columns[] = {
    {"SMs that read a line", 'l', 0, "lines by how many SMs read them in a launch", NULL, NULL},
    READ_BY("1"),
    READ_BY("2"),
    READ_BY("3-4"),
    READ_BY("5-8"),
    READ_BY("9-16"),
    READ_BY("17-32"),
    READ_BY("more"),
};
#undef READ_BY
const struct wm_report_table wm_reader_table =
    WM_REPORT_TABLE("run and replay with --explain: the whole run", reader_columns);

static const struct wm_report_column sharer_columns[] = {
    {"Who shares a line", 'l', 0, "lines, and requests of loads, by who read the line in a launch",
     NULL, NULL},
    MISSED_BECAUSE("one SM", "lines that one SM read"),
    MISSED_BECAUSE("boundary", "lines that neighbouring blocks on several SMs read"),
    MISSED_BECAUSE("broadcast", "lines that nearly all SMs, or a regular set of blocks, read"),
    MISSED_BECAUSE("dynamic", "lines that an irregular set of blocks on several SMs read"),
};
#undef MISSED_BECAUSE
const struct wm_report_table wm_sharer_table =
    WM_REPORT_TABLE("run and replay with --explain: the whole run", sharer_columns);

static void share_cell(struct wm_text_table *table, uint32_t column, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        wm_text_table_cell(table, column, "-");
    else
        wm_text_table_cell(table, column, "%.1f%%", 100.0 * (double)part / (double)whole);
}

static bool has_components(const struct wm_results *results, const char *kind)
{
    for (uint32_t i = 0; i < results->component_count; i++)
        if (strcmp(results->components[i].set->kind, kind) == 0)
            return true;
    return false;
}

// Calls `print` for each level whose misses are explained, from the units down.
static void for_each_level(const struct wm_results *results, struct wm_text_table *table,
                           void (*print)(const struct wm_results *results,
                                         struct wm_text_table *table, const char *level,
                                         const char *explained))
{
    const struct wm_level_list *levels = &results->counted->levels;
    for (uint32_t i = 0; i < levels->count; i++) {
        const char *level = levels->levels[i].name;
        char title[WM_LEVEL_COUNTER_BYTES], explained[WM_LEVEL_COUNTER_BYTES + sizeof "_explained"];
        snprintf(explained, sizeof explained, "%s_explained", level);
        if (!has_components(results, explained) || wm_results_sum(results, level, "accesses") == 0)
            continue;
        wm_text_table_row(table);
        wm_text_table_cell(table, 0, "  %s", wm_level_title(level, title));
        print(results, table, level, explained);
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
    static const uint32_t firsts[] = {0, 1, 2, 5, 8, 11, 14}; // 0, 1 is 2^0, 8 is 2^3, …
    struct wm_text_table table;
    wm_report_table_begin(&table, &wm_reuse_table, wm_reuse_table.count);
    print_histogram(results, &table, &wm_l1_reuse_set, firsts, 7, (uint32_t)wm_l1_reuse_set.count);
    wm_text_table_cell(&table, 0, "  L1, of requests");
    wm_text_table_print(&table, columns, text);
}

static void print_sharing(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    static const uint32_t firsts[] = {0, 1, 2, 3, 4, 5, 6};
    struct wm_text_table table;
    wm_report_table_begin(&table, &wm_reader_table, wm_reader_table.count);
    print_histogram(results, &table, &wm_sharing_counter_set, firsts, 7, WM_SHARING_DEGREES);
    wm_text_table_cell(&table, 0, "  of lines");
    wm_text_table_print(&table, columns, text);
}

static void print_classes(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    static const uint32_t lines[] = {WM_SHARING_DEGREES, WM_SHARING_DEGREES + 1,
                                     WM_SHARING_DEGREES + 2, WM_SHARING_DEGREES + 3};
    uint64_t reads[4] = {0}, all = 0;
    for (uint32_t k = 0; k < results->kernel_count; k++)
        for (uint32_t i = 0; i < results->kernels[k].instruction_count; i++) {
            const struct wm_instruction_misses *it = results->kernels[k].instructions[i].explained;
            reads[0] += it->reads_private;
            reads[1] += it->reads_boundary;
            reads[2] += it->reads_broadcast;
            reads[3] += it->reads_dynamic;
        }
    struct wm_text_table table;
    wm_report_table_begin(&table, &wm_sharer_table, wm_sharer_table.count);
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

static void print_by_level(const struct wm_results *results, unsigned columns,
                           const struct wm_report_table *declared,
                           void (*print)(const struct wm_results *results,
                                         struct wm_text_table *table, const char *cache,
                                         const char *explained),
                           struct wm_text *text)
{
    struct wm_text_table table;
    wm_report_table_begin(&table, declared, declared->count);
    for_each_level(results, &table, print);
    wm_text_table_print(&table, columns, text);
    wm_text_add(text, "\n");
}

void wm_report_misses(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    print_by_level(results, columns, &wm_miss_table, print_level, text);
    print_by_level(results, columns, &wm_missed_request_table, print_kinds, text);
    print_by_level(results, columns, &wm_evictor_table, print_evictors, text);
    print_by_level(results, columns, &wm_unused_table, print_unused, text);
    print_reuse(results, columns, text);
    if (has_components(results, wm_sharing_counter_set.kind)) {
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

#include "study/tables/side_caches.h"

#include "base/text/units.h"
#include "mem/cache/cache.h"
#include "study/format/text_table.h"
#include "study/run_report/result_sums.h"

static const struct wm_report_column tlb_columns[] = {
    {"TLBs", 'l', 0, "the TLBs of a level", NULL, NULL},
    {"look-ups", 'r', 0, "pages that they were looked up for", NULL, NULL},
    {"hit", 'r', 0, "of these, those that they held", NULL, NULL},
    {"walks", 'r', 0, "page walks that the others took", NULL, NULL},
    {"read by walks", 'r', 0, "bytes that walks read of page tables", NULL, NULL},
};
const struct wm_report_table wm_tlb_table =
    WM_REPORT_TABLE("run and replay: translation", tlb_columns);

static const struct wm_report_column side_cache_columns[] = {
    {"L1's side caches", 'l', 0, "a kind of cache that serves some loads in place of L1", NULL,
     NULL},
    {"requests", 'r', 0, "requests for a line each, after coalescing", NULL, NULL},
    {"hit", 'r', 0, "of the sectors looked for there, those that it held", NULL, NULL},
    {"from L2", 'r', 0, "bytes that it fetched from L2", NULL, NULL},
};
const struct wm_report_table wm_side_cache_table = WM_REPORT_TABLE(
    "run and replay: constant, texture, scalar and instruction caches", side_cache_columns);

static void number_cell(struct wm_text_table *table, uint32_t column, uint64_t value,
                        enum wm_quantity quantity)
{
    char number[32];
    wm_text_table_cell(table, column, "%s",
                       wm_units_round((double)value, quantity, number, sizeof number));
}

static void print_victims(const struct wm_results *results, struct wm_text *text)
{
    uint64_t requests = wm_results_sum(results, "victim", "accesses");
    uint64_t hits = wm_results_sum(results, "victim", "hits"),
             misses = wm_results_sum(results, "victim", "misses");
    if (requests == 0)
        return;
    char number[32];
    wm_text_format(text,
                   "\nVictim caches: %s requests found no line in L1, %.1f%% of their sectors "
                   "were there.\n",
                   wm_units_round((double)requests, WM_QUANTITY_COUNT, number, sizeof number),
                   100.0 * (double)hits / ((double)hits + (double)misses));
}

static void print_tlbs(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    static const char *const kinds[] = {"l1_tlb", "l2_tlb"};
    static const char *const names[] = {"  L1", "  L2"};
    struct wm_text_table table;
    if (wm_results_sum(results, "l1_tlb", "lookups") == 0)
        return;
    wm_report_table_begin(&table, &wm_tlb_table, wm_tlb_table.count);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t lookups = wm_results_sum(results, kinds[i], "lookups");
        if (lookups == 0)
            continue;
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "%s", names[i]);
        number_cell(&table, 1, lookups, WM_QUANTITY_COUNT);
        wm_text_table_cell(&table, 2, "%.1f%%",
                           100.0 * (double)wm_results_sum(results, kinds[i], "hits") /
                               (double)lookups);
        number_cell(&table, 3, wm_results_sum(results, kinds[i], "walks"), WM_QUANTITY_COUNT);
        number_cell(&table, 4, wm_results_sum(results, kinds[i], "bytes"), WM_QUANTITY_BYTES);
    }
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
}

static void print_side_caches(const struct wm_results *results, unsigned columns,
                              struct wm_text *text)
{
    struct wm_text_table table;
    bool any = false;
    wm_report_table_begin(&table, &wm_side_cache_table, wm_side_cache_table.count);
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        const char *name = wm_side_cache_counter_sets[kind].kind;
        uint64_t requests = wm_results_sum(results, name, "accesses");
        if (requests == 0)
            continue;
        uint64_t hits = wm_results_sum(results, name, "hits"),
                 misses = wm_results_sum(results, name, "misses");
        any = true;
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "  %s", wm_side_cache_names[kind]);
        number_cell(&table, 1, requests, WM_QUANTITY_COUNT);
        wm_text_table_cell(&table, 2, "%.1f%%",
                           100.0 * (double)hits / ((double)hits + (double)misses));
        number_cell(&table, 3, wm_results_sum(results, name, "bytes_from_below"),
                    WM_QUANTITY_BYTES);
    }
    if (any) {
        wm_text_add(text, "\n");
        wm_text_table_print(&table, columns, text);
    }
}

void wm_report_side_caches(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    print_side_caches(results, columns, text);
    print_victims(results, text);
    print_tlbs(results, columns, text);
}

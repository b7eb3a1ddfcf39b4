#include "study/tables/load_latency.h"

#include "base/text/units.h"
#include "study/tables/level_columns.h"
#include "study/tables/location.h"
#include "study/tables/ranking.h"

#include <string.h>

enum {
    MOST_LOADS = 5,
    FIRST_BUCKET = 3, // the columns of buckets; the first one has the shorter, the last the longer
    BUCKETS = 7,
    SHORTEST = 4, // the first column's: below 2^(4 + 1)
    UNIT_BYTES = 32,
};

#define BUCKET(head, cycles)                                          \
    {                                                                 \
        head, 'r', 0, "loads that took " cycles " cycles", NULL, NULL \
    }
static const struct wm_report_column served_columns[] = {
    {"Loads served by", 'l', 0, "the furthest component that a load had to wait for", NULL, NULL},
    {"loads", 'r', 0, "times that a warp got what it loaded", NULL, NULL},
    {"cycles", 'r', 0, "mean of the cycles from issue until all lanes had their data", NULL, NULL},
    BUCKET("<32", "fewer than 32"),
    BUCKET("<64", "32 to 63"),
    BUCKET("<128", "64 to 127"),
    BUCKET("<256", "128 to 255"),
    BUCKET("<512", "256 to 511"),
    BUCKET("<1024", "512 to 1023"),
    BUCKET("more", "1024 and more"),
};
#undef BUCKET
_Static_assert(sizeof served_columns / sizeof served_columns[0] == FIRST_BUCKET + BUCKETS,
               "a head for each bucket");
const struct wm_report_table wm_served_table =
    WM_REPORT_TABLE("run and replay in time: loads by level", served_columns);

static const struct wm_report_column slow_columns[] = {
    {"Slowest loads at", 'l', 0,
     "a load, by its source line, or its line of PTX and kernel; those that took most cycles first",
     NULL, NULL},
    {"", 'l', 0, NULL, NULL, NULL}, // its opcode
    {"loads", 'r', 0, "times that a warp got what it loaded", NULL, NULL},
    {"cycles", 'r', 0, "mean of the cycles from issue until all lanes had their data", NULL, NULL},
    {"of all", 'r', 0, "its cycles, of the cycles of all loads", NULL, NULL},
    {"misses", 'r', 0, "lines that it had to wait for, a load", "lines waited for, a load", NULL},
    {"cached", 'r', 0,
     "of its executions, those that waited for nothing below L1 and its side caches",
     "loads that waited for nothing below L1", NULL},
};
const struct wm_report_table wm_slow_load_table =
    WM_REPORT_TABLE("run and replay in time: the slowest loads", slow_columns);

static void count_cell(struct wm_text_table *table, uint32_t column, uint64_t count)
{
    char number[UNIT_BYTES];
    wm_text_table_cell(table, column, "%s",
                       wm_units_round((double)count, WM_QUANTITY_COUNT, number, sizeof number));
}

static void share_cell(struct wm_text_table *table, uint32_t column, uint64_t part, uint64_t whole)
{
    if (part == 0)
        wm_text_table_cell(table, column, "-");
    else
        wm_text_table_cell(table, column, "%.1f%%", 100.0 * (double)part / (double)whole);
}

// --- By level ---

static void add_level(struct wm_served_loads *to, const struct wm_served_loads *from)
{
    to->loads += from->loads;
    to->cycles += from->cycles;
    for (uint32_t i = 0; i < WM_LATENCY_BUCKETS; i++)
        to->buckets[i] += from->buckets[i];
}

static void level_row(struct wm_text_table *table, const char *name,
                      const struct wm_served_loads *level)
{
    uint64_t shares[BUCKETS] = {0};
    for (uint32_t i = 0; i < WM_LATENCY_BUCKETS; i++) {
        uint32_t at = i < SHORTEST ? 0 : i - SHORTEST;
        shares[at < BUCKETS ? at : BUCKETS - 1] += level->buckets[i];
    }
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "  %s", name);
    count_cell(table, 1, level->loads);
    wm_text_table_cell(table, 2, "%.0f", (double)level->cycles / (double)level->loads);
    for (uint32_t i = 0; i < BUCKETS; i++)
        share_cell(table, FIRST_BUCKET + i, shares[i], level->loads);
}

static void print_levels(const struct wm_level_list *levels, const struct wm_load_latency *latency,
                         unsigned columns, struct wm_text *text)
{
    struct wm_text_table table;
    struct wm_served_loads all = {0};
    enum wm_server servers[WM_SERVERS];
    uint32_t count = wm_servers_of(levels, servers), shown = 0;
    wm_report_table_begin(&table, &wm_served_table, wm_served_table.count);
    for (uint32_t i = 0; i < count; i++) {
        const struct wm_served_loads *served = &latency->by[servers[i]];
        char title[WM_LEVEL_COUNTER_BYTES];
        if (served->loads == 0)
            continue;
        level_row(&table, i == 0 ? "shared memory" : wm_level_place_title(levels, i - 1, title),
                  served);
        add_level(&all, served);
        shown++;
    }
    if (shown > 1)
        level_row(&table, "all", &all);
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
}

// --- By instruction ---

static bool is_timed(const struct wm_instruction_result *it)
{
    return it->timed != NULL;
}

static bool took_longer(const struct wm_results *results, const struct wm_instruction_result *a,
                        const struct wm_instruction_result *b)
{
    (void)results;
    return a->timed->load_cycles > b->timed->load_cycles;
}

static const struct wm_instruction_ranking slowest_first = {is_timed, took_longer};

static void print_slowest(const struct wm_results *results, uint64_t all_cycles, unsigned columns,
                          struct wm_text *text)
{
    struct wm_ranked_instruction slowest[MOST_LOADS];
    uint32_t count = wm_rank_instructions(results, &slowest_first, slowest, MOST_LOADS);
    if (count == 0)
        return;
    struct wm_text_table table;
    wm_report_table_begin(&table, &wm_slow_load_table, wm_slow_load_table.count);
    for (uint32_t i = 0; i < count; i++) {
        const struct wm_instruction_result *it = slowest[i].instruction;
        const struct wm_load_counters *load = it->timed;
        double loads = (double)load->loads;
        wm_report_instruction_row(&table, slowest[i].kernel, it);
        count_cell(&table, 2, load->loads);
        wm_text_table_cell(&table, 3, "%.0f", (double)load->load_cycles / loads);
        share_cell(&table, 4, load->load_cycles, all_cycles);
        wm_text_table_cell(&table, 5, "%.2f", (double)load->requests_waited / loads);
        wm_text_table_cell(&table, 6, "%.1f%%", 100.0 * (double)load->loads_cached / loads);
    }
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
    wm_report_table_legend(&wm_slow_load_table, wm_slow_load_table.count, columns, text);
}

void wm_report_load_latency(const struct wm_results *results, unsigned columns,
                            struct wm_text *text)
{
    struct wm_load_latency all = {0};
    uint64_t loads = 0, cycles = 0;
    for (uint32_t k = 0; k < results->kernel_count; k++) {
        const struct wm_load_latency *latency = results->kernels[k].load_latency;
        for (uint32_t i = 0; latency != NULL && i < WM_SERVERS; i++) {
            add_level(&all.by[i], &latency->by[i]);
            loads += latency->by[i].loads;
            cycles += latency->by[i].cycles;
        }
    }
    if (loads == 0)
        return;
    print_levels(&results->counted->levels, &all, columns, text);
    print_slowest(results, cycles, columns, text);
}

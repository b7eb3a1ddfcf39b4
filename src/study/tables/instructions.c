#include "study/tables/instructions.h"

#include "base/text/units.h"
#include "study/tables/column_titles.h"
#include "study/tables/location.h"
#include "study/tables/ranking.h"
#include "study/tables/requests.h"

#include <string.h>

enum { MOST_INSTRUCTIONS = 5, UNIT_BYTES = 32 };

static const struct wm_report_column instruction_columns[] = {
    {"Costliest at", 'l', 0,
     "a memory instruction, by its source line, or its line of PTX and kernel; those that moved "
     "most "
     "bytes between L2 and DRAM first, then between L1 and L2",
     NULL, NULL},
    {"", 'l', 0, NULL, NULL, NULL}, // its opcode
    {"requests", 'r', 12, "times that a warp executed it: requests, whatever lines each touches",
     NULL, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum, of one instruction"},
    WM_COLUMN_SECTORS(NULL),
    WM_COLUMN_USED(NULL),
    WM_COLUMN_L1_HIT,
    WM_COLUMN_L2_HIT,
    WM_COLUMN_L1_L2,
    WM_COLUMN_DRAM,
};
const struct wm_report_table wm_instruction_table =
    WM_REPORT_TABLE("run and replay: the memory instructions that moved most", instruction_columns);

static bool moves_more(const struct wm_instruction_result *left,
                       const struct wm_instruction_result *right)
{
    const struct wm_instruction_counters *a = &left->counters, *b = &right->counters;
    if (a->bytes_dram != b->bytes_dram)
        return a->bytes_dram > b->bytes_dram;
    if (a->bytes_l1_l2 != b->bytes_l1_l2)
        return a->bytes_l1_l2 > b->bytes_l1_l2;
    return a->sectors > b->sectors;
}

// Parameters, and constants on a machine without a cache for them, make no request.
static bool makes_requests(const struct wm_instruction_result *it)
{
    return it->counters.requests != 0;
}

static const struct wm_instruction_ranking dearest_first = {makes_requests, moves_more};

static void rate_cell(struct wm_text_table *table, uint32_t column, uint64_t hits, uint64_t misses)
{
    if (hits + misses == 0)
        wm_text_table_cell(table, column, "-");
    else
        wm_text_table_cell(table, column, "%.1f%%",
                           100.0 * (double)hits / ((double)hits + (double)misses));
}

static void bytes_cell(struct wm_text_table *table, uint32_t column, uint64_t bytes)
{
    char number[UNIT_BYTES];
    wm_text_table_cell(table, column, "%s",
                       wm_units_round((double)bytes, WM_QUANTITY_BYTES, number, sizeof number));
}

static void add_row(struct wm_text_table *table, const struct wm_ranked_instruction *ranked)
{
    const struct wm_instruction_result *it = ranked->instruction;
    wm_report_instruction_row(table, ranked->kernel, it);
    wm_report_request_cells(table, 2, &it->counters, true);
    rate_cell(table, 5, it->counters.l1_hits, it->counters.l1_misses);
    rate_cell(table, 6, it->counters.l2_hits, it->counters.l2_misses);
    bytes_cell(table, 7, it->counters.bytes_l1_l2);
    bytes_cell(table, 8, it->counters.bytes_dram);
}

void wm_report_instructions(const struct wm_results *results, unsigned columns,
                            struct wm_text *text)
{
    struct wm_ranked_instruction dearest[MOST_INSTRUCTIONS];
    uint32_t count = wm_rank_instructions(results, &dearest_first, dearest, MOST_INSTRUCTIONS);
    if (count == 0)
        return;
    struct wm_text_table table;
    wm_report_table_begin(&table, &wm_instruction_table, wm_instruction_table.count);
    for (uint32_t i = 0; i < count; i++)
        add_row(&table, &dearest[i]);
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
}

#include "study/tables/instructions.h"

#include "study/run_report/result_sums.h"
#include "study/tables/column_titles.h"
#include "study/tables/level_columns.h"
#include "study/tables/location.h"
#include "study/tables/ranking.h"
#include "study/tables/requests.h"

#include <string.h>

// Columns of levels begin at FIRST_LEVEL; those that are declared are the ones of a GPU's usual
// levels.
enum { MOST_INSTRUCTIONS = 5, FIRST_LEVEL = 5 };

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

static bool moves_more(const struct wm_results *results, const struct wm_instruction_result *left,
                       const struct wm_instruction_result *right)
{
    int moved = wm_compare_moved(&results->counted->levels, &left->counters, &right->counters);
    return moved != 0 ? moved > 0 : left->counters.sectors > right->counters.sectors;
}

// Parameters, and constants on a machine without a cache for them, make no request.
static bool makes_requests(const struct wm_instruction_result *it)
{
    return it->counters.requests != 0;
}

static const struct wm_instruction_ranking dearest_first = {makes_requests, moves_more};

static void add_row(struct wm_text_table *table, const struct wm_level_columns *columns,
                    const struct wm_level_list *levels, const struct wm_ranked_instruction *ranked)
{
    const struct wm_instruction_result *it = ranked->instruction;
    wm_report_instruction_row(table, ranked->kernel, it);
    wm_report_request_cells(table, 2, &it->counters, true);
    wm_report_level_cells(table, FIRST_LEVEL, columns, levels, &it->counters);
}

void wm_report_instructions(const struct wm_results *results, unsigned columns,
                            struct wm_text *text)
{
    struct wm_ranked_instruction dearest[MOST_INSTRUCTIONS];
    uint32_t count = wm_rank_instructions(results, &dearest_first, dearest, MOST_INSTRUCTIONS);
    if (count == 0)
        return;
    struct wm_text_table table;
    const struct wm_level_list *levels = &results->counted->levels;
    struct wm_level_columns of_levels;
    struct wm_instruction_counters all = {0};
    for (uint32_t i = 0; i < count; i++)
        wm_instruction_counters_add(&all, &dearest[i].instruction->counters);
    wm_level_columns_make(levels, &all, &of_levels);
    wm_report_table_begin_levels(&table, &wm_instruction_table, FIRST_LEVEL, &of_levels);
    for (uint32_t i = 0; i < count; i++)
        add_row(&table, &of_levels, levels, &dearest[i]);
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
}

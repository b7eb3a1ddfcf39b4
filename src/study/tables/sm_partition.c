#include "study/tables/sm_partition.h"

#include "base/text/units.h"
#include "study/tables/location.h"

#include <inttypes.h>

// The report without explanations is one screen.
enum { MOST_ROWS = 4, MOST_ROWS_EXPLAINED = 8 };

static const struct wm_report_column array_columns[] = {
    {"An SM under", 'l', 0, "a kernel's last launch", NULL, NULL},
    {"L1", 'r', 0, "size of an SM's L1 in it", NULL, NULL},
    {"shared memory", 'r', 0, "size of an SM's shared memory in it", NULL,
     "launch__shared_mem_config_size"},
    {"blocks", 'r', 0, "blocks that fit an SM at once", NULL, NULL},
    {"limited by", 'l', 0, "what lets no more blocks in", NULL, "launch__occupancy_limit_*"},
};
const struct wm_report_table wm_sm_partition_table =
    WM_REPORT_TABLE("run and replay: an SM's array of memory", array_columns);

static bool is_worth_telling(const struct wm_results *results)
{
    bool differs = false;
    for (uint32_t i = 1; i < results->kernel_count; i++)
        differs = differs || (results->kernels[i].l1_bytes != results->kernels[0].l1_bytes &&
                              !results->kernels[i].on_cores);
    return results->kernel_count > 0 && (differs || results->explained);
}

static void bytes_cell(struct wm_text_table *table, uint32_t column, uint64_t bytes)
{
    char number[32];
    wm_text_table_cell(table, column, "%s",
                       wm_units_round((double)bytes, WM_QUANTITY_BYTES, number, sizeof number));
}

void wm_report_sm_partition(const struct wm_results *results, unsigned columns,
                            struct wm_text *text)
{
    if (!is_worth_telling(results))
        return;
    uint32_t most = results->explained ? MOST_ROWS_EXPLAINED : MOST_ROWS;
    struct wm_text_table table;
    wm_report_table_begin(&table, &wm_sm_partition_table, wm_sm_partition_table.count);
    for (uint32_t i = 0; i < results->kernel_count && i < most; i++) {
        const struct wm_kernel_result *kernel = &results->kernels[i];
        if (kernel->on_cores)
            continue;
        wm_text_table_row(&table);
        wm_report_name_cell(&table, 0, "  ", kernel);
        bytes_cell(&table, 1, kernel->l1_bytes);
        bytes_cell(&table, 2, kernel->shared_bytes);
        wm_text_table_cell(&table, 3, "%" PRIu32, kernel->blocks_per_sm);
        wm_text_table_cell(&table, 4, "%s",
                           kernel->occupancy_limiter != NULL ? kernel->occupancy_limiter : "");
    }
    if (results->kernel_count > most) {
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "  and %" PRIu32 " more (--json)",
                           results->kernel_count - most);
    }
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
}

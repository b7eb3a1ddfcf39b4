#include "study/report_array.h"

#include "base/units.h"
#include "study/result_sums.h"
#include "study/text_table.h"

#include <inttypes.h>

// The report without explanations is one screen.
enum { MOST_ROWS = 4, MOST_ROWS_EXPLAINED = 8 };

static bool is_worth_telling(const struct wm_results *results)
{
    bool differs = false;
    for (uint32_t i = 1; i < results->kernel_count; i++)
        differs = differs || results->kernels[i].l1_bytes != results->kernels[0].l1_bytes;
    return results->kernel_count > 0 && (differs || results->explained);
}

static void bytes_cell(struct wm_text_table *table, uint32_t column, uint64_t bytes)
{
    char number[32];
    wm_text_table_cell(table, column, "%s",
                       wm_units_round((double)bytes, WM_QUANTITY_BYTES, number, sizeof number));
}

void wm_report_array(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    static const char *const heads[] = {"An SM under", "L1", "shared memory", "blocks",
                                        "limited by"};
    if (!is_worth_telling(results))
        return;
    uint32_t most = results->explained ? MOST_ROWS_EXPLAINED : MOST_ROWS;
    struct wm_text_table table;
    wm_text_table_init(&table, "lrrrl");
    wm_text_table_row(&table);
    for (uint32_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        wm_text_table_cell(&table, i, "%s", heads[i]);
    for (uint32_t i = 0; i < results->kernel_count && i < most; i++) {
        const struct wm_kernel_result *kernel = &results->kernels[i];
        char name[WM_TABLE_CELL_BYTES - 8];
        wm_short_name(kernel->signature, name, sizeof name);
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "  %s", name);
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

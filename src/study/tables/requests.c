#include "study/tables/requests.h"

#include "base/text/units.h"
#include "study/run_report/request_ratios.h"
#include "study/run_report/result_sums.h"
#include "study/tables/column_titles.h"
#include "study/tables/location.h"

enum { MOST_KERNELS = 3, UNIT_BYTES = 32, WITHOUT_ATOMICS = 7 };

static const struct wm_report_column request_columns[] = {
    {"Requests", 'l', 0, "a kernel; of several, all of them", NULL, NULL},
    {"loads", 'r', 0,
     "load instructions that warps executed, of global and local memory and textures: requests, "
     "whatever lines each touches",
     NULL, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    WM_COLUMN_SECTORS(WM_LEGEND_SECTORS),
    WM_COLUMN_USED(WM_LEGEND_USED),
    {"stores", 'r', 0, "store instructions that warps executed", NULL,
     "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    WM_COLUMN_SECTORS(NULL),
    WM_COLUMN_USED(NULL),
    {"atomics", 'r', 8, "atomic instructions and reductions that warps executed", NULL,
     "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum, …_op_red.sum"},
    WM_COLUMN_SECTORS_OF(8, NULL),
};
const struct wm_report_table wm_request_table =
    WM_REPORT_TABLE("run and replay: requests that each kernel's warps made", request_columns);

struct kernel_requests {
    struct wm_instruction_counters loads, stores, atomics;
};

static struct kernel_requests requests_by(const struct wm_kernel_result *kernel)
{
    struct wm_instruction_counters reductions = wm_kernel_requests(kernel, WM_ACCESS_REDUCTION);
    struct kernel_requests requests = {wm_kernel_requests(kernel, WM_ACCESS_LOAD),
                                       wm_kernel_requests(kernel, WM_ACCESS_STORE),
                                       wm_kernel_requests(kernel, WM_ACCESS_ATOMIC)};
    wm_instruction_counters_add(&requests.atomics, &reductions);
    return requests;
}

static uint64_t sectors_of(const struct kernel_requests *requests)
{
    return requests->loads.sectors + requests->stores.sectors + requests->atomics.sectors;
}

void wm_report_request_cells(struct wm_text_table *table, uint32_t column,
                             const struct wm_instruction_counters *counters, bool with_used)
{
    char number[UNIT_BYTES];
    struct wm_request_ratios ratios;
    wm_text_table_cell(
        table, column, "%s",
        wm_units_round((double)counters->executions, WM_QUANTITY_COUNT, number, sizeof number));
    if (wm_request_ratios_of(counters, &ratios)) {
        wm_text_table_cell(table, column + 1, "%.1f", ratios.sectors_per_request);
        if (with_used)
            wm_text_table_cell(table, column + 2, "%.*f%%", ratios.bytes_used_percent < 100.0,
                               ratios.bytes_used_percent);
        return;
    }
    wm_text_table_cell(table, column + 1, "-");
    if (with_used)
        wm_text_table_cell(table, column + 2, "-");
}

static void add_row(struct wm_text_table *table, const struct kernel_requests *requests)
{
    wm_report_request_cells(table, 1, &requests->loads, true);
    wm_report_request_cells(table, 4, &requests->stores, true);
    if (table->columns > WITHOUT_ATOMICS)
        wm_report_request_cells(table, 7, &requests->atomics, false);
}

// Whether fewer than MOST_KERNELS others requested more sectors, or for as many before it.
static bool is_shown(const struct wm_results *results, uint32_t index)
{
    struct kernel_requests own = requests_by(&results->kernels[index]);
    uint32_t more = 0;
    for (uint32_t i = 0; i < results->kernel_count && more < MOST_KERNELS; i++) {
        struct kernel_requests other = requests_by(&results->kernels[i]);
        uint64_t theirs = sectors_of(&other), ours = sectors_of(&own);
        more += theirs > ours || (theirs == ours && i < index);
    }
    return more < MOST_KERNELS && sectors_of(&own) != 0;
}

void wm_report_requests(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    struct kernel_requests all = {0};
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        struct kernel_requests requests = requests_by(&results->kernels[i]);
        wm_instruction_counters_add(&all.loads, &requests.loads);
        wm_instruction_counters_add(&all.stores, &requests.stores);
        wm_instruction_counters_add(&all.atomics, &requests.atomics);
    }
    if (sectors_of(&all) == 0)
        return;
    struct wm_text_table table;
    uint32_t count = all.atomics.executions != 0 ? wm_request_table.count : WITHOUT_ATOMICS;
    wm_report_table_begin(&table, &wm_request_table, count);
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        if (!is_shown(results, i))
            continue;
        struct kernel_requests requests = requests_by(&results->kernels[i]);
        wm_text_table_row(&table);
        wm_report_name_cell(&table, 0, "  ", &results->kernels[i]);
        add_row(&table, &requests);
    }
    if (results->kernel_count > 1) {
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "  all");
        add_row(&table, &all);
    }
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
    wm_report_table_legend(&wm_request_table, count, columns, text);
}

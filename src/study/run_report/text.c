// One screen for people: what ran, where the bytes went, and which instructions sent them.
#include "base/text/units.h"
#include "study/format/text_table.h"
#include "study/run_report/report.h"
#include "study/run_report/result_sums.h"
#include "study/tables/clock_reads.h"
#include "study/tables/column_titles.h"
#include "study/tables/counted_part.h"
#include "study/tables/energy.h"
#include "study/tables/failure.h"
#include "study/tables/host_races.h"
#include "study/tables/instructions.h"
#include "study/tables/launches.h"
#include "study/tables/load_latency.h"
#include "study/tables/location.h"
#include "study/tables/misses.h"
#include "study/tables/requests.h"
#include "study/tables/side_caches.h"
#include "study/tables/sm_partition.h"
#include "study/tables/timing.h"

#include <inttypes.h>

enum { MOST_KERNELS = 8, UNIT_BYTES = 32 };

static const struct wm_report_column kernel_columns[] = {
    {"Kernel", 'l', 0, "a kernel, all its launches added up", NULL, NULL},
    {"Runs", 'r', 0, "its launches", NULL, NULL},
    {"Grid x block", 'r', 0, "blocks of its last launch, and threads of a block", NULL,
     "launch__grid_size, launch__block_size"},
    WM_COLUMN_WARP_INSTR,
    WM_COLUMN_L1_HIT,
    WM_COLUMN_L2_HIT,
    WM_COLUMN_L1_L2,
    WM_COLUMN_DRAM,
};
const struct wm_report_table wm_kernel_table =
    WM_REPORT_TABLE("run and replay: each kernel", kernel_columns);

static const struct wm_report_column boundary_columns[] = {
    {"Where the bytes went", 'l', 0,
     "a boundary of the memory system: what lanes requested; the same in whole sectors of 32 "
     "bytes; "
     "what moved between the caches, and between L2 and DRAM; what the host copied",
     NULL, NULL},
    {"to the SM", 'r', 0, "bytes that crossed it towards the SM", NULL, NULL},
    {"from it", 'r', 0, "bytes that crossed it away from the SM", NULL, NULL},
    {"", 'l', 0, NULL, NULL, NULL}, // a bar
};
const struct wm_report_table wm_boundary_table =
    WM_REPORT_TABLE("run and replay: the whole run", boundary_columns);

static void bytes_cell(struct wm_text_table *table, uint32_t column, uint64_t bytes)
{
    char number[UNIT_BYTES];
    wm_text_table_cell(table, column, "%s",
                       wm_units_round((double)bytes, WM_QUANTITY_BYTES, number, sizeof number));
}

static void count_cell(struct wm_text_table *table, uint32_t column, uint64_t count)
{
    char number[UNIT_BYTES];
    wm_text_table_cell(table, column, "%s",
                       wm_units_round((double)count, WM_QUANTITY_COUNT, number, sizeof number));
}

static void rate_cell(struct wm_text_table *table, uint32_t column, uint64_t hits, uint64_t misses)
{
    if (hits + misses == 0)
        wm_text_table_cell(table, column, "-");
    else
        wm_text_table_cell(table, column, "%.1f%%",
                           100.0 * (double)hits / ((double)hits + (double)misses));
}

// Exact while that is short: "3907", else "1.05 M".
static void short_count(char *buffer, size_t size, uint64_t count)
{
    if (count < 100000)
        snprintf(buffer, size, "%" PRIu64, count);
    else
        wm_units_round((double)count, WM_QUANTITY_COUNT, buffer, size);
}

static void shape_cell(struct wm_text_table *table, uint32_t column,
                       const struct wm_kernel_result *kernel)
{
    char blocks[UNIT_BYTES];
    const uint32_t *grid = kernel->grid, *block = kernel->block;
    // CUDA allows grids that no run could ever finish, up to 2^63 blocks.
    double exact = (double)grid[0] * grid[1] * grid[2];
    if (exact < 1e15)
        short_count(blocks, sizeof blocks, (uint64_t)exact);
    else
        snprintf(blocks, sizeof blocks, "> 999 T");
    wm_text_table_cell(table, column, "%s x %" PRIu32, blocks, block[0] * block[1] * block[2]);
}

// A line of the table of kernels: one kernel, or several added up.
struct kernel_line {
    uint64_t launches, warp_instructions;
    struct wm_instruction_counters counters_by_pc;
};

static void add_kernel(struct kernel_line *line, const struct wm_kernel_result *kernel)
{
    struct wm_instruction_counters counters_by_pc = wm_kernel_instruction_counters(kernel);
    line->launches += kernel->launches;
    line->warp_instructions += kernel->warp_instructions;
    wm_instruction_counters_add(&line->counters_by_pc, &counters_by_pc);
}

static void print_kernel_line(struct wm_text_table *table, const struct kernel_line *line,
                              bool traced)
{
    char launches[UNIT_BYTES];
    short_count(launches, sizeof launches, line->launches);
    wm_text_table_cell(table, 1, "%s", launches);
    count_cell(table, 3, line->warp_instructions);
    if (!traced)
        return;
    rate_cell(table, 4, line->counters_by_pc.l1_hits, line->counters_by_pc.l1_misses);
    rate_cell(table, 5, line->counters_by_pc.l2_hits, line->counters_by_pc.l2_misses);
    bytes_cell(table, 6, line->counters_by_pc.bytes_l1_l2);
    bytes_cell(table, 7, line->counters_by_pc.bytes_dram);
}

// Kernels in order of cost, dearest first; equal ones in order of first launch.
static bool costs_more(const struct wm_kernel_result *a, const struct wm_kernel_result *b)
{
    struct wm_instruction_counters x = wm_kernel_instruction_counters(a),
                                   y = wm_kernel_instruction_counters(b);
    if (x.bytes_dram != y.bytes_dram)
        return x.bytes_dram > y.bytes_dram;
    if (x.bytes_l1_l2 != y.bytes_l1_l2)
        return x.bytes_l1_l2 > y.bytes_l1_l2;
    if (a->warp_instructions != b->warp_instructions)
        return a->warp_instructions > b->warp_instructions;
    return a < b;
}

// Whether fewer than MOST_KERNELS others cost more.
static bool is_shown(const struct wm_results *results, uint32_t index)
{
    uint32_t dearer = 0;
    for (uint32_t i = 0; i < results->kernel_count && dearer < MOST_KERNELS; i++)
        dearer += i != index && costs_more(&results->kernels[i], &results->kernels[index]);
    return dearer < MOST_KERNELS;
}

static void print_kernels(const struct wm_results *results, bool traced, unsigned columns,
                          struct wm_text *text)
{
    struct wm_text_table table;
    wm_report_table_begin(&table, &wm_kernel_table, traced ? wm_kernel_table.count : 4);
    struct kernel_line others = {0}, total = {0};
    uint32_t other_count = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        const struct wm_kernel_result *kernel = &results->kernels[i];
        add_kernel(&total, kernel);
        if (!is_shown(results, i)) {
            add_kernel(&others, kernel);
            other_count++;
            continue;
        }
        struct kernel_line line = {0};
        add_kernel(&line, kernel);
        wm_text_table_row(&table);
        wm_report_name_cell(&table, 0, "", kernel);
        shape_cell(&table, 2, kernel);
        print_kernel_line(&table, &line, traced);
    }
    if (other_count > 0) {
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "%" PRIu32 " more", other_count);
        print_kernel_line(&table, &others, traced);
    }
    if (results->kernel_count > 1) {
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "all");
        print_kernel_line(&table, &total, traced);
    }
    wm_text_table_print(&table, columns, text);
}

// A trace of accesses alone has no other instructions: each stands for itself, under the name that
// docs/formats/cores.md gives it.
static bool counts_instructions(const struct wm_kernel_result *kernel)
{
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        const char *text = kernel->instructions[i].text;
        if (strcmp(text, "load") == 0 || strcmp(text, "store") == 0)
            return false;
    }
    return true;
}

// MPKI, as papers have it: of each level's requests those that missed.
static void print_mpki(const struct wm_results *results, struct wm_text *text)
{
    static const char *const kinds[] = {"l1", "l2"}, *const names[] = {"L1", "L2"};
    enum { LEVELS = sizeof kinds / sizeof kinds[0] };
    uint64_t instructions = 0, accesses[LEVELS] = {0}, missed[LEVELS] = {0};
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        const struct wm_kernel_result *kernel = &results->kernels[i];
        const struct wm_component_result *parts = kernel->components;
        if (!counts_instructions(kernel))
            return;
        instructions += kernel->warp_instructions;
        for (int level = 0; level < LEVELS; level++) {
            accesses[level] +=
                wm_component_sum(parts, kernel->component_count, kinds[level], "accesses");
            missed[level] +=
                wm_component_sum(parts, kernel->component_count, kinds[level], "accesses_missed");
        }
    }
    if (instructions == 0 || accesses[0] + accesses[1] == 0)
        return;
    wm_text_add(text, "Misses per 1000 warp instructions (MPKI)");
    const char *between = ": ";
    for (int level = 0; level < LEVELS; level++) {
        if (accesses[level] == 0)
            continue;
        wm_text_format(text, "%s%s %.1f", between, names[level],
                       1000.0 * (double)missed[level] / (double)instructions);
        between = ", ";
    }
    wm_text_add(text, "\n");
}

// What crossed one boundary, seen from the SM.
struct boundary {
    const char *name;
    uint64_t up, down; // towards the SM, away from it
};

static void add_asked(struct boundary *lanes, struct boundary *sectors,
                      const struct wm_kernel_result *kernel)
{
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        const struct wm_instruction_result *instruction = &kernel->instructions[i];
        if (!wm_space_leaves_sm(instruction->space))
            continue;
        const struct wm_instruction_counters *counters = &instruction->counters;
        uint64_t sector_bytes = counters->sectors * WM_SECTOR_BYTES;
        if (instruction->kind == WM_ACCESS_LOAD || instruction->kind == WM_ACCESS_ATOMIC) {
            lanes->up += counters->bytes_requested;
            sectors->up += sector_bytes;
        }
        if (instruction->kind != WM_ACCESS_LOAD) {
            lanes->down += counters->bytes_requested;
            sectors->down += sector_bytes;
        }
    }
}

// What kernels exchanged with other GPUs' memory, and what was copied between memories.
static void print_links(const struct wm_results *results, struct wm_text_table *table)
{
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "  GPU - GPU");
    bytes_cell(table, 1, wm_results_sum(results, "peer_link", "bytes_read"));
    bytes_cell(table, 2, wm_results_sum(results, "peer_link", "bytes_written"));
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "  GPU - GPU, copies");
    bytes_cell(table, 1,
               wm_component_sum(results->components, results->component_count, "peer_link",
                                "bytes_copied"));
}

static void print_boundaries(const struct wm_results *results, unsigned columns,
                             struct wm_text *text)
{
    struct boundary boundaries[] = {{.name = "requested by lanes"},
                                    {.name = "SM - L1, in sectors"},
                                    {.name = "L1 - L2"},
                                    {.name = "L2 - DRAM"}};
    enum { COUNT = sizeof boundaries / sizeof boundaries[0], BAR = 30 };
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        const struct wm_kernel_result *kernel = &results->kernels[i];
        const struct wm_component_result *parts = kernel->components;
        uint32_t count = kernel->component_count;
        add_asked(&boundaries[0], &boundaries[1], kernel);
        boundaries[2].up += wm_component_sum(parts, count, "l2", "bytes_to_above");
        boundaries[2].down += wm_component_sum(parts, count, "l2", "bytes_from_above");
        boundaries[3].up += wm_component_sum(parts, count, "dram", "bytes_read");
        boundaries[3].down += wm_component_sum(parts, count, "dram", "bytes_written");
    }
    uint64_t most = 1;
    for (int i = 0; i < COUNT; i++)
        if (boundaries[i].up + boundaries[i].down > most)
            most = boundaries[i].up + boundaries[i].down;
    struct wm_text_table table;
    wm_report_table_begin(&table, &wm_boundary_table, wm_boundary_table.count);
    for (int i = 0; i < COUNT; i++) {
        double share = (double)(boundaries[i].up + boundaries[i].down) / (double)most;
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "  %s", boundaries[i].name);
        bytes_cell(&table, 1, boundaries[i].up);
        bytes_cell(&table, 2, boundaries[i].down);
        wm_text_table_cell(&table, 3, "%.*s", (int)(share * BAR + 0.5),
                           "##############################");
    }
    wm_text_table_row(&table);
    wm_text_table_cell(&table, 0, "  host - DRAM, copies");
    bytes_cell(&table, 1, results->host_to_device_bytes);
    bytes_cell(&table, 2, results->device_to_host_bytes);
    if (results->gpus > 1)
        print_links(results, &table);
    wm_text_table_print(&table, columns, text);
}

static void print_head(const struct wm_results *results, bool traced, unsigned columns,
                       struct wm_text *text)
{
    struct wm_text_table table;
    struct wm_text head;
    wm_text_table_init(&table, "l");
    wm_text_table_row(&table);
    bool titled = results->machine_title != NULL && results->machine_title[0] != '\0';
    wm_text_init(&head);
    wm_text_format(&head, "warpmem: %s%s%s%s, %s", results->machine_name, titled ? " (" : "",
                   titled ? results->machine_title : "", titled ? ")" : "",
                   !traced                   ? "executed only"
                   : results->rates.sms != 0 ? "in time"
                                             : "untimed walk");
    if (head.data != NULL)
        wm_text_table_borrow(&table, 0, head.data, head.length);
    wm_text_table_print(&table, columns, text);
    text->failed = text->failed || head.failed;
    wm_text_release(&head);
    if (results->variant != NULL)
        wm_text_format(text, "With %s\n", results->variant);
    if (!traced)
        wm_text_add(text, "No access was followed through the memory system.\n");
    wm_report_counted_part(results, text);
    if (results->serial_streams)
        wm_text_add(text,
                    "Launches of several streams ran one after another: what they wait for was not "
                    "recorded.\n");
}

// The memory system's traffic, below the kernels.
static void print_traffic(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    print_mpki(results, text);
    wm_report_requests(results, columns, text);
    wm_report_time(results, columns, text);
    wm_report_sm_partition(results, columns, text);
    wm_text_add(text, "\n");
    print_boundaries(results, columns, text);
    wm_report_side_caches(results, columns, text);
    wm_report_energy(results, columns, text);
    wm_report_instructions(results, columns, text);
    wm_report_load_latency(results, columns, text);
    if (results->explained) {
        wm_text_add(text, "\n");
        wm_report_misses(results, columns, text);
    }
}

void wm_report_text(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    bool traced = strcmp(results->engine, "none") != 0;
    if (columns == 0)
        columns = 80;
    print_head(results, traced, columns, text);
    wm_text_add(text, "\n");
    if (results->kernel_count == 0) {
        wm_report_no_kernel(results, text);
        wm_report_failure(results, text);
        return;
    }
    print_kernels(results, traced, columns, text);
    if (traced)
        print_traffic(results, columns, text);
    wm_report_launches(results, text);
    wm_report_host_races(results, text);
    wm_report_clock_reads(results, text);
    wm_report_failure(results, text);
}

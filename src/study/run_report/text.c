// One screen for people: what ran, where the bytes went, and which instructions sent them.
#include "base/text/units.h"
#include "study/format/text_table.h"
#include "study/run_report/report.h"
#include "study/run_report/result_sums.h"
#include "study/tables/block_maps.h"
#include "study/tables/clock_reads.h"
#include "study/tables/coherence.h"
#include "study/tables/column_titles.h"
#include "study/tables/counted_part.h"
#include "study/tables/energy.h"
#include "study/tables/failure.h"
#include "study/tables/host_races.h"
#include "study/tables/instructions.h"
#include "study/tables/launches.h"
#include "study/tables/level_columns.h"
#include "study/tables/load_latency.h"
#include "study/tables/location.h"
#include "study/tables/misses.h"
#include "study/tables/peer_links.h"
#include "study/tables/requests.h"
#include "study/tables/side_caches.h"
#include "study/tables/sm_partition.h"
#include "study/tables/timing.h"
#include "study/tables/written_lines.h"

#include <inttypes.h>

// Columns of levels begin at KERNEL_LEVELS; those that are declared are the ones of a GPU's usual
// levels.
enum { MOST_KERNELS = 8, UNIT_BYTES = 32, KERNEL_LEVELS = 4 };

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

// `columns`: those of levels, none where nothing was traced.
static void print_kernel_line(struct wm_text_table *table, const struct kernel_line *line,
                              const struct wm_level_columns *columns,
                              const struct wm_level_list *levels)
{
    char launches[UNIT_BYTES];
    short_count(launches, sizeof launches, line->launches);
    wm_text_table_cell(table, 1, "%s", launches);
    count_cell(table, 3, line->warp_instructions);
    wm_report_level_cells(table, KERNEL_LEVELS, columns, levels, &line->counters_by_pc);
}

// Kernels in order of cost, dearest first; equal ones in order of first launch.
static bool costs_more(const struct wm_level_list *levels, const struct wm_kernel_result *a,
                       const struct wm_kernel_result *b)
{
    struct wm_instruction_counters x = wm_kernel_instruction_counters(a),
                                   y = wm_kernel_instruction_counters(b);
    int moved = wm_compare_moved(levels, &x, &y);
    if (moved != 0)
        return moved > 0;
    if (a->warp_instructions != b->warp_instructions)
        return a->warp_instructions > b->warp_instructions;
    return a < b;
}

// Whether fewer than MOST_KERNELS others cost more.
static bool is_shown(const struct wm_results *results, uint32_t index)
{
    uint32_t dearer = 0;
    for (uint32_t i = 0; i < results->kernel_count && dearer < MOST_KERNELS; i++)
        dearer += i != index && costs_more(&results->counted->levels, &results->kernels[i],
                                           &results->kernels[index]);
    return dearer < MOST_KERNELS;
}

static void print_kernels(const struct wm_results *results, bool traced, unsigned columns,
                          struct wm_text *text)
{
    struct wm_text_table table;
    const struct wm_level_list *levels = &results->counted->levels;
    struct wm_level_columns of_levels = {0};
    struct kernel_line others = {0}, total = {0};
    uint32_t other_count = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++)
        add_kernel(&total, &results->kernels[i]);
    if (traced)
        wm_level_columns_make(levels, &total.counters_by_pc, &of_levels);
    wm_report_table_begin_levels(&table, &wm_kernel_table, KERNEL_LEVELS, &of_levels);
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        const struct wm_kernel_result *kernel = &results->kernels[i];
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
        print_kernel_line(&table, &line, &of_levels, levels);
    }
    if (other_count > 0) {
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "%" PRIu32 " more", other_count);
        print_kernel_line(&table, &others, &of_levels, levels);
    }
    if (results->kernel_count > 1) {
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "all");
        print_kernel_line(&table, &total, &of_levels, levels);
    }
    wm_text_table_print(&table, columns, text);
}

static bool stands_for_itself(const char *text)
{
    return strcmp(text, "load") == 0 || strcmp(text, "store") == 0 || strcmp(text, "locked") == 0;
}

// A trace of accesses alone has no other instructions: each stands for itself, under the name that
// docs/formats/cores.md gives it. Unless it counts the others.
static bool counts_instructions(const struct wm_kernel_result *kernel)
{
    uint64_t executions = 0;
    bool alone = false;
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        executions += kernel->instructions[i].counters.executions;
        alone |= stands_for_itself(kernel->instructions[i].text);
    }
    return !alone || kernel->warp_instructions > executions;
}

// MPKI, as papers have it: of each level's requests those that missed.
static void print_mpki(const struct wm_results *results, struct wm_text *text)
{
    const struct wm_level_list *levels = &results->counted->levels;
    uint64_t instructions = 0, all = 0, accesses[WM_MOST_LEVELS] = {0},
             missed[WM_MOST_LEVELS] = {0};
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        const struct wm_kernel_result *kernel = &results->kernels[i];
        const struct wm_component_result *parts = kernel->components;
        if (!counts_instructions(kernel))
            return;
        instructions += kernel->warp_instructions;
        for (uint32_t at = 0; at < levels->count; at++) {
            const char *kind = levels->levels[at].name;
            uint32_t count = levels->levels[at].data ? kernel->component_count : 0;
            accesses[at] += wm_component_sum(parts, count, kind, "accesses");
            missed[at] += wm_component_sum(parts, count, kind, "accesses_missed");
            all += accesses[at];
        }
    }
    if (instructions == 0 || all == 0)
        return;
    wm_text_add(text, "Misses per 1000 warp instructions (MPKI)");
    const char *between = ": ";
    for (uint32_t i = 0; i < levels->count; i++) {
        char title[WM_LEVEL_COUNTER_BYTES];
        if (accesses[i] == 0)
            continue;
        wm_text_format(text, "%s%s %.1f", between, wm_level_title(levels->levels[i].name, title),
                       1000.0 * (double)missed[i] / (double)instructions);
        between = ", ";
    }
    wm_text_add(text, "\n");
}

// What crossed one boundary, seen from the SM.
struct boundary {
    char name[96];
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

// Between a level that data go through, or memory, and what is above it.
static void name_boundary(const struct wm_level_list *levels, uint32_t place,
                          struct boundary *boundary)
{
    char above[WM_LEVEL_COUNTER_BYTES], title[WM_LEVEL_COUNTER_BYTES];
    wm_level_place_title(levels, place, title);
    bool one = wm_level_above_title(levels, place, above);
    snprintf(boundary->name, sizeof boundary->name, "%s - %s", one ? above : "levels", title);
}

static void add_boundary(const struct wm_level_list *levels, uint32_t place,
                         const struct wm_kernel_result *kernel, struct boundary *boundary)
{
    bool memory = place == levels->count;
    const char *kind = wm_level_place_name(levels, place);
    const struct wm_component_result *parts = kernel->components;
    boundary->up += wm_component_sum(parts, kernel->component_count, kind,
                                     memory ? "bytes_read" : "bytes_to_above");
    boundary->down += wm_component_sum(parts, kernel->component_count, kind,
                                       memory ? "bytes_written" : "bytes_from_above");
}

// Lanes and sectors first, then from the units down. Returns how many they are.
static uint32_t find_boundaries(const struct wm_results *results, struct boundary *boundaries)
{
    const struct wm_level_list *levels = &results->counted->levels;
    uint32_t count = 2;
    boundaries[0] = (struct boundary){.name = "requested by lanes"};
    boundaries[1] = (struct boundary){0};
    for (uint32_t k = 0; k < results->kernel_count; k++)
        add_asked(&boundaries[0], &boundaries[1], &results->kernels[k]);
    for (uint32_t place = 0; place <= levels->count; place++) {
        struct boundary *next = &boundaries[count];
        if (place < levels->count && !levels->levels[place].data)
            continue;
        *next = (struct boundary){0};
        name_boundary(levels, place, next);
        if (boundaries[1].name[0] == '\0') // where data accesses begin
            snprintf(boundaries[1].name, sizeof boundaries[1].name, "%.64s, in sectors",
                     wm_level_list_has_cpu(levels) ? "first level" : next->name);
        if (place < levels->count && !levels->levels[place].from_above)
            continue;
        for (uint32_t k = 0; k < results->kernel_count; k++)
            add_boundary(levels, place, &results->kernels[k], next);
        bool passed = next->up + next->down != 0 || !wm_level_list_has_cpu(levels);
        count += place == levels->count || passed;
    }
    return count;
}

static void print_boundaries(const struct wm_results *results, unsigned columns,
                             struct wm_text *text)
{
    enum { MOST = WM_MOST_LEVELS + 3, BAR = 30 };
    struct boundary boundaries[MOST];
    uint32_t count = find_boundaries(results, boundaries);
    uint64_t most = 1;
    for (uint32_t i = 0; i < count; i++)
        if (boundaries[i].up + boundaries[i].down > most)
            most = boundaries[i].up + boundaries[i].down;
    struct wm_text_table table;
    wm_report_table_begin(&table, &wm_boundary_table, wm_boundary_table.count);
    for (uint32_t i = 0; i < count; i++) {
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
    wm_report_peer_links(results, columns, text);
    wm_report_coherence(results, columns, text);
    wm_report_side_caches(results, columns, text);
    wm_report_energy(results, columns, text);
    wm_report_instructions(results, columns, text);
    wm_report_load_latency(results, columns, text);
    if (results->explained) {
        wm_text_add(text, "\n");
        wm_report_misses(results, columns, text);
        wm_report_written_lines(results, columns, text);
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
    wm_report_block_maps(results, columns, text);
    wm_report_host_races(results, text);
    wm_report_clock_reads(results, text);
    wm_report_failure(results, text);
}

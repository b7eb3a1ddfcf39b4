#include "study/annotate/cells.h"

#include "base/text/units.h"
#include "study/run_report/request_ratios.h"
#include "study/run_report/result_sums.h"
#include "study/tables/column_titles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    ACCESSES,
    SECTORS,
    USED,
    L1,
    L2,
    BYTES_L1_L2,
    BANKS,
    BYTES_DRAM,
    CYCLES,
    SERVED,
    UNUSED,
    SHARED,
    TAKEN,
    LOST,
    FALSE_SHARING
};

static const struct wm_report_column annotate_columns[WM_ANNOTATE_DECLARED] = {
    [ACCESSES] = {"access", 'r', 0, "memory instructions that warps executed",
                  "memory instructions of warps", "smsp__inst_executed.sum, of one line"},
    [SECTORS] = WM_COLUMN_SECTORS(WM_LEGEND_SECTORS),
    [USED] = WM_COLUMN_USED(WM_LEGEND_USED),
    [L1] = {"L1", 'r', 0, "of the sectors looked for in L1, those found there",
            "of the sectors looked for there, those found", "l1tex__t_sector_hit_rate.pct"},
    [L2] = {"L2", 'r', 0, "of the sectors looked for in L2, those found there", NULL,
            "lts__t_sector_hit_rate.pct"},
    [BYTES_L1_L2] = WM_COLUMN_L1_L2,
    [BANKS] = {"bank", 'r', 0,
               "passes of shared memory's banks that an access to it took; 1 without conflicts",
               "passes of shared memory's banks, an access to it",
               "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum, an access"},
    [BYTES_DRAM] = {"DRAM", 'r', 1, "bytes moved between L2 and DRAM, both ways", NULL,
                    "dram__bytes.sum"},
    [CYCLES] = {"cycles", 'r', 0,
                "in time: mean of the cycles that its loads took: a warp's from issue until all "
                "lanes had their data, a CPU core's, in the core's own, from dispatch to data",
                "mean cycles of a load", NULL},
    [SERVED] = {"served by", 'r', 0,
                "in time: the farthest component that most of its loads had to wait for, and how "
                "many of its loads waited for that",
                "what most of its loads had to wait for, and how many of them", NULL},
    [UNUSED] = {"unused", 'r', 1,
                "of the bytes fetched into L1, or past it, those that no lane used while there",
                "of the bytes fetched into L1, those that no lane used", NULL},
    [SHARED] = {"shared", 'r', 1,
                "what most of the lines that it loads are (private: read by one SM, boundary, "
                "broadcast or dynamic), and how many of its requests read such",
                "what most of the lines it loads are, and how many of its requests", NULL},
    [TAKEN] = {"taken", 'r', 1, "copies of coherent caches, at each level, that its writes took",
               "copies of other caches that its writes took", NULL},
    [LOST] = {"lost", 'r', 1,
              "lines, at each level, that it missed as another cache's write had taken them",
              "lines that it missed as others' writes had taken them", NULL},
    [FALSE_SHARING] = {"false", 'r', 1,
                       "of such misses, as endless caches have them, the share after which no byte "
                       "was accessed that another had written: false sharing",
                       "of such misses the share for bytes that no other wrote", NULL},
};
const struct wm_report_table wm_annotate_table =
    WM_REPORT_TABLE("annotate: each line of source", annotate_columns);

static const int widths[WM_ANNOTATE_DECLARED] = {6, 8, 4, 4, 4, 8, 4, 8, 6, 13, 6, 13, 6, 6, 5};

// --- The columns of a machine ---

static void add_declared(struct wm_annotate_columns *columns, uint8_t which)
{
    uint32_t at = columns->count++;
    columns->shown[at] = annotate_columns[which];
    columns->widths[at] = widths[which];
    columns->what[at] = which;
}

static int wider(int width, const char *head)
{
    int own = (int)strlen(head);
    return own > width ? own : width;
}

// In a column of its own the head needs no "hit".
static void add_level(struct wm_annotate_columns *columns, uint8_t which)
{
    uint32_t at = columns->count++, place = 0;
    struct wm_level_column *column = &columns->of_levels.columns[which];
    char title[WM_LEVEL_COUNTER_BYTES], above[WM_LEVEL_COUNTER_BYTES];
    while (strcmp(wm_level_place_name(columns->levels, place), column->name) != 0)
        place++;
    bool memory = place == columns->levels->count;
    wm_level_place_title(columns->levels, place, title);
    if (column->rate) {
        snprintf(column->head, sizeof column->head, "%s", title);
        snprintf(columns->sentences[which], sizeof columns->sentences[which],
                 "of the sectors looked for in %s, those found there", title);
    } else {
        bool one = wm_level_above_title(columns->levels, place, above);
        snprintf(columns->sentences[which], sizeof columns->sentences[which],
                 "bytes moved between %s and %s, both ways", one ? above : "levels above", title);
    }
    columns->shown[at] = (struct wm_report_column){.head = column->head,
                                                   .alignment = 'r',
                                                   .optional = memory || !column->data,
                                                   .sentence = columns->sentences[which]};
    if (which == 0 && column->rate)
        columns->shown[at].legend = annotate_columns[L1].legend;
    columns->widths[at] = wider(column->rate ? 4 : 8, column->head);
    columns->what[at] = (uint8_t)(WM_ANNOTATE_DECLARED + which);
}

void wm_annotate_columns_make(const struct wm_results *results, struct wm_annotate_columns *columns)
{
    struct wm_instruction_counters all = {0};
    *columns = (struct wm_annotate_columns){.levels = &results->counted->levels};
    for (uint32_t i = 0; i < results->kernel_count; i++)
        for (uint32_t n = 0; n < results->kernels[i].instruction_count; n++)
            wm_instruction_counters_add(&all, &results->kernels[i].instructions[n].counters);
    wm_level_columns_make(columns->levels, &all, &columns->of_levels);
    uint8_t last = (uint8_t)(columns->of_levels.count - 1); // memory
    for (uint8_t i = ACCESSES; i <= USED; i++)
        add_declared(columns, i);
    for (uint8_t i = 0; i < last; i++)
        add_level(columns, i);
    add_declared(columns, BANKS);
    add_level(columns, last);
    for (uint8_t i = CYCLES; wm_annotation_is_timed(results) && i <= SERVED; i++)
        add_declared(columns, i);
    add_declared(columns, UNUSED);
    if (!wm_annotation_is_timed(results)) // in time it is not said who shares what
        add_declared(columns, SHARED);
    for (uint8_t i = TAKEN; results->notes_written_lines && i <= FALSE_SHARING; i++)
        add_declared(columns, i);
}

// --- A line's cells ---

static void set_percent(struct wm_annotate_cell *cell, double percent)
{
    snprintf(cell->text, sizeof cell->text, "%.0f%%", percent);
    cell->shade = WM_SHADE_RATE;
    cell->value = (uint64_t)(percent + 0.5);
}

static void set_bytes(struct wm_annotate_cell *cell, uint64_t bytes)
{
    wm_units_round((double)bytes, WM_QUANTITY_BYTES, cell->text, sizeof cell->text);
    cell->shade = WM_SHADE_BYTES;
    cell->value = bytes;
}

// Amber for waste, as for misses. Nothing of nothing is no share.
static void set_waste(struct wm_annotate_cell *cell, uint64_t wasted, uint64_t all)
{
    if (all == 0)
        return;
    double share = 100.0 * (double)wasted / (double)all;
    snprintf(cell->text, sizeof cell->text, "%.0f%%", share);
    cell->shade = WM_SHADE_RATE;
    cell->value = (uint64_t)(100.5 - share);
}

static void set_unused(struct wm_annotate_cell *cell, const struct wm_instruction_misses *it)
{
    uint64_t fetched = 0, unused = 0;
    for (uint32_t level = WM_LEVEL_L1; level < WM_LEVEL_L2; level++) {
        fetched += it->levels[level].fetched_bytes;
        unused += it->levels[level].unused_bytes;
    }
    set_waste(cell, unused, fetched);
}

static void set_sharing(struct wm_annotate_cell *cell, const struct wm_instruction_misses *it)
{
    static const char *const names[] = {"private", "boundary", "broadcast", "dynamic"};
    const uint64_t reads[] = {it->reads_private, it->reads_boundary, it->reads_broadcast,
                              it->reads_dynamic};
    uint64_t all = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < 4; i++) {
        all += reads[i];
        most = reads[i] > reads[most] ? i : most;
    }
    if (all != 0)
        snprintf(cell->text, sizeof cell->text, "%s %.0f%%", names[most],
                 100.0 * (double)reads[most] / (double)all);
}

// Whether it came to memory, or to a cache that serves it.
static bool is_traffic(const struct wm_instruction_counters *counters)
{
    uint64_t looked_up = counters->requests;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        looked_up += counters->levels[i].hits + counters->levels[i].misses;
    return looked_up != 0;
}

static void set_level(struct wm_annotate_cell *cell, const struct wm_level_column *column,
                      const struct wm_level_list *levels,
                      const struct wm_instruction_counters *counters)
{
    double value = wm_level_column_value(column, levels, counters);
    if (!column->rate && is_traffic(counters))
        set_bytes(cell, (uint64_t)value);
    else if (column->rate && !isnan(value))
        set_percent(cell, value);
}

static void set_accesses(struct wm_annotate_cell *cell, uint64_t accesses)
{
    if (accesses < 100000)
        snprintf(cell->text, sizeof cell->text, "%" PRIu64, accesses);
    else
        wm_units_round((double)accesses, WM_QUANTITY_COUNT, cell->text, sizeof cell->text);
}

static void set_false_sharing(struct wm_annotate_cell *cell, const struct wm_instruction_misses *it)
{
    set_waste(cell, it->false_sharing, it->true_sharing + it->false_sharing);
}

static void set_count(struct wm_annotate_cell *cell, uint64_t count)
{
    if (count != 0)
        set_accesses(cell, count);
}

static void set_cycles(struct wm_annotate_cell *cell, const struct wm_load_counters *timed)
{
    if (timed->loads != 0)
        snprintf(cell->text, sizeof cell->text, "%.0f",
                 (double)timed->load_cycles / (double)timed->loads);
}

// The nearest of those that serve as many.
static void set_served(struct wm_annotate_cell *cell, const struct wm_level_list *levels,
                       const struct wm_annotated_line *line)
{
    enum wm_server servers[WM_SERVERS];
    uint32_t count = wm_servers_of(levels, servers), most = 0;
    char title[WM_LEVEL_COUNTER_BYTES];
    for (uint32_t i = 1; i < count; i++)
        most = line->served.loads[servers[i]] > line->served.loads[servers[most]] ? i : most;
    if (line->timed.loads == 0)
        return;
    double share = 100.0 * (double)line->served.loads[servers[most]] / (double)line->timed.loads;
    snprintf(cell->text, sizeof cell->text, "%.16s %.0f%%",
             most == 0 ? "shared" : wm_level_place_title(levels, most - 1, title), share);
}

static void set_declared(struct wm_annotate_cell *cell, uint8_t which,
                         const struct wm_level_list *levels, const struct wm_annotated_line *line)
{
    struct wm_request_ratios ratios;
    bool touches = wm_request_ratios_of(&line->counters, &ratios);
    uint64_t passes = line->explained.shared_passes;
    if (which == ACCESSES)
        set_accesses(cell, line->accesses);
    else if (which == SECTORS && touches)
        snprintf(cell->text, sizeof cell->text, "%.1f", ratios.sectors_per_request);
    else if (which == USED && touches)
        set_percent(cell, ratios.bytes_used_percent);
    else if (which == BANKS && passes != 0)
        snprintf(cell->text, sizeof cell->text, "%.1f",
                 (double)passes / (double)line->shared_accesses);
    else if (which == CYCLES)
        set_cycles(cell, &line->timed);
    else if (which == SERVED)
        set_served(cell, levels, line);
    else if (which == UNUSED)
        set_unused(cell, &line->explained);
    else if (which == SHARED)
        set_sharing(cell, &line->explained);
    else if (which == TAKEN)
        set_count(cell, line->counters.copies_taken);
    else if (which == LOST)
        set_count(cell, line->counters.coherence_misses);
    else if (which == FALSE_SHARING)
        set_false_sharing(cell, &line->explained);
}

void wm_annotate_cells_of(const struct wm_annotate_columns *columns,
                          const struct wm_annotated_line *line,
                          struct wm_annotate_cell cells[WM_ANNOTATE_CELLS])
{
    memset(cells, 0, columns->count * sizeof *cells);
    for (uint32_t i = 0; line->has_memory && line->accesses != 0 && i < columns->count; i++) {
        uint8_t what = columns->what[i];
        if (what < WM_ANNOTATE_DECLARED)
            set_declared(&cells[i], what, columns->levels, line);
        else
            set_level(&cells[i], &columns->of_levels.columns[what - WM_ANNOTATE_DECLARED],
                      columns->levels, &line->counters);
    }
}

void wm_advice_text(const struct wm_advice *advice, struct wm_text *text)
{
    wm_text_add(text, advice->rule->name);
    if (advice->instructions > 1)
        wm_text_format(text, " (%" PRIu32 " %ss)", advice->instructions,
                       wm_access_kind_name(advice->view.kind));
    wm_text_add(text, ": ");
    advice->rule->say(&advice->view, text);
    wm_advice_saving_text(advice, text);
}

void wm_annotate_inline_chain_text(const struct wm_instruction_result *it, struct wm_text *text)
{
    for (uint32_t i = 0; i < it->inlined_count; i++) {
        const char *file = it->inlined[i].file, *slash = file != NULL ? strrchr(file, '/') : NULL;
        wm_text_format(text, "%s%s:%" PRIu32, i > 0 ? ", called at " : "inlined from ",
                       slash != NULL  ? slash + 1
                       : file != NULL ? file
                                      : "?",
                       it->inlined[i].line);
    }
}

#include "study/annotate/cells.h"

#include "base/text/units.h"
#include "study/run_report/request_ratios.h"
#include "study/run_report/result_sums.h"
#include "study/tables/column_titles.h"

#include <inttypes.h>
#include <stdio.h>

enum { ACCESSES, SECTORS, USED, L1, L2, BYTES_L1_L2, BANKS, BYTES_DRAM, UNUSED, SHARED };

static const struct wm_report_column annotate_columns[WM_ANNOTATE_CELLS] = {
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
    [UNUSED] = {"unused", 'r', 1,
                "of the bytes fetched into L1, or past it, those that no lane used while there",
                "of the bytes fetched into L1, those that no lane used", NULL},
    [SHARED] = {"shared", 'r', 1,
                "what most of the lines that it loads are (private: read by one SM, boundary, "
                "broadcast or dynamic), and how many of its requests read such",
                "what most of the lines it loads are, and how many of its requests", NULL},
};
const struct wm_report_table wm_annotate_table =
    WM_REPORT_TABLE("annotate: each line of source", annotate_columns);

static void set_percent(struct wm_annotate_cell *cell, double percent)
{
    snprintf(cell->text, sizeof cell->text, "%.0f%%", percent);
    cell->shade = WM_SHADE_RATE;
    cell->value = (uint64_t)(percent + 0.5);
}

static void set_rate(struct wm_annotate_cell *cell, uint64_t hits, uint64_t misses)
{
    if (hits + misses == 0)
        return;
    set_percent(cell, 100.0 * (double)hits / (double)(hits + misses));
}

static void set_bytes(struct wm_annotate_cell *cell, uint64_t bytes)
{
    wm_units_round((double)bytes, WM_QUANTITY_BYTES, cell->text, sizeof cell->text);
    cell->shade = WM_SHADE_BYTES;
    cell->value = bytes;
}

// Amber for waste, as for misses.
static void set_unused(struct wm_annotate_cell *cell, const struct wm_instruction_misses *it)
{
    uint64_t fetched = it->l1_fetched_bytes + it->side_cache_fetched_bytes;
    uint64_t unused = it->l1_unused_bytes + it->side_cache_unused_bytes;
    if (fetched == 0)
        return;
    double share = 100.0 * (double)unused / (double)fetched;
    snprintf(cell->text, sizeof cell->text, "%.0f%%", share);
    cell->shade = WM_SHADE_RATE;
    cell->value = (uint64_t)(100.5 - share);
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

void wm_annotate_cells_of(const struct wm_annotated_line *line,
                          struct wm_annotate_cell cells[WM_ANNOTATE_CELLS])
{
    memset(cells, 0, WM_ANNOTATE_CELLS * sizeof *cells);
    if (!line->has_memory || line->accesses == 0)
        return;
    const struct wm_instruction_counters *c = &line->counters;
    char *accesses = cells[ACCESSES].text;
    if (line->accesses < 100000)
        snprintf(accesses, WM_ANNOTATE_CELL_BYTES, "%" PRIu64, line->accesses);
    else
        wm_units_round((double)line->accesses, WM_QUANTITY_COUNT, accesses, WM_ANNOTATE_CELL_BYTES);
    struct wm_request_ratios ratios;
    if (wm_request_ratios_of(c, &ratios)) {
        snprintf(cells[SECTORS].text, WM_ANNOTATE_CELL_BYTES, "%.1f", ratios.sectors_per_request);
        set_percent(&cells[USED], ratios.bytes_used_percent);
    }
    if (c->requests + c->side_cache_hits + c->side_cache_misses != 0) {
        set_bytes(&cells[BYTES_L1_L2], c->bytes_l1_l2);
        set_bytes(&cells[BYTES_DRAM], c->bytes_dram);
    }
    set_rate(&cells[L1], c->l1_hits, c->l1_misses);
    set_rate(&cells[L2], c->l2_hits, c->l2_misses);
    set_unused(&cells[UNUSED], &line->explained);
    set_sharing(&cells[SHARED], &line->explained);
    uint64_t passes = line->explained.shared_passes;
    if (passes != 0)
        snprintf(cells[BANKS].text, WM_ANNOTATE_CELL_BYTES, "%.1f",
                 (double)passes / (double)line->shared_accesses);
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

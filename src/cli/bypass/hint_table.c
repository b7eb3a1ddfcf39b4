#include "cli/bypass/hint_table.h"

#include "base/text/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = WM_TABLE_ROWS - 1 };

static const struct wm_report_column columns[WM_BYPASS_HINT_COLUMNS] = {
    [WM_BYPASS_HINT_NUMBER] = {"ld", 'r', 0, "the load's number in its kernel", NULL, NULL},
    [WM_BYPASS_HINT_AT] = WM_BYPASS_TITLE_AT,
    [WM_BYPASS_HINT_LOAD] = WM_BYPASS_TITLE_LOAD,
    [WM_BYPASS_HINT_SAYS] = {"says", 'l', 0,
                             "what the load is to say of caches: a cache operator (.ca, .cg) or an "
                             "eviction priority of L1, and a policy for L2",
                             "what it is to say of caches", NULL},
    [WM_BYPASS_HINT_L1_L2] = {"saves L1-L2", 'r', 0,
                              "bytes between L1 and L2 that the kernel was measured to save by it, "
                              "of those when the load says what it does in the program and all "
                              "others the same; negative: it costs",
                              "bytes of the kernel, of those when the load says what it does in "
                              "the program",
                              NULL},
    [WM_BYPASS_HINT_DRAM] = {"saves DRAM", 'r', 0,
                             "likewise bytes between L2 and DRAM: - where it was not tried, as it "
                             "requests less than 1 % of its kernel's sectors",
                             NULL, NULL},
    [WM_BYPASS_HINT_CYCLES] = {"saves cycles", 'r', 0, "likewise cycles of the SMs' clock", NULL,
                               NULL},
};

const struct wm_report_table wm_bypass_hint_table =
    WM_REPORT_TABLE("bypass --hints: each load that is to say something else", columns);

uint32_t wm_bypass_hint_columns(const struct wm_bypass_report *report)
{
    return report->clock ? WM_BYPASS_HINT_COLUMNS : WM_BYPASS_HINT_CYCLES;
}

bool wm_bypass_is_hinted(const struct wm_hinted_load *load)
{
    return load->chosen.l1 != load->own.l1 || load->chosen.l2 != load->own.l2;
}

// --- Cells ---

// Of both levels' trials, as far as they were made. False: neither was.
static bool add_trials(const struct wm_hinted_load *load, struct wm_hint_counts *before,
                       struct wm_hint_counts *after)
{
    *before = *after = (struct wm_hint_counts){0};
    for (int level = 0; level < 2; level++) {
        const struct wm_hint_trial *trial = &load->trials[level];
        before->l1_l2 += trial->before.l1_l2;
        before->dram += trial->before.dram;
        before->cycles += trial->before.cycles;
        after->l1_l2 += trial->after.l1_l2;
        after->dram += trial->after.dram;
        after->cycles += trial->after.cycles;
    }
    return load->trials[0].tried || load->trials[1].tried;
}

static void set_savings(struct wm_bypass_hint_cells *cells, const struct wm_hinted_load *load)
{
    struct wm_hint_counts before, after;
    if (!add_trials(load, &before, &after)) {
        for (int column = WM_BYPASS_HINT_L1_L2; column < WM_BYPASS_HINT_COLUMNS; column++)
            snprintf(cells->text[column], WM_BYPASS_CELL_BYTES, "-");
        return;
    }
    wm_bypass_bytes((double)before.l1_l2 - (double)after.l1_l2, cells->text[WM_BYPASS_HINT_L1_L2]);
    wm_bypass_bytes((double)before.dram - (double)after.dram, cells->text[WM_BYPASS_HINT_DRAM]);
    snprintf(cells->text[WM_BYPASS_HINT_CYCLES], WM_BYPASS_CELL_BYTES, "%.0f",
             (double)before.cycles - (double)after.cycles);
}

static void set_says(char *cell, const struct wm_hinted_load *load)
{
    snprintf(cell, WM_BYPASS_CELL_BYTES, "%s%s%s", wm_load_word_name(load->chosen.l1),
             load->chosen.l2 != WM_LOAD_L2_NORMAL ? " " : "",
             load->chosen.l2 != WM_LOAD_L2_NORMAL ? wm_load_word_name(load->chosen.l2) : "");
}

void wm_bypass_hint_cells_of(const struct wm_bypass_report *report, uint32_t kernel, uint32_t load,
                             struct wm_bypass_hint_cells *cells)
{
    const struct wm_hinted_load *hinted = &report->hints->kernels[kernel].loads[load];
    struct wm_bypass_load_cells same;
    wm_bypass_load_cells_of(report, &report->program->kernels[kernel], load, &same);
    memcpy(cells->text[WM_BYPASS_HINT_NUMBER], same.text[WM_BYPASS_COLUMN_NUMBER],
           WM_BYPASS_CELL_BYTES);
    memcpy(cells->text[WM_BYPASS_HINT_AT], same.text[WM_BYPASS_COLUMN_AT], WM_BYPASS_CELL_BYTES);
    memcpy(cells->text[WM_BYPASS_HINT_LOAD], same.text[WM_BYPASS_COLUMN_LOAD],
           WM_BYPASS_CELL_BYTES);
    set_says(cells->text[WM_BYPASS_HINT_SAYS], hinted);
    set_savings(cells, hinted);
}

// --- Text ---

static void append_change(uint64_t before, uint64_t after, enum wm_quantity quantity,
                          const char *what, struct wm_text *text)
{
    char then[32], now[32];
    wm_text_format(text, "%s instead of %s %s (%+.1f%%)",
                   wm_units_round((double)after, quantity, now, sizeof now),
                   wm_units_round((double)before, quantity, then, sizeof then), what,
                   before == 0 ? 0.0 : 100.0 * ((double)after - (double)before) / (double)before);
}

void wm_bypass_hint_totals(const struct wm_hint_counts *before, const struct wm_hint_counts *after,
                           struct wm_text *text)
{
    append_change(before->l1_l2, after->l1_l2, WM_QUANTITY_BYTES, "between L1 and L2", text);
    wm_text_add(text, ", ");
    append_change(before->dram, after->dram, WM_QUANTITY_BYTES, "between L2 and DRAM", text);
    if (before->cycles == 0)
        return;
    wm_text_add(text, ", ");
    append_change(before->cycles, after->cycles, WM_QUANTITY_COUNT, "cycles", text);
}

static void add_rows(const struct wm_bypass_report *report, uint32_t kernel,
                     struct wm_text_table *table, uint32_t *hinted)
{
    const struct wm_hinted_kernel *found = &report->hints->kernels[kernel];
    uint32_t loads = report->program->kernels[kernel].profiled->load_count;
    for (uint32_t i = 0; i < loads; i++) {
        if (!wm_bypass_is_hinted(&found->loads[i]) || (*hinted)++ >= MOST_ROWS)
            continue;
        struct wm_bypass_hint_cells cells;
        wm_bypass_hint_cells_of(report, kernel, i, &cells);
        wm_text_table_row(table);
        for (uint32_t c = 0; c < wm_bypass_hint_columns(report); c++)
            wm_text_table_cell(table, c, "%s", cells.text[c]);
    }
}

void wm_bypass_hint_text(const struct wm_bypass_report *report, uint32_t kernel, unsigned width,
                         struct wm_text *text)
{
    const struct wm_hinted_kernel *found = &report->hints->kernels[kernel];
    struct wm_text_table *table = malloc(sizeof *table);
    text->failed = text->failed || table == NULL;
    if (table == NULL)
        return;
    uint32_t hinted = 0;
    wm_report_table_begin(table, &wm_bypass_hint_table, wm_bypass_hint_columns(report));
    add_rows(report, kernel, table, &hinted);
    if (hinted > 0) {
        wm_text_add(text, "  Hints:\n");
        wm_text_table_print(table, width, text);
    }
    if (hinted > MOST_ROWS)
        wm_text_format(text, "  and %" PRIu32 " loads more: --json has all\n", hinted - MOST_ROWS);
    free(table);
    wm_text_add(text, hinted > 0 ? "  With them: " : "  Hints: none saves 1 % or more: ");
    wm_bypass_hint_totals(&found->before, &found->after, text);
    wm_text_add(text, "\n");
    for (uint32_t i = 0; i < found->left_out_count; i++)
        wm_text_format(text, "  %s.\n", found->left_out[i]);
}

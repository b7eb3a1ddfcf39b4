// The figures of a line, as short text: the same in the terminal and on the page. Private to
// study/.
#ifndef WM_STUDY_ANNOTATE_CELLS_H
#define WM_STUDY_ANNOTATE_CELLS_H

#include "study/annotate/advice_trials.h"
#include "study/tables/level_columns.h"

enum {
    WM_ANNOTATE_DECLARED = 15, // columns: those of a GPU's usual levels among them
    WM_ANNOTATE_CELLS = WM_ANNOTATE_DECLARED + WM_MOST_LEVEL_COLUMNS,
    WM_ANNOTATE_CELL_BYTES = 24,
};

// In a terminal of fewer columns the optional ones are left out.
enum { WM_ANNOTATE_WIDE = 120 };

extern const struct wm_report_table wm_annotate_table;

// The columns of one machine. Texts of levels' are its own: it stays where it was made.
struct wm_annotate_columns {
    const struct wm_level_list *levels; // borrowed
    struct wm_level_columns of_levels;
    uint32_t count;
    struct wm_report_column shown[WM_ANNOTATE_CELLS];
    int widths[WM_ANNOTATE_CELLS];
    uint8_t what[WM_ANNOTATE_CELLS]; // which of the declared ones, or behind them of the levels'
    char sentences[WM_MOST_LEVEL_COLUMNS][128];
};

void wm_annotate_columns_make(const struct wm_results *results,
                              struct wm_annotate_columns *columns);

// What a cell's colour says.
enum wm_annotate_shade { WM_SHADE_NONE, WM_SHADE_RATE, WM_SHADE_BYTES };

struct wm_annotate_cell {
    char text[WM_ANNOTATE_CELL_BYTES]; // "" where nothing applies
    enum wm_annotate_shade shade;
    uint64_t value; // per cent, or bytes
};

// columns->count of them.
void wm_annotate_cells_of(const struct wm_annotate_columns *columns,
                          const struct wm_annotated_line *line,
                          struct wm_annotate_cell cells[WM_ANNOTATE_CELLS]);
// "uncoalesced (2 loads): a warp's …": what the advice says, without a full stop.
void wm_advice_text(const struct wm_advice *advice, struct wm_text *text);
// "inlined from device_atomic_functions.hpp:107, called at reduce.h:5, called at app.cu:16".
void wm_annotate_inline_chain_text(const struct wm_instruction_result *it, struct wm_text *text);

#endif

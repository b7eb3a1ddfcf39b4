// The figures of a line, as short text: the same in the terminal and on the page. Private to
// study/.
#ifndef WM_STUDY_ANNOTATE_CELLS_H
#define WM_STUDY_ANNOTATE_CELLS_H

#include "study/annotate/advice_trials.h"
#include "study/tables/columns.h"

enum { WM_ANNOTATE_CELLS = 10, WM_ANNOTATE_CELL_BYTES = 24 };

// In a terminal of fewer columns the optional ones are left out.
enum { WM_ANNOTATE_WIDE = 120 };

// WM_ANNOTATE_CELLS columns.
extern const struct wm_report_table wm_annotate_table;

// What a cell's colour says.
enum wm_annotate_shade { WM_SHADE_NONE, WM_SHADE_RATE, WM_SHADE_BYTES };

struct wm_annotate_cell {
    char text[WM_ANNOTATE_CELL_BYTES]; // "" where nothing applies
    enum wm_annotate_shade shade;
    uint64_t value; // per cent, or bytes
};

void wm_annotate_cells_of(const struct wm_annotated_line *line,
                          struct wm_annotate_cell cells[WM_ANNOTATE_CELLS]);
// "uncoalesced (2 loads): a warp's …": what the advice says, without a full stop.
void wm_advice_text(const struct wm_advice *advice, struct wm_text *text);
// "inlined from device_atomic_functions.hpp:107, called at reduce.h:5, called at app.cu:16".
void wm_annotate_inline_chain_text(const struct wm_instruction_result *it, struct wm_text *text);

#endif

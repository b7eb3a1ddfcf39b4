// The figures beside a line, as short text: the same in the terminal and on the page. Private to
// study/.
#ifndef WM_STUDY_ANNOTATE_CELLS_H
#define WM_STUDY_ANNOTATE_CELLS_H

#include "study/annotate_lines.h"

enum { WM_ANNOTATE_CELLS = 6, WM_ANNOTATE_CELL_BYTES = 24 };

struct wm_annotate_cells {
    char text[WM_ANNOTATE_CELLS][WM_ANNOTATE_CELL_BYTES]; // "" where nothing applies
};

// Heads of the columns, and their sentences.
extern const char *const wm_annotate_heads[WM_ANNOTATE_CELLS];
extern const char *const wm_annotate_head_sentences[WM_ANNOTATE_CELLS];

void wm_annotate_cells_of(const struct wm_annotated_line *line, struct wm_annotate_cells *cells);
// "uncoalesced (2 loads): a warp's …": what the advice says, without a full stop.
void wm_advice_say(const struct wm_advice *advice, struct wm_text *text);

#endif

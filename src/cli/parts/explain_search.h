// What warpmem explain looks for, and what it has found.
#ifndef WM_CLI_PARTS_EXPLAIN_SEARCH_H
#define WM_CLI_PARTS_EXPLAIN_SEARCH_H

#include "base/text/nearest.h"
#include "base/text/text.h"
#include "machine/plugins.h"

struct wm_explain_search {
    const char *name, *kind; // kind: NULL for all
    const struct wm_plugins *plugins;
    struct wm_nearest nearest;
    struct wm_text *text;
    unsigned found;
};

enum { WM_EXPLAIN_COLUMN = 12 }; // where the right side of answers begins

// Before each answer: a blank line between two.
void wm_explain_begin(struct wm_explain_search *search);
// Columns of reports by the head that is printed, whatever its case.
void wm_explain_columns(struct wm_explain_search *search);
// Counters by "name" or "kind.name", and all of a "kind".
void wm_explain_counters(struct wm_explain_search *search);

#endif

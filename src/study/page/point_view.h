// What the page shows of one point's results: its kernels and their memory instructions, without
// the many components. Private to study/.
#ifndef WM_STUDY_PAGE_POINT_VIEW_H
#define WM_STUDY_PAGE_POINT_VIEW_H

#include <jansson.h>

// What points share, collected while they are viewed. Release with json_decref of each member.
struct wm_view_tables {
    json_t *codes;    // list: the kernels and instructions of a program, once for all its machines
    json_t *counters; // list of the instructions' counters: each [name, unit, sentence]
};

// {"code": index, "kernels": [{launches…, "sums": {kind: {counter: sum}}, "rows": [[…]]}]}: a row
// an instruction, its counters in the order of the tables. NULL when memory is short or the
// results have no list of kernels.
json_t *wm_point_view(const json_t *results, struct wm_view_tables *tables);

#endif

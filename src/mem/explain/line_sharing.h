// How many SMs read each line in one launch.
#ifndef WM_MEM_EXPLAIN_LINE_SHARING_H
#define WM_MEM_EXPLAIN_LINE_SHARING_H

#include "mem/explain/explained.h"
#include "mem/explain/line_table.h"

#include <stdbool.h>

struct wm_line_sharing {
    struct wm_line_table table;
    uint64_t *readers; // owned: by index of the table, `words` of bits each
    uint32_t *counts;  // owned: how many bits
    uint32_t capacity, words;
    bool failed; // memory ran out
    struct wm_sharing_counters counters;
};

void wm_line_sharing_init(struct wm_line_sharing *sharing, uint32_t sm_count);
void wm_line_sharing_release(struct wm_line_sharing *sharing);
// A launch begins: nobody has read anything; counters stay.
void wm_line_sharing_clear(struct wm_line_sharing *sharing);
// `sm` reads `line`: the line moves on to the next count when it is new to that SM.
void wm_line_sharing_read(struct wm_line_sharing *sharing, uint64_t line, uint32_t sm);

#endif

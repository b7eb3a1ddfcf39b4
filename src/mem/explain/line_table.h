// Lines by number: each line that was ever added has an index, given out in order of first
// appearance, by which an owner keeps what it knows of the line in arrays of its own. Grows with
// the lines a program touches, not with the length of its run. Open addressing, no removal but of
// all. Private to mem/explain/.
#ifndef WM_MEM_EXPLAIN_LINE_TABLE_H
#define WM_MEM_EXPLAIN_LINE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define WM_NO_LINE UINT32_MAX

struct wm_line_table {
    uint64_t *lines;   // owned: by index
    uint32_t *buckets; // owned: index plus one, 0 for empty; a power of two of them
    uint32_t count, capacity, bucket_mask;
};

// All zero is an empty table.
void wm_line_table_release(struct wm_line_table *table);
// Forgets all lines, keeps the room.
void wm_line_table_clear(struct wm_line_table *table);
// The line's index, or WM_NO_LINE.
uint32_t wm_line_table_find(const struct wm_line_table *table, uint64_t line);
// The same, adding it when it is new (then its index is the old count). WM_NO_LINE when memory runs
// out or the table is full (2^30 lines); nothing has changed then.
uint32_t wm_line_table_add(struct wm_line_table *table, uint64_t line);

#endif

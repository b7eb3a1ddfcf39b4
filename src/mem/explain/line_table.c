#include "mem/explain/line_table.h"

#include "base/containers/array.h"
#include "base/numbers/hash.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };
static const uint32_t most_lines = UINT32_C(1) << 30;

void wm_line_table_release(struct wm_line_table *table)
{
    free(table->lines);
    free(table->buckets);
    *table = (struct wm_line_table){0};
}

void wm_line_table_clear(struct wm_line_table *table)
{
    if (table->count != 0)
        memset(table->buckets, 0, ((size_t)table->bucket_mask + 1) * sizeof *table->buckets);
    table->count = 0;
}

// The bucket of `line`, or the empty one where it belongs.
static uint32_t bucket_of(const struct wm_line_table *table, uint64_t line)
{
    uint32_t at = (uint32_t)wm_hash_u64(line) & table->bucket_mask;
    while (table->buckets[at] != 0 && table->lines[table->buckets[at] - 1] != line)
        at = (at + 1) & table->bucket_mask;
    return at;
}

uint32_t wm_line_table_find(const struct wm_line_table *table, uint64_t line)
{
    if (table->count == 0)
        return WM_NO_LINE;
    uint32_t entry = table->buckets[bucket_of(table, line)];
    return entry != 0 ? entry - 1 : WM_NO_LINE;
}

// Twice the room, at most half of the buckets in use.
static bool grow(struct wm_line_table *table)
{
    uint32_t capacity = table->capacity == 0 ? FIRST_CAPACITY : 2 * table->capacity;
    if (capacity > most_lines)
        return false;
    if (!WM_ARRAY_RESIZE(table->lines, capacity))
        return false;
    uint32_t *buckets = calloc((size_t)capacity * 2, sizeof *buckets);
    if (buckets == NULL)
        return false;
    free(table->buckets);
    table->buckets = buckets;
    table->bucket_mask = 2 * capacity - 1;
    table->capacity = capacity;
    for (uint32_t i = 0; i < table->count; i++)
        table->buckets[bucket_of(table, table->lines[i])] = i + 1;
    return true;
}

uint32_t wm_line_table_add(struct wm_line_table *table, uint64_t line)
{
    uint32_t found = wm_line_table_find(table, line);
    if (found != WM_NO_LINE)
        return found;
    if (table->count == table->capacity && !grow(table))
        return WM_NO_LINE;
    table->lines[table->count] = line;
    table->buckets[bucket_of(table, line)] = table->count + 1;
    return table->count++;
}

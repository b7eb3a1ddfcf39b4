#include "base/containers/key_table.h"

#include "base/containers/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };
static const uint32_t most_keys = UINT32_C(1) << 30;

void wm_key_table_release(struct wm_key_table *table)
{
    free(table->keys);
    free(table->buckets);
    *table = (struct wm_key_table){0};
}

void wm_key_table_clear(struct wm_key_table *table)
{
    if (table->count != 0)
        memset(table->buckets, 0, ((size_t)table->bucket_mask + 1) * sizeof *table->buckets);
    table->count = table->end = table->free = 0;
}

static uint32_t home_of(const struct wm_key_table *table, uint64_t key)
{
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15); // 2^64 divided by the golden ratio
    return (uint32_t)(mixed ^ mixed >> 32) & table->bucket_mask;
}

// The bucket of `key`, or the empty one where it belongs.
static uint32_t bucket_of(const struct wm_key_table *table, uint64_t key)
{
    uint32_t at = home_of(table, key);
    while (table->buckets[at] != 0 && table->keys[table->buckets[at] - 1] != key)
        at = (at + 1) & table->bucket_mask;
    return at;
}

uint32_t wm_key_table_find(const struct wm_key_table *table, uint64_t key)
{
    if (table->count == 0)
        return WM_NO_INDEX;
    uint32_t index = table->buckets[bucket_of(table, key)];
    return index != 0 ? index - 1 : WM_NO_INDEX;
}

bool wm_key_table_reserve(struct wm_key_table *table, uint64_t keys)
{
    uint32_t capacity = table->capacity != 0 ? table->capacity : FIRST_CAPACITY;
    if (keys > most_keys)
        return false;
    while (capacity < keys)
        capacity *= 2;
    if (capacity == table->capacity)
        return true;
    uint32_t *buckets = wm_array_new((size_t)capacity * 2, sizeof *buckets);
    if (buckets == NULL || !WM_ARRAY_RESIZE(table->keys, capacity)) {
        free(buckets);
        return false;
    }
    struct wm_key_table before = *table;
    table->buckets = buckets;
    table->bucket_mask = 2 * capacity - 1;
    table->capacity = capacity;
    for (uint32_t i = 0; before.count != 0 && i <= before.bucket_mask; i++)
        if (before.buckets[i] != 0)
            buckets[bucket_of(table, table->keys[before.buckets[i] - 1])] = before.buckets[i];
    free(before.buckets);
    return true;
}

static uint32_t take_index(struct wm_key_table *table)
{
    if (table->free == 0)
        return table->end++;
    uint32_t index = table->free - 1;
    table->free = (uint32_t)table->keys[index];
    return index;
}

uint32_t wm_key_table_add(struct wm_key_table *table, uint64_t key)
{
    uint32_t found = wm_key_table_find(table, key);
    if (found != WM_NO_INDEX)
        return found;
    if (table->count == table->capacity && !wm_key_table_reserve(table, table->count + UINT64_C(1)))
        return WM_NO_INDEX;
    uint32_t index = take_index(table);
    table->keys[index] = key;
    table->buckets[bucket_of(table, key)] = index + 1;
    table->count++;
    return index;
}

// Those behind it that it has pushed away move up, so that no search ends before them.
static void close_gap(struct wm_key_table *table, uint32_t gap)
{
    uint32_t mask = table->bucket_mask;
    for (uint32_t at = (gap + 1) & mask; table->buckets[at] != 0; at = (at + 1) & mask) {
        uint32_t home = home_of(table, table->keys[table->buckets[at] - 1]);
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        table->buckets[gap] = table->buckets[at];
        gap = at;
    }
    table->buckets[gap] = 0;
}

uint32_t wm_key_table_remove(struct wm_key_table *table, uint64_t key)
{
    assert(table->count != 0);
    uint32_t bucket = bucket_of(table, key), index = table->buckets[bucket];
    assert(index != 0);
    close_gap(table, bucket);
    table->keys[index - 1] = table->free;
    table->free = index;
    table->count--;
    return index - 1;
}

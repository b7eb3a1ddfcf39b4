// Numbers by key: each key of 64 bits in the table has an index, by which the owner keeps what it
// knows of the key in arrays of its own. Without removals indices are given out in order of first
// appearance, from 0 on; the index of a key that was removed goes to the next that is added. Open
// addressing, at most half of the buckets in use. Nothing that it says depends on how keys hash.
//
// Thread rules: none; one thread at a time changes a table.
#ifndef WM_BASE_CONTAINERS_KEY_TABLE_H
#define WM_BASE_CONTAINERS_KEY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define WM_NO_INDEX UINT32_MAX

struct wm_key_table {
    uint64_t *keys;     // owned: by index; of one that is free, the next free one plus 1
    uint32_t *buckets;  // owned: index plus 1, 0 for empty; a power of two of them
    uint32_t count;     // keys in the table
    uint32_t end, free; // indices ever given out; the first that is free plus 1, or 0
    uint32_t capacity, bucket_mask;
};

// All zero is an empty table.
void wm_key_table_release(struct wm_key_table *table);
// Forgets all keys, keeps the room.
void wm_key_table_clear(struct wm_key_table *table);
// Room for so many keys, which wm_key_table_add gives an index without memory. False when memory
// runs out, or for more than 2^30.
bool wm_key_table_reserve(struct wm_key_table *table, uint64_t keys);
// The key's index, or WM_NO_INDEX.
uint32_t wm_key_table_find(const struct wm_key_table *table, uint64_t key);
// The same, adding it when it is new. WM_NO_INDEX when memory runs out or the table is full (2^30
// keys); nothing has changed then.
uint32_t wm_key_table_add(struct wm_key_table *table, uint64_t key);
// Removes a key that is there. Returns the index that it had.
uint32_t wm_key_table_remove(struct wm_key_table *table, uint64_t key);

#endif

// A map from strings to pointers. Iteration is in order of insertion, so nothing printed from it
// depends on hashing. Keys are not copied: they must outlive the map.
#ifndef WM_BASE_STRING_MAP_H
#define WM_BASE_STRING_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_string_map_entry {
    const char *key; // borrowed
    size_t key_length;
    void *value; // borrowed
};

struct wm_string_map {
    struct wm_string_map_entry *entries; // owned, insertion order
    size_t count, capacity;
    uint32_t *buckets; // owned; index + 1 into entries, 0 is empty; open addressing
    size_t bucket_count;
};

void wm_string_map_init(struct wm_string_map *map);
void wm_string_map_release(struct wm_string_map *map);
// False when out of memory. An existing key keeps its place and takes the new value.
bool wm_string_map_put(struct wm_string_map *map, const char *key, size_t key_length, void *value);
// The value, or NULL when the key is absent.
void *wm_string_map_get(const struct wm_string_map *map, const char *key, size_t key_length);

#endif

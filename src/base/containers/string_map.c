#include "base/containers/string_map.h"

#include "base/containers/array.h"
#include "base/numbers/hash.h"

void wm_string_map_init(struct wm_string_map *map)
{
    *map = (struct wm_string_map){0};
}

void wm_string_map_release(struct wm_string_map *map)
{
    free(map->entries);
    free(map->buckets);
    *map = (struct wm_string_map){0};
}

// The bucket that holds `key`, or the empty one where it belongs.
static size_t find_bucket(const struct wm_string_map *map, const char *key, size_t key_length)
{
    size_t mask = map->bucket_count - 1;
    size_t bucket = (size_t)wm_hash_bytes(key, key_length) & mask;
    for (; map->buckets[bucket]; bucket = (bucket + 1) & mask) {
        const struct wm_string_map_entry *entry = &map->entries[map->buckets[bucket] - 1];
        if (entry->key_length == key_length && memcmp(entry->key, key, key_length) == 0)
            break;
    }
    return bucket;
}

static bool grow(struct wm_string_map *map)
{
    size_t capacity = map->capacity ? map->capacity * 2 : 16;
    if (capacity >= UINT32_MAX / 2)
        return false;
    if (!WM_ARRAY_RESIZE(map->entries, capacity))
        return false;
    uint32_t *buckets = calloc(capacity * 2, sizeof *buckets);
    if (!buckets)
        return false;
    free(map->buckets);
    map->buckets = buckets;
    map->bucket_count = capacity * 2;
    map->capacity = capacity;
    for (size_t i = 0; i < map->count; i++) {
        const struct wm_string_map_entry *entry = &map->entries[i];
        map->buckets[find_bucket(map, entry->key, entry->key_length)] = (uint32_t)(i + 1);
    }
    return true;
}

bool wm_string_map_put(struct wm_string_map *map, const char *key, size_t key_length, void *value)
{
    if (map->count == map->capacity && !grow(map))
        return false;
    size_t bucket = find_bucket(map, key, key_length);
    if (map->buckets[bucket]) {
        map->entries[map->buckets[bucket] - 1].value = value;
        return true;
    }
    map->entries[map->count] = (struct wm_string_map_entry){key, key_length, value};
    map->buckets[bucket] = (uint32_t)(++map->count);
    return true;
}

void *wm_string_map_get(const struct wm_string_map *map, const char *key, size_t key_length)
{
    if (!map->bucket_count)
        return NULL;
    uint32_t index = map->buckets[find_bucket(map, key, key_length)];
    return index ? map->entries[index - 1].value : NULL;
}

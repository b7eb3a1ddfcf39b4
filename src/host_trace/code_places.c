#include "host_trace/code_places.h"

#include "base/containers/array.h"
#include "base/numbers/hash.h"
#include "host_trace/code_lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_BUCKETS = 1024 };

struct object {
    uint64_t moved;
    char *path; // owned
    bool opened;
    struct wm_host_code_lines *lines; // once opened; NULL: there are none
};

struct wm_host_code_places {
    struct object *objects;
    size_t object_count, object_capacity;
    uint64_t *addresses; // by number less one: where the call returns to
    size_t count, capacity;
    uint32_t *buckets; // open addressing: a number, 0 is empty
    size_t bucket_count;
};

struct wm_host_code_places *wm_host_code_places_new(void)
{
    struct wm_host_code_places *places = calloc(1, sizeof *places);
    if (places == NULL)
        return NULL;
    places->buckets = calloc(FIRST_BUCKETS, sizeof *places->buckets);
    places->bucket_count = FIRST_BUCKETS;
    if (places->buckets != NULL)
        return places;
    free(places);
    return NULL;
}

void wm_host_code_places_free(struct wm_host_code_places *places)
{
    if (places == NULL)
        return;
    for (size_t i = 0; i < places->object_count; i++) {
        wm_host_code_lines_free(places->objects[i].lines);
        free(places->objects[i].path);
    }
    free(places->objects);
    free(places->addresses);
    free(places->buckets);
    free(places);
}

// ---- Objects -----------------------------------------------------------------------------------

bool wm_host_code_places_add_object(struct wm_host_code_places *places, uint64_t moved,
                                    const char *path)
{
    char program[PATH_MAX] = "";
    if (path[0] == '\0' && readlink("/proc/thread-self/exe", program, sizeof program - 1) > 0)
        path = program;
    for (size_t i = 0; i < places->object_count; i++)
        if (places->objects[i].moved == moved && strcmp(places->objects[i].path, path) == 0)
            return true;
    char *copy = strdup(path);
    if (copy == NULL ||
        !WM_ARRAY_RESERVE(places->objects, places->object_count, places->object_capacity, 1)) {
        free(copy);
        return false;
    }
    places->objects[places->object_count++] = (struct object){.moved = moved, .path = copy};
    return true;
}

// The last that begins before it: of two in one place the one that was loaded later.
static struct object *object_of(struct wm_host_code_places *places, uint64_t address)
{
    struct object *found = NULL;
    for (size_t i = 0; i < places->object_count; i++) {
        struct object *object = &places->objects[i];
        if (object->moved <= address && (found == NULL || object->moved >= found->moved))
            found = object;
    }
    return found;
}

static const char *name_of(const struct object *object)
{
    const char *slash = strrchr(object->path, '/');
    return slash != NULL ? slash + 1 : object->path;
}

struct wm_host_code wm_host_code_place(struct wm_host_code_places *places, uint32_t number)
{
    uint64_t address = places->addresses[number - 1] - 1; // in the call
    struct wm_host_code place = {.object = "", .offset = address};
    struct object *object = object_of(places, address);
    if (object == NULL)
        return place;
    if (!object->opened)
        object->lines = wm_host_code_lines_open(object->path);
    object->opened = true;
    place.object = name_of(object);
    place.offset = address - object->moved;
    if (object->lines != NULL &&
        !wm_host_code_line(object->lines, place.offset, &place.file, &place.line))
        place.file = NULL;
    return place;
}

// ---- Numbers -----------------------------------------------------------------------------------

// The bucket that has the address, or where it belongs.
static uint32_t *bucket_of(const struct wm_host_code_places *places, uint64_t address)
{
    size_t at = wm_hash_u64(address) & (places->bucket_count - 1);
    while (places->buckets[at] != 0 && places->addresses[places->buckets[at] - 1] != address)
        at = (at + 1) & (places->bucket_count - 1);
    return &places->buckets[at];
}

static bool grow(struct wm_host_code_places *places)
{
    if (places->count == UINT32_MAX ||
        !WM_ARRAY_RESERVE(places->addresses, places->count, places->capacity, 1))
        return false;
    if (2 * (places->count + 1) <= places->bucket_count)
        return true;
    uint32_t *buckets = calloc(2 * places->bucket_count, sizeof *buckets);
    if (buckets == NULL)
        return false;
    free(places->buckets);
    places->buckets = buckets;
    places->bucket_count *= 2;
    for (uint32_t i = 0; i < places->count; i++)
        *bucket_of(places, places->addresses[i]) = i + 1;
    return true;
}

uint32_t wm_host_code_places_number(struct wm_host_code_places *places, uint64_t returns_to,
                                    bool *fresh)
{
    *fresh = false;
    if (returns_to == 0)
        return 0;
    uint32_t *bucket = bucket_of(places, returns_to);
    if (*bucket != 0)
        return *bucket;
    if (!grow(places))
        return 0;
    places->addresses[places->count++] = returns_to;
    *fresh = true;
    return *bucket_of(places, returns_to) = (uint32_t)places->count;
}

#include "source/cores/code_places.h"

#include "base/containers/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE_BYTES = 4096, MOST_OBJECT_BYTES = 255 };

void wm_core_places_init(struct wm_core_places *places)
{
    *places = (struct wm_core_places){.items = NULL};
    wm_arena_init(&places->arena);
}

void wm_core_places_release(struct wm_core_places *places)
{
    wm_arena_release(&places->arena);
    free(places->items);
    places->items = NULL;
    places->count = places->capacity = 0;
}

static enum wm_status check(const struct wm_core_places *places,
                            const struct wm_core_place_line *line, struct wm_error *error)
{
    if (places->count == WM_CORE_MOST_PLACES) {
        wm_fail(error, WM_LIMIT, "more than %d places of code", (int)WM_CORE_MOST_PLACES);
        return wm_error_hint(error, "take --data-only, which leaves them out");
    }
    if (line->number != places->count + UINT64_C(1))
        return wm_fail(error, WM_INVALID,
                       "place %" PRIx64 " comes where %" PRIx32
                       " is expected: they are numbered from 1, one after the other",
                       line->number, places->count + 1);
    if ((line->file != NULL && strlen(line->file) > MOST_FILE_BYTES) ||
        line->object_length > MOST_OBJECT_BYTES)
        return wm_fail(error, WM_LIMIT, "the name of a file of more than %d bytes",
                       line->object_length > MOST_OBJECT_BYTES ? MOST_OBJECT_BYTES
                                                               : MOST_FILE_BYTES);
    if (line->file != NULL && (line->line == 0 || line->line > UINT32_MAX))
        return wm_fail(error, WM_INVALID, "line %" PRIx64 " is in no source: lines count from 1",
                       line->line);
    return WM_OK;
}

enum wm_status wm_core_places_add(struct wm_core_places *places,
                                  const struct wm_core_place_line *line, struct wm_error *error)
{
    WM_TRY(check(places, line, error));
    struct wm_core_place place = {
        .object = wm_arena_copy_text(&places->arena, line->object, line->object_length),
        .offset = line->offset,
        .file = line->file == NULL
                    ? NULL
                    : wm_arena_copy_text(&places->arena, line->file, strlen(line->file)),
        .line = line->file == NULL ? 0 : (uint32_t)line->line};
    if (place.object == NULL || (line->file != NULL && place.file == NULL) ||
        !WM_ARRAY_ADD(places->items, places->count, places->capacity, place))
        return wm_fail_no_memory(error, "a trace's places of code");
    return WM_OK;
}

const struct wm_core_place *wm_core_place_of(const struct wm_core_places *places, uint32_t number)
{
    return number == 0 || number > places->count ? NULL : &places->items[number - 1];
}

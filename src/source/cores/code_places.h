// The places of code that a trace names (lines `l`, docs/formats/cores.md): numbered from 1, each
// before an access names it. Private to source/cores/.
#ifndef WM_SOURCE_CORES_CODE_PLACES_H
#define WM_SOURCE_CORES_CODE_PLACES_H

#include "base/containers/arena.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { WM_CORE_MOST_PLACES = 1 << 20 }; // of a trace

struct wm_core_place {
    const char *object; // a file's name
    uint64_t offset;    // of the code in it
    const char *file;   // of the source; NULL: not known
    uint32_t line;      // from 1; 0 without a file
};

struct wm_core_places {
    struct wm_arena arena; // of the texts
    struct wm_core_place *items;
    uint32_t count, capacity;
};

// What a line says of a place; the texts are the line's.
struct wm_core_place_line {
    uint64_t number, offset, line;
    const char *object, *file; // the file is NULL where the line has none
    size_t object_length;
};

void wm_core_places_init(struct wm_core_places *places);
void wm_core_places_release(struct wm_core_places *places);
// WM_INVALID for a number that is not the next one, or a line of the source that none has; WM_LIMIT
// for texts that are too long, and too many places; WM_NO_MEMORY.
enum wm_status wm_core_places_add(struct wm_core_places *places,
                                  const struct wm_core_place_line *line, struct wm_error *error);
// NULL for number 0, and one that no place has.
const struct wm_core_place *wm_core_place_of(const struct wm_core_places *places, uint32_t number);

#endif

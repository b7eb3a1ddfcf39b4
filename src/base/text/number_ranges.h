// Lists of whole numbers as people write them: "3", "0-7", "1,4,10-12".
#ifndef WM_BASE_NUMBER_RANGES_H
#define WM_BASE_NUMBER_RANGES_H

#include "base/containers/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_range {
    uint64_t first, last; // both within
};

// In rising order; none at all: everything.
struct wm_ranges {
    const struct wm_range *items;
    uint32_t count;
};

static inline bool wm_ranges_have(const struct wm_ranges *ranges, uint64_t number)
{
    for (uint32_t i = 0; i < ranges->count; i++)
        if (number >= ranges->items[i].first && number <= ranges->items[i].last)
            return true;
    return ranges->count == 0;
}

// The list as ranges, in the arena; NULL gives none. `option` is what errors name ("--launches").
// WM_INVALID: it is no list of numbers in rising order; WM_NO_MEMORY.
enum wm_status wm_ranges_read(const char *text, const char *option, struct wm_arena *arena,
                              struct wm_ranges *ranges, struct wm_error *error);

#endif

// "Did you mean": the known name nearest to a mistyped one.
#ifndef WM_BASE_NEAREST_H
#define WM_BASE_NEAREST_H

#include <stddef.h>

// Edit distance (insertions, deletions, substitutions and swaps of neighbours count one each;
// optimal string alignment) between two names, capped at a length of 63 bytes each: longer ones
// are as far apart as their whole length.
unsigned wm_edit_distance(const char *a, const char *b);

// Keeps the best match while the caller walks its names, wherever they are kept.
struct wm_nearest {
    const char *wanted; // borrowed
    const char *best;   // borrowed from the names offered; NULL while none is near enough
    unsigned distance, distance_with_case; // of the best
};

void wm_nearest_init(struct wm_nearest *nearest, const char *wanted);
// Offers one name. A name is near enough when less than half of the wanted one (and at most three
// edits) has to change, upper and lower case being the same: "V100" is v100, and not a100. Of
// equals the one whose case is nearer is kept, then the first.
void wm_nearest_offer(struct wm_nearest *nearest, const char *name);

#endif

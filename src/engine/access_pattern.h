// How the lanes of accesses lie, and who asked for lines before: what advice rests on beside misses
// (docs/misses.md, "Patterns"). Only where misses are explained, by the walk.
#ifndef WM_ENGINE_ACCESS_PATTERN_H
#define WM_ENGINE_ACCESS_PATTERN_H

#include "base/access.h"
#include "mem/explain/explained.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_access_patterns;

// NULL when out of memory. Some megabytes, whatever the program does.
struct wm_access_patterns *wm_access_patterns_new(void);
void wm_access_patterns_free(struct wm_access_patterns *patterns);

// Who executed an access.
struct wm_access_origin {
    uint64_t block; // counted over all launches
    uint32_t sm, warp;
};

// Counts an access with addresses, to global, local or shared memory, at its instruction.
void wm_access_pattern_count(struct wm_access_patterns *patterns, struct wm_access_origin origin,
                             const struct wm_warp_access *access, struct wm_explained_cause *cause);
// A launch begins: its first load of a line is nobody's again.
void wm_access_patterns_launch(struct wm_access_patterns *patterns);
// Counts the lines that a load asks for. `cause` stays where it is as long as the patterns.
void wm_access_pattern_lines(struct wm_access_patterns *patterns, struct wm_access_origin origin,
                             uint32_t pc, const struct wm_coalesced *lines, uint32_t count,
                             struct wm_explained_cause *cause);

#endif

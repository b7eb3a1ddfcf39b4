// The address patterns of warps' accesses, and which loads requested a line before: what advice
// rests on besides misses (docs/misses.md, "Patterns"). Only where misses are explained.
#ifndef WM_ENGINE_ACCESS_ACCESS_PATTERN_H
#define WM_ENGINE_ACCESS_ACCESS_PATTERN_H

#include "base/access/access.h"
#include "mem/explain/miss_counters.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_access_patterns;

// For one of `parts` that a GPU is simulated in, its SMs each by itself, or 1 for all of it at
// once: the tables are as large together. NULL when out of memory. Some 32 MB for a GPU, whatever
// the program does.
struct wm_access_patterns *wm_access_patterns_new(uint32_t parts);
void wm_access_patterns_free(struct wm_access_patterns *patterns);

// Who executed an access.
struct wm_warp_identity {
    uint64_t block; // counted over all launches
    uint32_t sm, warp;
};

// Counts an access with addresses, to global, local or shared memory, at its instruction.
void wm_access_pattern_count(struct wm_access_patterns *patterns, struct wm_warp_identity origin,
                             const struct wm_warp_access *access,
                             struct wm_instruction_misses *instruction_counters);
// Counts the addresses of an atomic or reduction that another warp of the block came to lately: in
// its last WM_PATTERN_ATOMICS atomics of a warp, which is how many warps a block may have. Those
// are likely to be on their way at a time, whatever the order of warps.
enum { WM_PATTERN_ATOMICS = 32 };
void wm_access_pattern_atomic(struct wm_access_patterns *patterns, struct wm_warp_identity origin,
                              const struct wm_warp_access *access,
                              struct wm_instruction_misses *instruction_counters);
// What is counted from here on is of that launch, by a number that no other has: a launch's first
// load of a line follows none of another launch's. Launches may take turns.
void wm_access_patterns_launch(struct wm_access_patterns *patterns, uint64_t launch);
// Counts the lines of `line_bytes` that a load with addresses requests, as it was coalesced, and
// which warps of its block had requested the bytes of them that its lanes name.
// `instruction_counters` stays where it is as long as the patterns.
void wm_access_pattern_lines(struct wm_access_patterns *patterns, struct wm_warp_identity origin,
                             const struct wm_warp_access *access,
                             const struct wm_line_request *lines, uint32_t count,
                             uint32_t line_bytes,
                             struct wm_instruction_misses *instruction_counters);

#endif

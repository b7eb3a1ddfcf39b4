// The model: a sharing tracker as a list of what it knows (docs/memory-system.md, R12).
#ifndef WM_TESTS_OBVIOUS_TRACKER_H
#define WM_TESTS_OBVIOUS_TRACKER_H

#include "mem/tracker/sharing_tracker.h"

enum { OBVIOUS_HOLDERS = 16, OBVIOUS_ENTRIES = 4096, OBVIOUS_BANKS = 8 };

struct obvious_entry {
    uint64_t line;
    uint32_t holders[OBVIOUS_HOLDERS], count, turn;
};

struct obvious_tracker {
    struct wm_tracker_spec spec;
    uint32_t sharers;                              // most of an entry
    struct obvious_entry entries[OBVIOUS_ENTRIES]; // least recently used first
    uint32_t count;
    struct wm_tracker_counters counters[OBVIOUS_BANKS];
};

void obvious_tracker_init(struct obvious_tracker *tracker, const struct wm_tracker_spec *spec,
                          uint32_t holders);
// As wm_tracker_look_up and the others.
int32_t obvious_tracker_look_up(struct obvious_tracker *tracker, uint64_t line, uint32_t who);
void obvious_tracker_add(struct obvious_tracker *tracker, uint64_t line, uint32_t who);
void obvious_tracker_remove(struct obvious_tracker *tracker, uint64_t line, uint32_t who);
void obvious_tracker_clear(struct obvious_tracker *tracker, uint64_t line);
void obvious_tracker_flush(struct obvious_tracker *tracker);

// NULL when nothing is known of the line.
const struct obvious_entry *obvious_tracker_find(const struct obvious_tracker *tracker,
                                                 uint64_t line);

#endif

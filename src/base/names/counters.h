// Counters are declared once, in a list of X(name, unit, sentence) next to the component that
// counts; the list makes the struct's fields and the declarations that text, JSON, CSV and the
// documentation print from. A component's counters are plain uint64_t fields:
//
//   #define WM_CACHE_COUNTERS(X) X(hits, "accesses", "accesses that found all their bytes")
//   struct wm_cache_counters { WM_CACHE_COUNTERS(WM_COUNTER_FIELD) };
//   static const struct wm_counter_declaration declarations[] = {
//       WM_CACHE_COUNTERS(WM_COUNTER_DECLARATION) };
//
// so a hot path increments a field, and everything else walks them by index.
#ifndef WM_BASE_COUNTERS_H
#define WM_BASE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

struct wm_counter_declaration {
    const char *name;     // stable key in JSON and CSV
    const char *unit;     // "accesses", "bytes", "sectors", "instructions"
    const char *sentence; // what exactly is counted
};

#define WM_COUNTER_FIELD(name, unit, sentence) uint64_t name;
#define WM_COUNTER_DECLARATION(name, unit, sentence) {#name, unit, sentence},

// A kind of component and what it counts ("l1", "l2", "dram", "sm").
struct wm_counter_set {
    const char *kind;
    const char *title; // for people: "L1 data cache"
    const struct wm_counter_declaration *declarations;
    size_t count;
};

enum { WM_COMPONENT_PATH_BYTES = 48 };

// The counters of one component. `path` is its name in the machine, "gpu0.sm[3].l1".
struct wm_component_counters {
    char path[WM_COMPONENT_PATH_BYTES];
    const struct wm_counter_set *set; // borrowed, static
    const uint64_t *values;           // borrowed: set->count values that the component increments
};

// Index of `name` in `set`, or set->count when it is not there.
size_t wm_counter_index(const struct wm_counter_set *set, const char *name);

// The level of the machine that a component is of: its path with every number replaced,
// "gpu0.sm[*].l1" of "gpu0.sm[3].l1".
void wm_counter_level(const char *path, char level[WM_COMPONENT_PATH_BYTES]);

#endif

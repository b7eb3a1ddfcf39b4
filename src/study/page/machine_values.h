// A machine's effective description as a list of keys and values. Private to study/.
#ifndef WM_STUDY_PAGE_MACHINE_VALUES_H
#define WM_STUDY_PAGE_MACHINE_VALUES_H

#include "base/containers/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_machine_value {
    const char *key;   // "gpu.l1.size"
    const char *value; // "48KiB"; of a list its items, comma between them
};

struct wm_machine_values {
    const struct wm_machine_value *values; // in the arena, in the description's order
    uint32_t count;
};

// Reads YAML text: mappings of mappings, with scalars and lists of scalars at their ends.
// WM_INVALID (`error` says what, without a place), WM_NO_MEMORY.
enum wm_status wm_machine_values_read(struct wm_machine_values *values, const char *text,
                                      struct wm_arena *arena, struct wm_error *error);

// The value of a key; NULL when there is none.
const char *wm_machine_values_find(const struct wm_machine_values *values, const char *key);

// Whether the key's value here is another one than there, or is missing there.
bool wm_machine_value_differs(const struct wm_machine_value *value,
                              const struct wm_machine_values *there);

#endif

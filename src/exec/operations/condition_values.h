// What kernels have set for the conditions of graphs (cudaGraphSetConditional), by handle: 1 and
// up.
#ifndef WM_EXEC_CONDITION_VALUES_H
#define WM_EXEC_CONDITION_VALUES_H

#include <stddef.h>
#include <stdint.h>

struct wm_condition_values {
    uint32_t *values; // owned by the maker of the handles
    uint64_t count, room;
};

// Where the value of a handle is, or NULL.
static inline uint32_t *wm_condition_value(const struct wm_condition_values *conditions,
                                           uint64_t handle)
{
    return handle - 1 < conditions->count ? &conditions->values[handle - 1] : NULL;
}

#endif

// The kind "set index": which set of an array a line belongs to.
//
// An entry is a pure function of the line number (byte address divided by the line size, for an L2
// slice with the slice's share of the address divided out first) and the number of sets. It keeps
// no state.
#ifndef WM_MEM_SET_INDEX_SET_INDEX_H
#define WM_MEM_SET_INDEX_SET_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_set_index_ops {
    const char *name;     // key in machine files: "modulo"
    const char *title;    // for people
    const char *source;   // where the function is described
    const char *sentence; // what it does
    const char *sets;     // which set counts it takes, for people: "any number of sets"
    bool (*supports)(uint32_t sets);
    // Below `sets`, for every line number. `line_bytes` is a power of two: functions defined on
    // address bits find them by it.
    uint32_t (*index)(uint64_t line, uint32_t line_bytes, uint32_t sets);
    bool is_modulo; // exactly line % sets: the owner divides inline
};

extern const struct wm_set_index_ops wm_set_index_modulo;
extern const struct wm_set_index_ops wm_set_index_fermi_hash;

const struct wm_set_index_ops *const *wm_set_index_table(size_t *count);
// NULL when there is none of that name.
const struct wm_set_index_ops *wm_set_index_find(const char *name);

#endif

// Names of parts of a program's memory, for reports: variables, and allocations by the call that
// made them. Parts may overlap: what is freed is allocated again, and structs lie in pools.
//
// Thread rules: one thread at a time.
#ifndef WM_BASE_NAMES_MEMORY_NAMES_H
#define WM_BASE_NAMES_MEMORY_NAMES_H

#include "base/containers/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_memory_name {
    uint64_t address, bytes; // at least 1; no part goes beyond the end of the address space
    const char
        *name; // as the linker has it, "_ZL5count", or a text: "cudaMallocManaged #1 (app.cu:12)"
};

struct wm_memory_names {
    struct wm_arena arena;        // owns the names
    struct wm_memory_name *items; // owned; in the order in which they were added
    size_t count, room;
};

// All zero is empty, too.
void wm_memory_names_init(struct wm_memory_names *names);
void wm_memory_names_release(struct wm_memory_names *names);

// Adds a part; the name is copied, `length` bytes of it. One without bytes, without a name, or
// beyond the end of the address space is left out. False without memory.
bool wm_memory_names_add(struct wm_memory_names *names, uint64_t address, uint64_t bytes,
                         const char *name, size_t length);
// The parts that have bytes of these `bytes` from `address` on, in order of their addresses, of
// equal ones as they were added; of parts that are the same one alone. At most `most` are found,
// which is not 0.
size_t wm_memory_names_in(const struct wm_memory_names *names, uint64_t address, uint64_t bytes,
                          const struct wm_memory_name **found, size_t most);

#endif

// The variables of a traced program: what its own objects have in their symbol tables, at the
// addresses where they lie. One of several names for the same bytes is taken.
//
// Thread rules: one thread at a time. Private to host_trace/.
#ifndef WM_HOST_TRACE_VARIABLES_H
#define WM_HOST_TRACE_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_host_variables;

struct wm_host_variable {
    uint64_t address, bytes;
    const char *name; // as the linker has it; the variables'
    bool met;         // wm_host_variables_meet() has found it
};

struct wm_host_variables *wm_host_variables_new(void);            // NULL: no memory
void wm_host_variables_free(struct wm_host_variables *variables); // NULL is allowed

// Those of an object whose code has been moved by `moved`; path "": of the program that this
// process runs. Nothing of the system's libraries, and of an object that cannot be read or has no
// symbols. False: no memory.
bool wm_host_variables_add_object(struct wm_host_variables *variables, uint64_t moved,
                                  const char *path);
// A variable that has bytes of an access and was not met before: it is now. NULL: there is none.
const struct wm_host_variable *wm_host_variables_meet(struct wm_host_variables *variables,
                                                      uint64_t address, uint64_t bytes);
// All of them, in order of their addresses.
const struct wm_host_variable *wm_host_variables_all(const struct wm_host_variables *variables,
                                                     size_t *count);

#endif

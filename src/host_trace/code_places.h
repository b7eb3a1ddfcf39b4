// The places of code that make a traced program's accesses, numbered from 1 in the order in which
// they are seen first, and what there is to say of each.
//
// Thread rules: one thread at a time. Private to host_trace/.
#ifndef WM_HOST_TRACE_CODE_PLACES_H
#define WM_HOST_TRACE_CODE_PLACES_H

#include "base/run/host_threads.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_host_code_places;

struct wm_host_code_places *wm_host_code_places_new(void); // NULL: no memory
void wm_host_code_places_free(struct wm_host_code_places *places);

// An object whose code has been moved by `moved`, at a path that is copied; "": the program that
// this process runs. Others of before stay. False: no memory.
bool wm_host_code_places_add_object(struct wm_host_code_places *places, uint64_t moved,
                                    const char *path);
// The number of the place where a call for an access returns to; `*fresh`: it was not seen before.
// 0 for address 0, and without memory.
uint32_t wm_host_code_places_number(struct wm_host_code_places *places, uint64_t returns_to,
                                    bool *fresh);
// Of a number that was given. What it has is the places'.
struct wm_host_code wm_host_code_place(struct wm_host_code_places *places, uint32_t number);

#endif

// The sets of loads of a profile (load_sets.h) where L1s are of the kind of mem/lru_lanes/: each
// set is a lane. A load gets its sets when its first request comes: until then each holds what it
// would without the load. Loads that a launch does not execute cost nothing.
//
// Private to engine/. Thread rules: one thread at a time.
#ifndef WM_ENGINE_PROFILE_LOAD_LANES_H
#define WM_ENGINE_PROFILE_LOAD_LANES_H

#include "engine/profile/load_profile.h"
#include "mem/system/memory.h"

struct wm_load_lanes;

// NULL, without an error, where L1s are not of that kind. WM_NO_MEMORY.
enum wm_status wm_load_lanes_new(const struct wm_memory_spec *spec, struct wm_load_lanes **lanes,
                                 struct wm_error *error);
void wm_load_lanes_free(struct wm_load_lanes *lanes);

// As those of load_sets.h; `ways` are those that each L1 has in the launch.
enum wm_status wm_load_lanes_begin(struct wm_load_lanes *lanes, const int32_t *load_of,
                                   uint32_t load_count, uint32_t ways, struct wm_error *error);
void wm_load_lanes_serve(struct wm_load_lanes *lanes, const struct wm_request_head *heads,
                         uint32_t count, const struct wm_line_request *lines);
enum wm_status wm_load_lanes_end(struct wm_load_lanes *lanes, struct wm_profiled_kernel *kernel,
                                 struct wm_error *error);

#endif

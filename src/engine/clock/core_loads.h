// How long a CPU core's loads and locked operations take, and what has their data, where misses are
// explained: counted with those of warps (engine/session/load_times.h), in the core's own cycles
// from the dispatch to the data, or, of a locked operation, to its end. Private to engine/clock/.
#ifndef WM_ENGINE_CLOCK_CORE_LOADS_H
#define WM_ENGINE_CLOCK_CORE_LOADS_H

#include "engine/clock/clock_state.h"

#include "cpu/core.h"

struct wm_clock_core_loads;

// Of a core that has been made. WM_NO_MEMORY. Freeing is harmless on NULL.
enum wm_status wm_clock_core_loads_new(const struct wm_core *core,
                                       struct wm_clock_core_loads **loads, struct wm_error *error);
void wm_clock_core_loads_free(struct wm_clock_core_loads *loads);

// A part of the operation that the core knows by `tag` has waited for
// data from there; what counts is the farthest. Stores are not noted.
void wm_clock_core_loads_note(struct wm_clock_core_loads *loads, const struct wm_clock_sm *sm,
                              uint32_t tag, enum wm_server served);
// It has retired. Where it waited for nothing, the core's first level served it; of one that had
// its data from the store buffer that counts, too.
void wm_clock_core_loads_retired(struct wm_clock_core_loads *loads, const struct wm_clock_sm *sm,
                                 uint32_t segment, const struct wm_core_load *load);
// What is under way will not retire. Harmless on NULL.
void wm_clock_core_loads_abandon(struct wm_clock_core_loads *loads);

#endif

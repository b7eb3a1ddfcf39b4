// Races between kernels and the host: where both access the same memory while a kernel runs, what a
// kernel reads, and all that follows from it, depends on how fast the host is, and numbers may
// differ from run to run.
//
// What is observed, in live launches alone: kernels that load or update memory with the scope of
// the system (.sys, .volatile, .mmio: PTX ISA 8.5, "Scope"; a volatile access is a relaxed one of
// that scope), while the program has memory that the host can write too: managed, pinned,
// registered. Kernels use that scope to communicate with the host; one whose launch the host waits
// for before it touches the memory does not need it. Of these kernels all accesses to such memory
// are followed, so that a word that changes between two of them was written by the host: all of the
// device's own writes are in one order.
//
// Thread rules: one thread at a time. Private to engine/session/.
#ifndef WM_ENGINE_SESSION_HOST_DEVICE_RACES_H
#define WM_ENGINE_SESSION_HOST_DEVICE_RACES_H

#include "base/containers/arena.h"
#include "engine/session/results.h"
#include "engine/session/work.h"
#include "exec/memory/device_memory.h"

struct wm_host_device_races;

// `memory` is borrowed. NULL when the host is out of memory.
struct wm_host_device_races *wm_host_device_races_new(const struct wm_device_memory *memory);
void wm_host_device_races_free(struct wm_host_device_races *races);

// Begins to observe a launch: what it returns is driven in place of `inner` until the launch has
// ended; `inner` itself where there is nothing to observe, or `races` is NULL. Several may be
// observed at a time.
struct wm_work *wm_host_device_races_begin(struct wm_host_device_races *races,
                                           struct wm_work *inner);
// Of what wm_host_device_races_begin returned; nothing where `races` is NULL.
void wm_host_device_races_end(struct wm_host_device_races *races, struct wm_work *work);
// Other launches, which may not be observed, have written memory: what words held is not known any
// more. Cheap when nothing is observed.
void wm_host_device_races_forget(struct wm_host_device_races *races);

// Copies what was found into the results' arena. False when the host is out of memory.
bool wm_host_device_races_copy(const struct wm_host_device_races *races,
                               struct wm_results *results);

#endif

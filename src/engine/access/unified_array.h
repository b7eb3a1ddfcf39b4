// An array of each SM that L1 and shared memory divide.
#ifndef WM_ENGINE_ACCESS_UNIFIED_ARRAY_H
#define WM_ENGINE_ACCESS_UNIFIED_ARRAY_H

#include "machine/machine.h"
#include "sm/occupancy.h"

struct wm_memory; // mem/system/memory.h

// Between kernels: what the carve-out leaves of a unified array goes to L1 as ways; the sets stay,
// as in GPGPU-Sim's adaptive L1. `*l1_bytes` is an L1 of the GPU's SMs from here on, 0 without.
// `memory` may be NULL. Fails as wm_memory_resize_l1_on.
enum wm_status wm_divide_unified_array(const struct wm_machine *machine,
                                       const struct wm_occupancy *occupancy,
                                       struct wm_memory *memory, uint32_t gpu, uint64_t *l1_bytes,
                                       struct wm_error *error);

#endif

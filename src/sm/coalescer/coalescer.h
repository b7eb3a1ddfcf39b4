// The coalescer: lane addresses of one warp instruction to line requests, each with the mask of the
// 32-byte sectors it touches. A pure function: requests come out in order of the first lane that
// touches each line, which is the order in which they reach L1.
//
// Loads, stores, atomics and reductions are grouped alike: one request for each line that the warp
// touches. For an atomic this is the traffic of the request; that lanes which name the same word
// are served one after another at L2 costs time, not bytes (sm/conflicts/atomic_conflicts.h).
#ifndef WM_SM_COALESCER_COALESCER_H
#define WM_SM_COALESCER_COALESCER_H

#include "base/access/access.h"

#include <stdint.h>

// Returns the number of requests written to `out`. `line_bytes` is a power of two, 32 to 1024;
// `bytes_per_lane` is 1 to 32. Pure: may be called from any thread.
typedef uint32_t wm_coalesce_function(const struct wm_warp_access *access, uint32_t line_bytes,
                                      struct wm_line_request out[WM_MAX_LINE_REQUESTS]);

// The same for an access without addresses, of which those are at a base and a stride: the usual
// strides without looking at each lane, others by `general`. Pure.
uint32_t wm_coalesce_regular(const struct wm_warp_access *access, uint32_t line_bytes,
                             wm_coalesce_function *general,
                             struct wm_line_request out[WM_MAX_LINE_REQUESTS]);

// The plain C build: the oracle of the others.
wm_coalesce_function wm_coalesce;

// Which bytes of one of the requests that came of `access` its lanes cover: for each sector of the
// line a word, a bit a byte. Not on the hot path: for machines that need it.
void wm_coalesced_bytes(const struct wm_warp_access *access, const struct wm_line_request *request,
                        uint32_t line_bytes, uint32_t bytes[WM_MAX_LINE_SECTORS]);

// Builds of the same function for vector instructions; all give the same answer.
enum wm_coalescer_isa { WM_COALESCER_C, WM_COALESCER_AVX512, WM_COALESCER_ISA_COUNT };

// The build, or NULL when this processor cannot run it.
wm_coalesce_function *wm_coalescer_find(enum wm_coalescer_isa isa);
// The fastest build that this processor runs and WARPMEM_ISA allows (base/host/processor.h).
wm_coalesce_function *wm_coalescer_best(void);
const char *wm_coalescer_isa_name(enum wm_coalescer_isa isa);

#endif

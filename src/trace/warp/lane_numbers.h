// Addresses of an access whose lanes each have one of their own: a string has the difference of
// each from the lane before (docs/formats/recording.md, "Warps"). Private to trace/warp/.
#ifndef WM_TRACE_WARP_LANE_NUMBERS_H
#define WM_TRACE_WARP_LANE_NUMBERS_H

#include "base/access/access.h"
#include "trace/section/bytes.h"

// Reads those of all lanes of `mask`, which is not 0, but the first, whose address is `first`.
// Addresses of other lanes are undefined behind it. False, with nothing taken of `data`, where the
// numbers are to be read one by one: the lanes are few, or numbers missing, or one has more than 8
// bytes.
typedef bool wm_lane_numbers_function(struct wm_cursor *data, uint64_t mask, uint64_t first,
                                      uint64_t addresses[WM_MAX_LANES]);

// For processors with AVX-512 VBMI2 (Ice Lake, Zen 4 and later); NULL on others.
wm_lane_numbers_function *wm_lane_numbers_avx512_find(void);
// The fastest that this processor runs and WARPMEM_ISA allows (base/host/processor.h, looked at
// once), or NULL. Any thread.
wm_lane_numbers_function *wm_lane_numbers_best(void);

#endif

// The coalescer: lane addresses of one warp instruction to line requests, each with the mask of the
// 32-byte sectors it touches. A pure function: requests come out in order of the first lane that
// touches each line, which is the order in which they reach L1.
#ifndef WM_SM_COALESCER_H
#define WM_SM_COALESCER_H

#include "base/access.h"

#include <stdint.h>

// Each lane may touch up to two lines when its element crosses a boundary (it cannot when naturally
// aligned, which the interpreter enforces), so 64 lanes give at most 128 requests.
enum { WM_MAX_COALESCED = 2 * WM_MAX_LANES };

struct wm_coalesced {
    uint64_t line_address;
    uint32_t sectors;      // bit i: 32-byte sector i of the line
    uint32_t full_sectors; // sectors of which every byte is covered
};

// Returns the number of requests written to `out`. `line_bytes` is a power of two, 32 to 1024.
uint32_t wm_coalesce(const struct wm_warp_access *access, uint32_t line_bytes,
                     struct wm_coalesced out[WM_MAX_COALESCED]);

#endif

// A run over time, kept on request under the clock engine: launches, blocks, and what was in use,
// sampled. All cycles are those of the SMs' clock since the run's first launch began.
// Private to engine/.
#ifndef WM_ENGINE_SESSION_TIMELINE_H
#define WM_ENGINE_SESSION_TIMELINE_H

#include "base/names/counters.h"

#include <stdint.h>

// clang-format off
#define WM_SAMPLE_COUNTERS(X)                                                                      \
    X(begin, "cycles", "the cycle in which it begins")                                             \
    X(end, "cycles", "the first cycle that is not in it")                                          \
    X(resident_warps, "warps", "warps of unfinished threads on all SMs at its end")                \
    X(warp_instructions, "warp-instructions", "warp instructions issued in it")                    \
    X(replies, "requests", "requests that L2 answered and SMs received in it")                     \
    X(flits_from_sms, "flits", "flits that SMs sent in it")                                        \
    X(flits_to_sms, "flits", "flits that L2 sent in it")                                           \
    X(dram_bytes_read, "bytes", "bytes that DRAM read in it")                                      \
    X(dram_bytes_written, "bytes", "bytes that were written to DRAM in it")
// clang-format on

struct wm_sample {
    WM_SAMPLE_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_sample_set;

struct wm_timeline_launch {
    uint64_t begin, end;
    uint32_t kernel; // its index among the results' kernels
    uint32_t grid[3];
};

struct wm_timeline_block {
    uint64_t begin, end; // until its place was free again
    uint64_t index;      // of the block in its grid
    uint32_t launch;
    uint32_t sm, place; // among the blocks of the SM
};

struct wm_timeline {
    uint64_t sample_cycles; // a sample is at least as long, but for the last of a launch
    struct wm_sample *samples;
    struct wm_timeline_launch *launches;
    struct wm_timeline_block *blocks; // in order of begin
    uint64_t sample_count, launch_count, block_count;
};

#endif

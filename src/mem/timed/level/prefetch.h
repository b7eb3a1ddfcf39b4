// Prefetchers in time (docs/prefetch.md): what mem/access_path/prefetch_access.h does at once. The
// entry decides which lines it wants and which it holds; here it is known which of these are still
// on their way. A line on its way has a place of the prefetcher's own, and none of the MSHRs, and
// what it is requested by leaves behind all that demands send; a miss that it is supplied to waits
// for it.
//
// Thread rules: as the level's.
#ifndef WM_MEM_TIMED_LEVEL_PREFETCH_H
#define WM_MEM_TIMED_LEVEL_PREFETCH_H

#include "mem/timed/level/level.h"

// clang-format off
#define WM_PREFETCHER_TIMING_COUNTERS(X)                                                           \
    X(late, "requests", "misses that were supplied with a line that was still on its way")         \
    X(refused, "lines", "lines that were not requested: all places for lines on their way were taken")
// clang-format on

struct wm_prefetcher_timing_counters {
    WM_PREFETCHER_TIMING_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_prefetcher_timing_counter_set;

// In a request's token, which is else the MSHR entry that it is for.
enum { WM_PREFETCH_TOKEN = 1 << 30 };

struct wm_prefetched_line {
    uint64_t line;
    uint32_t pending;      // sectors on their way
    uint32_t wanted;       // of these, those that a miss waits for
    uint32_t entry;        // its entry of the MSHR; WM_MSHR_NONE: none does
    struct wm_outbox *out; // borrowed: that they were requested by
};

struct wm_timed_prefetcher {
    uint32_t used; // of `lines`
    struct wm_prefetched_line lines[WM_MOST_PREFETCHES];
    struct wm_prefetcher_timing_counters counters;
};
_Static_assert(WM_MOST_PREFETCHES == 32, "what one miss leads to, and lines on their way");

// WM_NO_MEMORY. free() releases it.
enum wm_status wm_timed_prefetcher_new(struct wm_timed_prefetcher **prefetcher,
                                       struct wm_error *error);
// The level lacks `result->fetch`. Returns whether its prefetcher supplies that: what has come is
// there now, and `result->waits` says whether the access waits for more.
bool wm_timed_prefetcher_supplies(struct wm_timed_level *level, uint64_t cycle,
                                  const struct wm_level_request *request,
                                  struct wm_timed_result *result);
// The request has been served, and has sent all that it sends: lines that the prefetcher wants now
// are requested.
void wm_timed_prefetcher_served(struct wm_timed_level *level, uint64_t cycle,
                                const struct wm_level_request *request);
// A line is written or dropped. Nothing happens where there is no prefetcher.
void wm_timed_prefetcher_dropped(struct wm_timed_level *level, uint64_t line);
// `*sectors` that it requested have come. Returns whether a miss waits for some: these, and its
// entry instead of the token.
bool wm_timed_prefetcher_filled(struct wm_timed_level *level, uint32_t *entry, uint32_t *sectors);

#endif

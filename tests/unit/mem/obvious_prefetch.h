// The model: stream buffers (docs/prefetch.md) as queues of line numbers.
#ifndef WM_TESTS_OBVIOUS_PREFETCH_H
#define WM_TESTS_OBVIOUS_PREFETCH_H

#include "mem/system/memory_spec.h"
#include "mem/system/prefetchers.h"

enum { OBVIOUS_STREAMS = 16 };

struct obvious_stream {
    uint64_t lines[WM_MOST_PREFETCHES];
    bool stale[WM_MOST_PREFETCHES];
    uint32_t count;
};

struct obvious_prefetcher {
    uint32_t stream_count, lines_each;
    const struct wm_level_spec *level;              // borrowed
    uint32_t slice;                                 // its cache's
    struct obvious_stream streams[OBVIOUS_STREAMS]; // the one used last first
    struct wm_prefetcher_counters counters;
};

void obvious_prefetch_init(struct obvious_prefetcher *prefetcher, const struct wm_level_spec *spec,
                           uint32_t slice);
// A miss: whether the line is supplied, and the lines that are requested then.
bool obvious_prefetch_missed(struct obvious_prefetcher *prefetcher, uint64_t line,
                             uint64_t line_bytes, struct obvious_stream *requested);
// The line may not be supplied any more; and nothing may.
void obvious_prefetch_dropped(struct obvious_prefetcher *prefetcher, uint64_t line);
void obvious_prefetch_flush(struct obvious_prefetcher *prefetcher);

#endif

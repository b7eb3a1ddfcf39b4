// A sharing tracker: which L1s hold a line, so that one of them can supply it to the next that
// misses it (docs/memory-system.md, R12; Anssari, "Using hybrid shared and distributed caching for
// mixed- coherency GPU workloads", sections 3.1 and 3.2; Tarjan and Skadron, "The sharing tracker",
// SC 2010). It is a hint: it may know of fewer holders than there are, never of one that holds
// none.
//
// An array of entries, sets by ways, divided into banks by line. An entry names a line and some of
// its holders. Nothing here knows what a cache is; holders are numbers. Private to mem/.
#ifndef WM_MEM_TRACKER_SHARING_TRACKER_H
#define WM_MEM_TRACKER_SHARING_TRACKER_H

#include "base/error.h"
#include "base/names/counters.h"
#include "mem/system/memory_spec.h"

#include <stdbool.h>
#include <stdint.h>

// clang-format off
#define WM_TRACKER_COUNTERS(X)                                                                     \
    X(lookups, "lines", "lines looked up for an L1 that missed them")                             \
    X(hits, "lines", "of them, those that another L1 was known to hold, and supplied")             \
    X(misses, "lines", "of them, the others")                                                      \
    X(remote_sectors, "sectors", "sectors that another L1 supplied")                               \
    X(remote_bytes, "bytes", "the same in bytes")                                                  \
    X(allocations, "entries", "lines that got an entry")                                           \
    X(evictions, "entries", "of them, those that displaced another line's entry")                  \
    X(sharers_added, "sharers", "L1s that were noted as holders")                                  \
    X(sharers_replaced, "sharers", "holders that were forgotten for a newer one")                  \
    X(sharers_refused, "sharers", "holders that were not noted because there was no room")         \
    X(sharers_removed, "sharers", "holders that were removed because they evicted the line")       \
    X(cleared, "entries", "entries removed because the line was written or accessed coherently")   \
    X(flushed, "entries", "entries removed because a kernel started or the host wrote")
// clang-format on

struct wm_tracker_counters {
    WM_TRACKER_COUNTERS(WM_COUNTER_FIELD)
};

struct wm_tracker_entry {
    uint64_t line; // WM_TRACKER_EMPTY: none
    uint64_t used; // when it was last used: the least is displaced
    uint32_t count, next;
};

#define WM_TRACKER_EMPTY UINT64_MAX
enum { WM_TRACKER_NONE = -1 };

struct wm_sharing_tracker {
    uint32_t sets, ways, banks, sharers; // sharers: most of an entry
    bool keeps_first;                    // when there are more: those noted first, not last
    uint64_t clock;
    struct wm_tracker_entry *entries;     // owned; sets × ways
    uint16_t *holders;                    // owned; sharers an entry, longest noted first
    struct wm_tracker_counters *counters; // owned; by bank
};

// Makes an empty one of a spec that has passed wm_memory_spec_check, for at most `holders` (below
// 65536) of them. WM_NO_MEMORY.
enum wm_status wm_tracker_init(struct wm_sharing_tracker *tracker,
                               const struct wm_tracker_spec *spec, uint32_t holders,
                               struct wm_error *error);
// Harmless on zeros.
void wm_tracker_release(struct wm_sharing_tracker *tracker);

// The bank of a line, whose counters the following change.
struct wm_tracker_counters *wm_tracker_counters_of(struct wm_sharing_tracker *tracker,
                                                   uint64_t line);

// A holder of `line`, other than `who`; WM_TRACKER_NONE when none is known. They take turns.
int32_t wm_tracker_look_up(struct wm_sharing_tracker *tracker, uint64_t line, uint32_t who);
// `who` holds the line.
void wm_tracker_add(struct wm_sharing_tracker *tracker, uint64_t line, uint32_t who);
// `who` holds it no more. An entry without holders is freed.
void wm_tracker_remove(struct wm_sharing_tracker *tracker, uint64_t line, uint32_t who);
// The line has no known holder any more; of all lines.
void wm_tracker_clear(struct wm_sharing_tracker *tracker, uint64_t line);
void wm_tracker_flush(struct wm_sharing_tracker *tracker);

// The holders that are known, longest noted first; `*count` of them. Changes nothing; valid until
// the next call.
const uint16_t *wm_tracker_holders(const struct wm_sharing_tracker *tracker, uint64_t line,
                                   uint32_t *count);

#endif

// What a cache of an inclusive level in time keeps of the caches above it (docs/memory-system.md,
// R9): who may hold its lines, as Intel's last-level caches have core-valid bits ("Intel 64 and
// IA-32 Architectures Optimization Reference Manual", on the inclusive L3 of Nehalem), and the
// lines that have left it and wait, in an eviction buffer, until no copy is left above. What was
// dirty there leaves with them. Its node sends invalidations and takes acknowledgements
// (node/invalidations.c).
//
// Thread rules: as the cache's. Private to mem/timed/.
#ifndef WM_MEM_TIMED_LEVEL_RELATIONS_H
#define WM_MEM_TIMED_LEVEL_RELATIONS_H

#include "mem/timed/network/packet.h"
#include "mem/timed/timed_cache.h"

enum { WM_NO_EVICTION = UINT32_MAX };

// A line of the buffer.
struct wm_eviction {
    uint64_t line;
    uint64_t holders;      // may hold copies
    uint64_t awaited;      // of what its invalidations were sent with, what has not come back
    uint32_t came;         // dirty sectors that have
    uint32_t valid, dirty; // of its own, which leave with those
    // It did not leave: a write found no place for it, or dropped it. That goes on below then.
    bool is_write;
    uint32_t forward, full_sectors;
    bool is_used;
    struct wm_packet cause; // whose access that was
};

struct wm_evictions {
    // Owned, by place of a line in the cache: a bit a unit that may hold a copy, or several units
    // where they are more than 64. What has come to a unit by way of a cache between is that one's.
    uint64_t *holders;
    struct wm_eviction *lines; // owned
    uint32_t used, line_room;  // of them
    uint32_t room;             // lines that may wait for a look-up to be done
    bool has_others;           // caches above that are reached past the units: they may hold all
    bool knows_none;           // units have loaded lines that the cache has not taken
    // Of the look-up that is being done: bits of who sent it, if its cache takes the sectors; of
    // those who held the line before; and the line that has left, or WM_NO_EVICTION.
    uint64_t sender, held_by;
    uint32_t opened;
    uint32_t upgrades_follow; // it is not one, and so many come behind it
    // The last line that found no place so, whose access it was, and how many of its upgrades are
    // to come: those caches have lost the line, too.
    uint64_t lost_line, lost_by;
    uint32_t lost_count;
    bool failed; // out of memory
};

// WM_NO_MEMORY.
enum wm_status wm_evictions_init(struct wm_evictions *evictions, const struct wm_cache *cache,
                                 uint32_t room, struct wm_error *error);
void wm_evictions_release(struct wm_evictions *evictions);

// Whether the line waits in the buffer, or it has no room for another.
bool wm_evictions_stall(const struct wm_evictions *evictions, uint64_t line);
// An access to the line is about to be looked up: the packet's.
void wm_evictions_begin(struct wm_evictions *evictions, const struct wm_cache *cache, uint64_t line,
                        uint64_t index_line, const struct wm_packet *packet, uint64_t sender);
// It has been: what left, or as `is_lost` did not get in or was dropped, is in the buffer if there
// may be copies of it, and `result` has nothing of it any more.
void wm_evictions_end(struct wm_evictions *evictions, const struct wm_cache *cache,
                      const struct wm_timed_access *access, bool is_lost,
                      struct wm_timed_result *result);
// The line has been sent to `holder`, who asked for it before the cache may have taken it, for
// another. False: the cache does not have it.
bool wm_evictions_add_holder(struct wm_evictions *evictions, const struct wm_cache *cache,
                             uint64_t line, uint64_t index_line, uint64_t holder);
// A line of which `holders` may have copies; NULL, which evictions->failed remembers, when out of
// memory.
struct wm_eviction *wm_evictions_open(struct wm_evictions *evictions, uint64_t line,
                                      uint64_t holders);

#endif

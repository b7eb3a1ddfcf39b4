// Miss status holding registers (Kroft, "Lockup-free instruction fetch/prefetch cache
// organization", ISCA 1981): the lines of a cache that have sectors on their way, and who waits for
// them. One entry a line; each entry has room for a number of waiters. Or one entry a sector, and
// room for as many waiters of each: the entries of a line's sectors are one here, too.
//
// Thread rules: as the cache's. Private to mem/timed/.
#ifndef WM_MEM_TIMED_MSHR_H
#define WM_MEM_TIMED_MSHR_H

#include "base/access/access.h"
#include "base/error.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_MSHR_NONE = UINT32_MAX };

struct wm_mshr_waiter {
    uint32_t token;   // the owner's
    uint32_t missing; // sectors that it waits for
};

// Of those that an entry has no place for.
struct wm_mshr_overflow_waiter {
    struct wm_mshr_waiter waiter;
    uint32_t next;
};

enum { WM_MSHR_WAITERS = 4 };

// One line of the host's caches: most entries have few waiters.
struct wm_mshr_entry {
    uint64_t line;
    uint32_t pending;     // sectors on their way
    uint32_t first, last; // of its waiters behind `own`, in order
    uint32_t next;        // of its bucket, or of the free ones
    uint32_t place;       // its owner's: where the cache keeps a way for the line; WM_MSHR_NONE
    uint16_t waiters;     // all
    uint8_t own_count;
    bool allocates : 1; // one of them takes a line with the fill
    bool stale : 1;     // its bytes are used by those who wait, and neither kept nor waited for by
                        // others
    bool outdated : 1;  // with a tracker: the line was written meanwhile (level/tracker.h)
    struct wm_mshr_waiter own[WM_MSHR_WAITERS]; // its first waiters, in order
};
_Static_assert(sizeof(struct wm_mshr_entry) == 64, "an entry is one line of the host's caches");

struct wm_mshr {
    uint32_t capacity, merges; // most entries; most waiters of one
    bool of_sectors;           // that is what both count
    uint32_t used;             // lines
    uint32_t sectors;          // on their way
    uint64_t handed;           // sectors that waiters have got so far
    // Owned: as many as there were at once, which of most caches are far from the most that there
    // may be: `capacity`, and wm_mshr_most_waiters.
    struct wm_mshr_entry *entries;
    struct wm_mshr_overflow_waiter *waiters;
    uint32_t entry_room, waiter_room, most_waiters;
    bool failed;       // out of memory: a waiter is lost, or there is no room for ever
    uint32_t *buckets; // owned
    uint32_t bucket_mask;
    // The first of the free ones; behind the last of them are those that were never used, from
    // `fresh` on.
    uint32_t free_entry, fresh_entry, free_waiter, fresh_waiter;
};

// Most waiters of all entries together. A line's sectors may come though they are more than there
// are entries of sectors, while nothing else does.
static inline uint32_t wm_mshr_most_waiters(uint32_t capacity, uint32_t merges, bool of_sectors)
{
    return (of_sectors && capacity < 32 ? 32 : capacity) * merges;
}
// WM_NO_MEMORY.
enum wm_status wm_mshr_init(struct wm_mshr *mshr, uint32_t capacity, uint32_t merges,
                            bool of_sectors, struct wm_error *error);
// Harmless on a zeroed one.
void wm_mshr_release(struct wm_mshr *mshr);

// Lines of one SM differ in their low bits most, those of one slice in higher ones.
static inline uint32_t wm_mshr_bucket(const struct wm_mshr *mshr, uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 40) & mshr->bucket_mask;
}

// The entry of `line`, or NULL. Called for each look-up.
static inline struct wm_mshr_entry *wm_mshr_find(const struct wm_mshr *mshr, uint64_t line)
{
    if (mshr->used == 0)
        return NULL;
    uint32_t at = mshr->buckets[wm_mshr_bucket(mshr, line)];
    while (at != WM_MSHR_NONE && mshr->entries[at].line != line)
        at = mshr->entries[at].next;
    return at != WM_MSHR_NONE ? &mshr->entries[at] : NULL;
}

static inline uint32_t wm_mshr_index(const struct wm_mshr *mshr, const struct wm_mshr_entry *entry)
{
    return (uint32_t)(entry - mshr->entries);
}

// Prefetches what that reads first.
static inline void wm_mshr_host_prefetch_line(const struct wm_mshr *mshr, uint64_t line)
{
    __builtin_prefetch(&mshr->buckets[wm_mshr_bucket(mshr, line)], 1);
}

// Room for more entries. False when out of memory, which mshr->failed remembers.
bool wm_mshr_grow(struct wm_mshr *mshr);
// Whether `sectors` of the line with that entry, NULL when it has none, may come as well. Where it
// has none, entries may move to make room for one.
static inline bool wm_mshr_has_room(struct wm_mshr *mshr, const struct wm_mshr_entry *entry,
                                    uint32_t sectors)
{
    if (mshr->of_sectors && mshr->sectors != 0 &&
        mshr->sectors + wm_count_sectors(sectors) > mshr->capacity)
        return false;
    return entry != NULL || mshr->used < mshr->entry_room ||
           (mshr->used < mshr->capacity && wm_mshr_grow(mshr));
}
// Whether another may wait for `sectors`, some of which may not be on their way yet.
bool wm_mshr_can_merge_each(const struct wm_mshr *mshr, const struct wm_mshr_entry *entry,
                            uint32_t sectors);
static inline bool wm_mshr_can_merge(const struct wm_mshr *mshr, const struct wm_mshr_entry *entry,
                                     uint32_t sectors)
{
    return entry == NULL || entry->waiters < mshr->merges ||
           (mshr->of_sectors && wm_mshr_can_merge_each(mshr, entry, sectors));
}
// A new one for `line`, which has none; there is room, wm_mshr_has_room has said so.
struct wm_mshr_entry *wm_mshr_add(struct wm_mshr *mshr, uint64_t line);
// These sectors of its line are on their way, too; there is room.
static inline void wm_mshr_add_pending(struct wm_mshr *mshr, struct wm_mshr_entry *entry,
                                       uint32_t sectors)
{
    mshr->sectors += wm_count_sectors(sectors & ~entry->pending);
    entry->pending |= sectors;
}
// Behind those that the entry has a place for.
void wm_mshr_merge_overflow(struct wm_mshr *mshr, struct wm_mshr_entry *entry,
                            struct wm_mshr_waiter waiter);
// Another, whose token is below 2^32, waits for sectors of the entry's line that are on their way;
// it may. When out of memory it does not, and mshr->failed says so.
static inline void wm_mshr_merge(struct wm_mshr *mshr, struct wm_mshr_entry *entry, uint64_t token,
                                 uint32_t sectors)
{
    assert(wm_mshr_can_merge(mshr, entry, sectors) && (sectors & ~entry->pending) == 0);
    assert(token <= UINT32_MAX);
    const struct wm_mshr_waiter waiter = {.token = (uint32_t)token, .missing = sectors};
    if (entry->own_count < WM_MSHR_WAITERS && entry->first == WM_MSHR_NONE) {
        entry->own[entry->own_count++] = waiter;
        entry->waiters++;
        return;
    }
    wm_mshr_merge_overflow(mshr, entry, waiter);
}
// Sectors have come. Calls `done` with each waiter that waits for nothing more, in the order in
// which they came, which leaves; an entry with nothing pending has no waiters left and goes.
void wm_mshr_fill(struct wm_mshr *mshr, struct wm_mshr_entry *entry, uint32_t sectors,
                  void (*done)(void *context, uint64_t token), void *context);

#endif

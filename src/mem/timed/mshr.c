#include "mem/timed/mshr.h"

#include "base/containers/array.h"
#include "base/containers/ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BUCKETS = 256, FIRST_ENTRIES = 32, FIRST_WAITERS = 64 };

enum wm_status wm_mshr_init(struct wm_mshr *mshr, uint32_t capacity, uint32_t merges,
                            bool of_sectors, struct wm_error *error)
{
    // As many as find most lines at once and stay in the host's caches: where entries are without
    // limit few are in use.
    uint32_t buckets = wm_ring_length(2 * capacity);
    buckets = buckets < MOST_BUCKETS ? buckets : MOST_BUCKETS;
    uint32_t most = wm_mshr_most_waiters(capacity, merges, of_sectors);
    uint32_t waiters = most < FIRST_WAITERS ? most : FIRST_WAITERS;
    uint32_t entries = capacity < FIRST_ENTRIES ? capacity : FIRST_ENTRIES;
    *mshr = (struct wm_mshr){.capacity = capacity,
                             .merges = merges,
                             .of_sectors = of_sectors,
                             .entry_room = entries,
                             .waiter_room = waiters,
                             .most_waiters = most,
                             .bucket_mask = buckets - 1};
    mshr->entries = aligned_alloc(sizeof *mshr->entries, entries * sizeof *mshr->entries);
    mshr->waiters = malloc(waiters * sizeof *mshr->waiters);
    mshr->buckets = malloc(buckets * sizeof *mshr->buckets);
    if (mshr->entries == NULL || mshr->waiters == NULL || mshr->buckets == NULL) {
        wm_mshr_release(mshr);
        return wm_fail_no_memory(error, "miss status holding registers");
    }
    for (uint32_t i = 0; i < buckets; i++)
        mshr->buckets[i] = WM_MSHR_NONE;
    return WM_OK;
}

void wm_mshr_release(struct wm_mshr *mshr)
{
    free(mshr->entries);
    free(mshr->waiters);
    free(mshr->buckets);
    *mshr = (struct wm_mshr){0};
}

bool wm_mshr_grow(struct wm_mshr *mshr)
{
    uint32_t room = 2 * mshr->entry_room < mshr->capacity ? 2 * mshr->entry_room : mshr->capacity;
    struct wm_mshr_entry *larger = aligned_alloc(sizeof *larger, room * sizeof *larger);
    mshr->failed |= larger == NULL;
    if (larger == NULL)
        return false;
    memcpy(larger, mshr->entries, mshr->entry_room * sizeof *larger);
    free(mshr->entries);
    mshr->entries = larger;
    mshr->entry_room = room;
    return true;
}

bool wm_mshr_can_merge_each(const struct wm_mshr *mshr, const struct wm_mshr_entry *entry,
                            uint32_t sectors)
{
    for (sectors &= entry->pending; sectors != 0; sectors &= sectors - 1) {
        uint32_t sector = sectors & -sectors, waiters = 0;
        for (uint32_t i = 0; i < entry->own_count; i++)
            waiters += (entry->own[i].missing & sector) != 0;
        for (uint32_t at = entry->first; at != WM_MSHR_NONE; at = mshr->waiters[at].next)
            waiters += (mshr->waiters[at].waiter.missing & sector) != 0;
        if (waiters >= mshr->merges)
            return false;
    }
    return true;
}

struct wm_mshr_entry *wm_mshr_add(struct wm_mshr *mshr, uint64_t line)
{
    assert(mshr->used < mshr->entry_room);
    uint32_t index = mshr->free_entry, bucket = wm_mshr_bucket(mshr, line);
    struct wm_mshr_entry *entry = &mshr->entries[index];
    if (index == mshr->fresh_entry)
        entry->next = ++mshr->fresh_entry;
    mshr->free_entry = entry->next;
    mshr->used++;
    entry->line = line; // a waiter's place is written when it comes
    entry->first = entry->last = WM_MSHR_NONE;
    entry->next = mshr->buckets[bucket];
    entry->pending = 0;
    entry->place = WM_MSHR_NONE;
    entry->waiters = entry->own_count = 0;
    entry->allocates = entry->stale = entry->outdated = false;
    mshr->buckets[bucket] = index;
    return entry;
}

static bool grow_waiters(struct wm_mshr *mshr)
{
    uint32_t room = 2 * mshr->waiter_room;
    room = room < mshr->most_waiters ? room : mshr->most_waiters;
    assert(room > mshr->waiter_room);
    bool grown = WM_ARRAY_RESIZE(mshr->waiters, room);
    mshr->failed |= !grown;
    mshr->waiter_room = grown ? room : mshr->waiter_room;
    return grown;
}

void wm_mshr_merge_overflow(struct wm_mshr *mshr, struct wm_mshr_entry *entry,
                            struct wm_mshr_waiter waiter)
{
    uint32_t index = mshr->free_waiter;
    if (__builtin_expect(index == mshr->waiter_room, false) && !grow_waiters(mshr))
        return;
    struct wm_mshr_overflow_waiter *more = &mshr->waiters[index];
    if (index == mshr->fresh_waiter)
        more->next = ++mshr->fresh_waiter;
    mshr->free_waiter = more->next;
    *more = (struct wm_mshr_overflow_waiter){.waiter = waiter, .next = WM_MSHR_NONE};
    *(entry->first == WM_MSHR_NONE ? &entry->first : &mshr->waiters[entry->last].next) = index;
    entry->last = index;
    entry->waiters++;
}

static void remove_entry(struct wm_mshr *mshr, struct wm_mshr_entry *entry)
{
    uint32_t index = wm_mshr_index(mshr, entry);
    uint32_t *link = &mshr->buckets[wm_mshr_bucket(mshr, entry->line)];
    while (*link != index)
        link = &mshr->entries[*link].next;
    *link = entry->next;
    entry->next = mshr->free_entry;
    mshr->free_entry = index;
    mshr->used--;
}

// The waiter gets sectors that have come; true when it waits for nothing more.
static inline bool hand(struct wm_mshr *mshr, struct wm_mshr_waiter *waiter, uint32_t sectors)
{
    mshr->handed += wm_count_sectors(waiter->missing & sectors);
    waiter->missing &= ~sectors;
    return waiter->missing == 0;
}

static void fill_own(struct wm_mshr *mshr, struct wm_mshr_entry *entry, uint32_t sectors,
                     void (*done)(void *context, uint64_t token), void *context)
{
    uint32_t kept = 0, count = entry->own_count;
    for (uint32_t i = 0; i < count; i++) {
        if (!hand(mshr, &entry->own[i], sectors)) {
            entry->own[kept++] = entry->own[i];
            continue;
        }
        entry->waiters--;
        done(context, entry->own[i].token);
    }
    entry->own_count = (uint8_t)kept;
}

static void fill_more(struct wm_mshr *mshr, struct wm_mshr_entry *entry, uint32_t sectors,
                      void (*done)(void *context, uint64_t token), void *context)
{
    uint32_t last = WM_MSHR_NONE, at = entry->first, next;
    entry->first = WM_MSHR_NONE;
    for (; at != WM_MSHR_NONE; at = next) {
        struct wm_mshr_overflow_waiter *more = &mshr->waiters[at];
        next = more->next;
        __builtin_prefetch(&mshr->waiters[next != WM_MSHR_NONE ? next : at], 1);
        if (!hand(mshr, &more->waiter, sectors)) {
            *(last == WM_MSHR_NONE ? &entry->first : &mshr->waiters[last].next) = at;
            more->next = WM_MSHR_NONE;
            last = at;
            continue;
        }
        uint32_t token = more->waiter.token;
        more->next = mshr->free_waiter;
        mshr->free_waiter = at;
        entry->waiters--;
        done(context, token);
    }
    entry->last = last;
}

void wm_mshr_fill(struct wm_mshr *mshr, struct wm_mshr_entry *entry, uint32_t sectors,
                  void (*done)(void *context, uint64_t token), void *context)
{
    mshr->sectors -= wm_count_sectors(entry->pending & sectors);
    entry->pending &= ~sectors;
    if (entry->first != WM_MSHR_NONE)
        __builtin_prefetch(&mshr->waiters[entry->first], 1);
    fill_own(mshr, entry, sectors, done, context);
    if (entry->first != WM_MSHR_NONE)
        fill_more(mshr, entry, sectors, done, context);
    if (entry->pending == 0)
        remove_entry(mshr, entry);
}

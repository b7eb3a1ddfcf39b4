// A cache in time: the array of mem/cache/cache.h, with what is on its way to it. An access finds
// its sectors, waits for some that are on their way (a pending hit), has some fetched, or finds a
// resource used up and has to come again: nothing has changed then.
//
// Sectors that are on their way count as held, as they do in the walk, where they come at once; so
// without overlap both count the same.
//
// Thread rules: one thread at a time. Private to mem/timed/.
#ifndef WM_MEM_TIMED_TIMED_CACHE_H
#define WM_MEM_TIMED_TIMED_CACHE_H

#include "mem/cache/byte_masks.h"
#include "mem/cache/cache.h"
#include "mem/timed/mshr.h"

// Why an access has to come again.
enum wm_stall {
    WM_STALL_NONE,
    WM_STALL_MSHR,  // no entry is free
    WM_STALL_MERGE, // its line's entry has no room for another waiter
    WM_STALL_WAY,   // all ways of its set wait for their bytes
    WM_STALL_QUEUE, // its request below has no room
    WM_STALL_BANK,  // a bank or a port that it needs serves another access
    WM_STALL_PAGE,  // a translation is not known yet
    WM_STALLS,
};

extern const char *const wm_stall_names[WM_STALLS]; // for people

// clang-format off
// Of the maker of requests, which come again: one a reason of enum wm_stall, in that order.
#define WM_STALL_COUNTERS(X)                                                                       \
    X(stalled_mshr, "cycles", "cycles in which a request waited for a free MSHR entry")            \
    X(stalled_merge, "cycles", "cycles in which a request waited for room in its line's entry")    \
    X(stalled_way, "cycles", "cycles in which a request waited because its set had no way that may be displaced") \
    X(stalled_queue, "cycles", "cycles in which a request waited for room in the queue below")
// Of a load/store unit, behind those.
#define WM_UNIT_STALL_COUNTERS(X)                                                                  \
    X(stalled_bank, "cycles", "cycles in which a request waited for a bank or a port of its cache") \
    X(stalled_page, "cycles", "cycles in which requests waited for their pages' translations")

#define WM_TIMED_CACHE_COUNTERS(X)                                                                 \
    X(pending_hits, "sectors", "of the hits, those whose sectors were still on their way")         \
    X(mshr_lines, "lines", "lines that began to have bytes on their way")
// clang-format on

struct wm_stall_counters {
    WM_STALL_COUNTERS(WM_COUNTER_FIELD)
    WM_UNIT_STALL_COUNTERS(WM_COUNTER_FIELD)
};

struct wm_timed_cache_counters {
    WM_TIMED_CACHE_COUNTERS(WM_COUNTER_FIELD)
    struct wm_stall_counters stalls; // 0 where the requests' maker counts them: of L1
};

// Counts `cycles` in which a request waited for that reason.
static inline void wm_stall_count(struct wm_stall_counters *stalls, enum wm_stall reason,
                                  uint64_t cycles)
{
    (&stalls->stalled_mshr)[reason - WM_STALL_MSHR] += cycles;
}

struct wm_timed_steps;

struct wm_timed_cache {
    const struct wm_timed_steps *steps; // of this processor
    struct wm_cache *cache;             // borrowed; its lines keep their ways (mem/cache/pins.h)
    bool allocates_on_fill;  // loads take a line when their bytes come; else when they miss
    bool upgrades;           // what a write takes without a fetch, the level below answers for, too
    bool bypasses_when_full; // loads that may displace no line are the owner's; else they come
                             // again
    struct wm_mshr mshr;
    struct wm_timed_cache_counters counters;
};

struct wm_timed_access {
    uint64_t line, index_line;
    uint64_t token; // completed when what it waits for has come
    uint32_t sectors, full_sectors;
    enum wm_cache_client client;
    bool allocate;
    bool queue_has_room;                 // for all that it may send there
    const struct wm_write_mask *written; // by a store, of a cache with byte masks, or NULL
    struct wm_requester requester;
};

struct wm_timed_result {
    enum wm_stall stall;
    bool waits;                    // its token is completed later
    bool must_bypass;              // a load that nothing was done for: the owner sends it past
    uint32_t entry;                // of the MSHR, where `fetch` or `upgrade` is not 0 or it waits
    uint32_t missing;              // as wm_cache_result's; pending sectors are not
    uint32_t fetch, forward;       // likewise
    uint32_t whole;                // likewise, of a store
    uint32_t upgrade;              // sectors to be answered for without their bytes
    struct wm_cache_victim victim; // likewise
};

// Makes `cache`, empty, a timed one. WM_NO_MEMORY.
enum wm_status wm_timed_cache_init(struct wm_timed_cache *timed, struct wm_cache *cache,
                                   const struct wm_cache_timing *timing, bool allocates_on_fill,
                                   struct wm_error *error);
void wm_timed_cache_release(struct wm_timed_cache *timed);

// `token` is completed when those of `sectors` that are on their way have come; nothing is looked
// up, or counted. `*waits`: there are some.
enum wm_stall wm_timed_cache_wait(struct wm_timed_cache *timed, uint64_t line, uint32_t sectors,
                                  uint64_t token, bool *waits);

// A build of what follows for one width of the host's vectors (timed_cache_steps.c).
struct wm_timed_steps {
    struct wm_timed_result (*read)(struct wm_timed_cache *timed,
                                   const struct wm_timed_access *access);
    struct wm_timed_result (*write)(struct wm_timed_cache *timed,
                                    const struct wm_timed_access *access);
    void (*fill)(struct wm_timed_cache *timed, uint32_t entry, uint64_t line, uint64_t index_line,
                 uint32_t sectors, const struct wm_requester *requester,
                 void (*done)(void *context, uint64_t token), void *context,
                 struct wm_cache_victim *victim);
    void (*host_prefetch)(const struct wm_timed_cache *timed, uint64_t line, uint64_t index_line);
};
extern const struct wm_timed_steps wm_timed_steps_plain, wm_timed_steps_avx2, wm_timed_steps_avx512;
// Those that this processor can run, plainest first; `*count` of them.
const struct wm_timed_steps *const *wm_timed_steps_available(size_t *count);

static inline struct wm_timed_result wm_timed_cache_read(struct wm_timed_cache *timed,
                                                         const struct wm_timed_access *access)
{
    return timed->steps->read(timed, access);
}

// A store waits for nothing; an atomic waits until all its sectors are there.
static inline struct wm_timed_result wm_timed_cache_write(struct wm_timed_cache *timed,
                                                          const struct wm_timed_access *access)
{
    return timed->steps->write(timed, access);
}

// Either, as access->client says. (Returned as it comes: a copy would wait for what it copies.)
static inline struct wm_timed_result wm_timed_cache_access(struct wm_timed_cache *timed,
                                                           const struct wm_timed_access *access)
{
    if (access->client == WM_CACHE_LOAD)
        return wm_timed_cache_read(timed, access);
    return wm_timed_cache_write(timed, access);
}

// Sectors of `line` that were fetched have come, for the first requester. `victim` is what they
// displaced, of a cache that allocates on fill; `index_line` says where, and is of no matter to
// others. `entry` is the one that they were fetched for (wm_timed_result), or WM_MSHR_NONE where it
// was not kept.
static inline void wm_timed_cache_fill(struct wm_timed_cache *timed, uint32_t entry, uint64_t line,
                                       uint64_t index_line, uint32_t sectors,
                                       const struct wm_requester *requester,
                                       void (*done)(void *context, uint64_t token), void *context,
                                       struct wm_cache_victim *victim)
{
    timed->steps->fill(timed, entry, line, index_line, sectors, requester, done, context, victim);
}

// Prefetches what a look-up to come will read first.
static inline void wm_timed_cache_host_prefetch(const struct wm_timed_cache *timed, uint64_t line,
                                                uint64_t index_line)
{
    timed->steps->host_prefetch(timed, line, index_line);
}

static inline bool wm_timed_cache_is_idle(const struct wm_timed_cache *timed)
{
    return timed->mshr.used == 0;
}

#endif

// What a prefetcher of a level is given, and what it wants: the same in the walk and in time.
// Private to mem/.
#ifndef WM_MEM_SYSTEM_PREFETCH_EVENTS_H
#define WM_MEM_SYSTEM_PREFETCH_EVENTS_H

#include "mem/system/memory_state.h"

// Of a cache of a level, by numbers of lines of memory; the entry's are those of lines that the
// cache may hold, of a slice without those of others between them. First: the cache lacks sectors
// of a line, for `who`. Returns whether its prefetcher hands the line over; what that wants now is
// wanted until it has been requested.
bool wm_prefetchers_missed(const struct wm_cache_level *level, const struct wm_cache *cache,
                           uint64_t line, const struct wm_requester *who);
// Lines that it wants, behind all else that the miss sends: the caller requests them and sets the
// count to 0.
struct wm_prefetch_answer *wm_prefetchers_wanted(const struct wm_cache_level *level,
                                                 const struct wm_cache *cache);
// One of them is requested, whole; or there is no room for it, and it will not come.
void wm_prefetchers_requested(const struct wm_cache_level *level, struct wm_cache *cache);
void wm_prefetchers_refused(const struct wm_cache_level *level, const struct wm_cache *cache,
                            uint64_t line);
// A line is written or dropped. Nothing happens where there are none, or the line is another
// slice's.
void wm_prefetchers_dropped(const struct wm_cache_level *level, const struct wm_cache *cache,
                            uint64_t line);

// Of a coherent level, whose cache itself has what is prefetched. A line was missed, or is used
// that the prefetcher wanted: for the first time since, `brought` or already there. A line comes
// for the prefetcher. And one that it wanted leaves the cache unused.
void wm_prefetchers_noticed(const struct wm_cache_level *level, const struct wm_cache *cache,
                            uint64_t line, const struct wm_requester *who, bool brought);
void wm_prefetchers_filled(const struct wm_cache_level *level, const struct wm_cache *cache);
void wm_prefetchers_left(const struct wm_cache_level *level, const struct wm_cache *cache,
                         uint64_t line, bool brought);

#endif

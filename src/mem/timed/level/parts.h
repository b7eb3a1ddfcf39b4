// Parts of a level in time that not all have, for level.c, which calls them where the level has
// them: its victim cache, the sharing tracker, what explains its misses. Private to
// mem/timed/level/.
#ifndef WM_MEM_TIMED_LEVEL_PARTS_H
#define WM_MEM_TIMED_LEVEL_PARTS_H

#include "mem/system/memory_state.h"
#include "mem/system/relations.h"
#include "mem/timed/level/level.h"
#include "mem/timed/level/relations.h"
#include "mem/timed/level/tracker.h"

// What an access passes the level's upper side with.
static inline void wm_timed_level_count_bytes(struct wm_timed_level *level,
                                              const struct wm_timed_access *access)
{
    uint64_t bytes = wm_sector_bytes(access->sectors);
    struct wm_cache_counters *counters = &level->timed.cache->counters;
    *(access->client == WM_CACHE_LOAD ? &counters->bytes_to_above : &counters->bytes_from_above) +=
        bytes;
    if (access->client == WM_CACHE_ATOMIC && access->requester.kind == WM_ACCESS_ATOMIC)
        counters->bytes_to_above += bytes;
}

// level.c. A look-up in the level's own array alone, whose victim cache does not have the line.
enum wm_stall wm_timed_level_look_up_array(struct wm_timed_level *level, uint64_t cycle,
                                           struct wm_level_request *request,
                                           struct wm_level_outcome *outcome);

// victims.c (docs/memory-system.md, R7). The look-up of a level with a victim cache: a line that
// only that has goes to the level's cache first. What the cache displaced enters, and `*victim` is
// what leaves in turn. And more sectors come of a line that was displaced meanwhile: it goes back
// first. Lines on their way keep their ways, and do not pass to it.
enum wm_stall wm_timed_level_look_up_with_victims(struct wm_timed_level *level, uint64_t cycle,
                                                  struct wm_level_request *request,
                                                  struct wm_level_outcome *outcome);
void wm_timed_level_keep_victim(struct wm_timed_level *level,
                                const struct wm_level_request *request,
                                const struct wm_requester *who, struct wm_cache_victim *victim);
void wm_timed_level_bring_back(struct wm_timed_level *level, uint64_t cycle, uint64_t line,
                               const struct wm_level_request *request,
                               const struct wm_requester *who);

// exclusion.c (R9). Of a level above an exclusive one: what `from` has lost goes there, clean
// sectors too; so does a copy, before an access around it; and sectors that have come from there
// are dirty. And of an exclusive one: what a cache above loads, but for `missing`, leaves it.
void wm_timed_level_move_down(struct wm_timed_level *level, uint64_t cycle, struct wm_cache *from,
                              const struct wm_level_request *request,
                              const struct wm_requester *who, const struct wm_cache_victim *victim);
void wm_timed_level_move_copy_down(struct wm_timed_level *level, uint64_t cycle,
                                   struct wm_cache *holder, uint64_t index_line,
                                   const struct wm_level_request *request);
void wm_timed_level_mark_dirty(struct wm_timed_level *level, uint64_t cycle, uint64_t line,
                               uint64_t index_line, uint32_t dirty,
                               const struct wm_level_request *request,
                               const struct wm_requester *who);
void wm_timed_level_give_away(struct wm_timed_level *level, uint64_t cycle,
                              const struct wm_level_request *request, uint32_t missing,
                              struct wm_level_outcome *outcome);

// explain.c (docs/misses.md, "In time"). A look-up has been served; a fill of `line` is about to be
// done, and takes its way now or does not; and has been done.
void wm_timed_level_explain(const struct wm_timed_level *level,
                            const struct wm_level_request *request,
                            const struct wm_timed_result *result);
bool wm_timed_level_takes_now(const struct wm_timed_level *level, uint64_t line);
void wm_timed_level_explain_fill(const struct wm_timed_level *level, bool takes, uint64_t line,
                                 uint32_t sectors, const struct wm_cache_victim *victim,
                                 const struct wm_request *request);

#endif

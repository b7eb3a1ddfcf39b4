#include "mem/timed/level/relations.h"

#include "base/containers/array.h"
#include "mem/cache/inline_access.h"

#include <assert.h>
#include <stdlib.h>

enum wm_status wm_evictions_init(struct wm_evictions *evictions, const struct wm_cache *cache,
                                 uint32_t room, struct wm_error *error)
{
    *evictions =
        (struct wm_evictions){.room = room, .opened = WM_NO_EVICTION, .lost_line = WM_CACHE_EMPTY};
    return WM_ARRAY_NEW(evictions->holders, (size_t)cache->sets * cache->stride, error,
                        "who holds the lines of an inclusive cache");
}

void wm_evictions_release(struct wm_evictions *evictions)
{
    free(evictions->holders);
    free(evictions->lines);
}

bool wm_evictions_stall(const struct wm_evictions *evictions, uint64_t line)
{
    uint32_t seen = 0;
    if (evictions->used >= evictions->room)
        return true;
    for (uint32_t i = 0; seen < evictions->used; i++) {
        const struct wm_eviction *at = &evictions->lines[i];
        if (at->is_used && at->line == line)
            return true;
        seen += at->is_used;
    }
    return false;
}

// Where the cache has the line; NULL: nowhere.
static uint64_t *holders_of(const struct wm_evictions *evictions, const struct wm_cache *cache,
                            uint64_t line, uint64_t index_line)
{
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    return way >= 0 ? &evictions->holders[(size_t)set * cache->stride + (uint32_t)way] : NULL;
}

void wm_evictions_begin(struct wm_evictions *evictions, const struct wm_cache *cache, uint64_t line,
                        uint64_t index_line, const struct wm_packet *packet, uint64_t sender)
{
    const uint64_t *holders = holders_of(evictions, cache, line, index_line);
    evictions->held_by = holders != NULL ? *holders : 0;
    evictions->sender = sender;
    evictions->upgrades_follow = packet->client != WM_PACKET_UPGRADE ? packet->takes_over : 0;
    evictions->opened = WM_NO_EVICTION;
}

bool wm_evictions_add_holder(struct wm_evictions *evictions, const struct wm_cache *cache,
                             uint64_t line, uint64_t index_line, uint64_t holder)
{
    uint64_t *holders = holders_of(evictions, cache, line, index_line);
    if (holders != NULL)
        *holders |= holder;
    return holders != NULL;
}

struct wm_eviction *wm_evictions_open(struct wm_evictions *evictions, uint64_t line,
                                      uint64_t holders)
{
    uint32_t at = 0;
    while (at < evictions->line_room && evictions->lines[at].is_used)
        at++;
    if (at == evictions->line_room) {
        evictions->failed |= !WM_ARRAY_RESERVE(evictions->lines, at, evictions->line_room, 1);
        if (evictions->failed)
            return NULL;
        for (uint32_t i = at; i < evictions->line_room; i++)
            evictions->lines[i].is_used = false;
    }
    evictions->lines[at] = (struct wm_eviction){.line = line, .holders = holders, .is_used = true};
    evictions->used++;
    evictions->opened = at;
    return &evictions->lines[at];
}

void wm_evictions_end(struct wm_evictions *evictions, const struct wm_cache *cache,
                      const struct wm_timed_access *access, bool is_lost,
                      struct wm_timed_result *result)
{
    uint64_t *holders = holders_of(evictions, cache, access->line, access->index_line);
    struct wm_cache_victim *victim = &result->victim;
    uint64_t line = is_lost ? access->line : victim->line, copies = 0;
    if (is_lost)
        copies = evictions->held_by | evictions->sender;
    else if (victim->evicted)
        copies = *holders; // of the line that had that place
    if (evictions->knows_none)
        copies = UINT64_MAX;
    if (victim->evicted)
        *holders = 0;
    if (holders != NULL)
        *holders |= evictions->sender;
    if ((is_lost || victim->refused) && evictions->upgrades_follow != 0) {
        evictions->lost_line = access->line;
        evictions->lost_count = evictions->upgrades_follow;
        evictions->lost_by = evictions->sender;
    }
    if ((!is_lost && !victim->evicted) || (copies == 0 && !evictions->has_others))
        return;
    struct wm_eviction *opened = wm_evictions_open(evictions, line, copies);
    if (opened == NULL)
        return;
    opened->is_write = is_lost;
    opened->valid = victim->valid;
    opened->dirty = victim->dirty;
    opened->forward = is_lost ? result->forward : 0;
    opened->full_sectors = access->full_sectors;
    result->forward = is_lost ? 0 : result->forward;
    victim->dirty = victim->valid = 0;
}

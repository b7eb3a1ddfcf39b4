#include "mem/cache/dirty_limit.h"

#include "mem/cache/pins.h"
#include "mem/system/memory_components.h"

#include <stdlib.h>

static const struct wm_counter_declaration declarations[] = {
    WM_DIRTY_LIMIT_COUNTERS(WM_COUNTER_DECLARATION)};
const struct wm_counter_set wm_dirty_limit_counter_set = {
    .kind = "dirty_limit",
    .title = "limit of dirty sectors",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

struct wm_dirty_limit *wm_dirty_limit_new(const struct wm_cache *cache, uint64_t most_sectors)
{
    uint32_t slots = cache->sets * cache->stride;
    struct wm_dirty_limit *limit =
        calloc(1, sizeof *limit + ((size_t)slots + 1) * sizeof *limit->links);
    if (limit == NULL)
        return NULL;
    limit->most = most_sectors;
    limit->end = slots;
    wm_dirty_limit_clear(limit);
    return limit;
}

void wm_dirty_limit_clear(struct wm_dirty_limit *limit)
{
    limit->sectors = 0;
    limit->links[limit->end] = (struct wm_dirty_link){limit->end, limit->end};
}

static void join(struct wm_dirty_limit *limit, uint32_t slot, uint32_t next)
{
    limit->links[slot].next = next;
    limit->links[next].previous = slot;
}

void wm_dirty_limit_note(struct wm_cache *cache, uint64_t slot, uint32_t dirty)
{
    struct wm_dirty_limit *limit = cache->dirty_limit;
    uint32_t was = wm_cache_line_at(cache, slot).dirty, at = (uint32_t)slot;
    limit->sectors += wm_count_sectors(dirty);
    limit->sectors -= wm_count_sectors(was);
    if (was == 0 && dirty != 0) {
        join(limit, limit->links[limit->end].previous, at);
        join(limit, at, limit->end);
    } else if (was != 0 && dirty == 0) {
        join(limit, limit->links[at].previous, limit->links[at].next);
    }
}

static bool waits_for_bytes(const struct wm_cache *cache, uint32_t slot)
{
    return cache->pins != NULL &&
           wm_cache_is_pinned(cache, slot / cache->stride, slot % cache->stride);
}

bool wm_cache_clean_oldest(struct wm_cache *cache, uint64_t written, struct wm_cache_victim *left)
{
    struct wm_dirty_limit *limit = cache->dirty_limit;
    if (limit->sectors <= limit->most)
        return false;
    uint32_t slot = limit->links[limit->end].next;
    while (slot != limit->end && (cache->tags[slot] == written || waits_for_bytes(cache, slot)))
        slot = limit->links[slot].next;
    if (slot == limit->end)
        return false;
    struct wm_cache_line held = wm_cache_line_at(cache, slot);
    *left = (struct wm_cache_victim){.line = cache->tags[slot], .dirty = held.dirty};
    held.dirty = 0;
    wm_cache_set_line(cache, slot, held);
    cache->counters.write_backs++;
    limit->counters.cleaned++;
    limit->counters.cleaned_sectors += wm_count_sectors(left->dirty);
    return true;
}

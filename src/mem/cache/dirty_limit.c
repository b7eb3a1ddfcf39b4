#include "mem/cache/dirty_limit.h"

#include "mem/system/memory_components.h"

#include <stdlib.h>
#include <string.h>

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
    // A quarter more than it has lines: compacting, which looks at all entries, drops so many.
    uint64_t lines = (uint64_t)cache->sets * cache->ways, room = 4, row = 1;
    while (room <= lines + lines / 4)
        room *= 2;
    while (row * 2 <= cache->ways)
        row *= 2;
    size_t bytes = sizeof(struct wm_dirty_limit) + room * sizeof(struct wm_dirty_entry) +
                   cache->sets * row * sizeof(uint32_t);
    bytes = (bytes + 63) / 64 * 64;
    struct wm_dirty_limit *limit = aligned_alloc(64, bytes);
    if (limit == NULL)
        return NULL;
    memset(limit, 0, bytes);
    limit->most = most_sectors;
    limit->mask = (uint32_t)(room - 1);
    limit->row = (uint32_t)row;
    limit->latest = (uint32_t *)(void *)(limit->entries + room);
    return limit;
}

void wm_dirty_limit_clear(struct wm_dirty_limit *limit)
{
    limit->sectors = limit->lines = 0;
    limit->first = limit->end;
}

void wm_dirty_limit_note(struct wm_cache *cache, uint64_t slot, uint32_t dirty)
{
    wm_dirty_limit_change(cache, (uint32_t)slot / cache->stride, cache->tags[slot],
                          wm_cache_line_at(cache, slot).dirty, dirty);
}

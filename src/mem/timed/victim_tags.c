#include "mem/timed/victim_tags.h"

#include "mem/cache/inline_access.h"

#include <stdlib.h>
#include <string.h>

enum wm_status wm_victim_tags_init(struct wm_victim_tags *tags, uint32_t warps, uint32_t entries,
                                   uint32_t ways, struct wm_error *error)
{
    *tags = (struct wm_victim_tags){.warps = warps, .sets = entries / ways, .ways = ways};
    tags->lines = calloc((size_t)warps * entries, sizeof *tags->lines);
    return tags->lines != NULL ? WM_OK : wm_fail_no_memory(error, "victim tags");
}

void wm_victim_tags_release(struct wm_victim_tags *tags)
{
    free(tags->lines);
    free(tags->brought);
    *tags = (struct wm_victim_tags){0};
}

enum wm_status wm_victim_tags_begin(struct wm_victim_tags *tags, const struct wm_cache *cache,
                                    struct wm_error *error)
{
    size_t room = (size_t)cache->sets * cache->stride;
    size_t entries = (size_t)tags->warps * tags->sets * tags->ways;
    if (room != tags->brought_room) {
        free(tags->brought);
        tags->brought = malloc(room * sizeof *tags->brought);
        tags->brought_room = tags->brought != NULL ? room : 0;
        if (tags->brought == NULL)
            return wm_fail_no_memory(error, "victim tags");
    }
    for (size_t i = 0; i < room; i++)
        tags->brought[i] = (struct wm_line_owner){.line = WM_CACHE_EMPTY};
    for (size_t i = 0; i < entries; i++)
        tags->lines[i] = WM_CACHE_EMPTY;
    tags->found = false;
    return WM_OK;
}

static uint64_t *row_of(struct wm_victim_tags *tags, uint32_t warp, uint64_t line)
{
    return tags->lines + ((size_t)warp * tags->sets + line % tags->sets) * tags->ways;
}

void wm_victim_tags_insert(struct wm_victim_tags *tags, uint32_t warp, uint64_t line)
{
    uint64_t *row = row_of(tags, warp, line);
    wm_victim_tags_hit(tags, warp, line);
    memmove(row + 1, row, (tags->ways - 1) * sizeof *row);
    row[0] = line;
}

bool wm_victim_tags_hit(struct wm_victim_tags *tags, uint32_t warp, uint64_t line)
{
    uint64_t *row = row_of(tags, warp, line);
    for (uint32_t i = 0; i < tags->ways; i++) {
        if (row[i] != line)
            continue;
        memmove(row + i, row + i + 1, (tags->ways - 1 - i) * sizeof *row);
        row[tags->ways - 1] = WM_CACHE_EMPTY;
        return true;
    }
    return false;
}

void wm_victim_tags_filled(struct wm_victim_tags *tags, const struct wm_cache *cache, uint32_t warp,
                           uint64_t line, const struct wm_cache_victim *victim)
{
    uint32_t set = wm_cache_set_of(cache, line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    if (way < 0)
        return;
    struct wm_line_owner *here = &tags->brought[(size_t)set * cache->stride + (uint32_t)way];
    if (here->line == line)
        return;
    if (victim->valid != 0 && here->line == victim->line)
        wm_victim_tags_insert(tags, here->warp, here->line);
    *here = (struct wm_line_owner){.line = line, .warp = warp};
}

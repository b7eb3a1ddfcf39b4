// On which SM each block of the counted launches ran, kept on request: two bytes a block.
#include "base/containers/array.h"
#include "engine/session/session_state.h"

#include <stdlib.h>

// A launch whose map cannot be kept runs all the same; the results then say that memory was short.
void wm_block_maps_begin(struct wm_session *session, struct wm_launch_state *run)
{
    struct wm_block_maps *maps = &session->block_maps;
    const struct wm_kernel_record *record = session->launched;
    if (!session->options.block_map || record->not_counted || maps->failed)
        return;
    struct wm_block_map *map = WM_ARRAY_PUSH(maps->items, maps->count, maps->room);
    uint16_t *sms = NULL;
    if (map == NULL || !WM_ARRAY_RESIZE(sms, run->block_count)) {
        maps->failed = true;
        maps->count -= map != NULL;
        return;
    }
    for (uint64_t i = 0; i < run->block_count; i++)
        sms[i] = WM_BLOCK_NOT_PLACED;
    *map = (struct wm_block_map){.launch = session->launches - 1,
                                 .kernel = record->number,
                                 .count = run->block_count,
                                 .sms = sms};
    memcpy(map->grid, run->work->grid, sizeof map->grid);
    run->block_sms = sms;
}

void wm_block_maps_release(struct wm_block_maps *maps)
{
    for (uint64_t i = 0; i < maps->count; i++)
        free((void *)(uintptr_t)maps->items[i].sms);
    free(maps->items);
    *maps = (struct wm_block_maps){0};
}

bool wm_block_maps_copy(const struct wm_session *session, struct wm_results *results)
{
    const struct wm_session *owner =
        session->gives_blocks != NULL ? session->gives_blocks : session;
    const struct wm_block_maps *maps = &owner->block_maps;
    if (!session->options.block_map)
        return true;
    struct wm_block_map *copies = WM_ARENA_ARRAY(&results->arena, struct wm_block_map, maps->count);
    if (maps->failed || copies == NULL)
        return false;
    for (uint64_t i = 0; i < maps->count; i++) {
        const struct wm_block_map *map = &maps->items[i];
        uint16_t *sms = WM_ARENA_ARRAY(&results->arena, uint16_t, map->count);
        if (sms == NULL)
            return false;
        memcpy(sms, map->sms, map->count * sizeof *sms);
        copies[i] = *map;
        copies[i].sms = sms;
    }
    results->has_block_maps = true;
    results->block_maps = copies;
    results->block_map_count = maps->count;
    return true;
}

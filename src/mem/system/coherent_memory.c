#include "mem/system/coherent_memory.h"

#include "base/containers/array.h"

#include <stdlib.h>

static enum wm_status init_cache(struct wm_coherent_cache *coherent, const struct wm_cache *cache,
                                 bool prefetches, struct wm_error *error)
{
    size_t slots = (size_t)cache->sets * cache->stride;
    WM_TRY(WM_ARRAY_NEW(coherent->lines, slots, error, "the states of %zu coherent lines", slots));
    WM_TRY(WM_ARRAY_NEW(coherent->taken, slots, error, "the states of %zu coherent lines", slots));
    if (prefetches)
        WM_TRY(WM_ARRAY_NEW(coherent->prefetched, slots, error, "the states of %zu coherent lines",
                            slots));
    for (size_t i = 0; i < slots; i++)
        coherent->taken[i] = WM_CACHE_EMPTY;
    coherent->leaving = WM_CACHE_EMPTY;
    return WM_OK;
}

static enum wm_status init_level(struct wm_memory *memory, uint32_t number, struct wm_error *error)
{
    const struct wm_cache_level *level = &memory->levels[number];
    struct wm_coherent_cache **caches = &memory->coherent->caches[number];
    bool prefetches = level->prefetchers.ops != NULL;
    memory->coherent->prefetches |= prefetches;
    WM_TRY(WM_ARRAY_NEW(*caches, level->count, error, "the caches of a coherent level"));
    for (uint32_t i = 0; i < level->count; i++)
        WM_TRY(init_cache(&(*caches)[i], &level->caches[i], prefetches, error));
    return WM_OK;
}

// What the last-level caches can hold, and a line that each of them evicts.
static enum wm_status init_directory(struct wm_memory *memory, struct wm_error *error)
{
    uint64_t lines = 1;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_cache_level *level = &memory->levels[i];
        if (!wm_level_is_coherent(&memory->spec, i) || level->below != NULL)
            continue;
        // In time as many are evicted at once as are fetched.
        uint64_t evictions = memory->spec.levels[i].timing.mshr_entries + UINT64_C(1);
        lines += level->count * ((uint64_t)level->caches->sets * level->caches->ways + evictions);
    }
    return wm_directory_init(&memory->coherent->directory, lines, error);
}

enum wm_status wm_coherent_memory_init(struct wm_memory *memory, struct wm_error *error)
{
    if (!wm_memory_is_coherent(&memory->spec))
        return WM_OK;
    WM_TRY(WM_ARRAY_NEW(memory->coherent, 1, error, "coherent levels"));
    struct wm_coherent_memory *coherent = memory->coherent;
    wm_coherence_protocol_init(&coherent->protocol, wm_coherence_mesi_cache,
                               wm_coherence_mesi_home);
    WM_TRY(wm_coherent_levels_init(&coherent->levels, &memory->spec, error));
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (wm_level_is_coherent(&memory->spec, i))
            WM_TRY(init_level(memory, i, error));
    WM_TRY(WM_ARRAY_NEW(coherent->found, coherent->levels.node_count, error,
                        "the caches of coherent levels"));
    return coherent->levels.has_directory ? init_directory(memory, error) : WM_OK;
}

void wm_coherent_memory_release(struct wm_memory *memory)
{
    struct wm_coherent_memory *coherent = memory->coherent;
    if (coherent == NULL)
        return;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        for (uint32_t n = 0; coherent->caches[i] != NULL && n < memory->levels[i].count; n++) {
            free(coherent->caches[i][n].lines);
            free(coherent->caches[i][n].taken);
            free(coherent->caches[i][n].prefetched);
        }
        free(coherent->caches[i]);
    }
    free(coherent->found);
    wm_coherent_levels_release(&coherent->levels);
    wm_directory_release(&coherent->directory);
    free(coherent);
    memory->coherent = NULL;
}

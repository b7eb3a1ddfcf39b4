#include "mem/system/self_invalidation.h"

#include "base/containers/array.h"
#include "mem/explain/explain.h"
#include "mem/system/coherent_levels.h"
#include "mem/system/memory_components.h"
#include "mem/system/memory_state.h"

static const struct wm_counter_declaration declarations[] = {
    WM_SELF_INVALIDATION_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_self_invalidation_counter_set = {
    .kind = "self_invalidation",
    .title = "self-invalidations of a cache",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

enum wm_status wm_self_invalidation_init(struct wm_cache_level *level,
                                         const struct wm_memory_spec *spec, struct wm_error *error)
{
    if (!wm_level_is_scoped(spec, level->number))
        return WM_OK;
    return WM_ARRAY_NEW(level->self_invalidations, level->count, error,
                        "the self-invalidations of a level");
}

// Lines are clean: the cache writes through.
void wm_memory_self_invalidate(struct wm_memory *memory, uint32_t sm)
{
    struct wm_cache_level *level = memory->first_of_unit[sm];
    if (level->self_invalidations == NULL)
        return;
    uint32_t slices = (uint32_t)level->slices.divisor;
    uint32_t first = wm_level_instance(level, sm) * slices, end = first + slices;
    for (uint32_t i = first; i < end; i++) {
        struct wm_cache *cache = &level->caches[i];
        uint64_t before = cache->counters.invalidations;
        wm_cache_flush(cache);
        level->self_invalidations[i].acquires++;
        level->self_invalidations[i].lines += cache->counters.invalidations - before;
    }
    if (memory->shadows != NULL)
        wm_explain_emptied(memory, level->caches, first, end);
}

#include "mem/system/prefetchers.h"

#include "base/containers/array.h"
#include "mem/cache/cache.h"
#include "mem/system/memory_spec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct wm_counter_declaration declarations[] = {
    WM_PREFETCHER_COUNTERS(WM_COUNTER_DECLARATION)};
const struct wm_counter_set wm_prefetcher_counter_set = {
    .kind = "prefetcher",
    .title = "prefetcher",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

void wm_prefetchers_flush(struct wm_prefetchers *prefetchers, const struct wm_level_spec *spec,
                          uint32_t first, uint32_t end)
{
    const struct wm_prefetch_ops *ops = prefetchers->ops;
    if (ops == NULL)
        return;
    uint64_t parameters[WM_MAX_PARAMETERS];
    wm_entry_values_resolve(ops->parameters, ops->parameter_count, &spec->prefetch_values,
                            parameters);
    memset(prefetchers->states + first * prefetchers->stride, 0,
           (end - first) * prefetchers->stride);
    for (uint32_t i = first; ops->reset != NULL && i < end; i++) {
        const struct wm_cache *cache = &prefetchers->caches[i];
        const struct wm_prefetch_geometry geometry = {.sets = cache->sets,
                                                      .ways = cache->ways,
                                                      .line_bytes = cache->line_bytes,
                                                      .seed = cache->seed,
                                                      .parameters = parameters};
        ops->reset(wm_prefetchers_state(prefetchers, i), &geometry);
    }
}

enum wm_status wm_prefetchers_init(struct wm_prefetchers *prefetchers,
                                   const struct wm_cache *caches, uint32_t count,
                                   const struct wm_level_spec *spec, struct wm_error *error)
{
    const struct wm_prefetch_ops *ops = spec->prefetch;
    if (caches == NULL || !wm_level_has_prefetcher(spec))
        return WM_OK;
    prefetchers->caches = caches;
    prefetchers->count = count;
    prefetchers->stride = (ops->state_bytes + 63) / 64 * 64;
    size_t bytes = prefetchers->stride * count;
    prefetchers->states = aligned_alloc(64, bytes != 0 ? bytes : 64);
    if (prefetchers->states == NULL)
        return wm_fail_no_memory(error, "the states of prefetch '%s'", ops->name);
    WM_TRY(WM_ARRAY_NEW(prefetchers->counters, count, error, "%" PRIu32 " prefetchers", count));
    WM_TRY(WM_ARRAY_NEW(prefetchers->answers, count, error, "%" PRIu32 " prefetchers", count));
    prefetchers->ops = ops;
    wm_prefetchers_flush(prefetchers, spec, 0, count);
    return WM_OK;
}

void wm_prefetchers_release(struct wm_prefetchers *prefetchers)
{
    free(prefetchers->states);
    free(prefetchers->counters);
    free(prefetchers->answers);
}

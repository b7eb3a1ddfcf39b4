// The side caches, kind by kind: each group of SMs has one of each kind that is present.
#include "base/containers/array.h"
#include "mem/explain/explain.h"
#include "mem/system/memory_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static enum wm_status build(struct wm_memory *memory, enum wm_side_cache_kind kind,
                            struct wm_error *error)
{
    const struct wm_side_cache_spec *spec = &memory->spec.side_caches[kind];
    struct wm_side_caches *side = &memory->side_caches[kind];
    uint32_t count = wm_sm_groups(memory->spec.sm_count, spec->sms_each);
    side->sms_each = spec->sms_each;
    WM_TRY(WM_ARRAY_NEW(side->caches, count, error, "%" PRIu32 " %ss", count,
                        wm_side_cache_counter_sets[kind].title));
    side->count = count;
    for (uint32_t group = 0; group < count; group++) {
        char path[sizeof memory->components->path];
        wm_memory_graph_path(&memory->graph, memory->graph.side_caches[kind], group, NULL, path,
                             sizeof path);
        WM_TRY(wm_cache_init(&side->caches[group], &spec->cache, path, error));
    }
    return WM_OK;
}

enum wm_status wm_memory_side_caches_init(struct wm_memory *memory, struct wm_error *error)
{
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        if (memory->spec.side_caches[kind].cache.present)
            WM_TRY(build(memory, kind, error));
    return WM_OK;
}

void wm_memory_side_caches_release(struct wm_memory *memory)
{
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        for (uint32_t group = 0; group < memory->side_caches[kind].count; group++)
            wm_cache_release(&memory->side_caches[kind].caches[group]);
        free(memory->side_caches[kind].caches);
    }
}

void wm_memory_side_caches_kernel(struct wm_memory *memory)
{
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        for (uint32_t group = 0; group < memory->side_caches[kind].count; group++)
            wm_cache_flush(&memory->side_caches[kind].caches[group]);
        if (memory->shadows != NULL)
            wm_explain_emptied(memory, memory->side_caches[kind].caches);
    }
}

struct wm_access_result wm_memory_side_load(struct wm_memory *memory, enum wm_side_cache_kind kind,
                                            const struct wm_request *request)
{
    assert(kind < WM_SIDE_CACHE_KINDS && request->sectors != 0);
    assert(request->sm < memory->spec.sm_count);
    const struct wm_side_caches *side = &memory->side_caches[kind];
    if (side->caches == NULL)
        return (struct wm_access_result){.source = WM_SOURCE_SIDE_CACHE};
    // Texture and scalar caches serve loads of global memory.
    if (memory->shadows != NULL && (kind == WM_SIDE_CACHE_TEXTURE || kind == WM_SIDE_CACHE_SCALAR))
        wm_explain_request(memory, request);
    return memory->paths->side_cache_load(memory, &side->caches[request->sm / side->sms_each],
                                          request);
}

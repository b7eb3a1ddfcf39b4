// The caches beside L1, kind by kind: each group of SMs has one of each kind that is present.
#include "mem/explain/memory_explain.h"
#include "mem/memory_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void wm_memory_beside_path(const struct wm_memory *memory, const char *prefix,
                           enum wm_beside_kind kind, uint32_t group, char *path, size_t size)
{
    snprintf(path, size, "%s.sm[%" PRIu32 "].%s", prefix, group * memory->beside[kind].sms_each,
             wm_beside_names[kind]);
}

static enum wm_status build(struct wm_memory *memory, enum wm_beside_kind kind, const char *prefix,
                            struct wm_error *error)
{
    const struct wm_beside_spec *spec = &memory->spec.beside[kind];
    struct wm_beside *beside = &memory->beside[kind];
    uint32_t count = wm_sm_groups(memory->spec.sm_count, spec->sms_each);
    beside->sms_each = spec->sms_each;
    beside->caches = calloc(count, sizeof *beside->caches);
    if (beside->caches == NULL)
        return wm_fail(error, WM_NO_MEMORY, "no memory for %" PRIu32 " %ss", count,
                       wm_beside_counter_sets[kind].title);
    beside->count = count;
    for (uint32_t group = 0; group < count; group++) {
        char path[sizeof memory->components->path];
        wm_memory_beside_path(memory, prefix, kind, group, path, sizeof path);
        WM_TRY(wm_cache_init(&beside->caches[group], &spec->cache, path, error));
    }
    return WM_OK;
}

enum wm_status wm_memory_beside_init(struct wm_memory *memory, const char *prefix,
                                     struct wm_error *error)
{
    for (enum wm_beside_kind kind = 0; kind < WM_BESIDE_KINDS; kind++)
        if (memory->spec.beside[kind].cache.present)
            WM_TRY(build(memory, kind, prefix, error));
    return WM_OK;
}

void wm_memory_beside_release(struct wm_memory *memory)
{
    for (enum wm_beside_kind kind = 0; kind < WM_BESIDE_KINDS; kind++) {
        for (uint32_t group = 0; group < memory->beside[kind].count; group++)
            wm_cache_release(&memory->beside[kind].caches[group]);
        free(memory->beside[kind].caches);
    }
}

void wm_memory_beside_kernel(struct wm_memory *memory)
{
    for (enum wm_beside_kind kind = 0; kind < WM_BESIDE_KINDS; kind++) {
        for (uint32_t group = 0; group < memory->beside[kind].count; group++)
            wm_cache_flush(&memory->beside[kind].caches[group]);
        if (memory->shadows != NULL)
            wm_explain_emptied(memory, memory->beside[kind].caches);
    }
}

void wm_memory_beside_load(struct wm_memory *memory, enum wm_beside_kind kind,
                           const struct wm_request *request)
{
    assert(kind < WM_BESIDE_KINDS && request->sectors != 0);
    assert(request->sm < memory->spec.sm_count);
    const struct wm_beside *beside = &memory->beside[kind];
    if (beside->caches == NULL)
        return;
    // Texture and scalar caches serve loads of global memory.
    if (memory->shadows != NULL && (kind == WM_BESIDE_TEXTURE || kind == WM_BESIDE_SCALAR))
        wm_explain_request(memory, request);
    memory->paths->beside_load(memory, &beside->caches[request->sm / beside->sms_each], request);
}

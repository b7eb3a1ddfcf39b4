#include "mem/explain/memory_explain.h"

#include "mem/memory_state.h"

#include <stdlib.h>
#include <string.h>

static struct wm_cache_shadow *new_shadows(const struct wm_cache *caches, uint32_t count)
{
    struct wm_cache_shadow *shadows = calloc(count, sizeof *shadows);
    for (uint32_t i = 0; shadows != NULL && i < count; i++)
        wm_cache_shadow_init(&shadows[i], caches[i].sets * caches[i].ways);
    return shadows;
}

static void free_shadows(struct wm_cache_shadow *shadows, uint32_t count)
{
    for (uint32_t i = 0; shadows != NULL && i < count; i++)
        wm_cache_shadow_release(&shadows[i]);
    free(shadows);
}

void wm_memory_shadows_free(struct wm_memory_shadows *shadows)
{
    if (shadows == NULL)
        return;
    free_shadows(shadows->l1, shadows->l1_count);
    free_shadows(shadows->l2, shadows->l2_count);
    free(shadows);
}

// The components of `set`, one beside each of the caches, with their counters in the shadows.
static void list_shadows(struct wm_memory *memory, const struct wm_counter_set *beside,
                         const struct wm_counter_set *set, const struct wm_cache_shadow *shadows,
                         size_t *count)
{
    static const char suffix[] = ".misses";
    uint32_t next = 0;
    for (size_t i = 0; i < memory->component_count; i++) {
        if (memory->components[i].set != beside)
            continue;
        struct wm_component_counters *component = &memory->components[(*count)++];
        const char *path = memory->components[i].path;
        size_t length = strnlen(path, sizeof component->path - sizeof suffix);
        memcpy(component->path, path, length);
        memcpy(component->path + length, suffix, sizeof suffix);
        component->set = set;
        component->values = (const uint64_t *)&shadows[next++].counters;
    }
}

enum wm_status wm_memory_explain(struct wm_memory *memory, struct wm_error *error)
{
    struct wm_memory_shadows *shadows = calloc(1, sizeof *shadows);
    if (shadows == NULL)
        return wm_fail(error, WM_NO_MEMORY, "no memory to explain misses");
    memory->shadows = shadows;
    shadows->l1_count = memory->l1 != NULL ? memory->spec.sm_count : 0;
    shadows->l2_count = memory->l2 != NULL ? memory->spec.l2_slices : 0;
    shadows->l1 = shadows->l1_count != 0 ? new_shadows(memory->l1, shadows->l1_count) : NULL;
    shadows->l2 = shadows->l2_count != 0 ? new_shadows(memory->l2, shadows->l2_count) : NULL;
    size_t count = memory->component_count;
    struct wm_component_counters *components = realloc(
        memory->components, (count + shadows->l1_count + shadows->l2_count) * sizeof *components);
    if (components != NULL)
        memory->components = components;
    if (components == NULL || (shadows->l1 == NULL && shadows->l1_count != 0) ||
        (shadows->l2 == NULL && shadows->l2_count != 0))
        return wm_fail(error, WM_NO_MEMORY, "no memory to explain misses");
    list_shadows(memory, &wm_l1_counter_set, &wm_l1_explained_set, shadows->l1, &count);
    list_shadows(memory, &wm_l2_counter_set, &wm_l2_explained_set, shadows->l2, &count);
    memory->component_count = count;
    memory->paths = &wm_memory_paths_explained;
    return WM_OK;
}

bool wm_memory_explain_failed(const struct wm_memory *memory)
{
    const struct wm_memory_shadows *shadows = memory->shadows;
    bool failed = false;
    for (uint32_t i = 0; shadows != NULL && i < shadows->l1_count; i++)
        failed = failed || shadows->l1[i].failed;
    for (uint32_t i = 0; shadows != NULL && i < shadows->l2_count; i++)
        failed = failed || shadows->l2[i].failed;
    return failed;
}

// --- What the access path tells ---

static bool is_l1(const struct wm_memory *memory, const struct wm_cache *cache)
{
    return memory->l1 != NULL && cache >= memory->l1 && cache < memory->l1 + memory->spec.sm_count;
}

static struct wm_cache_shadow *shadow_of(const struct wm_memory *memory,
                                         const struct wm_cache *cache)
{
    return is_l1(memory, cache) ? &memory->shadows->l1[cache - memory->l1]
                                : &memory->shadows->l2[cache - memory->l2];
}

#define CHARGE(level)                                              \
    do {                                                           \
        cause->level##cold += classes->cold;                       \
        cause->level##coherence += classes->coherence;             \
        cause->level##capacity += classes->capacity;               \
        cause->level##conflict += classes->conflict;               \
        cause->level##unallocated += classes->unallocated;         \
        cause->level##evicted_same_warp += classes->same_warp;     \
        cause->level##evicted_same_block += classes->same_block;   \
        cause->level##evicted_other_block += classes->other_block; \
    } while (0)

static void charge(struct wm_explained_cause *cause, bool l1, const struct wm_miss_classes *classes)
{
    if (l1)
        CHARGE(l1_);
    else
        CHARGE(l2_);
}

void wm_explain_access(struct wm_memory *memory, const struct wm_explain_event *event)
{
    const struct wm_cache *cache = event->cache;
    const struct wm_request *request = event->request;
    struct wm_cache_shadow *shadow = shadow_of(memory, cache);
    struct wm_shadow_access access = {
        .line = event->line,
        .sectors = event->sectors,
        .missing = event->result->missing,
        .units = wm_cache_units(cache, event->sectors),
        .allocate = event->allocate,
        .drops = event->client != WM_CACHE_LOAD && cache->write_policy == WM_WRITE_THROUGH_EVICT,
        .counted = event->client != WM_CACHE_WRITEBACK,
        .origin = {.block = UINT64_MAX},
    };
    if (request != NULL)
        access.origin = (struct wm_shadow_origin){.block = request->block, .warp = request->warp};
    struct wm_explained_cause *cause = &memory->shadows->nobody;
    if (request != NULL && request->explained != NULL)
        cause = request->explained;
    if (is_l1(memory, cache))
        access.again = &cause->l1_again;
    struct wm_miss_classes classes = wm_cache_shadow_access(shadow, &access);
    if (cache->counters.evictions != event->evictions)
        wm_cache_shadow_evicted(shadow, event->result->victim.line, &access.origin);
    charge(cause, is_l1(memory, cache), &classes);
}

void wm_explain_drop(struct wm_memory *memory, const struct wm_cache *l1, uint64_t line)
{
    wm_cache_shadow_drop(shadow_of(memory, l1), line, l1->all_sectors);
}

// The fetch units of `line` that [begin, end) touches.
static uint32_t units_in(const struct wm_cache *cache, uint64_t line, uint64_t begin, uint64_t end)
{
    uint64_t from = line << cache->line_shift, to = from + cache->line_bytes - 1;
    if (end <= from || begin > to)
        return 0;
    uint64_t first = begin > from ? (begin - from) / WM_SECTOR_BYTES : 0;
    uint64_t last = ((end - 1 < to ? end - 1 : to) - from) / WM_SECTOR_BYTES;
    return wm_cache_units(cache, (UINT32_MAX << first) & (UINT32_MAX >> (31 - last)));
}

static void drop_range(const struct wm_cache *cache, struct wm_cache_shadow *shadow, uint64_t begin,
                       uint64_t end)
{
    uint64_t first = begin >> cache->line_shift, last = (end - 1) >> cache->line_shift;
    if (last - first < shadow->table.count) {
        for (uint64_t line = first; line <= last; line++)
            wm_cache_shadow_drop(shadow, line, units_in(cache, line, begin, end));
        return;
    }
    for (uint32_t i = 0; i < shadow->table.count; i++) {
        uint64_t line = shadow->table.lines[i];
        if (line >= first && line <= last)
            wm_cache_shadow_drop(shadow, line, units_in(cache, line, begin, end));
    }
}

void wm_explain_host_write(struct wm_memory *memory, uint64_t begin, uint64_t end)
{
    const struct wm_memory_shadows *shadows = memory->shadows;
    for (uint32_t i = 0; i < shadows->l1_count; i++)
        drop_range(&memory->l1[i], &shadows->l1[i], begin, end);
    for (uint32_t i = 0; i < shadows->l2_count; i++)
        drop_range(&memory->l2[i], &shadows->l2[i], begin, end);
}

void wm_explain_flush(struct wm_memory *memory)
{
    for (uint32_t i = 0; i < memory->shadows->l1_count; i++)
        wm_cache_shadow_clear(&memory->shadows->l1[i]);
}

void wm_explain_resize_l1(struct wm_memory *memory)
{
    for (uint32_t i = 0; i < memory->shadows->l1_count; i++)
        memory->shadows->l1[i].capacity_lines = memory->l1[i].sets * memory->l1[i].ways;
}

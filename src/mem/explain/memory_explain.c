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
    for (uint32_t i = 0; shadows->reuse != NULL && i < shadows->l1_count; i++)
        wm_reuse_release(&shadows->reuse[i].distances);
    free(shadows->reuse);
    wm_line_sharing_release(&shadows->sharing);
    free(shadows);
}

static const struct wm_counter_declaration reuse_declarations[] = {
    WM_REUSE_COUNTERS(WM_COUNTER_DECLARATION)};
const struct wm_counter_set wm_l1_reuse_set = {
    .kind = "l1_reuse",
    .title = "reuse distances at L1",
    .declarations = reuse_declarations,
    .count = sizeof reuse_declarations / sizeof reuse_declarations[0],
};

// The components of `set`, one beside each of the caches, with their counters in the shadows.
static void list_beside(struct wm_memory *memory, const struct wm_counter_set *beside,
                        const char *suffix, const struct wm_counter_set *set, const void *counters,
                        size_t stride, size_t *count)
{
    size_t suffix_bytes = strlen(suffix) + 1;
    uint32_t next = 0;
    for (size_t i = 0; i < memory->component_count; i++) {
        if (memory->components[i].set != beside)
            continue;
        struct wm_component_counters *component = &memory->components[(*count)++];
        const char *path = memory->components[i].path;
        size_t length = strnlen(path, sizeof component->path - suffix_bytes);
        memcpy(component->path, path, length);
        memcpy(component->path + length, suffix, suffix_bytes);
        component->set = set;
        component->values = (const void *)((const char *)counters + stride * next++);
    }
}

enum wm_status wm_memory_explain(struct wm_memory *memory, struct wm_error *error)
{
    static const char why[] = "who evicted whom cannot be explained";
    WM_TRY(wm_cache_spec_names_victims(&memory->spec.l1, "l1", why, error));
    WM_TRY(wm_cache_spec_names_victims(&memory->spec.l2, "l2", why, error));
    struct wm_memory_shadows *shadows = calloc(1, sizeof *shadows);
    if (shadows == NULL)
        return wm_fail(error, WM_NO_MEMORY, "no memory to explain misses");
    memory->shadows = shadows;
    shadows->l1_count = memory->l1_count;
    shadows->l2_count = memory->l2 != NULL ? memory->spec.l2_slices : 0;
    shadows->l1 = shadows->l1_count != 0 ? new_shadows(memory->l1, shadows->l1_count) : NULL;
    shadows->l2 = shadows->l2_count != 0 ? new_shadows(memory->l2, shadows->l2_count) : NULL;
    shadows->reuse = calloc(shadows->l1_count + 1, sizeof *shadows->reuse);
    wm_line_sharing_init(&shadows->sharing, memory->spec.sm_count);
    size_t count = memory->component_count;
    struct wm_component_counters *components = realloc(
        memory->components,
        (count + 2 * (size_t)shadows->l1_count + shadows->l2_count + 1) * sizeof *components);
    if (components != NULL)
        memory->components = components;
    if (components == NULL || shadows->reuse == NULL ||
        (shadows->l1 == NULL && shadows->l1_count != 0) ||
        (shadows->l2 == NULL && shadows->l2_count != 0))
        return wm_fail(error, WM_NO_MEMORY, "no memory to explain misses");
    if (shadows->l1 != NULL) {
        list_beside(memory, &wm_l1_counter_set, ".misses", &wm_l1_explained_set,
                    &shadows->l1->counters, sizeof *shadows->l1, &count);
        list_beside(memory, &wm_l1_counter_set, ".reuse", &wm_l1_reuse_set,
                    &shadows->reuse->counters, sizeof *shadows->reuse, &count);
    }
    if (shadows->l2 != NULL)
        list_beside(memory, &wm_l2_counter_set, ".misses", &wm_l2_explained_set,
                    &shadows->l2->counters, sizeof *shadows->l2, &count);
    struct wm_component_counters *sharing = &memory->components[count++];
    *sharing = (struct wm_component_counters){
        .set = &wm_sharing_counter_set, .values = (const uint64_t *)&shadows->sharing.counters};
    // "gpu0" of the first channel, which every memory system has.
    size_t prefix = 0;
    while (memory->components[0].path[prefix] != '\0' && memory->components[0].path[prefix] != '.')
        prefix++;
    prefix = prefix < 32 ? prefix : 32;
    memcpy(sharing->path, memory->components[0].path, prefix);
    memcpy(sharing->path + prefix, ".sharing", sizeof ".sharing");
    memory->component_count = count;
    memory->paths = &wm_memory_paths_full;
    return WM_OK;
}

bool wm_memory_explain_failed(const struct wm_memory *memory)
{
    const struct wm_memory_shadows *shadows = memory->shadows;
    bool failed = shadows != NULL && shadows->sharing.failed;
    for (uint32_t i = 0; shadows != NULL && i < shadows->l1_count; i++)
        failed = failed || shadows->l1[i].failed || shadows->reuse[i].failed;
    for (uint32_t i = 0; shadows != NULL && i < shadows->l2_count; i++)
        failed = failed || shadows->l2[i].failed;
    return failed;
}

// --- What the access path tells ---

static bool is_l1(const struct wm_memory *memory, const struct wm_cache *cache)
{
    return memory->l1 != NULL && cache >= memory->l1 && cache < memory->l1 + memory->l1_count;
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

// First use, 0, 1, 2 to 3, 4 to 7, …
static uint32_t bucket_of(uint64_t distance)
{
    uint32_t last = (uint32_t)wm_l1_reuse_set.count - 1;
    if (distance == WM_REUSE_FIRST)
        return 0;
    uint32_t bucket = distance == 0 ? 1 : 65 - (uint32_t)__builtin_clzll(distance);
    return bucket < last ? bucket : last;
}

static void measure_reuse(struct wm_l1_reuse *reuse, uint64_t line,
                          struct wm_explained_cause *cause)
{
    uint64_t distance = wm_reuse_use(&reuse->distances, line);
    if (distance == WM_REUSE_FAILED) {
        reuse->failed = true;
        return;
    }
    uint32_t bucket = bucket_of(distance);
    ((uint64_t *)&reuse->counters)[bucket]++;
    ((uint64_t *)cause)[offsetof(struct wm_explained_cause, reuse_first) / 8 + bucket]++;
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
    // What a store writes in part is not given to keep where byte masks stand for it.
    if (cache->bytes != NULL && event->client != WM_CACHE_LOAD)
        access.units = event->result->whole;
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
    if (is_l1(memory, cache))
        measure_reuse(&memory->shadows->reuse[cache - memory->l1], event->line, cause);
}

void wm_explain_request(struct wm_memory *memory, const struct wm_request *request)
{
    if (request->kind == WM_ACCESS_LOAD)
        wm_line_sharing_read(&memory->shadows->sharing, request->address / memory->request_bytes,
                             request->sm);
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

void wm_explain_launch(struct wm_memory *memory)
{
    wm_line_sharing_clear(&memory->shadows->sharing);
    for (uint32_t i = 0; i < memory->shadows->l1_count; i++)
        wm_reuse_clear(&memory->shadows->reuse[i].distances);
}

void wm_explain_resize_l1(struct wm_memory *memory)
{
    for (uint32_t i = 0; i < memory->shadows->l1_count; i++)
        memory->shadows->l1[i].capacity_lines = memory->l1[i].sets * memory->l1[i].ways;
}

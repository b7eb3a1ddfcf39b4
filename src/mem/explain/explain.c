#include "mem/explain/explain.h"

#include "base/containers/array.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct wm_counter_declaration cache_declarations[] = {
    WM_EXPLAINED_CACHE_COUNTERS(WM_COUNTER_DECLARATION)};
static const struct wm_counter_declaration cause_declarations[] = {
    WM_INSTRUCTION_MISS_COUNTERS(WM_COUNTER_DECLARATION)};
static const struct wm_counter_declaration reuse_declarations[] = {
    WM_REUSE_COUNTERS(WM_COUNTER_DECLARATION)};
const struct wm_counter_set wm_l1_reuse_set = {
    .kind = "l1_reuse",
    .title = "reuse distances at L1",
    .declarations = reuse_declarations,
    .count = sizeof reuse_declarations / sizeof reuse_declarations[0],
};

#define CACHE_SET(key, name)                                              \
    {                                                                     \
        .kind = key, .title = name, .declarations = cache_declarations,   \
        .count = sizeof cache_declarations / sizeof cache_declarations[0] \
    }
const struct wm_counter_set wm_l1_explained_set = CACHE_SET("l1_explained", "why L1 missed");
const struct wm_counter_set wm_l2_explained_set = CACHE_SET("l2_explained", "why L2 missed");
const struct wm_counter_set wm_side_cache_explained_sets[WM_SIDE_CACHE_KINDS] = {
    [WM_SIDE_CACHE_CONSTANT] = CACHE_SET("constant_explained", "why a constant cache missed"),
    [WM_SIDE_CACHE_TEXTURE] = CACHE_SET("texture_explained", "why a texture cache missed"),
    [WM_SIDE_CACHE_SCALAR] = CACHE_SET("scalar_explained", "why a scalar data cache missed"),
    [WM_SIDE_CACHE_INSTRUCTION] =
        CACHE_SET("instruction_cache_explained", "why an instruction cache missed"),
};
const struct wm_counter_set wm_instruction_miss_set = {
    .kind = "cause_explained",
    .title = "why a memory instruction missed",
    .declarations = cause_declarations,
    .count = sizeof cause_declarations / sizeof cause_declarations[0],
};

// --- Building ---

// Where the counters of a level or class begin among an instruction's.
#define CHARGE_AT(first) (offsetof(struct wm_instruction_misses, first) / sizeof(uint64_t))

static void add_group(struct wm_memory_shadows *shadows, struct wm_shadow_group group)
{
    if (group.count != 0)
        shadows->groups[shadows->group_count++] = group;
}

static void list_groups(const struct wm_memory *memory, struct wm_memory_shadows *shadows)
{
    add_group(shadows, (struct wm_shadow_group){
                           .caches = memory->levels[WM_LEVEL_L1].caches,
                           .count = memory->levels[WM_LEVEL_L1].count,
                           .explains = &wm_l1_counter_set,
                           .set = &wm_l1_explained_set,
                           .charge = CHARGE_AT(l1_cold),
                           .has_request_bytes = true,
                           .is_emptied = memory->spec.levels[WM_LEVEL_L1].flush_at_kernel});
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        add_group(shadows,
                  (struct wm_shadow_group){.caches = memory->levels[WM_LEVEL_SIDE + kind].caches,
                                           .count = memory->levels[WM_LEVEL_SIDE + kind].count,
                                           .explains = &wm_side_cache_counter_sets[kind],
                                           .set = &wm_side_cache_explained_sets[kind],
                                           .charge = CHARGE_AT(side_cache_cold),
                                           .has_request_bytes = true,
                                           .is_emptied = true});
    if (shadows->timed_only)
        return;
    add_group(shadows, (struct wm_shadow_group){.caches = memory->levels[WM_LEVEL_L2].caches,
                                                .count = memory->levels[WM_LEVEL_L2].count,
                                                .explains = &wm_l2_counter_set,
                                                .set = &wm_l2_explained_set,
                                                .charge = CHARGE_AT(l2_cold)});
}

static bool build_group(struct wm_shadow_group *group, bool reuse)
{
    group->shadows = calloc(group->count, sizeof *group->shadows);
    group->reuse = reuse ? calloc(group->count, sizeof *group->reuse) : NULL;
    if (group->shadows == NULL || (reuse && group->reuse == NULL))
        return false;
    for (uint32_t i = 0; i < group->count; i++)
        wm_cache_shadow_init(&group->shadows[i], group->caches[i].sets * group->caches[i].ways,
                             group->caches[i].line_sectors);
    return true;
}

void wm_memory_shadows_free(struct wm_memory_shadows *shadows)
{
    if (shadows == NULL)
        return;
    for (uint32_t g = 0; g < shadows->group_count; g++) {
        struct wm_shadow_group *group = &shadows->groups[g];
        for (uint32_t i = 0; group->shadows != NULL && i < group->count; i++)
            wm_cache_shadow_release(&group->shadows[i]);
        for (uint32_t i = 0; group->reuse != NULL && i < group->count; i++)
            wm_reuse_release(&group->reuse[i].distances);
        free(group->shadows);
        free(group->reuse);
    }
    wm_line_sharing_release(&shadows->sharing);
    free(shadows);
}

// The components of `set`, one for each of the side caches, with their counters in the shadows.
static void list_side_caches(struct wm_memory *memory, const struct wm_counter_set *side,
                             const char *suffix, const struct wm_counter_set *set,
                             const void *counters, size_t stride, size_t *count)
{
    size_t suffix_bytes = strlen(suffix) + 1;
    uint32_t next = 0;
    for (size_t i = 0; i < memory->component_count; i++) {
        if (memory->components[i].set != side)
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

// Of the memory system as a whole: "gpu0.sharing".
static void list_sharing(struct wm_memory *memory, size_t *count)
{
    struct wm_component_counters *sharing = &memory->components[(*count)++];
    *sharing = (struct wm_component_counters){
        .set = &wm_sharing_counter_set,
        .values = (const uint64_t *)&memory->shadows->sharing.counters};
    snprintf(sharing->path, sizeof sharing->path, "%s.sharing", memory->graph.prefix);
}

static bool list_components(struct wm_memory *memory)
{
    struct wm_memory_shadows *shadows = memory->shadows;
    size_t count = memory->component_count, most = count + 1;
    for (uint32_t g = 0; g < shadows->group_count; g++)
        most += 2 * (size_t)shadows->groups[g].count;
    if (!WM_ARRAY_RESIZE(memory->components, most))
        return false;
    for (uint32_t g = 0; g < shadows->group_count; g++) {
        const struct wm_shadow_group *group = &shadows->groups[g];
        list_side_caches(memory, group->explains, ".misses", group->set, &group->shadows->counters,
                         sizeof *group->shadows, &count);
        if (group->reuse != NULL)
            list_side_caches(memory, group->explains, ".reuse", &wm_l1_reuse_set,
                             &group->reuse->counters, sizeof *group->reuse, &count);
    }
    if (!shadows->timed_only)
        list_sharing(memory, &count);
    memory->component_count = count;
    return true;
}

enum wm_status wm_memory_explain_check(const struct wm_memory_spec *spec, struct wm_error *error)
{
    static const char why[] = "who evicted whom cannot be explained";
    WM_TRY(wm_cache_spec_names_victims(&spec->levels[WM_LEVEL_L1].cache, "l1", why, error));
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        WM_TRY(wm_cache_spec_names_victims(&spec->levels[WM_LEVEL_SIDE + kind].cache,
                                           wm_side_cache_names[kind], why, error));
    return wm_cache_spec_names_victims(&spec->levels[WM_LEVEL_L2].cache, "l2", why, error);
}

static enum wm_status explain(struct wm_memory *memory, bool timed_only, struct wm_error *error)
{
    WM_TRY(wm_memory_explain_check(&memory->spec, error));
    struct wm_memory_shadows *shadows;
    WM_TRY(WM_ARRAY_NEW(shadows, 1, error, "explaining misses"));
    memory->shadows = shadows;
    shadows->timed_only = timed_only;
    list_groups(memory, shadows);
    bool good =
        timed_only || wm_line_sharing_init(&shadows->sharing, wm_memory_units(&memory->spec));
    for (uint32_t g = 0; g < shadows->group_count; g++)
        good = good && build_group(&shadows->groups[g],
                                   shadows->groups[g].caches == memory->levels[WM_LEVEL_L1].caches);
    if (!good || !list_components(memory))
        return wm_fail_no_memory(error, "explaining misses");
    if (memory->levels[WM_LEVEL_L1].victims != NULL)
        wm_explain_resized(memory, memory->levels[WM_LEVEL_L1].caches); // and they count as one
    memory->paths = &wm_memory_paths_full;
    return WM_OK;
}

enum wm_status wm_memory_explain(struct wm_memory *memory, struct wm_error *error)
{
    return explain(memory, false, error);
}

enum wm_status wm_memory_explain_timed(struct wm_memory *memory, struct wm_error *error)
{
    return explain(memory, true, error);
}

bool wm_memory_explain_failed(const struct wm_memory *memory)
{
    const struct wm_memory_shadows *shadows = memory->shadows;
    bool failed = shadows != NULL && shadows->sharing.failed;
    for (uint32_t g = 0; shadows != NULL && g < shadows->group_count; g++)
        for (uint32_t i = 0; i < shadows->groups[g].count; i++)
            failed = failed || shadows->groups[g].shadows[i].failed ||
                     (shadows->groups[g].reuse != NULL && shadows->groups[g].reuse[i].failed);
    return failed;
}

// --- Calls from the access path ---

// The group of a cache and its place there; NULL for a cache that is not watched.
static struct wm_shadow_group *group_of(const struct wm_memory *memory,
                                        const struct wm_cache *cache, uint32_t *place)
{
    struct wm_memory_shadows *shadows = memory->shadows;
    for (uint32_t g = 0; g < shadows->group_count; g++) {
        struct wm_shadow_group *group = &shadows->groups[g];
        if (cache >= group->caches && cache < group->caches + group->count) {
            *place = (uint32_t)(cache - group->caches);
            return group;
        }
    }
    return NULL;
}

static struct wm_instruction_misses *cause_of(struct wm_memory *memory,
                                              const struct wm_request *request)
{
    return request != NULL && request->explained != NULL ? request->explained
                                                         : &memory->shadows->unattributed;
}

static uint64_t *charge_of(struct wm_instruction_misses *instruction_counters,
                           const struct wm_shadow_group *group)
{
    return (uint64_t *)instruction_counters + group->charge;
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
                          struct wm_instruction_misses *instruction_counters)
{
    uint64_t distance = wm_reuse_use(&reuse->distances, line);
    if (distance == WM_REUSE_FAILED) {
        reuse->failed = true;
        return;
    }
    uint32_t bucket = bucket_of(distance);
    ((uint64_t *)&reuse->counters)[bucket]++;
    ((uint64_t *)
         instruction_counters)[offsetof(struct wm_instruction_misses, reuse_first) / 8 + bucket]++;
}

void wm_explain_access(struct wm_memory *memory, const struct wm_explain_event *event)
{
    const struct wm_cache *cache = event->cache;
    const struct wm_request *request = event->request;
    uint32_t place;
    struct wm_shadow_group *group = group_of(memory, cache, &place);
    if (group == NULL)
        return;
    struct wm_instruction_misses *instruction_counters = cause_of(memory, request);
    bool write_back = event->client == WM_CACHE_WRITEBACK;
    struct wm_shadow_access access = {
        .line = event->line,
        .sectors = event->sectors,
        .missing = event->result->missing,
        .units = wm_cache_fetch_units(cache, event->sectors) & ~event->absent,
        .fetched = event->result->fetch,
        .allocate = event->allocate,
        .later = event->later,
        .drops = event->client != WM_CACHE_LOAD && cache->write_policy == WM_WRITE_THROUGH_EVICT,
        .counted = !write_back,
        .requester = {.block = UINT64_MAX},
        .charge = charge_of(instruction_counters, group),
    };
    // What a store writes in part is not given to keep where byte masks stand for it.
    if (cache->bytes != NULL && event->client != WM_CACHE_LOAD)
        access.units = event->result->whole;
    if (request != NULL) {
        access.requester =
            (struct wm_shadow_requester){.block = request->block, .warp = request->warp};
        access.bytes = group->has_request_bytes && !write_back ? request->bytes : NULL;
    }
    wm_cache_shadow_access(&group->shadows[place], &access);
    if (event->result->victim.evicted && !event->moves_victim)
        wm_cache_shadow_evicted(&group->shadows[place], event->result->victim.line,
                                &access.requester);
    if (group->reuse != NULL)
        measure_reuse(&group->reuse[place], event->line, instruction_counters);
}

void wm_explain_passed(struct wm_memory *memory, const struct wm_cache *cache, uint32_t sectors,
                       const struct wm_request *request)
{
    uint32_t place;
    struct wm_shadow_group *group = group_of(memory, cache, &place);
    if (group != NULL && request != NULL)
        wm_cache_shadow_passed(&group->shadows[place], sectors, request->bytes,
                               charge_of(cause_of(memory, request), group));
}

void wm_explain_request(struct wm_memory *memory, const struct wm_request *request)
{
    struct wm_line_sharing *sharing = &memory->shadows->sharing;
    wm_line_sharing_ran(sharing, request->sm);
    if (request->kind != WM_ACCESS_LOAD)
        return;
    uint64_t *charge = (uint64_t *)cause_of(memory, request) + CHARGE_AT(reads_private);
    wm_line_sharing_read(sharing, request->address / memory->request_bytes, request->sm,
                         request->block, charge);
}

void wm_explain_filled(struct wm_memory *memory, const struct wm_cache *cache, uint64_t line,
                       uint32_t sectors)
{
    uint32_t place;
    struct wm_shadow_group *group = group_of(memory, cache, &place);
    if (group != NULL)
        wm_cache_shadow_filled(&group->shadows[place], line, sectors,
                               wm_cache_find(cache, line, line) >= 0);
}

void wm_explain_evicted(struct wm_memory *memory, const struct wm_cache *cache, uint64_t line,
                        const struct wm_request *request)
{
    uint32_t place;
    struct wm_shadow_group *group = group_of(memory, cache, &place);
    if (group == NULL)
        return;
    struct wm_shadow_requester requester = {.block = UINT64_MAX};
    if (request != NULL)
        requester = (struct wm_shadow_requester){.block = request->block, .warp = request->warp};
    wm_cache_shadow_evicted(&group->shadows[place], line, &requester);
}

void wm_explain_drop(struct wm_memory *memory, const struct wm_cache *cache, uint64_t line)
{
    uint32_t place;
    struct wm_shadow_group *group = group_of(memory, cache, &place);
    if (group != NULL)
        wm_cache_shadow_drop(&group->shadows[place], line, cache->all_sectors);
}

// The fetch units of `line` that [begin, end) touches.
static uint32_t units_in(const struct wm_cache *cache, uint64_t line, uint64_t begin, uint64_t end)
{
    uint64_t from = line << cache->line_shift, to = from + cache->line_bytes - 1;
    if (end <= from || begin > to)
        return 0;
    uint64_t first = begin > from ? (begin - from) / WM_SECTOR_BYTES : 0;
    uint64_t last = ((end - 1 < to ? end - 1 : to) - from) / WM_SECTOR_BYTES;
    return wm_cache_fetch_units(cache, (UINT32_MAX << first) & (UINT32_MAX >> (31 - last)));
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
    for (uint32_t g = 0; g < shadows->group_count; g++)
        for (uint32_t i = 0; i < shadows->groups[g].count; i++)
            drop_range(&shadows->groups[g].caches[i], &shadows->groups[g].shadows[i], begin, end);
}

void wm_explain_emptied(struct wm_memory *memory, const struct wm_cache *caches, uint32_t first,
                        uint32_t end)
{
    uint32_t place;
    struct wm_shadow_group *group = caches != NULL ? group_of(memory, caches, &place) : NULL;
    for (uint32_t i = first; group != NULL && i < end; i++)
        wm_cache_shadow_clear(&group->shadows[i]);
}

void wm_explain_resized(struct wm_memory *memory, const struct wm_cache *caches)
{
    uint32_t place;
    struct wm_shadow_group *group = group_of(memory, caches, &place);
    uint32_t victims = caches == memory->levels[WM_LEVEL_L1].caches
                           ? memory->spec.levels[WM_LEVEL_L1].victim_lines
                           : 0;
    for (uint32_t i = 0; group != NULL && i < group->count; i++)
        group->shadows[i].capacity_lines = group->caches[i].sets * group->caches[i].ways + victims;
}

// --- Launches ---

void wm_memory_explain_grid(struct wm_memory *memory, uint64_t first_block, const uint32_t grid[3])
{
    if (memory->shadows == NULL)
        return;
    memory->shadows->first_block = first_block;
    memcpy(memory->shadows->grid, grid, sizeof memory->shadows->grid);
}

void wm_explain_launch(struct wm_memory *memory)
{
    struct wm_memory_shadows *shadows = memory->shadows;
    if (!shadows->timed_only) {
        wm_line_sharing_classify(&shadows->sharing); // of a launch without its end
        wm_line_sharing_launch(&shadows->sharing, shadows->first_block,
                               shadows->grid[0] != 0 ? shadows->grid : NULL);
    }
    for (uint32_t g = 0; g < shadows->group_count; g++)
        for (uint32_t i = 0; shadows->groups[g].reuse != NULL && i < shadows->groups[g].count; i++)
            wm_reuse_clear(&shadows->groups[g].reuse[i].distances);
}

static void finish_counts(struct wm_memory_shadows *shadows, bool everything)
{
    for (uint32_t g = 0; g < shadows->group_count; g++)
        for (uint32_t i = 0; i < shadows->groups[g].count; i++)
            if (everything || shadows->groups[g].is_emptied)
                wm_cache_shadow_count_unused(&shadows->groups[g].shadows[i]);
    if (!shadows->timed_only)
        wm_line_sharing_classify(&shadows->sharing);
}

void wm_memory_kernel_end(struct wm_memory *memory)
{
    if (memory->shadows != NULL)
        finish_counts(memory->shadows, false);
}

void wm_explain_end(struct wm_memory *memory)
{
    finish_counts(memory->shadows, true);
}

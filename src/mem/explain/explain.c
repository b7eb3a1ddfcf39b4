#include "mem/explain/explain.h"

#include "base/containers/array.h"
#include "mem/system/coherent_memory.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct wm_counter_declaration cache_declarations[] = {
    WM_EXPLAINED_COUNTERS(WM_COUNTER_DECLARATION, "")};
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
const struct wm_counter_set wm_explained_sets[WM_LEVELS_NAMED] = {
    [WM_LEVEL_L1] = CACHE_SET("l1_explained", "why L1 missed"),
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT] =
        CACHE_SET("constant_explained", "why a constant cache missed"),
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE] =
        CACHE_SET("texture_explained", "why a texture cache missed"),
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR] =
        CACHE_SET("scalar_explained", "why a scalar data cache missed"),
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION] =
        CACHE_SET("instruction_cache_explained", "why an instruction cache missed"),
    [WM_LEVEL_L2] = CACHE_SET("l2_explained", "why L2 missed"),
};

void wm_instruction_misses_add(struct wm_instruction_misses *to,
                               const struct wm_instruction_misses *from)
{
    uint64_t *sums = (uint64_t *)to;
    const uint64_t *values = (const uint64_t *)from;
    for (size_t i = 0; i < sizeof *to / sizeof *sums; i++)
        sums[i] += values[i];
}

// --- Building ---

// NULL without memory.
static const struct wm_counter_set *set_of(const struct wm_memory_spec *spec, uint32_t level)
{
    const struct wm_counter_set *like =
        &wm_explained_sets[level < WM_LEVELS_NAMED ? level : WM_LEVEL_L2];
    char name[WM_LEVEL_COUNTER_BYTES], text[WM_LEVEL_COUNTER_BYTES];
    char kind[WM_OWN_SET_BYTES], title[WM_OWN_SET_BYTES];
    wm_level_kind(spec, level, name);
    snprintf(kind, sizeof kind, "%s_explained", name);
    snprintf(title, sizeof title, "why %s missed", wm_level_title(name, text));
    return strcmp(kind, like->kind) == 0 ? like : wm_own_counter_set(kind, title, like);
}

static bool build_group(const struct wm_memory *memory, uint32_t number,
                        struct wm_shadow_group *group)
{
    const struct wm_cache_level *level = &memory->levels[number];
    bool reuse = number == WM_LEVEL_L1;
    // What units request of a level that others fetch from too comes in two forms.
    bool from_above = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        from_above |= memory->levels[i].caches != NULL && memory->levels[i].below == level;
    *group = (struct wm_shadow_group){
        .level = level,
        .set = set_of(&memory->spec, number),
        .shadows = calloc(level->count, sizeof *group->shadows),
        .reuse = reuse ? calloc(level->count, sizeof *group->reuse) : NULL,
        .has_request_bytes = number != WM_LEVEL_L2 && !from_above &&
                             (level->loads_only || level->line_bytes == memory->request_bytes),
    };
    for (uint32_t i = 0; group->shadows != NULL && i < level->count; i++)
        wm_cache_shadow_init(&group->shadows[i], 0, level->line_sectors);
    return group->set != NULL && group->shadows != NULL && (!reuse || group->reuse != NULL);
}

void wm_memory_shadows_free(struct wm_memory_shadows *shadows)
{
    if (shadows == NULL)
        return;
    for (uint32_t g = 0; g < shadows->group_count; g++) {
        struct wm_shadow_group *group = &shadows->groups[g];
        for (uint32_t i = 0; group->shadows != NULL && i < group->level->count; i++)
            wm_cache_shadow_release(&group->shadows[i]);
        for (uint32_t i = 0; group->reuse != NULL && i < group->level->count; i++)
            wm_reuse_release(&group->reuse[i].distances);
        free(group->shadows);
        free(group->reuse);
    }
    wm_line_sharing_release(&shadows->sharing);
    free(shadows);
}

// One for each cache of a level: its counters in the shadows, "gpu0.sm[3].l1.misses".
static void list_group(struct wm_memory *memory, const struct wm_shadow_group *group,
                       const char *part, const struct wm_counter_set *set, const void *counters,
                       size_t stride)
{
    for (uint32_t i = 0; i < group->level->count; i++) {
        struct wm_component_counters *component = &memory->components[memory->component_count++];
        component->set = set;
        component->values = (const void *)((const char *)counters + stride * i);
        wm_memory_graph_path(&memory->graph, memory->graph.levels[group->level->number], i, part,
                             component->path, sizeof component->path);
    }
}

// Of the memory system as a whole: "gpu0.sharing".
static void list_sharing(struct wm_memory *memory)
{
    struct wm_component_counters *sharing = &memory->components[memory->component_count++];
    *sharing = (struct wm_component_counters){
        .set = &wm_sharing_counter_set,
        .values = (const uint64_t *)&memory->shadows->sharing.counters};
    snprintf(sharing->path, sizeof sharing->path, "%s.sharing", memory->graph.prefix);
}

static bool list_components(struct wm_memory *memory)
{
    struct wm_memory_shadows *shadows = memory->shadows;
    size_t most = memory->component_count + 1;
    for (uint32_t g = 0; g < shadows->group_count; g++)
        most += 2 * (size_t)shadows->groups[g].level->count;
    if (!WM_ARRAY_RESIZE(memory->components, most))
        return false;
    for (uint32_t g = 0; g < shadows->group_count; g++) {
        const struct wm_shadow_group *group = &shadows->groups[g];
        list_group(memory, group, "misses", group->set, &group->shadows->counters,
                   sizeof *group->shadows);
        if (group->reuse != NULL)
            list_group(memory, group, "reuse", &wm_l1_reuse_set, &group->reuse->counters,
                       sizeof *group->reuse);
    }
    if (!shadows->timed_only)
        list_sharing(memory);
    return true;
}

enum wm_status wm_memory_explain_check(const struct wm_memory_spec *spec, struct wm_error *error)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        WM_TRY(wm_cache_spec_names_victims(&spec->levels[i].cache, wm_level_name(spec, i),
                                           "who evicted whom cannot be explained", error));
    return WM_OK;
}

static bool build_groups(struct wm_memory *memory, struct wm_memory_shadows *shadows)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        if (memory->levels[i].caches == NULL)
            continue;
        if (!build_group(memory, i, &shadows->groups[shadows->group_count++]))
            return false;
        wm_explain_resized(memory, memory->levels[i].caches);
    }
    return true;
}

uint32_t wm_memory_coherent_cache_of(const struct wm_memory *memory, uint32_t unit,
                                     uint32_t *line_bytes)
{
    const struct wm_cache_level *level = memory->first_of_unit[unit];
    while (level != NULL && !level->is_coherent)
        level = level->below;
    if (level == NULL)
        return UINT32_MAX; // none: such units have one memory in common
    *line_bytes = level->line_bytes;
    return memory->coherent->levels.first_node[level->number] + wm_level_instance(level, unit);
}

static enum wm_status explain(struct wm_memory *memory, bool timed_only, struct wm_error *error)
{
    WM_TRY(wm_memory_explain_check(&memory->spec, error));
    struct wm_memory_shadows *shadows;
    WM_TRY(WM_ARRAY_NEW(shadows, 1, error, "explaining misses"));
    memory->shadows = shadows;
    shadows->timed_only = timed_only;
    bool good =
        timed_only || wm_line_sharing_init(&shadows->sharing, wm_memory_units(&memory->spec));
    if (!good || !build_groups(memory, shadows) || !list_components(memory))
        return wm_fail_no_memory(error, "explaining misses");
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
        for (uint32_t i = 0; i < shadows->groups[g].level->count; i++)
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
        const struct wm_cache *first = group->level->caches;
        if (cache >= first && cache < first + group->level->count) {
            *place = (uint32_t)(cache - first);
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

// In time NULL for what no instruction requested: several threads would count it.
static uint64_t *charge_of(struct wm_memory *memory, const struct wm_request *request,
                           const struct wm_shadow_group *group)
{
    bool none = request == NULL || request->explained == NULL;
    return none && memory->shadows->timed_only
               ? NULL
               : (uint64_t *)&cause_of(memory, request)->levels[group->level->number];
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
    (&instruction_counters->reuse_first)[bucket]++;
}

void wm_explain_access(struct wm_memory *memory, const struct wm_explain_event *event)
{
    const struct wm_cache *cache = event->cache;
    const struct wm_request *request = event->request;
    uint32_t place;
    struct wm_shadow_group *group = group_of(memory, cache, &place);
    if (group == NULL)
        return;
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
        .charge = charge_of(memory, request, group),
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
    if (group->reuse != NULL && !write_back)
        measure_reuse(&group->reuse[place], event->line, cause_of(memory, request));
}

void wm_explain_passed(struct wm_memory *memory, const struct wm_cache *cache, uint32_t sectors,
                       const struct wm_request *request)
{
    uint32_t place;
    struct wm_shadow_group *group = group_of(memory, cache, &place);
    if (group != NULL && request != NULL)
        wm_cache_shadow_passed(&group->shadows[place], sectors, request->bytes,
                               charge_of(memory, request, group));
}

void wm_explain_request(struct wm_memory *memory, const struct wm_request *request)
{
    struct wm_line_sharing *sharing = &memory->shadows->sharing;
    if (memory->shadows->timed_only)
        return;
    wm_line_sharing_ran(sharing, request->sm);
    if (request->kind != WM_ACCESS_LOAD)
        return;
    uint64_t *charge = &cause_of(memory, request)->reads_private;
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

void wm_explain_drop_sectors(struct wm_memory *memory, const struct wm_cache *cache, uint64_t line,
                             uint32_t sectors)
{
    uint32_t place;
    struct wm_shadow_group *group = group_of(memory, cache, &place);
    if (group != NULL)
        wm_cache_shadow_drop(&group->shadows[place], line, sectors);
}

void wm_explain_drop(struct wm_memory *memory, const struct wm_cache *cache, uint64_t line)
{
    wm_explain_drop_sectors(memory, cache, line, cache->all_sectors);
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
        uint64_t line = shadow->table.keys[i];
        if (line >= first && line <= last)
            wm_cache_shadow_drop(shadow, line, units_in(cache, line, begin, end));
    }
}

void wm_explain_host_write(struct wm_memory *memory, uint64_t begin, uint64_t end)
{
    const struct wm_memory_shadows *shadows = memory->shadows;
    for (uint32_t g = 0; g < shadows->group_count; g++)
        for (uint32_t i = 0; i < shadows->groups[g].level->count; i++)
            drop_range(&shadows->groups[g].level->caches[i], &shadows->groups[g].shadows[i], begin,
                       end);
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
    for (uint32_t i = 0; group != NULL && i < group->level->count; i++)
        group->shadows[i].capacity_lines =
            group->level->caches[i].sets * group->level->caches[i].ways +
            memory->spec.levels[group->level->number].victim_lines; // and they count as one
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
        for (uint32_t i = 0;
             shadows->groups[g].reuse != NULL && i < shadows->groups[g].level->count; i++)
            wm_reuse_clear(&shadows->groups[g].reuse[i].distances);
}

// Of the caches that are emptied whenever a kernel starts, or of all.
static void finish_counts(struct wm_memory *memory, bool everything)
{
    struct wm_memory_shadows *shadows = memory->shadows;
    for (uint32_t g = 0; g < shadows->group_count; g++) {
        const struct wm_cache_level *level = shadows->groups[g].level;
        bool ends =
            everything || level->loads_only || memory->spec.levels[level->number].flush_at_kernel;
        for (uint32_t i = 0; ends && i < level->count; i++)
            wm_cache_shadow_count_unused(&shadows->groups[g].shadows[i]);
    }
    if (!shadows->timed_only)
        wm_line_sharing_classify(&shadows->sharing);
}

void wm_memory_kernel_end(struct wm_memory *memory)
{
    if (memory->shadows != NULL)
        finish_counts(memory, false);
}

void wm_explain_end(struct wm_memory *memory)
{
    finish_counts(memory, true);
}

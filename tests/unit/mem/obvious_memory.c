// The model: how it is built from a description, where accesses come in, and how it is compared.
#include "obvious_memory.h"
#include "mem/bypass/entries.h"
#include "mem/prefetch/entries.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "obvious_interleave.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- Levels ---

bool obvious_loads_only(const struct obvious_level *level)
{
    return level->number >= WM_LEVEL_SIDE && level->number < WM_LEVEL_SIDE + WM_SIDE_CACHE_KINDS;
}

bool obvious_serves_data(const struct obvious_level *level)
{
    return level->number == WM_LEVEL_L1 || (level->spec->serves & WM_SERVES_DATA) != 0;
}

struct obvious_node *obvious_node_of(const struct obvious_level *level, uint32_t unit,
                                     uint64_t address)
{
    uint64_t group = (unit - level->spec->first_unit) / level->units_each;
    return &level->nodes[group * level->slices + obvious_slice(level->spec, address)];
}

// The level where a unit's own loads and stores begin, if it is not L2.
static struct obvious_level *level_of_data(struct obvious_memory *memory, uint32_t unit)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_level_spec *spec = &memory->spec.levels[i];
        bool reaches = spec->unit_count == 0 ||
                       (unit >= spec->first_unit && unit < spec->first_unit + spec->unit_count);
        if (spec->cache.present && reaches && obvious_serves_data(&memory->levels[i]))
            return &memory->levels[i];
    }
    return NULL;
}

struct obvious_level *obvious_past_first(struct obvious_memory *memory, uint32_t unit)
{
    struct obvious_level *first = level_of_data(memory, unit), *l2 = &memory->levels[WM_LEVEL_L2];
    return first != NULL ? first->below : l2->node_count > 0 ? l2 : NULL;
}

// --- Accesses ---

static struct obvious_request request_of(const struct wm_request *request)
{
    return (struct obvious_request){
        .client = request->kind == WM_ACCESS_LOAD    ? WM_CACHE_LOAD
                  : request->kind == WM_ACCESS_STORE ? WM_CACHE_STORE
                                                     : WM_CACHE_ATOMIC,
        .address = request->address,
        .sectors = request->sectors,
        .who = {.sm = request->sm,
                .warp = request->warp,
                .pc = request->pc,
                .kind = request->kind,
                .hint = request->hint},
    };
}

// Which bytes of each sector a store writes. Where it does not say, any part will do that is not
// all: only caches with byte masks would show it.
static void bytes_of_store(const struct wm_request *request, uint32_t *bytes)
{
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        bytes[i] = request->full_sectors >> i & 1                               ? UINT32_MAX
                   : request->bytes != NULL && (request->sectors >> i & 1) != 0 ? request->bytes[i]
                                                                                : 1;
}

// How many of its lines a load that used L1 found there, in the groups of docs/divergence.md.
static void note_load(struct obvious_memory *memory, struct wm_load_miss_counters *c,
                      const struct wm_request *request, bool looked_up, bool missed)
{
    if (request->kind != WM_ACCESS_LOAD)
        return;
    if (memory->load.left == 0) {
        memory->load.lines = memory->load.left = request->lines > 1 ? request->lines : 1;
        memory->load.looked_up = memory->load.missed = 0;
    }
    memory->load.looked_up += looked_up;
    memory->load.missed += missed;
    memory->load.left--;
    if (memory->load.left > 0 || memory->load.looked_up < memory->load.lines)
        return;
    uint32_t misses = memory->load.missed;
    if (memory->load.lines <= 2) {
        c->coherent_loads++;
        c->coherent_loads_cached += misses == 0;
        c->coherent_loads_missed_1 += misses == 1;
        c->coherent_loads_missed_2 += misses == 2;
    } else {
        c->divergent_loads++;
        c->divergent_loads_cached += misses == 0;
        c->divergent_loads_missed_1 += misses == 1;
        c->divergent_loads_missed_2 += misses == 2;
        c->divergent_loads_missed_more += misses >= 3 && misses <= 31;
        c->divergent_loads_missed_32 += misses >= 32;
    }
}

// What a level's bypass entry decides about a load or store.
static enum wm_bypass_decision decide(const struct wm_level_spec *level,
                                      const struct wm_request *request)
{
    const struct wm_bypass_ops *entry = level->bypass;
    bool no_lookup = level->bypass_means == WM_BYPASS_MEANS_NO_LOOKUP;
    if (entry == &wm_bypass_none && !request->around_l1)
        return WM_BYPASS_NO;
    if (entry == &wm_bypass_per_pc && !request->around_l1 && request->listed)
        return no_lookup ? WM_BYPASS_LOOKUP : WM_BYPASS_ALLOCATION;
    switch (request->hint) {
    case WM_HINT_L2_ONLY: return WM_BYPASS_LOOKUP;
    case WM_HINT_NO_L1: return WM_BYPASS_ALLOCATION;
    default: return WM_BYPASS_NO;
    }
}

void obvious_serve(struct obvious_memory *memory, const struct wm_request *request)
{
    struct obvious_request rest = request_of(request);
    uint32_t bytes[OBVIOUS_SECTORS];
    memory->unit = request->sm;
    if (request->kind == WM_ACCESS_STORE) {
        bytes_of_store(request, bytes);
        rest.bytes = bytes;
    }
    struct obvious_level *level = level_of_data(memory, request->sm);
    if (level == NULL) {
        obvious_arrive(memory, obvious_past_first(memory, request->sm), request->sm, &rest);
        return;
    }
    enum wm_bypass_decision decision = decide(level->spec, request);
    bool around = rest.client == WM_CACHE_ATOMIC || request->hint == WM_HINT_VOLATILE ||
                  decision == WM_BYPASS_LOOKUP;
    struct obvious_part part;
    while (obvious_next_part(&rest, level->spec->cache.line_bytes, &part)) {
        struct obvious_node *node = obvious_node_of(level, request->sm, part.request.address);
        uint32_t missing = 0;
        part.request.takes_no_line = !around && decision == WM_BYPASS_ALLOCATION;
        if (around)
            obvious_pass(memory, node, &part.request);
        else
            missing = obvious_look_up(memory, node, &part.request);
        node -= (node - level->nodes) % level->slices; // the first of its slices counts loads
        note_load(memory, &node->array.counters.load_miss_counts, request, !around, missing != 0);
    }
}

bool obvious_comes_first(struct obvious_memory *memory, const struct wm_request *request)
{
    struct obvious_level *level = level_of_data(memory, request->sm);
    if (level == NULL || level->spec->allocation == WM_ALLOCATE_ON_MISS ||
        request->kind != WM_ACCESS_LOAD || request->around_l1)
        return true;
    struct obvious_node *node = obvious_node_of(level, request->sm, request->address);
    uint64_t number = request->address / level->spec->cache.line_bytes;
    return obvious_find(&node->array, number) != NULL ||
           (node->victims != NULL && obvious_find(node->victims, number) != NULL);
}

void obvious_side_cache_load(struct obvious_memory *memory, enum wm_side_cache_kind kind,
                             const struct wm_request *request)
{
    struct obvious_level *level = &memory->levels[WM_LEVEL_SIDE + kind];
    const struct obvious_request load = {
        .client = WM_CACHE_LOAD,
        .address = request->address,
        .sectors = request->sectors,
        .who = {.sm = request->sm, .warp = request->warp, .pc = request->pc},
    };
    memory->unit = request->sm;
    if (level->node_count > 0)
        obvious_arrive(memory, level, request->sm, &load);
}

// --- Building ---

// Whether one of its caches is of all units.
static bool is_of_all(const struct wm_level_spec *spec)
{
    return spec->units_each == WM_UNITS_ALL || spec->place == WM_PLACE_MACHINE ||
           (spec->units_each == 0 && spec->slices != 0);
}

static void name_node(const struct obvious_level *level, uint32_t index, const char *name,
                      char *path, size_t size)
{
    static const char *const places[] = {"gpu0.", "cpu0.", ""}, *const units[] = {"sm", "core"};
    const struct wm_level_spec *spec = level->spec;
    char slice[16] = "";
    if (spec->slices != 0)
        snprintf(slice, sizeof slice, "[%" PRIu32 "]", index % level->slices);
    if (is_of_all(spec))
        snprintf(path, size, "%s%s%s", places[spec->place], name, slice);
    else
        snprintf(path, size, "%s%s[%" PRIu32 "].%s%s", places[spec->place], units[spec->place],
                 index / level->slices * level->units_each, name, slice);
}

static const char *name_of(const struct obvious_level *level)
{
    static const char *const names[WM_LEVELS_NAMED] = {"l1",     "constant",    "texture",
                                                       "scalar", "instruction", "l2"};
    bool own = level->spec->name[0] != '\0' || level->number >= WM_LEVELS_NAMED;
    return own ? level->spec->name : names[level->number];
}

// Those of L1s are named as these are, others within their own.
static void add_victims(struct obvious_node *node, uint32_t index)
{
    struct wm_cache_spec spec = node->level->spec->cache;
    char path[sizeof node->array.path + sizeof ".victim"];
    spec.ways = node->level->spec->victim_lines;
    spec.size_bytes = (uint64_t)spec.ways * spec.line_bytes;
    spec.replacement = &wm_replacement_lru;
    spec.set_index = &wm_set_index_modulo;
    if (node->level->number == WM_LEVEL_L1)
        name_node(node->level, index, "victim", path, sizeof path);
    else
        snprintf(path, sizeof path, "%s.victim", node->array.path);
    node->victims = calloc(1, sizeof *node->victims);
    obvious_cache_init(node->victims, &spec, path);
}

void obvious_node_init_array(struct obvious_node *node, const char *path)
{
    struct wm_cache_spec array = node->level->spec->cache;
    array.size_bytes /= node->level->slices;
    array.dirty_limit_bytes /= node->level->slices;
    obvious_cache_init(&node->array, &array, path);
    node->array.slices = node->level->slices;
    node->array.interleave_bytes = node->level->spec->interleave_bytes;
    node->array.hands_on = node->level->spec->victim_lines != 0;
}

static void init_node(struct obvious_node *node, struct obvious_level *level, uint32_t index)
{
    char path[80];
    name_node(level, index, name_of(level), path, sizeof path);
    node->level = level;
    node->first_unit = level->spec->first_unit + index / level->slices * level->units_each;
    obvious_node_init_array(node, path);
    if (level->spec->victim_lines != 0)
        add_victims(node, index);
    if (level->spec->atomic_buffer_lines != 0)
        node->buffer = calloc(1, sizeof *node->buffer);
    if (level->spec->prefetch != NULL && level->spec->prefetch != &wm_prefetch_none) {
        node->prefetcher = calloc(1, sizeof *node->prefetcher);
        obvious_prefetch_init(node->prefetcher, level->spec, index % level->slices);
    }
}

static void init_level(struct obvious_memory *memory, uint32_t number)
{
    struct obvious_level *level = &memory->levels[number], *l2 = &memory->levels[WM_LEVEL_L2];
    const struct wm_level_spec *spec = &memory->spec.levels[number];
    uint32_t units = memory->spec.sm_count + memory->spec.core_count;
    if (spec->unit_count != 0)
        units = spec->unit_count;
    *level = (struct obvious_level){.spec = spec, .number = number};
    if (!spec->cache.present)
        return;
    level->slices = spec->slices != 0 ? spec->slices : 1;
    level->units_each = is_of_all(spec) ? units : spec->units_each != 0 ? spec->units_each : 1;
    if (spec->below == WM_BELOW_DEFAULT)
        level->below = number < WM_LEVEL_L2 && l2->spec->cache.present ? l2 : NULL;
    else if (spec->below != WM_BELOW_MEMORY)
        level->below = &memory->levels[spec->below - 1];
    level->node_count = (units + level->units_each - 1) / level->units_each * level->slices;
    level->nodes = calloc(level->node_count, sizeof *level->nodes);
    for (uint32_t i = 0; i < level->node_count; i++)
        init_node(&level->nodes[i], level, i);
}

static uint32_t levels_below(const struct obvious_level *level)
{
    return level->below == NULL ? 0 : 1 + levels_below(level->below);
}

// The GPU's, then the CPU's, then what all share: of each those with the most levels below come
// first, and of as many in the order of their numbers.
static void list_top_down(struct obvious_memory *memory)
{
    for (uint32_t place = 0; place < WM_LEVEL_PLACES; place++)
        for (uint32_t below = WM_MOST_LEVELS; below-- > 0;)
            for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
                struct obvious_level *level = &memory->levels[i];
                if (level->node_count > 0 && level->spec->place == place &&
                    levels_below(level) == below)
                    memory->top_down[memory->level_count++] = level;
            }
}

struct obvious_memory *obvious_memory_new(const struct wm_memory_spec *spec)
{
    struct obvious_memory *memory = calloc(1, sizeof *memory);
    memory->spec = *spec;
    memory->dram = calloc(spec->dram.channels, sizeof *memory->dram);
    for (uint32_t i = WM_MOST_LEVELS; i-- > 0;)
        init_level(memory, i);
    list_top_down(memory);
    obvious_tlbs_init(memory);
    obvious_trackers_init(memory);
    return memory;
}

void obvious_memory_free(struct obvious_memory *memory)
{
    for (uint32_t i = 0; i < memory->level_count; i++) {
        struct obvious_level *level = memory->top_down[i];
        for (uint32_t n = 0; n < level->node_count; n++) {
            obvious_cache_release(&level->nodes[n].array);
            if (level->nodes[n].victims != NULL)
                obvious_cache_release(level->nodes[n].victims);
            free(level->nodes[n].victims);
            free(level->nodes[n].buffer);
            free(level->nodes[n].prefetcher);
        }
        free(level->nodes);
    }
    obvious_tlbs_free(memory);
    free(memory->trackers);
    free(memory->dram);
    free(memory);
}

// --- Comparing ---

// Of a node: the counters of what has that path, or NULL.
static const uint64_t *counters_in(const struct obvious_node *node, const char *path)
{
    size_t length = strlen(node->array.path);
    if (strcmp(node->array.path, path) == 0)
        return &node->array.counters.accesses;
    if (node->victims != NULL && strcmp(node->victims->path, path) == 0)
        return &node->victims->counters.accesses;
    if (strncmp(node->array.path, path, length) != 0)
        return NULL;
    if (node->buffer != NULL && strcmp(path + length, ".atomic_buffer") == 0)
        return &node->buffer->counters.operations;
    if (node->prefetcher != NULL && strcmp(path + length, ".prefetcher") == 0)
        return &node->prefetcher->counters.misses;
    if (node->array.spec.dirty_limit_bytes != 0 && strcmp(path + length, ".dirty_limit") == 0)
        return &node->array.limit_counters.cleaned;
    if (node->level->spec->partitions > 1 && strcmp(path + length, ".partition") == 0)
        return &node->crossings.loads;
    return NULL;
}

// The counters of the component of that name, or NULL.
static const uint64_t *counters_of(const struct obvious_memory *memory, const char *path)
{
    for (uint32_t i = 0; i < memory->level_count; i++)
        for (uint32_t n = 0; n < memory->top_down[i]->node_count; n++) {
            const uint64_t *found = counters_in(&memory->top_down[i]->nodes[n], path);
            if (found != NULL)
                return found;
        }
    for (uint32_t i = 0; i < memory->tlb_count; i++)
        if (strcmp(memory->l1_tlbs[i].pages.path, path) == 0)
            return &memory->l1_tlbs[i].counters.lookups;
    if (memory->l2_tlb != NULL && strcmp(memory->l2_tlb->pages.path, path) == 0)
        return &memory->l2_tlb->counters.lookups;
    uint32_t at, bank;
    if (sscanf(path, "gpu0.tracker[%" SCNu32 "].bank[%" SCNu32 "]", &at, &bank) == 2 &&
        at < memory->tracker_count && bank < memory->trackers[at].spec.banks)
        return &memory->trackers[at].counters[bank].lookups;
    if (sscanf(path, "gpu0.dram[%" SCNu32 "]", &at) == 1 && at < memory->spec.dram.channels)
        return &memory->dram[at].reads;
    return NULL;
}

static size_t component_count(const struct obvious_memory *memory)
{
    size_t count = memory->spec.dram.channels + memory->tlb_count + (memory->l2_tlb != NULL);
    for (uint32_t i = 0; i < memory->tracker_count; i++)
        count += memory->trackers[i].spec.banks;
    for (uint32_t i = 0; i < memory->level_count; i++)
        for (uint32_t n = 0; n < memory->top_down[i]->node_count; n++) {
            const struct obvious_node *node = &memory->top_down[i]->nodes[n];
            count += 1u + (node->victims != NULL) + (node->buffer != NULL) +
                     (node->prefetcher != NULL) + (node->array.spec.dirty_limit_bytes != 0) +
                     (node->level->spec->partitions > 1);
        }
    return count;
}

static bool is_of_model(const struct wm_component_counters *component)
{
    // What explains misses is apart, and counts nothing of its own.
    const char *kind = component->set->kind;
    return strstr(kind, "explained") == NULL && strstr(kind, "reuse") == NULL &&
           strstr(kind, "sharing") == NULL;
}

static bool equal_component(const struct wm_component_counters *component, const uint64_t *expected)
{
    size_t count = component->set->count;
    if (memcmp(component->values, expected, count * sizeof *expected) == 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        if (component->values[i] == expected[i])
            continue;
        fprintf(stderr, "%s %s: counted %" PRIu64 ", the model says %" PRIu64 "\n", component->path,
                component->set->declarations[i].name, component->values[i], expected[i]);
        return false;
    }
    return true;
}

bool obvious_equal(const struct obvious_memory *memory, const struct wm_memory *real)
{
    size_t count, known = 0;
    const struct wm_component_counters *components = wm_memory_components(real, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_of_model(&components[i]))
            continue;
        const uint64_t *expected = counters_of(memory, components[i].path);
        if (expected == NULL) {
            fprintf(stderr, "%s: the model has no such component\n", components[i].path);
            return false;
        }
        if (!equal_component(&components[i], expected))
            return false;
        known++;
    }
    if (known != component_count(memory))
        fprintf(stderr, "%zu components, the model has %zu\n", known, component_count(memory));
    return known == component_count(memory);
}

// The levels of caches of a memory system: each from its description, with the paths that the graph
// gives; what is done to all caches of one or of all.
#include "base/containers/array.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/coherent_levels.h"
#include "mem/system/memory_state.h"
#include "mem/system/self_invalidation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Caches begin with a line of the host's.
static struct wm_cache *new_caches(uint32_t count)
{
    size_t bytes = (count * sizeof(struct wm_cache) + 63) / 64 * 64;
    struct wm_cache *caches = aligned_alloc(64, bytes);
    if (caches != NULL)
        memset(caches, 0, bytes);
    return caches;
}

// The caches of a level, all like `spec`. Nothing is built where the machine has no such component.
static enum wm_status build(struct wm_memory *memory, uint32_t number,
                            const struct wm_cache_spec *spec, struct wm_error *error)
{
    const struct wm_memory_graph *graph = &memory->graph;
    struct wm_cache_level *level = &memory->levels[number];
    uint32_t component = graph->levels[number];
    if (component == WM_NO_COMPONENT)
        return WM_OK;
    uint32_t count = wm_memory_graph_path_count(graph, component);
    level->caches = new_caches(count);
    if (level->caches == NULL)
        return wm_fail_no_memory(error, "%" PRIu32 " caches of %s", count,
                                 graph->components[component].name);
    level->count = count;
    for (uint32_t i = 0; i < count; i++) {
        char path[sizeof memory->components->path];
        wm_memory_graph_path(graph, component, i, NULL, path, sizeof path);
        WM_TRY(wm_cache_init(&level->caches[i], spec, path, error));
        if (level->is_coherent)
            WM_TRY(wm_cache_keep_ways(&level->caches[i], error));
    }
    return WM_OK;
}

static enum wm_status build_interleave(struct wm_memory *memory, uint32_t number,
                                       struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    return wm_block_hash_new(&memory->levels[number].interleave_hash,
                             spec->levels[number].interleave_hash, wm_level_hash_bits(spec, number),
                             error);
}

static enum wm_status build_set_tables(struct wm_cache_level *level, struct wm_error *error)
{
    const struct wm_cache *cache = level->caches;
    bool hashes = cache != NULL && level->slices.divisor > 1 && cache->set_index->is_linear &&
                  !cache->set_index->is_modulo;
    if (!hashes || !wm_set_hash_has_tables(&cache->set_hash))
        return WM_OK;
    level->sets = malloc(sizeof *level->sets);
    if (level->sets == NULL)
        return wm_fail_no_memory(error, "the set index of a level's slices");
    wm_set_tables_fill(level->sets, &cache->set_hash);
    return WM_OK;
}

// One set of LRU behind each cache (docs/memory-system.md, R7).
static enum wm_status build_victims(struct wm_cache_level *level, const struct wm_cache_spec *spec,
                                    uint32_t lines, struct wm_error *error)
{
    if (level->caches == NULL || lines == 0)
        return WM_OK;
    struct wm_cache_spec victim = *spec;
    victim.size_bytes = (uint64_t)lines * spec->line_bytes;
    victim.ways = lines;
    victim.replacement = &wm_replacement_lru;
    victim.replacement_values = (struct wm_entry_values){0};
    victim.set_index = &wm_set_index_modulo;
    victim.dirty_limit_bytes = 0;
    level->victims = new_caches(level->count);
    if (level->victims == NULL)
        return wm_fail_no_memory(error, "%" PRIu32 " victim caches", level->count);
    for (uint32_t i = 0; i < level->count; i++)
        WM_TRY(wm_cache_init(&level->victims[i], &victim, "victim", error));
    return WM_OK;
}

// Where each unit's data accesses begin. A machine without such a level has L1s without caches
// there.
static enum wm_status list_by_unit(struct wm_memory *memory, struct wm_error *error)
{
    uint32_t units = wm_memory_units(&memory->spec);
    WM_TRY(WM_ARRAY_NEW(memory->first_of_unit, units, error, "%" PRIu32 " units", units));
    if (memory->levels[WM_LEVEL_L1].caches != NULL)
        WM_TRY(WM_ARRAY_NEW(memory->l1_of_sm, units, error, "the L1s of %" PRIu32 " units", units));
    for (uint32_t unit = 0; unit < units; unit++) {
        uint32_t first = wm_level_first(&memory->spec, unit, WM_SERVES_DATA);
        struct wm_cache_level *level =
            &memory->levels[first == WM_BELOW_MEMORY ? WM_LEVEL_L1 : first];
        memory->first_of_unit[unit] = level;
        if (memory->l1_of_sm != NULL)
            memory->l1_of_sm[unit] =
                &level->caches[wm_level_instance(level, unit) * level->slices.divisor];
    }
    return WM_OK;
}

// Requests to a level without caches, which pass it, are of these lines.
static uint32_t line_bytes_of(const struct wm_memory *memory, uint32_t level)
{
    const struct wm_cache_spec *spec = &memory->spec.levels[level].cache;
    return spec->present          ? spec->line_bytes
           : level == WM_LEVEL_L2 ? memory->l2_line_bytes
                                  : memory->request_bytes;
}

// What the spec says of a level, whether or not it has caches.
static void describe(struct wm_memory *memory, uint32_t number)
{
    const struct wm_memory_spec *spec = &memory->spec;
    const struct wm_level_spec *described = &spec->levels[number];
    struct wm_cache_level *level = &memory->levels[number];
    bool side = wm_level_is_side(number);
    uint32_t below = wm_level_below(spec, number);
    if (below != WM_BELOW_MEMORY)
        level->below = &memory->levels[below];
    else if (number < WM_LEVEL_L2 && described->below == WM_BELOW_DEFAULT)
        level->below = &memory->levels[WM_LEVEL_L2]; // without caches: what passes it is charged
    level->unit_count = wm_level_unit_count(spec, number);
    level->first_unit = described->first_unit;
    level->slices =
        wm_divider_of(described->slices > 1 && described->cache.present ? described->slices : 1);
    level->partitions =
        described->cache.present && described->partitions > 1 ? described->partitions : 1;
    level->partition_slices = (uint32_t)level->slices.divisor / level->partitions;
    level->units_each = wm_level_sharers(spec, number);
    level->is_home = wm_level_is_home(spec, number);
    level->line_bytes = line_bytes_of(memory, number);
    level->line_shift = (uint32_t)__builtin_ctz(level->line_bytes);
    level->line_sectors = level->line_bytes / WM_SECTOR_BYTES;
    if (level->slices.divisor > 1)
        level->block_shift =
            (uint32_t)__builtin_ctzll(described->interleave_bytes / level->line_bytes);
    level->loads_only = side;
    level->number = number;
    level->is_coherent = wm_level_is_coherent(spec, number);
    if (described->cache.present && !level->is_coherent) // whose tables see to that
        level->inclusion = described->inclusion;
    level->takes_uncached_only = described->load_allocation == WM_L2_TAKES_UNCACHED;
    level->passes_atomics = wm_level_passes_atomics(spec, number);
}

static void order_from_units(struct wm_memory *memory)
{
    struct wm_level_list list;
    wm_level_list_make(&memory->spec, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        struct wm_cache_level *level = &memory->levels[list.levels[i].number];
        if (level->caches != NULL)
            memory->from_units[memory->level_count++] = level;
    }
}

enum wm_status wm_memory_levels_init(struct wm_memory *memory, struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_level_spec *described = &spec->levels[i];
        struct wm_cache_spec one =
            wm_divergence_built_as(&described->divergence, &described->cache);
        describe(memory, i);
        one.size_bytes /= memory->levels[i].slices.divisor;
        one.dirty_limit_bytes /= memory->levels[i].slices.divisor;
        WM_TRY(build(memory, i, &one, error));
        WM_TRY(build_interleave(memory, i, error));
        if (memory->levels[i].partitions > 1)
            WM_TRY(WM_ARRAY_NEW(memory->levels[i].crossings, memory->levels[i].count, error,
                                "the partitions of a level"));
        WM_TRY(wm_self_invalidation_init(&memory->levels[i], spec, error));
        WM_TRY(build_set_tables(&memory->levels[i], error));
        WM_TRY(wm_prefetchers_init(&memory->levels[i].prefetchers, memory->levels[i].caches,
                                   memory->levels[i].count, described, error));
        WM_TRY(
            build_victims(&memory->levels[i], &described->cache, described->victim_lines, error));
    }
    order_from_units(memory);
    return list_by_unit(memory, error);
}

static void release(struct wm_cache *caches, uint32_t count)
{
    for (uint32_t i = 0; caches != NULL && i < count; i++)
        wm_cache_release(&caches[i]);
    free(caches);
}

void wm_memory_levels_release(struct wm_memory *memory)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        release(memory->levels[i].caches, memory->levels[i].count);
        release(memory->levels[i].victims, memory->levels[i].count);
        free(memory->levels[i].sets);
        free(memory->levels[i].interleave_hash);
        free(memory->levels[i].crossings);
        free(memory->levels[i].self_invalidations);
        wm_prefetchers_release(&memory->levels[i].prefetchers);
    }
    free(memory->first_of_unit);
    free(memory->l1_of_sm);
}

// Of one of the caches; 0 when there are none.
static uint64_t lines_of(const struct wm_cache *caches)
{
    return caches != NULL ? (uint64_t)caches->sets * caches->ways : 0;
}

uint64_t wm_memory_largest_cache_lines(const struct wm_memory *memory)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        uint64_t lines = lines_of(memory->levels[i].caches);
        uint64_t victim_lines = lines_of(memory->levels[i].victims);
        most = most > lines ? most : lines;
        most = most > victim_lines ? most : victim_lines;
    }
    return most;
}

bool wm_memory_levels_opt_failed(const struct wm_memory *memory)
{
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++)
        for (uint32_t i = 0; i < memory->levels[level].count; i++)
            if (wm_cache_opt_failed(&memory->levels[level].caches[i]))
                return true;
    return false;
}

void wm_cache_level_flush(struct wm_cache_level *level, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        wm_cache_flush(&level->caches[i]);
        if (level->victims != NULL)
            wm_cache_flush(&level->victims[i]);
    }
}

// The levels of caches of a memory system: each from its description, with the paths that the graph
// gives; what is done to all caches of one or of all.
#include "base/containers/array.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Where a level's hits and misses stand among an instruction's counters.
#define CHARGE_AT(hits) (offsetof(struct wm_instruction_counters, hits) / sizeof(uint64_t))
_Static_assert(CHARGE_AT(l1_misses) == CHARGE_AT(l1_hits) + 1 &&
                   CHARGE_AT(side_cache_misses) == CHARGE_AT(side_cache_hits) + 1 &&
                   CHARGE_AT(l2_misses) == CHARGE_AT(l2_hits) + 1,
               "misses are charged behind hits");

// Caches begin with a line of the host's.
static struct wm_cache *new_caches(uint32_t count)
{
    size_t bytes = (count * sizeof(struct wm_cache) + 63) / 64 * 64;
    struct wm_cache *caches = aligned_alloc(64, bytes);
    if (caches != NULL)
        memset(caches, 0, bytes);
    return caches;
}

// Nothing is built where the machine has no such component.
static enum wm_status build(struct wm_memory *memory, struct wm_cache_level *level,
                            uint32_t component, const struct wm_cache_spec *spec,
                            struct wm_error *error)
{
    const struct wm_memory_graph *graph = &memory->graph;
    if (component == WM_NO_COMPONENT)
        return WM_OK;
    uint32_t count = wm_memory_graph_path_count(graph, component);
    level->sms_each = graph->components[component].units_each;
    level->caches = new_caches(count);
    if (level->caches == NULL)
        return wm_fail_no_memory(error, "%" PRIu32 " caches of %s", count,
                                 graph->components[component].name);
    level->count = count;
    for (uint32_t i = 0; i < count; i++) {
        char path[sizeof memory->components->path];
        wm_memory_graph_path(graph, component, i, NULL, path, sizeof path);
        WM_TRY(wm_cache_init(&level->caches[i], spec, path, error));
    }
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
    level->victims = new_caches(level->count);
    if (level->victims == NULL)
        return wm_fail_no_memory(error, "%" PRIu32 " victim caches", level->count);
    for (uint32_t i = 0; i < level->count; i++)
        WM_TRY(wm_cache_init(&level->victims[i], &victim, "victim", error));
    return WM_OK;
}

static enum wm_status list_l1s_by_sm(struct wm_memory *memory, struct wm_error *error)
{
    uint32_t sms = memory->spec.sm_count;
    if (memory->levels[WM_LEVEL_L1].caches == NULL)
        return WM_OK;
    WM_TRY(WM_ARRAY_NEW(memory->l1_of_sm, sms, error, "the L1s of %" PRIu32 " SMs", sms));
    for (uint32_t sm = 0; sm < sms; sm++)
        memory->l1_of_sm[sm] = wm_cache_of_sm(&memory->levels[WM_LEVEL_L1], sm);
    return WM_OK;
}

// What the spec says of each, whether or not it has caches.
static void describe_levels(struct wm_memory *memory)
{
    const struct wm_memory_spec *spec = &memory->spec;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        struct wm_cache_level *level = &memory->levels[i];
        const struct wm_level_spec *described = &spec->levels[i];
        bool side = i >= WM_LEVEL_SIDE && i < WM_LEVEL_SIDE + WM_SIDE_CACHE_KINDS;
        uint32_t below = wm_level_below(spec, i);
        if (below != WM_BELOW_MEMORY)
            level->below = &memory->levels[below];
        else if (i <
                 WM_LEVEL_L2) // without caches, and what goes through it is charged all the same
            level->below = &memory->levels[WM_LEVEL_L2];
        level->loads_only = side;
        level->charge = i == WM_LEVEL_L1 ? CHARGE_AT(l1_hits)
                        : side           ? CHARGE_AT(side_cache_hits)
                                         : CHARGE_AT(l2_hits);
        if (described->cache.present)
            level->inclusion = described->inclusion;
        level->takes_uncached_only = described->load_allocation == WM_L2_TAKES_UNCACHED;
    }
}

enum wm_status wm_memory_levels_init(struct wm_memory *memory, struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    const struct wm_memory_graph *graph = &memory->graph;
    describe_levels(memory);
    const struct wm_cache_spec l1 = wm_divergence_built_as(&spec->levels[WM_LEVEL_L1].divergence,
                                                           &spec->levels[WM_LEVEL_L1].cache);
    WM_TRY(build(memory, &memory->levels[WM_LEVEL_L1], graph->levels[WM_LEVEL_L1], &l1, error));
    WM_TRY(build_victims(&memory->levels[WM_LEVEL_L1], &spec->levels[WM_LEVEL_L1].cache,
                         spec->levels[WM_LEVEL_L1].victim_lines, error));
    WM_TRY(list_l1s_by_sm(memory, error));
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        WM_TRY(build(memory, &memory->levels[WM_LEVEL_SIDE + kind],
                     graph->levels[WM_LEVEL_SIDE + kind], &spec->levels[WM_LEVEL_SIDE + kind].cache,
                     error));
    struct wm_cache_spec slice = spec->levels[WM_LEVEL_L2].cache;
    if (spec->levels[WM_LEVEL_L2].cache.present)
        slice.size_bytes /= spec->levels[WM_LEVEL_L2].slices;
    return build(memory, &memory->levels[WM_LEVEL_L2], graph->levels[WM_LEVEL_L2], &slice, error);
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
    }
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

void wm_cache_level_flush(struct wm_cache_level *level)
{
    for (uint32_t i = 0; i < level->count; i++) {
        wm_cache_flush(&level->caches[i]);
        if (level->victims != NULL)
            wm_cache_flush(&level->victims[i]);
    }
}

// The components of a memory system and their counters, in the order of its graph.
#include "base/containers/array.h"
#include "mem/cache/dirty_limit.h"
#include "mem/system/coherent_memory.h"
#include "mem/system/memory_state.h"
#include "mem/system/self_invalidation.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Results, and studies of several machines, keep the sets of components and not their memory
// systems: a set of a level that is called so is made once, and stays.
static struct own_set {
    struct own_set *next;
    struct wm_counter_set set;
    char kind[WM_OWN_SET_BYTES], title[WM_OWN_SET_BYTES];
} * own_sets;

const struct wm_counter_set *wm_own_counter_set(const char *kind, const char *title,
                                                const struct wm_counter_set *like)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    struct own_set *own = own_sets;
    while (own != NULL &&
           (own->set.declarations != like->declarations || strcmp(own->kind, kind) != 0))
        own = own->next;
    if (own == NULL && (own = malloc(sizeof *own)) != NULL) {
        *own = (struct own_set){.next = own_sets, .set = *like};
        snprintf(own->kind, sizeof own->kind, "%s", kind);
        own->set.kind = own->kind;
        snprintf(own->title, sizeof own->title, "%s", title);
        own->set.title = own->title;
        own_sets = own;
    }
    pthread_mutex_unlock(&lock);
    return own != NULL ? &own->set : NULL;
}

static const struct wm_counter_set *set_of_level(const struct wm_memory_spec *spec, uint32_t level)
{
    char kind[WM_LEVEL_COUNTER_BYTES], title[WM_LEVEL_COUNTER_BYTES];
    const struct wm_counter_set *like = level == WM_LEVEL_L1 ? &wm_l1_counter_set
                                        : level >= WM_LEVEL_L2
                                            ? &wm_l2_counter_set
                                            : &wm_side_cache_counter_sets[level - WM_LEVEL_SIDE];
    wm_level_kind(spec, level, kind);
    return strcmp(kind, like->kind) == 0
               ? like
               : wm_own_counter_set(kind, wm_level_title(kind, title), like);
}

// Of one path of a component; NULL: nothing is counted there (units, networks).
static const struct wm_counter_set *counters_of(const struct wm_memory *memory, uint32_t component,
                                                uint32_t index, const void **values)
{
    const struct wm_memory_component *it = &memory->graph.components[component];
    switch (it->kind) {
    case WM_COMPONENT_LEVEL:
        *values = &memory->levels[it->level].caches[index].counters;
        return set_of_level(&memory->spec, it->level);
    case WM_COMPONENT_VICTIM:
        *values = &memory->levels[it->level].victims[index].counters;
        return &wm_victim_counter_set;
    case WM_COMPONENT_TLB:
        *values = component == memory->graph.l1_tlb ? &memory->tlbs->l1[index].counters
                                                    : &memory->tlbs->l2[index].counters;
        return component == memory->graph.l1_tlb ? &wm_l1_tlb_counter_set : &wm_l2_tlb_counter_set;
    case WM_COMPONENT_TRACKER:
        *values = &memory->trackers[index / it->parts].counters[index % it->parts];
        return &wm_tracker_counter_set;
    case WM_COMPONENT_ATOMIC_BUFFER:
        *values = &memory->atomic_buffers[index].counters;
        return &wm_atomic_buffer_counter_set;
    case WM_COMPONENT_MEMORY: *values = &memory->dram[index]; return &wm_dram_counter_set;
    case WM_COMPONENT_UNITS:
    case WM_COMPONENT_NETWORK: break;
    }
    return NULL;
}

// What is counted apart in each cache of a level, where that has such a thing.
static void list_within(struct wm_memory *memory, uint32_t level, uint32_t index,
                        const struct wm_counter_set *set, const void *values)
{
    struct wm_component_counters *listed = &memory->components[memory->component_count++];
    listed->set = set;
    listed->values = values;
    wm_memory_graph_path(&memory->graph, memory->graph.levels[level], index, set->kind,
                         listed->path, sizeof listed->path);
}

static void list_prefetchers(struct wm_memory *memory, uint32_t level)
{
    const struct wm_cache_level *of = &memory->levels[level];
    for (uint32_t i = 0; of->prefetchers.ops != NULL && i < of->count; i++)
        list_within(memory, level, i, &wm_prefetcher_counter_set, &of->prefetchers.counters[i]);
}

static bool has_dirty_limit(const struct wm_cache_level *level)
{
    return level->caches != NULL && level->caches->dirty_limit != NULL;
}

static void list_dirty_limits(struct wm_memory *memory, uint32_t level)
{
    const struct wm_cache_level *of = &memory->levels[level];
    for (uint32_t i = 0; has_dirty_limit(of) && i < of->count; i++)
        list_within(memory, level, i, &wm_dirty_limit_counter_set,
                    &of->caches[i].dirty_limit->counters);
}

static void list_partitions(struct wm_memory *memory, uint32_t level)
{
    const struct wm_cache_level *of = &memory->levels[level];
    for (uint32_t i = 0; of->crossings != NULL && i < of->count; i++)
        list_within(memory, level, i, &wm_partition_counter_set, &of->crossings[i]);
}

static void list_coherence(struct wm_memory *memory, uint32_t level)
{
    const struct wm_coherent_cache *caches =
        memory->coherent != NULL ? memory->coherent->caches[level] : NULL;
    for (uint32_t i = 0; caches != NULL && i < memory->levels[level].count; i++)
        list_within(memory, level, i, &wm_coherence_counter_set, &caches[i].counters);
}

static void list_self_invalidations(struct wm_memory *memory, uint32_t level)
{
    const struct wm_cache_level *of = &memory->levels[level];
    for (uint32_t i = 0; of->self_invalidations != NULL && i < of->count; i++)
        list_within(memory, level, i, &wm_self_invalidation_counter_set,
                    &of->self_invalidations[i]);
}

static void list_directory(struct wm_memory *memory)
{
    if (memory->coherent == NULL || !memory->coherent->levels.has_directory)
        return;
    struct wm_component_counters *listed = &memory->components[memory->component_count++];
    listed->set = &wm_directory_counter_set;
    listed->values = (const uint64_t *)&memory->coherent->directory_counters;
    snprintf(listed->path, sizeof listed->path, "%s", listed->set->kind);
}

enum wm_status wm_memory_list_components(struct wm_memory *memory, struct wm_error *error)
{
    const struct wm_memory_graph *graph = &memory->graph;
    size_t most = (size_t)memory->gpus * memory->gpus + 1; // and a directory
    for (uint32_t i = 0; i < graph->component_count; i++)
        most += wm_memory_graph_path_count(graph, i);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        most +=
            memory->levels[i].count *
            ((memory->levels[i].prefetchers.ops != NULL) +
             (size_t)has_dirty_limit(&memory->levels[i]) + (memory->levels[i].crossings != NULL) +
             memory->levels[i].is_coherent + (memory->levels[i].self_invalidations != NULL));
    WM_TRY(WM_ARRAY_NEW(memory->components, most, error, "the list of %zu components", most));
    for (uint32_t i = 0; i < graph->component_count; i++)
        for (uint32_t n = 0; n < wm_memory_graph_path_count(graph, i); n++) {
            struct wm_component_counters *listed = &memory->components[memory->component_count];
            const void *values = NULL;
            listed->set = counters_of(memory, i, n, &values);
            if (listed->set == NULL && values != NULL)
                return wm_fail_no_memory(error, "the counters of a level");
            if (listed->set == NULL)
                continue;
            listed->values = values;
            wm_memory_graph_path(graph, i, n, NULL, listed->path, sizeof listed->path);
            memory->component_count++;
        }
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        list_prefetchers(memory, i);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        list_dirty_limits(memory, i);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        list_partitions(memory, i);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        list_coherence(memory, i);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        list_self_invalidations(memory, i);
    list_directory(memory);
    for (uint32_t i = 0; memory->peer_links != NULL && i < memory->gpus * memory->gpus; i++) {
        struct wm_component_counters *listed = &memory->components[memory->component_count];
        if (i / memory->gpus == i % memory->gpus)
            continue;
        listed->set = &wm_peer_link_counter_set;
        listed->values = (const uint64_t *)&memory->peer_links[i];
        wm_memory_graph_peer_path(graph, i / memory->gpus, i % memory->gpus, NULL, listed->path,
                                  sizeof listed->path);
        memory->component_count++;
    }
    return WM_OK;
}

const struct wm_component_counters *wm_memory_components(const struct wm_memory *memory,
                                                         size_t *count)
{
    *count = memory->component_count;
    return memory->components;
}

// The components of a memory system and their counters, in the order of its graph.
#include "base/containers/array.h"
#include "mem/system/memory_state.h"

// Of one path of a component; NULL: nothing is counted there (units, networks).
static const struct wm_counter_set *counters_of(const struct wm_memory *memory, uint32_t component,
                                                uint32_t index, const void **values)
{
    const struct wm_memory_graph *graph = &memory->graph;
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        if (component == graph->levels[WM_LEVEL_SIDE + kind]) {
            *values = &memory->levels[WM_LEVEL_SIDE + kind].caches[index].counters;
            return &wm_side_cache_counter_sets[kind];
        }
    if (component == graph->levels[WM_LEVEL_L1]) {
        *values = &memory->levels[WM_LEVEL_L1].caches[index].counters;
        return &wm_l1_counter_set;
    }
    if (component == graph->victim) {
        *values = &memory->levels[WM_LEVEL_L1].victims[index].counters;
        return &wm_victim_counter_set;
    }
    if (component == graph->l1_tlb) {
        *values = &memory->tlbs->l1[index].counters;
        return &wm_l1_tlb_counter_set;
    }
    if (component == graph->l2_tlb) {
        *values = &memory->tlbs->l2[index].counters;
        return &wm_l2_tlb_counter_set;
    }
    if (component == graph->tracker) {
        uint32_t banks = memory->spec.levels[WM_LEVEL_L1].tracker.banks;
        *values = &memory->trackers[index / banks].counters[index % banks];
        return &wm_tracker_counter_set;
    }
    if (component == graph->levels[WM_LEVEL_L2]) {
        *values = &memory->levels[WM_LEVEL_L2].caches[index].counters;
        return &wm_l2_counter_set;
    }
    if (component == graph->atomic_buffer) {
        *values = &memory->atomic_buffers[index].counters;
        return &wm_atomic_buffer_counter_set;
    }
    if (component == graph->memory) {
        *values = &memory->dram[index];
        return &wm_dram_counter_set;
    }
    return NULL;
}

enum wm_status wm_memory_list_components(struct wm_memory *memory, struct wm_error *error)
{
    const struct wm_memory_graph *graph = &memory->graph;
    size_t most = (size_t)memory->gpus * memory->gpus;
    for (uint32_t i = 0; i < graph->component_count; i++)
        most += wm_memory_graph_path_count(graph, i);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        most += memory->levels[i].prefetchers.ops != NULL ? memory->levels[i].count : 0;
    WM_TRY(WM_ARRAY_NEW(memory->components, most, error, "the list of %zu components", most));
    for (uint32_t i = 0; i < graph->component_count; i++)
        for (uint32_t n = 0; n < wm_memory_graph_path_count(graph, i); n++) {
            struct wm_component_counters *listed = &memory->components[memory->component_count];
            const void *values = NULL;
            listed->set = counters_of(memory, i, n, &values);
            if (listed->set == NULL)
                continue;
            listed->values = values;
            wm_memory_graph_path(graph, i, n, NULL, listed->path, sizeof listed->path);
            memory->component_count++;
        }
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        for (uint32_t n = 0;
             memory->levels[i].prefetchers.ops != NULL && n < memory->levels[i].count; n++) {
            struct wm_component_counters *listed = &memory->components[memory->component_count++];
            listed->set = &wm_prefetcher_counter_set;
            listed->values = (const uint64_t *)&memory->levels[i].prefetchers.counters[n];
            wm_memory_graph_path(graph, graph->levels[i], n, "prefetcher", listed->path,
                                 sizeof listed->path);
        }
    for (uint32_t i = 0; memory->peer_links != NULL && i < memory->gpus * memory->gpus; i++) {
        struct wm_component_counters *listed = &memory->components[memory->component_count];
        if (i / memory->gpus == i % memory->gpus)
            continue;
        listed->set = &wm_peer_link_counter_set;
        listed->values = (const uint64_t *)&memory->peer_links[i];
        wm_memory_graph_peer_path(graph, i / memory->gpus, i % memory->gpus, listed->path,
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

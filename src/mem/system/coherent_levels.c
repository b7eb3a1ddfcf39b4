#include "mem/system/coherent_levels.h"

#include "base/containers/array.h"
#include "mem/coherence/coherence.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)WM_COHERENT_MOST_CHILDREN == (int)WM_COHERENCE_MOST_CHILDREN,
               "a directory has a bit for each child");

bool wm_level_is_coherent(const struct wm_memory_spec *spec, uint32_t level)
{
    return spec->levels[level].cache.present && spec->levels[level].coherence == WM_LEVEL_MESI;
}

bool wm_memory_is_coherent(const struct wm_memory_spec *spec)
{
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++)
        if (wm_level_is_coherent(spec, level))
            return true;
    return false;
}

bool wm_level_is_scoped(const struct wm_memory_spec *spec, uint32_t level)
{
    return spec->levels[level].cache.present && spec->levels[level].coherence == WM_LEVEL_SCOPED;
}

bool wm_level_is_coherent_leaf(const struct wm_memory_spec *spec, uint32_t level)
{
    if (!wm_level_is_coherent(spec, level))
        return false;
    for (uint32_t above = 0; above < WM_MOST_LEVELS; above++)
        if (wm_level_is_coherent(spec, above) && wm_level_below(spec, above) == level)
            return false;
    return true;
}

// Caches of coherent levels that miss to memory.
static uint32_t last_caches(const struct wm_memory_spec *spec)
{
    uint32_t count = 0;
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++)
        if (wm_level_is_coherent(spec, level) && wm_level_below(spec, level) == WM_BELOW_MEMORY)
            count += wm_level_instances(spec, level);
    return count;
}

bool wm_memory_has_directory(const struct wm_memory_spec *spec)
{
    return last_caches(spec) > 1;
}

// The cache of `below` that the first unit of a level's cache finds: all its units find that one.
static uint32_t instance_below(const struct wm_memory_spec *spec, uint32_t level, uint32_t instance,
                               uint32_t below)
{
    uint32_t unit = spec->levels[level].first_unit + instance * wm_level_sharers(spec, level);
    return (unit - spec->levels[below].first_unit) / wm_level_sharers(spec, below);
}

uint32_t wm_coherent_most_children(const struct wm_memory_spec *spec, uint32_t level)
{
    if (level == WM_MOST_LEVELS)
        return last_caches(spec);
    uint32_t most = 0;
    for (uint32_t at = 0; at < wm_level_instances(spec, level); at++) {
        uint32_t count = 0;
        for (uint32_t above = 0; above < WM_MOST_LEVELS; above++)
            for (uint32_t i = 0;
                 wm_level_is_coherent(spec, above) && wm_level_below(spec, above) == level &&
                 i < wm_level_instances(spec, above);
                 i++)
                count += instance_below(spec, above, i, level) == at;
        most = most > count ? most : count;
    }
    return most;
}

static uint32_t depth_of(const struct wm_memory_spec *spec, uint32_t level)
{
    uint32_t depth = 0;
    for (; level < WM_MOST_LEVELS; level = wm_level_below(spec, level))
        depth++;
    return depth;
}

// Those farthest from memory first, so that the root is the last.
static void number_nodes(struct wm_coherent_levels *levels, const struct wm_memory_spec *spec)
{
    for (uint32_t depth = WM_MOST_LEVELS; depth > 0; depth--)
        for (uint32_t level = 0; level < WM_MOST_LEVELS; level++) {
            if (!wm_level_is_coherent(spec, level) || depth_of(spec, level) != depth)
                continue;
            levels->first_node[level] = levels->node_count;
            for (uint32_t i = 0; i < wm_level_instances(spec, level); i++)
                levels->nodes[levels->node_count++] =
                    (struct wm_coherent_node){.level = level, .instance = i};
        }
    if (levels->has_directory)
        levels->nodes[levels->node_count++] = (struct wm_coherent_node){.level = WM_MOST_LEVELS};
    levels->root = levels->node_count - 1;
}

static uint32_t home_of(const struct wm_coherent_levels *levels, const struct wm_memory_spec *spec,
                        const struct wm_coherent_node *node)
{
    if (node->level == WM_MOST_LEVELS)
        return WM_NO_NODE;
    uint32_t below = wm_level_below(spec, node->level);
    if (below == WM_BELOW_MEMORY)
        return levels->has_directory ? levels->root : WM_NO_NODE;
    return levels->first_node[below] + instance_below(spec, node->level, node->instance, below);
}

// Children have numbers in the order of nodes.
static void join_nodes(struct wm_coherent_levels *levels, const struct wm_memory_spec *spec)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < levels->node_count; i++) {
        struct wm_coherent_node *node = &levels->nodes[i];
        node->home = home_of(levels, spec, node);
        if (node->home != WM_NO_NODE)
            node->number = levels->nodes[node->home].child_count++;
    }
    for (uint32_t i = 0; i < levels->node_count; i++) {
        levels->nodes[i].first_child = at;
        at += levels->nodes[i].child_count;
    }
    for (uint32_t i = 0; i < levels->node_count; i++) {
        const struct wm_coherent_node *node = &levels->nodes[i];
        if (node->home != WM_NO_NODE)
            levels->children[levels->nodes[node->home].first_child + node->number] = i;
    }
}

enum wm_status wm_coherent_levels_init(struct wm_coherent_levels *levels,
                                       const struct wm_memory_spec *spec, struct wm_error *error)
{
    size_t count = 1;
    *levels = (struct wm_coherent_levels){.root = WM_NO_NODE};
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++) {
        levels->first_node[level] = WM_NO_NODE;
        if (wm_level_is_coherent(spec, level))
            count += wm_level_instances(spec, level);
    }
    if (!wm_memory_is_coherent(spec))
        return WM_OK;
    levels->has_directory = wm_memory_has_directory(spec);
    WM_TRY(WM_ARRAY_NEW(levels->nodes, count, error, "%zu coherent caches", count));
    WM_TRY(WM_ARRAY_NEW(levels->children, count, error, "%zu coherent caches", count));
    number_nodes(levels, spec);
    join_nodes(levels, spec);
    return WM_OK;
}

void wm_coherent_levels_release(struct wm_coherent_levels *levels)
{
    free(levels->nodes);
    free(levels->children);
    *levels = (struct wm_coherent_levels){0};
}

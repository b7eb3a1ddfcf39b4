// Which cache is the home of which, among the levels that are coherent (docs/coherence.md): a tree
// of nodes, for both engines. A node is one cache of a level, its slices together: each line lies
// in one slice of it. The root is the last-level cache where all coherent levels meet in one; else
// a node of its own, the directory at memory. Made from a description alone.
#ifndef WM_MEM_SYSTEM_COHERENT_LEVELS_H
#define WM_MEM_SYSTEM_COHERENT_LEVELS_H

#include "base/error.h"
#include "mem/system/memory_spec.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    WM_NO_NODE = UINT32_MAX,
    WM_COHERENT_MOST_CHILDREN = 64, // that a directory has a bit for
    WM_COHERENT_MOST_NODES = 1 << 16,
};

struct wm_coherent_node {
    uint32_t level;    // in the spec; WM_MOST_LEVELS: the directory at memory
    uint32_t instance; // of the level: its cache, or, with slices, all slices of one
    uint32_t home;     // the node one level below; WM_NO_NODE: memory, of the root
    uint32_t number;   // among the children of its home
    uint32_t first_child, child_count; // in struct wm_coherent_levels.children
};

struct wm_coherent_levels {
    struct wm_coherent_node *nodes; // owned: levels nearer to units first, the root last
    uint32_t *children;             // owned: nodes, those of one home together, by their number
    uint32_t node_count, root;
    uint32_t first_node[WM_MOST_LEVELS]; // of a level, by instance; WM_NO_NODE: it is not coherent
    bool has_directory;                  // the root is the directory at memory
};

// Whether a level is there and coherent, and whether any is.
bool wm_level_is_coherent(const struct wm_memory_spec *spec, uint32_t level);
bool wm_memory_is_coherent(const struct wm_memory_spec *spec);
// Whether a level is there and invalidates itself at acquires (mem/system/self_invalidation.h).
bool wm_level_is_scoped(const struct wm_memory_spec *spec, uint32_t level);
// Whether no coherent level is above a coherent one: its caches make accesses of what comes.
bool wm_level_is_coherent_leaf(const struct wm_memory_spec *spec, uint32_t level);
// Whether the caches of coherent levels have their lines' home in one cache, the root; of a spec
// in which no coherent level is above one that is not.
bool wm_memory_has_directory(const struct wm_memory_spec *spec);

// The most children of a node of the level (WM_MOST_LEVELS: of the directory at memory).
uint32_t wm_coherent_most_children(const struct wm_memory_spec *spec, uint32_t level);

// Of a spec that has passed wm_memory_spec_check. WM_NO_MEMORY. Without coherent levels there are
// no nodes. Release is harmless on zeros.
enum wm_status wm_coherent_levels_init(struct wm_coherent_levels *levels,
                                       const struct wm_memory_spec *spec, struct wm_error *error);
void wm_coherent_levels_release(struct wm_coherent_levels *levels);

// The node of a home's child by its number.
static inline uint32_t wm_coherent_child(const struct wm_coherent_levels *levels, uint32_t home,
                                         uint32_t number)
{
    return levels->children[levels->nodes[home].first_child + number];
}

#endif

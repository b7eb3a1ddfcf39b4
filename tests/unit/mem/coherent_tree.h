// Small trees of coherent caches in time, and what becomes of accesses to them. All clocks are of
// 1 GHz, memory answers after MEMORY cycles, and lines have 128 bytes: data take nine flits.
#ifndef WM_TESTS_COHERENT_TREE_H
#define WM_TESTS_COHERENT_TREE_H

#include "mem/coherence/coherence.h"
#include "mem/system/memory_state.h"
#include "mem/timed/coherent/caches.h"

enum { TREE_NODES = 12, TREE_SLICES = 4, TREE_TOKENS = 4096, TREE_LINES = 256 };
enum { MEMORY = 50, LINK = 3, DATA_FLITS = 9 };

struct tree_level {
    uint32_t sets, ways, latency, mshr_entries, merges, evictions, slices; // sets 0: the directory
    uint32_t link;           // to its home, 0: LINK; of the root to memory
    uint32_t prefetch_lines; // of the entry next-line; 0: it has no prefetcher
};

struct tree {
    struct wm_cache caches[TREE_NODES][TREE_SLICES];
    struct wm_cache *slices[TREE_NODES][TREE_SLICES];
    struct wm_cache_level levels[TREE_NODES]; // of nodes with prefetchers
    struct wm_coherent_node_spec nodes[TREE_NODES];
    uint32_t count;
    struct wm_coherent_caches *timed;
    uint64_t done[TREE_TOKENS];                    // WM_NEVER: it is not
    uint32_t served[TREE_TOKENS];                  // by which node's data
    uint64_t memory[TREE_LINES], last[TREE_LINES]; // what memory has; the last write
    uint64_t reads, writes, changes;
};

// Nodes with their homes, the root last, whose home is itself; `levels` by node.
void tree_init(struct tree *tree, uint32_t count, const uint32_t *homes,
               const struct tree_level *const *levels);
// The same with a directory that has a sharer give a line that is shared.
void tree_init_forwarding(struct tree *tree, uint32_t count, const uint32_t *homes,
                          const struct tree_level *const *levels);
// The same, either, with that function called (struct wm_coherent_caches_spec.changed).
void tree_init_with(struct tree *tree, uint32_t count, const uint32_t *homes,
                    const struct tree_level *const *levels, bool forwards_clean,
                    void (*changed)(void *tree, uint32_t node, uint32_t slice));
void tree_release(struct tree *tree);
// An access in a cycle up to which the tree is advanced first. Where it is done at once, `done` is
// set as if it had waited.
enum wm_coherent_answer tree_access(struct tree *tree, uint32_t node,
                                    enum wm_coherent_access_kind kind, uint64_t line,
                                    uint32_t token, uint64_t cycle);
// The same of a load that bypasses the cache.
enum wm_coherent_answer tree_load_past(struct tree *tree, uint32_t node, uint64_t line,
                                       uint32_t token, uint64_t cycle);
// Advances until nothing is under way; the cycle of that.
uint64_t tree_settle(struct tree *tree);
// Nothing is under way: each home knows exactly who holds what, levels are inclusive, and the last
// write of each line is where the states say.
void tree_check_quiet(const struct tree *tree);
bool tree_is_leaf(const struct tree *tree, uint32_t node);

#endif

// What the files of coherent levels in the walk share: a transaction of one line, and where the
// nodes of the tree have that line. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_COHERENT_STEPS_H
#define WM_MEM_ACCESS_PATH_COHERENT_STEPS_H

#include "mem/access_path/level_place.h"
#include "mem/system/coherent_memory.h"

// What is carried out on one line, until it is over.
struct transaction {
    struct wm_memory *memory;
    struct wm_coherent_memory *coherent;
    struct access_context *context;
    uint64_t line;
    bool recalls;  // copies are called back for an eviction, or the host
    bool discards; // what comes back modified is overwritten by the host
};

// --- coherent_access.c ---

static inline const struct wm_coherent_node *node_of(const struct transaction *transaction,
                                                     uint32_t node)
{
    return &transaction->coherent->levels.nodes[node];
}

static inline uint64_t slot_of(const struct wm_coherent_place *place)
{
    return (uint64_t)place->set * place->cache->stride + (uint32_t)place->way;
}

// Where a node has the transaction's line, or would have it.
struct wm_coherent_place wm_coherent_place_of(const struct transaction *transaction, uint32_t node);
// What a node knows of the line: in its way, or while it is evicted.
struct wm_coherence_line *wm_coherent_line_at(const struct transaction *transaction,
                                              const struct wm_coherent_place *place);
// An event of the node, with all that it leads to.
void wm_coherent_present(const struct transaction *transaction, uint32_t node,
                         enum wm_coherence_event event);
// The directory keeps what some cache has.
void wm_coherent_forget_if_none(const struct transaction *transaction);
// The node's cache, which does not have the line, reads it from its home, for no access.
void wm_coherent_fetch(const struct transaction *transaction, uint32_t node);

// --- coherent_bypass.c ---

// A load that bypasses the cache, which does not have its line. Where it would not have looked, it
// counts as one that did not.
void wm_coherent_load_past(const struct transaction *transaction, uint32_t node,
                           const struct wm_coherent_place *place, uint32_t sectors,
                           bool is_looked_up);

// --- coherent_prefetch.c ---

static inline bool place_has_prefetcher(const struct wm_coherent_place *place)
{
    return __builtin_expect(place->coherent->prefetched != NULL, 0);
}

// Of a cache with a prefetcher. It lacked the line, which has a way now; and it has the line in
// that way, and it is used.
void wm_coherent_missed(const struct transaction *transaction,
                        const struct wm_coherent_place *place);
void wm_coherent_used(const struct transaction *transaction, const struct wm_coherent_place *place);
// A line leaves the place's way.
void wm_coherent_left(const struct wm_coherent_place *place, uint64_t line);
// An access of the line at a node is over: what prefetchers want now comes, there and below.
void wm_coherent_prefetch(const struct transaction *transaction, uint32_t node);

#endif

// The coherent levels of a memory system in time: a tree of coherent caches (caches.h) over the
// memory system's own caches, which count as in the walk.
#ifndef WM_MEM_TIMED_COHERENT_MEMORY_CACHES_H
#define WM_MEM_TIMED_COHERENT_MEMORY_CACHES_H

#include "mem/system/coherent_levels.h"
#include "mem/system/instruction_counters.h"
#include "mem/timed/coherent/caches.h"

struct wm_memory;
struct wm_request; // mem/system/memory.h

// Who makes accesses, and is called when they are done (struct wm_coherent_caches_spec).
struct wm_coherent_users {
    void (*done)(void *context, uint64_t token, uint64_t cycle, uint32_t origin);
    void (*changed)(void *context, uint32_t node, uint32_t slice);
    void (*left)(void *context, uint32_t node, uint64_t line); // NULL: no call
    // The counters that pay for what a requester causes; NULL: those of no instruction.
    struct wm_instruction_counters *(*charged)(void *context, const struct wm_requester *requester);
    // The same of misses, where these are explained.
    struct wm_instruction_misses *(*explains)(void *context, const struct wm_requester *requester);
    void *context;
};

// Clocks in hertz.
struct wm_coherent_clocks {
    uint64_t caches;     // of the tree's cycles
    uint64_t sms, cores; // of levels, of CPUs and of all others, without one of their own
};

struct wm_coherent_memory_caches {
    struct wm_coherent_caches *caches;       // owned
    struct wm_memory *memory;                // borrowed
    const struct wm_coherent_levels *levels; // borrowed, the memory system's
    struct wm_coherent_users users;
    uint32_t line_bytes;
    struct wm_coherent_clocks clocks;
};

// Of a memory system with coherent levels, which lives longer. Release is harmless on zeros.
// WM_NO_MEMORY.
enum wm_status wm_coherent_memory_caches_init(struct wm_coherent_memory_caches *caches,
                                              struct wm_memory *memory,
                                              const struct wm_coherent_users *users,
                                              const struct wm_dram_channel_spec *dram,
                                              const struct wm_coherent_clocks *clocks,
                                              struct wm_error *error);
void wm_coherent_memory_caches_release(struct wm_coherent_memory_caches *caches);

// How a unit's request is made of its first cache: a load of a coherent L1 as the machine's bypass
// entry decides, all others WM_BYPASS_NO. And that it was made, once it was not blocked: `missed`
// as its access says.
enum wm_bypass_decision wm_coherent_decide(const struct wm_coherent_memory_caches *caches,
                                           const struct wm_request *request);
void wm_coherent_served(const struct wm_coherent_memory_caches *caches,
                        const struct wm_request *request, enum wm_bypass_decision decision,
                        bool missed);

// The node where a unit's accesses begin; WM_NO_NODE: at a cache without coherence.
uint32_t wm_coherent_node_of_unit(const struct wm_coherent_memory_caches *caches, uint32_t unit);
// Cycles of the tree for those of a clock of `hz`, rounded up.
uint32_t wm_coherent_cycles_of(const struct wm_coherent_memory_caches *caches, uint64_t cycles,
                               uint64_t hz);
// The level of a node, WM_MOST_LEVELS: the directory, or memory; and the number of a slice of it
// among the caches of the level.
static inline uint32_t wm_coherent_level_of(const struct wm_coherent_memory_caches *caches,
                                            uint32_t node)
{
    return node < caches->levels->node_count ? caches->levels->nodes[node].level : WM_MOST_LEVELS;
}

#endif

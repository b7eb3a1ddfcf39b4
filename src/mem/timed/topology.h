// Where the levels of a machine lie in time. Those whose caches belong to units are with these,
// above the network; those that all units share, by address, are with memory, below it. A cache
// above has a wire to a level above; all others cross the network, whose receivers are the caches
// of the highest levels below, and the channels themselves where something above has memory below.
//
// Caches below and channels that some line takes its way through both of belong together: they are
// an island (docs/engine-clock.md). Mostly it is a channel and the slices before it.
//
// Several GPUs have all of that each: caches, channels, receivers and islands are numbered GPU by
// GPU.
//
// Private to mem/; the clock engine builds by it.
#ifndef WM_MEM_TIMED_TOPOLOGY_H
#define WM_MEM_TIMED_TOPOLOGY_H

#include "base/error.h"
#include "mem/system/memory_spec.h"

struct wm_timed_topology {
    bool invalidates;              // some level is inclusive
    bool is_below[WM_MOST_LEVELS]; // the network
    // Numbers of the network's receivers: of a level's first cache, and of the first channel, both
    // of the first GPU. All of those that are none are WM_NO_RECEIVER.
    uint16_t receiver[WM_MOST_LEVELS], memory_receiver;
    uint32_t receivers, gpu_receivers; // of all GPUs; of each
    // Owned: by channel, and by cache of each level below, the number of its island.
    uint16_t *channel_island, *island[WM_MOST_LEVELS];
    uint32_t islands, gpu_islands; // likewise
};

enum { WM_NO_RECEIVER = UINT16_MAX };

// Whether the level is there, and below the network.
bool wm_timed_is_below(const struct wm_memory_spec *spec, uint32_t level);
// Whether what a level's caches lack crosses the network on its way to the level below, or memory.
bool wm_timed_crosses_network(const struct wm_memory_spec *spec, uint32_t level);
// Whether the level is there, and between those where SMs' accesses begin and the network.
bool wm_timed_is_between(const struct wm_memory_spec *spec, uint32_t level);
// The same of CPU cores: it is between where their accesses begin and the network.
bool wm_timed_is_of_cores(const struct wm_memory_spec *spec, uint32_t level);
// Whether it is one of SMs', or below the network, and inclusive: of the others none has anything
// above.
bool wm_timed_is_inclusive(const struct wm_memory_spec *spec, uint32_t level);
// How many receivers the network has.
uint32_t wm_timed_receivers(const struct wm_memory_spec *spec);
// How many caches a level below the network has, which all units of a GPU share.
static inline uint32_t wm_timed_slices(const struct wm_memory_spec *spec, uint32_t level)
{
    return spec->levels[level].slices > 1 ? spec->levels[level].slices : 1;
}

// WM_NO_MEMORY.
enum wm_status wm_timed_topology_init(struct wm_timed_topology *topology,
                                      const struct wm_memory_spec *spec, struct wm_error *error);
// Harmless on a zeroed one.
void wm_timed_topology_release(struct wm_timed_topology *topology);

#endif

// Many L1s of one plain kind side by side, each of which serves some of the same requests: a line's
// set is found once, and the sets of eight L1s stand in one vector for each way, so that one
// compare looks into eight. The kind is LRU, lines that are fetched whole, and stores that drop
// what they hit, as Fermi's: nothing of such a set is ever written back, and the order of its tags
// says all (mem/cache/ordered_set.h). An L1 here is a lane; each lane has as many caches as the
// machine has L1s.
//
// This is the array of mem/cache/cache.h for that kind alone, and is there because a profile of
// loads (engine/profile/load_profile.h) takes a third of the time with it; tests hold both equal.
#ifndef WM_MEM_LRU_LANES_H
#define WM_MEM_LRU_LANES_H

#include "base/access/access.h"
#include "base/error.h"
#include "mem/set_index/set_hash.h"
#include "mem/system/memory_spec.h"

enum { WM_LRU_LANES = 8 }; // of a block

// What a requester has of a block: which of its lanes serve the requests, and what became of them.
struct wm_lane_share {
    uint32_t block;
    uint8_t lanes;                  // bit a lane
    uint64_t hits[WM_LRU_LANES];    // sectors
    uint64_t fetched[WM_LRU_LANES]; // bytes, from below
};

struct wm_memory_paths; // mem/system/memory_state.h

struct wm_lru_lanes {
    const struct wm_memory_paths *paths;
    uint32_t caches, sms_each; // L1s of a lane, and consecutive SMs that share one
    uint32_t sets, ways, line_shift;
    const struct wm_set_index_ops *set_index;
    struct wm_set_tables *tables; // owned; of set_index, NULL where there can be none
    // Owned: of each block the tags by cache, set, way and lane; WM_CACHE_EMPTY ones stand last.
    uint64_t **blocks;
    uint32_t block_count, block_room; // that hold tags; whose memory is there
};

// Whether the L1s of the spec are of that kind.
bool wm_lru_lanes_can_be(const struct wm_memory_spec *spec);

// Of such a spec, without lanes. WM_NO_MEMORY. wm_lru_lanes_release is harmless on what is zeroed.
enum wm_status wm_lru_lanes_init(struct wm_lru_lanes *lanes, const struct wm_memory_spec *spec,
                                 struct wm_error *error);
void wm_lru_lanes_release(struct wm_lru_lanes *lanes);
// Takes away all lanes; those that are made from here on have so many ways, of as many sets.
void wm_lru_lanes_restart(struct wm_lru_lanes *lanes, uint32_t ways);
// Makes lanes, empty ones, until there are `count`. WM_NO_MEMORY.
enum wm_status wm_lru_lanes_make(struct wm_lru_lanes *lanes, uint32_t count,
                                 struct wm_error *error);
// From here on lane `to` holds what `from` does.
void wm_lru_lanes_copy(struct wm_lru_lanes *lanes, uint32_t from, uint32_t to);

// A load of an instruction in the L1 of `sm`: its lines, different ones, at most
// WM_MAX_LINE_REQUESTS. The lanes of the shares serve it. `allocate`: false for one that takes no
// line when it misses.
void wm_lru_lanes_load(struct wm_lru_lanes *lanes, uint32_t sm, const struct wm_line_request *lines,
                       uint32_t count, bool allocate, struct wm_lane_share *shares,
                       uint32_t share_count);
// The lines leave all lanes: a store, an atomic, a volatile load.
void wm_lru_lanes_drop(struct wm_lru_lanes *lanes, uint32_t sm, const struct wm_line_request *lines,
                       uint32_t count);

#endif

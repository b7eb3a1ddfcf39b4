// The entries' moves once more, for streams (mem/cache/branchless_step.h): each as a few operations
// without a branch that depends on the data, because long streams hit and miss at random, and
// without a call, because there are two of them a reference. The hooks in the entries' own files
// stay the definition; a step does what they do for one access, bit by bit, on the same state, so
// both may be used on one cache by turns.
//
// One header a family of entries: chain_step.h, pipp_step.h, way_step.h (random, plru, nru) and
// rrip_step.h. Sets are masks of up to 32 ways or positions here. Private to mem/.
#ifndef WM_MEM_REPLACEMENT_STEP_H
#define WM_MEM_REPLACEMENT_STEP_H

#include "mem/replacement/bimodal.h"
#include "mem/replacement/replacement.h"

#define WM_STEP_INLINE static inline __attribute__((always_inline))

enum { WM_STEPS = 1024 }; // at most, from a beginning to an end

enum wm_step_family {
    WM_STEP_NONE, // access by access, through the hooks
    WM_STEP_LRU,
    WM_STEP_CHAIN, // constant answers, at either end: fifo, lip
    WM_STEP_BIP,
    WM_STEP_DIP,
    WM_STEP_PIPP,
    WM_STEP_RANDOM, // from here on ways are places; above, positions in the chain
    WM_STEP_PLRU,
    WM_STEP_NRU,
    WM_STEP_SRRIP,
    WM_STEP_BRRIP,
    WM_STEP_DRRIP,
    WM_STEP_SHIP,
    WM_STEP_FAMILIES,
};

// Which family an entry is of, as a cache of `ways` ways with these parameters has it.
enum wm_step_family wm_step_family_of(const struct wm_replacement_ops *ops,
                                      const uint64_t *parameters, uint32_t ways);

// What a stream's steps need of a cache's replacement state. What changes at every step and is
// small is copied in at the beginning and out at the end, so that it stays in registers.
struct wm_step_state {
    void *array; // of the cache
    void *sets, *lines;
    uint32_t ways, sm;
    uint32_t ways_mask;               // a bit for each way
    uint32_t hit_stays, insert_stays; // CHAIN: all ones or none
    const uint64_t *events;           // bimodal: words drawn
    uint64_t events_next;             // bimodal: copy
    struct wm_set_duel duel;          // DIP, DRRIP: copy
    uint32_t drawn_next;              // RANDOM, bimodal, PIPP: copy of what is used up
    int64_t ship_counters;            // SHIP: copy of those that a stream moves (rrip_step.h)
    // PIPP: copies, of this SM, and steps that may have to be seen by monitors.
    uint32_t pipp_target, pipp_promotes, pipp_seen;
    uint64_t pipp_place;
};

// One access.
struct wm_step_access {
    uint64_t line;
    uint32_t step, set; // step: which, from 0
    uint32_t equal;     // the bit of the way that holds the line; 0 is a miss
    uint32_t empty;     // bits of the empty ways
    bool miss;
    uint64_t writeback_mask; // all ones: it is a victim of the level above; else 0, a demand access
    uint64_t if_miss;        // all ones, else 0
};

// The way that the line is in afterwards: where it is, the lowest empty one, or the victim.
WM_STEP_INLINE uint32_t wm_step_choose(const struct wm_step_access *access, uint32_t victim)
{
    uint32_t taken = access->empty != 0 ? access->empty & (0 - access->empty) : victim;
    return access->equal | (taken & (uint32_t)access->if_miss);
}

#endif

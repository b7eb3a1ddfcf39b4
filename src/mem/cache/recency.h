// The recency chain: for each set of an array, an explicit permutation of its ways from the most
// recently used (position 0) to the least (position ways - 1). LRU, FIFO, LIP, BIP, DIP, PIPP and
// DaCache are this chain with different answers to where a line is inserted, how far a hit promotes
// it and which positions may be victims: it is written once, in the array. Private to mem/.
//
// Two forms with one meaning:
//   packed  up to 16 ways: one 64-bit word a set, nibble i holds the way at position i. A move is
//           a handful of register operations.
//   linked  above 16 ways: a ring of the ways, and which of them is the first. Moves to either end
//           take constant time however many ways there are, and the last becomes the first by one
//           store, as it stands before it in the ring; positions are counted by walking.
#ifndef WM_MEM_CACHE_RECENCY_H
#define WM_MEM_CACHE_RECENCY_H

#include <stdbool.h>
#include <stdint.h>

enum { WM_RECENCY_PACKED_WAYS = 16 };

struct wm_recency_node {
    uint16_t next; // towards least recently used
    uint16_t previous;
};

struct wm_recency {
    uint32_t sets, ways;
    uint64_t packed_mask; // nibbles in use
    uint64_t *packed;     // owned; one word a set, or NULL
    // Owned; ways + 1 a set, of which the last has the first way of the ring as its `next`; or
    // NULL.
    struct wm_recency_node *nodes;
};

// Returns false when memory runs out. A fresh chain's least recently used way is way 0, then 1, …,
// so that a cold set fills in order.
bool wm_recency_init(struct wm_recency *recency, uint32_t sets, uint32_t ways);
void wm_recency_release(struct wm_recency *recency);
void wm_recency_reset(struct wm_recency *recency);

// Position of `way`, 0 for most recent. `way` must be below ways in all functions.
uint32_t wm_recency_position(const struct wm_recency *recency, uint32_t set, uint32_t way);
uint32_t wm_recency_way_at(const struct wm_recency *recency, uint32_t set, uint32_t position);
// Takes `way` out of the chain and puts it back at `position`; the ways between shift by one.
void wm_recency_move(struct wm_recency *recency, uint32_t set, uint32_t way, uint32_t position);
// Moves `way` up by `by` positions, or to the front when it stands nearer. Takes time in proportion
// to `by`, not to the ways.
void wm_recency_promote(struct wm_recency *recency, uint32_t set, uint32_t way, uint32_t by);
// The allowed way nearest to the least recently used end at position `first` or beyond, or -1.
// `allowed` holds a bit a way; NULL allows all.
int32_t wm_recency_last_allowed(const struct wm_recency *recency, uint32_t set, uint32_t first,
                                const uint64_t *allowed);

// --- The moves of the hot path, inline ---

#define WM_RECENCY_ONES UINT64_C(0x1111111111111111)

// All bits of the nibbles from position 0 through the one that holds `way`. The lowest zero nibble
// of chain ^ way-everywhere is found exactly by the borrow trick; nibbles above the chain's length
// are zero in the word, which only way 0 could match, and its true nibble lies below them.
static inline uint64_t wm_recency_packed_through(uint64_t chain, uint64_t way)
{
    uint64_t difference = chain ^ (WM_RECENCY_ONES * way);
    uint64_t zeros = (difference - WM_RECENCY_ONES) & ~difference & (WM_RECENCY_ONES << 3);
    return zeros ^ (zeros - 1);
}

// The chain with the nibbles of `through` shifted one place towards the least recent end and `way`
// put in front: `through` ends at the nibble that held `way`.
static inline uint64_t wm_recency_packed_front(uint64_t chain, uint64_t through, uint64_t way)
{
    return (chain ^ ((chain ^ (chain << 4)) & through)) | way;
}

static inline struct wm_recency_node *wm_recency_nodes(const struct wm_recency *recency,
                                                       uint32_t set)
{
    return recency->nodes + (uint64_t)set * (recency->ways + 1);
}

// Takes `way` out of the ring; which way is first is left to the caller.
static inline void wm_recency_unlink(struct wm_recency_node *nodes, uint32_t way)
{
    nodes[nodes[way].previous].next = nodes[way].next;
    nodes[nodes[way].next].previous = nodes[way].previous;
}

// Links `way` in directly before `before`.
static inline void wm_recency_link(struct wm_recency_node *nodes, uint32_t way, uint32_t before)
{
    uint32_t previous = nodes[before].previous;
    nodes[way] = (struct wm_recency_node){.next = (uint16_t)before, .previous = (uint16_t)previous};
    nodes[previous].next = (uint16_t)way;
    nodes[before].previous = (uint16_t)way;
}

// Of a chain that is a ring, one of more ways than a word can list: makes `way` the most recently
// used.
static inline void wm_recency_ring_to_front(struct wm_recency *recency, uint32_t set, uint32_t way)
{
    struct wm_recency_node *nodes = wm_recency_nodes(recency, set);
    uint32_t first = nodes[recency->ways].next;
    if (way == first)
        return;
    wm_recency_unlink(nodes, way);
    wm_recency_link(nodes, way, first);
    nodes[recency->ways].next = (uint16_t)way;
}

// Makes the least recently used way of a ring the most recently used, and returns it. `nodes` are
// its set's.
static inline uint32_t wm_recency_nodes_rotate(struct wm_recency_node *nodes, uint32_t ways)
{
    uint32_t way = nodes[nodes[ways].next].previous;
    nodes[ways].next = (uint16_t)way;
    return way;
}

static inline uint32_t wm_recency_ring_rotate(struct wm_recency *recency, uint32_t set)
{
    return wm_recency_nodes_rotate(wm_recency_nodes(recency, set), recency->ways);
}

// Makes `way` the most recently used.
static inline void wm_recency_to_front(struct wm_recency *recency, uint32_t set, uint32_t way)
{
    if (recency->packed == NULL) {
        wm_recency_ring_to_front(recency, set, way);
        return;
    }
    uint64_t chain = recency->packed[set];
    uint64_t through = wm_recency_packed_through(chain, way);
    recency->packed[set] = wm_recency_packed_front(chain, through, way);
}

// Makes the least recently used way the most recently used, and returns it.
static inline uint32_t wm_recency_rotate(struct wm_recency *recency, uint32_t set)
{
    if (recency->packed == NULL)
        return wm_recency_ring_rotate(recency, set);
    uint64_t chain = recency->packed[set];
    uint32_t way = (uint32_t)(chain >> (4 * (recency->ways - 1)));
    recency->packed[set] = ((chain << 4) | way) & recency->packed_mask;
    return way;
}

#endif

// A slice of a level in partitions, in time (docs/memory-system.md, R16): what it does with lines
// whose home is in the other partition, and with requests that come from there.
//
// Such lines are looked up in the slice's own array, and take their ways when their bytes come.
// They have MSHR entries of their own, and requests from the other partition a queue of their own:
// what these wait for is memory alone, and never that slices of both wait for each other.
//
// Thread rules: as the node's, of whose island the slice of the other partition is. Private to
// mem/.
#ifndef WM_MEM_TIMED_NODE_COPIES_H
#define WM_MEM_TIMED_NODE_COPIES_H

#include "mem/timed/node/node.h"

struct wm_node_copies {
    struct wm_timed_level level;    // the array, for loads of these lines
    struct wm_outbox out;           // to their homes
    uint32_t latency;               // of the way there, and back: 1 at least
    struct wm_node_input input;     // requests from the other partition
    bool turn;                      // these are looked up first
    struct wm_packet_queue replies; // from homes, and when they come
    struct wm_timed_node *other; // borrowed: the slice of the other partition, its owner's to set
    // Owned: by MSHR entry, of the sectors on their way those that were written at home since.
    uint32_t *stale, stale_room;
};

// Of a node whose cache is a slice of a level in partitions. WM_NO_MEMORY. The release is harmless
// on a zeroed one.
enum wm_status wm_node_copies_new(struct wm_timed_node *node, struct wm_error *error);
void wm_node_copies_free(struct wm_node_copies *copies);

// The node's requests and those from the other partition change places: what is looked up between
// two such calls is one of these.
void wm_node_exchange_inputs(struct wm_timed_node *node);

// A packet of another slice comes, if there is room for it, having left in `cycle`; and a reply.
bool wm_node_take_crossing(struct wm_timed_node *node, uint64_t cycle,
                           const struct wm_packet *packet);
void wm_node_take_reply(struct wm_timed_node *node, uint64_t cycle, const struct wm_packet *reply);
// Replies that have come until `cycle` are taken.
void wm_node_end_crossings(struct wm_timed_node *node, uint64_t cycle);
// When a request from the other partition may be looked up, or a reply comes; WM_NEVER.
uint64_t wm_node_next_crossing(const struct wm_timed_node *node);

// Whether a line's home is another slice of the level.
bool wm_node_is_far(const struct wm_timed_node *node, uint64_t address);
// The node's first request, for such a line; false when it has to come again.
bool wm_node_look_up_far(struct wm_timed_node *node, const struct wm_packet *packet,
                         uint64_t cycle);

// Sectors of a line whose home is the other slice, which have been written, are dropped here, now
// or when they come; and some have come for an MSHR entry: returns those of them that are to be.
void wm_node_drop_copy(struct wm_timed_node *node, const struct wm_timed_access *write);
uint32_t wm_node_take_stale(struct wm_timed_node *node, uint32_t entry, uint32_t sectors);

// Packets that wait there, and lines whose bytes do.
uint32_t wm_node_crossing_count(const struct wm_timed_node *node);

#endif

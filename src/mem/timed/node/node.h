// What packets come to, in time: a cache of a level, as a slice of L2, or a channel, where nothing
// keeps its lines. Requests wait in order to be looked up, one in a cycle; those whose bytes are on
// their way wait until these have come, and replies until they can leave. Where requests come from
// and replies go, and what takes what the node sends below, is its island's.
//
// Thread rules: one thread at a time; nodes of one island by the same. Private to mem/.
#ifndef WM_MEM_TIMED_NODE_NODE_H
#define WM_MEM_TIMED_NODE_NODE_H

#include "base/numbers/clock_domain.h"
#include "base/text/text.h"
#include "mem/timed/atomic_unit.h"
#include "mem/timed/level/level.h"

// Rows of an SM's pool that have been read, for it to use again.
struct wm_byte_mask_row {
    uint32_t sm, row;
};
struct wm_byte_mask_rows {
    struct wm_byte_mask_row *rows; // owned
    uint32_t count, room;
};

// What a kernel's instructions count of their misses: those from pc `base` on, `count` of them, in
// copies one behind the other, of which each island has its own.
struct wm_explained_segment {
    uint32_t base, count;
    struct wm_instruction_misses *counters; // borrowed: the first copy
};

// What the nodes of an island share.
struct wm_node_island {
    struct wm_memory *memory;                 // borrowed
    const struct wm_timed_topology *topology; // borrowed
    uint32_t gpu;                             // that it is of
    // Of caches that keep byte masks, else NULL: the SMs' pools, borrowed, and rows that were read.
    const struct wm_byte_mask_pool *const *written;
    struct wm_byte_mask_rows rows;
    struct wm_instruction_counters *counters_by_pc; // borrowed: what they charge, by pc
    struct wm_instruction_counters unattributed;    // pays for what fills displace
    // Where misses are explained: `segments` of them, borrowed; by which copy; and what the request
    // that is served is explained by.
    const struct wm_explained_segment *explained;
    uint32_t segments, copy;
    struct wm_request cause;
    bool failed; // out of memory
};

// What the first request of a node with an atomic buffer still moves between that and the cache.
struct wm_buffer_moves {
    struct wm_atomic_buffer *buffer; // borrowed
    uint32_t seen;                   // its sectors that have been looked for in the buffer
    bool writes, reads;              // a sector to the cache, then one from it
    uint64_t written, read;          // their addresses
    bool waits;                      // for bytes: it has a place among the waiting, `token`
    uint32_t token;
};

// clang-format off
// Of caches that refuse requests for locked lines (docs/engine-clock.md, "Locked lines").
#define WM_REFUSAL_COUNTERS(X)                                                                     \
    X(attempts, "requests", "look-ups of requests, those that were refused among them")            \
    X(refused_line, "requests", "refused: a miss had their line on its way, and its tag was there") \
    X(refused_set, "requests", "refused: misses had all ways of their set locked")
// clang-format on

struct wm_refusal_counters {
    WM_REFUSAL_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_refusal_counter_set;

struct wm_node_copies; // node/copies.h

enum { WM_DIRECTORY_LATENCY = 1 }; // cycles of a look-up in the directory of such a cache

enum { WM_NODE_OUTDATED = 1 << 30 };

// Requests that wait to be looked up, in order, and what the first of them waits for.
struct wm_node_input {
    struct wm_packet_queue packets; // `when`: the cycle from which it may be looked up
    uint32_t room;                  // requests that may wait, those on their way to it among them
    bool retries;                   // what the first request was stalled by may be over
    bool needs_room;                // stalled till there is room below, whatever else happens
    enum wm_stall stall;
    uint64_t stalled_since;
};

struct wm_timed_node {
    struct wm_node_island *island;        // borrowed
    struct wm_timed_level level;          // of a channel: without a cache
    struct wm_outbox out;                 // to what lies below
    uint32_t index;                       // among the caches of its level; of a channel, its number
    uint32_t latency;                     // cycles until a request that has come may be looked up
    uint32_t reply_latency;               // and, behind that, until its data leaves
    struct wm_refusal_counters *refusals; // owned; NULL: it refuses nothing
    uint32_t queue;                       // requests that wait for that, and as many replies
    struct wm_buffer_moves *moves;        // owned; NULL without an atomic buffer
    struct wm_node_copies *copies;        // owned; NULL: its level has one partition
    struct wm_atomic_unit atomics;
    struct wm_node_input input;
    struct wm_packet_queue replies;   // `when`: from which it may leave
    struct wm_packet_queue operating; // atomics that are done; their last cycle there
    // Requests whose bytes are on their way, and how many parts of these have not come, with
    // WM_NODE_OUTDATED where some that have were dropped below since. All owned.
    struct wm_packet *waiting;
    uint32_t *parts, *free_waiting, free_count, waiting_room;
    uint8_t served; // those that come now: as a reply's `to`
    uint64_t next_look_up;
};

// What its first requests were stalled by may be over.
void wm_timed_node_may_retry(struct wm_timed_node *node);

// Of cache `index` of the level, or of that channel where it is WM_TO_MEMORY. WM_NO_MEMORY.
enum wm_status wm_timed_node_init(struct wm_timed_node *node, struct wm_node_island *island,
                                  uint32_t level, uint32_t index, struct wm_error *error);
// Harmless on a zeroed one.
void wm_timed_node_release(struct wm_timed_node *node);

static inline bool wm_timed_node_is_full(const struct wm_timed_node *node)
{
    return wm_packet_queue_count(&node->input.packets) == node->input.room;
}

// Looks its first request up in `cycle`, if that can be. True when one has left the queue.
bool wm_timed_node_look_up(struct wm_timed_node *node, uint64_t cycle);
// Before that: atomics that are over are answered.
void wm_timed_node_end_operations(struct wm_timed_node *node, uint64_t cycle);
// The cycle in which a request may be looked up, or an atomic is over, at the earliest; WM_NEVER
// where that takes something else first. A stalled one waits for bytes, or for packets or replies
// to leave, which are events of their own.
uint64_t wm_timed_node_next(const struct wm_timed_node *node);
// The request that will be looked up next, or NULL.
const struct wm_packet *wm_timed_node_first(const struct wm_timed_node *node, uint64_t cycle);
// Sectors that it read of a channel have come, for what it sent with that token.
void wm_timed_node_read(struct wm_timed_node *node, uint64_t cycle, uint64_t token,
                        uint64_t address, uint32_t sectors);
// An invalidation from a level below has come: the cache drops its copy, and caches above theirs.
// And the acknowledgement of one that the node has sent.
void wm_timed_node_invalidate(struct wm_timed_node *node, uint64_t cycle,
                              const struct wm_packet *packet);
void wm_timed_node_acknowledge(struct wm_timed_node *node, uint64_t cycle,
                               const struct wm_packet *packet);
// A reply, or an invalidation, from a level below has come.
void wm_timed_node_reply(struct wm_timed_node *node, uint64_t cycle, const struct wm_packet *reply);
// Its name, as "l2[3]", and its packets, for reports of a deadlock.
void wm_timed_node_describe(const struct wm_timed_node *node, struct wm_text *text);

// Nothing is on its way through it.
bool wm_timed_node_is_idle(const struct wm_timed_node *node);

#endif

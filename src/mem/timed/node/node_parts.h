// The inside of a node, for its files. Private to mem/timed/node/.
#ifndef WM_MEM_TIMED_NODE_NODE_PARTS_H
#define WM_MEM_TIMED_NODE_NODE_PARTS_H

#include "mem/system/memory_state.h"
#include "mem/timed/node/node.h"

// requests.c. The look-up of sectors at `address`, on behalf of a packet.
struct wm_level_request wm_node_request_for(struct wm_timed_node *node,
                                            const struct wm_packet *packet, uint64_t address,
                                            uint32_t sectors);

// node.c. What the first request waits for, in place of what it waited for before; it waits until
// so many parts have come, by the token that they were promised; it is answered; and the first
// cycle in which `packet`, were it the first, may be looked up.
void wm_node_note_stall(struct wm_timed_node *node, enum wm_stall stall, uint64_t cycle);
void wm_node_wait_for(struct wm_timed_node *node, const struct wm_packet *packet, uint32_t parts);
void wm_node_reply(struct wm_timed_node *node, const struct wm_packet *request, uint64_t cycle);
uint64_t wm_node_look_up_from(const struct wm_timed_node *node, const struct wm_packet *packet);

// On whose behalf a packet is, for what explains misses; NULL: they are not explained. And what it
// charges.
const struct wm_request *wm_node_cause_of(struct wm_timed_node *node,
                                          const struct wm_packet *packet);
struct wm_instruction_counters *wm_node_charged_for(struct wm_timed_node *node,
                                                    const struct wm_packet *packet);

// invalidations.c, of a node with an eviction buffer. WM_NO_MEMORY. Other nodes get none.
enum wm_status wm_node_evictions_init(struct wm_timed_node *node, struct wm_error *error);
// Whether its first request may be looked up: its line is in no eviction, and there is room for
// another one. An atomic that passes has dropped all copies before.
bool wm_node_admits(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle);
// After a look-up on account of `cause`: copies of what has left are dropped.
void wm_node_settle_evictions(struct wm_timed_node *node, const struct wm_packet *cause,
                              uint64_t cycle);
// A reply has been sent: where the cache does not keep the line, no cache above does.
void wm_node_note_reply(struct wm_timed_node *node, const struct wm_packet *request,
                        uint64_t cycle);
// A request that waited has been answered: what it brings its cache has been dropped below since.
void wm_node_invalidate_behind(struct wm_timed_node *node, const struct wm_packet *request,
                               uint64_t cycle);
// Of any node: its first request is an upgrade.
enum wm_stall wm_node_upgrade(struct wm_timed_node *node, uint64_t cycle,
                              const struct wm_packet *packet, struct wm_level_request *request);

// refusals.c. Whether the node's first request, `line`, is refused, since a miss has locked the
// line; then it is on its way back. And it is, since all ways of its set are locked.
bool wm_node_refuses_line(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t line,
                          uint64_t cycle);
void wm_node_refuse_set(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle);

// buffer_moves.c. The node's first request is `packet`, in a cycle in which nothing has been looked
// up.
enum wm_buffer_move_result {
    WM_MOVED_NONE, // it has to come again, `*stall` says why
    WM_MOVED_ONE,  // a sector moved, which was this cycle's look-up
    WM_MOVED_ALL,  // an atomic is done but for what it waits for; another may be looked up
};
enum wm_buffer_move_result wm_buffer_move(struct wm_timed_node *node, uint64_t cycle,
                                          const struct wm_packet *packet, enum wm_stall *stall);

#endif

// The inside of a node, for its files. Private to mem/timed/node/.
#ifndef WM_MEM_TIMED_NODE_NODE_PARTS_H
#define WM_MEM_TIMED_NODE_NODE_PARTS_H

#include "mem/system/memory_state.h"
#include "mem/timed/node/node.h"

// node.c. The look-up of sectors at `address`, on behalf of a packet.
struct wm_level_request wm_node_request_for(struct wm_timed_node *node,
                                            const struct wm_packet *packet, uint64_t address,
                                            uint32_t sectors);

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

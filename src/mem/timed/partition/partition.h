// An island of memory in time: DRAM channels, and the caches below the network whose lines lie in
// them (mem/timed/topology.h). Mostly it is a channel with slices of L2. Requests come in from the
// network, one look-up a slice in each cycle of L2; what a slice lacks it reads from the channel,
// or from a level below, to which it has a wire; replies go back by the network.
//
// Thread rules: one thread at a time; partitions are independent of each other.
#ifndef WM_MEM_TIMED_PARTITION_PARTITION_H
#define WM_MEM_TIMED_PARTITION_PARTITION_H

#include "mem/dram/channel.h"
#include "mem/timed/network/butterfly.h"
#include "mem/timed/network/crossbar.h"
#include "mem/timed/node/node.h"

struct wm_coherent_packet_port; // mem/timed/coherent/packet_port.h

// A cache, or a channel as what keeps no lines, and its ends of the network, where it has some.
struct wm_partition_slice {
    struct wm_timed_node node;
    // Of a coherent cache, else NULL: where what is for it comes, in place of the node. Borrowed;
    // its owner looks requests up there, and takes replies.
    struct wm_coherent_packet_port *port;
    bool has_ends;
    uint32_t receiver; // the network's number of it
    struct wm_crossbar_input input;
    struct wm_crossbar_output output;
    struct wm_crossbar_input responses; // which never wait; of machines with inclusive levels
    bool in_was_full;
    // Kept while the partition runs: the cycle in which it acts next, at the earliest; when a
    // request comes in, and when a reply leaves.
    uint64_t next, next_in, next_out;
};

struct wm_partition_channel {
    uint32_t number; // the memory system's
    struct wm_dram_channel *channel;
    uint64_t next; // the cycle of L2 in which it acts next
};

// A read that is under way.
struct wm_partition_read {
    uint64_t address, token; // the sender's
    uint32_t sectors, slice; // of the partition
    uint32_t next_free;
};

// A read whose data comes in a later cycle, of L2.
struct wm_partition_completion {
    uint64_t cycle;
    uint32_t read;
};

// Calls `on_lookup` before a request is looked up, with the partition's number and the request's
// pc; NULL: no call.
typedef void wm_partition_listener(void *context, uint32_t partition, uint32_t pc);

struct wm_partition {
    struct wm_node_island island; // its `counters_by_pc` and `written` are the owner's to set
    uint32_t index;
    struct wm_partition_slice *slices; // owned; each level's before those of the level below
    uint32_t slice_count;
    struct wm_partition_channel *channels; // owned
    uint32_t channel_count;
    uint16_t *slice_of[WM_MOST_LEVELS]; // owned: by cache of a level that others lie above, here
    struct wm_clock_ratio to_dram, from_dram, to_network, from_network; // from and to L2's clock
    uint64_t cycle, next; // of L2: all before it is done; when it acts next
    bool one_clock;       // L2 has that of the interconnect
    uint64_t l2_hz;
    struct wm_partition_read *reads;             // owned: as many as there were at once
    uint32_t read_room, free_read, fresh_read;   // first of the free; this and on were never used
    struct wm_partition_completion *completions; // owned, a ring, in order of cycle
    uint32_t completion_mask, completion_first, completion_end;
    uint32_t turn;                    // the slice whose packets go on first
    wm_partition_listener *on_lookup; // likewise the owner's
    void *listener;
};

// Number `index` of the islands of the topology, of a memory system that lives longer, as it.
// `sm_hz` in hertz. WM_INVALID where a channel's description is impossible, WM_NO_MEMORY.
enum wm_status wm_partition_new(struct wm_memory *memory, const struct wm_timed_topology *topology,
                                uint32_t index, const struct wm_dram_channel_spec *dram,
                                uint64_t sm_hz, struct wm_partition **partition,
                                struct wm_error *error);
void wm_partition_free(struct wm_partition *partition);

// The interconnect has another clock than the description says: that of coherent caches.
void wm_partition_use_network_clock(struct wm_partition *partition, uint64_t network_hz);
// A reply of a port, ready in the interconnect's cycle `now`, goes up to a cache of the partition,
// where it is from. All before the cycle behind that has been done.
bool wm_partition_goes_up(const struct wm_partition *partition, const struct wm_packet *reply);
void wm_partition_reply(struct wm_partition *partition, const struct wm_packet *reply,
                        uint64_t now);
// A port has room again: what waits for that goes on in the interconnect's cycle `now`.
void wm_partition_may_send(struct wm_partition *partition, uint64_t now);

// Does all that happens before the interconnect's cycle `end`. False when out of memory.
bool wm_partition_run(struct wm_partition *partition, uint64_t end);
// The interconnect's cycle in which it acts next, unless more comes; WM_NEVER: nothing is there.
uint64_t wm_partition_next(const struct wm_partition *partition);
// The interconnect's cycle behind the last thing that it did.
uint64_t wm_partition_last_active(const struct wm_partition *partition);

// What it holds, when nothing can go on: for reports of a deadlock.
void wm_partition_describe(const struct wm_partition *partition, struct wm_text *text);

// dram_requests.c, for the partition alone. The cache of a level, here, that a line is of. What
// slices send on goes there, as far as there is room, slice after slice; and a channel has issued a
// request's last command.
struct wm_partition_slice *wm_partition_slice_of(struct wm_partition *partition, uint32_t level,
                                                 uint64_t address);
void wm_partition_send_on(struct wm_partition *partition);
// An acknowledgement comes to the cache that it is for.
void wm_partition_acknowledge(struct wm_partition *partition, const struct wm_packet *packet);
void wm_partition_note_completion(void *partition, const struct wm_dram_completion *done);

#endif

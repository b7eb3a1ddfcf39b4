// The inside of a memory partition, for the files of it: build.c builds it, partition.c runs it,
// dram_requests.c sends to the channel. Private to mem/timed/partition/.
#ifndef WM_MEM_TIMED_PARTITION_PARTITION_STATE_H
#define WM_MEM_TIMED_PARTITION_PARTITION_STATE_H

#include "mem/system/memory_state.h"
#include "mem/timed/partition/partition.h"

// A read that is under way.
struct wm_partition_read {
    uint64_t address;
    uint32_t sectors;
    uint32_t slice; // of the partition
    uint32_t entry; // of the slice's MSHR
    uint32_t next_free;
};

struct wm_partition_reads {
    struct wm_partition_read *reads; // owned: as many as there were at once
    uint32_t room;
    uint32_t free;  // the first of the free ones; `fresh` follows the last
    uint32_t fresh; // this one and those behind it were never used
};

// Reads whose data comes in a later cycle, in order of that.
struct wm_partition_completion {
    uint64_t cycle; // of L2
    uint32_t read;
};

struct wm_partition_completions {
    struct wm_partition_completion *items; // owned, a ring
    uint32_t mask, first, end;
};

struct wm_partition_slice {
    struct wm_timed_node node;
    struct wm_crossbar_input input;
    struct wm_crossbar_output output;
    bool in_was_full;
    // Kept while the partition runs: the cycle in which it acts next, at the earliest; when a
    // request comes in, and when a reply leaves.
    uint64_t next, next_in, next_out;
};

struct wm_partition {
    struct wm_node_island island;
    struct wm_dram_channel *channel;
    struct wm_clock_ratio to_dram, from_dram, to_network, from_network; // from and to L2's clock
    uint32_t index, slice_count;
    uint64_t cycle;           // of L2: all before it is done
    uint64_t next, dram_next; // likewise: when it acts next, and when its channel does
    bool one_clock;           // L2 has that of the interconnect
    struct wm_partition_slice *slices;
    struct wm_partition_reads reads;
    struct wm_partition_completions completions;
    wm_partition_listener *on_lookup;
    void *listener;
    uint32_t turn; // the slice whose bursts go to the channel first
};

// dram_requests.c. Bursts that wait go to the channel while that has room, slice after slice;
// whether there were any.
bool wm_partition_issue_bursts(struct wm_partition *partition);
// The channel has issued a request's last command.
void wm_partition_note_completion(void *partition, const struct wm_dram_completion *done);

#endif

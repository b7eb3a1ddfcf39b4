// The inside of a memory partition, for the files of it: build.c builds it, partition.c looks up
// and replies, dram_requests.c sends to the channel. Private to mem/timed/partition/.
#ifndef WM_MEM_TIMED_PARTITION_PARTITION_STATE_H
#define WM_MEM_TIMED_PARTITION_PARTITION_STATE_H

#include "mem/system/memory_state.h"
#include "mem/timed/atomic_unit.h"
#include "mem/timed/partition/partition.h"

// A burst that waits for room in the channel.
struct wm_partition_burst {
    uint64_t address, token;
    bool write;
};

struct wm_partition_bursts {
    struct wm_partition_burst *bursts; // owned, a ring
    uint32_t mask, first, end;
};

// A read that is under way.
struct wm_partition_read {
    uint64_t line; // of L2
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

// What the first request of a slice with an atomic buffer still moves between that and L2.
struct wm_atomic_buffer_moves {
    struct wm_atomic_buffer *buffer; // borrowed
    uint32_t seen;                   // its sectors that have been looked for in the buffer
    bool writes, reads;              // a sector to L2, then one from it
    uint64_t written, read;          // their addresses
    bool waits;                      // for bytes: it has a place among the waiting, `token`
    uint32_t token;
    uint32_t *parts; // owned, by token: what a waiting request waits for
};

struct wm_partition_slice {
    struct wm_atomic_buffer_moves *moves; // owned; NULL without an atomic buffer
    struct wm_timed_cache timed;
    struct wm_cache *cache; // borrowed
    uint32_t index;         // among the memory system's
    struct wm_crossbar_input input;
    struct wm_crossbar_output output;
    struct wm_packet_queue in, out; // `when` in cycles of L2
    struct wm_partition_bursts bursts;
    struct wm_atomic_unit atomics;
    struct wm_packet_queue operating; // atomics that it does; `when`: their last cycle there
    struct wm_packet *waiting;        // owned: requests whose bytes are on their way
    uint32_t *free_waiting, free_count, waiting_room;
    uint64_t next_look_up;
    bool in_was_full;
    bool retries;    // what it was stalled by may be over
    bool needs_room; // stalled till fewer of its bursts wait for the channel, whatever else happens
    enum wm_stall stall;
    uint64_t stalled_since;
    // Kept while the partition runs: the cycle in which it acts next, at the earliest; when a
    // request comes in, and when a reply leaves.
    uint64_t next, next_in, next_out;
};

struct wm_partition {
    struct wm_memory *memory; // borrowed
    // Of L2s that keep byte masks, else NULL: the SMs' pools, borrowed, and rows that were read.
    const struct wm_byte_mask_pool *const *written;
    struct wm_byte_mask_rows rows;
    struct wm_dram_counters *dram_counters;
    struct wm_dram_channel *channel;
    struct wm_clock_ratio to_dram, from_dram, to_network, from_network; // from and to L2's clock
    uint32_t index, slice_count, latency, flit_bytes;
    uint32_t queue, in_room;  // requests that wait to be looked up, and those on their way to it
    uint64_t cycle;           // of L2: all before it is done
    uint64_t next, dram_next; // likewise: when it acts next, and when its channel does
    uint32_t waiting_bursts;  // bursts of its slices that wait for room in the channel
    bool one_clock;           // L2 has that of the interconnect
    struct wm_partition_slice *slices;
    struct wm_partition_reads reads;
    struct wm_partition_completions completions;
    struct wm_instruction_counters *counters_by_pc;
    wm_partition_listener *on_lookup;
    void *listener;
    uint32_t turn; // the slice whose bursts go to the channel first
    bool failed;   // out of memory
};

// The kind of access that the replacement entry sees.
static inline enum wm_access_kind wm_partition_kind(const struct wm_packet *packet)
{
    if (packet->client == WM_CACHE_ATOMIC)
        return packet->reduces ? WM_ACCESS_REDUCTION : WM_ACCESS_ATOMIC;
    return packet->client == WM_CACHE_LOAD ? WM_ACCESS_LOAD : WM_ACCESS_STORE;
}

// build.c. All places for waiting requests are taken: makes more. False when out of memory.
bool wm_partition_grow_waiting(struct wm_partition_slice *slice);

// partition.c. What a look-up left to do below the slice, on behalf of `pc`.
void wm_partition_finish_lookup(struct wm_partition *partition, struct wm_partition_slice *slice,
                                uint64_t line, const struct wm_timed_result *result, uint32_t pc);

// atomic_buffer_moves.c. Room for `tokens` waiting requests. WM_NO_MEMORY.
enum wm_status wm_atomic_buffer_moves_new(struct wm_partition_slice *slice, uint32_t tokens,
                                          struct wm_atomic_buffer *buffer, struct wm_error *error);
// Harmless on NULL.
void wm_atomic_buffer_moves_free(struct wm_atomic_buffer_moves *moves);
// The slice's first request is `packet`, in a cycle in which nothing has been looked up.
enum wm_atomic_buffer_move_result {
    WM_MOVED_NONE, // it has to come again, `*stall` says why
    WM_MOVED_ONE,  // a sector moved, which was this cycle's look-up
    WM_MOVED_ALL,  // an atomic is done but for what it waits for; another may be looked up
};
enum wm_atomic_buffer_move_result wm_atomic_buffer_move(struct wm_partition *partition,
                                                        struct wm_partition_slice *slice,
                                                        const struct wm_packet *packet,
                                                        enum wm_stall *stall);

// dram_requests.c. Requests sectors of a line of L2, burst by burst, and charges them to `pc`. Of
// reads `entry` is the line's in the slice's MSHR.
void wm_partition_request_dram(struct wm_partition *partition, struct wm_partition_slice *slice,
                               uint64_t line, uint32_t sectors, bool write, uint32_t entry,
                               uint32_t pc);
// What waits goes to the channel while that has room, slice after slice.
void wm_partition_issue_bursts(struct wm_partition *partition, uint64_t dram_cycle);
// The channel has issued a request's last command.
void wm_partition_note_completion(void *partition, const struct wm_dram_completion *done);

#endif

// An SM of the clock engine and what it holds: its load/store unit, the places of its blocks, what
// its threads count. Private to engine/clock/.
#ifndef WM_ENGINE_CLOCK_CLOCK_SM_H
#define WM_ENGINE_CLOCK_CLOCK_SM_H

#include "engine/access/front_end.h"
#include "engine/session/load_times.h"
#include "engine/walk/request_batch.h"
#include "mem/timed/partition/partition.h"
#include "mem/timed/unit.h"
#include "sm/issue/issue_core.h"
#include "sm/lost_locality.h"

struct wm_clock;
struct wm_clock_code;     // clock/code_fetch.c
struct wm_clock_core;     // clock/cores.c
struct wm_clock_throttle; // clock/load_throttle.c

enum {
    // Most accesses of one instruction, and their lines: of four spaces, or of a texture fetch,
    // whose texels cross no line.
    WM_CLOCK_HEADS = WM_MOST_ACCESSES,
    WM_CLOCK_LINES = (WM_MOST_ACCESSES / 2 + 1) * WM_MAX_LINE_REQUESTS,
    WM_CLOCK_OPS_A_WARP = 16,     // memory instructions under way, on average over an SM's warps
    WM_FALSE_SHARING_BYTES = 128, // bytes from what one thread writes to what another does
};

// clang-format off
#define WM_MEMORY_UNIT_COUNTERS(X)                                                                 \
    X(instructions, "warp-instructions", "memory instructions that went through it")               \
    X(loads, "warp-instructions", "of them, those that wrote registers")                           \
    X(load_cycles, "cycles", "sum over these of the cycles from issue until all lanes had their data") \
    X(requests_replied, "requests", "requests that L2 answered")                                   \
    X(round_trip_cycles, "cycles", "sum over these of the cycles from L1 and back to it")          \
    X(bank_conflict_cycles, "cycles", "cycles that bank conflicts of shared memory added, those of its atomics among them")
// clang-format on

struct wm_memory_unit_counters {
    WM_MEMORY_UNIT_COUNTERS(WM_COUNTER_FIELD)
    struct wm_stall_counters stalls;
};

// clang-format off
// Of machines that throttle loads (gpu.sm.load_throttle).
#define WM_THROTTLE_COUNTERS(X)                                                                    \
    X(lost_lines, "requests", "loads' requests that missed a line which their warp had brought to L1 and lost") \
    X(held, "warp-cycles", "cycles in which warps could have issued, but a load that they may not issue")
// clang-format on

struct wm_throttle_counters {
    WM_THROTTLE_COUNTERS(WM_COUNTER_FIELD)
};

// A memory instruction that is under way.
struct wm_clock_memory_op {
    uint64_t issued;
    uint32_t slot, pc;
    uint32_t outstanding; // parts that are not done
    uint32_t next_free;
    uint8_t rank;             // of its warp, when it issued (sm/issue/issue_core.h)
    bool sending;             // its requests have not all been made
    bool writes;              // registers
    uint8_t served;           // enum wm_server, of its parts that are done
    uint32_t requests_waited; // of its requests, those that waited for bytes from below
};

// One in the load/store unit: most have an access of few lines. A whole SM's are to stay in the
// host's caches.
enum { WM_CLOCK_ENTRY_HEADS = 1, WM_CLOCK_ENTRY_LINES = 4 };

// Of an entry with more.
struct wm_load_store_lines {
    struct wm_request_head heads[WM_CLOCK_HEADS];
    struct wm_line_request lines[];
};

struct wm_load_store_entry {
    uint32_t op;
    uint32_t head_count, head, line, first_line; // where its requests stand
    uint32_t shared_passes;
    uint32_t shared_interval; // cycles from one of them to the next
    uint32_t data_passes;     // cycles of its data, besides look-ups; 0: none, or they have begun
    bool translated;          // the pages of its access that is being made are known
    bool is_atomic;           // beyond the SM: sm->entry_rounds has its lanes
    uint32_t latency;         // of the slowest of the caches that served it
    uint32_t resident_warps;
    uint32_t other_lines;               // that `others` has room for
    struct wm_line_request *lines;      // its own, or
    struct wm_load_store_lines *others; // owned, where it had more, else NULL
    struct wm_request_head *heads;      // likewise
    struct wm_request_head own_heads[WM_CLOCK_ENTRY_HEADS];
    struct wm_line_request own_lines[WM_CLOCK_ENTRY_LINES];
};

// The most requests of an instruction, while it is being coalesced.
struct wm_clock_coalesced {
    struct wm_request_head heads[WM_CLOCK_HEADS];
    struct wm_line_request lines[WM_CLOCK_LINES];
};

// Parts of instructions that are done in a cycle known already, in order of that.
struct wm_clock_completion {
    uint64_t cycle;
    uint32_t op;
};

struct wm_clock_completion_queue {
    struct wm_clock_completion *items; // owned, a ring (base/containers/ring.h)
    uint32_t mask, first, end;
};

// A warp that waits for time to pass (clock/device_time.c): its next instruction issues from a
// cycle on.
struct wm_clock_sleeper {
    uint64_t cycle;
    uint32_t slot, pc;
};

struct wm_clock_block_slot {
    struct wm_block *block; // NULL: free
    struct wm_launch_state *run;
    uint64_t index;
    uint32_t accesses; // of its warps, memory instructions that are not done
    bool finished;     // all its warps have
    uint8_t waiting;   // of its warps, those that wait for each other
    uint16_t first;    // slot: its warps' follow each other
    uint32_t segment, base;
};

// Instructions of a kernel among those of all launches under way: the first one's pc. Launches of
// one kernel share it, and it stays until none is under way.
struct wm_clock_segment {
    struct wm_kernel_record *record;
    uint32_t base, count;
    // With a filter, or where launches are kept, each launch under way has a segment of its own;
    // one that has left gives it to the next of its kernel.
    struct wm_launch_accounting *launch; // while it is under way; else NULL
    uint64_t left;                       // the interconnect's cycle in which the last one left
    bool not_counted;                    // the filter leaves it out
};

// Dirty lines of an L1 that are written back, in order, when a launch has finished.
struct wm_clock_flush {
    uint64_t *lines; // owned, while that lasts
    uint32_t count, next;
};

// The warp in a slot of an SM, while a launch runs.
struct wm_clock_warp_slot {
    uint16_t place, warp; // its block's; its number in that
};

// Replies of caches of its group to an SM, `when` in its cycles, in order of that.
struct wm_clock_inbox {
    struct wm_packet *packets; // owned
    uint32_t count, room;
    uint64_t due; // the first's; WM_NEVER: there is none
};

// What is added up over all islands: each thread adds for itself, whichever islands it runs, so
// that this takes the host's caches once a thread and not once an island. And what an island needs
// for a moment.
struct wm_clock_tally {
    _Alignas(WM_FALSE_SHARING_BYTES) struct wm_instruction_counters *counters_by_pc; // owned, by pc
    struct wm_load_counters *loads;                                                  // owned, by pc
    struct wm_load_latency *latencies; // owned, by segment
    // Owned, where misses are explained, else NULL: by pc, loads by what served them.
    struct wm_load_servers *servers;
    bool failed; // out of memory as it handed over
    struct wm_clock_coalesced traced;
    struct wm_instruction_footprint footprint;
};

// Or a CPU core, which has `cpu` in place of warps and of a load/store unit.
struct wm_clock_sm {
    // Neighbours are run by different threads, and hosts fetch lines of their caches in pairs.
    _Alignas(WM_FALSE_SHARING_BYTES) struct wm_clock *clock;
    uint32_t index;
    struct wm_clock_core *cpu;                      // owned; NULL: it is an SM
    struct wm_clock_ratio to_network, from_network; // from and to its clock
    uint64_t cycle;                                 // of the SM: all before it is done
    uint64_t acted; // the cycle behind the last in which it did something
    uint64_t pause; // of the instruction that is executed: cycles for which its warp had to wait
    // When its other parts act next, at the earliest, kept while it runs: a reply comes in; the
    // load/store unit; a packet leaves.
    uint64_t reply_due, memory_due, packet_due;
    struct wm_issue_core core;
    struct wm_clock_throttle *throttle; // owned; NULL: all warps may issue loads
    struct wm_clock_code *code;         // owned; NULL: code is not fetched
    struct wm_timed_unit timed;
    struct wm_crossbar_output output;
    struct wm_crossbar_output responses; // of machines with inclusive levels; shares the port
    struct wm_crossbar_input input;
    struct wm_front_end front_end;
    struct wm_request_batcher batcher;
    struct wm_request_batch batch;
    struct wm_access_sink sink;         // hands accesses to the front end
    struct wm_clock_block_slot *places; // owned
    struct wm_clock_warp_slot *slots;   // borrowed: the clock's, or its own
    struct wm_clock_warp_slot
        *own_slots;               // owned: when places are not of one size; NULL before that
    uint8_t *spaces;              // owned, by pc
    uint32_t base;                // of the segment that the front end counts for
    uint32_t charged;             // of whose launch what it counts is: 0 unless there are several
    struct wm_clock_tally *tally; // borrowed: of the thread that runs it
    // When misses are explained, else NULL: by slot, the number of its warp's block among those of
    // all launches.
    uint64_t *blocks;                    // owned
    struct wm_access_patterns *patterns; // owned, where misses are explained
    uint32_t resident_warps, issue_width;
    bool scoped;      // its L1 drops its lines at acquires
    bool coherent;    // its accesses begin at a coherent cache
    uint32_t waiting; // of its warps, those that wait for others of their blocks

    struct wm_load_store_entry *entries; // owned, a ring of entry_room
    // Owned, by their lines: of stores where a cache keeps byte masks, of all accesses where misses
    // are explained; else NULL.
    uint32_t *entry_bytes;
    uint32_t byte_row; // of a line, in words
    // Owned, where a cache of its lets requests join others in flight, else NULL: by an entry's
    // lines, their places there (mem/timed/level/in_flight.h).
    uint32_t *entry_places;
    uint8_t *entry_rounds; // likewise, by sector, of atomics; NULL: there has been none
    uint32_t entry_room, entry_first, entry_count;
    uint32_t ports;     // requests that it makes in a cycle
    uint64_t unit_free; // the cycle in which the unit makes its next request
    enum wm_stall stall;
    bool retries; // what it was stalled by may be over
    uint32_t
        shared_levels; // by level, a bit where others may end what a request there is stalled by
    uint64_t stalled_since;
    struct wm_clock_memory_op *ops; // owned
    uint32_t op_count, op_room;     // most under way; places so far
    uint32_t first_token;           // of its ops, among those of SMs that share caches
    uint32_t free_op, fresh_op;     // the first of the free ones; behind the last: never used yet
    struct wm_clock_completion_queue hits, shared, returned;
    struct wm_clock_sleeper *sleepers; // owned: `sleeper_count`, in no order
    uint32_t sleeper_count;
    uint64_t sleep_due;          // when the first of them wakes
    uint64_t done_due;           // when the first of all these comes
    uint32_t traced_passes;      // of the instruction being executed
    uint32_t traced_interval;    // and the cycles from one to the next
    uint32_t traced_data_passes; // likewise: cycles of a load's data, besides look-ups
    uint64_t data_free;          // the cycle in which another load's may begin
    uint32_t word_interval;      // of the constant cache
    bool lane_banks;             // of L1
    bool has_data_passes;        // of either
    uint8_t *traced_rounds;      // likewise: its entry's; NULL: it is no atomic beyond the SM
    uint32_t *traced_bytes;      // likewise: its entry's
    struct wm_load_store_entry *traced_entry;
    uint64_t finished_blocks;
    bool abandoned; // launches have failed: what is done of their instructions is dropped
    struct wm_clock_flush flush;
    struct wm_clock_inbox inbox; // of a group
    uint64_t due;                // likewise: the cycle in which it acts next, while the group runs
    bool failed;                 // out of memory
    struct wm_memory_unit_counters unit;
    enum wm_server served; // of the parts that are being completed
};

#endif

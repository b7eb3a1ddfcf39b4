// The islands of the clock engine (clock/windows.c says what an island is) and what they hold.
// Private to engine/clock/.
//
//   clock.c                      building, what is not modelled, components
//   clock/sm.c                   an SM's cycles: replies, the load/store unit, issue, packets out
//   clock/sm_launch.c            making an SM, and beginning a launch on it
//   clock/load_store_unit.c      the load/store unit
//   clock/windows.c              time: windows, handing over, blocks
//   clock/counter_attribution.c  whose components' counters are
//   clock/launches.c             launches: alone, and side by side
//   clock/mailbox.c              what islands send each other, at a window's end
//   clock/paired_windows.c       windows two at a time
//   clock/l1_flush.c             what L1s that write back do when a launch has finished
//   clock/network.c              butterflies between SMs and slices
//   clock/code_fetch.c           fetches of code, where there are instruction caches
//   clock/sm_group.c             SMs that share a cache or a tracker
//   clock/tally.c                what instructions cost, and how long loads took
//   clock/device_time.c          what kernels read of time, and warps that wait for it to pass
//   clock/load_throttle.c        warps whose loads wait, where the machine throttles them
//   clock/deadlock.c             what holds what when nothing can continue
#ifndef WM_ENGINE_CLOCK_CLOCK_STATE_H
#define WM_ENGINE_CLOCK_CLOCK_STATE_H

#include "base/run/thread_team.h"
#include "engine/clock/clock.h"
#include "engine/clock/timeline_writer.h"
#include "engine/session/load_times.h"
#include "mem/timed/level/tracker.h"
#include "mem/timed/partition/partition.h"
#include "mem/timed/unit.h"
#include "sm/issue/issue_core.h"
#include "sm/lost_locality.h"

enum {
    // Most accesses of one instruction, and their lines: of four spaces, or of a texture fetch,
    // whose texels cross no line.
    WM_CLOCK_HEADS = WM_MOST_ACCESSES,
    WM_CLOCK_LINES = (WM_MOST_ACCESSES / 2 + 1) * WM_MAX_LINE_REQUESTS,
    WM_CLOCK_OPS_A_WARP = 16,     // memory instructions under way, on average over an SM's warps
    WM_FALSE_SHARING_BYTES = 128, // bytes from what one thread writes to what another does
    WM_CLOCK_NEIGHBOURS = 8,
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

// What other SMs of its group have sent an SM, `when` in its cycles, in order of that.
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
    bool failed;                       // out of memory as it handed over
    struct wm_clock_coalesced traced;
    struct wm_instruction_footprint footprint;
};

struct wm_clock_sm {
    // Neighbours are run by different threads, and hosts fetch lines of their caches in pairs.
    _Alignas(WM_FALSE_SHARING_BYTES) struct wm_clock *clock;
    uint32_t index;
    uint64_t cycle; // of the SM: all before it is done
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
    uint32_t waiting; // of its warps, those that wait for others of their blocks

    struct wm_load_store_entry *entries; // owned, a ring of entry_room
    // Owned, by their lines: of stores where a cache keeps byte masks, of all accesses where misses
    // are explained; else NULL.
    uint32_t *entry_bytes;
    uint32_t byte_row;     // of a line, in words
    uint8_t *entry_rounds; // likewise, by sector, of atomics; NULL: there has been none
    uint32_t entry_room, entry_first, entry_count;
    uint32_t ports;     // requests that it makes in a cycle
    uint64_t unit_free; // the cycle in which the unit makes its next request
    enum wm_stall stall;
    bool retries; // what it was stalled by may be over
    bool shares;  // a cache with other SMs, which may end what it is stalled by at any time
    uint64_t stalled_since;
    struct wm_clock_memory_op *ops; // owned
    uint32_t op_count, op_room;     // most under way; places so far
    uint32_t first_token;           // of its ops, among those of SMs that share caches
    uint32_t free_op, fresh_op;     // the first of the free ones; behind the last: never used yet
    struct wm_clock_completion_queue hits, shared, returned;
    struct wm_clock_sleeper *sleepers; // owned: `sleeper_count`, in no order
    uint32_t sleeper_count;
    uint64_t sleep_due;       // when the first of them wakes
    uint64_t done_due;        // when the first of all these comes
    uint32_t traced_passes;   // of the instruction being executed
    uint32_t traced_interval; // and the cycles from one to the next
    uint8_t *traced_rounds;   // likewise: its entry's; NULL: it is no atomic beyond the SM
    uint32_t *traced_bytes;   // likewise: its entry's
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

// What each window reads of all SMs and partitions, close together. WM_CLOCK_NEIGHBOURS neighbours,
// in as many bytes as lie apart, are one thread's.
struct wm_island_status {
    uint64_t next;   // the interconnect's cycle in which it acts next
    uint32_t window; // the last one in which it ran
    bool failed;     // out of memory
    bool finished;   // an SM: blocks have finished
    bool sent;       // packets or credits
};

// With paired windows (clock/paired_windows.c): what others sent to an SM or a partition in a
// window that it has not run yet.
struct wm_clock_arrivals {
    uint64_t packet, credit; // the first that comes, and, to an SM, comes back; WM_NEVER: none
    bool ahead;              // an SM: it has run the window behind this one, too
};

// Of the network.
struct wm_clock_receiver {
    struct wm_partition_slice *slice; // borrowed
    uint32_t partition;               // that it is of
};

struct wm_clock_code; // clock/code_fetch.c
struct wm_clock_mailbox;
struct wm_clock_charges; // clock/counter_attribution.c

// A cache of an SM or of several. Neighbours are used by different threads.
struct wm_clock_cache {
    _Alignas(WM_FALSE_SHARING_BYTES) struct wm_timed_level level;
};

struct wm_clock {
    struct wm_session *session; // borrowed
    const struct wm_machine *machine;
    struct wm_memory *memory;
    struct wm_clock_ratio to_network, from_network; // from and to the SMs' clock
    struct wm_dram_channel_spec dram;
    uint32_t sm_count, partition_count;
    uint32_t window;                  // the interconnect's cycles of a window
    struct wm_clock_network *network; // owned; NULL: the interconnect is a crossbar
    // Owned, by SM and behind these by partition; and the thread that hands over to it.
    struct wm_island_status *islands;
    uint16_t *thread_of;
    struct wm_clock_arrivals *arrivals;   // owned, likewise
    bool pairs_windows, partitions_ahead; // partitions have run the window that comes next
    uint32_t windows;                     // begun, modulo 2^32: the present one's number
    struct wm_clock_sm *sms;              // owned
    struct wm_timed_topology topology;
    uint64_t first_fetch_token;          // behind those of ops: by SM and warp slot
    uint8_t distance[WM_SERVERS];        // from the SMs, in order: of what serves their loads
    struct wm_partition **partitions;    // owned, each too
    struct wm_clock_receiver *receivers; // owned, by number: topology.receivers
    struct wm_clock_cache *caches[WM_LEVEL_L2]; // owned: of SMs, by level; NULL: there are none
    // SMs that share something: so many, group after group; 0: they share nothing.
    uint32_t group_count, group_sms;
    struct wm_timed_tracker_group *trackers;    // owned; NULL: there are none, as the next
    struct wm_clock_group_levels *group_levels; // owned (clock/group_levels.c), of
    bool is_between[WM_MOST_LEVELS];            // these levels
    const struct wm_byte_mask_pool **written;   // owned, by SM; NULL unless L2 keeps byte masks
    struct wm_clock_warp_slot *slots;           // owned, by slot of any SM, of places of one size
    struct wm_issue_table table;                // of the launches under way
    struct wm_clock_launch *launches;           // these
    uint32_t launch_count;
    struct wm_clock_segment *segments; // owned, while a launch is under way, as the next
    uint32_t segment_count;
    struct wm_explained_segment *explained; // owned, the same where misses are explained
    uint8_t *listed, *l1_priorities,
        *l2_priorities;   // owned, by pc; the latter NULL for one segment
    uint32_t place_count; // most in use of an SM
    uint64_t session_first,
        session_last;    // the SMs' cycle in which the first began; of the last end
    uint64_t cycles;     // in which any was under way, before the present ones
    bool session_failed; // a launch that is, or was, under way was not run to its end
    bool out_of_memory;  // as results were kept
    bool several;        // launches are under way, or were since the first of them began
    struct wm_clock_charges *charges; // owned; NULL before there were several
    struct wm_thread_team_step steps[WM_THREAD_TEAM_STEPS];
    struct wm_thread_team *team;    // owned, while a launch runs
    struct wm_clock_tally *tallies; // owned, likewise: by thread
    uint32_t tally_count, tally_entries;
    // Owned, likewise: by thread that ran the senders, and thread that the receivers belong to;
    // NULL unless there are several.
    struct wm_clock_mailbox *mailboxes;
    uint32_t mailbox_threads;
    bool flushes;  // L1s at a launch's end
    bool flushing; // they do
    uint64_t window_end;
    uint64_t moment; // wm_work.moment: twice the end of the window that runs, or one more behind it
    uint64_t now;    // the interconnect's cycle: all before it is done
    uint64_t launch_cycles;     // that launches took before their first blocks began, so far
    struct wm_device_time time; // of this clock
    struct wm_clock_timeline *timeline; // owned; NULL: none is kept
};

// clock/sm_launch.c
enum wm_status wm_clock_sm_init(struct wm_clock *clock, struct wm_clock_sm *sm, uint32_t index,
                                struct wm_error *error);
void wm_clock_sm_release(struct wm_clock_sm *sm);
enum wm_status wm_clock_sm_launch(struct wm_clock_sm *sm, struct wm_error *error);
// Launches have failed, or are given up: their blocks are no more, and their instructions make no
// more requests. Their requests are still on their way. WM_NO_MEMORY.
enum wm_status wm_clock_sm_abandon(struct wm_clock_sm *sm, struct wm_error *error);
// Another launch has joined, and there are more instructions. WM_NO_MEMORY.
enum wm_status wm_clock_sm_join(struct wm_clock_sm *sm, struct wm_error *error);
// Why accesses of a segment's instructions missed on the SM, by their pc in the kernel: a copy of
// its own of the record's. Only when misses are explained.
struct wm_instruction_misses *wm_clock_explained(const struct wm_clock_sm *sm, uint32_t segment);
// Its front end counts for the segment from here on.
void wm_clock_sm_trace_for(struct wm_clock_sm *sm, uint32_t segment);
// clock/sm.c. Whether a block of the launch has slots that follow each other; a block of the
// launch begins in a free place, in `cycle` of the SM.
bool wm_clock_sm_has_slots(const struct wm_clock_sm *sm, const struct wm_launch_state *run);
void wm_clock_sm_start(struct wm_clock_sm *sm, uint32_t place,
                       const struct wm_clock_launch *running, struct wm_block *block,
                       uint64_t cycle);
// The warp's next instruction is that at `pc`, in `cycle` at the earliest, when its code is there.
// Warps of the block in that place that wait for each other, or waited for what they launched,
// continue where they may. And: they all leave, unfinished, in `cycle`.
void wm_clock_sm_continue(struct wm_clock_sm *sm, uint32_t slot, uint32_t pc, uint64_t cycle);
void wm_clock_sm_resume_warps(struct wm_clock_sm *sm, uint32_t place, uint64_t cycle);
void wm_clock_sm_leave(struct wm_clock_sm *sm, uint32_t place, uint64_t cycle);
// Does all that happens before the interconnect's cycle `end`, and finds when it acts next.
void wm_clock_sm_run(struct wm_clock_sm *sm, uint64_t end);
// Its parts, for a group that runs several by turns: looks ahead at a window's beginning, runs a
// cycle, says which it acts in next from `cycle` on, and ends the window.
uint64_t wm_clock_sm_look_ahead(struct wm_clock_sm *sm);
void wm_clock_sm_cycle(struct wm_clock_sm *sm, uint64_t cycle, bool one_clock);
uint64_t wm_clock_sm_due(struct wm_clock_sm *sm, uint64_t cycle);
void wm_clock_sm_end_window(struct wm_clock_sm *sm, uint64_t last, uint64_t cycle);
// A reply has come.
void wm_clock_sm_reply(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t cycle);
// A packet leaves by the SM's port; false when it has to wait.
bool wm_clock_sm_send(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t cycle);
// The same when a launch has finished: its L1 writes back.
void wm_clock_sm_flush(struct wm_clock_sm *sm, uint64_t end);
// A packet arrives, or a credit comes back, in that cycle of the interconnect.
static inline void wm_clock_sm_expect(struct wm_clock_sm *sm, uint64_t cycle)
{
    uint64_t *next = &sm->clock->islands[sm->index].next;
    *next = wm_earlier(*next, cycle);
}

// The same for a partition.
static inline void wm_clock_partition_expect(struct wm_clock *clock, uint32_t partition,
                                             uint64_t cycle)
{
    uint64_t *next = &clock->islands[clock->sm_count + partition].next;
    *next = wm_earlier(*next, cycle);
}

// clock/code_fetch.c. Building, which does nothing where there are no instruction caches, as the
// release and a launch's begin; a warp comes into a slot. The others are for SMs with code: whether
// the lines of the instruction at `pc` are there, which may issue in `cycle`; if not, it is the
// warp's next when they have come. Lines that could not be looked up come again, in sm->cycle, if
// there are any; and a line of that warp has come.
enum wm_status wm_clock_code_init(struct wm_clock_sm *sm, struct wm_error *error);
void wm_clock_code_release(struct wm_clock_sm *sm);
void wm_clock_code_launch(struct wm_clock_sm *sm);
void wm_clock_code_join(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle);
bool wm_clock_code_fetch(struct wm_clock_sm *sm, uint32_t slot, uint32_t pc, uint64_t cycle);
void wm_clock_code_run(struct wm_clock_sm *sm);
bool wm_clock_code_is_queued(const struct wm_clock_sm *sm);
void wm_clock_code_come(struct wm_clock_sm *sm, uint32_t slot);

// clock/device_time.c. Building and harmless release; a warp, which has issued and can continue,
// sleeps until `cycle` and issues the instruction at `pc` then; those that wake up to `cycle` do;
// and none sleeps any more, as their launches have failed.
enum wm_status wm_clock_sleep_init(struct wm_clock_sm *sm, struct wm_error *error);
void wm_clock_sleep_release(struct wm_clock_sm *sm);
void wm_clock_sleep(struct wm_clock_sm *sm, uint32_t slot, uint32_t pc, uint64_t cycle);
void wm_clock_wake(struct wm_clock_sm *sm, uint64_t cycle);
void wm_clock_sleep_abandon(struct wm_clock_sm *sm);

// clock/load_store_unit.c: the load/store unit.
enum wm_status wm_load_store_init(struct wm_clock_sm *sm, struct wm_error *error);
void wm_load_store_release(struct wm_clock_sm *sm);
// The entry that an instruction's accesses are traced into; there is room.
struct wm_load_store_entry *wm_load_store_open(struct wm_clock_sm *sm);
// It has been traced: its requests are made from `cycle` on. False: it made none and goes nowhere.
bool wm_load_store_submit(struct wm_clock_sm *sm, struct wm_load_store_entry *entry, uint32_t slot,
                          uint32_t pc, uint64_t cycle);
bool wm_load_store_has_room(const struct wm_clock_sm *sm);
// Which lanes of an atomic come one after another, of the lines from `first` on that were traced
// last.
void wm_load_store_note_atomic(struct wm_clock_sm *sm, const struct wm_warp_access *access,
                               uint32_t first);
void wm_load_store_run(struct wm_clock_sm *sm, uint64_t cycle);
// Launches have failed: their instructions send nothing any more, and replies to them are dropped,
// until the SM begins a launch.
void wm_load_store_abandon(struct wm_clock_sm *sm);
// A part of what `token` names is done, an op of the SM or of one that shares a cache with it; the
// cycle is sm->cycle.
void wm_load_store_done(void *sm, uint64_t token);
// L1 has what such a part waited for, and hands it on as fast as it can.
void wm_load_store_returned(void *sm, uint64_t token);
uint64_t wm_load_store_next(const struct wm_clock_sm *sm, uint64_t cycle);

// clock/mailbox.c. Hands over what an island sent, with `later` for when its receivers have run one
// more window; false: out of memory. Returns to SMs what slices have read of their pools. And hands
// over what all sent that ran in a window of one thread; as deliver, it notes failures in the
// tallies.
bool wm_clock_hand_over_requests(struct wm_clock *clock, const struct wm_clock_sm *sm, bool later);
bool wm_clock_hand_over_replies(struct wm_clock *clock, const struct wm_partition *partition,
                                bool later);
void wm_clock_return_written_rows(struct wm_clock *clock, struct wm_partition *partition);
void wm_clock_hand_over(struct wm_clock *clock);
// A launch begins, with at most so many threads: where there are several, and a crossbar, what
// islands send is to be posted by the thread that ran them, and delivered to islands of each share
// (wm_thread_team_step.run). False when out of memory. Harmless release.
bool wm_clock_mailboxes_begin(struct wm_clock *clock, uint32_t threads);
void wm_clock_mailboxes_release(struct wm_clock *clock);
void wm_clock_post_requests(struct wm_clock *clock, const struct wm_clock_sm *sm, uint32_t thread);
void wm_clock_post_replies(struct wm_clock *clock, const struct wm_partition *partition,
                           uint32_t thread);
void wm_clock_deliver(void *clock, uint32_t share, uint32_t thread);

// clock/windows.c. A partition runs up to `end`. Blocks that have finished leave the SMs that ran,
// and others begin; *failed, if not NULL, is the launch that could not. Windows up to the end of a
// launch, or `most` of them; threads for them.
void wm_clock_run_partition(struct wm_clock *clock, uint32_t index, uint64_t end, uint32_t thread);
enum wm_status wm_clock_give_blocks(struct wm_clock *clock, struct wm_clock_launch **failed,
                                    struct wm_error *error);
enum wm_status wm_clock_run_windows(struct wm_clock *clock, uint64_t most,
                                    struct wm_progress *progress, struct wm_clock_launch **failed,
                                    struct wm_error *error);
// Launches have failed, or are given up, and none is under way any more: what is on its way of
// them comes to its end. False when out of memory.
bool wm_clock_drain(struct wm_clock *clock);
enum wm_status wm_clock_form_threads(struct wm_clock *clock, uint32_t threads,
                                     struct wm_error *error);

// The SMs' cycle behind the last thing that happened: windows end later.
uint64_t wm_clock_last_cycle(const struct wm_clock *clock);

// clock/launches.c. A launch's blocks have finished, and, when it is the last, all that was on its
// way has come.
void wm_clock_end_launch(struct wm_clock *clock, struct wm_clock_launch *running, uint64_t last);

// clock/paired_windows.c. Building; whether a launch's windows can be run in pairs; and one pair of
// windows.
enum wm_status wm_clock_paired_windows_init(struct wm_clock *clock, struct wm_error *error);
bool wm_clock_can_pair_windows(const struct wm_clock *clock, uint32_t threads);
enum wm_status wm_clock_run_paired_windows(struct wm_clock *clock, struct wm_error *error);

// clock/l1_flush.c. Whether launches end so; the last block has finished (false when out of
// memory); and harmless when it has not begun.
bool wm_clock_flushes(const struct wm_machine *machine);
bool wm_clock_flush_begin(struct wm_clock *clock);
void wm_clock_flush_end(struct wm_clock *clock);

// clock/sm_group.c. Building, where SMs share something; harmless release; the first SM of a group,
// of `*count`; their window; and a packet sets out to another SM of the group in cycle `now` of the
// interconnect. What was sent below comes to an SM by a wire, in `cycle`: false when out of memory.
enum wm_status wm_sm_groups_init(struct wm_clock *clock, struct wm_error *error);
void wm_sm_groups_release(struct wm_clock *clock);
struct wm_clock_sm *wm_sm_group_sms(const struct wm_clock *clock, uint32_t group, uint32_t *count);
void wm_sm_group_run(struct wm_clock_sm *sms, uint32_t count, uint64_t end);
void wm_clock_send_to_sm(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t now);
bool wm_clock_send_up(struct wm_clock_sm *sm, const struct wm_packet *reply, uint64_t cycle);

// Whether a packet's level, or WM_TO_MEMORY or WM_OF_UNIT, is between SMs and the network.
static inline bool wm_clock_is_between(const struct wm_clock *clock, uint32_t level)
{
    return level < WM_MOST_LEVELS && clock->is_between[level];
}

// clock/group_levels.c, of such levels. Building, when groups are known; harmless release; what a
// cache counts. A packet to one: the cycle from `cycle` on in which that may have room, and its
// sending; and a reply to one, which has come by an SM's port.
enum wm_status wm_clock_group_levels_init(struct wm_clock *clock, struct wm_error *error);
void wm_clock_group_levels_release(struct wm_clock *clock);
// That of the caches of a group, where there are such levels.
struct wm_node_island *wm_clock_group_island(const struct wm_clock *clock, uint32_t group);
const struct wm_timed_cache_counters *wm_clock_group_node_counters(const struct wm_clock *clock,
                                                                   uint32_t level, uint32_t cache);
uint64_t wm_clock_group_node_ready(const struct wm_clock *clock, const struct wm_packet *packet,
                                   uint64_t cycle);
void wm_clock_send_to_group_node(struct wm_clock *clock, const struct wm_packet *packet,
                                 uint64_t cycle);
void wm_clock_group_node_reply(struct wm_clock *clock, const struct wm_packet *packet,
                               uint64_t cycle);
// Those of a group, harmless where there are none: the cycle in which one acts next; what they do
// in `cycle`, behind the SMs; and the end of a window.
uint64_t wm_clock_group_nodes_due(const struct wm_clock *clock, uint32_t group);
void wm_clock_run_group_nodes(struct wm_clock *clock, uint32_t group, uint64_t cycle);
void wm_clock_group_nodes_end_window(struct wm_clock *clock, uint32_t group);
void wm_clock_describe_group_nodes(const struct wm_clock *clock, struct wm_text *text);

// clock.c. A channel of memory. And zeros, a multiple of WM_FALSE_SHARING_BYTES from all else; NULL
// when out of memory. free() releases them.
const struct wm_dram_channel *wm_clock_channel(const struct wm_clock *clock, uint32_t number);
void *wm_clock_zeros(size_t count, size_t size);

// clock/tally.c. A launch of so many instructions begins, with at most so many threads: all islands
// use the first one's tally. False when out of memory.
bool wm_clock_tallies_begin(struct wm_clock *clock, uint32_t threads, uint32_t instructions);
// There are more instructions, and segments. False when out of memory.
bool wm_clock_tallies_grow(struct wm_clock *clock, uint32_t instructions, uint32_t segments);
// From here on a thread runs the SM.
void wm_clock_sm_use_tally(struct wm_clock_sm *sm, uint32_t thread);
// A load took so many cycles.
void wm_clock_tally_load(struct wm_clock_tally *tally, uint32_t segment,
                         const struct wm_clock_memory_op *op, uint64_t cycles);
// All have ended: what all threads counted of a segment is added to its record's. False when out of
// memory.
bool wm_clock_tallies_keep(const struct wm_clock *clock, const struct wm_clock_segment *segment);
// Harmless without any.
void wm_clock_tallies_release(struct wm_clock *clock);

// clock/load_throttle.c. Building, which does nothing where the machine does not throttle loads, as
// the release and a launch's begin. All others are for SMs with a throttle: a warp comes and
// finishes; a request of its load was served by L1; in `cycle` the issue core learns which warps
// are held, and in which that may change next while a warp waits for it; and counters, which
// wm_clock_throttle_update_counters brings up to date.
enum wm_status wm_clock_throttle_init(struct wm_clock_sm *sm, struct wm_error *error);
void wm_clock_throttle_release(struct wm_clock_sm *sm);
enum wm_status wm_clock_throttle_launch(struct wm_clock_sm *sm, struct wm_error *error);
void wm_clock_throttle_join(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle);
void wm_clock_throttle_finish(struct wm_clock_sm *sm, uint32_t slot);
void wm_clock_throttle_served(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle);
void wm_clock_throttle_find(struct wm_clock_sm *sm, uint64_t cycle);
uint64_t wm_clock_throttle_next(const struct wm_clock_sm *sm, uint64_t cycle);
void wm_clock_throttle_update_counters(struct wm_clock_sm *sm);
const struct wm_throttle_counters *wm_clock_throttle_counters(const struct wm_clock_sm *sm);

// clock/network.c: butterflies, where the machine has them, and the length of windows.
enum wm_status wm_clock_network_init(struct wm_clock *clock, struct wm_error *error);
void wm_clock_network_release(struct wm_clock *clock);
// Between windows: takes what SMs and slices have sent, and the credits that slices gave. False
// when out of memory, as the next.
bool wm_clock_network_take(struct wm_clock *clock);
// Before the window that begins at clock->now: brings SMs and slices all that reaches them in it.
bool wm_clock_network_run(struct wm_clock *clock);
// The cycle before which nothing that it holds reaches an SM or a slice; WM_NEVER: it holds nothing
// that can move.
uint64_t wm_clock_network_next(const struct wm_clock *clock);
size_t wm_clock_network_stages(const struct wm_clock *clock); // 0: a crossbar
const struct wm_switch_counters *wm_clock_network_counters(const struct wm_clock *clock,
                                                           bool replies, uint32_t stage);
void wm_clock_network_describe(const struct wm_clock *clock, struct wm_text *text);

// clock/counter_attribution.c. Several launches are under way from here on, of the segments, and
// components' counters belong to one of them; false when out of memory. What they have counted is
// given to their kernels; no launch is under way any more; harmless release.
bool wm_clock_charges_begin(struct wm_clock *clock);
void wm_clock_charges_attribute(struct wm_clock *clock);
void wm_clock_charges_end(struct wm_clock *clock);
void wm_clock_charges_release(struct wm_clock *clock);
// What the SM counts from here on is of the segment.
void wm_clock_charge_to(struct wm_clock *clock, uint32_t station, uint32_t segment);
static inline void wm_clock_charge(struct wm_clock_sm *sm, uint32_t segment)
{
    if (__builtin_expect(sm->charged != segment, false))
        wm_clock_charge_to(sm->clock, sm->index, segment);
}

// clock/suspension.c: as walk/suspension.c, in time. Blocks of the launch that have to wait leave
// their SMs, and others come back; harmless where none may wait. Which slot a block that begins in
// a place has (its local memory is there): one that no other block of the launch has on that SM.
// Whether all blocks of the launch that have begun are suspended.
void wm_clock_suspend_blocks(struct wm_clock *clock, struct wm_launch_state *run);
void wm_clock_resume_blocks(struct wm_clock *clock, const struct wm_clock_launch *running);
uint32_t wm_clock_resident_slot(const struct wm_clock_sm *sm, const struct wm_launch_state *run,
                                uint32_t place);
bool wm_clock_all_suspended(const struct wm_clock *clock, const struct wm_launch_state *run);

// clock/deadlock.c. Of the launch.
enum wm_status wm_clock_report_deadlock(struct wm_clock *clock,
                                        const struct wm_clock_launch *running,
                                        struct wm_error *error);

#endif

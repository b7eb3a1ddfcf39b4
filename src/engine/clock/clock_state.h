// The islands of the clock engine (clock/windows.c says what an island is) and what they hold.
// Private to engine/clock/.
//
//   clock.c                      building, what is not modelled, components
//   clock/clock_sm.h             an SM and what it holds
//   clock/sm.c                   an SM's cycles: replies, the load/store unit, issue, packets out
//   clock/sm_blocks.c            blocks and their warps on an SM
//   clock/sm_launch.c            making an SM, and beginning a launch on it
//   clock/load_store_unit.c      the load/store unit
//   clock/windows.c              time: windows, handing over, blocks
//   clock/counter_attribution.c  whose components' counters are
//   clock/launches.c             launches: alone, and side by side
//   clock/mailbox.c              what islands send each other, at a window's end
//   clock/paired_windows.c       windows two at a time
//   clock/l1_flush.c             what L1s that write back do when a launch has finished
//   clock/network.c              butterflies between SMs and slices
//   clock/peer_links.c           links between GPUs
//   clock/code_fetch.c           fetches of code, where there are instruction caches
//   clock/coherent_levels.c      machines whose levels are coherent
//   clock/coherent_packets.c     of these, L1s of SMs that are not
//   clock/sm_group.c             SMs that share a cache or a tracker, and CPU cores
//   clock/cores.c                CPU cores: the operations of their blocks, what they send
//   clock/core_check.c           what is not modelled of them
//   clock/tally.c                what instructions cost, and how long loads took
//   clock/device_time.c          what kernels read of time, and warps that wait for it to pass
//   clock/load_throttle.c        warps whose loads wait, where the machine throttles them
//   clock/deadlock.c             what holds what when nothing can continue
#ifndef WM_ENGINE_CLOCK_CLOCK_STATE_H
#define WM_ENGINE_CLOCK_CLOCK_STATE_H

#include "base/run/thread_team.h"
#include "engine/clock/clock.h"
#include "engine/clock/clock_sm.h"
#include "engine/clock/timeline_writer.h"
#include "mem/timed/level/tracker.h"
#include "mem/timed/partition/partition.h"

enum { WM_CLOCK_NEIGHBOURS = 8 };

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

struct wm_clock_mailbox;
struct wm_clock_charges;  // clock/counter_attribution.c
struct wm_clock_coherent; // clock/coherent_levels.c

// A cache of an SM or of several. Neighbours are used by different threads.
struct wm_clock_cache {
    _Alignas(WM_FALSE_SHARING_BYTES) struct wm_timed_level level;
};

struct wm_clock {
    struct wm_session *session; // borrowed
    const struct wm_machine *machine;
    struct wm_memory *memory;
    struct wm_clock_ratio to_network, from_network; // from and to the SMs' clock
    uint64_t network_hz;
    struct wm_dram_channel_spec dram;
    uint32_t sm_count, partition_count;
    // SMs and, behind them, CPU cores, which are one island (clock/cores.c). 0 cores: the machine
    // has none, or what they have is not modelled.
    uint32_t unit_count, core_count;
    uint32_t window;                        // the interconnect's cycles of a window
    struct wm_clock_network *network;       // owned; NULL: the interconnect is a crossbar
    struct wm_clock_coherent *coherent;     // owned; NULL: no level is coherent
    struct wm_clock_peer_links *peer_links; // owned; NULL: there is one GPU
    // Owned, by unit and behind these by partition; and the thread that hands over to it.
    struct wm_island_status *islands;
    uint16_t *thread_of;
    struct wm_clock_arrivals *arrivals;   // owned, likewise
    bool pairs_windows, partitions_ahead; // partitions have run the window that comes next
    uint32_t windows;                     // begun, modulo 2^32: the present one's number
    struct wm_clock_sm *sms;              // owned: of all units
    struct wm_timed_topology topology;
    uint64_t first_fetch_token;          // behind those of ops: by SM and warp slot
    uint64_t first_in_flight_token;      // behind those: of accesses in flight at a cache
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
    uint32_t gpus_used; // bit by number: launches ran there since none was under way
    bool flushes;       // L1s at a launch's end
    bool flushing;      // they do
    uint64_t window_end;
    uint64_t moment; // wm_work.moment: twice the end of the window that runs, or one more behind it
    uint64_t now;    // the interconnect's cycle: all before it is done
    uint64_t stop_at;           // likewise: where a step ends; WM_NEVER: nowhere
    bool stops;                 // the step ends behind the window that runs
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
// clock/sm_blocks.c. Whether a block of the launch has slots that follow each other; a block of the
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
// A warp has no next instruction: it waits, or has finished. And: warps of the block, whose first
// slot that is, that a barrier, or another's end, has let go.
void wm_clock_sm_stop_warp(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle);
void wm_clock_sm_release_waiting(struct wm_clock_sm *sm, uint32_t first,
                                 struct wm_clock_block_slot *place, uint64_t cycle);
// clock/estimated_issue.c. Where machine code is estimated: what a scheduler issues in `cycle`, of
// those warps first that it may.
void wm_clock_sm_issue_estimated(struct wm_clock_sm *sm, uint32_t scheduler, uint64_t allowed,
                                 uint64_t cycle);
// clock/sm.c. Does all that happens before the interconnect's cycle `end`, and finds when it acts
// next.
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
// While its group runs: a packet is on its way to its input, or a credit, which is there in `when`.
void wm_clock_sm_expect_arrival(struct wm_clock_sm *sm);
void wm_clock_sm_expect_credit(struct wm_clock_sm *sm, uint64_t when);
// The same as a window when a launch has finished: its L1 writes back.
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
    uint64_t *next = &clock->islands[clock->unit_count + partition].next;
    *next = wm_earlier(*next, cycle);
}

// clock/coherent_levels.c, of machines with coherent levels. What cannot be beside these; building,
// which does nothing where there are none, and harmless release.
enum wm_status wm_clock_coherent_check(const struct wm_machine *machine, struct wm_error *error);
// The clock of the caches, in place of the interconnect's: the fastest of the units'.
uint64_t wm_clock_coherent_hz(const struct wm_machine *machine);
enum wm_status wm_clock_coherent_init(struct wm_clock *clock, struct wm_error *error);
void wm_clock_coherent_release(struct wm_clock *clock);
// As wm_timed_unit_access.
enum wm_stall wm_clock_coherent_access(struct wm_clock_sm *sm, const struct wm_request *request,
                                       uint64_t cycle, uint64_t token, uint32_t *waits);
// A CPU core's access, which the core knows by `tag`.
struct wm_core_answer; // cpu/core.h
enum wm_stall wm_clock_coherent_core_access(struct wm_clock_sm *sm,
                                            const struct wm_request *request, uint64_t cycle,
                                            uint32_t tag, struct wm_core_answer *answer);
// All that the caches do up to and in clock->now; false when out of memory. The cycle in which they
// act next, and that behind the last in which they did.
bool wm_clock_coherent_run(struct wm_clock *clock);
uint64_t wm_clock_coherent_next(const struct wm_clock *clock);
uint64_t wm_clock_coherent_last_active(const struct wm_clock *clock);
// clock/coherent_explain.c. Where misses are explained on such a machine, else nothing: a core's
// access that was made at once has touched these bytes.
void wm_clock_coherent_note(const struct wm_clock_sm *sm, enum wm_access_kind kind,
                            uint64_t address, uint32_t bytes);
// Whether SMs have L1s without coherence, whose packets come to ports of coherent caches; and what
// those of a partition do in cycle `now`. The next in which they act is `*next`; false when out of
// memory.
bool wm_clock_coherent_has_packets(const struct wm_clock *clock);
bool wm_clock_coherent_run_packets(struct wm_clock *clock, uint32_t partition, uint64_t now,
                                   uint64_t *next);
// What waits there, where there are some; and a channel.
void wm_clock_coherent_describe(const struct wm_clock *clock, struct wm_text *text);
const struct wm_dram_channel *wm_clock_coherent_channel(const struct wm_clock *clock,
                                                        uint32_t number);
// The caches, one after another: of which level, or WM_MOST_LEVELS of the directory; which number
// there; and what it counts. False: there are no more.
struct wm_coherent_timing_counters;
struct wm_clock_coherent_part {
    uint32_t level, index;
    const struct wm_coherent_timing_counters *counters;
    const struct wm_link_counters *link; // its end of the interconnect; NULL: it has none
    uint32_t unit;                       // that end is that SM's, or WM_NO_NODE
};
bool wm_clock_coherent_part(const struct wm_clock *clock, uint32_t number,
                            struct wm_clock_coherent_part *part);

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
// Whether the code of the warp's next instruction is there.
static inline bool wm_clock_has_code(struct wm_clock_sm *sm, uint32_t slot, uint32_t pc,
                                     uint64_t cycle)
{
    return __builtin_expect(sm->code == NULL, true) || wm_clock_code_fetch(sm, slot, pc, cycle);
}
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

// Packets that wait to leave by the SM's port but do not do so in order: acknowledgements, and what
// was refused. And any.
static inline bool wm_clock_sm_has_others(const struct wm_clock_sm *sm)
{
    return wm_packet_queue_count(&sm->timed.out.responses) +
               wm_packet_queue_count(&sm->timed.refused) !=
           0;
}
static inline bool wm_clock_sm_has_packets(const struct wm_clock_sm *sm)
{
    return wm_packet_queue_count(&sm->timed.out.packets) != 0 || wm_clock_sm_has_others(sm);
}

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

// The SM's number among those that the launch runs on, its GPU's.
static inline uint32_t wm_clock_number_for(const struct wm_clock_sm *sm,
                                           const struct wm_launch_state *run)
{
    return sm->index - run->first_sm;
}

// Channels of all GPUs.
static inline uint32_t wm_clock_channels(const struct wm_clock *clock)
{
    return clock->machine->memory.dram.channels * wm_memory_gpus(&clock->machine->memory);
}

// clock/peer_links.c. Building does nothing with one GPU; harmless release. Whether what an SM and
// a receiver of the network send each other crosses a link, and how long that is, in cycles of the
// interconnect. Takes a packet that does, to an SM where `is_reply`; and hands over all that were
// taken since. Both false when out of memory. Links of one direction each, 0 with one GPU.
enum wm_status wm_clock_peer_links_init(struct wm_clock *clock, struct wm_error *error);
void wm_clock_peer_links_release(struct wm_clock *clock);
bool wm_clock_crosses(const struct wm_clock *clock, uint32_t sm, uint32_t receiver);
uint64_t wm_clock_peer_link_latency(const struct wm_clock *clock);
bool wm_clock_peer_link_take(struct wm_clock *clock, uint32_t sm, uint32_t receiver,
                             const struct wm_packet *packet, bool is_reply);
bool wm_clock_peer_links_hand_over(struct wm_clock *clock);
size_t wm_clock_peer_link_count(const struct wm_clock *clock);
struct wm_peer_link_timing;
extern const struct wm_counter_set wm_peer_link_timing_set;
const struct wm_peer_link_timing *wm_clock_peer_link_counters(const struct wm_clock *clock,
                                                              uint32_t from, uint32_t to);

// clock/mailbox.c. A packet is on its way to a receiver of the network, or to an SM, and crosses no
// link between GPUs, or has; `later` as below. False when out of memory.
bool wm_clock_give_request(struct wm_clock *clock, uint32_t sm, uint32_t receiver,
                           const struct wm_packet *packet, bool later);
bool wm_clock_give_reply(struct wm_clock *clock, uint32_t receiver, uint32_t sm,
                         const struct wm_packet *packet, bool later);

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
// of `*count`; and their window. Which way of an SM leads to another one of its tracker's group; a
// packet sets out to it in cycle `now` of the interconnect, the way being free; and what its input
// has taken of such gives its credits back. What was sent below comes to an SM by a wire, in
// `cycle`: false when out of memory.
enum wm_status wm_sm_groups_init(struct wm_clock *clock, struct wm_error *error);
void wm_sm_groups_release(struct wm_clock *clock);
struct wm_clock_sm *wm_sm_group_sms(const struct wm_clock *clock, uint32_t group, uint32_t *count);
void wm_sm_group_run(struct wm_clock_sm *sms, uint32_t count, uint64_t end);
uint32_t wm_clock_way_to_sm(const struct wm_clock_sm *sm, uint32_t to);
void wm_clock_send_to_sm(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t now);
void wm_clock_return_credits(struct wm_clock_sm *sm);
bool wm_clock_send_up(struct wm_clock_sm *sm, const struct wm_packet *reply, uint64_t cycle);

// clock/sm.c and group_levels.c. An acknowledgement leaves by the SM's port; and comes to the cache
// that it is for, by that or by a wire. False when it has to wait.
bool wm_clock_sm_respond(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t cycle);
bool wm_clock_send_response(struct wm_clock *clock, const struct wm_packet *packet, uint64_t cycle);

// Whether a packet's level, or WM_TO_MEMORY or WM_OF_UNIT, is between SMs and the network.
static inline bool wm_clock_is_between(const struct wm_clock *clock, uint32_t level)
{
    return level < WM_MOST_LEVELS && clock->is_between[level];
}

// clock/group_levels.c, of such levels. Building, when groups are known; harmless release; one of
// their caches. A packet to one: the cycle from `cycle` on in which that may have room, and its
// sending; and a reply to one, which has come by an SM's port.
enum wm_status wm_clock_group_levels_init(struct wm_clock *clock, struct wm_error *error);
void wm_clock_group_levels_release(struct wm_clock *clock);
// That of the caches of a group, where there are such levels.
struct wm_node_island *wm_clock_group_island(const struct wm_clock *clock, uint32_t group);
const struct wm_timed_level *wm_clock_group_cache(const struct wm_clock *clock, uint32_t level,
                                                  uint32_t cache);
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
// A load took so many cycles. Of `op` its pc is read, what served it, and its requests that waited.
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

// clock/cores.c. A CPU core is made, with its ports and its L1, and released; a launch of cores
// begins on it, or ends, or is given up; a block begins on it in `cycle`. When its part acts next,
// from `cycle` on, and what that does in `cycle`. Something was received, or has left: what it
// could not send before may be sent from `cycle` on. And a part of an access is done.
enum wm_status wm_clock_core_init(struct wm_clock *clock, struct wm_clock_sm *sm, uint32_t index,
                                  struct wm_error *error);
void wm_clock_core_release(struct wm_clock_sm *sm);
void wm_clock_core_launch(struct wm_clock_sm *sm);
void wm_clock_core_trace(struct wm_clock_sm *sm); // and its front end finds the clock's tables
void wm_clock_core_abandon(struct wm_clock_sm *sm);
void wm_clock_core_start(struct wm_clock_sm *sm, const struct wm_clock_launch *running,
                         struct wm_block *block, uint64_t cycle);
uint64_t wm_clock_core_next(const struct wm_clock_sm *sm, uint64_t cycle);
void wm_clock_core_run(struct wm_clock_sm *sm, uint64_t cycle);
void wm_clock_core_retry(struct wm_clock_sm *sm, uint64_t cycle);
void wm_clock_core_done(void *sm, uint64_t token);
// Of coherent caches: the access of that tag is done in `cycle`, by data from there.
void wm_clock_core_complete(struct wm_clock_sm *sm, uint32_t tag, uint64_t cycle,
                            enum wm_server served);
// Likewise: the core's L1 can read a line no more.
void wm_clock_core_line_left(struct wm_clock_sm *sm, uint64_t address, uint64_t cycle);
const struct wm_core_counters *wm_clock_core_counters(const struct wm_clock_sm *sm);

// The island of the CPU cores, among groups of SMs: the number behind theirs. And a unit's group.
static inline uint32_t wm_clock_core_group(const struct wm_clock *clock)
{
    return clock->group_count;
}
static inline uint32_t wm_clock_group_of(const struct wm_clock *clock, uint32_t unit)
{
    return unit >= clock->sm_count ? wm_clock_core_group(clock) : unit / clock->group_sms;
}

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
bool wm_clock_all_suspended(const struct wm_launch_state *run);

// clock/deadlock.c. Of the launch.
enum wm_status wm_clock_report_deadlock(struct wm_clock *clock,
                                        const struct wm_clock_launch *running,
                                        struct wm_error *error);

#endif

// The inside of a session, which both engines share, and the walk engine. Private to engine/.
//
//   session/session.c              building, launching, the host's copies
//   walk/rounds.c                  which SM runs next
//   walk/turns.c                   which block and warp of it
//   session/residency.c            places of a launch's blocks on the SMs
//   session/concurrent_launches.c  launches side by side
//   session/launch_starts.c        how these come and go
//   access/front_end.c             from a warp's memory instruction to requests
//   access/code_fetch.c            from the instructions that a warp passes to fetches of code
//   walk/request_batch.c           requests in batches, for memory systems that serve them later
//   walk/walk_team.c               threads that walk a recording together
//   session/kernel_record.c        what is kept of each kernel
//   session/counting.c             a profiler's ranges and chosen launches: what is counted
//   session/launch_results.c       what each launch counted, on request
//   session/block_maps.c           on which SM each block ran, on request
//   session/results.c              from records to wm_results
//   session/energy.c               what these cost, by the machine's energy table
#ifndef WM_ENGINE_SESSION_SESSION_STATE_H
#define WM_ENGINE_SESSION_SESSION_STATE_H

#include "base/containers/arena.h"
#include "base/names/memory_names.h"
#include "base/run/atomic_add.h"
#include "base/run/progress.h"
#include "engine/access/front_end.h"
#include "engine/access/sm_counters.h"
#include "engine/session/eviction_priorities.h"
#include "engine/session/launch_filter.h"
#include "engine/session/run_limit.h"
#include "engine/session/session.h"
#include "engine/session/work.h"
#include "engine/walk/request_batch.h"
#include "mem/graph/memory_graph.h"
#include "sm/block_dispatch/block_dispatch.h"
#include "sm/occupancy.h"
#include "sm/warp_scheduler/warp_scheduler.h"

// Text and place of an instruction, kept because the program may be unloaded before the results
// are read.
struct wm_instruction_record {
    const char *text, *source_file; // in the session's arena
    uint32_t ptx_line, source_line;
    const struct wm_source_location *inlined; // of a memory instruction; in the session's arena
    uint32_t inlined_count;
    bool is_memory, generic;
    enum wm_access_kind kind;
    enum wm_address_space space;
};

#define WM_KERNEL_NOT_COUNTED UINT32_MAX

// What one of several threads counted of a kernel.
struct wm_kernel_counts {
    struct wm_instruction_counters *by_pc; // owned; the last is the fetches'
    uint8_t *spaces;                       // owned
};

// One kernel, over all its launches on a GPU.
struct wm_kernel_record {
    const char *name, *module;
    uint32_t gpu;
    uint32_t number;  // its index among the results' kernels; of one that is not counted, none's
    bool not_counted; // of launches that are not counted: in no result
    uint64_t fingerprint; // of its instructions: two programs may use one name for two kernels
    uint64_t ptx_hash;    // of its module, where the machine's bypass list has some; else 0
    uint64_t launches, warp_instructions, thread_instructions;
    uint64_t cycles;                       // of the SMs' clock; 0 without the clock engine
    bool reads_clock, clocks_count_cycles; // an instruction of it does; and as of wm_work
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes, static_shared_bytes, registers_per_thread;
    struct wm_occupancy occupancy;
    uint64_t code_address;                 // of its first instruction, where these are fetched
    uint64_t l1_bytes;                     // of the last launch; 0 without L1
    uint64_t *component_values;            // in the order of wm_session.components, all sets flat
    struct wm_instruction_record *details; // by pc
    struct wm_instruction_counters *counters_by_pc;  // by pc
    struct wm_instruction_counters fetches;          // on behalf of no instruction: of code
    struct wm_instruction_misses *fetches_explained; // one; NULL unless misses are explained
    // By pc, of each copy one behind the other (the last of a copy is the fetches'); NULL unless
    // misses are explained. In time each SM has a copy.
    struct wm_instruction_misses *explained;
    uint32_t explained_copies;
    struct wm_load_latency *latency; // of all launches; NULL unless timed
    struct wm_load_counters *loads;  // by pc; likewise
    struct wm_load_servers *servers; // the same, where misses are explained, else NULL
    struct wm_eviction_priorities priorities;
    uint8_t *machine_slots; // by pc: issue slots, where machine code is estimated; else NULL
    uint8_t
        *machine_rounds; // likewise: of branches of unrolled loops (engine/issue/machine_code.h)
    uint8_t *orders;     // by pc: enum wm_memory_order, where L1s agree; else NULL
    uint8_t *listed;     // by pc: enum wm_bypass_list_entry, by the machine's bypass list
    uint8_t *spaces;     // by pc: bit by enum wm_address_space, those it went to; 0: never ran
    uint32_t instruction_count;
    // Owned, of a walk on several threads, by thread: what is not yet in the tables above.
    struct wm_kernel_counts *counts;
    uint32_t counts_count;
};

// A place for one block on an SM.
struct wm_block_slot {
    bool taken;
    uint64_t index;                     // of the block in the grid
    struct wm_block *block;             // NULL until the SM's next turn starts it
    struct wm_recorder_block *recorded; // when the run is recorded
    bool suspended; // it waits for what it launched, and has left its room to others
};

// A block that waits for what it launched and has left the SM's slots, in time.
struct wm_suspended_block {
    struct wm_block *block;
    uint32_t sm;
};

struct wm_session_sm {
    struct wm_sm_counters counters;
    struct wm_shared_counters shared;             // when misses are explained
    struct wm_machine_code_counters machine_code; // where it is estimated
};

// Where a launch's blocks are on an SM.
struct wm_sm_residency {
    void *scheduler_state;
    uint64_t *ready;              // bit masks over slots
    struct wm_block_slot *places; // occupancy.blocks of them in use
    uint64_t *code_lines;         // by slot, as of wm_front_end; NULL without instruction caches
};

// What a launch's blocks are given places with: of each SM of its GPU.
struct wm_residency {
    struct wm_sm_residency *sm_residency;
    uint32_t *room;      // free places
    uint32_t *most_free; // the same of the SMs that have the most, else 0: wm_session_choose_sm's
    void *dispatch_state;
};

// Places of a launch that shares the machine with others: once it has ended, the next one's.
struct wm_spare_residency {
    struct wm_spare_residency *next;
    const struct wm_sm_spec *sm; // on which they are
    struct wm_residency residency;
};

// A launch under way. SMs are counted from the first of its GPU; cores are SMs here.
struct wm_launch_state {
    struct wm_work *work;
    uint32_t first_sm; // of its GPU, among all
    const struct wm_sm_spec *sm;
    const struct wm_residency *residency;
    struct wm_block_resources needs;
    struct wm_sm_use *use; // by SM: of all launches under way; NULL: it is the only one
    bool shares_sms;       // other launches' blocks are on SMs, as wm_launch_state_find_room found
    uint64_t given_blocks, block_count, finished_blocks; // given: to SMs
    uint32_t warps_per_block, blocks_per_sm, slots;
    uint32_t taken_places; // on all SMs
    uint64_t first_block;  // the number of its block 0 among those of all launches
    uint64_t all_warps;    // wm_block.finished when a block is done
    uint16_t *block_sms;   // by block, of its map; NULL: none is kept
    // Where its blocks may wait for what they launch (walk/suspension.c), else NULL and 0: by SM,
    // those that have begun and not finished; and how many of all are suspended, in time each of
    // them.
    uint32_t *begun;
    struct wm_suspended_block *suspended; // owned, as `begun`; NULL without a clock
    uint32_t suspended_count;
};

// A launch under way, for what is kept of each launch, and whether it is counted.
struct wm_launch_accounting {
    struct wm_launch_result counted; // its values in the session's arena
    uint64_t *values;                // the same
    uint64_t cycles_before;          // its record's
    bool kept, chosen;
};

// How the array of each SM of a GPU is divided that L1 and shared memory share.
struct wm_array_division {
    uint64_t l1_bytes;     // as the last division has left it
    uint64_t shared_bytes; // likewise, of launches side by side
};

// What is kept of each launch, on request.
struct wm_launch_results {
    struct wm_level *levels;         // in the session's arena
    uint32_t level_count, *level_of; // by component
    size_t *first_value;             // by level: where its counters begin in a launch's values
    size_t value_count;              // of a launch
    struct wm_launch_result *items;  // owned; their values are in the session's arena
    uint64_t count, room;
    bool failed; // out of memory on the way
};

// On which SMs blocks ran, on request.
struct wm_block_maps {
    struct wm_block_map *items; // owned, and their `sms`; in order of the launches' begin
    uint64_t count, room;
    bool failed; // out of memory on the way
};

// How long kernels have done nothing but wait (session/waiting_kernels.c).
struct wm_waiting_kernels {
    uint64_t steps, executed, spins, dram_bytes; // in a row; and what there was behind the last
    uint64_t noted_at, noted;                    // which of them, and the state behind it
    uint32_t repeats;                            // how often the state was that again
    uint64_t timed_steps;                        // of the clock
};

struct wm_clock;               // engine/clock/clock.h
struct wm_concurrent_launches; // session/concurrent_launches.c
struct wm_walk_team;           // walk/walk_team.h

struct wm_session {
    struct wm_machine machine;
    struct wm_memory_graph graph; // of its memory system: names of components
    struct wm_session_options options;
    struct wm_device_memory *device_memory;
    struct wm_host_device_races *races; // owned; NULL without device memory,
                                        // or where they cannot be
    struct wm_memory *memory;           // owned; NULL when options.memory is false
    struct wm_clock *clock;             // owned; NULL: the walk engine runs launches
    struct wm_sm_spec cores;            // CPU cores beside the SMs, as SMs of one thread
    const struct wm_warp_scheduler_ops *warp_scheduler;
    const struct wm_block_dispatch_ops *block_dispatch;
    struct wm_session_sm *sms;                    // and CPU cores behind them
    struct wm_residency residency;                // of launches that run alone
    struct wm_spare_residency *spare_residencies; // in the arena
    struct wm_concurrent_launches *sides; // owned: of those that run side by side; NULL: none did
    struct wm_front_end front_end;
    struct wm_instruction_footprint footprint; // the front end's
    struct wm_request_queue queue;
    struct wm_written_lines *written_lines; // owned; NULL: not noted (session/written_lines.h)
    uint32_t *coherent_caches;              // owned: the front end's
    uint32_t written_line_bytes;
    size_t written_line_count;           // once finished
    struct wm_memory_names memory_names; // for these lines
    struct wm_walk_team *team; // borrowed: the threads that walk its launches; NULL: this one
    struct wm_run_limit limit;
    struct wm_arena arena;
    // The SMs, then the memory system's components, then shared memories when misses are explained,
    // and machine code where it is estimated.
    struct wm_component_counters *components;
    uint32_t component_count;
    const uint64_t **dram_bytes; // into the components: bytes between L2 and DRAM
    uint32_t dram_byte_count;
    size_t value_count;        // counters of all components
    uint64_t *values_at_begin; // of the launch
    // What is counted: whether a profiler's range is open, how many began, whether the launch that
    // runs is one of those chosen; and of each counter the sum of what it had where counting began
    // less what it had where it ended, modulo 2^64.
    bool in_range, in_chosen, counting;
    uint64_t ranges, launches_not_counted;
    uint64_t *values_not_counted;
    struct wm_launch_choice choice;
    uint64_t launches;                    // begun so far
    struct wm_kernel_record *launched;    // of the launch begun last; NULL when it could not begin
    struct wm_kernel_record *counts_into; // of the launch that the front end counts for
    struct wm_launch_results launched_each;
    struct wm_block_maps block_maps;
    const struct wm_session *gives_blocks;   // borrowed: it does for this one too; NULL: none does
    struct wm_launch_accounting *launch;     // whose components count now, or NULL
    struct wm_launch_accounting only_launch; // where no other is under way
    struct wm_kernel_record **records;
    uint32_t record_count, record_capacity;
    uint32_t kernel_count;                        // records that are counted
    uint32_t last_stream;                         // of a recording's launch
    bool several_streams;                         // a recording's launches are of several
    uint64_t warp_instructions[WM_PLACES_TO_RUN]; // of all launches, by GPU
    struct wm_array_division divided[WM_PLACES_TO_RUN];
    uint64_t cycles;     // of the SMs' clock, in which any was under way
    uint64_t blocks;     // of all launches so far
    uint64_t code_bytes; // of the code of all kernels so far
    uint64_t host_to_device_bytes, device_to_host_bytes, device_to_device_bytes;
    bool step_ends; // in time, before it would: wm_session_end_step
    // Of the walk's turns with a memory system: warp instructions, and those with which a lane may
    // wait for another.
    uint64_t executed, spins;
    struct wm_waiting_kernels waiting;
};

// walk/rounds.c: runs a launch until all its blocks have finished, or a fault or deadlock.
enum wm_status wm_walk_run_work(struct wm_session *session, struct wm_launch_state *run,
                                struct wm_progress *progress, struct wm_error *error);
// And one round of it over the SMs, which begins with wm_walk_dispatch unless others are under way.
enum wm_status wm_walk_run_round(struct wm_session *session, struct wm_launch_state *run,
                                 struct wm_error *error);

// session/residency.c: places for a launch's blocks, in the arena; false when out of memory. A
// launch begins in them, alone, or with others whose blocks `use` has. Of one with others, where
// blocks fit now. The SM for another of its blocks: WM_NO_SM when none has room. And the block that
// this SM gets.
bool wm_residency_init(const struct wm_session *session, const struct wm_sm_spec *spec,
                       struct wm_arena *arena, struct wm_residency *residency);
// Places on SMs, or cores, of that kind, for a launch next to others; NULL: no memory.
struct wm_spare_residency *wm_residency_take(struct wm_session *session,
                                             const struct wm_sm_spec *sm);
void wm_residency_give_back(struct wm_session *session, struct wm_spare_residency *residency);
void wm_launch_state_begin(const struct wm_session *session, const struct wm_residency *residency,
                           struct wm_work *work, const struct wm_occupancy *occupancy,
                           struct wm_launch_state *run);
void wm_launch_state_find_room(const struct wm_session *session, struct wm_launch_state *run);
int32_t wm_session_choose_sm(const struct wm_session *session, const struct wm_launch_state *run);
uint64_t wm_session_take_block(const struct wm_session *session, struct wm_launch_state *run,
                               uint32_t sm);
// A block comes to an SM, or leaves it.
void wm_session_add_block(const struct wm_launch_state *run, uint32_t sm);
void wm_session_remove_block(const struct wm_launch_state *run, uint32_t sm);

// walk/suspension.c: a launch whose blocks may wait for what they launch begins (WM_NO_MEMORY), or
// has ended; harmless when it has none.
enum wm_status wm_suspension_begin(const struct wm_session *session, struct wm_launch_state *run,
                                   struct wm_error *error);
void wm_suspension_end(struct wm_launch_state *run);
// Without a clock: blocks that have to wait leave their room to others; and those that may continue
// come back to it where there is some, before other blocks begin there.
void wm_walk_suspend_blocks(const struct wm_session *session, struct wm_launch_state *run);
void wm_walk_resume_blocks(const struct wm_session *session, struct wm_launch_state *run);
// Whether a block cannot continue before something that it launched has completed.
static inline bool wm_block_awaits_children(const struct wm_block *block)
{
    return block->waits != 0 && block->ready == 0;
}
// walk/turns.c: gives the launch's next blocks to SMs, as many as there is room for; and which
// warps of the block in that place of an SM are ready.
void wm_walk_dispatch(struct wm_session *session, struct wm_launch_state *run);
void wm_walk_note_ready(const struct wm_launch_state *run, struct wm_sm_residency *sm_residency,
                        uint32_t place);

// session/concurrent_launches.c: what launches that run side by side have counted is theirs, before
// something else counts. Harmless where none does.
void wm_concurrent_launches_attribute(struct wm_session *session);
void wm_concurrent_launches_free(struct wm_session *session);
// A number of the state of all live launches under way (wm_grid_state); false: it is not known.
bool wm_concurrent_launches_state(const struct wm_session *session, uint64_t *state);

// session/session.c: runs a launch to its end, in time or not; and shows how far one is.
enum wm_status wm_session_drive_launch(struct wm_session *session, struct wm_launch_state *run,
                                       struct wm_kernel_record *record,
                                       struct wm_progress *progress, struct wm_error *error);
void wm_session_begin_progress(const struct wm_work *work, uint64_t blocks,
                               struct wm_progress *progress);

// session/session.c: checks of a launch, and what it needs of an SM and gets there when it is
// alone.
enum wm_status wm_session_check_dimensions(const uint32_t grid[3], const uint32_t block[3],
                                           struct wm_error *error);
enum wm_status wm_session_find_occupancy(const struct wm_session *session,
                                         const struct wm_work *work,
                                         struct wm_block_resources *needs,
                                         struct wm_occupancy *occupancy, struct wm_error *error);
// Says which kernel, when the message does not say so already.
enum wm_status wm_session_name_kernel(enum wm_status status, const char *kernel,
                                      struct wm_error *error);
// The front end counts for that launch, which wm_launch_state.first_block distinguishes from
// others.
void wm_session_count_into(struct wm_session *session, const struct wm_work *work,
                           struct wm_kernel_record *record, uint64_t first_block);
// The kernel's record notes a launch, which components count for from now on, with its `needs`. Of
// the first of those under way, L1s are divided as `occupancy` says; and what memory systems do
// when a kernel begins is not done, in time, while others have requests on their way.
enum wm_status wm_kernel_record_launch(struct wm_session *session, const struct wm_work *work,
                                       const struct wm_block_resources *needs,
                                       const struct wm_occupancy *occupancy, bool first,
                                       struct wm_launch_accounting *launch,
                                       struct wm_kernel_record **record, struct wm_error *error);

// session/session.c: what comes before and after a launch's turns. `*record` is the kernel's.
enum wm_status wm_session_launch_begin(struct wm_session *session, const struct wm_work *work,
                                       struct wm_occupancy *occupancy,
                                       struct wm_kernel_record **record, struct wm_error *error);
void wm_session_launch_end(struct wm_session *session, struct wm_kernel_record *record);

// access/code_fetch.c: the address of a kernel's code, after that of the kernels before.
uint64_t wm_session_place_code(struct wm_session *session, uint32_t instruction_count);

// session/kernel_record.c: the record of the kernel, made on its first launch; NULL with the error
// when out of memory, or when the machine's bypass list is for another program.
struct wm_kernel_record *wm_kernel_record_of(struct wm_session *session, const struct wm_work *work,
                                             struct wm_error *error);
// Describes instructions that have come since, of the records of that work. False without memory.
bool wm_kernel_records_describe(struct wm_session *session, const struct wm_work *work);
void wm_kernel_record_free(struct wm_kernel_record *record);
// The tables of one of `threads` threads, zeros at first, which live as long as the record; and
// adds those of all to the record's. WM_NO_MEMORY.
enum wm_status wm_kernel_record_counts(struct wm_kernel_record *record, uint32_t threads,
                                       uint32_t thread, struct wm_kernel_counts **counts,
                                       struct wm_error *error);
void wm_kernel_record_gather(struct wm_kernel_record *record);
// Component counters at the begin and the end of a launch: what lies between goes to the record.
void wm_kernel_record_begin(struct wm_session *session);
void wm_kernel_record_end(struct wm_session *session, struct wm_kernel_record *record);
// An SM's counters as they were and as they are: the instructions are the record's.
void wm_kernel_record_add_instructions(struct wm_session *session, struct wm_kernel_record *record,
                                       const struct wm_sm_counters *then,
                                       const struct wm_sm_counters *now);

static inline uint32_t wm_session_gpus(const struct wm_session *session)
{
    return wm_memory_gpus(&session->machine.memory);
}

// The SMs of all GPUs, and the CPU cores behind them.
static inline uint32_t wm_session_units(const struct wm_session *session)
{
    return wm_session_gpus(session) * session->machine.sm.count + session->cores.count;
}

// What executes a work on `gpu`.
static inline const struct wm_sm_spec *wm_session_sm(const struct wm_session *session, uint32_t gpu)
{
    return gpu == WM_ON_CORES ? &session->cores : &session->machine.sm;
}

// session/counting.c: whether what happens now is counted.
static inline bool wm_session_is_counting(const struct wm_session *session)
{
    return (session->in_range || !session->options.profiled) &&
           (session->in_chosen || session->options.filter == NULL);
}
// Whether the launch that is about to begin is one of those chosen; counting begins with
// wm_session_update_counting. And: what components count is no launch's from now on.
void wm_session_apply_filter(struct wm_session *session, const struct wm_work *work);
void wm_session_count_for_no_launch(struct wm_session *session);
// Begins or ends to count the components as wm_session_is_counting has it now.
void wm_session_update_counting(struct wm_session *session);

// session/launch_results.c: the levels of the session's components; false when out of memory.
bool wm_launch_results_init(struct wm_session *session);
void wm_launch_results_release(struct wm_launch_results *launches);
// At the begin of a launch; when what was counted since wm_kernel_record_begin is added to the
// record, with the instructions; and at the launch's end.
void wm_launch_accounting_begin(struct wm_session *session, const struct wm_work *work,
                                const struct wm_kernel_record *record,
                                struct wm_launch_accounting *launch);
void wm_launch_accounting_add(struct wm_session *session, uint64_t warp_instructions,
                              uint64_t thread_instructions);
void wm_launch_accounting_add_component(const struct wm_session *session,
                                        struct wm_launch_accounting *launch, uint32_t component,
                                        const uint64_t *before);
void wm_launch_accounting_end(struct wm_session *session, const struct wm_kernel_record *record,
                              struct wm_launch_accounting *launch);
// Copies them; false when out of memory.
bool wm_launch_results_copy(const struct wm_session *session, struct wm_results *results);

// session/block_maps.c: behind wm_launch_state_begin. And copies them; false when out of memory.
void wm_block_maps_begin(struct wm_session *session, struct wm_launch_state *run);
void wm_block_maps_release(struct wm_block_maps *maps);
bool wm_block_maps_copy(const struct wm_session *session, struct wm_results *results);

// All counters, as they are counted in the results; `values` has room for session->value_count.
void wm_session_counted_values(const struct wm_session *session, uint64_t *values);

// session/energy.c: fills the results' `energy` from their components, where the machine has a
// table. WM_NO_MEMORY.
enum wm_status wm_session_energy(const struct wm_session *session, struct wm_results *results,
                                 struct wm_error *error);

#endif

// The inside of a recorded block: recorded_block.c makes it, recorded_warps.c runs its warps one at
// a time, replay/in_step.c several in step; replay/barriers.c lets them wait for each other, and
// replay/mbarriers.c at mbarriers. Private to engine/replay/.
#ifndef WM_ENGINE_REPLAY_RECORDED_BLOCK_H
#define WM_ENGINE_REPLAY_RECORDED_BLOCK_H

#include "engine/record/mbarrier_table.h"
#include "engine/replay/recorded_work.h"

#include <assert.h>

// Behind those that instructions name: that of the block's cluster.
enum { WM_CLUSTER_NUMBER = 16, WM_BLOCK_BARRIERS };

struct wm_recorded_warp {
    // What each instruction needs, in one line of the host's cache; the decoder begins with the
    // next, and hosts fetch lines in pairs.
    _Alignas(128) const struct wm_trace_item *item; // the decoder's, or one of no instructions
    uint64_t skipped;                               // of item->skipped, instructions to do
    uint64_t accesses;        // of the item, two bits each, from the next memory instruction on
    uint32_t slot, end_slot;  // memory instructions: the next; behind the item's last
    uint32_t first_pc, count; // of the item
    // Of `count`, instructions done; all: the next item's turn. 1 of 0: an event alone is to come.
    uint32_t done;
    uint32_t quiet;        // of `count`, instructions before the one that the item's event is at
    uint32_t active_lanes; // of the item
    uint64_t live;         // lanes not exited

    _Alignas(64) struct wm_warp_decoder decoder;
    uint32_t barriers; // bit by barrier: `come` and `waits` may not be 0
    uint32_t next_chunk;
    struct wm_recorded_chunk chunk; // chunk.frame NULL: none
};
static_assert(sizeof(struct wm_recorded_warp) == 256, "warps take four lines of the host's cache");

// What many warps never need, apart from what all do: while they have it, what is expected to
// follow an item...
struct wm_recorded_successors {
    struct wm_trace_item items[WM_TRACE_KEYS]; // first: the decoder points to them
    struct wm_recorded_successors *next_made, *next_free;
};

// ...and what they do at barriers.
struct wm_recorded_warp_barriers {
    uint64_t come[WM_BLOCK_BARRIERS];  // lanes that have come to each barrier
    uint64_t waits[WM_BLOCK_BARRIERS]; // of them, those that wait
    uint64_t grouped;                  // lanes in events of mbarriers of one instruction
};

struct wm_recorded_barrier {
    uint64_t warps;   // with lanes that have come
    uint32_t waiting; // lanes that wait
    uint32_t threads; // as the instruction says; 0: all live threads
};

struct wm_recorded_block {
    // What an instruction needs of it, in one line of the host's cache.
    struct wm_block public;
    uint64_t local_base;
    struct wm_recorded_block *next_free;
    bool stopped; // by a fault: none of its warps runs any more
    _Alignas(64) struct wm_recorded_block *next_made;
    struct wm_recorded_barrier barriers[WM_BLOCK_BARRIERS];
    uint32_t met;     // barriers that anything has come to, bit by number: others are all 0
    uint32_t awaited; // barriers that lanes wait at, or have come to (the cluster's), bit by number
    uint32_t live_threads;
    struct wm_mbarrier_table phases; // owned
    uint64_t at_phases;              // warps that wait for a phase, bit by number
    uint64_t let_go;                 // those that wait no longer, whether it has ended or not
    struct wm_recorded_chunk first;  // of all its warps; frame NULL: none has come to it
    uint32_t first_left;             // warps that have not come past it
    struct wm_decoder_slot *slots;   // owned; slot_count for each warp; NULL until one needs them
    struct wm_recorded_warp_barriers
        *warp_barriers;              // owned; by warp; NULL until one comes to a barrier
    struct wm_recorded_warp warps[]; // here, so that finding them takes no load
};

static inline bool wm_recorded_reaches_beyond_sm(enum wm_address_space space)
{
    return space != WM_SPACE_SHARED && space != WM_SPACE_CONSTANT;
}

extern const struct wm_trace_item wm_recorded_no_item; // of no instructions

// Begins an item: all but its lanes and memory instructions.
static inline void wm_recorded_begin_item(struct wm_recorded_warp *warp,
                                          const struct wm_trace_item *item)
{
    warp->item = item;
    warp->skipped = item->skipped;
    warp->accesses = item->accesses;
    warp->first_pc = item->first_pc;
    warp->count = warp->quiet = item->count;
    if (item->event != WM_TRACE_NO_EVENT && item->count > 0)
        warp->quiet--;
    warp->done = item->event != WM_TRACE_NO_EVENT && item->count == 0;
}

// Begins an item: all of it. Returns how many memory instructions it has.
static inline uint32_t wm_recorded_start_item(const struct wm_recorded_work *recorded,
                                              struct wm_recorded_warp *warp,
                                              const struct wm_trace_item *item)
{
    wm_recorded_begin_item(warp, item);
    warp->active_lanes = wm_count_lanes(item->active);
    warp->slot = recorded->slots.before[item->first_pc];
    warp->end_slot = recorded->slots.before[item->first_pc + item->count];
    return warp->end_slot - warp->slot;
}

// recorded_block.c: what blocks are made of; false when out of memory.
bool wm_recorded_make_pools(struct wm_recorded_work *recorded);
// wm_work_ops.start_block and finish_block.
enum wm_status wm_recorded_start_block(void *work, uint64_t index, uint32_t sm, uint32_t slot,
                                       struct wm_block **result, struct wm_error *error);
void wm_recorded_finish_block(void *work, struct wm_block *block);
// The warp's next chunk; false when there is none or it cannot be read: the launch has stopped.
bool wm_recorded_next_chunk(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                            uint32_t warp);
// Sees to block->warp_barriers; false when out of memory: the launch has stopped.
bool wm_recorded_make_warp_barriers(struct wm_recorded_work *recorded,
                                    struct wm_recorded_block *block);
// Stops the launch; false.
bool wm_recorded_out_of_memory(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                               const char *what);
// All of them, finished or not.
void wm_recorded_release_blocks(struct wm_recorded_work *recorded);

// recorded_warps.c: wm_work_ops.run, next_pc, step and expect.
void wm_recorded_run(void *work, struct wm_block *block, uint32_t warp, uint64_t budget,
                     enum wm_run_until until, const struct wm_access_sink *sink,
                     struct wm_run_result *result);
bool wm_recorded_next_pc(void *work, struct wm_block *block, uint32_t warp, uint32_t *pc);
bool wm_recorded_step(void *work, struct wm_block *block, uint32_t warp,
                      const struct wm_access_sink *sink, struct wm_run_result *result,
                      struct wm_next_step *next);
void wm_recorded_expect(const struct wm_block *block, uint32_t warp, bool access);
// Begins the warp's next item. False when there is none: the launch has stopped.
bool wm_recorded_next_item(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                           uint32_t warp);
// The item that it has begun has more than WM_TRACE_ITEM_ACCESSES: stops the launch. False.
bool wm_recorded_refuse_item(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                             uint32_t warp);
// recorded_work.c: stops the launch: the recording is none.
void wm_recorded_stop(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                      uint32_t warp, const char *what);
// Stops it with an error that is filled.
void wm_recorded_stop_with(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                           const struct wm_error *error);

// replay/in_step.c: wm_work_ops.expect_in_step and run_in_step.
void wm_recorded_expect_in_step(const struct wm_block *block);
uint64_t wm_recorded_run_in_step(void *work, struct wm_block *block, uint32_t first,
                                 const struct wm_step_budget *budget,
                                 const struct wm_access_sink *sink, struct wm_run_result *result,
                                 uint64_t *begun);

// Lanes come to a barrier; true when the warp has to wait.
bool wm_recorded_arrive(struct wm_recorded_block *block, uint32_t warp,
                        const struct wm_trace_item *item);
// Lanes come to the barrier of the cluster, or to the wait there; true when the warp has to wait.
bool wm_recorded_cluster(struct wm_recorded_block *block, uint32_t warp, uint64_t lanes,
                         enum wm_phase_operation operation);
// The warp's item is of an mbarrier, and its event comes next: whether it waits there.
bool wm_recorded_waits_for_phase(struct wm_recorded_block *block, uint32_t warp);
// That event; `*waits`: the warp waits behind it. False when the launch has stopped.
bool wm_recorded_phase(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                       uint32_t warp, bool *waits);
// After a warp has begun to wait, or ended. When none of the block can continue any more, its
// program orders arrivals by what a recording does not have: then those at mbarriers wait no
// longer.
void wm_recorded_release_phase_waits(struct wm_recorded_block *block);
// replay/core_order.c: the order of CPU cores' accesses. False when out of memory.
bool wm_recorded_make_progress(struct wm_recorded_work *recorded);
// wm_work_ops.begin_round.
void wm_recorded_begin_round(void *work);
// wm_work_ops.accesses_done.
void wm_recorded_accesses_done(void *work, uint64_t block, uint64_t accesses);
// The warp's item is an event of a core: goes past it. False when the core has to wait, or the
// launch has stopped.
bool wm_recorded_core_event(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                            const struct wm_access_sink *sink, bool *stopped);
// Whether the block may run, where threads have turns.
static inline bool wm_recorded_has_turn(const struct wm_recorded_work *recorded,
                                        const struct wm_recorded_block *block)
{
    const struct wm_recorded_turn *turn = &recorded->turn;
    return !turn->given || (block->public.index == turn->block && !turn->over);
}
// Stops the launch, whose blocks wait for each other: says which core waits for what. False where
// none does.
bool wm_recorded_stop_order(struct wm_recorded_work *recorded, struct wm_block *const *blocks,
                            uint32_t count);
// Whether any of the blocks waits for a command of the device.
bool wm_recorded_awaits_device(const struct wm_recorded_work *recorded,
                               struct wm_block *const *blocks, uint32_t count);
// Lanes end.
void wm_recorded_exit(struct wm_recorded_block *block, uint32_t warp, uint64_t lanes);

#endif

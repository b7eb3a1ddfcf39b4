// The front of a streaming multiprocessor in time: which warps can issue, and which does. Each warp
// scheduler has warps of its own (slot modulo schedulers); a scoreboard holds a warp back until the
// registers that its next instruction reads or writes are there; each class of functional units
// takes a warp instruction of a scheduler in so many cycles. What instructions do, and when memory
// answers, is the owner's business.
//
// A result's cycle is known at issue but for memory's, so nothing happens when it is written: a
// warp knows when it can go on, or waits to be told. An SM none of whose warps can issue has
// nothing to do until wm_issue_core_next.
//
// All cycles are the SM's. Thread rules: one thread at a time.
#ifndef WM_SM_ISSUE_CORE_H
#define WM_SM_ISSUE_CORE_H

#include "base/clock_domain.h"
#include "base/counters.h"
#include "base/error.h"
#include "sm/issue.h"
#include "sm/sm_spec.h"
#include "sm/warp_order/warp_order.h"

enum {
    WM_ISSUE_MAX_LOCAL = 64, // most warps of one scheduler
    WM_ISSUE_WHEEL = 64,     // cycles ahead that wakings are kept apart for
    WM_ISSUE_ROW = 16,       // registers in a line of the host's caches
};
#define WM_ISSUE_UNKNOWN UINT32_MAX

// In each cycle from its coming to its last instruction a warp issues one or waits for one thing:
// the five add up to warps times cycles.
// clang-format off
#define WM_ISSUE_COUNTERS(X)                                                                       \
    X(issued, "warp-instructions", "warp instructions issued")                                     \
    X(waited_ready, "warp-cycles", "cycles in which warps could have issued, over all warps: another was chosen, or the unit was busy") \
    X(waited_result, "warp-cycles", "cycles in which warps waited for the result of an instruction other than a load") \
    X(waited_memory, "warp-cycles", "cycles in which warps waited for memory")                     \
    X(waited_barrier, "warp-cycles", "cycles in which warps waited at a barrier")                  \
    X(issued_by_oldest, "warp-instructions", "of issued, those of warps that were their scheduler's oldest") \
    X(issued_by_second, "warp-instructions", "those of its second oldest")                         \
    X(issued_by_third, "warp-instructions", "those of its third oldest")                           \
    X(issued_by_fourth, "warp-instructions", "those of its fourth oldest")                         \
    X(issued_by_eighth, "warp-instructions", "those of its fifth to eighth oldest")                \
    X(issued_by_sixteenth, "warp-instructions", "those of its ninth to sixteenth oldest")          \
    X(issued_by_younger, "warp-instructions", "those of all younger warps")
// clang-format on

struct wm_issue_counters {
    WM_ISSUE_COUNTERS(WM_COUNTER_FIELD)
};

enum wm_warp_wait {
    WM_WAIT_READY, // in the order of the counters
    WM_WAIT_RESULT,
    WM_WAIT_MEMORY,
    WM_WAIT_BARRIER,
    WM_WAIT_NOBODY, // no warp is in the slot, or it has finished
};

struct wm_issue_warp {
    uint32_t pc; // of its next instruction
    uint8_t wait;
    uint8_t unit;             // of its next instruction, as its step has it
    uint8_t scheduler, local; // its slot: whose it is, and which one there
    uint8_t rank;             // how many unfinished warps of its scheduler are older
    bool loads;               // its next instruction is a load through L1
    // The owner's: from that on, instructions that it executed ahead, and lanes of each.
    uint8_t plain, lanes;
    uint32_t accesses; // of its memory instructions, those that are not done
    uint64_t since;    // it waits as it does; a cycle to come when it has just issued
    uint64_t wakes;    // WM_WAIT_RESULT: when
};

// Of the units of a class, for one scheduler.
struct wm_issue_unit {
    uint64_t free;  // the first cycle in which it takes another
    uint64_t warps; // by local slot, those whose next instruction goes to it
};

struct wm_issue_scheduler {
    void *order_state; // owned
    uint64_t ready;    // by local slot
    uint64_t held;     // likewise: may not issue loads
    uint64_t parked;   // likewise: would be ready, but its next instruction is a load
    uint64_t behind;   // likewise: those behind the one that issued last
    struct wm_issue_unit units[WM_UNITS]; // as the steps number them
    uint32_t unfinished;                  // how many of its warps are
};

// The first cycle in which a unit takes one of a scheduler's ready warps, WM_NEVER when none is for
// it: of all classes but memory, and of that while the load/store unit has room.
enum { WM_ISSUE_OTHER, WM_ISSUE_MEMORY, WM_ISSUE_DUES };

struct wm_issue_due {
    uint64_t of[WM_ISSUE_DUES];
};

struct wm_issue_core {
    const struct wm_sm_spec *spec; // borrowed
    const struct wm_issue_table *table;
    const struct wm_issue_step *steps; // the table's
    const struct wm_warp_order_ops *order;
    bool in_turn;                            // the order's
    uint32_t unit_count;                     // the table's
    uint32_t schedulers, slots, local_slots; // the last: most of one scheduler
    struct wm_issue_scheduler *scheduler;    // owned
    struct wm_issue_due *due;                // owned, by scheduler: all are asked for each cycle
    struct wm_issue_warp *warps;             // owned, by slot
    // Owned: by slot, a row of `row` registers, the cycle from which each may be read, counted from
    // `written_from` on: 0 also before it, WM_ISSUE_UNKNOWN when nobody knows. Half as wide as a
    // cycle, and on lines of the host's caches, for each warp has a row and takes turns with all
    // others of the machine.
    uint32_t *written;
    uint32_t row;
    uint64_t written_from;
    size_t written_room;
    uint64_t ready_schedulers; // bit by scheduler: one of its warps is ready
    uint64_t *wheel; // owned: by entry, wheel_words words with a bit for each slot that wakes
    uint32_t wheel_words;
    uint64_t wheel_used;                  // bit by entry: somebody wakes
    uint64_t cycle;                       // wakings up to it are done
    bool memory_takes;                    // the load/store unit has room
    uint32_t parked;                      // warps, of all schedulers
    uint64_t parked_since, parked_cycles; // sum over warps up to the former
    struct wm_issue_counters counters;
};

// WM_LIMIT when a scheduler would have more than WM_ISSUE_MAX_LOCAL warps; WM_NO_MEMORY.
enum wm_status wm_issue_core_init(struct wm_issue_core *core, const struct wm_sm_spec *spec,
                                  struct wm_error *error);
void wm_issue_core_release(struct wm_issue_core *core);
// A launch of a kernel begins: all slots are empty. `table` is borrowed, its steps (issue_steps.h)
// are found. WM_NO_MEMORY.
enum wm_status wm_issue_core_launch(struct wm_issue_core *core, const struct wm_issue_table *table,
                                    uint64_t cycle, struct wm_error *error);

// A warp comes into an empty slot; wm_issue_core_follow says how it begins.
void wm_issue_core_join(struct wm_issue_core *core, uint32_t slot, uint64_t cycle);
// Its next instruction is that at `pc`, to be issued in `cycle` at the earliest.
void wm_issue_core_follow(struct wm_issue_core *core, uint32_t slot, uint32_t pc, uint64_t cycle);
// It waits at a barrier, until wm_issue_core_follow.
void wm_issue_core_stop(struct wm_issue_core *core, uint32_t slot, uint64_t cycle);
// All its threads have ended.
void wm_issue_core_finish(struct wm_issue_core *core, uint32_t slot, uint64_t cycle);
// Its slot is empty again.
void wm_issue_core_leave(struct wm_issue_core *core, uint32_t slot);

// From `cycle` on the warp may not issue loads through L1, or may again.
void wm_issue_core_hold(struct wm_issue_core *core, uint32_t slot, bool held, uint64_t cycle);

// The wheel's entries, of the cycle behind core->cycle first.
static inline uint64_t wm_issue_core_to_come(const struct wm_issue_core *core)
{
    uint32_t first = (uint32_t)((core->cycle + 1) % WM_ISSUE_WHEEL);
    return core->wheel_used >> first | core->wheel_used << (-first % WM_ISSUE_WHEEL);
}
// Warps wake up to `cycle`, which is later than any before.
void wm_issue_core_wake(struct wm_issue_core *core, uint64_t cycle);

// The schedulers with ready warps in `cycle`, bit by scheduler; cycles do not decrease.
static inline uint64_t wm_issue_core_ready(struct wm_issue_core *core, uint64_t cycle)
{
    if (cycle > core->cycle)
        wm_issue_core_wake(core, cycle);
    return core->ready_schedulers;
}
// The first cycle in which a unit takes one of a scheduler's ready warps; WM_NEVER: none.
static inline uint64_t wm_issue_core_unit_next(const struct wm_issue_core *core, uint32_t scheduler)
{
    const struct wm_issue_due *due = &core->due[scheduler];
    uint64_t memory = core->memory_takes ? due->of[WM_ISSUE_MEMORY] : WM_NEVER;
    return memory < due->of[WM_ISSUE_OTHER] ? memory : due->of[WM_ISSUE_OTHER];
}
// The schedulers that can issue in `cycle`, bit by scheduler, when warps have woken up to it. All
// are asked: which can changes from cycle to cycle, and the host would not foresee a branch.
static inline uint64_t wm_issue_core_able(const struct wm_issue_core *core, uint64_t cycle)
{
    uint64_t able = 0;
    for (uint32_t i = 0; i < core->schedulers; i++)
        able |= (uint64_t)(wm_issue_core_unit_next(core, i) <= cycle) << i;
    return able;
}
// The warp that one of them issues in that cycle, or WM_NO_WARP. The owner executes its
// instruction, and calls wm_issue_core_issued before anything else of that warp. The former asks
// the order of warps.
int32_t wm_issue_core_ask(struct wm_issue_core *core, uint32_t scheduler, uint64_t allowed);
static inline int32_t wm_issue_core_pick(struct wm_issue_core *core, uint32_t index, uint64_t cycle)
{
    const struct wm_issue_scheduler *scheduler = &core->scheduler[index];
    if (wm_issue_core_unit_next(core, index) > cycle)
        return WM_NO_WARP;
    // Of the ready warps, those whose unit takes another. (Which do changes from turn to turn: the
    // host would not foresee a branch.)
    uint64_t busy = core->memory_takes ? 0 : scheduler->units[WM_STEP_MEMORY].warps;
    for (uint32_t i = 0; i < core->unit_count; i++)
        busy |= scheduler->units[i].warps & -(uint64_t)(scheduler->units[i].free > cycle);
    uint64_t allowed = scheduler->ready & ~busy, behind = allowed & scheduler->behind;
    if (__builtin_expect(!core->in_turn, false))
        return wm_issue_core_ask(core, index, allowed);
    behind = behind != 0 ? behind : allowed;
    if (behind == 0)
        return WM_NO_WARP;
    return (int32_t)((uint32_t)__builtin_ctzll(behind) * core->schedulers + index);
}
// The ready warps of a scheduler as they stand behind that in `slot`, which has just had its turn:
// bit i is the (i + 1)-th local slot behind it, modulo 64. With warps in turn these are the next.
static inline uint64_t wm_issue_core_behind(const struct wm_issue_core *core, uint32_t slot)
{
    const struct wm_issue_warp *warp = &core->warps[slot];
    uint64_t ready = core->scheduler[warp->scheduler].ready;
    return ready >> warp->local >> 1 | ready << (63 - warp->local);
}
static inline uint32_t wm_issue_core_slot_behind(const struct wm_issue_core *core, uint32_t slot,
                                                 uint32_t bit)
{
    const struct wm_issue_warp *warp = &core->warps[slot];
    return (warp->local + bit + 1) % WM_ISSUE_MAX_LOCAL * core->schedulers + warp->scheduler;
}
// Asks the host for what the issue of a warp's next instruction changes.
static inline void wm_issue_core_expect(const struct wm_issue_core *core, uint32_t slot)
{
    const uint32_t *row = core->written + (size_t)slot * core->row;
    __builtin_prefetch(&core->warps[slot], 1);
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + WM_ISSUE_ROW, 1);
}
// Its instruction takes its unit, and its results their time. `pending`: it reads memory, and its
// destinations are not known before wm_issue_core_deliver. Then wm_issue_core_follow,
// wm_issue_core_stop or wm_issue_core_finish.
void wm_issue_core_issued(struct wm_issue_core *core, uint32_t slot, uint64_t cycle, bool pending);
// Both at once, of a warp that goes on: wm_issue_core_issued, and wm_issue_core_follow to `pc` in
// `earliest`.
void wm_issue_core_pass(struct wm_issue_core *core, uint32_t slot, uint64_t cycle, bool pending,
                        uint32_t pc, uint64_t earliest);
// The memory instruction at `pc` that the warp issued is done in `cycle`. `writes`: its
// destinations were pending.
void wm_issue_core_deliver(struct wm_issue_core *core, uint32_t slot, uint32_t pc, uint64_t cycle,
                           bool writes);

// The first cycle, from `cycle` on, in which a warp may issue without being told anything.
static inline uint64_t wm_issue_core_next(const struct wm_issue_core *core, uint64_t cycle)
{
    uint64_t next = WM_NEVER;
    for (uint32_t i = 0; i < core->schedulers; i++) {
        uint64_t unit = wm_issue_core_unit_next(core, i);
        next = unit < next ? unit : next;
    }
    if (core->wheel_used != 0) {
        uint64_t wakes = core->cycle + 1 + (uint64_t)__builtin_ctzll(wm_issue_core_to_come(core));
        next = wakes < next ? wakes : next;
    }
    return next > cycle ? next : cycle;
}

// Warps that wait are counted up to `cycle`.
void wm_issue_core_settle(struct wm_issue_core *core, uint64_t cycle);

#endif

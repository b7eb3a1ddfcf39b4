// The front of a streaming multiprocessor in time: which warps can issue, and which does. Each warp
// scheduler has warps of its own (slot modulo schedulers); a scoreboard holds a warp back until the
// registers that its next instruction reads or writes are there; each class of functional units
// takes a warp instruction of a scheduler in so many cycles. What instructions do, and when memory
// answers, is the owner's business.
//
// A result's cycle is known at issue but for memory's, so nothing happens when it is written: it is
// known when a warp can issue again, or it waits for a call. An SM none of whose warps can issue
// has nothing to do until wm_issue_core_next. What is done in each cycle, and for each instruction,
// is in sm/issue/issue_core_cycle.h.
//
// All cycles are the SM's. Thread rules: one thread at a time.
#ifndef WM_SM_ISSUE_ISSUE_CORE_H
#define WM_SM_ISSUE_ISSUE_CORE_H

#include "base/error.h"
#include "base/names/counters.h"
#include "base/numbers/clock_domain.h"
#include "sm/issue/issue.h"
#include "sm/sm_spec.h"
#include "sm/warp_scheduler/warp_scheduler.h"

enum {
    WM_ISSUE_MAX_LOCAL = 64, // most warps of one scheduler
    WM_ISSUE_WHEEL = 64,     // cycles ahead that wakings are kept apart for
    WM_ISSUE_ROW = 16,       // registers in a line of the host's caches
    WM_ISSUE_CLASSES = 8,    // of units: WM_UNITS of them, in whole registers of the host's
};
#define WM_ISSUE_UNKNOWN UINT32_MAX
_Static_assert((int)WM_UNITS <= (int)WM_ISSUE_CLASSES, "each class has a place");

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
    WM_WAIT_EMPTY, // no warp is in the slot, or it has finished
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
    // WM_WAIT_RESULT: when; not later than core->cycle: it has been ready since then, and this is
    // written when it next does something, for to wake it is to set a bit of its scheduler.
    uint64_t wakes;
};

// In three lines of the host's caches.
struct wm_issue_scheduler {
    _Alignas(64) uint64_t ready; // by local slot
    uint64_t behind;             // likewise: those behind the one that issued last
    uint64_t held;               // likewise: may not issue loads
    uint64_t far;                // likewise: on the wheel, they wake later than its entry says
    uint16_t wheel_word;         // of an entry: where its warps stand,
    uint16_t wheel_shift;        // from that bit on
    uint32_t unfinished;         // how many of its warps are
    uint64_t all_free;           // the last of `free`: from then on no class is busy
    uint64_t parked;       // by local slot: would be ready, but its next instruction is a load
    void *scheduler_state; // owned
    // By class of units, as the steps number them: the warps whose next instruction goes there, by
    // local slot; and the first cycle in which they take another.
    _Alignas(64) uint64_t warps[WM_ISSUE_CLASSES], free[WM_ISSUE_CLASSES];
};

struct wm_issue_core {
    const struct wm_sm_spec *spec; // borrowed
    const struct wm_issue_table *table;
    const struct wm_issue_step *steps; // the table's
    const struct wm_warp_scheduler_ops *order;
    bool in_turn;                            // the warp scheduler's
    uint32_t unit_count;                     // the table's
    uint32_t schedulers, slots, local_slots; // the last: most of one scheduler
    struct wm_issue_scheduler *scheduler;    // owned
    struct wm_issue_warp *warps;             // owned, by slot
    // Owned: by slot, a row of `row` registers, the cycle from which each may be read, counted from
    // `written_from` on: 0 also before it, WM_ISSUE_UNKNOWN when that is not known. Half as wide as
    // a cycle, and on lines of the host's caches, for each warp has a row and takes turns with all
    // others of the machine.
    uint32_t *written;
    uint32_t row;
    uint64_t written_from;
    size_t written_room;
    uint64_t ready_schedulers; // bit by scheduler: one of its warps is ready
    // Owned: by entry, wheel_words words, where each scheduler has as many bits as its warps need,
    // rounded up to a power of 2: 2 to the `wheel_shift`, and `wheel_mask` is one less.
    uint64_t *wheel;
    uint32_t wheel_shift, wheel_mask, wheel_words;
    uint64_t wheel_used; // bit by entry: a warp wakes
    uint64_t cycle;      // wakings up to it are done
    bool memory_takes;   // the load/store unit has room
    // Owned, by slot: where machine code is estimated (scheduled_ahead.h); NULL: the text's order.
    struct wm_waiting_instructions *waiting;
    uint32_t parked;                      // warps, of all schedulers
    uint64_t parked_since, parked_cycles; // sum over warps up to the former
    struct wm_issue_counters counters;
};

// The registers of a warp.
static inline uint32_t *wm_issue_row_of(const struct wm_issue_core *core, uint32_t slot)
{
    return core->written + (size_t)slot * core->row;
}

// WM_LIMIT when a scheduler would have more than WM_ISSUE_MAX_LOCAL warps; WM_NO_MEMORY.
enum wm_status wm_issue_core_init(struct wm_issue_core *core, const struct wm_sm_spec *spec,
                                  struct wm_error *error);
void wm_issue_core_release(struct wm_issue_core *core);
// A launch of a kernel begins: all slots are empty. `table` is borrowed, its steps (issue_steps.h)
// are found. WM_NO_MEMORY.
enum wm_status wm_issue_core_launch(struct wm_issue_core *core, const struct wm_issue_table *table,
                                    uint64_t cycle, struct wm_error *error);

// The table has got more instructions behind those of before, to which warps continue.
// WM_NO_MEMORY.
enum wm_status wm_issue_core_extend(struct wm_issue_core *core, const struct wm_issue_table *table,
                                    struct wm_error *error);

// A warp comes into an empty slot; wm_issue_core_set_next says how it begins.
void wm_issue_core_join(struct wm_issue_core *core, uint32_t slot, uint64_t cycle);
// Its next instruction is that at `pc`, to be issued in `cycle` at the earliest.
void wm_issue_core_set_next(struct wm_issue_core *core, uint32_t slot, uint32_t pc, uint64_t cycle);
// It waits at a barrier, until wm_issue_core_set_next.
void wm_issue_core_wait_at_barrier(struct wm_issue_core *core, uint32_t slot, uint64_t cycle);
// All its threads have ended.
void wm_issue_core_finish(struct wm_issue_core *core, uint32_t slot, uint64_t cycle);
// Its slot is empty again.
void wm_issue_core_leave(struct wm_issue_core *core, uint32_t slot);

// From `cycle` on the warp may not issue loads through L1, or may again.
void wm_issue_core_hold_loads(struct wm_issue_core *core, uint32_t slot, bool held, uint64_t cycle);

// Its instruction takes its unit, and its results their time. `pending`: it reads memory, and its
// destinations are not known before wm_issue_core_write_back. Then wm_issue_core_set_next,
// wm_issue_core_wait_at_barrier or wm_issue_core_finish.
void wm_issue_core_issue(struct wm_issue_core *core, uint32_t slot, uint64_t cycle, bool pending);
// The memory instruction at `pc` that the warp issued is done in `cycle`. `writes`: its
// destinations were pending.
void wm_issue_core_write_back(struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                              uint64_t cycle, bool writes);

// Warps that wait are counted up to `cycle`.
void wm_issue_core_count_waits(struct wm_issue_core *core, uint64_t cycle);

// --- Estimated machine code: instructions without an issue slot, and with several ---

// The warp has issued, and waits for the registers of its next instruction, whose slots are none,
// on the wheel (WM_WAIT_RESULT): it leaves the wheel.
void wm_issue_core_leave_wheel(struct wm_issue_core *core, uint32_t slot);
// It goes past that instruction, whose results are there when what it reads is, to that at `pc`,
// which it issues from `earliest` on.
void wm_issue_core_pass(struct wm_issue_core *core, uint32_t slot, uint32_t pc, uint64_t earliest);
// The scheduler issues nothing before `cycle`.
void wm_issue_core_occupy(struct wm_issue_core *core, uint32_t scheduler, uint64_t cycle);

#endif

// What an issue core does in each cycle and for each instruction, to be inlined where an SM's
// cycles run: warps wake, schedulers pick one, and it moves to its next instruction. What the host
// would not foresee has no branches.
#ifndef WM_SM_ISSUE_ISSUE_CORE_CYCLE_H
#define WM_SM_ISSUE_ISSUE_CORE_CYCLE_H

#include "sm/issue/issue_core.h"
#include "sm/issue/issue_steps.h"
#include "sm/issue/scheduled_ahead.h"

// --- Registers ---

// The scoreboard counts from a later cycle before the difference leaves no room for the latency of
// any unit.
enum { WM_ISSUE_MOST_SPAN = 1 << 30 };
void wm_issue_core_count_from(struct wm_issue_core *core, uint64_t cycle);
// Of an instruction with many registers (wm_issue_step.has_more).
uint32_t wm_issue_core_all_ready(const struct wm_issue_core *core, const uint32_t *written,
                                 uint32_t pc);
void wm_issue_core_write_all(const struct wm_issue_core *core, uint32_t *written, uint32_t pc,
                             uint32_t when);

static inline uint64_t wm_issue_bit_of(const struct wm_issue_warp *warp)
{
    return UINT64_C(1) << warp->local;
}

// Of which nothing is known stands behind the table's instructions.
static inline const struct wm_issue_step *wm_issue_step_at(const struct wm_issue_core *core,
                                                           uint32_t pc)
{
    return &core->steps[pc];
}

// When the registers of the instruction at `pc` are there, counted from core->written_from, or
// WM_ISSUE_UNKNOWN. All places of the step are looked at: how many registers there are the host
// would not foresee.
static inline uint32_t wm_issue_registers_ready(const struct wm_issue_core *core,
                                                const uint32_t *written, uint32_t pc,
                                                const struct wm_issue_step *step)
{
    uint32_t ready = 0;
    if (__builtin_expect(step->has_more, false))
        return wm_issue_core_all_ready(core, written, pc);
    for (int i = 0; i < WM_ISSUE_NEEDED; i++)
        ready = written[step->needed[i]] > ready ? written[step->needed[i]] : ready;
    return ready;
}

// When the warp can issue the instruction at `pc`, its next, counted from core->written_from;
// WM_ISSUE_UNKNOWN: it waits for memory.
static inline uint32_t wm_issue_ready_from(const struct wm_issue_core *core, uint32_t slot,
                                           uint32_t pc, const struct wm_issue_step *step)
{
    uint32_t ready = wm_issue_registers_ready(core, wm_issue_row_of(core, slot), pc, step);
    if (__builtin_expect(step->is_membar && core->warps[slot].accesses != 0, false))
        return WM_ISSUE_UNKNOWN;
    if (__builtin_expect(core->waiting != NULL, false))
        return wm_issue_ready_ahead(core, slot, pc, ready);
    return ready;
}

// The destinations of the instruction at `pc` may be read from then on.
static inline void wm_issue_write_registers(const struct wm_issue_core *core, uint32_t *written,
                                            uint32_t pc, const struct wm_issue_step *step,
                                            uint32_t when)
{
    if (__builtin_expect(step->has_more, false))
        wm_issue_core_write_all(core, written, pc, when);
    else
        for (int i = 0; i < WM_ISSUE_WRITTEN; i++)
            written[step->written[i]] = when;
}

// --- Waking ---

// The wheel's entries, of the cycle behind core->cycle first.
static inline uint64_t wm_issue_core_to_come(const struct wm_issue_core *core)
{
    uint32_t first = (uint32_t)((core->cycle + 1) % WM_ISSUE_WHEEL);
    return core->wheel_used >> first | core->wheel_used << (-first % WM_ISSUE_WHEEL);
}

// Its warp `bit` wakes in a cycle to come; what is far ahead is looked at again on the way.
static inline void wm_issue_put_on_wheel(struct wm_issue_core *core,
                                         struct wm_issue_scheduler *scheduler, uint64_t bit,
                                         uint64_t wakes, uint64_t cycle)
{
    uint64_t last = cycle + WM_ISSUE_WHEEL - 1;
    if (__builtin_expect(wakes > last, false)) {
        scheduler->far |= bit;
        wakes = last;
    }
    uint32_t entry = (uint32_t)(wakes % WM_ISSUE_WHEEL);
    core->wheel[entry * core->wheel_words + scheduler->wheel_word] |= bit << scheduler->wheel_shift;
    core->wheel_used |= UINT64_C(1) << entry;
}

// Whether a scheduler's warp that is far, or held, and comes up on the wheel is ready now.
bool wm_issue_core_may_wake(struct wm_issue_core *core, uint32_t scheduler, uint64_t bit);

// Warps of a word of an entry; few wake at once.
static inline void wm_issue_wake_word(struct wm_issue_core *core, uint32_t entry, uint32_t word)
{
    uint64_t *wheel = &core->wheel[entry * core->wheel_words + word], woken = *wheel;
    uint32_t first = word << (6 - core->wheel_shift);
    *wheel = 0;
    for (; woken != 0; woken &= woken - 1) {
        uint32_t at = (uint32_t)__builtin_ctzll(woken), index = first + (at >> core->wheel_shift);
        struct wm_issue_scheduler *scheduler = &core->scheduler[index];
        uint64_t bit = UINT64_C(1) << (at & core->wheel_mask);
        if (__builtin_expect((bit & (scheduler->far | scheduler->held)) != 0, false) &&
            !wm_issue_core_may_wake(core, index, bit))
            continue;
        scheduler->ready |= bit;
        core->ready_schedulers |= UINT64_C(1) << index;
    }
}

// Warps wake up to `cycle`, which is later than any before.
static inline void wm_issue_core_wake(struct wm_issue_core *core, uint64_t cycle)
{
    uint64_t passed = cycle - core->cycle, due = wm_issue_core_to_come(core);
    if (__builtin_expect(cycle - core->written_from > WM_ISSUE_MOST_SPAN, false))
        wm_issue_core_count_from(core, cycle);
    if (passed < WM_ISSUE_WHEEL)
        due &= (UINT64_C(1) << passed) - 1;
    uint32_t first = (uint32_t)((core->cycle + 1) % WM_ISSUE_WHEEL);
    core->cycle = cycle;
    for (; due != 0; due &= due - 1) {
        uint32_t entry = ((uint32_t)__builtin_ctzll(due) + first) % WM_ISSUE_WHEEL;
        core->wheel_used &= ~(UINT64_C(1) << entry);
        wm_issue_wake_word(core, entry, 0); // of most machines the only one
        for (uint32_t word = 1; word < core->wheel_words; word++)
            wm_issue_wake_word(core, entry, word);
    }
}

// The schedulers with ready warps in `cycle`, bit by scheduler; cycles do not decrease.
static inline uint64_t wm_issue_core_ready(struct wm_issue_core *core, uint64_t cycle)
{
    if (cycle > core->cycle)
        wm_issue_core_wake(core, cycle);
    return core->ready_schedulers;
}

// --- Picking ---

// Two classes of units at once.
typedef int64_t wm_issue_pair __attribute__((vector_size(16), may_alias));

// Of a scheduler's ready warps, those whose unit takes another in `cycle`, where some class is
// busy.
static inline uint64_t wm_issue_core_allowed_of_busy(const struct wm_issue_core *core,
                                                     const struct wm_issue_scheduler *scheduler,
                                                     uint64_t cycle)
{
    const wm_issue_pair *warps = (const wm_issue_pair *)scheduler->warps;
    const wm_issue_pair *free = (const wm_issue_pair *)scheduler->free;
    const wm_issue_pair now = {(int64_t)cycle, (int64_t)cycle};
    wm_issue_pair busy = {core->memory_takes ? 0 : (int64_t)scheduler->warps[WM_STEP_MEMORY], 0};
    for (int i = 0; i < WM_ISSUE_CLASSES / 2; i++)
        busy |= warps[i] & (now - free[i]) >> 63; // all ones where a class is free later
    return scheduler->ready & ~(uint64_t)(busy[0] | busy[1]);
}

// A scheduler's ready warps but, while the load/store unit has no room, those that it waits for.
static inline uint64_t wm_issue_core_takeable(const struct wm_issue_core *core,
                                              const struct wm_issue_scheduler *scheduler)
{
    uint64_t memory =
        __builtin_expect(core->memory_takes, true) ? 0 : scheduler->warps[WM_STEP_MEMORY];
    return scheduler->ready & ~memory;
}

// Of a scheduler's ready warps, those whose unit takes another in `cycle`; of the memory class
// while the load/store unit has room.
static inline uint64_t wm_issue_core_allowed(const struct wm_issue_core *core, uint32_t index,
                                             uint64_t cycle)
{
    const struct wm_issue_scheduler *scheduler = &core->scheduler[index];
    if (scheduler->all_free <= cycle)
        return wm_issue_core_takeable(core, scheduler);
    return wm_issue_core_allowed_of_busy(core, scheduler, cycle);
}

// Of a set of warps, the first behind the one that issued last; behind the last comes the first.
static inline uint32_t wm_issue_first_behind(const struct wm_issue_scheduler *scheduler,
                                             uint64_t warps)
{
    uint64_t behind = warps & scheduler->behind;
    return (uint32_t)__builtin_ctzll(behind != 0 ? behind : warps);
}

// Which of the warps that the scheduler could issue, of which there are some, it does issue: a
// slot, or WM_NO_WARP. The owner executes its instruction, and calls wm_issue_core_issue or
// wm_issue_core_issue_next before anything else of that warp. The former calls the entry of the
// warp scheduler.
int32_t wm_issue_core_choose_by_policy(struct wm_issue_core *core, uint32_t scheduler,
                                       uint64_t allowed);
static inline int32_t wm_issue_core_choose(struct wm_issue_core *core, uint32_t index,
                                           uint64_t allowed)
{
    if (__builtin_expect(!core->in_turn, false))
        return wm_issue_core_choose_by_policy(core, index, allowed);
    uint32_t local = wm_issue_first_behind(&core->scheduler[index], allowed);
    return (int32_t)(local * core->schedulers + index);
}

// The first cycle, from `cycle` on, in which a unit takes one of a scheduler's ready warps, of
// which there are some; WM_NEVER: none.
static inline uint64_t wm_issue_core_unit_next(const struct wm_issue_core *core, uint32_t index,
                                               uint64_t cycle)
{
    const struct wm_issue_scheduler *scheduler = &core->scheduler[index];
    uint64_t next = WM_NEVER;
    if (scheduler->all_free <= cycle)
        return wm_issue_core_takeable(core, scheduler) != 0 ? cycle : next;
    for (uint32_t i = core->memory_takes ? 0 : WM_STEP_MEMORY + 1; i < core->unit_count; i++) {
        uint64_t free = scheduler->free[i];
        free |= -(uint64_t)((scheduler->warps[i] & scheduler->ready) == 0);
        next = free < next ? free : next;
    }
    return next;
}

// The first cycle, from `cycle` on, in which a warp may issue without another call.
static inline uint64_t wm_issue_core_next(const struct wm_issue_core *core, uint64_t cycle)
{
    uint64_t next = WM_NEVER;
    if (core->wheel_used != 0)
        next = core->cycle + 1 + (uint64_t)__builtin_ctzll(wm_issue_core_to_come(core));
    for (uint64_t rest = core->ready_schedulers; rest != 0 && next > cycle; rest &= rest - 1) {
        uint64_t unit = wm_issue_core_unit_next(core, (uint32_t)__builtin_ctzll(rest), cycle);
        next = unit < next ? unit : next;
    }
    return next > cycle ? next : cycle;
}

// --- Issuing ---

static inline void wm_issue_notify_scheduler(struct wm_issue_core *core,
                                             const struct wm_issue_warp *warp,
                                             enum wm_warp_stop stop)
{
    if (__builtin_expect(!core->in_turn, false))
        core->order->ran(core->scheduler[warp->scheduler].scheduler_state, warp->local, stop);
}

// By rank, the counter of what the warps of that rank issued, behind issued_by_oldest.
static inline uint32_t wm_issue_rank_counter(uint32_t rank)
{
    static const uint8_t counters[17] = {0, 1, 2, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6};
    return counters[rank < 16 ? rank : 16];
}

// A warp's next instruction goes to another class of units, or to the same.
static inline void wm_issue_enter_unit(struct wm_issue_scheduler *scheduler,
                                       struct wm_issue_warp *warp, uint32_t pc,
                                       const struct wm_issue_step *step)
{
    uint64_t bit = wm_issue_bit_of(warp);
    scheduler->warps[warp->unit] &= ~bit;
    scheduler->warps[step->unit] |= bit;
    warp->pc = pc;
    warp->unit = step->unit;
    warp->loads = step->is_load;
}

// The ready warp issues; but not how it waits from then on.
static inline void wm_issue_take_unit(struct wm_issue_core *core, uint32_t slot,
                                      const struct wm_issue_warp *warp, uint64_t cycle,
                                      bool pending)
{
    struct wm_issue_scheduler *scheduler = &core->scheduler[warp->scheduler];
    const struct wm_issue_step *step = wm_issue_step_at(core, warp->pc);
    uint32_t when = (uint32_t)(cycle - core->written_from) + step->latency;
    if (__builtin_expect(core->waiting != NULL, false))
        when = wm_issue_result_ahead(core, slot, warp->pc, cycle, pending);
    wm_issue_write_registers(core, wm_issue_row_of(core, slot), warp->pc, step,
                             pending ? WM_ISSUE_UNKNOWN : when);
    uint64_t bit = wm_issue_bit_of(warp), ready = scheduler->ready & ~bit;
    uint64_t free = cycle + step->interval;
    scheduler->free[step->unit] = free;
    scheduler->all_free = free > scheduler->all_free ? free : scheduler->all_free;
    scheduler->behind = -(bit << 1);
    scheduler->ready = ready;
    core->ready_schedulers &= ~((uint64_t)(ready == 0) << warp->scheduler);
    // It has waited for a result until it woke, unless that was before it began to wait.
    uint64_t woke = warp->wakes > warp->since ? warp->wakes : warp->since;
    core->counters.issued++;
    core->counters.waited_result += woke - warp->since;
    core->counters.waited_ready += cycle - woke;
    (&core->counters.issued_by_oldest)[wm_issue_rank_counter(warp->rank)]++;
}

// The instruction of a warp that has another takes its unit, and its results their time: as
// wm_issue_core_issue, and wm_issue_core_set_next to `pc` in `earliest`, which is later.
static inline void wm_issue_core_issue_next(struct wm_issue_core *core, uint32_t slot,
                                            uint64_t cycle, bool pending, uint32_t pc,
                                            uint64_t earliest)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    struct wm_issue_scheduler *scheduler = &core->scheduler[warp->scheduler];
    const struct wm_issue_step *step = wm_issue_step_at(core, pc);
    wm_issue_take_unit(core, slot, warp, cycle, pending);
    wm_issue_notify_scheduler(core, warp, WM_WARP_STOP_ISSUED);
    uint32_t ready = wm_issue_ready_from(core, slot, pc, step);
    warp->since = cycle + 1; // in this cycle it issued
    wm_issue_enter_unit(scheduler, warp, pc, step);
    if (ready == WM_ISSUE_UNKNOWN) {
        warp->wakes = earliest;
        warp->wait = WM_WAIT_MEMORY;
        wm_issue_notify_scheduler(core, warp, WM_WARP_STOP_MISS);
        return;
    }
    uint64_t there = core->written_from + ready;
    warp->wakes = there > earliest ? there : earliest;
    warp->wait = WM_WAIT_RESULT;
    wm_issue_put_on_wheel(core, scheduler, wm_issue_bit_of(warp), warp->wakes, cycle);
}

// Prefetches what the issue of a warp's next instruction changes.
static inline void wm_issue_core_host_prefetch(const struct wm_issue_core *core, uint32_t slot)
{
    const uint32_t *row = wm_issue_row_of(core, slot);
    __builtin_prefetch(&core->warps[slot], 1);
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + WM_ISSUE_ROW, 1);
}

#endif

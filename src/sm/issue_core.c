#include "sm/issue_core.h"

#include "sm/issue_steps.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Of which nothing is known stands behind the table's instructions.
static inline const struct wm_issue_step *step_at(const struct wm_issue_core *core, uint32_t pc)
{
    return &core->steps[pc];
}

static struct wm_issue_scheduler *scheduler_of(struct wm_issue_core *core, uint32_t slot)
{
    return &core->scheduler[core->warps[slot].scheduler];
}

static uint64_t bit_of(const struct wm_issue_warp *warp)
{
    return UINT64_C(1) << warp->local;
}

static struct wm_issue_warp no_warp(const struct wm_issue_core *core, uint32_t slot, uint64_t cycle)
{
    return (struct wm_issue_warp){.wait = WM_WAIT_NOBODY,
                                  .scheduler = (uint8_t)(slot % core->schedulers),
                                  .local = (uint8_t)(slot / core->schedulers),
                                  .since = cycle};
}

static enum wm_status no_memory(struct wm_error *error)
{
    return wm_fail(error, WM_NO_MEMORY, "no memory for an SM's warps");
}

enum wm_status wm_issue_core_init(struct wm_issue_core *core, const struct wm_sm_spec *spec,
                                  struct wm_error *error)
{
    *core = (struct wm_issue_core){.spec = spec,
                                   .order = wm_warp_order_find(spec->warp_order),
                                   .in_turn = wm_warp_order_find(spec->warp_order)->in_turn,
                                   .schedulers = spec->schedulers,
                                   .slots = spec->max_warps,
                                   .local_slots =
                                       (spec->max_warps + spec->schedulers - 1) / spec->schedulers,
                                   .wheel_words = (spec->max_warps + 63) / 64,
                                   .memory_takes = true};
    if (core->local_slots > WM_ISSUE_MAX_LOCAL) {
        wm_fail(error, WM_LIMIT,
                "a warp scheduler of the clock engine has at most %d warps, and the machine gives "
                "%" PRIu32 " warps to %" PRIu32 " schedulers",
                (int)WM_ISSUE_MAX_LOCAL, spec->max_warps, spec->schedulers);
        return wm_error_cure(error, "raise gpu.sm.schedulers");
    }
    core->scheduler = calloc(core->schedulers, sizeof *core->scheduler);
    core->due = calloc(core->schedulers, sizeof *core->due);
    // No warp lies in two lines of the host's caches.
    size_t of_warps = (core->slots * sizeof *core->warps + 63) / 64 * 64;
    core->warps = aligned_alloc(64, of_warps);
    core->wheel = calloc((size_t)core->wheel_words * WM_ISSUE_WHEEL, sizeof *core->wheel);
    if (core->scheduler == NULL || core->due == NULL || core->warps == NULL || core->wheel == NULL)
        return no_memory(error);
    memset(core->warps, 0, of_warps);
    size_t bytes = core->order->state_bytes(core->local_slots);
    for (uint32_t i = 0; i < core->schedulers; i++) {
        core->scheduler[i].order_state = calloc(1, bytes != 0 ? bytes : 1);
        if (core->scheduler[i].order_state == NULL)
            return no_memory(error);
    }
    return WM_OK;
}

void wm_issue_core_release(struct wm_issue_core *core)
{
    for (uint32_t i = 0; core->scheduler != NULL && i < core->schedulers; i++)
        free(core->scheduler[i].order_state);
    free(core->scheduler);
    free(core->due);
    free(core->warps);
    free(core->written);
    free(core->wheel);
    *core = (struct wm_issue_core){0};
}

enum wm_status wm_issue_core_launch(struct wm_issue_core *core, const struct wm_issue_table *table,
                                    uint64_t cycle, struct wm_error *error)
{
    uint32_t registers = table->register_count + WM_ISSUE_SPARE;
    core->row = (registers + WM_ISSUE_ROW - 1) / WM_ISSUE_ROW * WM_ISSUE_ROW;
    size_t room = (size_t)core->slots * core->row;
    core->table = table;
    core->steps = table->steps;
    core->unit_count = table->unit_count;
    core->written_from = cycle;
    core->cycle = cycle;
    core->ready_schedulers = core->wheel_used = 0;
    core->parked = 0;
    core->parked_since = cycle;
    if (room > core->written_room) {
        free(core->written);
        core->written = aligned_alloc(64, room * sizeof *core->written);
        core->written_room = core->written != NULL ? room : 0;
        if (core->written == NULL)
            return no_memory(error);
    }
    for (uint32_t i = 0; i < core->schedulers; i++) {
        struct wm_issue_scheduler *scheduler = &core->scheduler[i];
        *scheduler = (struct wm_issue_scheduler){.order_state = scheduler->order_state};
        core->due[i] = (struct wm_issue_due){{WM_NEVER, WM_NEVER}};
        wm_warp_order_reset(core->spec, 1, scheduler->order_state, core->local_slots);
    }
    memset(core->wheel, 0, (size_t)core->wheel_words * WM_ISSUE_WHEEL * sizeof *core->wheel);
    for (uint32_t slot = 0; slot < core->slots; slot++)
        core->warps[slot] = no_warp(core, slot, 0);
    return WM_OK;
}

// --- The scoreboard ---

static inline uint32_t *row_of(const struct wm_issue_core *core, uint32_t slot)
{
    return core->written + (size_t)slot * core->row;
}

// Counts from `cycle` on, before the difference leaves no room for the latency of any unit.
enum { MOST_SPAN = 1 << 30 };

static __attribute__((noinline)) void count_from(struct wm_issue_core *core, uint64_t cycle)
{
    uint64_t passed = cycle - core->written_from;
    for (size_t i = 0; i < (size_t)core->slots * core->row; i++) {
        uint32_t *at = &core->written[i];
        if (*at != WM_ISSUE_UNKNOWN)
            *at = *at > passed ? (uint32_t)(*at - passed) : 0;
    }
    core->written_from = cycle;
}

// The same of an instruction with many registers.
static __attribute__((noinline)) uint32_t all_ready(const struct wm_issue_core *core,
                                                    const uint32_t *written, uint32_t pc)
{
    const struct wm_issue_facts *facts = &core->table->facts[pc];
    const uint16_t *at = core->table->registers + facts->first_register;
    const uint16_t *end = at + facts->destinations + facts->sources;
    uint32_t ready = 0;
    for (; at != end; at++)
        ready = written[WM_ISSUE_SPARE + *at] > ready ? written[WM_ISSUE_SPARE + *at] : ready;
    return ready;
}

// The cycle from which the registers of the instruction at `pc` are there; WM_NEVER: nobody knows.
// All places of the step are looked at: how many registers there are the host would not foresee.
static inline uint64_t registers_ready(const struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                                       const struct wm_issue_step *step)
{
    const uint32_t *written = row_of(core, slot);
    uint32_t ready = 0;
    if (__builtin_expect(step->has_more, false))
        ready = all_ready(core, written, pc);
    else
        for (int i = 0; i < WM_ISSUE_NEEDED; i++)
            ready = written[step->needed[i]] > ready ? written[step->needed[i]] : ready;
    return ready != WM_ISSUE_UNKNOWN ? core->written_from + ready : WM_NEVER;
}

static __attribute__((noinline)) void write_all(const struct wm_issue_core *core, uint32_t *written,
                                                uint32_t pc, uint32_t when)
{
    const struct wm_issue_facts *facts = &core->table->facts[pc];
    const uint16_t *at = core->table->registers + facts->first_register;
    const uint16_t *end = at + facts->destinations;
    for (; at != end; at++)
        written[WM_ISSUE_SPARE + *at] = when;
}

// The destinations of the instruction at `pc` may be read from that cycle on; WM_NEVER: nobody
// knows.
static inline void write_registers(struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                                   const struct wm_issue_step *step, uint64_t cycle)
{
    uint32_t *written = row_of(core, slot);
    uint32_t when = cycle != WM_NEVER ? (uint32_t)(cycle - core->written_from) : WM_ISSUE_UNKNOWN;
    if (__builtin_expect(step->has_more, false))
        write_all(core, written, pc, when);
    else
        for (int i = 0; i < WM_ISSUE_WRITTEN; i++)
            written[step->written[i]] = when;
}

// --- How warps wait ---

static inline void change_wait(struct wm_issue_core *core, struct wm_issue_warp *warp,
                               enum wm_warp_wait wait, uint64_t cycle)
{
    uint64_t until = cycle > warp->since ? cycle : warp->since;
    if (warp->wait != WM_WAIT_NOBODY)
        (&core->counters.waited_ready)[warp->wait] += until - warp->since;
    warp->since = until;
    warp->wait = (uint8_t)wait;
}

void wm_issue_core_settle(struct wm_issue_core *core, uint64_t cycle)
{
    for (uint32_t slot = 0; slot < core->slots; slot++)
        change_wait(core, &core->warps[slot], (enum wm_warp_wait)core->warps[slot].wait, cycle);
}

static inline void tell_order(struct wm_issue_core *core, const struct wm_issue_warp *warp,
                              enum wm_warp_stop stop)
{
    if (!core->in_turn)
        core->order->ran(core->scheduler[warp->scheduler].order_state, warp->local, stop);
}

static void count_parked(struct wm_issue_core *core)
{
    core->parked_cycles += core->parked * (core->cycle - core->parked_since);
    core->parked_since = core->cycle;
}

static void park(struct wm_issue_core *core, struct wm_issue_warp *warp)
{
    count_parked(core);
    core->scheduler[warp->scheduler].parked |= bit_of(warp);
    core->parked++;
}

static inline void make_ready(struct wm_issue_core *core, struct wm_issue_warp *warp,
                              uint64_t cycle)
{
    struct wm_issue_scheduler *scheduler = &core->scheduler[warp->scheduler];
    change_wait(core, warp, WM_WAIT_READY, cycle);
    if (__builtin_expect((scheduler->held & bit_of(warp)) != 0, false) && warp->loads) {
        park(core, warp);
        return;
    }
    uint64_t free = scheduler->units[warp->unit].free;
    uint64_t *due = &core->due[warp->scheduler].of[warp->unit == WM_STEP_MEMORY];
    *due = free < *due ? free : *due;
    scheduler->ready |= bit_of(warp);
    core->ready_schedulers |= UINT64_C(1) << warp->scheduler;
}

// It wakes in a cycle to come; what is far ahead is looked at again on the way.
static inline void put_on_wheel(struct wm_issue_core *core, uint32_t slot, uint64_t wakes,
                                uint64_t cycle)
{
    uint64_t last = cycle + WM_ISSUE_WHEEL - 1;
    uint32_t entry = (uint32_t)((wakes < last ? wakes : last) % WM_ISSUE_WHEEL);
    core->wheel[entry * core->wheel_words + slot / 64] |= UINT64_C(1) << slot % 64;
    core->wheel_used |= UINT64_C(1) << entry;
}

// What the warp waits for before the instruction at `pc`, its next; `earliest` as
// wm_issue_core_follow's.
static inline void evaluate(struct wm_issue_core *core, uint32_t slot, uint32_t pc, uint64_t cycle,
                            uint64_t earliest)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    const struct wm_issue_step *step = step_at(core, pc);
    uint64_t ready = registers_ready(core, slot, pc, step);
    if (ready == WM_NEVER || (step->is_membar && warp->accesses != 0)) {
        warp->wakes = earliest;
        change_wait(core, warp, WM_WAIT_MEMORY, cycle);
        tell_order(core, warp, WM_WARP_STOP_MISS);
        return;
    }
    warp->wakes = ready > earliest ? ready : earliest;
    if (warp->wakes <= cycle) {
        make_ready(core, warp, cycle);
        return;
    }
    change_wait(core, warp, WM_WAIT_RESULT, cycle);
    put_on_wheel(core, slot, warp->wakes, cycle);
}

// --- Who is older ---

static void be_youngest(struct wm_issue_core *core, uint32_t slot)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    warp->rank = (uint8_t)scheduler_of(core, slot)->unfinished++;
}

static void be_of_no_age(struct wm_issue_core *core, uint32_t slot)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    scheduler_of(core, slot)->unfinished--;
    for (uint32_t other = slot % core->schedulers; other < core->slots; other += core->schedulers)
        if (core->warps[other].rank > warp->rank)
            core->warps[other].rank--;
}

// By rank, the counter of what the warps of that rank issued, behind issued_by_oldest.
static inline uint32_t rank_counter(uint32_t rank)
{
    static const uint8_t counters[17] = {0, 1, 2, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6};
    return counters[rank < 16 ? rank : 16];
}

// --- Coming and going ---

void wm_issue_core_join(struct wm_issue_core *core, uint32_t slot, uint64_t cycle)
{
    memset(row_of(core, slot), 0, core->row * sizeof *core->written);
    core->warps[slot] = no_warp(core, slot, cycle);
    be_youngest(core, slot);
    core->order->join(scheduler_of(core, slot)->order_state, core->warps[slot].local);
}

// Its next instruction goes to another class of units, or to the same.
static inline void enter_unit(const struct wm_issue_core *core, struct wm_issue_warp *warp,
                              uint32_t pc, const struct wm_issue_step *step)
{
    struct wm_issue_unit *units = core->scheduler[warp->scheduler].units;
    uint64_t bit = bit_of(warp);
    units[warp->unit].warps &= ~bit;
    units[step->unit].warps |= bit;
    warp->pc = pc;
    warp->unit = step->unit;
    warp->loads = step->is_load;
}

void wm_issue_core_follow(struct wm_issue_core *core, uint32_t slot, uint32_t pc, uint64_t cycle)
{
    enter_unit(core, &core->warps[slot], pc, step_at(core, pc));
    evaluate(core, slot, pc, core->cycle, cycle);
}

void wm_issue_core_stop(struct wm_issue_core *core, uint32_t slot, uint64_t cycle)
{
    change_wait(core, &core->warps[slot], WM_WAIT_BARRIER, cycle);
    tell_order(core, &core->warps[slot], WM_WARP_STOP_WAITS);
}

void wm_issue_core_finish(struct wm_issue_core *core, uint32_t slot, uint64_t cycle)
{
    change_wait(core, &core->warps[slot], WM_WAIT_NOBODY, cycle);
    be_of_no_age(core, slot);
    tell_order(core, &core->warps[slot], WM_WARP_STOP_FINISHED);
}

void wm_issue_core_leave(struct wm_issue_core *core, uint32_t slot)
{
    struct wm_issue_scheduler *scheduler = scheduler_of(core, slot);
    struct wm_issue_warp *warp = &core->warps[slot];
    scheduler->units[warp->unit].warps &= ~bit_of(warp);
    core->order->leave(scheduler->order_state, warp->local);
    warp->wait = WM_WAIT_NOBODY;
}

// --- Issuing ---

static inline void wake_entry(struct wm_issue_core *core, uint32_t entry, uint64_t cycle)
{
    uint64_t *wheel = &core->wheel[entry * core->wheel_words];
    for (uint32_t word = 0; word < core->wheel_words; word++) {
        uint64_t warps = wheel[word];
        wheel[word] = 0;
        for (; warps != 0; warps &= warps - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(warps);
            struct wm_issue_warp *warp = &core->warps[slot];
            if (warp->wakes <= cycle)
                make_ready(core, warp, warp->wakes);
            else
                put_on_wheel(core, slot, warp->wakes, cycle);
        }
    }
}

void wm_issue_core_wake(struct wm_issue_core *core, uint64_t cycle)
{
    uint64_t passed = cycle - core->cycle;
    if (__builtin_expect(cycle - core->written_from > MOST_SPAN, false))
        count_from(core, cycle);
    if (passed == 1) { // most often
        uint32_t next = (uint32_t)(cycle % WM_ISSUE_WHEEL);
        core->cycle = cycle;
        if ((core->wheel_used >> next & 1) != 0) {
            core->wheel_used &= ~(UINT64_C(1) << next);
            wake_entry(core, next, cycle);
        }
        return;
    }
    uint64_t due = wm_issue_core_to_come(core);
    if (passed < WM_ISSUE_WHEEL)
        due &= (UINT64_C(1) << passed) - 1;
    uint32_t first = (uint32_t)((core->cycle + 1) % WM_ISSUE_WHEEL);
    core->cycle = cycle;
    for (; due != 0; due &= due - 1) {
        uint32_t entry = ((uint32_t)__builtin_ctzll(due) + first) % WM_ISSUE_WHEEL;
        core->wheel_used &= ~(UINT64_C(1) << entry);
        wake_entry(core, entry, cycle);
    }
}

int32_t wm_issue_core_ask(struct wm_issue_core *core, uint32_t index, uint64_t allowed)
{
    struct wm_issue_scheduler *scheduler = &core->scheduler[index];
    if (core->order->offer != NULL)
        core->order->offer(scheduler->order_state, &scheduler->ready);
    int32_t local = core->order->pick(scheduler->order_state, &allowed, core->local_slots);
    return local == WM_NO_WARP ? WM_NO_WARP : (int32_t)((uint32_t)local * core->schedulers + index);
}

// When the first of the warps may go to a unit of that class: WM_NEVER where none is for it.
static inline uint64_t free_for(const struct wm_issue_unit *unit, uint64_t warps)
{
    return unit->free | -(uint64_t)((unit->warps & warps) == 0);
}

// When units take the warps that are ready.
static inline void find_next_unit(const struct wm_issue_core *core,
                                  const struct wm_issue_scheduler *scheduler,
                                  struct wm_issue_due *due)
{
    const struct wm_issue_unit *units = scheduler->units;
    uint64_t ready = scheduler->ready, next = WM_NEVER;
    uint32_t count = core->unit_count;
    due->of[WM_ISSUE_MEMORY] = free_for(&units[WM_STEP_MEMORY], ready);
    for (uint32_t i = WM_STEP_MEMORY + 1; i < count; i++) {
        uint64_t free = free_for(&units[i], ready);
        next = free < next ? free : next;
    }
    due->of[WM_ISSUE_OTHER] = next;
}

// A ready warp is so no longer.
static inline void leave_ready(struct wm_issue_core *core, const struct wm_issue_warp *warp)
{
    struct wm_issue_scheduler *scheduler = &core->scheduler[warp->scheduler];
    scheduler->ready &= ~bit_of(warp);
    core->ready_schedulers &= ~((uint64_t)(scheduler->ready == 0) << warp->scheduler);
    find_next_unit(core, scheduler, &core->due[warp->scheduler]);
}

void wm_issue_core_hold(struct wm_issue_core *core, uint32_t slot, bool held, uint64_t cycle)
{
    if (cycle > core->cycle)
        wm_issue_core_wake(core, cycle);
    struct wm_issue_warp *warp = &core->warps[slot];
    struct wm_issue_scheduler *scheduler = &core->scheduler[warp->scheduler];
    uint64_t bit = bit_of(warp);
    scheduler->held = held ? scheduler->held | bit : scheduler->held & ~bit;
    if (held && (scheduler->ready & bit) != 0 && warp->loads) {
        leave_ready(core, warp);
        park(core, warp);
    } else if (!held && (scheduler->parked & bit) != 0) {
        count_parked(core);
        scheduler->parked &= ~bit;
        core->parked--;
        make_ready(core, warp, core->cycle);
    }
}

// All but how the warp waits from then on.
static inline void take_unit(struct wm_issue_core *core, uint32_t slot,
                             const struct wm_issue_warp *warp, uint64_t cycle, bool pending)
{
    struct wm_issue_scheduler *scheduler = &core->scheduler[warp->scheduler];
    const struct wm_issue_step *step = step_at(core, warp->pc);
    write_registers(core, slot, warp->pc, step, pending ? WM_NEVER : cycle + step->latency);
    scheduler->units[step->unit].free = cycle + step->interval;
    scheduler->behind = -(bit_of(warp) << 1);
    leave_ready(core, warp);
    core->counters.issued++;
    core->counters.waited_ready += cycle - warp->since;
    (&core->counters.issued_by_oldest)[rank_counter(warp->rank)]++;
}

void wm_issue_core_issued(struct wm_issue_core *core, uint32_t slot, uint64_t cycle, bool pending)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    take_unit(core, slot, warp, cycle, pending);
    warp->since = cycle + 1; // in this cycle it issued
    warp->wait = WM_WAIT_RESULT;
    tell_order(core, warp, WM_WARP_STOP_ISSUED);
}

// Most often the warp's next instruction waits some cycles: then what it waits for is written once.
void wm_issue_core_pass(struct wm_issue_core *core, uint32_t slot, uint64_t cycle, bool pending,
                        uint32_t pc, uint64_t earliest)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    take_unit(core, slot, warp, cycle, pending);
    tell_order(core, warp, WM_WARP_STOP_ISSUED);
    const struct wm_issue_step *step = step_at(core, pc);
    uint64_t ready = registers_ready(core, slot, pc, step);
    warp->since = cycle + 1;
    enter_unit(core, warp, pc, step);
    if (__builtin_expect(ready == WM_NEVER || step->is_membar || earliest <= cycle, false)) {
        warp->wait = WM_WAIT_RESULT;
        evaluate(core, slot, pc, core->cycle, earliest);
        return;
    }
    warp->wakes = ready > earliest ? ready : earliest;
    warp->wait = WM_WAIT_RESULT;
    put_on_wheel(core, slot, warp->wakes, cycle);
}

void wm_issue_core_deliver(struct wm_issue_core *core, uint32_t slot, uint32_t pc, uint64_t cycle,
                           bool writes)
{
    if (cycle > core->cycle)
        wm_issue_core_wake(core, cycle);
    struct wm_issue_warp *warp = &core->warps[slot];
    if (writes)
        write_registers(core, slot, pc, step_at(core, pc), cycle);
    warp->accesses--;
    if (warp->wait == WM_WAIT_MEMORY)
        evaluate(core, slot, warp->pc, cycle, warp->wakes);
}

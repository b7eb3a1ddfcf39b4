#include "sm/issue/issue_core.h"

#include "sm/issue/issue_core_cycle.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct wm_issue_scheduler *scheduler_of(struct wm_issue_core *core, uint32_t slot)
{
    return &core->scheduler[core->warps[slot].scheduler];
}

static struct wm_issue_warp no_warp(const struct wm_issue_core *core, uint32_t slot, uint64_t cycle)
{
    return (struct wm_issue_warp){.wait = WM_WAIT_EMPTY,
                                  .scheduler = (uint8_t)(slot % core->schedulers),
                                  .local = (uint8_t)(slot / core->schedulers),
                                  .since = cycle};
}

static enum wm_status no_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "an SM's warps");
}

// Which bits of the wheel's entries are which scheduler's.
static void divide_wheel(struct wm_issue_core *core)
{
    while (UINT32_C(1) << core->wheel_shift < core->local_slots)
        core->wheel_shift++;
    uint32_t width = UINT32_C(1) << core->wheel_shift, of_word = 64 / width;
    core->wheel_mask = width - 1;
    core->wheel_words = (core->schedulers + of_word - 1) / of_word;
    for (uint32_t i = 0; i < core->schedulers; i++) {
        core->scheduler[i].wheel_word = (uint16_t)(i / of_word);
        core->scheduler[i].wheel_shift = (uint16_t)(i % of_word * width);
    }
}

enum wm_status wm_issue_core_init(struct wm_issue_core *core, const struct wm_sm_spec *spec,
                                  struct wm_error *error)
{
    *core = (struct wm_issue_core){.spec = spec,
                                   .order = spec->warp_scheduler,
                                   .in_turn = spec->warp_scheduler->in_turn,
                                   .schedulers = spec->schedulers,
                                   .slots = spec->max_warps,
                                   .local_slots =
                                       (spec->max_warps + spec->schedulers - 1) / spec->schedulers,
                                   .memory_takes = true};
    if (core->local_slots > WM_ISSUE_MAX_LOCAL) {
        wm_fail(error, WM_LIMIT,
                "a warp scheduler of the clock engine has at most %d warps, and the machine gives "
                "%" PRIu32 " warps to %" PRIu32 " schedulers",
                (int)WM_ISSUE_MAX_LOCAL, spec->max_warps, spec->schedulers);
        return wm_error_hint(error, "raise gpu.sm.schedulers");
    }
    size_t of_schedulers = core->schedulers * sizeof *core->scheduler;
    core->scheduler = aligned_alloc(64, of_schedulers);
    if (core->scheduler == NULL)
        return no_memory(error);
    memset(core->scheduler, 0, of_schedulers);
    divide_wheel(core);
    // No warp lies in two lines of the host's caches.
    size_t of_warps = (core->slots * sizeof *core->warps + 63) / 64 * 64;
    core->warps = aligned_alloc(64, of_warps);
    core->wheel = calloc((size_t)core->wheel_words * WM_ISSUE_WHEEL, sizeof *core->wheel);
    if (core->warps == NULL || core->wheel == NULL)
        return no_memory(error);
    memset(core->warps, 0, of_warps);
    if (spec->machine_code == WM_MACHINE_CODE_ESTIMATED) {
        core->waiting = calloc(core->slots, sizeof *core->waiting);
        if (core->waiting == NULL)
            return no_memory(error);
    }
    size_t bytes = core->order->state_bytes(core->local_slots);
    for (uint32_t i = 0; i < core->schedulers; i++) {
        core->scheduler[i].scheduler_state = calloc(1, bytes != 0 ? bytes : 1);
        if (core->scheduler[i].scheduler_state == NULL)
            return no_memory(error);
    }
    return WM_OK;
}

void wm_issue_core_release(struct wm_issue_core *core)
{
    for (uint32_t i = 0; core->scheduler != NULL && i < core->schedulers; i++)
        free(core->scheduler[i].scheduler_state);
    free(core->scheduler);
    free(core->warps);
    free(core->written);
    free(core->wheel);
    free(core->waiting);
    *core = (struct wm_issue_core){0};
}

static uint32_t row_of(const struct wm_issue_table *table)
{
    uint32_t registers = table->register_count + WM_ISSUE_SPARE;
    return (registers + WM_ISSUE_ROW - 1) / WM_ISSUE_ROW * WM_ISSUE_ROW;
}

enum wm_status wm_issue_core_extend(struct wm_issue_core *core, const struct wm_issue_table *table,
                                    struct wm_error *error)
{
    uint32_t row = row_of(table);
    size_t room = (size_t)core->slots * row;
    if (row > core->row) {
        uint32_t *wider = aligned_alloc(64, room * sizeof *wider);
        if (wider == NULL)
            return no_memory(error);
        memset(wider, 0, room * sizeof *wider);
        for (uint32_t slot = 0; slot < core->slots; slot++)
            memcpy(wider + (size_t)slot * row, core->written + (size_t)slot * core->row,
                   core->row * sizeof *wider);
        free(core->written);
        core->written = wider;
        core->written_room = room;
        core->row = row;
    }
    core->table = table;
    core->steps = table->steps;
    core->unit_count = table->unit_count;
    return WM_OK;
}

enum wm_status wm_issue_core_launch(struct wm_issue_core *core, const struct wm_issue_table *table,
                                    uint64_t cycle, struct wm_error *error)
{
    core->row = row_of(table);
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
        *scheduler = (struct wm_issue_scheduler){.scheduler_state = scheduler->scheduler_state,
                                                 .wheel_word = scheduler->wheel_word,
                                                 .wheel_shift = scheduler->wheel_shift};
        wm_warp_scheduler_reset(core->spec, 1, scheduler->scheduler_state, core->local_slots);
    }
    memset(core->wheel, 0, (size_t)core->wheel_words * WM_ISSUE_WHEEL * sizeof *core->wheel);
    for (uint32_t slot = 0; slot < core->slots; slot++)
        core->warps[slot] = no_warp(core, slot, 0);
    return WM_OK;
}

// --- The scoreboard ---

void wm_issue_core_count_from(struct wm_issue_core *core, uint64_t cycle)
{
    uint64_t passed = cycle - core->written_from;
    for (size_t i = 0; i < (size_t)core->slots * core->row; i++) {
        uint32_t *at = &core->written[i];
        if (*at != WM_ISSUE_UNKNOWN)
            *at = *at > passed ? (uint32_t)(*at - passed) : 0;
    }
    core->written_from = cycle;
}

uint32_t wm_issue_core_all_ready(const struct wm_issue_core *core, const uint32_t *written,
                                 uint32_t pc)
{
    const struct wm_issue_facts *facts = &core->table->facts[pc];
    const uint16_t *at = core->table->registers + facts->first_register;
    const uint16_t *end = at + facts->destinations + facts->sources;
    uint32_t ready = 0;
    for (; at != end; at++)
        ready = written[WM_ISSUE_SPARE + *at] > ready ? written[WM_ISSUE_SPARE + *at] : ready;
    return ready;
}

void wm_issue_core_write_all(const struct wm_issue_core *core, uint32_t *written, uint32_t pc,
                             uint32_t when)
{
    const struct wm_issue_facts *facts = &core->table->facts[pc];
    const uint16_t *at = core->table->registers + facts->first_register;
    const uint16_t *end = at + facts->destinations;
    for (; at != end; at++)
        written[WM_ISSUE_SPARE + *at] = when;
}

// --- How warps wait ---

static inline void change_wait(struct wm_issue_core *core, struct wm_issue_warp *warp,
                               enum wm_warp_wait wait, uint64_t cycle)
{
    if (warp->wait == WM_WAIT_RESULT && warp->wakes <= core->cycle) { // it has been ready since
        uint64_t woke = warp->wakes > warp->since ? warp->wakes : warp->since;
        core->counters.waited_result += woke - warp->since;
        warp->since = woke;
        warp->wait = WM_WAIT_READY;
    }
    uint64_t until = cycle > warp->since ? cycle : warp->since;
    if (warp->wait != WM_WAIT_EMPTY)
        (&core->counters.waited_ready)[warp->wait] += until - warp->since;
    warp->since = until;
    warp->wait = (uint8_t)wait;
}

void wm_issue_core_count_waits(struct wm_issue_core *core, uint64_t cycle)
{
    for (uint32_t slot = 0; slot < core->slots; slot++)
        change_wait(core, &core->warps[slot], (enum wm_warp_wait)core->warps[slot].wait, cycle);
}

static void count_parked(struct wm_issue_core *core)
{
    core->parked_cycles += core->parked * (core->cycle - core->parked_since);
    core->parked_since = core->cycle;
}

static void park(struct wm_issue_core *core, struct wm_issue_warp *warp)
{
    count_parked(core);
    core->scheduler[warp->scheduler].parked |= wm_issue_bit_of(warp);
    core->parked++;
}

static inline void make_ready(struct wm_issue_core *core, struct wm_issue_warp *warp,
                              uint64_t cycle)
{
    struct wm_issue_scheduler *scheduler = &core->scheduler[warp->scheduler];
    change_wait(core, warp, WM_WAIT_READY, cycle);
    if (__builtin_expect((scheduler->held & wm_issue_bit_of(warp)) != 0, false) && warp->loads) {
        park(core, warp);
        return;
    }
    scheduler->ready |= wm_issue_bit_of(warp);
    core->ready_schedulers |= UINT64_C(1) << warp->scheduler;
}

// What the warp waits for before the instruction at `pc`, its next; `earliest` as
// wm_issue_core_set_next's.
static inline void evaluate(struct wm_issue_core *core, uint32_t slot, uint32_t pc, uint64_t cycle,
                            uint64_t earliest)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    const struct wm_issue_step *step = wm_issue_step_at(core, pc);
    uint32_t ready = wm_issue_ready_from(core, slot, pc, step);
    if (ready == WM_ISSUE_UNKNOWN) {
        change_wait(core, warp, WM_WAIT_MEMORY, cycle);
        warp->wakes = earliest;
        wm_issue_notify_scheduler(core, warp, WM_WARP_STOP_MISS);
        return;
    }
    uint64_t there = core->written_from + ready, wakes = there > earliest ? there : earliest;
    if (wakes <= cycle) {
        make_ready(core, warp, cycle);
        warp->wakes = wakes;
        return;
    }
    change_wait(core, warp, WM_WAIT_RESULT, cycle);
    warp->wakes = wakes;
    wm_issue_put_on_wheel(core, &core->scheduler[warp->scheduler], wm_issue_bit_of(warp), wakes,
                          cycle);
}

// --- Who is older ---

static void take_youngest_rank(struct wm_issue_core *core, uint32_t slot)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    warp->rank = (uint8_t)scheduler_of(core, slot)->unfinished++;
}

static void retire_rank(struct wm_issue_core *core, uint32_t slot)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    scheduler_of(core, slot)->unfinished--;
    for (uint32_t other = slot % core->schedulers; other < core->slots; other += core->schedulers)
        if (core->warps[other].rank > warp->rank)
            core->warps[other].rank--;
}

// --- Coming and going ---

void wm_issue_core_join(struct wm_issue_core *core, uint32_t slot, uint64_t cycle)
{
    memset(wm_issue_row_of(core, slot), 0, core->row * sizeof *core->written);
    core->warps[slot] = no_warp(core, slot, cycle);
    if (core->waiting != NULL)
        wm_issue_wait_for_nothing(&core->waiting[slot]);
    take_youngest_rank(core, slot);
    core->order->join(scheduler_of(core, slot)->scheduler_state, core->warps[slot].local);
}

void wm_issue_core_set_next(struct wm_issue_core *core, uint32_t slot, uint32_t pc, uint64_t cycle)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    wm_issue_enter_unit(&core->scheduler[warp->scheduler], warp, pc, wm_issue_step_at(core, pc));
    evaluate(core, slot, pc, core->cycle, cycle);
}

void wm_issue_core_wait_at_barrier(struct wm_issue_core *core, uint32_t slot, uint64_t cycle)
{
    change_wait(core, &core->warps[slot], WM_WAIT_BARRIER, cycle);
    wm_issue_notify_scheduler(core, &core->warps[slot], WM_WARP_STOP_WAITS);
}

void wm_issue_core_finish(struct wm_issue_core *core, uint32_t slot, uint64_t cycle)
{
    change_wait(core, &core->warps[slot], WM_WAIT_EMPTY, cycle);
    retire_rank(core, slot);
    wm_issue_notify_scheduler(core, &core->warps[slot], WM_WARP_STOP_FINISHED);
}

void wm_issue_core_leave(struct wm_issue_core *core, uint32_t slot)
{
    struct wm_issue_scheduler *scheduler = scheduler_of(core, slot);
    struct wm_issue_warp *warp = &core->warps[slot];
    scheduler->warps[warp->unit] &= ~wm_issue_bit_of(warp);
    core->order->leave(scheduler->scheduler_state, warp->local);
    warp->wait = WM_WAIT_EMPTY;
}

// --- Issuing ---

bool wm_issue_core_may_wake(struct wm_issue_core *core, uint32_t index, uint64_t bit)
{
    struct wm_issue_scheduler *scheduler = &core->scheduler[index];
    uint32_t local = (uint32_t)__builtin_ctzll(bit);
    struct wm_issue_warp *warp = &core->warps[local * core->schedulers + index];
    bool parks = (scheduler->held & bit) != 0 && warp->loads;
    scheduler->far &= ~bit;
    if (warp->wakes > core->cycle)
        wm_issue_put_on_wheel(core, scheduler, bit, warp->wakes, core->cycle);
    else if (parks)
        park(core, warp);
    return warp->wakes <= core->cycle && !parks;
}

int32_t wm_issue_core_choose_by_policy(struct wm_issue_core *core, uint32_t index, uint64_t allowed)
{
    struct wm_issue_scheduler *scheduler = &core->scheduler[index];
    if (core->order->offer != NULL)
        core->order->offer(scheduler->scheduler_state, &scheduler->ready);
    int32_t local = core->order->pick(scheduler->scheduler_state, &allowed, core->local_slots);
    return local == WM_NO_WARP ? WM_NO_WARP : (int32_t)((uint32_t)local * core->schedulers + index);
}

// A ready warp is so no longer.
static inline void leave_ready(struct wm_issue_core *core, const struct wm_issue_warp *warp)
{
    struct wm_issue_scheduler *scheduler = &core->scheduler[warp->scheduler];
    scheduler->ready &= ~wm_issue_bit_of(warp);
    core->ready_schedulers &= ~((uint64_t)(scheduler->ready == 0) << warp->scheduler);
}

void wm_issue_core_hold_loads(struct wm_issue_core *core, uint32_t slot, bool held, uint64_t cycle)
{
    if (cycle > core->cycle)
        wm_issue_core_wake(core, cycle);
    struct wm_issue_warp *warp = &core->warps[slot];
    struct wm_issue_scheduler *scheduler = &core->scheduler[warp->scheduler];
    uint64_t bit = wm_issue_bit_of(warp);
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

void wm_issue_core_issue(struct wm_issue_core *core, uint32_t slot, uint64_t cycle, bool pending)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    wm_issue_take_unit(core, slot, warp, cycle, pending);
    warp->since = cycle + 1; // in this cycle it issued
    warp->wait = WM_WAIT_RESULT;
    warp->wakes = WM_NEVER; // which is not known yet
    wm_issue_notify_scheduler(core, warp, WM_WARP_STOP_ISSUED);
}

void wm_issue_core_write_back(struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                              uint64_t cycle, bool writes)
{
    if (cycle > core->cycle)
        wm_issue_core_wake(core, cycle);
    struct wm_issue_warp *warp = &core->warps[slot];
    if (core->waiting != NULL)
        wm_issue_end_access_ahead(core, slot, pc, cycle, writes);
    else if (writes)
        wm_issue_write_registers(core, wm_issue_row_of(core, slot), pc, wm_issue_step_at(core, pc),
                                 (uint32_t)(cycle - core->written_from));
    warp->accesses--;
    if (warp->wait == WM_WAIT_MEMORY)
        evaluate(core, slot, warp->pc, cycle, warp->wakes);
}

// --- Estimated machine code ---

void wm_issue_core_leave_wheel(struct wm_issue_core *core, uint32_t slot)
{
    const struct wm_issue_warp *warp = &core->warps[slot];
    struct wm_issue_scheduler *scheduler = &core->scheduler[warp->scheduler];
    uint64_t bit = wm_issue_bit_of(warp), issued = warp->since - 1;
    uint64_t last = issued + WM_ISSUE_WHEEL - 1, wakes = warp->wakes < last ? warp->wakes : last;
    uint32_t entry = (uint32_t)(wakes % WM_ISSUE_WHEEL);
    core->wheel[entry * core->wheel_words + scheduler->wheel_word] &=
        ~(bit << scheduler->wheel_shift);
    scheduler->far &= ~bit;
}

void wm_issue_core_pass(struct wm_issue_core *core, uint32_t slot, uint32_t pc, uint64_t earliest)
{
    struct wm_issue_warp *warp = &core->warps[slot];
    struct wm_issue_scheduler *scheduler = &core->scheduler[warp->scheduler];
    const struct wm_issue_step *passed = wm_issue_step_at(core, warp->pc);
    const struct wm_issue_step *step = wm_issue_step_at(core, pc);
    uint32_t *row = wm_issue_row_of(core, slot);
    uint32_t there = wm_issue_result_ahead(core, slot, warp->pc, warp->since - 1, false);
    wm_issue_core_leave_wheel(core, slot);
    wm_issue_write_registers(core, row, warp->pc, passed, there);
    uint32_t ready = wm_issue_ready_from(core, slot, pc, step);
    wm_issue_enter_unit(scheduler, warp, pc, step);
    warp->wakes = earliest;
    if (ready == WM_ISSUE_UNKNOWN) {
        warp->wait = WM_WAIT_MEMORY;
        wm_issue_notify_scheduler(core, warp, WM_WARP_STOP_MISS);
        return;
    }
    if (core->written_from + ready > earliest)
        warp->wakes = core->written_from + ready;
    wm_issue_put_on_wheel(core, scheduler, wm_issue_bit_of(warp), warp->wakes, warp->since - 1);
}

void wm_issue_core_occupy(struct wm_issue_core *core, uint32_t scheduler, uint64_t cycle)
{
    struct wm_issue_scheduler *occupied = &core->scheduler[scheduler];
    for (uint32_t unit = 0; unit < core->unit_count; unit++)
        if (occupied->free[unit] < cycle)
            occupied->free[unit] = cycle;
    if (occupied->all_free < cycle)
        occupied->all_free = cycle;
}

// Live cores in time (docs/decisions/0024-live-threads-in-time.md). A thread executes a short
// stretch, which its core then makes in time; when a core has next to nothing left, time stops
// until its thread has had a turn, if that can run.
#include "engine/session/live_cores_state.h"

#include "base/containers/array.h"
#include "base/containers/ring.h"
#include "base/numbers/clock_domain.h"
#include "engine/clock/clock.h"
#include "engine/session/session_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    // A core with more than this to execute goes on before it gets more, as in a long copy.
    MOST_QUEUED = 1 << 16,
    // A call that gives the processor away and finds nothing else to do takes about as long.
    PAUSE_NANOSECONDS = 100,
    TURN_AT_ONCE = 1000, // accesses of a turn where no time passes
};
#define NANOSECONDS UINT64_C(1000000000)

enum wm_status wm_live_queues_init(struct wm_live_cores *cores, struct wm_error *error)
{
    wm_clock_shorten_windows(cores->session->clock);
    cores->lead = wm_clock_core_lead(cores->session->clock);
    WM_TRY(WM_ARRAY_NEW(cores->queues, cores->count, error, "CPU cores"));
    for (uint32_t i = 0; i < cores->count; i++) {
        struct wm_live_queue *queue = &cores->queues[i];
        queue->items = wm_ring_new(sizeof *queue->items);
        queue->mask = WM_RING_FIRST_MASK;
        if (queue->items == NULL)
            return wm_fail_no_memory(error, "CPU cores");
    }
    return WM_OK;
}

void wm_live_queues_release(struct wm_live_cores *cores)
{
    for (uint32_t i = 0; cores->queues != NULL && i < cores->count; i++)
        free(cores->queues[i].items);
    free(cores->queues);
    cores->queues = NULL;
}

// --- What cores execute ---

static uint32_t length(const struct wm_live_queue *queue)
{
    return queue->end - queue->first;
}

static bool can_run(const struct wm_live_cores *cores, uint32_t core)
{
    return (cores->ready[core / 64] >> core % 64 & 1) != 0;
}

bool wm_live_queue_is_empty(const struct wm_live_cores *cores, uint32_t core)
{
    return length(&cores->queues[core]) == 0;
}

// Time stops, so that the command may begin.
static void issue(const struct wm_live_cores *cores, struct wm_host_access *made)
{
    cores->commands.issue(cores->commands.context, made->address);
    wm_clock_stop(cores->session->clock);
    made->kind = WM_HOST_PLAIN;
}

uint64_t wm_live_queue_take(struct wm_live_cores *cores, uint32_t core, uint64_t budget,
                            struct wm_host_access *next)
{
    struct wm_live_queue *queue = &cores->queues[core];
    *next = (struct wm_host_access){.kind = WM_HOST_PLAIN};
    if (length(queue) == 0)
        return 0;
    struct wm_host_access *first = &queue->items[queue->first & queue->mask];
    uint64_t made = first->instructions < budget ? first->instructions : budget;
    bool accesses = first->kind < WM_HOST_FENCE; // which is an instruction
    first->instructions -= (uint32_t)made;
    if (first->instructions != 0 || (accesses && made == budget))
        return made;
    *next = *first;
    queue->first++;
    if (next->kind == WM_HOST_ISSUES)
        issue(cores, next);
    if (length(queue) <= cores->lead && can_run(cores, core) && !queue->looks)
        wm_clock_stop(cores->session->clock);
    return made + accesses;
}

static bool add(struct wm_live_queue *queue, const struct wm_host_access *access)
{
    if (length(queue) > queue->mask) {
        struct wm_host_access *grown =
            wm_ring_grow(queue->items, sizeof *grown, &queue->mask, queue->first, queue->end);
        if (grown == NULL)
            return false;
        queue->items = grown;
    }
    queue->items[queue->end++ & queue->mask] = *access;
    return true;
}

// --- Outside a profiler's ranges ---

// What is not counted, while no kernel runs, takes no time: caches have what the walk would leave
// in them. A thread that does nothing but look again may wait for time.
static bool executes_at_once(const struct wm_live_cores *cores)
{
    const struct wm_session *session = cores->session;
    return session->options.profiled && !session->in_range && !wm_session_has_launches(session);
}

static void execute(const struct wm_live_cores *cores, const struct wm_host_access *access)
{
    if (access->kind == WM_HOST_ISSUES)
        cores->commands.issue(cores->commands.context, access->address);
    else if (access->kind < WM_HOST_FENCE)
        wm_clock_core_access(cores->session->clock, access->thread,
                             (enum wm_access_kind)access->kind, access->address, access->bytes);
}

// The next by number behind the one before.
static uint32_t choose_at_once(struct wm_live_cores *cores)
{
    for (uint32_t i = 1; i <= cores->count; i++) {
        uint32_t core = (cores->last + i) % cores->count;
        if (can_run(cores, core) && !cores->queues[core].looks)
            return cores->last = core;
    }
    return WM_HOST_ANY_THREAD;
}

// --- Time ---

static uint64_t nanoseconds_at(const struct wm_clock *clock, uint64_t cycle)
{
    return (uint64_t)((unsigned __int128)cycle * NANOSECONDS / wm_clock_hz(clock));
}

// The first cycle that is no earlier; WM_NEVER for a time that never comes.
static uint64_t cycle_of(const struct wm_clock *clock, uint64_t nanoseconds)
{
    unsigned __int128 product = (unsigned __int128)nanoseconds * wm_clock_hz(clock);
    unsigned __int128 cycle = (product + NANOSECONDS - 1) / NANOSECONDS;
    return cycle < WM_NEVER ? (uint64_t)cycle : WM_NEVER;
}

// One step of all launches under way. The cores' fails at a limit alone, or without memory; where a
// kernel has failed, all others end with it, and what the cores were making is dropped.
static enum wm_status step(struct wm_live_cores *cores, struct wm_error *error)
{
    (void)wm_session_step(cores->session);
    if (wm_concurrent_launch_has_ended(cores->running) || wm_session_has_stopped(cores->session))
        return wm_live_cores_end(cores, error);
    return WM_OK;
}

static enum wm_status drain(struct wm_live_cores *cores, const struct wm_live_queue *queue,
                            struct wm_error *error)
{
    while (length(queue) > MOST_QUEUED / 2 && !wm_session_has_stopped(cores->session)) {
        WM_TRY(wm_live_cores_begin(cores, error));
        WM_TRY(step(cores, error));
    }
    return WM_OK;
}

enum wm_status wm_live_queues_add(struct wm_live_cores *cores,
                                  const struct wm_host_access *accesses, size_t count,
                                  struct wm_error *error)
{
    for (size_t i = 0; i < count; i++) {
        assert(accesses[i].thread < cores->count);
        struct wm_live_queue *queue = &cores->queues[accesses[i].thread];
        bool was_empty = length(queue) == 0;
        if (was_empty && executes_at_once(cores)) {
            execute(cores, &accesses[i]);
            continue;
        }
        if (!add(queue, &accesses[i]))
            return wm_fail_no_memory(error, "what CPU cores execute");
        if (was_empty && cores->running != NULL)
            wm_clock_wake_core(cores->session->clock, accesses[i].thread);
        if (length(queue) > MOST_QUEUED)
            WM_TRY(drain(cores, queue, error));
    }
    return WM_OK;
}

// The core of a thread that can run has next to nothing left; or all data, if the thread looks.
static bool is_dry(const struct wm_live_cores *cores, uint32_t core)
{
    const struct wm_live_queue *queue = &cores->queues[core];
    if (queue->looks &&
        (length(queue) != 0 || !wm_clock_core_is_at_rest(cores->session->clock, core, true)))
        return false;
    return length(queue) <= cores->lead;
}

// Of the threads that can run and whose cores have next to nothing left the one whose core has
// least, which is through with it first.
static uint32_t choose(const struct wm_live_cores *cores, uint64_t now)
{
    uint32_t chosen = WM_HOST_ANY_THREAD;
    for (uint32_t i = 0; i < cores->count; i++) {
        const struct wm_live_queue *queue = &cores->queues[i];
        if (!can_run(cores, i) || !is_dry(cores, i) || queue->pauses_until > now)
            continue;
        if (chosen == WM_HOST_ANY_THREAD || length(queue) < length(&cores->queues[chosen]))
            chosen = i;
    }
    return chosen;
}

static uint64_t next_end_of_a_pause(const struct wm_live_cores *cores, uint64_t now)
{
    uint64_t next = WM_NEVER;
    for (uint32_t i = 0; i < cores->count; i++)
        if (can_run(cores, i) && cores->queues[i].pauses_until > now)
            next = wm_earlier(next, cores->queues[i].pauses_until);
    return next;
}

static enum wm_status step_until(struct wm_live_cores *cores, uint64_t cycle,
                                 struct wm_error *error)
{
    wm_clock_stop_at(cores->session->clock, cycle);
    enum wm_status status = step(cores, error);
    wm_clock_stop_at(cores->session->clock, WM_NEVER);
    return status;
}

static enum wm_host_device_state state_behind(struct wm_session *session, bool threads_wait,
                                              bool has_gone_on)
{
    if (!threads_wait)
        wm_session_kernels_go_on(session);
    if (!has_gone_on)
        return WM_HOST_DEVICE_IDLE;
    return threads_wait && wm_session_kernels_wait(session) ? WM_HOST_DEVICE_WAITS
                                                            : WM_HOST_DEVICE_RAN;
}

static void note_looking(struct wm_live_cores *cores, struct wm_host_device_turn *turn,
                         uint64_t now)
{
    if (turn->looks == WM_HOST_ANY_THREAD)
        return;
    struct wm_live_queue *queue = &cores->queues[turn->looks];
    queue->looks = true;
    if (turn->pauses)
        queue->pauses_until = now + cycle_of(cores->session->clock, PAUSE_NANOSECONDS);
    turn->looks = WM_HOST_ANY_THREAD;
}

// Time goes on by a step, but not beyond the deadline.
static enum wm_status let_time_pass(struct wm_live_cores *cores, struct wm_host_device_turn *turn,
                                    enum wm_host_device_state *state, struct wm_error *error)
{
    struct wm_clock *clock = cores->session->clock;
    uint64_t now = wm_clock_now(clock);
    uint64_t until = wm_earlier(next_end_of_a_pause(cores, now), cycle_of(clock, turn->deadline));
    enum wm_status status = step_until(cores, until, error);
    bool has_gone_on = wm_clock_now(clock) != now || cores->running == NULL;
    *state = state_behind(cores->session, turn->threads_wait, has_gone_on);
    turn->now = nanoseconds_at(clock, wm_clock_now(clock));
    return status;
}

static enum wm_status choose_or_go_on(struct wm_live_cores *cores, struct wm_host_device_turn *turn,
                                      enum wm_host_device_state *state, struct wm_error *error)
{
    struct wm_clock *clock = cores->session->clock;
    turn->next = executes_at_once(cores) ? choose_at_once(cores) : WM_HOST_ANY_THREAD;
    turn->accesses = turn->next != WM_HOST_ANY_THREAD ? TURN_AT_ONCE : WM_LIVE_TURN;
    if (turn->next != WM_HOST_ANY_THREAD)
        return wm_run_limit_check(&cores->session->limit, true, error);
    WM_TRY(wm_live_cores_begin(cores, error));
    turn->next = choose(cores, wm_clock_now(clock));
    if (turn->next == WM_HOST_ANY_THREAD)
        return turn->now < turn->deadline ? let_time_pass(cores, turn, state, error) : WM_OK;
    if (cores->queues[turn->next].looks) {
        cores->queues[turn->next].looks = false;
        (void)wm_clock_core_is_at_rest(clock, turn->next, false);
    }
    return WM_OK;
}

enum wm_status wm_live_cores_advance(struct wm_live_cores *cores, struct wm_host_device_turn *turn,
                                     enum wm_host_device_state *state, struct wm_error *error)
{
    const struct wm_clock *clock = cores->session->clock;
    uint64_t now = wm_clock_now(clock);
    *state = WM_HOST_DEVICE_RAN;
    memcpy(cores->ready, turn->ready, sizeof cores->ready);
    note_looking(cores, turn, now);
    turn->now = nanoseconds_at(clock, now);
    enum wm_status status = choose_or_go_on(cores, turn, state, error);
    memset(cores->ready, 0, sizeof cores->ready);
    return status;
}

enum wm_status wm_live_queues_finish(struct wm_live_cores *cores, struct wm_error *error)
{
    enum wm_status status = WM_OK;
    if (cores->running == NULL)
        return WM_OK;
    cores->ends = true;
    for (uint32_t i = 0; i < cores->count; i++)
        wm_clock_wake_core(cores->session->clock, i);
    while (status == WM_OK && cores->running != NULL)
        status = step(cores, error);
    cores->ends = false;
    return status;
}

#include "host_trace/turns.h"

#include "host_trace/live.h"
#include "host_trace/one_processor.h"
#include "host_trace/polls.h"
#include "host_trace/real_calls.h"
#include "host_trace/recorder.h"
#include "host_trace/thread_state.h"

#include <errno.h>
#include <execinfo.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    DEVICE_TURNS = 64, // of the device while a thread sleeps and no other can run
    // After so many turns in a row of threads in loops, kernels that wait are in a deadlock with
    // them.
    MOST_IDLE_TURNS = 20000,
    // Not before this has passed on the host where threads read its clocks meanwhile: how often
    // they look until a time comes depends on the host.
    CLOCK_SECONDS = 60,
    // Fewer where threads come back to the state that they were in (polls.h); kernels are to have
    // waited behind so many of their looks.
    LOOKS_IN_VAIN = 8,
};

#define NANOSECONDS UINT64_C(1000000000)

uint32_t wm_host_turn_accesses = WM_HOST_TURN_ACCESSES;

static struct {
    uint32_t left;               // accesses of the turn behind the recorder's limit
    uint32_t recorded;           // thread of the accesses that the buffer ends in
    uint32_t idle;               // turns one after the other that ended in waiting by a loop,
    uint32_t looks;              // or by a poll; these are a streak,
    uint64_t streak;             // of this number,
    uint64_t clock_streak;       // the one in which a thread has read a clock last,
    uint64_t clock_read;         // and when it first did in it, on the host;
    uint32_t in_vain;            // and behind so many the device's kernels waited,
    uint32_t in_vain_last;       // at last behind this one
    uint32_t begun;              // where the recorder's words of the turn begin
    uint64_t now, waits;         // nanoseconds; how many there were
    int dying;                   // system's number of a thread that has given its last turn on
    struct wm_host_slot *finder; // of a deadlock: each thread notes its calls for it
    bool busy;
    bool of_device;       // which has its turn: what calls then is a host function of a stream
    bool is_look, pauses; // the thread that gives its turn away (base/run/host_threads.h)
    // Where accesses are not recorded.
    uint64_t last;
    uint32_t repeats, passed;
} turns = {.streak = 1};

// A thread has done something else than to look again, or what it may wait for has come.
static void end_streak(void)
{
    turns.looks = turns.in_vain = turns.in_vain_last = 0;
    turns.streak++;
}

// --- The beginning and end of a turn ---

static void begin_turn(struct wm_host_slot *self)
{
    struct wm_host_recorder *recorder = &wm_host_recorder;
    uint32_t number = wm_host_number(self);
    if (WM_HOST_RECORDER_WORDS - recorder->count < WM_HOST_LEAST_TURN + 1)
        wm_host_recorder_send();
    if (turns.recorded != number) {
        wm_host_put(wm_host_thread_word(number), NULL);
        turns.recorded = number;
    }
    uint32_t room = WM_HOST_RECORDER_WORDS - recorder->count;
    uint32_t here = room < wm_host_turn_accesses ? room : wm_host_turn_accesses;
    recorder->limit = recorder->count + here;
    turns.left = wm_host_turn_accesses - here;
    turns.passed = 0;
    turns.begun = recorder->count;
    recorder->last = turns.last = 0;
}

// A thread that has the streams of the C library locked keeps the turn.
static bool gives_turn(void)
{
    const struct wm_host_slot *self = wm_host_self();
    return wm_host_recorder.several && !turns.busy && !turns.of_device && self != NULL &&
           self->streams_held == 0;
}

// More of the turn, behind what is buffered.
static void extend(uint32_t words)
{
    struct wm_host_recorder *recorder = &wm_host_recorder;
    if (recorder->count + words > WM_HOST_RECORDER_WORDS)
        wm_host_recorder_send();
    uint32_t room = WM_HOST_RECORDER_WORDS - recorder->count;
    uint32_t here = room < turns.left ? room : turns.left;
    recorder->limit = recorder->count + here;
    turns.left -= here;
}

void wm_host_turn_point(uint64_t word, uint32_t words)
{
    struct wm_host_recorder *recorder = &wm_host_recorder;
    int reason = errno;
    if (word == recorder->last && gives_turn() && wm_host_repeats_load(word))
        wm_host_yield(true);
    if (recorder->count + words > recorder->limit && turns.left >= words)
        extend(words);
    if (recorder->count + words > recorder->limit) {
        if (gives_turn()) {
            wm_host_yield(wm_host_is_in_loop());
        } else {
            turns.left = wm_host_turn_accesses;
            extend(words);
        }
    }
    errno = reason;
}

void wm_host_turn_overdrawn(void)
{
    struct wm_host_recorder *recorder = &wm_host_recorder;
    if (recorder->count > recorder->limit)
        recorder->limit = recorder->count;
}

// It takes no part of the turn.
void wm_host_turn_mark(uint64_t word)
{
    struct wm_host_recorder *recorder = &wm_host_recorder;
    uint32_t left = recorder->limit - recorder->count;
    if (recorder->count == WM_HOST_RECORDER_WORDS)
        wm_host_recorder_send();
    wm_host_put(word, NULL);
    uint32_t room = WM_HOST_RECORDER_WORDS - recorder->count;
    uint32_t here = left < room ? left : room;
    recorder->limit = recorder->count + here;
    turns.left += left - here;
}

void wm_host_unrecorded(uint64_t word)
{
    if (!gives_turn())
        return;
    int reason = errno;
    bool repeated = word == turns.last && !wm_host_word_is_store(word);
    turns.repeats = repeated ? turns.repeats + 1 : 0;
    turns.last = word;
    if (turns.repeats >= WM_HOST_SPIN_LOADS || ++turns.passed >= wm_host_turn_accesses) {
        bool idle = turns.repeats >= WM_HOST_SPIN_LOADS;
        turns.repeats = 0;
        wm_host_yield(idle);
    }
    errno = reason;
}

// --- From one thread to another ---

static void give_to(struct wm_host_slot *next)
{
    __atomic_store_n(&next->go, 1, __ATOMIC_RELEASE);
    real_syscall(SYS_futex, (long)&next->go, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void await_go(struct wm_host_slot *self)
{
    while (__atomic_load_n(&self->go, __ATOMIC_ACQUIRE) == 0)
        real_syscall(SYS_futex, (long)&self->go, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    self->go = 0;
}

// What a thread leaves behind, its stack and its part of the heap, is there for the next thread
// only when the system has ended it: from then on the rest does not depend on when that was.
static void await_death(void)
{
    while (turns.dying != 0 && real_syscall(SYS_tgkill, getpid(), turns.dying, 0, 0, 0, 0) == 0)
        real_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    turns.dying = 0;
}

static void await_turn(struct wm_host_slot *self)
{
    await_go(self);
    while (turns.finder != NULL) { // there will be no other turn
        self->frames = backtrace(self->called_from, WM_HOST_CALL_FRAMES);
        give_to(turns.finder);
        await_go(self);
    }
    await_death();
}

static void note_calls(struct wm_host_slot *self, struct wm_host_slot *slot)
{
    turns.finder = self;
    if (slot == self) {
        slot->frames = backtrace(slot->called_from, WM_HOST_CALL_FRAMES);
        return;
    }
    give_to(slot);
    await_go(self);
}

// Time passes until the next that waits for it has waited enough.
static bool run_out(void)
{
    struct wm_host_slot *slot = wm_host_slot_first_timed();
    if (slot == NULL)
        return false;
    if (slot->deadline > turns.now)
        turns.now = slot->deadline;
    slot->timed_out = true;
    slot->state = WM_HOST_READY;
    turns.idle = 0;
    return true;
}

static void wake_for_device(void)
{
    end_streak();
    wm_host_slots_wake(WM_HOST_WAIT_DEVICE);
}

static enum wm_host_device_state device_turn(bool threads_wait, struct wm_host_device_turn *turn)
{
    wm_host_one_processor_review();
    turns.of_device = true;
    turn->threads_wait = threads_wait;
    enum wm_host_device_state state = wm_host_live_turn(turn);
    turns.of_device = false;
    return state;
}

// For a recording of threads beside kernels.
static void mark_turn_end(void)
{
    if (wm_host_recorder.traces)
        wm_host_turn_mark(WM_HOST_MARK_TURN_END);
}

// Whether threads that sleep do nothing but look in between.
static bool is_polled(void)
{
    return turns.looks > 2 * wm_host_slots_used();
}

static bool all_that_sleep(bool (*holds)(const struct wm_host_poll *poll, uint64_t streak,
                                         uint64_t now))
{
    for (uint32_t i = 0; i < wm_host_slots_used(); i++) {
        const struct wm_host_slot *slot = &wm_host_slots[i];
        if (slot->state == WM_HOST_WAITING && slot->deadline != WM_HOST_NO_TIME &&
            !holds(&slot->poll, turns.streak, turns.now))
            return false;
    }
    return true;
}

void wm_host_reads_clock(void)
{
    wm_host_poll_unknown(&wm_host_self()->poll);
    if (turns.clock_streak == turns.streak)
        return;
    turns.clock_streak = turns.streak;
    turns.clock_read = real_nanoseconds();
}

static bool may_wait_for_clock(void)
{
    return turns.clock_streak == turns.streak &&
           real_nanoseconds() - turns.clock_read < CLOCK_SECONDS * NANOSECONDS;
}

// While the device's kernels wait: whether all that wait for time have done nothing but look, and
// will not do anything else.
static bool is_stuck(uint32_t ready)
{
    if (turns.in_vain_last != turns.looks)
        turns.in_vain++;
    turns.in_vain_last = turns.looks;
    if (turns.looks > MOST_IDLE_TURNS)
        return all_that_sleep(wm_host_poll_looks) && !may_wait_for_clock();
    if (ready != 0)
        return false;
    return wm_host_slot_first_timed() == NULL ||
           (turns.in_vain >= LOOKS_IN_VAIN && all_that_sleep(wm_host_poll_repeats));
}

// The device has its turn behind each thread's, and goes on while no thread can run: until
// something has completed there, or it is known to wait for a thread. Threads that sleep do not
// sleep through more than some of its turns.
static void give_device_turn(struct wm_host_slot *self)
{
    uint32_t ready, turns_had = 0;
    bool waits = wm_host_slot_ready(self, &ready) == NULL,
         timed = wm_host_slot_first_timed() != NULL, goes_on;
    enum wm_host_device_state state;
    struct wm_host_device_turn turn = {.looks = WM_HOST_ANY_THREAD};
    if (!wm_host_is_live())
        return;
    mark_turn_end();
    do {
        state = device_turn(waits || turns.idle > 2 * ready || is_polled(), &turn);
        if (state == WM_HOST_DEVICE_COMPLETED) {
            wake_for_device();
            waits =
                waits && wm_host_slot_ready(self, &ready) == NULL; // else no thread waited for that
        }
        goes_on = state == WM_HOST_DEVICE_RAN || state == WM_HOST_DEVICE_COMPLETED;
    } while (waits && goes_on && !(timed && ++turns_had == DEVICE_TURNS));
    if (state == WM_HOST_DEVICE_WAITS && is_stuck(ready))
        wm_host_deadlock(self, note_calls);
}

// --- The same where the device keeps time, and says whose turn it is ---

static void note_ready(struct wm_host_device_turn *turn)
{
    for (uint32_t i = 0; i < wm_host_slots_used(); i++)
        if (wm_host_slots[i].state == WM_HOST_READY) {
            turn->ready[i / 64] |= UINT64_C(1) << i % 64;
            turn->ready_count++;
        }
}

static enum wm_host_device_state device_turn_in_time(struct wm_host_device_turn *turn)
{
    const struct wm_host_slot *timed = wm_host_slot_first_timed();
    note_ready(turn);
    bool waits = turns.idle > 2 * turn->ready_count || turn->ready_count == 0 || is_polled();
    turn->deadline = timed != NULL ? timed->deadline : WM_HOST_NO_DEADLINE;
    enum wm_host_device_state state = device_turn(waits, turn);
    turns.now = turn->now > turns.now ? turn->now : turns.now;
    if (state == WM_HOST_DEVICE_COMPLETED)
        wake_for_device();
    return state;
}

// A thread that can run and has executed nothing in its turn pauses, too: else time would stand.
static struct wm_host_slot *find_next_in_time(struct wm_host_slot *self)
{
    bool pauses = turns.pauses || !wm_host_live_has_executed();
    bool looks = self->state == WM_HOST_READY && (turns.is_look || pauses);
    for (;; looks = false) {
        struct wm_host_device_turn turn = {
            .looks = looks ? wm_host_number(self) : WM_HOST_ANY_THREAD, .pauses = pauses};
        enum wm_host_device_state state = device_turn_in_time(&turn);
        bool wakes = false;
        for (const struct wm_host_slot *at; (at = wm_host_slot_first_timed()) != NULL;
             wakes = true) {
            if (at->deadline > turns.now)
                break;
            (void)run_out();
        }
        wm_host_turn_accesses = turn.accesses;
        if (turn.next != WM_HOST_ANY_THREAD)
            return &wm_host_slots[turn.next];
        bool sleeps = turn.deadline != WM_HOST_NO_DEADLINE;
        if (state == WM_HOST_DEVICE_WAITS ? !wakes && is_stuck(turn.ready_count)
                                          : !sleeps && state == WM_HOST_DEVICE_IDLE)
            wm_host_deadlock(self, note_calls);
    }
}

static struct wm_host_slot *find_next(struct wm_host_slot *self)
{
    uint32_t ready;
    if (wm_host_is_timed())
        return find_next_in_time(self);
    give_device_turn(self);
    struct wm_host_slot *next = wm_host_slot_ready(self, &ready);
    if ((next == NULL || turns.idle > 2 * ready) && run_out())
        next = wm_host_slot_ready(self, &ready);
    if (next == NULL)
        wm_host_deadlock(self, note_calls);
    return next;
}

// A handler of a signal that comes while the turn is given on would come in between.
static void begin_call(void)
{
    if (turns.busy)
        wm_host_recorder_refuse("a signal's handler waits, wakes or yields in the midst of another "
                                "such call of its thread",
                                "have handlers do no more than to set a flag");
    turns.busy = true;
}

static void give_turn(struct wm_host_slot *self)
{
    wm_host_one_processor_review();
    struct wm_host_slot *next = find_next(self);
    if (next != self) {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        turns.busy = false;
        give_to(next);
        await_turn(self);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    turns.busy = false;
    begin_turn(self);
}

void wm_host_yield(bool idle)
{
    if (turns.of_device)
        return;
    begin_call();
    turns.idle = idle ? turns.idle + 1 : 0;
    turns.is_look = idle;
    turns.looks++;
    if (!idle)
        end_streak();
    wm_host_poll_turn(&wm_host_self()->poll, turns.begun, turns.passed);
    give_turn(wm_host_self());
    turns.is_look = turns.pauses = false;
}

void wm_host_pause(void)
{
    turns.pauses = !turns.of_device;
    wm_host_yield(true);
}

void wm_host_turns_finish(void)
{
    enum wm_host_device_state state;
    mark_turn_end();
    wm_host_recorder_send();
    do {
        struct wm_host_device_turn turn = {.looks = WM_HOST_ANY_THREAD,
                                           .deadline = WM_HOST_NO_DEADLINE};
        state = device_turn(true, &turn);
    } while (state == WM_HOST_DEVICE_RAN || state == WM_HOST_DEVICE_COMPLETED);
    if (state != WM_HOST_DEVICE_WAITS)
        return;
    wm_host_self()->state = WM_HOST_WAITING;
    wm_host_self()->waits_for = WM_HOST_WAIT_DEVICE;
    wm_host_deadlock(wm_host_self(), note_calls);
}

uint64_t wm_host_deadline(uint64_t nanoseconds)
{
    return nanoseconds < WM_HOST_NO_TIME - 1 - turns.now ? turns.now + nanoseconds
                                                         : WM_HOST_NO_TIME - 1;
}

bool wm_host_wait(enum wm_host_wait_for what, const void *object, uint64_t deadline)
{
    struct wm_host_slot *self = wm_host_self();
    if (turns.of_device)
        wm_host_recorder_refuse("a host function of a stream waits for what a thread does",
                                "have such functions do no more than to wake threads");
    begin_call();
    self->waits_for = what;
    self->object = object;
    self->since = turns.waits++;
    self->deadline = deadline;
    self->timed_out = false;
    self->state = WM_HOST_WAITING;
    turns.idle = 0;
    wm_host_poll_turn(&self->poll, turns.begun, turns.passed);
    turns.looks++;
    if (deadline == WM_HOST_NO_TIME || !wm_host_poll_waits(&self->poll, turns.streak, turns.now))
        end_streak();
    give_turn(self);
    return !self->timed_out;
}

uint32_t wm_host_wake(const void *object, uint32_t most)
{
    uint32_t count = 0;
    bool of_device = turns.of_device;
    if (!of_device)
        begin_call();
    for (struct wm_host_slot *slot;
         count < most && (slot = wm_host_slot_first_waiting(object)) != NULL; count++)
        slot->state = WM_HOST_READY;
    if (count > 0) {
        turns.idle = 0;
        end_streak();
    }
    if (!of_device)
        turns.busy = false;
    return count;
}

// --- Threads ---

void wm_host_turns_shorten(uint32_t accesses)
{
    if (wm_host_turn_accesses != WM_HOST_TURN_ACCESSES)
        return;
    wm_host_turn_accesses = accesses;
    begin_turn(wm_host_self());
}

void wm_host_turns_start(void)
{
    struct wm_host_slot *first = wm_host_slots_begin();
    first->state = WM_HOST_READY;
    first->thread = pthread_self();
    first->stack_end = wm_host_first_stack();
    first->system_number = getpid();
    wm_host_thread = 1;
    begin_turn(first);
}

void wm_host_turns_enter(struct wm_host_slot *slot)
{
    slot->system_number = (int)real_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    await_turn(slot);
    wm_host_thread = wm_host_number(slot) + 1;
    begin_turn(slot);
    pthread_sigmask(SIG_SETMASK, &slot->signals, NULL);
}

bool wm_host_turns_leave(struct wm_host_slot *slot)
{
    if (!wm_host_slots_others_left(slot))
        return false;
    wm_host_wake(slot, UINT32_MAX);
    // The system gives a robust mutex to those who wait when its owner has ended.
    wm_host_slots_wake(WM_HOST_WAIT_MUTEX);
    slot->state = slot->detached && slot != wm_host_slots ? WM_HOST_FREE : WM_HOST_ENDED;
    turns.idle = 0;
    end_streak();
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    struct wm_host_slot *next = find_next(slot);
    // The first of a process stays known to the system until all have ended.
    turns.dying = slot == wm_host_slots ? 0 : slot->system_number;
    wm_host_thread = 0;
    give_to(next);
    return true;
}

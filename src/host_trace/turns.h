// Turns of a traced program's threads: one runs at a time, in an order that depends on the program
// alone (docs/decisions/0020-threads-one-at-a-time.md). Each is a thread of the system that sleeps
// until it is given the turn. It gives the turn on when it waits, ends, yields, or has made
// wm_host_turn_accesses since it got it, to the next by number that can run.
//
// Thread rules: all of this is called by the thread whose turn it is, but where it says otherwise.
// Private to host_trace/.
#ifndef WM_HOST_TRACE_TURNS_H
#define WM_HOST_TRACE_TURNS_H

#include "host_trace/polls.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    // Threads that are there at a time: as many as a recording has cores.
    WM_HOST_MOST_THREADS = 256,
    WM_HOST_TURN_ACCESSES = 1000,
    WM_HOST_LEAST_TURN = 2, // an atomic operation's
    WM_HOST_CALL_FRAMES = 12,
};

// How many accesses a turn has at most; start.c sets another.
extern uint32_t wm_host_turn_accesses;

// A wait until a time of the system's clocks counts as so long, since how far away that time is
// differs from run to run.
#define WM_HOST_UNKNOWN_DURATION UINT64_C(100000000)
#define WM_HOST_NO_TIME UINT64_MAX

enum wm_host_wait_for {
    WM_HOST_WAIT_MUTEX,
    WM_HOST_WAIT_READ,
    WM_HOST_WAIT_WRITE,
    WM_HOST_WAIT_SPIN,
    WM_HOST_WAIT_CONDITION,
    WM_HOST_WAIT_BARRIER,
    WM_HOST_WAIT_SEMAPHORE,
    WM_HOST_WAIT_ONCE,
    WM_HOST_WAIT_FUTEX,
    WM_HOST_WAIT_END, // of a thread
    WM_HOST_WAIT_SLEEP,
    WM_HOST_WAIT_DEVICE, // CUDA's, where it takes turns too (live.h)
};

enum wm_host_thread_state {
    WM_HOST_FREE, // no thread has the number
    WM_HOST_READY,
    WM_HOST_WAITING,
    WM_HOST_ENDED, // and not yet joined
};

struct wm_host_slot {
    enum wm_host_thread_state state;
    int go; // futex: 1 when the turn is given
    pthread_t thread;
    const void *stack_end; // where its stack has begun; NULL: not known
    int system_number;
    bool detached;
    int destructor_rounds;
    void *(*function)(void *argument);
    void *argument;
    int (*c11_function)(void *argument);
    void *c11_argument;
    sigset_t signals; // blocked ones, to be restored
    // While it waits.
    enum wm_host_wait_for waits_for;
    const void *object;
    uint64_t since, deadline;
    bool timed_out;
    struct wm_host_poll poll;
    uint32_t streams_held; // flockfile(): the C library's own calls would wait with the turn
    // For what is said of a deadlock.
    uint32_t creator;
    int created_frames, frames;
    void *created_at[WM_HOST_CALL_FRAMES], *called_from[WM_HOST_CALL_FRAMES];
};

extern struct wm_host_slot wm_host_slots[WM_HOST_MOST_THREADS];

static inline uint32_t wm_host_number(const struct wm_host_slot *slot)
{
    return (uint32_t)(slot - wm_host_slots);
}

struct wm_host_slot *wm_host_self(void);
// The calling thread is the program's first.
void wm_host_turns_start(void);
// The slot of a thread of pthread_create()'s that has not been joined; NULL.
struct wm_host_slot *wm_host_slot_of(pthread_t thread);
struct wm_host_slot *wm_host_slot_of_system_number(int number); // NULL
// The lowest that is free; NULL.
struct wm_host_slot *wm_host_slot_free(void);

// A new thread, by itself: waits for its first turn.
void wm_host_turns_enter(struct wm_host_slot *slot);
// The calling thread's end: gives the turn on. Nothing that it does then may be seen by others.
// False: no other thread is left, and it keeps the turn.
bool wm_host_turns_leave(struct wm_host_slot *slot);

// Time of the program's sleeps and time-outs, which passes when no thread can run.
uint64_t wm_host_deadline(uint64_t nanoseconds);
// Waits until wm_host_wake() of the object; false: the deadline came first, which it does when no
// other thread can run, or all that can do nothing but wait in loops.
bool wm_host_wait(enum wm_host_wait_for what, const void *object, uint64_t deadline);
// Makes those that have waited longest for an object ready, `most` at most; returns how many.
uint32_t wm_host_wake(const void *object, uint32_t most);
uint32_t wm_host_waiting(const void *object);
// Gives the turn away. `idle`: the thread cannot go on until another has done something.
void wm_host_yield(bool idle);
// The same by a call that the thread makes as it has nothing else to do: in time (live.h) its core
// stands still for a while.
void wm_host_pause(void);
// Turns have so many accesses from here on, the present one, too; unless start.c has set a number.
void wm_host_turns_shorten(uint32_t accesses);

// All threads but the caller have ended or wait, and the program ends: the device runs until it has
// nothing to do.
void wm_host_turns_finish(void);
// Says which thread waits for what, and ends the program with 2 (deadlock.c). `note_calls` has
// a thread note where it was called from.
_Noreturn void wm_host_deadlock(struct wm_host_slot *self,
                                void (*note_calls)(struct wm_host_slot *self,
                                                   struct wm_host_slot *slot));

#endif

// Turns of a traced program's threads: one runs at a time, in an order that depends on the program
// alone (docs/decisions/0020-threads-one-at-a-time.md). Each is a thread of the system that sleeps
// until it is given the turn. It gives the turn on when it waits, ends, yields, or has made
// wm_host_turn_accesses since it got it, to the next by number that can run.
//
// Thread rules: all of this is called by the thread whose turn it is, but where it says otherwise.
// Private to host_trace/.
#ifndef WM_HOST_TRACE_TURNS_H
#define WM_HOST_TRACE_TURNS_H

#include "host_trace/thread_slots.h"

enum {
    WM_HOST_TURN_ACCESSES = 1000,
    WM_HOST_LEAST_TURN = 2, // an atomic operation's
};

// How many accesses a turn has at most; start.c sets another.
extern uint32_t wm_host_turn_accesses;

// A wait until a time of the system's clocks counts as so long, since how far away that time is
// differs from run to run.
#define WM_HOST_UNKNOWN_DURATION UINT64_C(100000000)

// The calling thread is the program's first.
void wm_host_turns_start(void);

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
// Gives the turn away. `idle`: the thread cannot go on until another has done something.
void wm_host_yield(bool idle);
// The same by a call that the thread makes as it has nothing else to do: in time (live.h) its core
// stands still for a while.
void wm_host_pause(void);
// The calling thread has read a clock of the system: it may do something else next time.
void wm_host_reads_clock(void);
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

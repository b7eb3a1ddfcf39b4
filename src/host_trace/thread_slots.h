// The threads of a traced program: a slot for each, by number. Private to host_trace/.
#ifndef WM_HOST_TRACE_THREAD_SLOTS_H
#define WM_HOST_TRACE_THREAD_SLOTS_H

#include "host_trace/polls.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    // Threads that are there at a time: as many as a recording has cores.
    WM_HOST_MOST_THREADS = 256,
    WM_HOST_CALL_FRAMES = 12,
};

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
// Of the program's first thread, before all others.
struct wm_host_slot *wm_host_slots_begin(void);
// From the first on, those that have ever had a thread.
uint32_t wm_host_slots_used(void);
// The slot of a thread of pthread_create()'s that has not been joined; NULL.
struct wm_host_slot *wm_host_slot_of(pthread_t thread);
struct wm_host_slot *wm_host_slot_of_system_number(int number); // NULL
// The lowest that is free; NULL.
struct wm_host_slot *wm_host_slot_free(void);

// The next that can run, by number behind `self`, which is the last to be taken; how many can.
struct wm_host_slot *wm_host_slot_ready(const struct wm_host_slot *self, uint32_t *count);
// The first of those that wait with a deadline to go on; NULL.
struct wm_host_slot *wm_host_slot_first_timed(void);
// That has waited longest for an object; NULL. And how many wait for it.
struct wm_host_slot *wm_host_slot_first_waiting(const void *object);
uint32_t wm_host_waiting(const void *object);
// All that wait for that can run.
void wm_host_slots_wake(enum wm_host_wait_for what);
// Others than `self` that can run or wait.
bool wm_host_slots_others_left(const struct wm_host_slot *self);

#endif

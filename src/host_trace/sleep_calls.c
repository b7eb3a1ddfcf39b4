// Sleeps, which pass when no other thread can run, and yields.
#include "host_trace/managed.h"
#include "host_trace/real_calls.h"
#include "host_trace/turns.h"

#include <sched.h>
#include <threads.h>
#include <unistd.h>

static bool sleeps_by_turns(const void *caller)
{
    return wm_host_manages(caller) && wm_host_recorder.several;
}

static void rest(uint64_t nanoseconds)
{
    struct wm_host_slot *self = wm_host_self();
    wm_host_poll_note_state(&self->poll, self->stack_end);
    wm_host_wait(WM_HOST_WAIT_SLEEP, NULL, wm_host_deadline(nanoseconds));
}

static uint64_t nanoseconds_of(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

EXPORTED int sched_yield(void)
{
    if (!MANAGED)
        return REAL(sched_yield)();
    wm_host_pause();
    return 0;
}

EXPORTED int nanosleep(const struct timespec *time, struct timespec *left)
{
    if (!sleeps_by_turns(CALLER) || !wm_host_is_time(time) || time->tv_sec < 0)
        return REAL(nanosleep)(time, left);
    rest(nanoseconds_of(time));
    return 0;
}

EXPORTED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                             struct timespec *left)
{
    if (!sleeps_by_turns(CALLER) || !wm_host_is_time(time) || time->tv_sec < 0)
        return REAL(clock_nanosleep)(clock, flags, time, left);
    rest((flags & TIMER_ABSTIME) != 0 ? WM_HOST_UNKNOWN_DURATION : nanoseconds_of(time));
    return 0;
}

EXPORTED int usleep(useconds_t microseconds)
{
    if (!sleeps_by_turns(CALLER))
        return REAL(usleep)(microseconds);
    rest((uint64_t)microseconds * 1000);
    return 0;
}

EXPORTED unsigned sleep(unsigned seconds)
{
    if (!sleeps_by_turns(CALLER))
        return REAL(sleep)(seconds);
    rest((uint64_t)seconds * 1000000000);
    return 0;
}

EXPORTED int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    if (!sleeps_by_turns(CALLER) || !wm_host_is_time(time) || time->tv_sec < 0)
        return REAL(thrd_sleep)(time, left);
    rest(nanoseconds_of(time));
    return 0;
}

// Making threads, their ends, and what gives the turn away by time: pthread's calls and C11's.
#include "host_trace/managed.h"
#include "host_trace/real_calls.h"
#include "host_trace/turns.h"

#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

// Heaps of the C library, of which it has 8 a processor: what it would have with four.
enum { HEAPS = 32 };

// Its value in each thread is the thread's slot; behind the destructors of others it gives the turn
// on for the last time.
static pthread_key_t end_key;

static void thread_ends(void *value)
{
    struct wm_host_slot *slot = value;
    if (++slot->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(end_key, slot);
    else
        wm_host_turns_leave(slot);
}

static void *run_thread(void *argument)
{
    struct wm_host_slot *slot = argument;
    wm_host_turns_enter(slot);
    pthread_setspecific(end_key, slot);
    return slot->function(slot->argument);
}

static void begin_threads(void)
{
    if (wm_host_recorder.several)
        return;
    wm_host_recorder.several = true;
    mallopt(M_ARENA_MAX, HEAPS);
    if (pthread_key_create(&end_key, thread_ends) != 0)
        wm_host_recorder_refuse("the program has made all keys of thread-specific data",
                                "leave one free");
    pthread_setspecific(end_key, wm_host_self());
}

static bool is_detached(const pthread_attr_t *attributes)
{
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes != NULL)
        pthread_attr_getdetachstate(attributes, &state);
    return state == PTHREAD_CREATE_DETACHED;
}

// libgomp's threads wait for each other by system calls of its own, which nobody can take over.
static void check_maker(const void *caller)
{
    Dl_info object;
    if (dladdr(caller, &object) != 0 && object.dli_fname != NULL &&
        strstr(object.dli_fname, "libgomp.so") != NULL)
        wm_host_recorder_refuse("OpenMP's threads are those of libgomp, which lets none of them be "
                                "given its turn",
                                "link with LLVM's: warpmem cc -fopenmp -lomp");
}

static int make_thread(pthread_t *thread, const pthread_attr_t *attributes,
                       void *(*function)(void *argument), void *argument)
{
    begin_threads();
    struct wm_host_slot *slot = wm_host_slot_free();
    if (slot == NULL)
        wm_host_recorder_refuse("the program has more than 256 threads at a time",
                                "run it with fewer, and join those that have ended");
    slot->function = function;
    slot->argument = argument;
    slot->detached = is_detached(attributes);
    slot->creator = wm_host_number(wm_host_self());
    slot->created_frames = backtrace(slot->created_at, WM_HOST_CALL_FRAMES);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &slot->signals);
    int result = REAL(pthread_create)(&slot->thread, attributes, run_thread, slot);
    pthread_sigmask(SIG_SETMASK, &slot->signals, NULL);
    if (result != 0)
        return result;
    slot->state = WM_HOST_READY;
    *thread = slot->thread;
    return 0;
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*function)(void *argument), void *argument)
{
    if (!MANAGED)
        return REAL(pthread_create)(thread, attributes, function, argument);
    check_maker(__builtin_return_address(0));
    return make_thread(thread, attributes, function, argument);
}

// --- Joining ---

static int join(pthread_t thread, void **result, uint64_t deadline)
{
    struct wm_host_slot *slot = wm_host_slot_of(thread);
    if (slot == NULL || slot->detached || slot == wm_host_self())
        return REAL(pthread_join)(thread, result); // which says what is wrong
    while (slot->state != WM_HOST_ENDED)
        if (!wm_host_wait(WM_HOST_WAIT_END, slot, deadline))
            return ETIMEDOUT;
    int joined = REAL(pthread_join)(thread, result);
    if (slot != wm_host_slots)
        slot->state = WM_HOST_FREE;
    return joined;
}

EXPORTED int pthread_join(pthread_t thread, void **result)
{
    return MANAGED ? join(thread, result, WM_HOST_NO_TIME) : REAL(pthread_join)(thread, result);
}

EXPORTED int pthread_tryjoin_np(pthread_t thread, void **result)
{
    struct wm_host_slot *slot = MANAGED ? wm_host_slot_of(thread) : NULL;
    if (slot == NULL)
        return REAL(pthread_tryjoin_np)(thread, result);
    if (slot->state == WM_HOST_ENDED)
        return join(thread, result, WM_HOST_NO_TIME);
    wm_host_yield(true);
    return EBUSY;
}

static int join_until(pthread_t thread, void **result, const struct timespec *time)
{
    if (time == NULL)
        return join(thread, result, WM_HOST_NO_TIME);
    return wm_host_is_time(time) ? join(thread, result, wm_host_deadline(WM_HOST_UNKNOWN_DURATION))
                                 : EINVAL;
}

EXPORTED int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *time)
{
    return MANAGED ? join_until(thread, result, time)
                   : REAL(pthread_timedjoin_np)(thread, result, time);
}

EXPORTED int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                  const struct timespec *time)
{
    return MANAGED ? join_until(thread, result, time)
                   : REAL(pthread_clockjoin_np)(thread, result, clock, time);
}

EXPORTED int pthread_detach(pthread_t thread)
{
    struct wm_host_slot *slot = MANAGED ? wm_host_slot_of(thread) : NULL;
    int result = REAL(pthread_detach)(thread);
    if (slot != NULL && result == 0) {
        slot->detached = true;
        if (slot->state == WM_HOST_ENDED && slot != wm_host_slots)
            slot->state = WM_HOST_FREE;
    }
    return result;
}

// --- Refused ---

EXPORTED int pthread_cancel(pthread_t thread)
{
    if (MANAGED)
        wm_host_recorder_refuse("pthread_cancel() ends a thread out of its turn",
                                "have the thread look at a variable, and end by itself");
    return REAL(pthread_cancel)(thread);
}

EXPORTED int clone(int (*function)(void *argument), void *stack, int flags, void *argument, ...)
{
    void *words[3];
    va_list rest;
    va_start(rest, argument);
    for (int i = 0; i < 3; i++)
        words[i] = va_arg(rest, void *);
    va_end(rest);
    if ((flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM && MANAGED)
        wm_host_recorder_refuse("clone() makes a thread past the C library, which takes no turns",
                                "make it by pthread_create()");
    return REAL(clone)(function, stack, flags, argument, words[0], words[1], words[2]);
}

// --- Time ---

static bool sleeps_by_turns(const void *caller)
{
    return wm_host_manages(caller) && wm_host_recorder.several;
}

static void rest(uint64_t nanoseconds)
{
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
    wm_host_yield(true);
    return 0;
}

EXPORTED int nanosleep(const struct timespec *time, struct timespec *left)
{
    if (!sleeps_by_turns(__builtin_return_address(0)) || !wm_host_is_time(time) || time->tv_sec < 0)
        return REAL(nanosleep)(time, left);
    rest(nanoseconds_of(time));
    return 0;
}

EXPORTED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                             struct timespec *left)
{
    if (!sleeps_by_turns(__builtin_return_address(0)) || !wm_host_is_time(time) || time->tv_sec < 0)
        return REAL(clock_nanosleep)(clock, flags, time, left);
    rest((flags & TIMER_ABSTIME) != 0 ? WM_HOST_UNKNOWN_DURATION : nanoseconds_of(time));
    return 0;
}

EXPORTED int usleep(useconds_t microseconds)
{
    if (!sleeps_by_turns(__builtin_return_address(0)))
        return REAL(usleep)(microseconds);
    rest((uint64_t)microseconds * 1000);
    return 0;
}

EXPORTED unsigned sleep(unsigned seconds)
{
    if (!sleeps_by_turns(__builtin_return_address(0)))
        return REAL(sleep)(seconds);
    rest((uint64_t)seconds * 1000000000);
    return 0;
}

// --- C11 ---

static int c11_status(int result)
{
    switch (result) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    default: return thrd_error;
    }
}

static void *run_c11_thread(void *argument)
{
    (void)argument;
    const struct wm_host_slot *slot = wm_host_self();
    return (void *)(intptr_t)slot->c11_function(slot->c11_argument);
}

EXPORTED int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    if (!MANAGED)
        return REAL(thrd_create)(thread, function, argument);
    int result = make_thread(thread, NULL, run_c11_thread, NULL);
    if (result == 0) { // it has not had a turn yet
        struct wm_host_slot *slot = wm_host_slot_of(*thread);
        slot->c11_function = function;
        slot->c11_argument = argument;
    }
    return c11_status(result);
}

EXPORTED int thrd_join(thrd_t thread, int *result)
{
    if (!MANAGED)
        return REAL(thrd_join)(thread, result);
    void *value = NULL;
    int status = c11_status(join(thread, &value, WM_HOST_NO_TIME));
    if (result != NULL)
        *result = (int)(intptr_t)value;
    return status;
}

EXPORTED int thrd_detach(thrd_t thread)
{
    return MANAGED ? c11_status(pthread_detach(thread)) : REAL(thrd_detach)(thread);
}

EXPORTED void thrd_yield(void)
{
    if (MANAGED)
        wm_host_yield(true);
    else
        REAL(thrd_yield)();
}

EXPORTED int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    if (!sleeps_by_turns(__builtin_return_address(0)) || !wm_host_is_time(time) || time->tv_sec < 0)
        return REAL(thrd_sleep)(time, left);
    rest(nanoseconds_of(time));
    return 0;
}

// A mtx_t is a mutex, and a cnd_t a condition variable.
#define C11_CALL(name, call, parameters, arguments)               \
    EXPORTED int name parameters                                  \
    {                                                             \
        return MANAGED ? c11_status(call) : REAL(name) arguments; \
    }

C11_CALL(mtx_lock, pthread_mutex_lock((pthread_mutex_t *)mutex), (mtx_t * mutex), (mutex))
C11_CALL(mtx_trylock, pthread_mutex_trylock((pthread_mutex_t *)mutex), (mtx_t * mutex), (mutex))
C11_CALL(mtx_unlock, pthread_mutex_unlock((pthread_mutex_t *)mutex), (mtx_t * mutex), (mutex))
C11_CALL(mtx_timedlock, pthread_mutex_timedlock((pthread_mutex_t *)mutex, time),
         (mtx_t *restrict mutex, const struct timespec *restrict time), (mutex, time))
C11_CALL(cnd_wait, pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex),
         (cnd_t * condition, mtx_t *mutex), (condition, mutex))
C11_CALL(cnd_timedwait,
         pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, time),
         (cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict time),
         (condition, mutex, time))
C11_CALL(cnd_signal, pthread_cond_signal((pthread_cond_t *)condition), (cnd_t * condition),
         (condition))
C11_CALL(cnd_broadcast, pthread_cond_broadcast((pthread_cond_t *)condition), (cnd_t * condition),
         (condition))

// --- Streams ---

// The C library's own calls wait for a stream that is locked, and would with the turn in hand.
EXPORTED void flockfile(FILE *stream)
{
    REAL(flockfile)(stream);
    if (MANAGED)
        wm_host_self()->streams_held++;
}

EXPORTED int ftrylockfile(FILE *stream)
{
    int result = REAL(ftrylockfile)(stream);
    if (result == 0 && MANAGED)
        wm_host_self()->streams_held++;
    return result;
}

EXPORTED void funlockfile(FILE *stream)
{
    if (MANAGED && wm_host_self()->streams_held > 0)
        wm_host_self()->streams_held--;
    REAL(funlockfile)(stream);
}

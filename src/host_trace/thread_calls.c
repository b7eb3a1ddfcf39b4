// Making threads, and their ends.
#include "host_trace/thread_calls.h"

#include "host_trace/live.h"
#include "host_trace/managed.h"
#include "host_trace/one_processor.h"
#include "host_trace/processor_calls.h"
#include "host_trace/real_calls.h"
#include "host_trace/turns.h"

#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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
    if (++slot->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(end_key, slot);
        return;
    }
    wm_host_release(slot);
    wm_host_one_processor_remove(slot->thread);
    // The C library ends a process with its last thread, but takes those that the device has in it
    // for the program's.
    if (!wm_host_turns_leave(slot) && wm_host_is_live())
        exit(EXIT_SUCCESS);
}

static void *run_thread(void *argument)
{
    struct wm_host_slot *slot = argument;
    slot->stack_end = __builtin_frame_address(0);
    wm_host_turns_enter(slot);
    wm_host_acquire(slot);
    pthread_setspecific(end_key, slot);
    return slot->function(slot->argument);
}

void wm_host_begin_threads(void)
{
    if (wm_host_recorder.several)
        return;
    wm_host_recorder.several = true;
    mallopt(M_ARENA_MAX, HEAPS);
    wm_host_one_processor_add(pthread_self());
    wm_host_one_processor_start();
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

// libgomp's threads wait for each other by system calls in its own code, which no library stands in
// front of.
static void check_maker(const void *caller)
{
    Dl_info object;
    if (dladdr(caller, &object) != 0 && object.dli_fname != NULL &&
        strstr(object.dli_fname, "libgomp.so") != NULL)
        wm_host_recorder_refuse("OpenMP's threads are those of libgomp, which lets none of them be "
                                "given its turn",
                                "link with LLVM's: warpmem cc -fopenmp -lomp");
}

int wm_host_make_thread(pthread_t *thread, const pthread_attr_t *attributes,
                        void *(*function)(void *argument), void *argument)
{
    wm_host_begin_threads();
    struct wm_host_slot *slot = wm_host_slot_free();
    if (slot == NULL)
        wm_host_recorder_refuse("the program has more than 256 threads at a time",
                                "run it with fewer, and join those that have ended");
    if (wm_host_is_live())
        wm_host_live_check_core(wm_host_number(slot));
    slot->function = function;
    slot->argument = argument;
    slot->detached = is_detached(attributes);
    slot->creator = wm_host_number(wm_host_self());
    wm_host_processors_inherit(wm_host_number(slot), slot->creator);
    slot->created_frames = backtrace(slot->created_at, WM_HOST_CALL_FRAMES);
    wm_host_release(slot);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &slot->signals);
    int result = REAL(pthread_create)(&slot->thread, attributes, run_thread, slot);
    pthread_sigmask(SIG_SETMASK, &slot->signals, NULL);
    if (result != 0)
        return result;
    wm_host_one_processor_add(slot->thread);
    slot->state = WM_HOST_READY;
    *thread = slot->thread;
    return 0;
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*function)(void *argument), void *argument)
{
    if (!MANAGED) {
        int result = REAL(pthread_create)(thread, attributes, function, argument);
        if (result == 0 && !is_detached(attributes)) // one of those may have ended
            wm_host_one_processor_leave_out(*thread);
        return result;
    }
    check_maker(CALLER);
    return wm_host_make_thread(thread, attributes, function, argument);
}

// --- Joining ---

int wm_host_join(pthread_t thread, void **result, uint64_t deadline)
{
    struct wm_host_slot *slot = wm_host_slot_of(thread);
    if (slot == NULL || slot->detached || slot == wm_host_self())
        return REAL(pthread_join)(thread, result); // which says what is wrong
    while (slot->state != WM_HOST_ENDED)
        if (!wm_host_wait(WM_HOST_WAIT_END, slot, deadline))
            return ETIMEDOUT;
    wm_host_acquire(slot);
    int joined = REAL(pthread_join)(thread, result);
    if (slot != wm_host_slots)
        slot->state = WM_HOST_FREE;
    return joined;
}

EXPORTED int pthread_join(pthread_t thread, void **result)
{
    return MANAGED ? wm_host_join(thread, result, WM_HOST_NO_TIME)
                   : REAL(pthread_join)(thread, result);
}

EXPORTED int pthread_tryjoin_np(pthread_t thread, void **result)
{
    struct wm_host_slot *slot = MANAGED ? wm_host_slot_of(thread) : NULL;
    if (slot == NULL)
        return REAL(pthread_tryjoin_np)(thread, result);
    if (slot->state == WM_HOST_ENDED)
        return wm_host_join(thread, result, WM_HOST_NO_TIME);
    wm_host_yield(true);
    return EBUSY;
}

static int join_until(pthread_t thread, void **result, const struct timespec *time)
{
    if (time == NULL)
        return wm_host_join(thread, result, WM_HOST_NO_TIME);
    return wm_host_is_time(time)
               ? wm_host_join(thread, result, wm_host_deadline(WM_HOST_UNKNOWN_DURATION))
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

// Condition variables, barriers, what is done once, and futexes, by which the C++ library's futures
// and atomic waits sleep. Who waits for one is in a queue of its own (turns.h); the C library's
// objects of condition variables and barriers stay as they were made.
#include "host_trace/lock_calls.h"
#include "host_trace/managed.h"
#include "host_trace/real_calls.h"
#include "host_trace/turns.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

// --- Condition variables ---

// The C library has those of before 2003 too.
#define REAL_CONDITION(name) REAL_OF(name, "GLIBC_2.3.2")

static int wait_condition(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline)
{
    int result = REAL(pthread_mutex_unlock)(mutex);
    if (result != 0)
        return result;
    wm_host_release(mutex);
    wm_host_wake(mutex, 1);
    bool woken = wm_host_wait(WM_HOST_WAIT_CONDITION, condition, deadline);
    if (woken)
        wm_host_acquire(condition);
    result = wm_host_lock_mutex(mutex, WM_HOST_NO_TIME);
    return result != 0 || woken ? result : ETIMEDOUT;
}

static int wait_condition_until(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                const struct timespec *time)
{
    return wm_host_is_time(time)
               ? wait_condition(condition, mutex, wm_host_deadline(WM_HOST_UNKNOWN_DURATION))
               : EINVAL;
}

EXPORTED int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return MANAGED ? wait_condition(condition, mutex, WM_HOST_NO_TIME)
                   : REAL_CONDITION(pthread_cond_wait)(condition, mutex);
}

EXPORTED int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                    const struct timespec *time)
{
    return MANAGED ? wait_condition_until(condition, mutex, time)
                   : REAL_CONDITION(pthread_cond_timedwait)(condition, mutex, time);
}

EXPORTED int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                    clockid_t clock, const struct timespec *time)
{
    return MANAGED ? wait_condition_until(condition, mutex, time)
                   : REAL(pthread_cond_clockwait)(condition, mutex, clock, time);
}

EXPORTED int pthread_cond_signal(pthread_cond_t *condition)
{
    if (!MANAGED)
        return REAL_CONDITION(pthread_cond_signal)(condition);
    wm_host_release(condition);
    wm_host_wake(condition, 1);
    return 0;
}

EXPORTED int pthread_cond_broadcast(pthread_cond_t *condition)
{
    if (!MANAGED)
        return REAL_CONDITION(pthread_cond_broadcast)(condition);
    wm_host_release(condition);
    wm_host_wake(condition, UINT32_MAX);
    return 0;
}

// --- Barriers ---

// glibc's since 2.25 begins with what arrived, the round, and how many threads it is for.
static unsigned threads_of(const pthread_barrier_t *barrier)
{
    enum { COUNT_WORD = 2 };
    return ((const unsigned *)barrier)[COUNT_WORD];
}

EXPORTED int pthread_barrier_init(pthread_barrier_t *barrier,
                                  const pthread_barrierattr_t *attributes, unsigned count)
{
    int result = REAL(pthread_barrier_init)(barrier, attributes, count);
    if (result == 0 && MANAGED && threads_of(barrier) != count)
        wm_host_recorder_refuse("this C library's barriers are not those of glibc",
                                "trace the program where glibc is the C library");
    return result;
}

EXPORTED int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    if (!MANAGED)
        return REAL(pthread_barrier_wait)(barrier);
    wm_host_release(barrier);
    bool last = wm_host_waiting(barrier) + 1 == threads_of(barrier);
    if (last)
        wm_host_wake(barrier, UINT32_MAX);
    else
        wm_host_wait(WM_HOST_WAIT_BARRIER, barrier, WM_HOST_NO_TIME);
    wm_host_acquire(barrier);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

// --- Once ---

enum { ONCE_BEGUN = 1, ONCE_DONE = 2 }; // as glibc has them

// Behind the function, or the exception that left it: then another may try.
static void end_once(int **control)
{
    if (**control == ONCE_BEGUN)
        **control = 0;
    wm_host_release(*control);
    wm_host_wake(*control, UINT32_MAX);
}

static void do_once(int *control, void (*function)(void))
{
    while (*control != ONCE_DONE) {
        if (*control == ONCE_BEGUN) {
            wm_host_wait(WM_HOST_WAIT_ONCE, control, WM_HOST_NO_TIME);
            continue;
        }
        __attribute__((cleanup(end_once))) int *guarded = control;
        *guarded = ONCE_BEGUN;
        function();
        *guarded = ONCE_DONE;
    }
    wm_host_acquire(control);
}

EXPORTED int pthread_once(pthread_once_t *control, void (*function)(void))
{
    if (!MANAGED)
        return REAL(pthread_once)(control, function);
    do_once(control, function);
    return 0;
}

void call_once(int *control, void (*function)(void)); // of <threads.h>, whose type is a struct

EXPORTED void call_once(int *control, void (*function)(void))
{
    if (MANAGED)
        do_once(control, function);
    else
        REAL(call_once)(control, function);
}

// --- Futexes ---

static long wait_futex(const uint32_t *word, uint32_t value, const struct timespec *time)
{
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) {
        wm_host_yield(true);
        wm_host_acquire(word);
        errno = EAGAIN;
        return -1;
    }
    uint64_t deadline = time == NULL ? WM_HOST_NO_TIME : wm_host_deadline(WM_HOST_UNKNOWN_DURATION);
    if (wm_host_wait(WM_HOST_WAIT_FUTEX, word, deadline)) {
        wm_host_acquire(word);
        return 0;
    }
    errno = ETIMEDOUT;
    return -1;
}

static long call_futex(const uint32_t *word, long operation, uint32_t value,
                       const struct timespec *time)
{
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: return wait_futex(word, value, time);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: wm_host_release(word); return wm_host_wake(word, value);
    default:
        wm_host_recorder_refuse(
            "the program calls futex() with an operation other than to wait and to wake",
            "use mutexes, condition variables or semaphores");
    }
}

// The program's own system calls, and those of its C++ library.
EXPORTED long syscall(long number, ...)
{
    long words[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_futex && MANAGED)
        return call_futex((const uint32_t *)words[0], words[1], (uint32_t)words[2],
                          (const struct timespec *)words[3]);
    if (number == SYS_sched_yield && MANAGED) {
        wm_host_yield(true);
        return 0;
    }
    // LLVM's OpenMP would look at each processor that it may run on from that processor itself.
    if ((number == SYS_sched_getaffinity || number == SYS_sched_setaffinity) && MANAGED) {
        errno = ENOSYS;
        return -1;
    }
    if (MANAGED)
        wm_host_poll_unknown(&wm_host_self()->poll);
    return real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

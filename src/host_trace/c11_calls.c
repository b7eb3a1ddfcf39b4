// C11's threads, mutexes and condition variables, which are pthread's by other names.
#include "host_trace/managed.h"
#include "host_trace/real_calls.h"
#include "host_trace/thread_calls.h"
#include "host_trace/turns.h"

#include <errno.h>
#include <threads.h>

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
    int result = wm_host_make_thread(thread, NULL, run_c11_thread, NULL);
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
    int status = c11_status(wm_host_join(thread, &value, WM_HOST_NO_TIME));
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

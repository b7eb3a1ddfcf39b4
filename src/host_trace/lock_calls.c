// Mutexes, read-write locks, spin locks and semaphores. What is locked is in the C library's own
// objects, where it puts it: what it would wait for is tried, and where it is not to be had the
// thread waits for a turn (turns.h) to try again.
//
// Who frees what another waits for gives the turn away: a thread that locks again at once would
// otherwise have it for ever.
#include "host_trace/lock_calls.h"
#include "host_trace/managed.h"
#include "host_trace/real_calls.h"
#include "host_trace/turns.h"

#include <errno.h>
#include <semaphore.h>

static void wake_and_yield(const void *object, uint32_t most)
{
    wm_host_release(object);
    if (wm_host_wake(object, most) > 0)
        wm_host_yield(false);
}

// A failure of trying: the next try is for nothing until another thread has run.
static int tried(int result, int busy, const volatile void *object)
{
    if (result == busy)
        wm_host_yield(true);
    else if (result == 0)
        wm_host_acquire(object);
    return result;
}

// --- Mutexes ---

static bool is_own_checked(const pthread_mutex_t *mutex)
{
    enum { KIND = 3 };
    return (mutex->__data.__kind & KIND) == PTHREAD_MUTEX_ERRORCHECK_NP &&
           mutex->__data.__owner == wm_host_self()->system_number;
}

int wm_host_lock_mutex(pthread_mutex_t *mutex, uint64_t deadline)
{
    int result;
    while ((result = REAL(pthread_mutex_trylock)(mutex)) == EBUSY) {
        if (is_own_checked(mutex))
            return EDEADLK;
        if (!wm_host_wait(WM_HOST_WAIT_MUTEX, mutex, deadline))
            return ETIMEDOUT;
    }
    if (result == 0 || result == EOWNERDEAD)
        wm_host_acquire(mutex);
    return result;
}

static int lock_until(pthread_mutex_t *mutex, const struct timespec *time)
{
    return wm_host_is_time(time)
               ? wm_host_lock_mutex(mutex, wm_host_deadline(WM_HOST_UNKNOWN_DURATION))
               : EINVAL;
}

EXPORTED int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return MANAGED ? wm_host_lock_mutex(mutex, WM_HOST_NO_TIME) : REAL(pthread_mutex_lock)(mutex);
}

EXPORTED int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    int result = REAL(pthread_mutex_trylock)(mutex);
    return MANAGED ? tried(result, EBUSY, mutex) : result;
}

EXPORTED int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time)
{
    return MANAGED ? lock_until(mutex, time) : REAL(pthread_mutex_timedlock)(mutex, time);
}

EXPORTED int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                     const struct timespec *time)
{
    return MANAGED ? lock_until(mutex, time) : REAL(pthread_mutex_clocklock)(mutex, clock, time);
}

EXPORTED int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int result = REAL(pthread_mutex_unlock)(mutex);
    if (result == 0 && MANAGED)
        wake_and_yield(mutex, 1);
    return result;
}

// --- Read-write locks ---

// Readers come behind writers alone, who release the lock itself, and readers the place behind it.
static const char *released_by_readers(const pthread_rwlock_t *lock)
{
    return (const char *)lock + 1;
}

static void acquire_shared(const pthread_rwlock_t *lock, bool write)
{
    wm_host_acquire(lock);
    if (write)
        wm_host_acquire(released_by_readers(lock));
}

static int try_shared(pthread_rwlock_t *lock, bool write)
{
    return write ? REAL(pthread_rwlock_trywrlock)(lock) : REAL(pthread_rwlock_tryrdlock)(lock);
}

static int lock_shared(pthread_rwlock_t *lock, bool write, uint64_t deadline)
{
    enum wm_host_wait_for what = write ? WM_HOST_WAIT_WRITE : WM_HOST_WAIT_READ;
    int result;
    while ((result = try_shared(lock, write)) == EBUSY) {
        if (lock->__data.__cur_writer == wm_host_self()->system_number)
            return EDEADLK;
        if (!wm_host_wait(what, lock, deadline))
            return ETIMEDOUT;
    }
    if (result == 0)
        acquire_shared(lock, write);
    return result;
}

static int lock_shared_until(pthread_rwlock_t *lock, bool write, const struct timespec *time)
{
    return wm_host_is_time(time)
               ? lock_shared(lock, write, wm_host_deadline(WM_HOST_UNKNOWN_DURATION))
               : EINVAL;
}

#define SHARED_LOCK(kind, write)                                                           \
    EXPORTED int pthread_rwlock_##kind##lock(pthread_rwlock_t *lock)                       \
    {                                                                                      \
        return MANAGED ? lock_shared(lock, write, WM_HOST_NO_TIME)                         \
                       : REAL(pthread_rwlock_##kind##lock)(lock);                          \
    }                                                                                      \
    EXPORTED int pthread_rwlock_try##kind##lock(pthread_rwlock_t *lock)                    \
    {                                                                                      \
        int result = REAL(pthread_rwlock_try##kind##lock)(lock);                           \
        if (!MANAGED)                                                                      \
            return result;                                                                 \
        if (write && result == 0)                                                          \
            wm_host_acquire(released_by_readers(lock));                                    \
        return tried(result, EBUSY, lock);                                                 \
    }                                                                                      \
    EXPORTED int pthread_rwlock_timed##kind##lock(pthread_rwlock_t *lock,                  \
                                                  const struct timespec *time)             \
    {                                                                                      \
        return MANAGED ? lock_shared_until(lock, write, time)                              \
                       : REAL(pthread_rwlock_timed##kind##lock)(lock, time);               \
    }                                                                                      \
    EXPORTED int pthread_rwlock_clock##kind##lock(pthread_rwlock_t *lock, clockid_t clock, \
                                                  const struct timespec *time)             \
    {                                                                                      \
        return MANAGED ? lock_shared_until(lock, write, time)                              \
                       : REAL(pthread_rwlock_clock##kind##lock)(lock, clock, time);        \
    }

SHARED_LOCK(rd, false)
SHARED_LOCK(wr, true)

EXPORTED int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    bool managed = MANAGED;
    bool wrote = managed && lock->__data.__cur_writer == wm_host_self()->system_number;
    int result = REAL(pthread_rwlock_unlock)(lock);
    if (result != 0 || !managed)
        return result;
    wm_host_release(wrote ? (const char *)lock : released_by_readers(lock));
    if (wm_host_wake(lock, UINT32_MAX) > 0)
        wm_host_yield(false);
    return result;
}

// --- Spin locks ---

EXPORTED int pthread_spin_lock(pthread_spinlock_t *lock)
{
    if (!MANAGED)
        return REAL(pthread_spin_lock)(lock);
    while (REAL(pthread_spin_trylock)(lock) == EBUSY)
        wm_host_wait(WM_HOST_WAIT_SPIN, (const void *)lock, WM_HOST_NO_TIME);
    wm_host_acquire(lock);
    return 0;
}

EXPORTED int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    int result = REAL(pthread_spin_trylock)(lock);
    return MANAGED ? tried(result, EBUSY, lock) : result;
}

EXPORTED int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    int result = REAL(pthread_spin_unlock)(lock);
    if (MANAGED)
        wake_and_yield((const void *)lock, 1);
    return result;
}

// --- Semaphores ---

static int take(sem_t *semaphore, uint64_t deadline)
{
    while (REAL(sem_trywait)(semaphore) != 0) {
        if (errno != EAGAIN)
            return -1;
        if (!wm_host_wait(WM_HOST_WAIT_SEMAPHORE, semaphore, deadline)) {
            errno = ETIMEDOUT;
            return -1;
        }
    }
    wm_host_acquire(semaphore);
    return 0;
}

static int take_until(sem_t *semaphore, const struct timespec *time)
{
    if (wm_host_is_time(time))
        return take(semaphore, wm_host_deadline(WM_HOST_UNKNOWN_DURATION));
    errno = EINVAL;
    return -1;
}

EXPORTED int sem_wait(sem_t *semaphore)
{
    return MANAGED ? take(semaphore, WM_HOST_NO_TIME) : REAL(sem_wait)(semaphore);
}

EXPORTED int sem_trywait(sem_t *semaphore)
{
    int result = REAL(sem_trywait)(semaphore);
    if (MANAGED && result != 0) {
        int reason = errno;
        wm_host_yield(true);
        errno = reason;
    }
    if (MANAGED && result == 0)
        wm_host_acquire(semaphore);
    return result;
}

EXPORTED int sem_timedwait(sem_t *semaphore, const struct timespec *time)
{
    return MANAGED ? take_until(semaphore, time) : REAL(sem_timedwait)(semaphore, time);
}

EXPORTED int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *time)
{
    return MANAGED ? take_until(semaphore, time) : REAL(sem_clockwait)(semaphore, clock, time);
}

EXPORTED int sem_post(sem_t *semaphore)
{
    int result = REAL(sem_post)(semaphore);
    if (result == 0 && MANAGED)
        wake_and_yield(semaphore, 1);
    return result;
}

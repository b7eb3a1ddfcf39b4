// What condition variables need of mutexes.
#ifndef WM_HOST_TRACE_LOCK_CALLS_H
#define WM_HOST_TRACE_LOCK_CALLS_H

#include <pthread.h>
#include <stdint.h>

// As pthread_mutex_timedlock(), until a deadline of wm_host_deadline()'s or WM_HOST_NO_TIME.
int wm_host_lock_mutex(pthread_mutex_t *mutex, uint64_t deadline);

#endif

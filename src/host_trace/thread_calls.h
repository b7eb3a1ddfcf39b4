// What C11's calls of threads need of pthread's. Private to host_trace/.
#ifndef WM_HOST_TRACE_THREAD_CALLS_H
#define WM_HOST_TRACE_THREAD_CALLS_H

#include <pthread.h>
#include <stdint.h>

// From the first thread on that is made, and in a run with a device: threads take turns.
void wm_host_begin_threads(void);
// As pthread_create(): the thread has not had a turn yet when it returns.
int wm_host_make_thread(pthread_t *thread, const pthread_attr_t *attributes,
                        void *(*function)(void *argument), void *argument);
// As pthread_timedjoin_np(), until a deadline of wm_host_deadline()'s or WM_HOST_NO_TIME.
int wm_host_join(pthread_t thread, void **result, uint64_t deadline);

#endif

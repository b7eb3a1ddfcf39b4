// Threads that take turns stay on one processor of the host, and the device's worker with them, as
// one runs at a time: a turn that goes from one processor to another waits until the system has
// woken that up, several times as long as what a turn of the clock engine executes
// (bench/results/2026-11-29-turns.md). From time to time they may leave it for a moment, so that
// the system can take them to one that is less busy.
//
// Thread rules: called by the thread whose turn it is, but where it says otherwise.
// Private to host_trace/.
#ifndef WM_HOST_TRACE_ONE_PROCESSOR_H
#define WM_HOST_TRACE_ONE_PROCESSOR_H

#include <pthread.h>
#include <sched.h>

// The processors that the calling thread may run on now, before anything else of this is called.
void wm_host_one_processor_note(cpu_set_t *processors);
// From here on; harmless where the system forbids it, or the process has one processor only.
void wm_host_one_processor_start(void);
// A thread that takes turns, or the device's worker, from here on and until it is about to end.
void wm_host_one_processor_add(pthread_t thread);
void wm_host_one_processor_remove(pthread_t thread);
// At the end of a turn, and of one of the device.
void wm_host_one_processor_review(void);
// A thread that has just been made, and takes no turns, may run on any. By the one that made it.
void wm_host_one_processor_leave_out(pthread_t thread);

#endif

// A run whose threads are the machine's CPU cores (`warpmem run --host-threads`,
// docs/decisions/0022-live-threads.md): accesses go to the device in the same process
// (base/run/host_threads.h), not to a trace, and the device has its turns among the threads'.
// Private to host_trace/.
#ifndef WM_HOST_TRACE_LIVE_H
#define WM_HOST_TRACE_LIVE_H

#include "base/run/host_threads.h"

// From here on the device takes what the recorder has, and turns. Borrowed.
void wm_host_live_begin(const struct wm_host_threads_device *device);
bool wm_host_is_live(void);
bool wm_host_is_timed(void); // and the device keeps time
// Ends the program where the machine has no core for the thread of that number.
void wm_host_live_check_core(uint32_t thread);
// Whether the thread that has the turn has executed anything in it that is known.
bool wm_host_live_has_executed(void);
// The buffered accesses go through the cores, and the device has a turn. Where it has nothing to do
// they stay in the buffer, unless it keeps time.
enum wm_host_device_state wm_host_live_turn(struct wm_host_device_turn *turn);
// By the device's thread, in such a turn: calls a function of the program's, whose accesses are
// those of the thread that has handed the turn over.
void wm_host_live_call(void (*function)(void *argument), void *argument);
// As struct wm_host_threads has it.
struct wm_host_code wm_host_live_describe_code(uint64_t code);
void wm_host_live_visit_variables(void (*each)(void *context, uint64_t address, uint64_t bytes,
                                               const char *name),
                                  void *context);
// On standard error.
void wm_host_live_describe_kernels(void);

#endif

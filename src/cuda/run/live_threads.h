// Host threads as the machine's CPU cores (`warpmem run --host-threads`): the CUDA library's part
// of what base/run/host_threads.h describes.
#ifndef WM_CUDA_RUN_LIVE_THREADS_H
#define WM_CUDA_RUN_LIVE_THREADS_H

#include "base/error.h"
#include "base/run/host_threads.h"

struct wm_cuda_process;
struct wm_session_options;

// While the device is made: what its settings ask for can be run. WM_UNSUPPORTED or WM_INVALID,
// with a hint; WM_OK where host threads are to take no turns.
enum wm_status wm_live_threads_check(const struct wm_cuda_process *process,
                                     const struct wm_session_options *options,
                                     struct wm_error *error);
// Then, when there is a session: cores, and turns. With the process locked.
enum wm_status wm_live_threads_start(struct wm_cuda_process *process, struct wm_error *error);
// The worker, without the lock: the cores make these accesses. Where that fails, the reason and
// the report are written, and the program ends with 2. `context` is the process.
void wm_live_threads_access(void *context, const struct wm_host_access *accesses, size_t count);
// Likewise, in time: a step of the engine, unless the turn has ended (engine/session/live_cores.h).
enum wm_host_device_state wm_live_threads_advance(void *context, struct wm_host_device_turn *turn);
// Likewise: a profiler's range begins or ends.
void wm_live_threads_range(struct wm_cuda_process *process, bool begins);
// The program ends: the last accesses are made, and what the device has to do is done. Without the
// lock.
void wm_live_threads_end(struct wm_cuda_process *process);

#endif

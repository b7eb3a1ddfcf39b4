// The commands that the device's worker executes: made by API functions that have checked their
// arguments, with the process locked.
#ifndef WM_CUDA_DEVICE_COMMANDS_H
#define WM_CUDA_DEVICE_COMMANDS_H

#include "cuda/process.h"

struct wm_cuda_graph_run;
struct wm_shared_event;

// A box of bytes: `depth` slices of `height` rows of `width` bytes.
struct wm_cuda_box {
    uint64_t width, height, depth;
};
struct wm_cuda_pitched_address {
    uint64_t address, pitch, slice; // bytes from row to row, and from slice to slice
};

// What a fill repeats: the low `bytes` (1, 2 or 4) of `value`.
struct wm_cuda_element {
    uint32_t value, bytes;
};

// Each returns the command's sequence number, or 0 when the host is out of memory. `stream` has
// been resolved.
//
// Copies bytes. With `staged`, the source is read now, so that the caller may change it at once.
uint64_t wm_cuda_push_copy(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                           const struct wm_cuda_pitched_address *to,
                           const struct wm_cuda_pitched_address *from,
                           const struct wm_cuda_box *box, bool to_device, bool from_device,
                           bool staged);
uint64_t wm_cuda_push_fill(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                           const struct wm_cuda_pitched_address *to, const struct wm_cuda_box *box,
                           struct wm_cuda_element element);
// launch_command.c. `launch->parameters` is copied. The second, for launches of graphs and kernels:
// with the level of its grid, which is 1 for those that the host launches, what it is a kernel of,
// or NULL, and whether the driver launches it: then it costs WM_CUDA_LAUNCH_PS.
uint64_t wm_cuda_push_launch(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                             const struct wm_launch *launch);
uint64_t wm_cuda_push_launch_at(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                const struct wm_launch *launch, uint32_t depth,
                                struct wm_cuda_graph_run *run, bool by_driver);
// The kernel of such a command; NULL: it is another.
const struct wm_kernel *wm_cuda_launched_kernel(const struct wm_cuda_command *command);
// Pushes a record of the event, which remembers it.
wm_cuda_status wm_cuda_record_event(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                    struct wm_cuda_event *event);
// Orders the stream's next command behind the event's last record. A record of this process lies
// earlier in the queue anyway; one of another process is waited for by the queue, or in concurrent
// mode by the stream alone. An event that was not recorded holds nothing up.
wm_cuda_status wm_cuda_wait_for_event(struct wm_cuda_process *process,
                                      struct wm_cuda_stream *stream,
                                      const struct wm_cuda_event *event);
// A host thread waits for a record of another process, without the process locked; its own device
// runs meanwhile, since the other process may be waiting for it.
void wm_cuda_wait_for_others(struct wm_cuda_process *process, struct wm_shared_event *shared,
                             uint32_t record);
// Exactly one of `function` and `callback`.
uint64_t wm_cuda_push_host(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                           wm_cuda_host_function *function, wm_cuda_stream_callback *callback,
                           void *argument);

// The worker: makes a copy, or a fill, at once.
void wm_cuda_run_copy(struct wm_cuda_process *process, const struct wm_cuda_pitched_address *to,
                      const struct wm_cuda_pitched_address *from, const struct wm_cuda_box *box,
                      bool to_device, bool from_device);
void wm_cuda_run_fill(struct wm_cuda_process *process, const struct wm_cuda_pitched_address *to,
                      const struct wm_cuda_box *box, struct wm_cuda_element element);

// What a copy between these addresses goes over.
enum wm_cuda_copy_way { WM_CUDA_COPY_INSIDE, WM_CUDA_COPY_TO_HOST, WM_CUDA_COPY_TO_PEER };
enum wm_cuda_copy_way wm_cuda_copy_way(const struct wm_cuda_process *process, uint64_t to,
                                       uint64_t from, bool to_device, bool from_device);
// wm_cuda_stream_push of a copy. In a default stream one between two devices runs after all that
// was issued to either, and before what is issued next (CUDA C++ Programming Guide, "Peer-to-Peer
// Memory Copy").
uint64_t wm_cuda_push_copying(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                              struct wm_cuda_command *command, uint64_t to, uint64_t from,
                              enum wm_cuda_copy_way way);

// What it costs in estimated time that the driver launches a kernel, a graph or a copy: 5 us.
#define WM_CUDA_LAUNCH_PS UINT64_C(5000000)
// For commands of other files: the estimated time of a copy, and whether the device has faulted, so
// that they do nothing. The worker calls them, without the mutex.
uint64_t wm_cuda_copy_time_ps(const struct wm_cuda_process *process, uint64_t bytes,
                              enum wm_cuda_copy_way way);
bool wm_cuda_has_faulted(struct wm_cuda_process *process);
// Whether what waits for others is to give up: the device has faulted, or the program ends.
bool wm_cuda_gives_up(struct wm_cuda_process *process);

// Memory was allocated or freed: recorded, when there is a recording, in the order of the program's
// calls, however far the worker is.
void wm_cuda_push_record(struct wm_cuda_process *process, enum wm_recorded_event_kind kind,
                         uint64_t address, uint64_t bytes);

#endif

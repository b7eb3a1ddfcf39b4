// What work of a stream is ordered behind (CUDA C++ Programming Guide, "Streams", "Default Stream"
// and "Explicit Synchronization"; CUDA Runtime API, "Stream synchronization behavior"). With the
// process locked.
#ifndef WM_CUDA_STREAM_ORDER_H
#define WM_CUDA_STREAM_ORDER_H

#include "cuda/process.h"

// Issues a command in the stream: behind what was issued there, behind the events that the stream
// waits for, and between streams as the legacy default stream has it: it and the blocking streams
// wait for each other. As wm_cuda_queue_push_behind.
uint64_t wm_cuda_stream_push(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                             struct wm_cuda_command *command);
// What is issued in the stream from now on is ordered behind that command, too. 2 without memory.
wm_cuda_status wm_cuda_stream_wait_for(struct wm_cuda_process *process,
                                       struct wm_cuda_stream *stream, uint64_t sequence);
// The same for the order alone: does nothing in in-order mode without a recorded order. False
// without memory.
bool wm_cuda_stream_order_behind(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                 uint64_t sequence);
// With a recorded order (wm_cuda_queue_record_order): the host knows that all has completed that a
// wait for the stream waits for.
void wm_cuda_stream_note_end(struct wm_cuda_process *process, const struct wm_cuda_stream *stream);
// The number of a command that a host wait for the stream waits for and that has not completed; 0:
// all have.
uint64_t wm_cuda_stream_unfinished(const struct wm_cuda_process *process,
                                   const struct wm_cuda_stream *stream);
// wm_cuda_wait until that is 0.
wm_cuda_status wm_cuda_stream_wait(struct wm_cuda_process *process,
                                   const struct wm_cuda_stream *stream);
// The stream is about to be freed; its work runs to its end, and the legacy default stream waits
// for it.
void wm_cuda_stream_leave_order(struct wm_cuda_process *process, struct wm_cuda_stream *stream);
// The host waits for the current device: wm_cuda_stream_note_end of all its streams but for its
// legacy default one.
void wm_cuda_device_note_end(struct wm_cuda_process *process);
// A stream of the current device, but for its legacy default one, whose work has not all completed;
// NULL when there is none.
const struct wm_cuda_stream *wm_cuda_unfinished_stream(const struct wm_cuda_process *process);
// Of devices, bit by number: adds to `behind` what all their streams have been given; or, where
// that is NULL, orders what comes next in each of them behind the command. False without memory.
bool wm_cuda_order_devices(struct wm_cuda_process *process, uint32_t devices, uint64_t sequence,
                           struct wm_cuda_sequences *behind);
// The program has a second stream, or uses a second device: concurrent mode from now on, unless
// launches are checked or
// `--serial-streams` was given; in a recorded run the order of that mode is recorded.
void wm_cuda_streams_several(struct wm_cuda_process *process);

#endif

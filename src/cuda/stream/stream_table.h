// Streams and events by handle. With the process locked, or about to be.
#ifndef WM_CUDA_STREAM_TABLE_H
#define WM_CUDA_STREAM_TABLE_H

#include "cuda/process.h"

// The stream of a handle: 0 and 1 are the legacy default stream, 2 the thread's default stream.
// 400 for a handle that is no stream of ours.
wm_cuda_status wm_cuda_stream_resolve(struct wm_cuda_process *process, wm_cuda_stream_handle handle,
                                      struct wm_cuda_stream **stream);
// wm_cuda_enter for a function of a stream; 400 with the process entered: leave it in any case.
wm_cuda_status wm_cuda_enter_stream(struct wm_cuda_process **process, wm_cuda_stream_handle handle,
                                    struct wm_cuda_stream **stream);
// The sequence number of the last command that the stream has to do; records of events behind it do
// not count, for on a device they are there as soon as the work before them is. Of the legacy
// default stream also what the blocking streams have to do.
uint64_t wm_cuda_stream_work(const struct wm_cuda_process *process,
                             const struct wm_cuda_stream *stream);
// The record of an event is about to be issued in the stream. Returns the number of the last
// command that the event waits for, in order.
uint64_t wm_cuda_stream_before_record(struct wm_cuda_process *process,
                                      struct wm_cuda_stream *stream);
// In order: what the stream does next waits for the event's last record.
void wm_cuda_stream_follow(struct wm_cuda_stream *stream, const struct wm_cuda_event *event);
// An event that takes over a reference to what processes share of it, or NULL; NULL without memory.
struct wm_cuda_event *wm_cuda_event_new(struct wm_cuda_process *process, unsigned flags,
                                        struct wm_shared_event *shared);
bool wm_cuda_event_known(const struct wm_cuda_process *process, const struct wm_cuda_event *event);

#endif

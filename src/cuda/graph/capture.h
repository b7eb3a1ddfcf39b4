// Stream capture: work issued in a stream becomes nodes of a graph. With the process locked.
#ifndef WM_CUDA_CAPTURE_H
#define WM_CUDA_CAPTURE_H

#include "cuda/graph/graph.h"

// cudaStreamCaptureMode, of a capture and of a host thread.
enum wm_cuda_capture_mode {
    WM_CUDA_CAPTURE_GLOBAL = 0,
    WM_CUDA_CAPTURE_THREAD_LOCAL = 1,
    WM_CUDA_CAPTURE_RELAXED = 2,
};

struct wm_cuda_capture {
    struct wm_cuda_capture *next; // the process's
    uint64_t id;
    struct wm_cuda_graph *graph; // owned until the capture ends, unless it was the program's before
    bool to_graph;
    struct wm_cuda_stream *origin;
    struct wm_cuda_thread *thread; // that began it; never followed
    int mode;
    bool invalid; // something prohibited was done: all that is left is to end it
};

// Begins with what the next node waits for; nodes of `graph`, which may be NULL: a new one.
// 900 for the legacy stream, 401 for one that is capturing, 1 for dependencies that are not nodes.
wm_cuda_status wm_cuda_capture_begin(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                     struct wm_cuda_graph *graph,
                                     struct wm_cuda_graph_node *const *dependencies,
                                     const struct wm_cuda_edge_data *edges, size_t count, int mode);
// *graph is the program's from now on. 401 for a stream that is not capturing, 903 for one that
// joined, 908 for another thread, 901 after something prohibited, 904 when a stream that joined has
// work that the first one does not wait for; with the last two the graph is gone.
wm_cuda_status wm_cuda_capture_end(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                   struct wm_cuda_graph **graph);
// Adds to what the next node waits for, or replaces it.
wm_cuda_status wm_cuda_capture_depend(struct wm_cuda_process *process,
                                      struct wm_cuda_stream *stream,
                                      struct wm_cuda_graph_node *const *dependencies,
                                      const struct wm_cuda_edge_data *edges, size_t count,
                                      bool replace);

// The stream of a handle for work: 906 for the legacy stream while a stream that it would wait for
// is capturing, which invalidates that capture; 901 in one that is invalid.
wm_cuda_status wm_cuda_stream_for_work(struct wm_cuda_process *process,
                                       wm_cuda_stream_handle handle,
                                       struct wm_cuda_stream **stream);
// The same for what cannot be captured: 900 in a capture, which it invalidates.
wm_cuda_status wm_cuda_stream_for_waiting(struct wm_cuda_process *process,
                                          wm_cuda_stream_handle handle,
                                          struct wm_cuda_stream **stream);
// A call that may do anything to any stream: 900 while a capture forbids it to this thread.
wm_cuda_status wm_cuda_capture_allows(struct wm_cuda_process *process);
// A call that waits for all streams: 900 while there is any capture.
wm_cuda_status wm_cuda_capture_allows_waiting(struct wm_cuda_process *process);

// Appends a node behind the stream's last; takes the work over.
wm_cuda_status wm_cuda_capture_work(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                    struct wm_cuda_work *work);
// An event in a capture is the nodes that came before it.
wm_cuda_status wm_cuda_capture_event(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                     struct wm_cuda_event *event, bool external);
// 902 for an event of another capture, 905 for one of none, 907 for one of a capture that has
// ended; *captured: there is nothing more to do. A stream that was not capturing joins.
wm_cuda_status wm_cuda_capture_wait(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                    struct wm_cuda_event *event, bool external, bool *captured);
// Frees a stream or an event that is in no list any more. A capture that began in the stream goes
// with it; one that it joined cannot be ended well, unless another of its streams waits for all
// that this one did.
void wm_cuda_stream_free(struct wm_cuda_process *process, struct wm_cuda_stream *stream);
void wm_cuda_event_free(struct wm_cuda_event *event);
void wm_cuda_reset_captures(struct wm_cuda_process *process);

#endif

// What the functions of stream capture share that differ between CUDA 12 and 13 (runtime_graphs.c).
#ifndef WM_CUDA_API_CAPTURE_H
#define WM_CUDA_API_CAPTURE_H

#include "cuda/graph/capture.h"
#include "cuda/stream/stream_table.h"

// Pointers may be NULL: not requested. The arrays are the stream's until it is next used.
wm_cuda_status wm_cuda_get_capture(wm_cuda_stream_handle handle, int *state, unsigned long long *id,
                                   struct wm_cuda_graph **graph,
                                   struct wm_cuda_graph_node *const **dependencies,
                                   const struct wm_cuda_edge_data **edges, size_t *count);
wm_cuda_status wm_cuda_update_capture(wm_cuda_stream_handle handle,
                                      struct wm_cuda_graph_node **dependencies,
                                      const struct wm_cuda_edge_data *edges, size_t count,
                                      unsigned flags);

#endif

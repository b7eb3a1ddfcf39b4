// A graph as a drawing in the DOT language of Graphviz.
#ifndef WM_CUDA_GRAPH_DOT_H
#define WM_CUDA_GRAPH_DOT_H

#include "cuda/graph/graph.h"

// `flags` are cudaGraphDebugDotFlags: which parameters are written. 304 when the file cannot be
// written, after saying why on stderr.
wm_cuda_status wm_cuda_graph_write_dot(const struct wm_cuda_graph *graph, const char *path,
                                       unsigned flags);

#endif

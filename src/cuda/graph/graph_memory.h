// Memory that nodes of graphs allocate. Its address is fixed when the node is made; the bytes are
// kept while a graph refers to them, or a launch's allocation is not freed. "In use" is between the
// launch of the allocating node and that of the freeing one, or a free from outside.
// With the process locked.
#ifndef WM_CUDA_GRAPH_MEMORY_H
#define WM_CUDA_GRAPH_MEMORY_H

#include "cuda/process.h"

struct wm_cuda_graph_memory {
    struct wm_cuda_graph_memory *next; // the process's
    uint64_t address, size_bytes;
    uint32_t device;     // whose memory it is
    uint32_t references; // of nodes
    bool in_use;
    bool reserved; // bytes that launches hold on the device until they are trimmed
};

wm_cuda_status wm_cuda_graph_memory_new(struct wm_cuda_process *process, uint32_t device,
                                        uint64_t size_bytes, struct wm_cuda_graph_memory **memory);
void wm_cuda_graph_memory_retain(struct wm_cuda_graph_memory *memory);
// With the last node unused memory goes; used memory becomes an allocation like any other.
void wm_cuda_graph_memory_release(struct wm_cuda_process *process,
                                  struct wm_cuda_graph_memory *memory);
// What begins at the address, or NULL.
struct wm_cuda_graph_memory *wm_cuda_graph_memory_at(const struct wm_cuda_process *process,
                                                     uint64_t address);
// A launch allocates it.
void wm_cuda_graph_memory_use(struct wm_cuda_process *process, struct wm_cuda_graph_memory *memory);
// A launch or the program frees it: false when it is not in use.
bool wm_cuda_graph_memory_unuse(struct wm_cuda_process *process,
                                struct wm_cuda_graph_memory *memory);
// Gives back what is reserved on a device and not in use.
void wm_cuda_graph_memory_trim(struct wm_cuda_process *process, uint32_t device);

#endif

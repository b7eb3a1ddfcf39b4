// What a program's memory is called in reports and recordings: allocations by the call that made
// them and its line, the variables of kernels, and those of the program's own threads where these
// run on CPU cores. With the process locked.
#ifndef WM_CUDA_RUN_MEMORY_NAMES_H
#define WM_CUDA_RUN_MEMORY_NAMES_H

#include <stdint.h>

struct wm_cuda_process;
struct wm_memory_names;

// From here on it is kept where the program allocates. By a thread that is none of the program's:
// whatever this needs is taken now, from that thread's heap, so that the program's has the same
// addresses as without.
void wm_memory_calls_start(struct wm_cuda_process *process);
// Memory at that address has been allocated by the calling thread.
void wm_memory_calls_add(struct wm_cuda_process *process, uint64_t address);
// Adds the names of device memory, freed memory among it that has not been handed out again.
void wm_memory_name_allocations(const struct wm_cuda_process *process,
                                struct wm_memory_names *names);
// When the program has ended, before the session's results: gives it all names there are, where
// its results name memory.
void wm_memory_name_all(const struct wm_cuda_process *process);

#endif

// What the program has said about ranges of managed memory (cudaMemAdvise, cudaMemPrefetchAsync),
// kept for queries alone: here host and device always see the same bytes. With the process locked.
#ifndef WM_CUDA_RANGE_ADVICE_H
#define WM_CUDA_RANGE_ADVICE_H

#include "cuda/process.h"

// cudaMemoryAdvise, and 0: a prefetch.
enum { WM_CUDA_PREFETCH = 0, WM_CUDA_ADVICE_LAST = 6 };

// What all bytes of a range have in common; the type of a location that they have not is 0.
struct wm_cuda_advice {
    bool read_mostly, by_device, by_host;
    struct wm_cuda_location preferred, prefetched;
};
struct wm_cuda_advised_range {
    uint64_t begin, end;
    struct wm_cuda_advice advice;
};

// 2 without memory.
wm_cuda_status wm_cuda_advise(struct wm_cuda_process *process, uint64_t address, uint64_t bytes,
                              int advice, struct wm_cuda_location location);
struct wm_cuda_advice wm_cuda_advice_of(const struct wm_cuda_process *process, uint64_t address,
                                        uint64_t bytes);
// An allocation begins there: what was said of an earlier one is forgotten.
void wm_cuda_forget_advice(struct wm_cuda_process *process, uint64_t address, uint64_t bytes);

#endif

// Operations of a stream on single words of memory: waiting until one has a value, and writing one
// (CUDA Driver API, "Stream Memory Operations"). With the process locked.
#ifndef WM_CUDA_MEMORY_OPERATIONS_H
#define WM_CUDA_MEMORY_OPERATIONS_H

#include "cuda/process.h"

// CUstreamBatchMemOpType
enum wm_cuda_memory_operation_type {
    WM_CUDA_WAIT_32 = 1,
    WM_CUDA_WRITE_32 = 2,
    WM_CUDA_FLUSH_REMOTE_WRITES = 3,
    WM_CUDA_WAIT_64 = 4,
    WM_CUDA_WRITE_64 = 5,
    WM_CUDA_MEMORY_BARRIER = 6,
};

// CUstreamWaitValue_flags: what a word is compared for.
enum wm_cuda_wait_condition {
    WM_CUDA_WAIT_AT_LEAST = 0, // as signed numbers of a difference: counters may wrap
    WM_CUDA_WAIT_EQUAL = 1,
    WM_CUDA_WAIT_ANY_BIT = 2,     // of the value
    WM_CUDA_WAIT_ANY_CLEAR = 3,   // bit that is clear in the value, too
    WM_CUDA_WAIT_FLUSH = 1 << 30, // what other devices have written: there are none
};

// CUstreamBatchMemOpParams
union wm_cuda_memory_operation {
    int type; // enum wm_cuda_memory_operation_type
    struct {
        int type;
        uint64_t address;
        uint64_t value; // of 32 bits: the low half
        unsigned flags;
        uint64_t alias;
    } word;
    struct {
        int type;
        unsigned flags;
    } barrier;
    uint64_t words[6];
};
_Static_assert(sizeof(union wm_cuda_memory_operation) == 48, "CUstreamBatchMemOpParams");

// 1 for an operation that does not exist, more than 256 of them, an address that is not allocated
// or not the word's multiple, or flags that do not exist; 801 for a flush, which no other device
// could make needed.
wm_cuda_status wm_cuda_check_memory_operations(const struct wm_cuda_process *process,
                                               const union wm_cuda_memory_operation *operations,
                                               unsigned count);
// One after the other; they have been checked. Where work runs in order of issue, a wait holds up
// what was issued after it in all streams: only the host, or work issued before, can end it. Side
// by side it holds up its stream.
wm_cuda_status wm_cuda_issue_memory_operations(struct wm_cuda_process *process,
                                               struct wm_cuda_stream *stream,
                                               const union wm_cuda_memory_operation *operations,
                                               unsigned count);

#endif

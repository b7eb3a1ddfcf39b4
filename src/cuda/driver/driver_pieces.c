// The launch interface of before CUDA 4: a function keeps its block, its shared memory and its
// parameters, set piece by piece, for the launches that follow.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_prototypes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETER_BYTES = 4352 }; // of a kernel at that time, and a little more

struct pieces {
    struct pieces *next;
    wm_driver_function function;
    unsigned block[3], shared_bytes;
    size_t parameter_bytes;
    char parameters[MAX_PARAMETER_BYTES];
};

// Guarded by the process's mutex.
static struct pieces *all_pieces;

// The function's pieces, made when it has none yet; a thread in each dimension at first.
static wm_cuda_status pieces_of(struct wm_cuda_process *process, wm_driver_function function,
                                struct pieces **found)
{
    if (!wm_cuda_registry_function(&process->registry, function))
        return cudaErrorInvalidResourceHandle;
    for (*found = all_pieces; *found; *found = (*found)->next)
        if ((*found)->function == function)
            return cudaSuccess;
    *found = calloc(1, sizeof **found);
    if (!*found)
        return cudaErrorMemoryAllocation;
    (*found)->next = all_pieces;
    (*found)->function = function;
    (*found)->block[0] = (*found)->block[1] = (*found)->block[2] = 1;
    all_pieces = *found;
    return cudaSuccess;
}

// The body of a function that sets a piece, if `valid`.
#define SET(valid, statement)                                                                 \
    do {                                                                                      \
        struct wm_cuda_process *process;                                                      \
        struct pieces *pieces = NULL;                                                         \
        wm_driver_result begun = wm_driver_begin();                                           \
        if (begun)                                                                            \
            return begun;                                                                     \
        wm_cuda_status status = wm_cuda_enter(&process);                                      \
        if (status == cudaSuccess)                                                            \
            status = (valid) ? pieces_of(process, function, &pieces) : cudaErrorInvalidValue; \
        if (status == cudaSuccess) {                                                          \
            statement;                                                                        \
        }                                                                                     \
        return wm_driver_end(wm_cuda_leave(process, status));                                 \
    } while (0)

WM_CUDA_API wm_driver_result cuFuncSetBlockShape(wm_driver_function function, int x, int y, int z)
{
    SET(x > 0 && y > 0 && z > 0, pieces->block[0] = (unsigned)x; pieces->block[1] = (unsigned)y;
        pieces->block[2] = (unsigned)z);
}

WM_CUDA_API wm_driver_result cuFuncSetSharedSize(wm_driver_function function, unsigned bytes)
{
    SET(true, pieces->shared_bytes = bytes);
}

WM_CUDA_API wm_driver_result cuParamSetSize(wm_driver_function function, unsigned bytes)
{
    SET(bytes <= MAX_PARAMETER_BYTES, pieces->parameter_bytes = bytes);
}

WM_CUDA_API wm_driver_result cuParamSetv(wm_driver_function function, int offset, const void *from,
                                         unsigned bytes)
{
    SET((from || bytes == 0) && offset >= 0 && offset <= MAX_PARAMETER_BYTES &&
            bytes <= MAX_PARAMETER_BYTES - (unsigned)offset,
        if (bytes != 0) memcpy(pieces->parameters + offset, from, bytes));
}

WM_CUDA_API wm_driver_result cuParamSeti(wm_driver_function function, int offset, unsigned value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

WM_CUDA_API wm_driver_result cuParamSetf(wm_driver_function function, int offset, float value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

// A copy, for the launch: other threads may set pieces meanwhile.
static wm_driver_result take(wm_driver_function function, struct pieces *copy)
{
    SET(true, *copy = *pieces);
}

WM_CUDA_API wm_driver_result cuLaunchGridAsync(wm_driver_function function, int width, int height,
                                               wm_cuda_stream_handle stream)
{
    struct pieces pieces;
    wm_driver_result result = take(function, &pieces);
    if (result != CUDA_SUCCESS)
        return result;
    if (width <= 0 || height <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    void *extra[] = {WM_DRIVER_EXTRA_BUFFER, pieces.parameters, WM_DRIVER_EXTRA_BYTES,
                     &pieces.parameter_bytes, WM_DRIVER_EXTRA_END};
    return cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, pieces.block[0],
                          pieces.block[1], pieces.block[2], pieces.shared_bytes, stream, NULL,
                          extra);
}

WM_CUDA_API wm_driver_result cuLaunchGrid(wm_driver_function function, int width, int height)
{
    return cuLaunchGridAsync(function, width, height, NULL);
}

WM_CUDA_API wm_driver_result cuLaunch(wm_driver_function function)
{
    return cuLaunchGridAsync(function, 1, 1, NULL);
}

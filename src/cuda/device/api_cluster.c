// How many clusters of blocks the device holds: clusters of one block are blocks, and no machine
// here runs larger ones (device attribute 120).
#include "cuda/device/kernel_limits.h"
#include "cuda/device/launch_request.h"
#include "cuda/runtime_prototypes.h"

#include <string.h>

enum { ATTRIBUTE_MULTIPROCESSORS = 16 };

// Blocks in a cluster; 0 for dimensions that are none.
static uint64_t cluster_blocks(const struct wm_cuda_launch_configuration *configuration)
{
    uint64_t blocks = 1;
    for (unsigned i = 0; i < configuration->attribute_count; i++) {
        uint32_t size[3];
        if (configuration->attributes[i].id != WM_CUDA_LAUNCH_CLUSTER_DIMENSION)
            continue;
        memcpy(size, configuration->attributes[i].value, sizeof size);
        if (size[0] > UINT16_MAX || size[1] > UINT16_MAX || size[2] > UINT16_MAX)
            return 0;
        blocks = (uint64_t)size[0] * size[1] * size[2];
    }
    return blocks;
}

static wm_cuda_status check(const int *to, const struct wm_cuda_launch_configuration *configuration)
{
    return to && configuration && (configuration->attribute_count == 0 || configuration->attributes)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

// The number of such blocks on the whole device.
static wm_cuda_status count_blocks(const void *function,
                                   const struct wm_cuda_launch_configuration *configuration,
                                   int *blocks)
{
    const struct wm_cuda_dim3 *block = &configuration->block;
    uint64_t threads = (uint64_t)block->x * block->y * block->z;
    int processors = 0;
    if (threads == 0 || threads > INT32_MAX)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    wm_cuda_status status = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, function, (int)threads, configuration->dynamic_shared_bytes, 0);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&processors, ATTRIBUTE_MULTIPROCESSORS, 0);
    *blocks *= processors;
    return status;
}

WM_CUDA_API wm_cuda_status cudaOccupancyMaxActiveClusters(
    int *clusters, const void *function, const struct wm_cuda_launch_configuration *configuration)
{
    wm_cuda_status status = check(clusters, configuration);
    uint64_t size = status == cudaSuccess ? cluster_blocks(configuration) : 0;
    int blocks = 0;
    if (status == cudaSuccess && size == 0)
        status = cudaErrorInvalidValue;
    if (status != cudaSuccess)
        return wm_cuda_set_last_error(status);
    status = count_blocks(function, configuration, &blocks);
    if (status == cudaSuccess)
        *clusters = size == 1 ? blocks : 0;
    return status;
}

WM_CUDA_API wm_cuda_status cudaOccupancyMaxPotentialClusterSize(
    int *blocks, const void *function, const struct wm_cuda_launch_configuration *configuration)
{
    int all = 0;
    wm_cuda_status status = check(blocks, configuration);
    if (status != cudaSuccess)
        return wm_cuda_set_last_error(status);
    status = count_blocks(function, configuration, &all);
    if (status == cudaSuccess)
        *blocks = 1;
    return status;
}

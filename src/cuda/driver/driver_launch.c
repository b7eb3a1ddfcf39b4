// Launches of the driver API: parameters by pointers, or as one block of bytes.
#include "cuda/device/launch_request.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_prototypes.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_PARAMETERS = 1024,
    ATTRIBUTE_COOPERATIVE = 2,
    ALL_DEVICE_FLAGS = 3,    // CU_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_…
    LAST_DEFAULT_STREAM = 2, // handles up to it are names of default streams
};

struct launch_on_device { // CUDA_LAUNCH_PARAMS
    wm_driver_function function;
    unsigned grid[3], block[3], dynamic_shared_bytes;
    wm_cuda_stream_handle stream;
    void **parameters;
};
_Static_assert(sizeof(struct launch_on_device) == 56, "CUDA_LAUNCH_PARAMS");

WM_DRIVER_PER_THREAD(cuLaunchKernel_ptsz, cuLaunchKernel)
WM_DRIVER_PER_THREAD(cuLaunchKernelEx_ptsz, cuLaunchKernelEx)
WM_DRIVER_PER_THREAD(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel)

// ---- Parameters --------------------------------------------------------------------------------

static bool read_extra(void **extra, uint8_t **buffer, size_t *bytes)
{
    *buffer = NULL;
    *bytes = 0;
    for (size_t i = 0; extra[i] != WM_DRIVER_EXTRA_END; i += 2) {
        if (extra[i] == WM_DRIVER_EXTRA_BUFFER)
            *buffer = extra[i + 1];
        else if (extra[i] == WM_DRIVER_EXTRA_BYTES && extra[i + 1])
            memcpy(bytes, extra[i + 1], sizeof *bytes);
        else
            return false;
    }
    return *buffer || *bytes == 0;
}

// Pointers to the parameters in a block of bytes that is laid out as the kernel's .param list is.
static wm_cuda_status point_into(wm_driver_function function, uint8_t *buffer, size_t bytes,
                                 void **parameters)
{
    size_t offset, size;
    size_t i = 0;
    wm_cuda_status status;
    while ((status = cudaFuncGetParamInfo(function, i, &offset, &size)) == cudaSuccess) {
        if (i == MAX_PARAMETERS || offset + size > bytes)
            return cudaErrorInvalidValue;
        parameters[i++] = buffer + offset;
    }
    return status == cudaErrorInvalidValue ? cudaSuccess : status; // the end of the list
}

static wm_cuda_status launch(const struct wm_cuda_launch_configuration *configuration,
                             wm_driver_function function, void **parameters, void **extra)
{
    if (!extra)
        return cudaLaunchKernelExC(configuration, function, parameters);
    uint8_t *buffer;
    size_t bytes;
    if (parameters || !read_extra(extra, &buffer, &bytes))
        return cudaErrorInvalidValue;
    void **pointers = calloc(MAX_PARAMETERS + 1, sizeof(void *));
    if (!pointers)
        return cudaErrorMemoryAllocation;
    wm_cuda_status status = point_into(function, buffer, bytes, pointers);
    if (status == cudaSuccess)
        status = cudaLaunchKernelExC(configuration, function, pointers);
    free(pointers);
    return status;
}

// A module's kernels run on the device of its context, a library's on any.
static bool is_elsewhere(wm_driver_function function)
{
    struct wm_cuda_process *process = wm_cuda_lock();
    const struct wm_cuda_function *known =
        process->device_count > 1 ? wm_cuda_registry_function(&process->registry, function) : NULL;
    const struct wm_driver_module *module = known ? wm_driver_module_of(known->binary) : NULL;
    bool elsewhere =
        module && !module->is_library && module->context->device != wm_cuda_thread()->device;
    wm_cuda_unlock(process);
    return elsewhere;
}

// A launch that is refused for its configuration is an invalid value in this API.
static wm_driver_result launch_result(const struct wm_cuda_launch_configuration *configuration,
                                      wm_driver_function function, void **parameters, void **extra)
{
    WM_DRIVER_RETURN(is_elsewhere(function) ? cudaErrorInvalidResourceHandle
                                            : launch(configuration, function, parameters, extra));
}

// ---- Launches ----------------------------------------------------------------------------------

WM_CUDA_API wm_driver_result cuLaunchKernel(wm_driver_function function, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned block_x,
                                            unsigned block_y, unsigned block_z,
                                            unsigned dynamic_shared_bytes,
                                            wm_cuda_stream_handle stream, void **parameters,
                                            void **extra)
{
    struct wm_cuda_launch_configuration configuration = {
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .dynamic_shared_bytes = dynamic_shared_bytes,
        .stream = stream,
    };
    return launch_result(&configuration, function, parameters, extra);
}

static struct wm_cuda_launch_configuration configuration_of(
    const struct wm_driver_launch_configuration *given)
{
    return (struct wm_cuda_launch_configuration){
        .grid = {given->grid_x, given->grid_y, given->grid_z},
        .block = {given->block_x, given->block_y, given->block_z},
        .dynamic_shared_bytes = given->dynamic_shared_bytes,
        .stream = given->stream,
        .attributes = given->attributes,
        .attribute_count = given->attribute_count,
    };
}

WM_CUDA_API wm_driver_result cuLaunchKernelEx(const struct wm_driver_launch_configuration *given,
                                              wm_driver_function function, void **parameters,
                                              void **extra)
{
    if (!given)
        return CUDA_ERROR_INVALID_VALUE;
    struct wm_cuda_launch_configuration configuration = configuration_of(given);
    return launch_result(&configuration, function, parameters, extra);
}

WM_CUDA_API wm_driver_result cuLaunchCooperativeKernel(
    wm_driver_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_shared_bytes,
    wm_cuda_stream_handle stream, void **parameters)
{
    struct wm_cuda_launch_attribute attribute = {.id = ATTRIBUTE_COOPERATIVE};
    uint32_t yes = 1;
    memcpy(attribute.value, &yes, sizeof yes);
    struct wm_cuda_launch_configuration configuration = {
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .dynamic_shared_bytes = dynamic_shared_bytes,
        .stream = stream,
        .attributes = &attribute,
        .attribute_count = 1,
    };
    return launch_result(&configuration, function, parameters, NULL);
}

// One launch, in a stream of its own, as the interface requires.
WM_CUDA_API wm_driver_result cuLaunchCooperativeKernelMultiDevice(
    const struct launch_on_device *launches, unsigned count, unsigned flags)
{
    if (!launches || count == 0 || flags > ALL_DEVICE_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    if (count != 1)
        return wm_driver_result_of(
            wm_cuda_refuse_multi_device("cuLaunchCooperativeKernelMultiDevice", count));
    if ((uintptr_t)launches->stream <= LAST_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_HANDLE;
    return cuLaunchCooperativeKernel(launches->function, launches->grid[0], launches->grid[1],
                                     launches->grid[2], launches->block[0], launches->block[1],
                                     launches->block[2], launches->dynamic_shared_bytes,
                                     launches->stream, launches->parameters);
}

// ---- Occupancy of clusters ---------------------------------------------------------------------

typedef wm_cuda_status count_clusters(int *count, const void *function,
                                      const struct wm_cuda_launch_configuration *configuration);

static wm_driver_result query(int *count, wm_driver_function function,
                              const struct wm_driver_launch_configuration *given,
                              count_clusters *function_of)
{
    struct wm_cuda_launch_configuration configuration = {.attribute_count = 0};
    if (given)
        configuration = configuration_of(given);
    WM_DRIVER_RETURN(function_of(count, function, given ? &configuration : NULL));
}

WM_CUDA_API wm_driver_result cuOccupancyMaxActiveClusters(
    int *clusters, wm_driver_function function, const struct wm_driver_launch_configuration *given)
{
    return query(clusters, function, given, cudaOccupancyMaxActiveClusters);
}

WM_CUDA_API wm_driver_result cuOccupancyMaxPotentialClusterSize(
    int *blocks, wm_driver_function function, const struct wm_driver_launch_configuration *given)
{
    return query(blocks, function, given, cudaOccupancyMaxPotentialClusterSize);
}

// Launches of the driver API: parameters by pointers, or as one block of bytes; and the interface
// of before CUDA 4, which collects a launch piece by piece.
#include "cuda/driver/driver.h"
#include "cuda/driver/runtime_functions.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_PARAMETERS = 1024,
    MAX_PARAMETER_BYTES = 32764, // of a kernel, since CUDA 12.1
    ATTRIBUTE_COOPERATIVE = 2,
    PARAMETER_TEXTURE_DEFAULT = -1,
};
// The list that ends a launch's arguments: CU_LAUNCH_PARAM_*.
#define EXTRA_END ((void *)0)
#define EXTRA_BUFFER ((void *)1)
#define EXTRA_BYTES ((void *)2)

WM_CUDA_API wm_driver_result cuLaunchKernel(wm_driver_function function, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned block_x,
                                            unsigned block_y, unsigned block_z,
                                            unsigned dynamic_shared_bytes,
                                            wm_cuda_stream_handle stream, void **parameters,
                                            void **extra);
WM_CUDA_API wm_driver_result
cuLaunchKernelEx(const struct wm_driver_launch_configuration *configuration,
                 wm_driver_function function, void **parameters, void **extra);
WM_CUDA_API wm_driver_result cuLaunchCooperativeKernel(
    wm_driver_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_shared_bytes,
    wm_cuda_stream_handle stream, void **parameters);
WM_CUDA_ALIAS(cuLaunchKernel_ptsz, cuLaunchKernel);
WM_CUDA_ALIAS(cuLaunchKernelEx_ptsz, cuLaunchKernelEx);
WM_CUDA_ALIAS(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel);

// ---- Parameters --------------------------------------------------------------------------------

static bool read_extra(void **extra, uint8_t **buffer, size_t *bytes)
{
    *buffer = NULL;
    *bytes = 0;
    for (size_t i = 0; extra[i] != EXTRA_END; i += 2) {
        if (extra[i] == EXTRA_BUFFER)
            *buffer = extra[i + 1];
        else if (extra[i] == EXTRA_BYTES && extra[i + 1])
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

// A launch that is refused for its configuration is an invalid value in this API.
static wm_driver_result launch_result(const struct wm_cuda_launch_configuration *configuration,
                                      wm_driver_function function, void **parameters, void **extra)
{
    WM_DRIVER_RETURN(launch(configuration, function, parameters, extra));
}

// ---- Launches ----------------------------------------------------------------------------------

wm_driver_result cuLaunchKernel(wm_driver_function function, unsigned grid_x, unsigned grid_y,
                                unsigned grid_z, unsigned block_x, unsigned block_y,
                                unsigned block_z, unsigned dynamic_shared_bytes,
                                wm_cuda_stream_handle stream, void **parameters, void **extra)
{
    struct wm_cuda_launch_configuration configuration = {
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .dynamic_shared_bytes = dynamic_shared_bytes,
        .stream = stream,
    };
    return launch_result(&configuration, function, parameters, extra);
}

wm_driver_result cuLaunchKernelEx(const struct wm_driver_launch_configuration *given,
                                  wm_driver_function function, void **parameters, void **extra)
{
    if (!given)
        return CUDA_ERROR_INVALID_VALUE;
    struct wm_cuda_launch_configuration configuration = {
        .grid = {given->grid_x, given->grid_y, given->grid_z},
        .block = {given->block_x, given->block_y, given->block_z},
        .dynamic_shared_bytes = given->dynamic_shared_bytes,
        .stream = given->stream,
        .attributes = given->attributes,
        .attribute_count = given->attribute_count,
    };
    return launch_result(&configuration, function, parameters, extra);
}

wm_driver_result cuLaunchCooperativeKernel(wm_driver_function function, unsigned grid_x,
                                           unsigned grid_y, unsigned grid_z, unsigned block_x,
                                           unsigned block_y, unsigned block_z,
                                           unsigned dynamic_shared_bytes,
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

// Launches: the configuration is checked at once, with CUDA's codes; the kernel runs later.
#include "base/hash.h"
#include "cuda/device_commands.h"
#include "cuda/kernel_limits.h"
#include "cuda/stream_table.h"

#include <stdlib.h>
#include <string.h>

WM_CUDA_API wm_cuda_status __cudaGetKernel(struct wm_cuda_function **handle, const void *host);
WM_CUDA_API wm_cuda_status __cudaLaunchKernel(const void *function, struct wm_cuda_dim3 grid,
                                              struct wm_cuda_dim3 block, void **arguments,
                                              size_t dynamic_shared_bytes,
                                              wm_cuda_stream_handle stream);
WM_CUDA_API wm_cuda_status
cudaLaunchKernelExC(const struct wm_cuda_launch_configuration *configuration, const void *function,
                    void **arguments);

WM_CUDA_API wm_cuda_status cudaLaunchCooperativeKernel(const void *function,
                                                       struct wm_cuda_dim3 grid,
                                                       struct wm_cuda_dim3 block, void **arguments,
                                                       size_t dynamic_shared_bytes,
                                                       wm_cuda_stream_handle stream);

WM_CUDA_ALIAS(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);
WM_CUDA_ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);
WM_CUDA_ALIAS(cudaLaunchKernel, __cudaLaunchKernel);
WM_CUDA_ALIAS(cudaLaunchKernel_ptsz, __cudaLaunchKernel);
WM_CUDA_ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

// The stub keeps the handle for ever, so it is given even when the kernel turns out not to load:
// each launch then says why.
wm_cuda_status __cudaGetKernel(struct wm_cuda_function **handle, const void *host)
{
    if (!handle)
        return wm_cuda_note(cudaErrorInvalidValue);
    struct wm_cuda_process *process = wm_cuda_lock();
    *handle = wm_cuda_registry_function(&process->registry, host);
    wm_cuda_unlock(process);
    return *handle ? cudaSuccess : wm_cuda_note(cudaErrorInvalidDeviceFunction);
}

// The parameter block, laid out as the PTX entry's .param list says; args[i] points at the i-th.
static void pack_parameters(const struct wm_kernel *kernel, void *const *arguments, uint8_t *block)
{
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct wm_kernel_parameter *parameter = &kernel->parameters[i];
        memcpy(block + parameter->offset, arguments[i], parameter->size);
    }
}

static wm_cuda_status push_launch(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                  struct wm_launch *launch, void *const *arguments)
{
    const struct wm_kernel *kernel = launch->kernel;
    if (kernel->parameter_count > 0 && !arguments)
        return cudaErrorInvalidValue;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (!arguments[i])
            return cudaErrorInvalidValue;
    uint8_t *block = calloc(1, kernel->parameter_bytes ? kernel->parameter_bytes : 1);
    if (!block)
        return cudaErrorMemoryAllocation;
    pack_parameters(kernel, arguments, block);
    launch->parameters = block;
    launch->parameter_bytes = kernel->parameter_bytes;
    uint64_t sequence = wm_cuda_push_launch(process, stream, launch);
    free(block);
    return sequence ? cudaSuccess : cudaErrorMemoryAllocation;
}

static void explain_once(struct wm_cuda_function *function, struct wm_error *error)
{
    uint64_t hash = wm_hash_bytes(error->message, strlen(error->message));
    if (function->explained == hash)
        return;
    function->explained = hash;
    wm_error_place(error, "launch of kernel \"%.128s\"", function->name);
    wm_cuda_print_error(error);
}

static wm_cuda_status launch_locked(struct wm_cuda_process *process, const void *host,
                                    const struct wm_cuda_configuration *configuration,
                                    void *const *arguments)
{
    struct wm_cuda_stream *stream;
    const struct wm_kernel *kernel;
    struct wm_cuda_function *function = wm_cuda_registry_function(&process->registry, host);
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    wm_cuda_status status = wm_cuda_stream_resolve(process, configuration->stream, &stream);
    if (status == cudaSuccess)
        status = wm_cuda_function_kernel(process, function, &kernel);
    if (status != cudaSuccess)
        return status;
    const struct wm_cuda_dim3 *grid = &configuration->grid, *block = &configuration->block;
    struct wm_error error;
    wm_error_clear(&error);
    status = wm_cuda_check_launch(process, function, configuration, &error);
    if (status == cudaSuccess && configuration->cooperative)
        status = wm_cuda_check_cooperative(process, function, configuration, &error);
    if (status != cudaSuccess) {
        explain_once(function, &error);
        return status;
    }
    uint64_t workspace = 0;
    status = wm_cuda_prepare_runtime(process, kernel);
    if (status == cudaSuccess && configuration->cooperative)
        status = wm_cuda_prepare_workspace(process, &workspace);
    if (status != cudaSuccess)
        return status;
    struct wm_launch launch = {
        .kernel = kernel,
        .grid = {grid->x, grid->y, grid->z},
        .block = {block->x, block->y, block->z},
        .dynamic_shared_bytes = (uint32_t)configuration->dynamic_shared_bytes,
        .preferred_carveout = (uint32_t)(function->preferred_carveout + 1),
        .workspace = workspace,
        .heap = &process->runtime.heap,
    };
    return push_launch(process, stream, &launch, arguments);
}

static wm_cuda_status launch(const void *function,
                             const struct wm_cuda_configuration *configuration, void **arguments)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = launch_locked(process, function, configuration, arguments);
    return wm_cuda_leave(process, status);
}

wm_cuda_status __cudaLaunchKernel(const void *function, struct wm_cuda_dim3 grid,
                                  struct wm_cuda_dim3 block, void **arguments,
                                  size_t dynamic_shared_bytes, wm_cuda_stream_handle stream)
{
    struct wm_cuda_configuration configuration = {
        .grid = grid,
        .block = block,
        .dynamic_shared_bytes = dynamic_shared_bytes,
        .stream = stream,
    };
    return launch(function, &configuration, arguments);
}

wm_cuda_status cudaLaunchCooperativeKernel(const void *function, struct wm_cuda_dim3 grid,
                                           struct wm_cuda_dim3 block, void **arguments,
                                           size_t dynamic_shared_bytes,
                                           wm_cuda_stream_handle stream)
{
    struct wm_cuda_configuration configuration = {
        .grid = grid,
        .block = block,
        .dynamic_shared_bytes = dynamic_shared_bytes,
        .stream = stream,
        .cooperative = true,
    };
    return launch(function, &configuration, arguments);
}

// Attributes of cudaLaunchAttributeID that a launch may carry here: hints, those whose value asks
// for nothing, and the one that makes it cooperative.
enum launch_attribute {
    LAUNCH_IGNORE = 0,
    LAUNCH_ACCESS_POLICY_WINDOW = 1, // a caching hint
    LAUNCH_COOPERATIVE = 2,
    LAUNCH_CLUSTER_DIMENSION = 4,
    LAUNCH_PROGRAMMATIC_SERIALIZATION = 6, // allows overlap with the launch before
    LAUNCH_PRIORITY = 8,
    LAUNCH_MEMORY_DOMAIN_MAP = 9,
    LAUNCH_MEMORY_DOMAIN = 10,
    LAUNCH_SHARED_CARVEOUT = 14,
};

static bool take_attribute(const struct wm_cuda_launch_attribute *attribute,
                           struct wm_cuda_configuration *configuration)
{
    uint32_t words[3];
    memcpy(words, attribute->value, sizeof words);
    switch (attribute->id) {
    case LAUNCH_IGNORE:
    case LAUNCH_ACCESS_POLICY_WINDOW:
    case LAUNCH_PROGRAMMATIC_SERIALIZATION:
    case LAUNCH_PRIORITY:
    case LAUNCH_MEMORY_DOMAIN_MAP:
    case LAUNCH_MEMORY_DOMAIN:
    case LAUNCH_SHARED_CARVEOUT: return true;
    case LAUNCH_COOPERATIVE: configuration->cooperative = words[0] != 0; return true;
    case LAUNCH_CLUSTER_DIMENSION: return words[0] <= 1 && words[1] <= 1 && words[2] <= 1;
    default: return false;
    }
}

wm_cuda_status cudaLaunchKernelExC(const struct wm_cuda_launch_configuration *given,
                                   const void *function, void **arguments)
{
    if (!given || (given->attribute_count > 0 && !given->attributes))
        return wm_cuda_note(cudaErrorInvalidValue);
    struct wm_cuda_configuration configuration = {
        .grid = given->grid,
        .block = given->block,
        .dynamic_shared_bytes = given->dynamic_shared_bytes,
        .stream = given->stream,
    };
    for (unsigned i = 0; i < given->attribute_count; i++) {
        if (!take_attribute(&given->attributes[i], &configuration)) {
            fprintf(stderr, "warpmem: cudaLaunchKernelExC: launch attribute %d is not supported\n",
                    given->attributes[i].id);
            return wm_cuda_note(cudaErrorNotSupported);
        }
    }
    return launch(function, &configuration, arguments);
}

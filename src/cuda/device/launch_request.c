#include "cuda/device/launch_request.h"

#include "base/numbers/hash.h"
#include "cuda/device/kernel_limits.h"
#include "cuda/error/log.h"

#include <stdlib.h>
#include <string.h>

static void explain_once(struct wm_cuda_process *process, struct wm_cuda_function *function,
                         struct wm_error *error)
{
    uint64_t hash = wm_hash_bytes(error->message, strlen(error->message));
    wm_error_place(error, "launch of kernel \"%.128s\"", function->name);
    wm_run_report_note(&process->report, error, false); // each, the report counts them
    if (function->explained == hash)
        return;
    function->explained = hash;
    wm_cuda_print_error(error);
}

// There is no such kernel: the reason was printed when it was looked for first.
static void note_absent(struct wm_cuda_process *process, const struct wm_cuda_function *function)
{
    const struct wm_error *reasons[] = {&function->error, &function->binary->load_error,
                                        &function->binary->error};
    struct wm_error error;
    wm_fail(&error, WM_NOT_FOUND, "there is no such kernel");
    for (size_t i = sizeof reasons / sizeof reasons[0]; i-- > 0;)
        if (reasons[i]->status != WM_OK)
            error = *reasons[i];
    wm_error_place(&error, "launch of kernel \"%.128s\"", function->name);
    wm_run_report_note(&process->report, &error, false);
}

// Kernels that wait for what they launch. CUDA loads none of them for devices from compute
// capability 9.0 on.
static wm_cuda_status check_waits(const struct wm_cuda_process *process,
                                  const struct wm_kernel *kernel, struct wm_error *error)
{
    const struct wm_machine *machine = &process->machine;
    if (!kernel->synchronises)
        return cudaSuccess;
    if (machine->device.compute_major >= 9) {
        wm_fail(error, WM_UNSUPPORTED,
                "the kernel waits for what it launched (cudaDeviceSynchronize), which no device of "
                "compute capability 9.0 or later can, and machine %s has %u.%u",
                machine->name, machine->device.compute_major, machine->device.compute_minor);
        wm_error_hint(error, "put what follows into a kernel launched on cudaStreamTailLaunch, or "
                             "choose an older machine");
        return cudaErrorCdpNotSupported;
    }
    if (process->recorder == NULL && !process->checks_in_order)
        return cudaSuccess;
    wm_fail(
        error, WM_UNSUPPORTED,
        "the kernel waits for what it launched (cudaDeviceSynchronize), so that its launch goes "
        "on behind theirs: %s",
        process->recorder ? "a recording has launches one behind the other"
                          : "--check follows one launch at a time");
    wm_error_hint(error, "use warpmem run%s",
                  process->recorder ? "" : " without --check, or with --host-threads");
    return cudaErrorNotSupported;
}

wm_cuda_status wm_cuda_prepare_launch(struct wm_cuda_process *process,
                                      struct wm_cuda_function *function,
                                      const struct wm_cuda_configuration *configuration,
                                      struct wm_launch *launch)
{
    const struct wm_kernel *kernel;
    wm_cuda_status status = wm_cuda_function_kernel(process, function, &kernel);
    if (status != cudaSuccess) {
        note_absent(process, function);
        return status;
    }
    const struct wm_cuda_dim3 *grid = &configuration->grid, *block = &configuration->block;
    struct wm_error error;
    wm_error_clear(&error);
    status = check_waits(process, kernel, &error);
    if (status == cudaSuccess)
        status = wm_cuda_check_launch(process, function, configuration, &error);
    if (status == cudaSuccess && configuration->cooperative)
        status = wm_cuda_check_cooperative(process, function, configuration, &error);
    if (status != cudaSuccess) {
        explain_once(process, function, &error);
        return status;
    }
    uint64_t workspace = 0;
    status = wm_cuda_prepare_runtime(process, kernel);
    if (status == cudaSuccess && configuration->cooperative)
        status = wm_cuda_prepare_workspace(process, &workspace);
    if (status != cudaSuccess)
        return status;
    struct wm_cuda_device *device = wm_cuda_current(process);
    *launch = (struct wm_launch){
        .kernel = kernel,
        .gpu = wm_cuda_thread()->device,
        .peers = device->peers,
        .grid = {grid->x, grid->y, grid->z},
        .block = {block->x, block->y, block->z},
        .dynamic_shared_bytes = (uint32_t)configuration->dynamic_shared_bytes,
        .preferred_carveout = (uint32_t)(function->preferred_carveout + 1),
        .parameter_bytes = kernel->parameter_bytes,
        .workspace = workspace,
        .stack_bytes = device->limits[WM_CUDA_LIMIT_STACK],
        .heap = &device->runtime.heap,
        .textures = &process->textures,
        .conditions = &process->conditions,
    };
    return cudaSuccess;
}

wm_cuda_status wm_cuda_pack_parameters(const struct wm_kernel *kernel, void *const *arguments,
                                       uint8_t **block)
{
    *block = NULL;
    if (kernel->parameter_count > 0 && !arguments)
        return cudaErrorInvalidValue;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (!arguments[i])
            return cudaErrorInvalidValue;
    *block = calloc(1, kernel->parameter_bytes ? kernel->parameter_bytes : 1);
    if (!*block)
        return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct wm_kernel_parameter *parameter = &kernel->parameters[i];
        memcpy(*block + parameter->offset, arguments[i], parameter->size);
    }
    return cudaSuccess;
}

bool wm_cuda_take_attribute(const struct wm_cuda_launch_attribute *attribute,
                            struct wm_cuda_configuration *configuration)
{
    uint32_t words[3];
    memcpy(words, attribute->value, sizeof words);
    switch (attribute->id) {
    case WM_CUDA_LAUNCH_IGNORE:
    case WM_CUDA_LAUNCH_ACCESS_POLICY_WINDOW:
    case WM_CUDA_LAUNCH_PROGRAMMATIC_SERIALIZATION:
    case WM_CUDA_LAUNCH_PRIORITY:
    case WM_CUDA_LAUNCH_MEMORY_DOMAIN_MAP:
    case WM_CUDA_LAUNCH_MEMORY_DOMAIN:
    case WM_CUDA_LAUNCH_SHARED_CARVEOUT: return true;
    case WM_CUDA_LAUNCH_COOPERATIVE: configuration->cooperative = words[0] != 0; return true;
    case WM_CUDA_LAUNCH_CLUSTER_DIMENSION: return words[0] <= 1 && words[1] <= 1 && words[2] <= 1;
    default: return false;
    }
}

wm_cuda_status wm_cuda_refuse_multi_device(const char *function, unsigned count)
{
    struct wm_cuda_process *process = wm_cuda_lock();
    bool possible = count <= process->device_count;
    wm_cuda_unlock(process);
    if (!possible)
        return cudaErrorInvalidValue;
    wm_log_explain(WM_LOG_ERROR,
                   "%s: blocks of different devices cannot wait for each other here: launch one "
                   "kernel on each device, and order them by events\n",
                   function);
    return cudaErrorNotSupported;
}

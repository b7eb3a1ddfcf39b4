#include "cuda/device/kernel_limits.h"

struct wm_cuda_dim3 wm_cuda_max_block(const struct wm_machine *machine)
{
    uint32_t threads = machine->sm.max_threads_per_block;
    return (struct wm_cuda_dim3){threads, threads, threads < 64 ? threads : 64};
}

struct wm_cuda_dim3 wm_cuda_max_grid(const struct wm_machine *machine)
{
    return (struct wm_cuda_dim3){machine->device.compute_major >= 3 ? 2147483647 : 65535, 65535,
                                 65535};
}

uint64_t wm_cuda_default_shared_bytes(const struct wm_machine *machine)
{
    const uint64_t usual = 48 << 10;
    uint64_t most = machine->sm.shared_bytes_per_block;
    return most < usual ? most : usual;
}

static bool within(const struct wm_cuda_dim3 *size, const struct wm_cuda_dim3 *most)
{
    return size->x >= 1 && size->x <= most->x && size->y >= 1 && size->y <= most->y &&
           size->z >= 1 && size->z <= most->z;
}

static wm_cuda_status bad_dimensions(struct wm_error *error, const char *what,
                                     const struct wm_cuda_dim3 *size,
                                     const struct wm_cuda_dim3 *most)
{
    wm_fail(error, WM_LIMIT, "a %s of (%u, %u, %u) is not between 1 and (%u, %u, %u)", what,
            size->x, size->y, size->z, most->x, most->y, most->z);
    return cudaErrorInvalidConfiguration;
}

static wm_cuda_status check_shared(const struct wm_cuda_process *process,
                                   const struct wm_cuda_function *function, uint64_t dynamic_bytes,
                                   struct wm_error *error)
{
    const struct wm_machine *machine = &process->machine;
    uint64_t fixed = function->kernel->static_shared_bytes;
    uint64_t most = wm_cuda_default_shared_bytes(machine);
    if (function->max_dynamic_shared_bytes > 0 &&
        fixed + (uint64_t)function->max_dynamic_shared_bytes > most)
        most = fixed + (uint64_t)function->max_dynamic_shared_bytes;
    if (dynamic_bytes <= most && fixed + dynamic_bytes <= most)
        return cudaSuccess;
    wm_fail(error, WM_LIMIT,
            "a block wants %llu bytes of shared memory (%llu of them dynamic) and may have %llu",
            (unsigned long long)(fixed + dynamic_bytes), (unsigned long long)dynamic_bytes,
            (unsigned long long)most);
    if (fixed + dynamic_bytes <= machine->sm.shared_bytes_per_block)
        wm_error_hint(error, "request it with cudaFuncSetAttribute(kernel, "
                             "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)");
    return cudaErrorInvalidValue;
}

wm_cuda_status wm_cuda_check_launch(const struct wm_cuda_process *process,
                                    const struct wm_cuda_function *function,
                                    const struct wm_cuda_configuration *configuration,
                                    struct wm_error *error)
{
    const struct wm_machine *machine = &process->machine;
    const struct wm_cuda_dim3 *block = &configuration->block;
    struct wm_cuda_dim3 max_block = wm_cuda_max_block(machine),
                        max_grid = wm_cuda_max_grid(machine);
    if (!within(&configuration->grid, &max_grid))
        return bad_dimensions(error, "grid", &configuration->grid, &max_grid);
    if (!within(block, &max_block))
        return bad_dimensions(error, "block", block, &max_block);
    uint64_t threads = (uint64_t)block->x * block->y * block->z;
    if (threads > machine->sm.max_threads_per_block) {
        wm_fail(error, WM_LIMIT, "a block of %llu threads is larger than machine %s allows: %u",
                (unsigned long long)threads, machine->name, machine->sm.max_threads_per_block);
        return cudaErrorInvalidConfiguration;
    }
    uint32_t compiled_for = function->kernel->max_threads_per_block;
    if (compiled_for > 0 && threads > compiled_for) {
        wm_fail(error, WM_LIMIT, "a block of %llu threads is larger than the kernel's bound of %u",
                (unsigned long long)threads, compiled_for);
        wm_error_hint(error, "raise the kernel's __launch_bounds__ or launch smaller blocks");
        return cudaErrorLaunchOutOfResources;
    }
    return check_shared(process, function, configuration->dynamic_shared_bytes, error);
}

uint32_t wm_cuda_blocks_per_sm(const struct wm_cuda_process *process,
                               const struct wm_cuda_function *function, uint32_t threads,
                               uint64_t dynamic_shared_bytes)
{
    const struct wm_sm_spec *sm = &process->machine.sm;
    const struct wm_kernel *kernel = function->kernel;
    uint64_t shared_bytes = kernel->static_shared_bytes + dynamic_shared_bytes;
    uint32_t bound = kernel->max_threads_per_block;
    if (threads == 0 || threads > sm->max_threads_per_block || (bound > 0 && threads > bound) ||
        shared_bytes < dynamic_shared_bytes)
        return 0;
    struct wm_block_resources needs = {
        .threads = threads,
        .registers_per_thread = kernel->registers_per_thread,
        .shared_bytes = shared_bytes,
        .preferred_carveout = (uint32_t)(function->preferred_carveout + 1),
    };
    // As the engine does: an estimate of registers refuses no launch.
    uint32_t most = wm_occupancy_most_registers(sm, threads);
    if (most != 0 && needs.registers_per_thread > most)
        needs.registers_per_thread = most;
    struct wm_occupancy occupancy;
    return wm_occupancy_of(sm, &needs, &occupancy, NULL) == WM_OK ? occupancy.blocks : 0;
}

wm_cuda_status wm_cuda_check_cooperative(const struct wm_cuda_process *process,
                                         const struct wm_cuda_function *function,
                                         const struct wm_cuda_configuration *configuration,
                                         struct wm_error *error)
{
    const struct wm_cuda_dim3 *grid = &configuration->grid, *block = &configuration->block;
    uint64_t blocks = (uint64_t)grid->x * grid->y * grid->z;
    uint32_t each = wm_cuda_blocks_per_sm(process, function, block->x * block->y * block->z,
                                          configuration->dynamic_shared_bytes);
    uint64_t most = (uint64_t)each * process->machine.sm.count;
    if (blocks <= most)
        return cudaSuccess;
    wm_fail(
        error, WM_LIMIT,
        "a cooperative launch of %llu blocks, of which machine %s holds %llu at once: %u on each "
        "of %u SMs",
        (unsigned long long)blocks, process->machine.name, (unsigned long long)most, each,
        process->machine.sm.count);
    wm_error_hint(error,
                  "launch as many as cudaOccupancyMaxActiveBlocksPerMultiprocessor times the "
                  "number of SMs, and let each block do more");
    return cudaErrorCooperativeLaunchTooLarge;
}

static int whole(uint64_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

struct wm_cuda_function_attributes wm_cuda_attributes_of(const struct wm_cuda_process *process,
                                                         const struct wm_cuda_function *function)
{
    const struct wm_kernel *kernel = function->kernel;
    const struct wm_machine *machine = &process->machine;
    int capability = (int)(machine->device.compute_major * 10 + machine->device.compute_minor);
    // Libraries choose among what they were compiled for by the version of the code that runs,
    // which may be newer than the machine.
    int architecture = (int)function->ptx_architecture;
    uint64_t usual = wm_cuda_default_shared_bytes(machine);
    uint64_t left = usual > kernel->static_shared_bytes ? usual - kernel->static_shared_bytes : 0;
    uint32_t threads = machine->sm.max_threads_per_block;
    if (kernel->max_threads_per_block > 0 && kernel->max_threads_per_block < threads)
        threads = kernel->max_threads_per_block;
    return (struct wm_cuda_function_attributes){
        .shared_bytes = kernel->static_shared_bytes,
        .constant_bytes = kernel->constant_bytes,
        .local_bytes = kernel->local_bytes_per_thread,
        .max_threads_per_block = whole(threads),
        .registers = whole(kernel->registers_per_thread),
        .ptx_version = architecture,
        .binary_version = capability > architecture ? capability : architecture,
        .max_dynamic_shared_bytes = function->max_dynamic_shared_bytes > 0
                                        ? function->max_dynamic_shared_bytes
                                        : whole(left),
        .preferred_carveout = function->preferred_carveout,
    };
}

wm_cuda_status wm_cuda_check_limit(const struct wm_machine *machine, int limit)
{
    if (limit < 0 || limit >= WM_CUDA_LIMITS)
        return cudaErrorInvalidValue;
    if (limit == WM_CUDA_LIMIT_SYNC_DEPTH && machine->device.compute_major >= 9)
        return cudaErrorUnsupportedLimit;
    return limit == WM_CUDA_LIMIT_PERSISTING_L2 && machine->device.persisting_l2_bytes == 0
               ? cudaErrorUnsupportedLimit
               : cudaSuccess;
}

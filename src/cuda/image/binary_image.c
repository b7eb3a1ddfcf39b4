#include "cuda/image/binary_image.h"

#include <string.h>

wm_cuda_status wm_cuda_image_load(struct wm_cuda_process *process, const void *image,
                                  struct wm_cuda_binary **made, struct wm_error *error)
{
    *made = NULL;
    struct wm_cuda_binary *binary = wm_cuda_registry_add_binary(&process->registry, image);
    if (!binary)
        return cudaErrorMemoryAllocation;
    binary->image = true;
    wm_cuda_status status = wm_cuda_binary_load(process, binary);
    if (status != cudaSuccess) {
        *error = binary->failure != cudaSuccess ? binary->error : binary->load_error;
        wm_cuda_registry_drop_binary(&process->registry, binary);
        return status;
    }
    *made = binary;
    return cudaSuccess;
}

static bool has_kernel(const struct wm_cuda_binary *binary, const char *name)
{
    for (uint32_t i = 0; i < wm_cuda_image_kernel_count(binary); i++)
        if (strcmp(wm_cuda_image_kernel_name(binary, i), name) == 0)
            return true;
    return false;
}

wm_cuda_status wm_cuda_image_kernel(struct wm_cuda_process *process, struct wm_cuda_binary *binary,
                                    const char *name, struct wm_cuda_function **function)
{
    struct wm_cuda_registry *registry = &process->registry;
    for (uint32_t i = 0; i < registry->function_count; i++) {
        struct wm_cuda_function *known = registry->functions[i];
        if (known->binary == binary && strcmp(known->name, name) == 0) {
            *function = known;
            return cudaSuccess;
        }
    }
    if (!has_kernel(binary, name))
        return cudaErrorSymbolNotFound;
    // No host function stands for it: its handle does.
    if (!wm_cuda_registry_add_function(registry, binary, NULL, name))
        return cudaErrorMemoryAllocation;
    *function = registry->functions[registry->function_count - 1];
    (*function)->host = *function;
    return cudaSuccess;
}

uint32_t wm_cuda_image_kernel_count(const struct wm_cuda_binary *binary)
{
    return binary->program ? wm_program_kernel_count(binary->program) : 0;
}

const char *wm_cuda_image_kernel_name(const struct wm_cuda_binary *binary, uint32_t index)
{
    return wm_program_kernel_name(binary->program, index);
}

wm_cuda_status wm_cuda_image_variable(struct wm_cuda_process *process,
                                      struct wm_cuda_binary *binary, const char *name,
                                      uint64_t *address, uint64_t *size_bytes)
{
    wm_cuda_status status = binary->program ? wm_cuda_binary_load(process, binary) : cudaSuccess;
    const struct wm_program *program = binary->programs[wm_cuda_thread()->device];
    if (status != cudaSuccess)
        return status;
    return program && wm_program_variable(program, name, address, size_bytes)
               ? cudaSuccess
               : cudaErrorSymbolNotFound;
}

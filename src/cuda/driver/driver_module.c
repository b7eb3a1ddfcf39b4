// Modules of the driver API, which are its libraries too: device code from the program's memory or
// from a file (PTX text or a fat binary with PTX), its kernels and its variables.
#include "cuda/driver/driver_assembler.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/image/binary_image.h"
#include "cuda/texture/references.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LOADING_LAZY = 2 }; // CUmoduleLoadingMode

WM_CUDA_ALIAS(cuLibraryUnload, cuModuleUnload);
WM_CUDA_API __typeof__(cuModuleGetFunction) cuLibraryGetKernel
    __attribute__((alias("cuModuleGetFunction")));
WM_CUDA_API __typeof__(cuModuleGetFunctionCount) cuLibraryGetKernelCount
    __attribute__((alias("cuModuleGetFunctionCount")));
WM_CUDA_API __typeof__(cuModuleEnumerateFunctions) cuLibraryEnumerateKernels
    __attribute__((alias("cuModuleEnumerateFunctions")));
WM_CUDA_API __typeof__(cuModuleGetGlobal_v2) cuLibraryGetGlobal
    __attribute__((alias("cuModuleGetGlobal_v2")));

// Guarded by the process's mutex.
static struct wm_driver_module *the_modules;

// ---- Handles -----------------------------------------------------------------------------------

static bool known(const struct wm_driver_module *handle)
{
    for (const struct wm_driver_module *module = the_modules; module; module = module->next)
        if (module == handle)
            return true;
    return false;
}

struct wm_driver_module *wm_driver_module_of(const struct wm_cuda_binary *binary)
{
    for (struct wm_driver_module *module = the_modules; module; module = module->next)
        if (module->binary == binary)
            return module;
    return NULL;
}

void wm_driver_module_drop(struct wm_cuda_process *process, struct wm_driver_module *module)
{
    struct wm_driver_module **link = &the_modules;
    while (*link && *link != module)
        link = &(*link)->next;
    if (!*link)
        return;
    *link = module->next;
    wm_cuda_references_drop(process, module->binary);
    wm_cuda_registry_drop_binary(&process->registry, module->binary);
    free(module);
}

void wm_driver_modules_drop(struct wm_cuda_process *process,
                            const struct wm_driver_context *context)
{
    for (struct wm_driver_module *module = the_modules, *next; module; module = next) {
        next = module->next;
        if (module->context == context)
            wm_driver_module_drop(process, module);
    }
}

wm_cuda_status wm_driver_module_enter(struct wm_cuda_process **process,
                                      const struct wm_driver_module *module, bool arguments)
{
    wm_cuda_status status = wm_cuda_enter(process);
    if (status == cudaSuccess && !known(module))
        status = cudaErrorInvalidResourceHandle;
    if (status == cudaSuccess && !arguments)
        status = cudaErrorInvalidValue;
    return status;
}

// ---- Loading -----------------------------------------------------------------------------------

static wm_cuda_status load(struct wm_driver_module **handle, const void *image,
                           struct wm_error *error)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (!handle || !image))
        status = cudaErrorInvalidValue;
    struct wm_driver_module *module = NULL;
    if (status == cudaSuccess && !(module = calloc(1, sizeof *module)))
        status = cudaErrorMemoryAllocation;
    if (status == cudaSuccess)
        status = wm_cuda_image_load(process, image, &module->binary, error);
    if (status == cudaSuccess) {
        module->context = wm_driver_current();
        module->next = the_modules;
        the_modules = module;
        *handle = module;
    } else {
        free(module);
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_driver_result cuModuleLoadDataEx(wm_driver_module_handle *module, const void *image,
                                                unsigned count, int *options, void **values)
{
    struct wm_driver_assembler assembler = {.wrong = {.text = NULL}};
    struct wm_error error;
    wm_error_clear(&error);
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    if (!wm_driver_assembler_read(&assembler, count, options, values))
        return wm_driver_end(cudaErrorInvalidValue);
    wm_cuda_status status = load(module, image, &error);
    wm_driver_assembler_log(&assembler, &error);
    return wm_driver_end(status);
}

WM_CUDA_API wm_driver_result cuModuleLoadData(wm_driver_module_handle *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

WM_CUDA_API wm_driver_result cuModuleLoadFatBinary(wm_driver_module_handle *module,
                                                   const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

static wm_driver_result load_file(wm_driver_module_handle *module, const char *path, unsigned count,
                                  int *options, void **values)
{
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    char *text = NULL;
    size_t bytes;
    wm_cuda_status status = path ? wm_driver_read_file(path, &text, &bytes) : cudaErrorInvalidValue;
    wm_driver_result result = wm_driver_end(status);
    if (result == CUDA_SUCCESS)
        result = cuModuleLoadDataEx(module, text, count, options, values);
    free(text);
    return result;
}

WM_CUDA_API wm_driver_result cuModuleLoad(wm_driver_module_handle *module, const char *path)
{
    return load_file(module, path, 0, NULL, NULL);
}

WM_CUDA_API wm_driver_result cuModuleUnload(wm_driver_module_handle module)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = wm_driver_module_enter(&process, module, true);
    if (status == cudaSuccess)
        status = wm_cuda_wait_all(process);
    if (status == cudaSuccess)
        wm_driver_module_drop(process, module);
    return wm_driver_end(wm_cuda_leave(process, status));
}

// ---- Kernels and variables ---------------------------------------------------------------------

WM_CUDA_API wm_driver_result cuModuleGetFunction(wm_driver_function *function,
                                                 wm_driver_module_handle module, const char *name)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = wm_driver_module_enter(&process, module, function && name);
    if (status == cudaSuccess)
        status = wm_cuda_image_kernel(process, module->binary, name, function);
    return wm_driver_end(wm_cuda_leave(process, status));
}

WM_CUDA_API wm_driver_result cuModuleGetFunctionCount(unsigned *count,
                                                      wm_driver_module_handle module)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = wm_driver_module_enter(&process, module, count);
    if (status == cudaSuccess)
        *count = wm_cuda_image_kernel_count(module->binary);
    return wm_driver_end(wm_cuda_leave(process, status));
}

WM_CUDA_API wm_driver_result cuModuleEnumerateFunctions(wm_driver_function *functions,
                                                        unsigned count,
                                                        wm_driver_module_handle module)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = wm_driver_module_enter(&process, module, functions || count == 0);
    unsigned all = status == cudaSuccess ? wm_cuda_image_kernel_count(module->binary) : 0;
    for (unsigned i = 0; i < count && i < all && status == cudaSuccess; i++)
        status = wm_cuda_image_kernel(process, module->binary,
                                      wm_cuda_image_kernel_name(module->binary, i), &functions[i]);
    return wm_driver_end(wm_cuda_leave(process, status));
}

WM_CUDA_API wm_driver_result cuModuleGetGlobal_v2(wm_driver_pointer *address, size_t *bytes,
                                                  wm_driver_module_handle module, const char *name)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    uint64_t place, size;
    uint32_t device = wm_cuda_thread()->device;
    wm_cuda_status status = wm_driver_module_enter(&process, module, name && (address || bytes));
    if (status == cudaSuccess && !module->is_library)
        (void)wm_cuda_use_device(module->context->device);
    if (status == cudaSuccess)
        status = wm_cuda_image_variable(process, module->binary, name, &place, &size);
    (void)wm_cuda_use_device(device);
    if (status == cudaSuccess && address)
        *address = place;
    if (status == cudaSuccess && bytes)
        *bytes = size;
    return wm_driver_end(wm_cuda_leave(process, status));
}

WM_CUDA_API wm_driver_result cuModuleGetLoadingMode(int *mode)
{
    if (mode)
        *mode = LOADING_LAZY;
    WM_DRIVER_RETURN_ANY(mode ? cudaSuccess : cudaErrorInvalidValue);
}

// ---- Libraries ---------------------------------------------------------------------------------
// Modules without a context of their own. The library's options say how its bytes are kept and
// which code to prefer: neither matters here.

static wm_driver_result of_any_device(const wm_driver_module_handle *library,
                                      wm_driver_result result)
{
    if (result == CUDA_SUCCESS)
        (*library)->is_library = true;
    return result;
}

WM_CUDA_API wm_driver_result cuLibraryLoadData(wm_driver_module_handle *library, const void *code,
                                               int *options, void **values, unsigned count,
                                               int *library_options, void **library_values,
                                               unsigned library_count)
{
    (void)library_values;
    if (library_count > 0 && !library_options)
        return CUDA_ERROR_INVALID_VALUE;
    return of_any_device(library, cuModuleLoadDataEx(library, code, count, options, values));
}

WM_CUDA_API wm_driver_result cuLibraryLoadFromFile(wm_driver_module_handle *library,
                                                   const char *path, int *options, void **values,
                                                   unsigned count, int *library_options,
                                                   void **library_values, unsigned library_count)
{
    (void)library_values;
    if (library_count > 0 && !library_options)
        return CUDA_ERROR_INVALID_VALUE;
    return of_any_device(library, load_file(library, path, count, options, values));
}

WM_CUDA_API wm_driver_result cuLibraryGetModule(wm_driver_module_handle *module,
                                                wm_driver_module_handle library)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = wm_driver_module_enter(&process, library, module);
    if (status == cudaSuccess)
        *module = library;
    return wm_driver_end(wm_cuda_leave(process, status));
}

WM_CUDA_API wm_driver_result cuLibraryGetManaged(wm_driver_pointer *address, size_t *bytes,
                                                 wm_driver_module_handle library, const char *name)
{
    wm_driver_pointer place = 0;
    wm_driver_result result = cuModuleGetGlobal_v2(&place, bytes, library, name);
    struct wm_cuda_process *process;
    if (result != CUDA_SUCCESS)
        return result;
    wm_driver_begin_any();
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        const struct wm_allocation *allocation = wm_device_memory_find(process->memory, place);
        if (!allocation || allocation->kind != WM_ALLOCATION_MANAGED)
            status = cudaErrorInvalidSymbol;
        else if (address)
            *address = place;
    }
    return wm_driver_end(wm_cuda_leave(process, status));
}

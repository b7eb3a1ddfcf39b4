// Device code that a program loads itself: libraries of kernels and variables, and the driver's
// functions by name.
#include "cuda/error/log.h"
#include "cuda/image/binary_image.h"
#include "cuda/runtime_prototypes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct wm_cuda_library {
    struct wm_cuda_binary *binary; // the registry's
};
typedef struct wm_cuda_library *library_handle;
typedef struct wm_cuda_function *kernel_handle;

// The driver's own search (src/cuda/driver); in libcuda.so.1, as the device is.
int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
                        int *query);

WM_CUDA_PER_THREAD(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint)
WM_CUDA_PER_THREAD(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion)

// ---- Loading -----------------------------------------------------------------------------------

// Options of compilers from PTX to machine code, and of how the code is kept: nothing is compiled.
static wm_cuda_status load(library_handle *library, const void *code)
{
    struct wm_cuda_process *process;
    struct wm_error error;
    wm_error_clear(&error);
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (!library || !code))
        status = cudaErrorInvalidValue;
    struct wm_cuda_library *made = status == cudaSuccess ? calloc(1, sizeof *made) : NULL;
    if (status == cudaSuccess && !made)
        status = cudaErrorMemoryAllocation;
    if (status == cudaSuccess)
        status = wm_cuda_image_load(process, code, &made->binary, &error);
    if (status == cudaSuccess &&
        !wm_cuda_handle_add(&process->handles, made, WM_CUDA_HANDLE_LIBRARY)) {
        wm_cuda_registry_drop_binary(&process->registry, made->binary);
        status = cudaErrorMemoryAllocation;
    }
    if (status == cudaSuccess)
        *library = made;
    else
        free(made);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaLibraryLoadData(library_handle *library, const void *code,
                                               int *options, void **values, unsigned option_count,
                                               int *library_options, void **library_values,
                                               unsigned library_option_count)
{
    (void)options, (void)values, (void)option_count;
    (void)library_options, (void)library_values, (void)library_option_count;
    return load(library, code);
}

// The whole file with a NUL after it, as PTX text requires.
static wm_cuda_status read_file(const char *path, char **text)
{
    FILE *file = path ? fopen(path, "rbe") : NULL;
    if (!path)
        return cudaErrorInvalidValue;
    if (!file) {
        wm_log_explain(WM_LOG_ERROR, "cudaLibraryLoadFromFile: cannot read %s: %s\n", path,
                       strerror(errno));
        return cudaErrorFileNotFound;
    }
    bool good = fseek(file, 0, SEEK_END) == 0;
    long size = good ? ftell(file) : -1;
    good = size >= 0 && (uint64_t)size < WM_CUDA_IMAGE_MAX_BYTES && fseek(file, 0, SEEK_SET) == 0;
    *text = good ? malloc((size_t)size + 1) : NULL;
    if (*text) {
        size_t length = fread(*text, 1, (size_t)size, file);
        (*text)[length] = '\0';
        good = length == (size_t)size;
    }
    fclose(file);
    if (!good)
        return cudaErrorOperatingSystem;
    return *text ? cudaSuccess : cudaErrorMemoryAllocation;
}

WM_CUDA_API wm_cuda_status cudaLibraryLoadFromFile(library_handle *library, const char *path,
                                                   int *options, void **values,
                                                   unsigned option_count, int *library_options,
                                                   void **library_values,
                                                   unsigned library_option_count)
{
    (void)options, (void)values, (void)option_count;
    (void)library_options, (void)library_values, (void)library_option_count;
    char *text = NULL;
    wm_cuda_status status = read_file(path, &text);
    status = status == cudaSuccess ? load(library, text) : wm_cuda_set_last_error(status);
    free(text);
    return status;
}

static wm_cuda_status enter_library(struct wm_cuda_process **process,
                                    const struct wm_cuda_library *library)
{
    wm_cuda_status status = wm_cuda_enter(process);
    if (status == cudaSuccess &&
        !wm_cuda_handle_known(&(*process)->handles, library, WM_CUDA_HANDLE_LIBRARY))
        status = cudaErrorInvalidResourceHandle;
    return status;
}

WM_CUDA_API wm_cuda_status cudaLibraryUnload(library_handle library)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_library(&process, library);
    if (status == cudaSuccess)
        status = wm_cuda_wait_all(process); // its kernels may still run
    if (status == cudaSuccess) {
        wm_cuda_handle_remove(&process->handles, library);
        wm_cuda_registry_drop_binary(&process->registry, library->binary);
        free(library);
    }
    return wm_cuda_leave(process, status);
}

// ---- What is in it -----------------------------------------------------------------------------

WM_CUDA_API wm_cuda_status cudaLibraryGetKernel(kernel_handle *kernel, library_handle library,
                                                const char *name)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_library(&process, library);
    if (status == cudaSuccess && (!kernel || !name))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_image_kernel(process, library->binary, name, kernel);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaLibraryGetKernelCount(unsigned *count, library_handle library)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_library(&process, library);
    if (status == cudaSuccess && !count)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *count = wm_cuda_image_kernel_count(library->binary);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaLibraryEnumerateKernels(kernel_handle *kernels, unsigned count,
                                                       library_handle library)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_library(&process, library);
    if (status == cudaSuccess && (!kernels || count == 0))
        status = cudaErrorInvalidValue;
    uint32_t there = status == cudaSuccess ? wm_cuda_image_kernel_count(library->binary) : 0;
    for (uint32_t i = 0; i < there && i < count && status == cudaSuccess; i++)
        status = wm_cuda_image_kernel(process, library->binary,
                                      wm_cuda_image_kernel_name(library->binary, i), &kernels[i]);
    return wm_cuda_leave(process, status);
}

static wm_cuda_status get_variable(void **address, size_t *bytes, library_handle library,
                                   const char *name, bool managed)
{
    struct wm_cuda_process *process;
    uint64_t place = 0, size = 0;
    wm_cuda_status status = enter_library(&process, library);
    if (status == cudaSuccess && (!name || (!address && !bytes)))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_image_variable(process, library->binary, name, &place, &size);
    if (status == cudaSuccess && managed) {
        const struct wm_allocation *at = wm_device_memory_find(process->memory, place);
        if (!at || at->kind != WM_ALLOCATION_MANAGED)
            status = cudaErrorSymbolNotFound;
    }
    if (status == cudaSuccess && address)
        *address = (void *)(uintptr_t)place;
    if (status == cudaSuccess && bytes)
        *bytes = size;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaLibraryGetGlobal(void **address, size_t *bytes,
                                                library_handle library, const char *name)
{
    return get_variable(address, bytes, library, name, false);
}

WM_CUDA_API wm_cuda_status cudaLibraryGetManaged(void **address, size_t *bytes,
                                                 library_handle library, const char *name)
{
    return get_variable(address, bytes, library, name, true);
}

WM_CUDA_API wm_cuda_status cudaKernelSetAttributeForDevice(kernel_handle kernel, int attribute,
                                                           int value, int device)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_check_device(process, device);
    status = wm_cuda_leave(process, status);
    return status == cudaSuccess ? cudaFuncSetAttribute(kernel, attribute, value) : status;
}

// Functions of host and device at once need one address space for code: no library has any.
WM_CUDA_API wm_cuda_status cudaLibraryGetUnifiedFunction(void **function, library_handle library,
                                                         const char *name)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_library(&process, library);
    if (status == cudaSuccess)
        status = function && name ? cudaErrorSymbolNotFound : cudaErrorInvalidValue;
    return wm_cuda_leave(process, status);
}

// ---- The driver's functions --------------------------------------------------------------------

WM_CUDA_API wm_cuda_status cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                                            unsigned version,
                                                            unsigned long long flags, int *query)
{
    int found = 1; // cudaDriverEntryPointSymbolNotFound
    if (!symbol || !function || flags > 2 || version > INT32_MAX)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    (void)cuGetProcAddress_v2(symbol, function, (int)version, flags, &found);
    if (query)
        *query = found;
    return query || found == 0 ? cudaSuccess : wm_cuda_set_last_error(cudaErrorSymbolNotFound);
}

WM_CUDA_API wm_cuda_status cudaGetDriverEntryPoint(const char *symbol, void **function,
                                                   unsigned long long flags, int *query)
{
    int version = 0;
    wm_cuda_status status = cudaRuntimeGetVersion(&version);
    return status == cudaSuccess
               ? cudaGetDriverEntryPointByVersion(symbol, function, (unsigned)version, flags, query)
               : status;
}

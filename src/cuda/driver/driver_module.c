// Modules of the driver API, which are its libraries too: device code from the program's memory or
// from a file (PTX text or a fat binary with PTX), its kernels and its variables.
#include "cuda/driver/driver.h"
#include "cuda/image/binary_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// CUjit_option: the ones that say something back. What the others ask of an assembler changes
// nothing here, since PTX is interpreted.
enum {
    JIT_WALL_TIME = 2,
    JIT_INFO_LOG = 3,
    JIT_INFO_LOG_BYTES = 4,
    JIT_ERROR_LOG = 5,
    JIT_ERROR_LOG_BYTES = 6,
    JIT_OPTIONS = 35,
    LOADING_LAZY = 2, // CUmoduleLoadingMode
};

WM_CUDA_API wm_driver_result cuModuleLoadData(wm_driver_module_handle *module, const void *image);
WM_CUDA_API wm_driver_result cuModuleLoadDataEx(wm_driver_module_handle *module, const void *image,
                                                unsigned count, int *options, void **values);
WM_CUDA_API wm_driver_result cuModuleLoadFatBinary(wm_driver_module_handle *module,
                                                   const void *image);
WM_CUDA_API wm_driver_result cuModuleLoad(wm_driver_module_handle *module, const char *path);
WM_CUDA_API wm_driver_result cuModuleUnload(wm_driver_module_handle module);
WM_CUDA_API wm_driver_result cuModuleGetFunction(wm_driver_function *function,
                                                 wm_driver_module_handle module, const char *name);
WM_CUDA_API wm_driver_result cuModuleGetFunctionCount(unsigned *count,
                                                      wm_driver_module_handle module);
WM_CUDA_API wm_driver_result cuModuleEnumerateFunctions(wm_driver_function *functions,
                                                        unsigned count,
                                                        wm_driver_module_handle module);
WM_CUDA_API wm_driver_result cuModuleGetGlobal_v2(wm_driver_pointer *address, size_t *bytes,
                                                  wm_driver_module_handle module, const char *name);
WM_CUDA_API wm_driver_result cuModuleGetLoadingMode(int *mode);
WM_CUDA_API wm_driver_result cuLibraryLoadData(wm_driver_module_handle *library, const void *code,
                                               int *options, void **values, unsigned count,
                                               int *library_options, void **library_values,
                                               unsigned library_count);
WM_CUDA_API wm_driver_result cuLibraryLoadFromFile(wm_driver_module_handle *library,
                                                   const char *path, int *options, void **values,
                                                   unsigned count, int *library_options,
                                                   void **library_values, unsigned library_count);
WM_CUDA_API wm_driver_result cuLibraryGetModule(wm_driver_module_handle *module,
                                                wm_driver_module_handle library);
WM_CUDA_API wm_driver_result cuLibraryGetManaged(wm_driver_pointer *address, size_t *bytes,
                                                 wm_driver_module_handle library, const char *name);
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

// Enters with a module's handle; the process is left locked in any case that it is set.
static wm_cuda_status enter_module(struct wm_cuda_process **process,
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

// Where an assembler's messages would go. An option's value is the pointer or, for numbers, the
// number itself; how much of a log was filled is written over its size.
struct jit_log {
    char *text;
    void **bytes_value;
    size_t bytes;
};

static bool read_options(unsigned count, const int *options, void **values, struct jit_log *info,
                         struct jit_log *wrong)
{
    if (count > 0 && (!options || !values))
        return false;
    for (unsigned i = 0; i < count; i++) {
        struct jit_log *log = options[i] <= JIT_INFO_LOG_BYTES ? info : wrong;
        if (options[i] < 0 || options[i] >= JIT_OPTIONS)
            return false;
        if (options[i] == JIT_INFO_LOG || options[i] == JIT_ERROR_LOG) {
            log->text = values[i];
        } else if (options[i] == JIT_INFO_LOG_BYTES || options[i] == JIT_ERROR_LOG_BYTES) {
            log->bytes_value = &values[i];
            log->bytes = (unsigned)(uintptr_t)values[i];
        } else if (options[i] == JIT_WALL_TIME) {
            values[i] = NULL; // a float of milliseconds: there is no assembler to be waited for
        }
    }
    return true;
}

static void write_log(const struct jit_log *log, const char *text)
{
    size_t length = strlen(text);
    if (length > 0)
        length++;
    if (length > log->bytes)
        length = log->bytes;
    if (log->text && log->bytes > 0) {
        memcpy(log->text, text, length);
        log->text[length > 0 ? length - 1 : 0] = '\0';
    }
    if (log->bytes_value)
        *log->bytes_value = (void *)(uintptr_t)length;
}

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

wm_driver_result cuModuleLoadDataEx(wm_driver_module_handle *module, const void *image,
                                    unsigned count, int *options, void **values)
{
    struct jit_log info = {.text = NULL}, wrong = {.text = NULL};
    struct wm_error error;
    wm_error_clear(&error);
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    if (!read_options(count, options, values, &info, &wrong))
        return wm_driver_end(cudaErrorInvalidValue);
    wm_cuda_status status = load(module, image, &error);
    char text[sizeof error + 64] = "";
    if (error.message[0])
        wm_error_format(&error, text, sizeof text);
    write_log(&info, "");
    write_log(&wrong, text);
    return wm_driver_end(status);
}

wm_driver_result cuModuleLoadData(wm_driver_module_handle *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

wm_driver_result cuModuleLoadFatBinary(wm_driver_module_handle *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

// The whole file with a NUL after it, as PTX text wants.
static wm_cuda_status read_file(const char *path, char **text)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return cudaErrorFileNotFound;
    size_t length = 0, capacity = 1 << 16;
    wm_cuda_status status = cudaSuccess;
    *text = malloc(capacity);
    while (*text) {
        length += fread(*text + length, 1, capacity - length - 1, file);
        if (length + 1 < capacity)
            break;
        char *grown = capacity > WM_CUDA_IMAGE_MAX_BYTES ? NULL : realloc(*text, capacity * 2);
        if (!grown)
            free(*text);
        capacity *= 2;
        *text = grown;
    }
    if (!*text)
        status = cudaErrorMemoryAllocation;
    else if (ferror(file))
        status = cudaErrorOperatingSystem;
    else
        (*text)[length] = '\0';
    fclose(file);
    return status;
}

static wm_driver_result load_file(wm_driver_module_handle *module, const char *path, unsigned count,
                                  int *options, void **values)
{
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    char *text = NULL;
    wm_cuda_status status = path ? read_file(path, &text) : cudaErrorInvalidValue;
    wm_driver_result result = wm_driver_end(status);
    if (result == CUDA_SUCCESS)
        result = cuModuleLoadDataEx(module, text, count, options, values);
    free(text);
    return result;
}

wm_driver_result cuModuleLoad(wm_driver_module_handle *module, const char *path)
{
    return load_file(module, path, 0, NULL, NULL);
}

wm_driver_result cuModuleUnload(wm_driver_module_handle module)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_module(&process, module, true);
    if (status == cudaSuccess)
        status = wm_cuda_wait_all(process);
    if (status == cudaSuccess)
        wm_driver_module_drop(process, module);
    return wm_driver_end(wm_cuda_leave(process, status));
}

// ---- Kernels and variables ---------------------------------------------------------------------

wm_driver_result cuModuleGetFunction(wm_driver_function *function, wm_driver_module_handle module,
                                     const char *name)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_module(&process, module, function && name);
    if (status == cudaSuccess)
        status = wm_cuda_image_kernel(process, module->binary, name, function);
    return wm_driver_end(wm_cuda_leave(process, status));
}

wm_driver_result cuModuleGetFunctionCount(unsigned *count, wm_driver_module_handle module)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_module(&process, module, count);
    if (status == cudaSuccess)
        *count = wm_cuda_image_kernel_count(module->binary);
    return wm_driver_end(wm_cuda_leave(process, status));
}

wm_driver_result cuModuleEnumerateFunctions(wm_driver_function *functions, unsigned count,
                                            wm_driver_module_handle module)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_module(&process, module, functions || count == 0);
    unsigned all = status == cudaSuccess ? wm_cuda_image_kernel_count(module->binary) : 0;
    for (unsigned i = 0; i < count && i < all && status == cudaSuccess; i++)
        status = wm_cuda_image_kernel(process, module->binary,
                                      wm_cuda_image_kernel_name(module->binary, i), &functions[i]);
    return wm_driver_end(wm_cuda_leave(process, status));
}

wm_driver_result cuModuleGetGlobal_v2(wm_driver_pointer *address, size_t *bytes,
                                      wm_driver_module_handle module, const char *name)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    uint64_t place, size;
    wm_cuda_status status = enter_module(&process, module, name && (address || bytes));
    if (status == cudaSuccess)
        status = wm_cuda_image_variable(module->binary, name, &place, &size);
    if (status == cudaSuccess && address)
        *address = place;
    if (status == cudaSuccess && bytes)
        *bytes = size;
    return wm_driver_end(wm_cuda_leave(process, status));
}

wm_driver_result cuModuleGetLoadingMode(int *mode)
{
    if (mode)
        *mode = LOADING_LAZY;
    WM_DRIVER_RETURN_ANY(mode ? cudaSuccess : cudaErrorInvalidValue);
}

// ---- Libraries ---------------------------------------------------------------------------------
// Modules without a context of their own. The library's options say how its bytes are kept and
// which code to prefer: neither matters here.

wm_driver_result cuLibraryLoadData(wm_driver_module_handle *library, const void *code, int *options,
                                   void **values, unsigned count, int *library_options,
                                   void **library_values, unsigned library_count)
{
    (void)library_values;
    if (library_count > 0 && !library_options)
        return CUDA_ERROR_INVALID_VALUE;
    return cuModuleLoadDataEx(library, code, count, options, values);
}

wm_driver_result cuLibraryLoadFromFile(wm_driver_module_handle *library, const char *path,
                                       int *options, void **values, unsigned count,
                                       int *library_options, void **library_values,
                                       unsigned library_count)
{
    (void)library_values;
    if (library_count > 0 && !library_options)
        return CUDA_ERROR_INVALID_VALUE;
    return load_file(library, path, count, options, values);
}

wm_driver_result cuLibraryGetModule(wm_driver_module_handle *module,
                                    wm_driver_module_handle library)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_module(&process, library, module);
    if (status == cudaSuccess)
        *module = library;
    return wm_driver_end(wm_cuda_leave(process, status));
}

wm_driver_result cuLibraryGetManaged(wm_driver_pointer *address, size_t *bytes,
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

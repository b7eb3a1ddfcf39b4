// Functions by name, which is how programs and libraries that link no libcuda.so find them; and
// what is left of the interface.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_names.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/error/log.h"

#include <string.h>

enum {
    // CUdriverProcAddress_flags: forms of the legacy default stream, or of the thread's. 0: those
    // that the caller's own calls have.
    ADDRESS_OF_THREAD = 2,
    ADDRESS_FLAGS = 2,
    // CUdriverProcAddressQueryResult.
    QUERY_SUCCESS = 0,
    QUERY_NOT_FOUND = 1,
    QUERY_VERSION_NOT_SUFFICIENT = 2,
};

static bool is_of_thread(const char *name)
{
    size_t length = strlen(name);
    return length > 5 &&
           (strcmp(name + length - 5, "_ptsz") == 0 || strcmp(name + length - 5, "_ptds") == 0);
}

// The newest form of the function that the given version of CUDA had: of its variants for threads'
// default streams, or of its plain forms.
static int find(const char *symbol, int version, bool of_thread, wm_driver_any_function **function)
{
    size_t count;
    const struct wm_driver_name *names = wm_driver_names(&count);
    int best = 0, query = QUERY_NOT_FOUND;
    *function = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i].base, symbol) != 0 || is_of_thread(names[i].name) != of_thread)
            continue;
        if (query == QUERY_NOT_FOUND)
            query = QUERY_VERSION_NOT_SUFFICIENT;
        if (names[i].version <= version && names[i].version >= best) {
            best = names[i].version;
            *function = names[i].function;
            query = QUERY_SUCCESS;
        }
    }
    return query;
}

WM_CUDA_API wm_driver_result cuGetProcAddress_v2(const char *symbol,
                                                 wm_driver_any_function **function, int version,
                                                 uint64_t flags, int *query)
{
    if (!symbol || !function || flags > ADDRESS_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    bool of_thread = flags == ADDRESS_OF_THREAD || (flags == 0 && wm_cuda_thread()->default_is_own);
    int found = of_thread ? find(symbol, version, true, function) : QUERY_NOT_FOUND;
    if (found != QUERY_SUCCESS) // most have no such variant
        found = find(symbol, version, false, function);
    if (query) {
        *query = found;
        return found == QUERY_NOT_FOUND ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
    }
    return found == QUERY_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

WM_CUDA_API wm_driver_result cuGetProcAddress(const char *symbol, wm_driver_any_function **function,
                                              int version, uint64_t flags)
{
    return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}

// Tables of private functions, which NVIDIA does not document. A CUDA runtime that is linked into a
// program cannot work without these (docs/cuda-driver.md); what else looks for tables, as NVRTC,
// can.
static bool is_of_runtime(const char *table)
{
    static const char *const tables[] = {
        "6bd5fb6c5bf4e74a8987d93912fd9df9",
        "a094798c2e742e7493f20800200c0a66",
        "f8cff95121468b4eb9e2fb469e7c0dd9",
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(tables[i], table) == 0)
            return true;
    return false;
}

WM_CUDA_API wm_driver_result cuGetExportTable(const void **table, const struct wm_driver_uuid *uuid)
{
    if (!table || !uuid)
        return CUDA_ERROR_INVALID_VALUE;
    char text[2 * sizeof uuid->bytes + 1];
    for (size_t i = 0; i < sizeof uuid->bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", uuid->bytes[i]);
    if (is_of_runtime(text))
        wm_log_explain(WM_LOG_ERROR,
                       "a CUDA runtime that is linked statically into the program or one of its "
                       "libraries looks for the driver's private table %s\n"
                       "hint: start it by warpmem run and keep its symbol table (no strip, no -s), "
                       "or link it with the shared one: nvcc -cudart shared\n",
                       text);
    *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}

WM_CUDA_API wm_driver_result cuProfilerStart(void)
{
    WM_DRIVER_RETURN(cudaProfilerStart());
}

WM_CUDA_API wm_driver_result cuProfilerStop(void)
{
    WM_DRIVER_RETURN(cudaProfilerStop());
}

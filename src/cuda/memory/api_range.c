// What is known of ranges of managed memory.
#include "cuda/memory/range_advice.h"
#include "cuda/runtime_prototypes.h"

#include <string.h>

// cudaMemRangeAttribute
enum {
    RANGE_READ_MOSTLY = 1,
    RANGE_PREFERRED = 2,
    RANGE_ACCESSED_BY = 3,
    RANGE_PREFETCHED = 4,
    RANGE_PREFERRED_TYPE = 5,
    RANGE_PREFERRED_ID = 6,
    RANGE_PREFETCHED_TYPE = 7,
    RANGE_PREFETCHED_ID = 8,
    NO_DEVICE = -2, // cudaInvalidDeviceId
    HOST = -1,      // cudaCpuDeviceId
};

static int device_of(struct wm_cuda_location location)
{
    if (location.type == 0)
        return NO_DEVICE;
    return location.type == 1 ? location.id : HOST;
}

static int value_of(const struct wm_cuda_advice *advice, int attribute)
{
    switch (attribute) {
    case RANGE_READ_MOSTLY: return advice->read_mostly;
    case RANGE_PREFERRED: return device_of(advice->preferred);
    case RANGE_PREFETCHED: return device_of(advice->prefetched);
    case RANGE_PREFERRED_TYPE: return advice->preferred.type;
    case RANGE_PREFERRED_ID: return advice->preferred.id;
    case RANGE_PREFETCHED_TYPE: return advice->prefetched.type;
    default: return advice->prefetched.id;
    }
}

// As many as there is room for; the rest of the room says that there are no more.
static void list_users(const struct wm_cuda_advice *advice, int *to, size_t room)
{
    size_t count = 0;
    if (advice->by_device && count < room)
        to[count++] = 0;
    if (advice->by_host && count < room)
        to[count++] = HOST;
    while (count < room)
        to[count++] = NO_DEVICE;
}

static wm_cuda_status answer(const struct wm_cuda_advice *advice, void *data, size_t data_bytes,
                             int attribute)
{
    bool list = attribute == RANGE_ACCESSED_BY;
    if (!data || attribute < RANGE_READ_MOSTLY || attribute > RANGE_PREFETCHED_ID ||
        data_bytes == 0 || (list ? data_bytes % sizeof(int) != 0 : data_bytes != sizeof(int)))
        return cudaErrorInvalidValue;
    int value = value_of(advice, attribute);
    if (list)
        list_users(advice, data, data_bytes / sizeof(int));
    else
        memcpy(data, &value, sizeof value);
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status cudaMemRangeGetAttributes(void **data, size_t *data_bytes,
                                                     int *attributes, size_t count,
                                                     const void *pointer, size_t bytes)
{
    struct wm_cuda_process *process;
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        const struct wm_allocation *at = wm_device_memory_find(process->memory, address);
        if (!at || at->kind != WM_ALLOCATION_MANAGED || bytes == 0 ||
            bytes > at->size_bytes - (address - at->address) || !data || !data_bytes ||
            !attributes || count == 0)
            status = cudaErrorInvalidValue;
    }
    if (status == cudaSuccess) {
        struct wm_cuda_advice advice = wm_cuda_advice_of(process, address, bytes);
        for (size_t i = 0; i < count && status == cudaSuccess; i++)
            status = answer(&advice, data[i], data_bytes[i], attributes[i]);
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaMemRangeGetAttribute(void *data, size_t data_bytes, int attribute,
                                                    const void *pointer, size_t bytes)
{
    return cudaMemRangeGetAttributes(&data, &data_bytes, &attribute, 1, pointer, bytes);
}

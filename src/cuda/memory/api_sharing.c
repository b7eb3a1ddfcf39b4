// Sharing memory and events with other processes, and what devices share. Each process has devices
// of its own: what is shared with others is the bytes.
#include "cuda/error/log.h"
#include "cuda/graph/capture.h"
#include "cuda/memory/allocation_table.h"
#include "cuda/memory/shared_handle.h"
#include "cuda/runtime_prototypes.h"
#include "cuda/stream/shared_event.h"
#include "cuda/stream/stream_table.h"

#include <string.h>
#include <unistd.h>

enum { LAZY_PEER_ACCESS = 1 }; // cudaIpcMemLazyEnablePeerAccess

// ---- Handles -----------------------------------------------------------------------------------

WM_CUDA_API wm_cuda_status cudaIpcGetMemHandle(struct wm_shared_handle *handle, void *pointer)
{
    struct wm_cuda_process *process;
    struct wm_shared_place place;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        const struct wm_cuda_allocation *allocation =
            wm_cuda_allocation_of(process, (uint64_t)(uintptr_t)pointer);
        if (!handle || !allocation || allocation->kind != WM_ALLOCATION_DEVICE || allocation->pool)
            status = cudaErrorInvalidValue;
        else
            status = wm_cuda_share(process, allocation->address, &place);
    }
    if (status == cudaSuccess && !wm_shared_handle_fill(handle, &place))
        status = cudaErrorOperatingSystem;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaIpcGetEventHandle(struct wm_shared_handle *handle,
                                                 wm_cuda_event_handle event)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess &&
        (!wm_cuda_event_known(process, event) || (event->flags & WM_CUDA_EVENT_INTERPROCESS) == 0))
        status = cudaErrorInvalidResourceHandle;
    if (status == cudaSuccess && !handle)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct wm_shared_place place = {.file = wm_shared_event_file(event->shared)};
        if (!wm_shared_handle_fill(handle, &place))
            status = cudaErrorOperatingSystem;
    }
    return wm_cuda_leave(process, status);
}

// CUDA opens no handle in the process that made it.
static wm_cuda_status read_handle(const struct wm_shared_handle *handle,
                                  struct wm_shared_object *object)
{
    if (!wm_shared_handle_read(handle, object))
        return cudaErrorInvalidResourceHandle;
    return object->process == getpid() ? cudaErrorDeviceUninitialized : cudaSuccess;
}

static wm_cuda_status open_file(const struct wm_shared_object *object, int *file)
{
    char reason[160];
    *file = wm_shared_object_open(object, reason, sizeof reason);
    if (*file >= 0)
        return cudaSuccess;
    wm_log_explain(WM_LOG_ERROR, "what a handle names cannot be opened: %s\n", reason);
    return cudaErrorInvalidResourceHandle;
}

// ---- Memory of other processes -----------------------------------------------------------------

static struct wm_cuda_allocation *opened_before(struct wm_cuda_process *process,
                                                const struct wm_shared_object *object)
{
    for (uint32_t i = 0; i < process->allocation_count; i++) {
        struct wm_cuda_allocation *other = &process->allocations[i];
        if (other->opened > 0 && other->shared_node == object->node &&
            other->shared_offset == object->offset)
            return other;
    }
    return NULL;
}

static wm_cuda_status open_memory(struct wm_cuda_process *process,
                                  const struct wm_shared_object *object,
                                  struct wm_cuda_allocation **opened)
{
    int file;
    wm_cuda_status status = open_file(object, &file);
    if (status != cudaSuccess)
        return status;
    struct wm_shared_place place = {file, object->offset, object->size_bytes};
    status = wm_cuda_import(process, &place, "cudaIpcOpenMemHandle", opened);
    if (status == cudaSuccess) {
        (*opened)->shared_node = object->node;
        (*opened)->shared_offset = object->offset;
    }
    close(file);
    return status;
}

WM_CUDA_API wm_cuda_status cudaIpcOpenMemHandle(void **pointer, struct wm_shared_handle handle,
                                                unsigned flags)
{
    struct wm_cuda_process *process;
    struct wm_shared_object object;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (!pointer || flags != LAZY_PEER_ACCESS))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_capture_allows(process);
    if (status == cudaSuccess)
        status = read_handle(&handle, &object);
    if (status == cudaSuccess) {
        // From the look to the mapping no other host thread comes between, which might map it, too:
        // in a pause nothing waits for another one.
        wm_cuda_queue_pause_begin(&process->queue);
        struct wm_cuda_allocation *opened = opened_before(process, &object);
        if (!opened)
            status = open_memory(process, &object, &opened);
        if (status == cudaSuccess) {
            opened->opened++;
            *pointer = (void *)(uintptr_t)opened->address;
        }
        wm_cuda_queue_pause_end(&process->queue);
    }
    return wm_cuda_leave(process, status);
}

// The last of several closes unmaps it, when the device has come so far.
WM_CUDA_API wm_cuda_status cudaIpcCloseMemHandle(void *pointer)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_capture_allows(process);
    if (status == cudaSuccess) {
        struct wm_cuda_allocation *opened =
            wm_cuda_allocation_at(process, (uint64_t)(uintptr_t)pointer);
        if (!opened || opened->opened == 0)
            status = cudaErrorInvalidValue;
        else if (--opened->opened == 0)
            status = wm_cuda_release(process, opened->address);
    }
    return wm_cuda_leave(process, status);
}

// ---- Events of other processes -----------------------------------------------------------------

static wm_cuda_status open_event(struct wm_cuda_process *process,
                                 const struct wm_shared_object *object, wm_cuda_event_handle *event)
{
    int file;
    wm_cuda_status status = open_file(object, &file);
    if (status != cudaSuccess)
        return status;
    struct wm_shared_event *shared = wm_shared_event_open(file);
    close(file);
    if (!shared)
        return cudaErrorInvalidResourceHandle;
    *event = wm_cuda_event_new(process, WM_CUDA_EVENT_INTERPROCESS | WM_CUDA_EVENT_DISABLE_TIMING,
                               shared);
    if (*event)
        return cudaSuccess;
    wm_shared_event_release(shared);
    return cudaErrorMemoryAllocation;
}

WM_CUDA_API wm_cuda_status cudaIpcOpenEventHandle(wm_cuda_event_handle *event,
                                                  struct wm_shared_handle handle)
{
    struct wm_cuda_process *process;
    struct wm_shared_object object;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !event)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = read_handle(&handle, &object);
    if (status == cudaSuccess)
        status = open_event(process, &object, event);
    return wm_cuda_leave(process, status);
}

// ---- Devices -----------------------------------------------------------------------------------

// What one device may do with the memory of another one; a device is no peer of itself.
static wm_cuda_status enter_pair(bool arguments, int from, int to)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    if (status == cudaSuccess && !arguments)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_check_device(process, from);
    if (status == cudaSuccess)
        status = from == to ? cudaErrorInvalidDevice : wm_cuda_check_device(process, to);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
    // All links are alike, and carry all atomics.
    enum { RANK = 1, ACCESS, ATOMICS, ARRAYS, PARTIAL_ATOMICS };
    wm_cuda_status status =
        enter_pair(value && attribute >= RANK && attribute <= PARTIAL_ATOMICS, from, to);
    if (status == cudaSuccess)
        *value = attribute == ACCESS || attribute == ATOMICS || attribute == ARRAYS;
    return status;
}

// cudaAtomicOperationCapability, by cudaAtomicOperation. Atomics are made in the L2 that serves the
// address, whichever device they come from.
enum {
    SIGNED = 1,
    UNSIGNED = 2,
    REDUCTION = 4,
    OF_32_BITS = 8,
    OF_64_BITS = 16,
    BITS = UNSIGNED | REDUCTION | OF_32_BITS | OF_64_BITS,
};
static const unsigned peer_atomics[] = {
    BITS | SIGNED,                       // add
    BITS | SIGNED,                       // min
    BITS | SIGNED,                       // max
    UNSIGNED | REDUCTION | OF_32_BITS,   // inc
    UNSIGNED | REDUCTION | OF_32_BITS,   // dec
    BITS,                                // and
    BITS,                                // or
    BITS,                                // xor
    UNSIGNED | OF_32_BITS | OF_64_BITS,  // exchange
    UNSIGNED | OF_32_BITS | OF_64_BITS,  // CAS
    REDUCTION | OF_32_BITS | OF_64_BITS, // add of floats
    0,                                   // min of floats
    0,                                   // max of floats
};
enum { OPERATIONS = sizeof peer_atomics / sizeof *peer_atomics };

static wm_cuda_status put_capabilities(unsigned *capabilities, const int *operations,
                                       unsigned count, const unsigned *of)
{
    for (unsigned i = 0; i < count; i++)
        if (operations[i] < 0 || operations[i] >= OPERATIONS)
            return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++)
        capabilities[i] = of ? of[operations[i]] : 0;
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities,
                                                              const int *operations, unsigned count,
                                                              int from, int to)
{
    wm_cuda_status status = enter_pair(capabilities && operations && count > 0, from, to);
    if (status == cudaSuccess)
        status = put_capabilities(capabilities, operations, count, peer_atomics);
    return status == cudaSuccess ? status : wm_cuda_set_last_error(status);
}

// No link here carries atomics between host and device (attribute 86): none of any width.
WM_CUDA_API wm_cuda_status cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities,
                                                               const int *operations,
                                                               unsigned count, int device)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    if (status == cudaSuccess && (!capabilities || !operations || count == 0))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_check_device(process, device);
    if (status == cudaSuccess)
        status = put_capabilities(capabilities, operations, count, NULL);
    return wm_cuda_leave(process, status);
}

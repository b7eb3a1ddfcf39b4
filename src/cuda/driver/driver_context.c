// Contexts of the driver API, and the doors through which its functions enter.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/error/log.h"
#include "cuda/graph/capture.h"
#include "cuda/memory/allocation_table.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    STACK_DEPTH = 128, // contexts pushed on one another by one thread
    API_VERSION = WM_CUDA_VERSION,
    CREATE_PARAMETERS_USED = 2,
};

#define PRIMARY(number)                                                                     \
    {                                                                                       \
        .primary = true, .api_version = API_VERSION, .device = (number), .id = 1 + (number) \
    }

// Guarded by the process's mutex.
static struct wm_driver_context the_primaries[] = {PRIMARY(0), PRIMARY(1), PRIMARY(2), PRIMARY(3),
                                                   PRIMARY(4), PRIMARY(5), PRIMARY(6), PRIMARY(7)};
_Static_assert(sizeof the_primaries / sizeof *the_primaries == WM_MOST_GPUS, "one of each device");
static struct wm_driver_context *the_contexts; // the others
static uint64_t next_context_id = 1 + WM_MOST_GPUS;
static atomic_bool initialized;

static _Thread_local struct {
    struct wm_driver_context *stack[STACK_DEPTH];
    unsigned depth;
    wm_cuda_status last_error; // the runtime API's, put back when a driver function ends
} the_thread;

WM_CUDA_ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);
WM_CUDA_ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);
WM_CUDA_ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);
WM_CUDA_ALIAS(cuCtxCreate, cuCtxCreate_v2);
WM_CUDA_ALIAS(cuCtxDestroy, cuCtxDestroy_v2);
WM_CUDA_ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);
WM_CUDA_ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);

// ---- Entering ----------------------------------------------------------------------------------

struct wm_driver_context *wm_driver_primary(uint32_t device)
{
    return &the_primaries[device];
}

// cudaSetDevice puts the device's primary context in the place of the top of the stack.
static void follow_runtime(void)
{
    struct wm_cuda_thread *thread = wm_cuda_thread();
    if (thread->device_set && the_thread.depth > 0)
        the_thread.stack[the_thread.depth - 1] = &the_primaries[thread->device];
    thread->device_set = false;
}

// A thread that used the runtime API has the primary context without further calls.
struct wm_driver_context *wm_driver_current(void)
{
    follow_runtime();
    if (the_thread.depth > 0)
        return the_thread.stack[the_thread.depth - 1];
    return wm_cuda_thread()->used_runtime ? &the_primaries[wm_cuda_thread()->device] : NULL;
}

static void use_for_new_objects(void)
{
    struct wm_driver_context *current = wm_driver_current();
    wm_cuda_thread()->context = current && !current->primary ? current : NULL;
    if (current)
        (void)wm_cuda_use_device(current->device);
}

wm_driver_result wm_driver_begin_any(void)
{
    if (!atomic_load(&initialized) && !wm_cuda_thread()->used_runtime)
        return CUDA_ERROR_NOT_INITIALIZED;
    the_thread.last_error = wm_cuda_thread()->last_error;
    wm_cuda_thread()->in_driver = true;
    return CUDA_SUCCESS;
}

wm_driver_result wm_driver_begin(void)
{
    wm_driver_result result = wm_driver_begin_any();
    const struct wm_driver_context *current = wm_driver_current();
    if (result == CUDA_SUCCESS && (!current || current->destroyed)) {
        result = current ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
        wm_driver_end(cudaSuccess);
    }
    return result;
}

wm_driver_result wm_driver_end_quietly(wm_cuda_status status)
{
    wm_cuda_thread()->last_error = the_thread.last_error;
    wm_cuda_thread()->in_driver = false;
    return wm_driver_result_of(status);
}

wm_driver_result wm_driver_end(wm_cuda_status status)
{
    wm_driver_result result = wm_driver_end_quietly(status);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
        wm_driver_log(result);
    return result;
}

WM_CUDA_API wm_driver_result cuInit(unsigned flags)
{
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    bool before = atomic_exchange(&initialized, true);
    wm_driver_result begun = wm_driver_begin_any();
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    wm_driver_result result = wm_driver_end(wm_cuda_leave(process, status));
    if (result != CUDA_SUCCESS)
        atomic_store(&initialized, before);
    return begun ? begun : result;
}

// ---- Handles -----------------------------------------------------------------------------------

// Locked. NULL for a handle that never was a context's.
static struct wm_driver_context *known(struct wm_driver_context *handle)
{
    for (uint32_t device = 0; device < WM_MOST_GPUS; device++)
        if (handle == &the_primaries[device])
            return handle;
    for (struct wm_driver_context *context = the_contexts; context; context = context->next)
        if (context == handle)
            return context;
    return NULL;
}

wm_driver_result wm_driver_check_context(struct wm_driver_context *handle)
{
    struct wm_cuda_process *process = wm_cuda_lock();
    struct wm_driver_context *context = known(handle);
    wm_driver_result result = !context             ? CUDA_ERROR_INVALID_CONTEXT
                              : context->destroyed ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                                   : CUDA_SUCCESS;
    wm_cuda_unlock(process);
    return result;
}

static wm_driver_result push_context(struct wm_driver_context *context)
{
    follow_runtime();
    if (the_thread.depth == STACK_DEPTH)
        return CUDA_ERROR_OUT_OF_MEMORY;
    the_thread.stack[the_thread.depth++] = context;
    use_for_new_objects();
    return CUDA_SUCCESS;
}

// ---- Making and destroying ---------------------------------------------------------------------

static wm_driver_result make_context(struct wm_driver_context **handle, unsigned flags, int device)
{
    wm_driver_result begun = wm_driver_begin_any();
    if (begun)
        return begun;
    wm_driver_end(cudaSuccess);
    if (!handle || (flags & ~(unsigned)WM_DRIVER_CONTEXT_FLAGS) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct wm_cuda_process *process = wm_cuda_lock();
    wm_cuda_status status = wm_cuda_check_device(process, device);
    struct wm_driver_context *made = status == cudaSuccess ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        wm_cuda_unlock(process);
        return status == cudaSuccess ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_DEVICE;
    }
    *made = (struct wm_driver_context){.next = the_contexts,
                                       .device = (uint32_t)device,
                                       .settings = {(int)flags},
                                       .api_version = API_VERSION,
                                       .id = next_context_id++};
    the_contexts = made;
    wm_cuda_unlock(process);
    *handle = made;
    return push_context(made);
}

WM_CUDA_API wm_driver_result cuCtxCreate_v2(wm_driver_context_handle *context, unsigned flags,
                                            int device)
{
    return make_context(context, flags, device);
}

static wm_driver_result refuse_part_of_device(const char *function)
{
    wm_log_explain(WM_LOG_ERROR, "%s: contexts on a part of the device's SMs are not supported\n",
                   function);
    return CUDA_ERROR_NOT_SUPPORTED;
}

WM_CUDA_API wm_driver_result cuCtxCreate_v3(wm_driver_context_handle *context, void *affinities,
                                            int count, unsigned flags, int device)
{
    if (affinities && count > 0)
        return refuse_part_of_device("cuCtxCreate_v3");
    return make_context(context, flags, device);
}

// The parameters are two pointers: affinities (and their number), and those for sharing among
// processes.
WM_CUDA_API wm_driver_result cuCtxCreate_v4(wm_driver_context_handle *context,
                                            const void *const *parameters, unsigned flags,
                                            int device)
{
    if (parameters && (parameters[0] || parameters[CREATE_PARAMETERS_USED]))
        return refuse_part_of_device("cuCtxCreate_v4");
    return make_context(context, flags, device);
}

// Of a device's primary context, NULL, or of another one.
static void release_memory_of(struct wm_cuda_process *process, uint32_t device,
                              const struct wm_driver_context *context)
{
    for (uint32_t i = process->allocation_count; i-- > 0;)
        if (process->allocations[i].context == context && process->allocations[i].device == device)
            (void)wm_cuda_release(process, process->allocations[i].address);
}

static void drop_streams_of(struct wm_cuda_process *process, uint32_t device,
                            const struct wm_driver_context *context)
{
    for (struct wm_cuda_stream **link = &process->streams; *link;) {
        struct wm_cuda_stream *stream = *link;
        if (stream->context == context && stream->device == device) {
            *link = stream->next;
            wm_cuda_stream_free(process, stream);
        } else {
            link = &stream->next;
        }
    }
    for (struct wm_cuda_event **link = &process->events; *link;) {
        struct wm_cuda_event *event = *link;
        if (event->context == context && event->device == device) {
            *link = event->next;
            wm_cuda_event_free(event);
        } else {
            link = &event->next;
        }
    }
}

// Of the same device.
static bool any_other(const struct wm_driver_context *context)
{
    const struct wm_driver_context *primary = &the_primaries[context->device];
    for (const struct wm_driver_context *other = the_contexts; other; other = other->next)
        if (other != context && other->device == context->device && !other->destroyed)
            return true;
    return primary != context && primary->retained > 0;
}

// What was made in the context goes with it. With the last one the device itself is made anew,
// which also ends a fault.
static wm_cuda_status empty_context(struct wm_driver_context *context)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    if (status != cudaSuccess)
        return status;
    (void)wm_cuda_wait_all(process);
    const struct wm_driver_context *owner = context->primary ? NULL : context;
    wm_driver_modules_drop(process, context);
    uint32_t before = wm_cuda_use_device(context->device);
    if (any_other(context)) {
        release_memory_of(process, context->device, owner);
        drop_streams_of(process, context->device, owner);
    } else {
        wm_cuda_reset(process);
    }
    (void)wm_cuda_use_device(before);
    return wm_cuda_leave(process, cudaSuccess);
}

static wm_driver_result empty(struct wm_driver_context *context)
{
    wm_driver_result begun = wm_driver_begin_any();
    return begun ? begun : wm_driver_end(empty_context(context));
}

WM_CUDA_API wm_driver_result cuCtxDestroy_v2(wm_driver_context_handle context)
{
    wm_driver_result result = wm_driver_check_context(context);
    if (result == CUDA_SUCCESS && context->primary)
        result = CUDA_ERROR_INVALID_CONTEXT;
    if (result != CUDA_SUCCESS)
        return result;
    result = empty(context);
    context->destroyed = true;
    follow_runtime();
    if (the_thread.depth > 0 && the_thread.stack[the_thread.depth - 1] == context)
        the_thread.depth--;
    use_for_new_objects();
    return result;
}

WM_CUDA_API wm_driver_result cuCtxAttach(wm_driver_context_handle *context, unsigned flags)
{
    if (!context || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    struct wm_cuda_process *process = wm_cuda_lock();
    *context = wm_driver_current();
    (*context)->retained++;
    wm_cuda_unlock(process);
    return wm_driver_end(cudaSuccess);
}

WM_CUDA_API wm_driver_result cuCtxDetach(wm_driver_context_handle context)
{
    wm_driver_result result = wm_driver_check_context(context);
    if (result != CUDA_SUCCESS || context != wm_driver_current())
        return result ? result : CUDA_ERROR_INVALID_CONTEXT;
    struct wm_cuda_process *process = wm_cuda_lock();
    bool held = context->retained > 0;
    context->retained -= held;
    wm_cuda_unlock(process);
    return held ? CUDA_SUCCESS : cuCtxDestroy_v2(context);
}

// ---- The current context -----------------------------------------------------------------------

WM_CUDA_API wm_driver_result cuCtxPushCurrent_v2(wm_driver_context_handle context)
{
    wm_driver_result result = wm_driver_check_context(context);
    return result ? result : push_context(context);
}

WM_CUDA_API wm_driver_result cuCtxPopCurrent_v2(wm_driver_context_handle *context)
{
    follow_runtime();
    if (the_thread.depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    the_thread.depth--;
    if (context)
        *context = the_thread.stack[the_thread.depth];
    use_for_new_objects();
    return CUDA_SUCCESS;
}

// Takes the place of the top of the stack; NULL takes the top away.
WM_CUDA_API wm_driver_result cuCtxSetCurrent(wm_driver_context_handle context)
{
    wm_driver_result result = context ? wm_driver_check_context(context) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
        return result;
    follow_runtime();
    if (the_thread.depth > 0)
        the_thread.depth--;
    use_for_new_objects();
    return context ? push_context(context) : CUDA_SUCCESS;
}

WM_CUDA_API wm_driver_result cuCtxGetCurrent(wm_driver_context_handle *context)
{
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    wm_driver_result begun = wm_driver_begin_any();
    if (begun)
        return begun;
    *context = wm_driver_current();
    return wm_driver_end(cudaSuccess);
}

// ---- The primary context -----------------------------------------------------------------------

static wm_driver_result begin_device(int device)
{
    wm_driver_result begun = wm_driver_begin_any();
    if (begun)
        return begun;
    struct wm_cuda_process *process = wm_cuda_lock();
    wm_cuda_status status = wm_cuda_check_device(process, device);
    wm_cuda_unlock(process);
    return wm_driver_end_quietly(status);
}

WM_CUDA_API wm_driver_result cuDevicePrimaryCtxRetain(wm_driver_context_handle *context, int device)
{
    wm_driver_result result = begin_device(device);
    if (result != CUDA_SUCCESS || !context)
        return result ? result : CUDA_ERROR_INVALID_VALUE;
    struct wm_cuda_process *process = wm_cuda_lock();
    the_primaries[device].retained++;
    wm_cuda_unlock(process);
    *context = &the_primaries[device];
    return CUDA_SUCCESS;
}

WM_CUDA_API wm_driver_result cuDevicePrimaryCtxRelease_v2(int device)
{
    wm_driver_result result = begin_device(device);
    if (result != CUDA_SUCCESS)
        return result;
    struct wm_cuda_process *process = wm_cuda_lock();
    bool held = the_primaries[device].retained > 0;
    bool last = held && --the_primaries[device].retained == 0;
    wm_cuda_unlock(process);
    if (!held)
        return CUDA_ERROR_INVALID_CONTEXT;
    return last ? empty(&the_primaries[device]) : CUDA_SUCCESS;
}

WM_CUDA_API wm_driver_result cuDevicePrimaryCtxReset_v2(int device)
{
    wm_driver_result result = begin_device(device);
    return result ? result : empty(&the_primaries[device]);
}

WM_CUDA_API wm_driver_result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    wm_driver_result result = begin_device(device);
    if (result == CUDA_SUCCESS && (flags & ~(unsigned)WM_DRIVER_CONTEXT_FLAGS) != 0)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    struct wm_cuda_process *process = wm_cuda_lock();
    the_primaries[device].settings[WM_DRIVER_FLAGS] = (int)flags;
    wm_cuda_unlock(process);
    return result;
}

WM_CUDA_API wm_driver_result cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    wm_driver_result result = begin_device(device);
    if (result != CUDA_SUCCESS || !flags || !active)
        return result ? result : CUDA_ERROR_INVALID_VALUE;
    struct wm_cuda_process *process = wm_cuda_lock();
    *flags = (unsigned)the_primaries[device].settings[WM_DRIVER_FLAGS];
    *active = the_primaries[device].retained > 0 ||
              (wm_cuda_thread()->used_runtime && wm_cuda_thread()->device == (uint32_t)device);
    wm_cuda_unlock(process);
    return CUDA_SUCCESS;
}

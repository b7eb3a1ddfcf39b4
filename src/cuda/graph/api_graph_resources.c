// What graphs hold on to: objects of the program, and memory that their nodes allocate.
#include "base/containers/array.h"
#include "cuda/graph/api_graph.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/graph/user_object.h"
#include "cuda/runtime_prototypes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- Objects -----------------------------------------------------------------------------------

static bool countable(unsigned count)
{
    return count >= 1 && count <= INT_MAX;
}

WM_CUDA_API wm_cuda_status cudaUserObjectCreate(struct wm_cuda_user_object **object, void *pointer,
                                                wm_cuda_host_function *destructor,
                                                unsigned references, unsigned flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    // The one flag there is says that the destructor is not waited for, and must be given.
    if (status == cudaSuccess && (!object || !destructor || !countable(references) || flags != 1))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_user_object_new(process, pointer, destructor, references, object);
    return wm_cuda_leave(process, status);
}

static wm_cuda_status enter_object(struct wm_cuda_process **process,
                                   const struct wm_cuda_user_object *object, unsigned count)
{
    wm_cuda_status status = wm_cuda_enter(process);
    if (status == cudaSuccess &&
        (!countable(count) ||
         !wm_cuda_handle_known(&(*process)->handles, object, WM_CUDA_HANDLE_USER_OBJECT)))
        status = cudaErrorInvalidValue;
    return status;
}

WM_CUDA_API wm_cuda_status cudaUserObjectRetain(struct wm_cuda_user_object *object, unsigned count)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_object(&process, object, count);
    if (status == cudaSuccess)
        wm_cuda_user_object_retain(object, count);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaUserObjectRelease(struct wm_cuda_user_object *object, unsigned count)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_object(&process, object, count);
    if (status == cudaSuccess && count > wm_cuda_user_object_references(object))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        wm_cuda_user_object_release(process, object, count);
    return wm_cuda_leave(process, status);
}

static struct wm_cuda_user_reference *reference_of(struct wm_cuda_graph *graph,
                                                   const struct wm_cuda_user_object *object)
{
    for (uint32_t i = 0; i < graph->user_count; i++)
        if (graph->users[i].object == object)
            return &graph->users[i];
    return NULL;
}

static wm_cuda_status retain(struct wm_cuda_graph *graph, struct wm_cuda_user_object *object,
                             unsigned count)
{
    struct wm_cuda_user_reference *reference = reference_of(graph, object);
    if (!reference) {
        if (!WM_ARRAY_RESIZE(graph->users, graph->user_count + UINT64_C(1)))
            return cudaErrorMemoryAllocation;
        reference = &graph->users[graph->user_count++];
        *reference = (struct wm_cuda_user_reference){.object = object};
    }
    reference->count += count;
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status cudaGraphRetainUserObject(struct wm_cuda_graph *graph,
                                                     struct wm_cuda_user_object *object,
                                                     unsigned count, unsigned flags)
{
    enum { MOVE = 1 };
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_object(&process, object, count);
    if (status == cudaSuccess &&
        (!wm_cuda_graph_known(process, graph) || flags > MOVE ||
         (flags == MOVE && count > wm_cuda_user_object_references(object))))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = retain(graph, object, count);
    // A moved reference was the caller's until now.
    if (status == cudaSuccess && flags != MOVE)
        wm_cuda_user_object_retain(object, count);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphReleaseUserObject(struct wm_cuda_graph *graph,
                                                      struct wm_cuda_user_object *object,
                                                      unsigned count)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_object(&process, object, count);
    if (status == cudaSuccess && !wm_cuda_graph_known(process, graph))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct wm_cuda_user_reference *reference = reference_of(graph, object);
        if (!reference || reference->count < count) {
            status = cudaErrorInvalidValue;
        } else {
            reference->count -= count;
            if (reference->count == 0)
                *reference = graph->users[--graph->user_count];
            wm_cuda_user_object_release(process, object, count);
        }
    }
    return wm_cuda_leave(process, status);
}

// ---- Memory ------------------------------------------------------------------------------------

static wm_cuda_status enter_device(struct wm_cuda_process **process, int device)
{
    wm_cuda_status status = wm_cuda_enter(process);
    return status == cudaSuccess ? wm_cuda_check_device(*process, device) : status;
}

WM_CUDA_API wm_cuda_status cudaDeviceGraphMemTrim(int device)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_device(&process, device);
    if (status == cudaSuccess)
        wm_cuda_graph_memory_trim(process, (uint32_t)device);
    return wm_cuda_leave(process, status);
}

enum { USED = 0, USED_HIGH = 1, RESERVED = 2, RESERVED_HIGH = 3 };

WM_CUDA_API wm_cuda_status cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_device(&process, device);
    if (status == cudaSuccess && (!value || attribute < USED || attribute > RESERVED_HIGH))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        const struct wm_cuda_graph_memory_amounts *state = &process->graph_memory.of[device];
        const uint64_t values[] = {state->used, state->used_high, state->reserved,
                                   state->reserved_high};
        memcpy(value, &values[attribute], sizeof values[0]);
    }
    return wm_cuda_leave(process, status);
}

// High marks can be set back to what is there now, by setting them to 0.
WM_CUDA_API wm_cuda_status cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value)
{
    struct wm_cuda_process *process;
    uint64_t wanted = 1;
    wm_cuda_status status = enter_device(&process, device);
    if (value)
        memcpy(&wanted, value, sizeof wanted);
    if (status == cudaSuccess &&
        (wanted != 0 || (attribute != USED_HIGH && attribute != RESERVED_HIGH)))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct wm_cuda_graph_memory_amounts *state = &process->graph_memory.of[device];
        if (attribute == USED_HIGH)
            state->used_high = state->used;
        else
            state->reserved_high = state->reserved;
    }
    return wm_cuda_leave(process, status);
}

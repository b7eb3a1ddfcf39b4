#include "cuda/device/kernel_services.h"

#include "cuda/device/device_properties.h"
#include "cuda/device/kernel_launches.h"
#include "cuda/device/kernel_limits.h"
#include "cuda/error/error_text.h"
#include "cuda/graph/graph_run.h"
#include "cuda/memory/copy_request.h"

#include <stdlib.h>
#include <string.h>

// NULL, the legacy, per-thread, tail and fire-and-forget streams; then those that kernels made.
enum { NAMED_STREAMS = 5 };
static const uint64_t handle_base = UINT64_C(0x140000000000);

struct wm_cuda_thread_error {
    struct wm_cuda_thread_error *next;
    uint64_t block;
    uint32_t thread;
    wm_cuda_status status;
};

static struct wm_cuda_device *device_of(const struct wm_cuda_kernel_launches *launches)
{
    return &launches->process->devices[launches->device];
}

// ---- Arguments ---------------------------------------------------------------------------------

static uint64_t wide(const struct wm_device_call *call, unsigned index)
{
    uint64_t value;
    memcpy(&value, call->arguments[index], sizeof value);
    return value;
}

static uint32_t word(const struct wm_device_call *call, unsigned index)
{
    uint32_t value;
    memcpy(&value, call->arguments[index], sizeof value);
    return value;
}

static struct wm_cuda_dim3 dimensions(const struct wm_device_call *call, unsigned index)
{
    struct wm_cuda_dim3 value;
    memcpy(&value, call->arguments[index], sizeof value);
    return value;
}

static wm_cuda_status put(const struct wm_device_call *call, unsigned index, const void *value,
                          uint32_t bytes)
{
    return wm_device_call_write(call, wide(call, index), value, bytes) ? cudaSuccess
                                                                       : cudaErrorInvalidValue;
}

static wm_cuda_status put_int(const struct wm_device_call *call, unsigned index, int value)
{
    return put(call, index, &value, sizeof value);
}

// ---- Errors ------------------------------------------------------------------------------------

static struct wm_cuda_thread_error **error_of(struct wm_cuda_kernel_launches *launches,
                                              const struct wm_device_call *call)
{
    struct wm_cuda_thread_error **at = &launches->errors;
    while (*at && ((*at)->block != call->block || (*at)->thread != call->thread))
        at = &(*at)->next;
    return at;
}

static wm_cuda_status last_error(struct wm_cuda_kernel_launches *launches,
                                 const struct wm_device_call *call, bool forget)
{
    struct wm_cuda_thread_error **at = error_of(launches, call), *error = *at;
    wm_cuda_status status = error ? error->status : cudaSuccess;
    if (error && forget) {
        *at = error->next;
        free(error);
    }
    return status;
}

static wm_cuda_status note(struct wm_cuda_kernel_launches *launches,
                           const struct wm_device_call *call, wm_cuda_status status)
{
    if (status == cudaSuccess)
        return status;
    struct wm_cuda_thread_error **at = error_of(launches, call);
    if (!*at) {
        *at = malloc(sizeof **at);
        if (!*at)
            return status;
        **at = (struct wm_cuda_thread_error){.block = call->block, .thread = call->thread};
    }
    (*at)->status = status;
    return status;
}

void wm_cuda_thread_errors_free(struct wm_cuda_thread_error *errors)
{
    while (errors) {
        struct wm_cuda_thread_error *next = errors->next;
        free(errors);
        errors = next;
    }
}

// A text that kernels may read stays in device memory to the end. Each is there once, or a kernel
// that reads it in a loop would use up the space for launches. 0 without space.
static uint64_t text_of(struct wm_cuda_kernel_launches *launches, const char *text)
{
    struct wm_cuda_launch_pool *pool = &device_of(launches)->runtime.launches;
    for (const struct wm_cuda_device_text *at = pool->texts; at; at = at->next)
        if (at->text == text)
            return at->address;
    size_t bytes = strlen(text) + 1;
    struct wm_cuda_device_text *made = malloc(sizeof *made);
    uint64_t address = made ? wm_cuda_request_buffer(launches, bytes) : 0;
    if (!address) {
        free(made);
        return 0;
    }
    memcpy((void *)(uintptr_t)address, text, bytes);
    *made = (struct wm_cuda_device_text){pool->texts, text, address};
    pool->texts = made;
    return address;
}

// ---- Launches ----------------------------------------------------------------------------------

static bool is_handle(const struct wm_cuda_kernel_launches *launches, uint64_t handle)
{
    return handle - handle_base - 1 < device_of(launches)->runtime.launches.handles;
}

static bool is_stream(const struct wm_cuda_kernel_launches *launches, uint64_t stream)
{
    return stream < NAMED_STREAMS || is_handle(launches, stream);
}

static wm_cuda_status make_handle(struct wm_cuda_kernel_launches *launches,
                                  const struct wm_device_call *call, bool allowed)
{
    if (!allowed)
        return cudaErrorInvalidValue;
    uint64_t handle = handle_base + ++device_of(launches)->runtime.launches.handles;
    return put(call, 0, &handle, sizeof handle);
}

static uint64_t request(struct wm_cuda_kernel_launches *launches, const struct wm_device_call *call,
                        unsigned first, wm_cuda_status *status)
{
    struct wm_cuda_configuration configuration = {
        .grid = dimensions(call, first),
        .block = dimensions(call, first + 1),
        .dynamic_shared_bytes = word(call, first + 2),
    };
    return wm_cuda_request_launch(launches, call->caller, wide(call, 0), &configuration, status);
}

static wm_cuda_status launch(struct wm_cuda_kernel_launches *launches,
                             const struct wm_device_call *call, uint64_t buffer, uint64_t stream)
{
    (void)call;
    if (!is_stream(launches, stream))
        return cudaErrorInvalidResourceHandle;
    return wm_cuda_issue_launch(launches, buffer, stream);
}

// The function whose device address an argument has; `own` is as wm_cuda_launched_function says.
static wm_cuda_status function_at(struct wm_cuda_kernel_launches *launches,
                                  const struct wm_device_call *call, unsigned index,
                                  struct wm_cuda_function *own, struct wm_cuda_function **function)
{
    struct wm_error error;
    wm_error_clear(&error);
    return wm_cuda_launched_function(launches->process, call->caller, wide(call, index), own,
                                     function, &error);
}

// The first interface: the parameters lie in a buffer that the kernel has requested by its size.
static wm_cuda_status launch_from_buffer(struct wm_cuda_kernel_launches *launches,
                                         const struct wm_device_call *call)
{
    wm_cuda_status status;
    uint64_t given = wide(call, 1), buffer = request(launches, call, 2, &status);
    if (!buffer)
        return status;
    struct wm_cuda_function own, *function;
    status = function_at(launches, call, 0, &own, &function);
    uint32_t bytes = status == cudaSuccess ? function->kernel->parameter_bytes : 0;
    if (bytes != 0 && !wm_device_call_read(call, given, (void *)(uintptr_t)buffer, bytes))
        status = cudaErrorInvalidValue;
    wm_device_heap_release(&device_of(launches)->runtime.launches.heap, given);
    if (status == cudaSuccess)
        status = launch(launches, call, buffer, wide(call, 5));
    if (status != cudaSuccess)
        wm_cuda_cancel_launch(launches, buffer);
    return status;
}

static wm_cuda_status occupancy(struct wm_cuda_kernel_launches *launches,
                                const struct wm_device_call *call)
{
    struct wm_cuda_function own, *function;
    wm_cuda_status status = function_at(launches, call, 1, &own, &function);
    if (status != cudaSuccess)
        return status;
    return put_int(
        call, 0,
        (int)wm_cuda_blocks_per_sm(launches->process, function, word(call, 2), wide(call, 3)));
}

static wm_cuda_status attributes(struct wm_cuda_kernel_launches *launches,
                                 const struct wm_device_call *call)
{
    struct wm_cuda_function own, *function;
    wm_cuda_status status = function_at(launches, call, 1, &own, &function);
    if (status != cudaSuccess)
        return status;
    struct wm_cuda_function_attributes all = wm_cuda_attributes_of(launches->process, function);
    return put(call, 0, &all, sizeof all);
}

static wm_cuda_status launch_graph(struct wm_cuda_kernel_launches *launches,
                                   const struct wm_device_call *call)
{
    struct wm_error error;
    wm_error_clear(&error);
    wm_cuda_status status = wm_cuda_run_launch(
        launches, (struct wm_cuda_graph_exec *)(uintptr_t)wide(call, 0), wide(call, 1), &error);
    if (error.status != WM_OK)
        wm_cuda_explain_call(launches, call->caller, &error);
    return status;
}

// ---- The device --------------------------------------------------------------------------------

static wm_cuda_status attribute(const struct wm_cuda_kernel_launches *launches,
                                const struct wm_device_call *call)
{
    int value;
    wm_cuda_status status = wm_cuda_check_device(launches->process, (int)word(call, 2));
    if (status != cudaSuccess)
        return status;
    if (!wm_cuda_device_attribute(&launches->process->machine, word(call, 2), (int)word(call, 1),
                                  &value))
        return cudaErrorInvalidValue;
    return put_int(call, 0, value);
}

static wm_cuda_status limit(const struct wm_cuda_kernel_launches *launches,
                            const struct wm_device_call *call)
{
    int which = (int)word(call, 1);
    wm_cuda_status status = wm_cuda_check_limit(&launches->process->machine, which);
    return status != cudaSuccess ? status
                                 : put(call, 0, &device_of(launches)->limits[which],
                                       sizeof device_of(launches)->limits[0]);
}

static wm_cuda_status allocate(const struct wm_cuda_kernel_launches *launches,
                               const struct wm_device_call *call)
{
    uint64_t address = wm_device_heap_allocate(&device_of(launches)->runtime.heap, wide(call, 1));
    return address ? put(call, 0, &address, sizeof address) : cudaErrorMemoryAllocation;
}

static wm_cuda_status release(const struct wm_cuda_kernel_launches *launches,
                              const struct wm_device_call *call)
{
    uint64_t address = wide(call, 0);
    bool good = address == 0 || wm_device_heap_release(&device_of(launches)->runtime.heap, address);
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

// ---- Copies and fills --------------------------------------------------------------------------

static wm_cuda_status copy_rows(struct wm_cuda_kernel_launches *launches, const uint64_t to[2],
                                const uint64_t from[2], uint64_t width, uint64_t height,
                                uint64_t stream)
{
    return wm_cuda_issue_copy(
        launches, &(struct wm_cuda_pitched_address){.address = to[0], .pitch = to[1]},
        &(struct wm_cuda_pitched_address){.address = from[0], .pitch = from[1]},
        &(struct wm_cuda_box){width, height, 1}, stream);
}

// Of the parameters in the thread's memory; of arrays kernels have no handles.
static wm_cuda_status copy_box(struct wm_cuda_kernel_launches *launches,
                               const struct wm_device_call *call)
{
    struct wm_cuda_copy3d parameters;
    struct wm_cuda_copy_request request;
    if (!wm_device_call_read(call, wide(call, 0), &parameters, sizeof parameters))
        return cudaErrorInvalidValue;
    wm_cuda_status status = wm_cuda_copy3d_request(&parameters, &request);
    return status == cudaSuccess ? wm_cuda_issue_copy(launches, &request.to, &request.from,
                                                      &request.box, wide(call, 1))
                                 : status;
}

static wm_cuda_status fill_box(struct wm_cuda_kernel_launches *launches,
                               const struct wm_device_call *call)
{
    struct wm_cuda_pitched_pointer pointer;
    struct wm_cuda_extent extent;
    struct wm_cuda_pitched_address to;
    memcpy(&pointer, call->arguments[0], sizeof pointer);
    memcpy(&extent, call->arguments[2], sizeof extent);
    if (!wm_cuda_place_of(&pointer, &(struct wm_cuda_position){0}, &to))
        return cudaErrorInvalidValue;
    return wm_cuda_issue_fill(launches, &to,
                              &(struct wm_cuda_box){extent.width, extent.height, extent.depth},
                              word(call, 1), wide(call, 3));
}

// ---- Waiting -----------------------------------------------------------------------------------

// The thread then waits while its block has children.
static wm_cuda_status synchronise(const struct wm_cuda_kernel_launches *launches)
{
    if (!launches->family)
        return cudaErrorNotSupported;
    return launches->depth <= device_of(launches)->limits[WM_CUDA_LIMIT_SYNC_DEPTH]
               ? cudaSuccess
               : cudaErrorSyncDepthExceeded;
}

bool wm_cuda_kernel_has_children(void *owner, uint64_t block)
{
    struct wm_cuda_kernel_launches *launches = owner;
    pthread_mutex_lock(&launches->process->mutex);
    bool has = wm_cuda_has_issued(launches, block);
    pthread_mutex_unlock(&launches->process->mutex);
    if (has)
        wm_session_end_step(launches->process->session);
    return has;
}

// ---- The table ---------------------------------------------------------------------------------

// Copies and fills, and what only orders them: a stream that waits for an event waits for all that
// its block has issued, which is never less than required.
static wm_cuda_status order(struct wm_cuda_kernel_launches *launches,
                            const struct wm_device_call *call)
{
    switch ((int)call->service) {
    // Flags without which a kernel may make no stream and no event (cuda_device_runtime_api.h).
    case WM_SERVICE_STREAM_CREATE:
        return make_handle(launches, call, word(call, 1) == WM_CUDA_STREAM_NON_BLOCKING);
    case WM_SERVICE_EVENT_CREATE:
        return make_handle(launches, call, word(call, 1) == WM_CUDA_EVENT_DISABLE_TIMING);
    case WM_SERVICE_STREAM_DESTROY:
    case WM_SERVICE_EVENT_DESTROY:
        return is_handle(launches, wide(call, 0)) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    case WM_SERVICE_STREAM_WAIT_EVENT:
        return is_stream(launches, wide(call, 0)) && is_handle(launches, wide(call, 1))
                   ? wm_cuda_issue_order(launches, wide(call, 0))
                   : cudaErrorInvalidResourceHandle;
    case WM_SERVICE_EVENT_RECORD:
    case WM_SERVICE_EVENT_RECORD_FLAGS:
        return is_handle(launches, wide(call, 0)) && is_stream(launches, wide(call, 1))
                   ? cudaSuccess
                   : cudaErrorInvalidResourceHandle;
    case WM_SERVICE_MEMCPY:
        return copy_rows(launches, (const uint64_t[]){wide(call, 0), 0},
                         (const uint64_t[]){wide(call, 1), 0}, wide(call, 2), 1, wide(call, 4));
    case WM_SERVICE_MEMCPY_2D:
        return copy_rows(launches, (const uint64_t[]){wide(call, 0), wide(call, 1)},
                         (const uint64_t[]){wide(call, 2), wide(call, 3)}, wide(call, 4),
                         wide(call, 5), wide(call, 7));
    case WM_SERVICE_MEMCPY_3D: return copy_box(launches, call);
    case WM_SERVICE_MEMSET:
        return wm_cuda_issue_fill(
            launches, &(struct wm_cuda_pitched_address){.address = wide(call, 0)},
            &(struct wm_cuda_box){wide(call, 2), 1, 1}, word(call, 1), wide(call, 3));
    case WM_SERVICE_MEMSET_2D:
        return wm_cuda_issue_fill(
            launches,
            &(struct wm_cuda_pitched_address){.address = wide(call, 0), .pitch = wide(call, 1)},
            &(struct wm_cuda_box){wide(call, 3), wide(call, 4), 1}, word(call, 2), wide(call, 5));
    case WM_SERVICE_MEMSET_3D: return fill_box(launches, call);
    default: return cudaErrorNotSupported;
    }
}

static wm_cuda_status do_service(struct wm_cuda_kernel_launches *launches,
                                 const struct wm_device_call *call)
{
    switch ((int)call->service) {
    case WM_SERVICE_LAUNCH_DEVICE: return launch_from_buffer(launches, call);
    case WM_SERVICE_LAUNCH_DEVICE_V2: return launch(launches, call, wide(call, 0), wide(call, 1));
    case WM_SERVICE_GRAPH_LAUNCH: return launch_graph(launches, call);
    case WM_SERVICE_DEVICE_SYNCHRONIZE: return synchronise(launches);
    case WM_SERVICE_GET_DEVICE_COUNT: return put_int(call, 0, (int)launches->process->device_count);
    case WM_SERVICE_GET_DEVICE: return put_int(call, 0, (int)launches->device);
    case WM_SERVICE_DEVICE_GET_CACHE_CONFIG:
    case WM_SERVICE_DEVICE_GET_SHARED_CONFIG: return put_int(call, 0, 0);
    case WM_SERVICE_RUNTIME_GET_VERSION: return put_int(call, 0, WM_CUDA_VERSION);
    case WM_SERVICE_DEVICE_GET_ATTRIBUTE: return attribute(launches, call);
    case WM_SERVICE_DEVICE_GET_LIMIT: return limit(launches, call);
    case WM_SERVICE_FUNC_GET_ATTRIBUTES: return attributes(launches, call);
    case WM_SERVICE_OCCUPANCY:
    case WM_SERVICE_OCCUPANCY_FLAGS: return occupancy(launches, call);
    case WM_SERVICE_MALLOC: return allocate(launches, call);
    case WM_SERVICE_FREE: return release(launches, call);
    default: return order(launches, call);
    }
}

static uint64_t result_of(struct wm_cuda_kernel_launches *launches,
                          const struct wm_device_call *call)
{
    wm_cuda_status status = cudaSuccess;
    uint64_t address;
    switch ((int)call->service) {
    case WM_SERVICE_GET_LAST_ERROR: return (uint64_t)last_error(launches, call, true);
    case WM_SERVICE_PEEK_AT_LAST_ERROR: return (uint64_t)last_error(launches, call, false);
    case WM_SERVICE_GET_ERROR_NAME:
        return text_of(launches, wm_cuda_error_name((int)word(call, 0)));
    case WM_SERVICE_GET_ERROR_STRING:
        return text_of(launches, wm_cuda_error_sentence((int)word(call, 0)));
    case WM_SERVICE_GET_PARAMETER_BUFFER: return wm_cuda_request_buffer(launches, wide(call, 1));
    case WM_SERVICE_GET_PARAMETER_BUFFER_V2:
        address = request(launches, call, 1, &status);
        note(launches, call, status);
        return address;
    default: return (uint64_t)note(launches, call, do_service(launches, call));
    }
}

uint64_t wm_cuda_kernel_service(void *owner, const struct wm_device_call *call)
{
    struct wm_cuda_kernel_launches *launches = owner;
    pthread_mutex_lock(&launches->process->mutex);
    launches->block = call->block;
    uint32_t before = wm_cuda_use_device(launches->device);
    uint64_t result = result_of(launches, call);
    (void)wm_cuda_use_device(before);
    pthread_mutex_unlock(&launches->process->mutex);
    return result;
}

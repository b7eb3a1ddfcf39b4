#include "cuda/device/kernel_launches.h"

#include "base/numbers/hash.h"
#include "cuda/device/device_commands.h"
#include "cuda/device/issued_work.h"
#include "cuda/device/kernel_services.h"
#include "cuda/device/launch_request.h"
#include "cuda/graph/graph_run.h"
#include "cuda/memory/allocation_table.h"

#include <stdlib.h>
#include <string.h>

// Most parameters of a kernel, bytes (CUDA C++ Programming Guide, "Function Parameters").
enum { MOST_PARAMETER_BYTES = 4096 };

// Levels of grids that may wait for each other, of the host's the first (the same, "CUDA Dynamic
// Parallelism", configuration options).
enum { MOST_DEPTH = 24 };

// ---- Parameter buffers -------------------------------------------------------------------------

wm_cuda_status wm_cuda_prepare_kernel_launches(struct wm_cuda_process *process)
{
    struct wm_cuda_launch_pool *pool = &wm_cuda_current(process)->runtime.launches;
    if (pool->has_heap)
        return cudaSuccess;
    uint64_t wanted =
        wm_cuda_current(process)->limits[WM_CUDA_LIMIT_PENDING_LAUNCHES] * MOST_PARAMETER_BYTES;
    uint64_t bytes = WM_HEAP_ALIGNMENT;
    while (bytes < wanted && bytes >> 30 == 0)
        bytes *= 2;
    void *memory;
    wm_cuda_status status = wm_cuda_allocate(process, bytes, WM_ALLOCATION_DEVICE, 0,
                                             "parameters of launches by kernels", &memory);
    if (status != cudaSuccess)
        return status;
    if (pool->has_heap) // another host thread was faster
        return wm_cuda_release(process, (uint64_t)(uintptr_t)memory);
    if (wm_device_heap_init(&pool->heap, (uint64_t)(uintptr_t)memory, bytes, NULL) != WM_OK)
        return cudaErrorMemoryAllocation;
    pool->has_heap = true;
    return cudaSuccess;
}

static struct wm_cuda_device *device_of(const struct wm_cuda_kernel_launches *launches)
{
    return &launches->process->devices[launches->device];
}

static void give_back(struct wm_cuda_kernel_launches *launches, struct wm_cuda_issued_work *work)
{
    if (work->buffer)
        wm_device_heap_release(&device_of(launches)->runtime.launches.heap, work->buffer);
    work->buffer = 0;
}

uint64_t wm_cuda_request_buffer(struct wm_cuda_kernel_launches *launches, uint64_t bytes)
{
    return wm_device_heap_allocate(&device_of(launches)->runtime.launches.heap, bytes ? bytes : 1);
}

// ---- Kernels -----------------------------------------------------------------------------------

// As the host has registered it, with what it has set for it.
static struct wm_cuda_function *registered(struct wm_cuda_process *process,
                                           const struct wm_kernel *kernel)
{
    struct wm_cuda_registry *registry = &process->registry;
    for (uint32_t i = 0; i < registry->function_count; i++) {
        struct wm_cuda_function *function = registry->functions[i];
        const struct wm_kernel *loaded;
        if (wm_cuda_binary_has(function->binary, kernel->program) &&
            strcmp(function->name, kernel->name) == 0 &&
            wm_cuda_function_kernel(process, function, &loaded) == cudaSuccess)
            return function;
    }
    return NULL;
}

wm_cuda_status wm_cuda_launched_function(struct wm_cuda_process *process,
                                         const struct wm_kernel *caller, uint64_t address,
                                         struct wm_cuda_function *own,
                                         struct wm_cuda_function **function, struct wm_error *error)
{
    const struct wm_kernel *kernel;
    enum wm_status status =
        wm_program_kernel_at((struct wm_program *)caller->program, address, &kernel, error);
    if (status == WM_NOT_FOUND)
        return cudaErrorInvalidDeviceFunction;
    if (status != WM_OK)
        return wm_cuda_status_of(error);
    *own = (struct wm_cuda_function){
        .name = (char *)kernel->name,
        .kernel = kernel,
        .ptx_architecture = kernel->function->symbol->module->target_architecture,
        .preferred_carveout = -1,
    };
    own->kernels[wm_cuda_thread()->device] = kernel;
    *function = registered(process, kernel);
    if (!*function)
        *function = own;
    return cudaSuccess;
}

void wm_cuda_explain_call(struct wm_cuda_kernel_launches *launches, const struct wm_kernel *caller,
                          struct wm_error *error)
{
    uint64_t hash = wm_hash_bytes(error->message, strlen(error->message));
    uint64_t *explained = &device_of(launches)->runtime.launches.explained;
    if (*explained == hash)
        return;
    *explained = hash;
    wm_error_place(error, "a launch by kernel \"%.128s\"", caller->name);
    wm_cuda_print_error(error);
}

uint64_t wm_cuda_request_launch(struct wm_cuda_kernel_launches *launches,
                                const struct wm_kernel *caller, uint64_t address,
                                const struct wm_cuda_configuration *configuration,
                                wm_cuda_status *status)
{
    struct wm_cuda_function own, *function;
    struct wm_error error;
    struct wm_launch launch;
    wm_error_clear(&error);
    if (launches->family && launches->depth >= MOST_DEPTH) {
        *status = cudaErrorLaunchMaxDepthExceeded;
        return 0;
    }
    *status =
        wm_cuda_launched_function(launches->process, caller, address, &own, &function, &error);
    if (*status != cudaSuccess) {
        wm_cuda_explain_call(launches, caller, &error);
        return 0;
    }
    own.explained = device_of(launches)->runtime.launches.explained;
    *status = wm_cuda_prepare_launch(launches->process, function, configuration, &launch);
    device_of(launches)->runtime.launches.explained = own.explained;
    if (*status != cudaSuccess)
        return 0;
    uint64_t buffer = wm_cuda_request_buffer(launches, launch.parameter_bytes);
    struct wm_cuda_issued_work *work = malloc(sizeof *work + launch.parameter_bytes);
    if (!buffer || !work) {
        if (buffer)
            wm_device_heap_release(&device_of(launches)->runtime.launches.heap, buffer);
        free(work);
        wm_fail(&error, WM_LIMIT, "no room is left for the parameters of what kernels launch");
        wm_error_hint(
            &error, "raise cudaLimitDevRuntimePendingLaunchCount, which is %llu",
            (unsigned long long)device_of(launches)->limits[WM_CUDA_LIMIT_PENDING_LAUNCHES]);
        wm_cuda_explain_call(launches, caller, &error);
        *status = cudaErrorLaunchPendingCountExceeded;
        return 0;
    }
    *work = (struct wm_cuda_issued_work){
        .next = launches->requested, .kind = WM_ISSUED_KERNEL, .buffer = buffer, .launch = launch};
    launches->requested = work;
    return buffer;
}

static void issue(struct wm_cuda_kernel_launches *launches, struct wm_cuda_issued_work *work,
                  uint64_t stream)
{
    work->next = NULL;
    work->block = launches->block;
    work->stream = stream;
    work->tail = stream == WM_STREAM_TAIL_LAUNCH;
    *launches->end = work;
    launches->end = &work->next;
    if (launches->family) // which may begin it
        wm_session_end_step(launches->process->session);
}

wm_cuda_status wm_cuda_issue_order(struct wm_cuda_kernel_launches *launches, uint64_t stream)
{
    if (!launches->family) // all is executed in the order in which it was issued
        return cudaSuccess;
    struct wm_cuda_issued_work *work = malloc(sizeof *work);
    if (!work)
        return cudaErrorMemoryAllocation;
    *work = (struct wm_cuda_issued_work){.kind = WM_ISSUED_ORDER};
    issue(launches, work, stream);
    return cudaSuccess;
}

wm_cuda_status wm_cuda_issue_graph(struct wm_cuda_kernel_launches *launches,
                                   struct wm_cuda_graph_exec *exec)
{
    struct wm_cuda_issued_work *work = malloc(sizeof *work);
    if (!work)
        return cudaErrorMemoryAllocation;
    *work = (struct wm_cuda_issued_work){.kind = WM_ISSUED_GRAPH, .exec = exec};
    issue(launches, work, WM_STREAM_FIRE_AND_FORGET);
    return cudaSuccess;
}

bool wm_cuda_has_issued(const struct wm_cuda_kernel_launches *launches, uint64_t block)
{
    const struct wm_cuda_issued_work *at = launches->first;
    while (at && (at->block != block || at->tail))
        at = at->next;
    return at != NULL;
}

void wm_cuda_issued_free(struct wm_cuda_kernel_launches *launches, struct wm_cuda_issued_work *work)
{
    struct wm_cuda_issued_work **at = &launches->first;
    while (*at != work)
        at = &(*at)->next;
    *at = work->next;
    if (launches->end == &work->next)
        launches->end = at;
    free(work);
}

static struct wm_cuda_issued_work *take_requested(struct wm_cuda_kernel_launches *launches,
                                                  uint64_t buffer)
{
    struct wm_cuda_issued_work **at = &launches->requested, *work;
    while (*at && (*at)->buffer != buffer)
        at = &(*at)->next;
    work = *at;
    if (work)
        *at = work->next;
    return work;
}

void wm_cuda_cancel_launch(struct wm_cuda_kernel_launches *launches, uint64_t buffer)
{
    struct wm_cuda_issued_work *work = take_requested(launches, buffer);
    if (work)
        give_back(launches, work);
    free(work);
}

wm_cuda_status wm_cuda_issue_launch(struct wm_cuda_kernel_launches *launches, uint64_t buffer,
                                    uint64_t stream)
{
    struct wm_cuda_issued_work *work = take_requested(launches, buffer);
    if (!work)
        return cudaErrorInvalidValue;
    memcpy(work->parameters, (const void *)(uintptr_t)buffer, work->launch.parameter_bytes);
    give_back(launches, work);
    issue(launches, work, stream);
    return cudaSuccess;
}

// ---- Copies and fills --------------------------------------------------------------------------

static bool reaches(const struct wm_cuda_kernel_launches *launches,
                    const struct wm_cuda_pitched_address *place, const struct wm_cuda_box *box,
                    bool write)
{
    const struct wm_device_memory *memory = launches->process->memory;
    for (uint64_t z = 0; z < box->depth; z++)
        for (uint64_t y = 0; y < box->height; y++)
            if (!wm_device_memory_find_range(memory,
                                             place->address + z * place->slice + y * place->pitch,
                                             box->width, write))
                return false;
    return true;
}

static wm_cuda_status issue_move(struct wm_cuda_kernel_launches *launches,
                                 enum wm_cuda_issued_kind kind,
                                 const struct wm_cuda_pitched_address *to,
                                 const struct wm_cuda_pitched_address *from,
                                 const struct wm_cuda_box *box, uint32_t value, uint64_t stream)
{
    if (box->width == 0 || box->height == 0 || box->depth == 0)
        return cudaSuccess;
    if (!reaches(launches, to, box, true) ||
        (kind == WM_ISSUED_COPY && !reaches(launches, from, box, false)))
        return cudaErrorInvalidValue;
    struct wm_cuda_issued_work *work = malloc(sizeof *work);
    if (!work)
        return cudaErrorMemoryAllocation;
    *work = (struct wm_cuda_issued_work){
        .kind = kind, .to = *to, .from = *from, .box = *box, .value = value};
    issue(launches, work, stream);
    return cudaSuccess;
}

wm_cuda_status wm_cuda_issue_copy(struct wm_cuda_kernel_launches *launches,
                                  const struct wm_cuda_pitched_address *to,
                                  const struct wm_cuda_pitched_address *from,
                                  const struct wm_cuda_box *box, uint64_t stream)
{
    return issue_move(launches, WM_ISSUED_COPY, to, from, box, 0, stream);
}

wm_cuda_status wm_cuda_issue_fill(struct wm_cuda_kernel_launches *launches,
                                  const struct wm_cuda_pitched_address *to,
                                  const struct wm_cuda_box *box, uint32_t value, uint64_t stream)
{
    return issue_move(launches, WM_ISSUED_FILL, to, to, box, value & 0xff, stream);
}

// ---- After the parent --------------------------------------------------------------------------

static bool push_work(struct wm_cuda_kernel_launches *launches, struct wm_cuda_stream *stream,
                      struct wm_cuda_issued_work *work)
{
    struct wm_cuda_process *process = launches->process;
    struct wm_cuda_element element = {.value = work->value, .bytes = 1};
    switch (work->kind) {
    case WM_ISSUED_COPY:
        return wm_cuda_push_copy(process, stream, &work->to, &work->from, &work->box, true, true,
                                 false) != 0;
    case WM_ISSUED_FILL:
        return wm_cuda_push_fill(process, stream, &work->to, &work->box, element) != 0;
    case WM_ISSUED_KERNEL:
        work->launch.parameters = work->parameters;
        return wm_cuda_push_launch_at(process, stream, &work->launch, launches->depth + !work->tail,
                                      NULL, false) != 0;
    case WM_ISSUED_GRAPH: return wm_cuda_run_insert(process, work->exec, stream) == cudaSuccess;
    case WM_ISSUED_ORDER: return true;
    }
    return false;
}

void wm_cuda_issue_kernel_launches(struct wm_cuda_kernel_launches *launches,
                                   struct wm_cuda_command *after, uint64_t stream, int priority)
{
    struct wm_cuda_process *process = launches->process;
    struct wm_cuda_stream own = {.id = stream, .device = launches->device, .priority = priority};
    bool all = true;
    if (!launches->first)
        return;
    wm_cuda_queue_insert_begin(&process->queue, after);
    // A command's own children go right behind it: so all but the tail has ended when that begins.
    for (int tail = 0; tail < 2; tail++)
        for (struct wm_cuda_issued_work *work = launches->first; work; work = work->next)
            if (work->tail == (tail == 1))
                all &= push_work(launches, &own, work);
    wm_cuda_queue_insert_end(&process->queue, after);
    if (!all && process->fault == cudaSuccess) {
        process->fault = cudaErrorMemoryAllocation;
        process->fault_sequence = after->sequence;
    }
}

// ---- Their life --------------------------------------------------------------------------------

void wm_cuda_kernel_launches_init(struct wm_cuda_kernel_launches *launches,
                                  struct wm_cuda_process *process, uint32_t device, uint32_t depth,
                                  struct wm_cuda_launch_tree *family)
{
    *launches = (struct wm_cuda_kernel_launches){
        .process = process,
        .services = {.owner = launches,
                     .call = wm_cuda_kernel_service,
                     .has_children = wm_cuda_kernel_has_children},
        .device = device,
        .depth = depth,
        .family = family,
        .end = &launches->first,
    };
}

static void free_works(struct wm_cuda_kernel_launches *launches, struct wm_cuda_issued_work *work)
{
    while (work) {
        struct wm_cuda_issued_work *next = work->next;
        give_back(launches, work);
        free(work);
        work = next;
    }
}

void wm_cuda_kernel_launches_release(struct wm_cuda_kernel_launches *launches)
{
    free_works(launches, launches->requested);
    free_works(launches, launches->first);
    wm_cuda_thread_errors_free(launches->errors);
    launches->requested = launches->first = NULL;
    launches->end = &launches->first;
    launches->errors = NULL;
}

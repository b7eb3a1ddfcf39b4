#include "base/containers/array.h"
#include "cuda/device/launch_request.h"
#include "cuda/graph/graph.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/memory/array_copy.h"
#include "cuda/memory/copy_request.h"
#include "cuda/stream/stream_table.h"

#include <stdlib.h>
#include <string.h>

// ---- Kernels -----------------------------------------------------------------------------------

wm_cuda_status wm_cuda_work_of_launch(struct wm_cuda_function *function, void *handle,
                                      const struct wm_cuda_configuration *configuration,
                                      const struct wm_kernel *kernel, uint8_t *block,
                                      struct wm_cuda_work *work)
{
    void **arguments = malloc((kernel->parameter_count + 1) * sizeof *arguments);
    if (!arguments)
        return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        arguments[i] = block + kernel->parameters[i].offset;
    *work = (struct wm_cuda_work){.kind = WM_CUDA_WORK_KERNEL,
                                  .kernel = {
                                      .function = function,
                                      .device = wm_cuda_thread()->device,
                                      .handle = handle,
                                      .configuration = *configuration,
                                      .block = block,
                                      .arguments = arguments,
                                      .block_bytes = kernel->parameter_bytes,
                                  }};
    return cudaSuccess;
}

// The whole parameter block in one piece: pairs of a tag and a value, ended by 0 (CUDA Driver API,
// cuLaunchKernel's `extra`).
static wm_cuda_status pack_extra(const struct wm_kernel *kernel, void *const *extra,
                                 uint8_t **block)
{
    enum { END = 0, POINTER = 1, SIZE = 2 };
    const void *from = NULL;
    const size_t *bytes = NULL;
    for (; (uintptr_t)extra[0] != END; extra += 2) {
        if ((uintptr_t)extra[0] == POINTER)
            from = extra[1];
        else if ((uintptr_t)extra[0] == SIZE)
            bytes = extra[1];
        else
            return cudaErrorInvalidValue;
    }
    if (!from || !bytes || *bytes > kernel->parameter_bytes)
        return cudaErrorInvalidValue;
    *block = calloc(1, kernel->parameter_bytes ? kernel->parameter_bytes : 1);
    if (!*block)
        return cudaErrorMemoryAllocation;
    memcpy(*block, from, *bytes);
    return cudaSuccess;
}

wm_cuda_status wm_cuda_work_of_kernel(struct wm_cuda_process *process,
                                      const struct wm_cuda_kernel_parameters *parameters,
                                      struct wm_cuda_work *work)
{
    if (!parameters || (parameters->arguments && parameters->extra))
        return cudaErrorInvalidValue;
    struct wm_cuda_function *function =
        wm_cuda_registry_function(&process->registry, parameters->function);
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    struct wm_cuda_configuration configuration = {
        .grid = parameters->grid,
        .block = parameters->block,
        .dynamic_shared_bytes = parameters->dynamic_shared_bytes,
    };
    struct wm_launch launch;
    uint8_t *block = NULL;
    wm_cuda_status status = wm_cuda_prepare_launch(process, function, &configuration, &launch);
    if (status == cudaSuccess)
        status = parameters->extra
                     ? pack_extra(launch.kernel, parameters->extra, &block)
                     : wm_cuda_pack_parameters(launch.kernel, parameters->arguments, &block);
    if (status == cudaSuccess)
        status = wm_cuda_work_of_launch(function, parameters->function, &configuration,
                                        launch.kernel, block, work);
    if (status != cudaSuccess)
        free(block);
    return status;
}

static bool copy_kernel(struct wm_cuda_process *process, const struct wm_cuda_work *from,
                        bool published, struct wm_cuda_work *to)
{
    (void)process, (void)published;
    const struct wm_cuda_kernel_work *kernel = &from->kernel;
    struct wm_cuda_kernel_work *copy = &to->kernel;
    uint32_t parameters = kernel->function->kernel ? kernel->function->kernel->parameter_count : 0;
    copy->block = malloc(kernel->block_bytes + 1);
    copy->arguments = malloc((parameters + 1) * sizeof *copy->arguments);
    copy->attributes = malloc((kernel->attribute_count + 1) * sizeof *copy->attributes);
    if (!copy->block || !copy->arguments || !copy->attributes) {
        free(copy->block);
        free(copy->arguments);
        free(copy->attributes);
        return false;
    }
    memcpy(copy->block, kernel->block, kernel->block_bytes);
    for (uint32_t i = 0; i < parameters; i++)
        copy->arguments[i] = copy->block + ((uint8_t *)kernel->arguments[i] - kernel->block);
    if (kernel->attribute_count > 0)
        memcpy(copy->attributes, kernel->attributes,
               kernel->attribute_count * sizeof *copy->attributes);
    return true;
}

static void release_kernel(struct wm_cuda_process *process, struct wm_cuda_work *work)
{
    (void)process;
    free(work->kernel.block);
    free(work->kernel.arguments);
    free(work->kernel.attributes);
}

wm_cuda_status wm_cuda_work_set_attribute(struct wm_cuda_work *work,
                                          const struct wm_cuda_launch_attribute *attribute)
{
    struct wm_cuda_kernel_work *kernel = &work->kernel;
    if (attribute->id <= WM_CUDA_LAUNCH_IGNORE || attribute->id >= WM_CUDA_LAUNCH_ATTRIBUTES)
        return cudaErrorInvalidValue;
    if (!wm_cuda_take_attribute(attribute, &kernel->configuration))
        return cudaErrorNotSupported;
    for (uint32_t i = 0; i < kernel->attribute_count; i++) {
        if (kernel->attributes[i].id == attribute->id) {
            kernel->attributes[i] = *attribute;
            return cudaSuccess;
        }
    }
    if (!WM_ARRAY_RESIZE(kernel->attributes, kernel->attribute_count + UINT64_C(1)))
        return cudaErrorMemoryAllocation;
    kernel->attributes[kernel->attribute_count++] = *attribute;
    return cudaSuccess;
}

// ---- Copies, fills, host functions, events -----------------------------------------------------

wm_cuda_status wm_cuda_check_copy(struct wm_cuda_process *process,
                                  const struct wm_cuda_copy3d *parameters, bool *to_device,
                                  bool *from_device)
{
    struct wm_cuda_copy_request request;
    struct wm_cuda_copy_plan plan = {0};
    struct wm_cuda_array_copy copy;
    wm_cuda_status status;
    if (parameters->source_array || parameters->destination_array) {
        status = wm_cuda_array_copy_of(process, parameters, &copy);
        return status == cudaSuccess
                   ? wm_cuda_check_array_copy(process, &copy, to_device, from_device)
                   : status;
    }
    status = wm_cuda_copy3d_request(parameters, &request);
    if (status == cudaSuccess)
        status = wm_cuda_plan_copy(process, &request, &plan);
    *to_device = plan.to_device;
    *from_device = plan.from_device;
    return status;
}

wm_cuda_status wm_cuda_work_of_copy(struct wm_cuda_process *process,
                                    const struct wm_cuda_copy3d *parameters,
                                    struct wm_cuda_work *work)
{
    bool to_device, from_device;
    wm_cuda_status status = parameters
                                ? wm_cuda_check_copy(process, parameters, &to_device, &from_device)
                                : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *work = (struct wm_cuda_work){.kind = WM_CUDA_WORK_COPY, .copy = *parameters};
    return status;
}

wm_cuda_status wm_cuda_work_of_line(struct wm_cuda_process *process, uint64_t to, uint64_t from,
                                    size_t bytes, int kind, struct wm_cuda_work *work)
{
    struct wm_cuda_copy3d parameters = {
        .source = {(void *)(uintptr_t)from, bytes, bytes, 1},
        .destination = {(void *)(uintptr_t)to, bytes, bytes, 1},
        .extent = {bytes, 1, 1},
        .kind = kind,
    };
    return wm_cuda_work_of_copy(process, &parameters, work);
}

wm_cuda_status wm_cuda_fill_box(const struct wm_cuda_fill_parameters *parameters,
                                struct wm_cuda_pitched_address *to, struct wm_cuda_box *box)
{
    unsigned bytes = parameters->element_bytes;
    uint64_t width;
    if ((bytes != 1 && bytes != 2 && bytes != 4) ||
        __builtin_mul_overflow((uint64_t)parameters->width, (uint64_t)bytes, &width) ||
        (uintptr_t)parameters->to % bytes != 0 ||
        (parameters->height > 1 && (parameters->pitch < width || parameters->pitch % bytes != 0)))
        return cudaErrorInvalidValue;
    *to = (struct wm_cuda_pitched_address){.address = (uint64_t)(uintptr_t)parameters->to,
                                           .pitch = parameters->pitch};
    *box = (struct wm_cuda_box){width, parameters->height, 1};
    return cudaSuccess;
}

wm_cuda_status wm_cuda_work_of_fill(struct wm_cuda_process *process,
                                    const struct wm_cuda_fill_parameters *parameters,
                                    struct wm_cuda_work *work)
{
    struct wm_cuda_pitched_address to;
    struct wm_cuda_box box;
    struct wm_cuda_copy_plan plan;
    wm_cuda_status status =
        parameters ? wm_cuda_fill_box(parameters, &to, &box) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_plan_fill(process, &to, &box, &plan);
    if (status == cudaSuccess)
        *work = (struct wm_cuda_work){.kind = WM_CUDA_WORK_FILL, .fill = *parameters};
    return status;
}

wm_cuda_status wm_cuda_work_of_host(const struct wm_cuda_host_parameters *parameters,
                                    struct wm_cuda_work *work)
{
    if (!parameters || !parameters->function)
        return cudaErrorInvalidValue;
    *work = (struct wm_cuda_work){.kind = WM_CUDA_WORK_HOST, .host = *parameters};
    return cudaSuccess;
}

wm_cuda_status wm_cuda_work_of_event(struct wm_cuda_process *process, struct wm_cuda_event *event,
                                     enum wm_cuda_work_kind kind, struct wm_cuda_work *work)
{
    if (!wm_cuda_event_known(process, event))
        return cudaErrorInvalidResourceHandle;
    *work = (struct wm_cuda_work){.kind = kind, .event = event};
    return cudaSuccess;
}

// ---- Graphs inside -----------------------------------------------------------------------------

wm_cuda_status wm_cuda_work_of_child(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                     struct wm_cuda_work *work)
{
    if (wm_cuda_graph_has(graph, WM_CUDA_MEMORY_NODES))
        return cudaErrorNotSupported;
    *work = (struct wm_cuda_work){.kind = WM_CUDA_WORK_CHILD};
    return wm_cuda_graph_clone(process, graph, true, &work->child);
}

static bool copy_child(struct wm_cuda_process *process, const struct wm_cuda_work *from,
                       bool published, struct wm_cuda_work *to)
{
    return wm_cuda_graph_clone(process, from->child, published, &to->child) == cudaSuccess;
}

static void release_child(struct wm_cuda_process *process, struct wm_cuda_work *work)
{
    wm_cuda_graph_free(process, work->child);
}

static void release_condition(struct wm_cuda_process *process, struct wm_cuda_work *work)
{
    for (unsigned i = 0; i < work->condition.size; i++)
        wm_cuda_graph_free(process, work->condition.graphs[i]);
    free(work->condition.graphs);
}

static bool copy_condition(struct wm_cuda_process *process, const struct wm_cuda_work *from,
                           bool published, struct wm_cuda_work *to)
{
    unsigned size = from->condition.size;
    to->condition.graphs = calloc(size + 1, sizeof(struct wm_cuda_graph *));
    bool good = to->condition.graphs != NULL;
    for (unsigned i = 0; i < size && good; i++)
        good = wm_cuda_graph_clone(process, from->condition.graphs[i], published,
                                   &to->condition.graphs[i]) == cudaSuccess;
    if (!good && to->condition.graphs)
        release_condition(process, to);
    return good;
}

// ---- Memory ------------------------------------------------------------------------------------

wm_cuda_status wm_cuda_work_of_free(struct wm_cuda_process *process, uint64_t address,
                                    struct wm_cuda_work *work)
{
    if (!wm_cuda_graph_memory_at(process, address))
        return cudaErrorInvalidValue;
    *work = (struct wm_cuda_work){.kind = WM_CUDA_WORK_FREE, .freed = address};
    return cudaSuccess;
}

// Memory that is pinned on a device; access descriptions must name devices.
static wm_cuda_status check_allocation(const struct wm_cuda_process *process,
                                       const struct wm_cuda_allocation_parameters *parameters)
{
    const struct wm_cuda_pool_properties *pool = &parameters->pool;
    if (pool->allocation_type != 1 || pool->location.type != WM_CUDA_LOCATION_DEVICE ||
        parameters->size_bytes == 0 || (parameters->access_count > 0 && !parameters->accesses))
        return cudaErrorInvalidValue;
    if (wm_cuda_check_device(process, pool->location.id) != cudaSuccess)
        return cudaErrorInvalidDevice;
    if (pool->handle_types != 0)
        return cudaErrorNotSupported; // no other process may see it
    for (size_t i = 0; i < parameters->access_count; i++)
        if (parameters->accesses[i].location.type != WM_CUDA_LOCATION_DEVICE ||
            wm_cuda_check_device(process, parameters->accesses[i].location.id) != cudaSuccess)
            return cudaErrorInvalidValue;
    return cudaSuccess;
}

wm_cuda_status wm_cuda_work_of_allocation(struct wm_cuda_process *process,
                                          struct wm_cuda_allocation_parameters *parameters,
                                          struct wm_cuda_work *work)
{
    wm_cuda_status status = check_allocation(process, parameters);
    if (status != cudaSuccess)
        return status;
    struct wm_cuda_access *accesses = NULL;
    size_t bytes = parameters->access_count * sizeof *accesses;
    if (bytes > 0) {
        accesses = malloc(bytes);
        if (!accesses)
            return cudaErrorMemoryAllocation;
        memcpy(accesses, parameters->accesses, bytes);
    }
    struct wm_cuda_graph_memory *memory;
    status = wm_cuda_graph_memory_new(process, (uint32_t)parameters->pool.location.id,
                                      parameters->size_bytes, &memory);
    if (status != cudaSuccess) {
        free(accesses);
        return status;
    }
    parameters->pointer = (void *)(uintptr_t)memory->address;
    *work =
        (struct wm_cuda_work){.kind = WM_CUDA_WORK_ALLOCATE, .allocation = {*parameters, memory}};
    work->allocation.parameters.accesses = accesses;
    return cudaSuccess;
}

static bool copy_allocation(struct wm_cuda_process *process, const struct wm_cuda_work *from,
                            bool published, struct wm_cuda_work *to)
{
    (void)process, (void)published;
    struct wm_cuda_allocation_parameters *parameters = &to->allocation.parameters;
    if (parameters->access_count > 0) {
        struct wm_cuda_access *copy = malloc(parameters->access_count * sizeof *copy);
        if (!copy)
            return false;
        memcpy(copy, from->allocation.parameters.accesses, parameters->access_count * sizeof *copy);
        parameters->accesses = copy;
    }
    wm_cuda_graph_memory_retain(to->allocation.memory);
    return true;
}

static void release_allocation(struct wm_cuda_process *process, struct wm_cuda_work *work)
{
    wm_cuda_graph_memory_release(process, work->allocation.memory);
    free((void *)(uintptr_t)work->allocation.parameters.accesses);
}

// ---- Operations on words of memory -------------------------------------------------------------

static bool copy_operations(struct wm_cuda_process *process, const struct wm_cuda_work *from,
                            bool published, struct wm_cuda_work *to)
{
    (void)process, (void)published;
    size_t bytes = from->operations.count * sizeof *from->operations.operations;
    to->operations.operations = malloc(bytes + 1);
    if (to->operations.operations && bytes > 0)
        memcpy(to->operations.operations, from->operations.operations, bytes);
    return to->operations.operations != NULL;
}

static void release_operations(struct wm_cuda_process *process, struct wm_cuda_work *work)
{
    (void)process;
    free(work->operations.operations);
}

wm_cuda_status wm_cuda_work_of_operations(struct wm_cuda_process *process,
                                          const struct wm_cuda_operations_work *given,
                                          struct wm_cuda_work *work)
{
    if (!given || given->flags != 0)
        return cudaErrorInvalidValue;
    wm_cuda_status status =
        wm_cuda_check_memory_operations(process, given->operations, given->count);
    if (status != cudaSuccess)
        return status;
    const struct wm_cuda_work from = {.kind = WM_CUDA_WORK_OPERATIONS, .operations = *given};
    *work = from;
    return copy_operations(process, &from, false, work) ? cudaSuccess : cudaErrorMemoryAllocation;
}

// ---- By kind -----------------------------------------------------------------------------------

// Kinds that own nothing need neither.
static const struct {
    bool (*copy)(struct wm_cuda_process *process, const struct wm_cuda_work *from, bool published,
                 struct wm_cuda_work *to);
    void (*release)(struct wm_cuda_process *process, struct wm_cuda_work *work);
} kinds[WM_CUDA_WORK_KINDS] = {
    [WM_CUDA_WORK_KERNEL] = {copy_kernel, release_kernel},
    [WM_CUDA_WORK_CHILD] = {copy_child, release_child},
    [WM_CUDA_WORK_ALLOCATE] = {copy_allocation, release_allocation},
    [WM_CUDA_WORK_OPERATIONS] = {copy_operations, release_operations},
    [WM_CUDA_WORK_CONDITIONAL] = {copy_condition, release_condition},
};

bool wm_cuda_work_copy(struct wm_cuda_process *process, const struct wm_cuda_work *from,
                       bool published, struct wm_cuda_work *to)
{
    *to = *from;
    return !kinds[from->kind].copy || kinds[from->kind].copy(process, from, published, to);
}

void wm_cuda_work_release(struct wm_cuda_process *process, struct wm_cuda_work *work)
{
    if (kinds[work->kind].release)
        kinds[work->kind].release(process, work);
}

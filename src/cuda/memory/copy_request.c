#include "cuda/memory/copy_request.h"

#include "cuda/graph/capture.h"

// Pageable sources up to this size are read at the call, so that an asynchronous copy returns at
// once; for larger ones the call waits (both are what CUDA documents for pageable memory).
#define STAGING_BYTES (UINT64_C(1) << 20)

enum side {
    SIDE_PAGEABLE, // not known to the device
    SIDE_PINNED,   // host memory that the device reaches
    SIDE_MANAGED,
    SIDE_DEVICE, // cudaMalloc, or a variable of a module
    SIDE_BROKEN, // begins in an allocation and ends outside, or may not be written
};

bool wm_cuda_span_of(const struct wm_cuda_pitched_address *place, const struct wm_cuda_box *box,
                     uint64_t *span)
{
    uint64_t rows, slices;
    return !__builtin_mul_overflow(box->height - 1, place->pitch, &rows) &&
           !__builtin_mul_overflow(box->depth - 1, place->slice, &slices) &&
           !__builtin_add_overflow(rows, slices, span) &&
           !__builtin_add_overflow(*span, box->width, span);
}

static enum side side_of(const struct wm_cuda_process *process,
                         const struct wm_cuda_pitched_address *place, const struct wm_cuda_box *box,
                         bool write)
{
    uint64_t span, end;
    if (!wm_cuda_span_of(place, box, &span) || __builtin_add_overflow(place->address, span, &end))
        return SIDE_BROKEN;
    const struct wm_allocation *allocation = wm_device_memory_find(process->memory, place->address);
    if (!allocation) // device addresses that are not allocated are no host memory either
        return wm_device_memory_owns(process->memory, place->address) ? SIDE_BROKEN : SIDE_PAGEABLE;
    if (!wm_device_memory_find_range(process->memory, place->address, span, write))
        return SIDE_BROKEN;
    switch (allocation->kind) {
    case WM_ALLOCATION_HOST:
    case WM_ALLOCATION_REGISTERED: return SIDE_PINNED;
    case WM_ALLOCATION_MANAGED: return SIDE_MANAGED;
    case WM_ALLOCATION_DEVICE:
    case WM_ALLOCATION_VARIABLE:
    case WM_ALLOCATION_CONSTANT:
    case WM_ALLOCATION_IMPORTED:
    case WM_ALLOCATION_MAPPED: return SIDE_DEVICE;
    }
    return SIDE_DEVICE;
}

static bool fits(enum side side, bool device_wanted)
{
    return device_wanted ? side != SIDE_PAGEABLE : side != SIDE_DEVICE;
}

static wm_cuda_status check_direction(int kind, enum side to, enum side from)
{
    if (to == SIDE_BROKEN || from == SIDE_BROKEN)
        return cudaErrorInvalidValue;
    if (kind == WM_CUDA_COPY_DEFAULT)
        return cudaSuccess;
    if (kind < WM_CUDA_HOST_TO_HOST || kind > WM_CUDA_COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    bool to_device = kind == WM_CUDA_HOST_TO_DEVICE || kind == WM_CUDA_DEVICE_TO_DEVICE;
    bool from_device = kind == WM_CUDA_DEVICE_TO_HOST || kind == WM_CUDA_DEVICE_TO_DEVICE;
    return fits(to, to_device) && fits(from, from_device) ? cudaSuccess : cudaErrorInvalidValue;
}

static bool on_device(enum side side)
{
    return side == SIDE_DEVICE || side == SIDE_MANAGED;
}

wm_cuda_status wm_cuda_plan_copy(struct wm_cuda_process *process,
                                 const struct wm_cuda_copy_request *request,
                                 struct wm_cuda_copy_plan *plan)
{
    const struct wm_cuda_box *box = &request->box;
    *plan = (struct wm_cuda_copy_plan){.to = request->to, .from = request->from, .box = *box};
    if (request->kind < WM_CUDA_HOST_TO_HOST || request->kind > WM_CUDA_COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    plan->empty = box->width == 0 || box->height == 0 || box->depth == 0;
    if (plan->empty)
        return cudaSuccess;
    if (request->to.address == 0 || request->from.address == 0)
        return cudaErrorInvalidValue;
    enum side to = side_of(process, &request->to, box, true),
              from = side_of(process, &request->from, box, false);
    plan->to_device = on_device(to);
    plan->from_device = on_device(from);
    plan->to_host = to != SIDE_DEVICE;
    plan->to_pageable = to == SIDE_PAGEABLE;
    plan->from_pageable = from == SIDE_PAGEABLE;
    plan->inside = to == SIDE_DEVICE && from == SIDE_DEVICE;
    return check_direction(request->kind, to, from);
}

wm_cuda_status wm_cuda_check_peer(const struct wm_cuda_process *process, uint64_t address,
                                  int device)
{
    wm_cuda_status status = wm_cuda_check_device(process, device);
    if (status != cudaSuccess)
        return status;
    const struct wm_allocation *allocation = wm_device_memory_find(process->memory, address);
    uint32_t gpu = allocation ? wm_device_memory_gpu_of(process->memory, allocation) : WM_MOST_GPUS;
    bool elsewhere =
        gpu != WM_MOST_GPUS && gpu != (uint32_t)device && allocation->kind != WM_ALLOCATION_MANAGED;
    return elsewhere ? cudaErrorInvalidValue : cudaSuccess;
}

// The pitched allocation whose first byte is where the place is.
static struct wm_cuda_pitched_pointer pointer_of(const struct wm_cuda_pitched_address *place,
                                                 const struct wm_cuda_box *box)
{
    uint64_t pitch = place->pitch ? place->pitch : box->width;
    return (struct wm_cuda_pitched_pointer){(void *)(uintptr_t)place->address, pitch, pitch,
                                            place->slice ? place->slice / pitch : box->height};
}

static wm_cuda_status capture_copy(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                   const struct wm_cuda_copy_request *request)
{
    const struct wm_cuda_box *box = &request->box;
    struct wm_cuda_work work = {.kind = WM_CUDA_WORK_COPY,
                                .copy = {
                                    .source = pointer_of(&request->from, box),
                                    .destination = pointer_of(&request->to, box),
                                    .extent = {box->width, box->height, box->depth},
                                    .kind = request->kind,
                                }};
    return wm_cuda_capture_work(process, stream, &work);
}

// A node fills rows: of several slices, each gets one.
static wm_cuda_status capture_fill(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                   const struct wm_cuda_pitched_address *to,
                                   const struct wm_cuda_box *box, struct wm_cuda_element element)
{
    wm_cuda_status status = cudaSuccess;
    uint32_t unused_bits = 32 - 8 * element.bytes;
    for (uint64_t z = 0; z < box->depth && status == cudaSuccess; z++) {
        struct wm_cuda_work work = {.kind = WM_CUDA_WORK_FILL,
                                    .fill = {
                                        .to = (void *)(uintptr_t)(to->address + z * to->slice),
                                        .pitch = to->pitch,
                                        .value = element.value << unused_bits >> unused_bits,
                                        .element_bytes = element.bytes,
                                        .width = box->width / element.bytes,
                                        .height = box->height,
                                    }};
        status = wm_cuda_capture_work(process, stream, &work);
    }
    return status;
}

wm_cuda_status wm_cuda_copy(struct wm_cuda_process *process,
                            const struct wm_cuda_copy_request *request)
{
    struct wm_cuda_stream *stream;
    struct wm_cuda_copy_plan plan;
    wm_cuda_status status = wm_cuda_stream_for_work(process, request->stream, &stream);
    if (status == cudaSuccess)
        status = wm_cuda_plan_copy(process, request, &plan);
    if (status != cudaSuccess)
        return status;
    if (plan.empty)
        return request->asynchronous ? cudaSuccess : wm_cuda_wait(process, stream->last);
    if (stream->capture)
        return capture_copy(process, stream, request);
    const struct wm_cuda_box *box = &plan.box;
    bool small = box->width * box->height * box->depth <= STAGING_BYTES;
    bool staged = request->asynchronous && plan.from_pageable && plan.to_device && small;
    uint64_t sequence = wm_cuda_push_copy(process, stream, &plan.to, &plan.from, box,
                                          plan.to_device, plan.from_device, staged);
    if (sequence == 0)
        return cudaErrorMemoryAllocation;
    // Copies inside the device return at once; to and from pageable memory never before the host
    // may use it again.
    bool pageable = plan.to_pageable || (plan.from_pageable && !staged);
    if (plan.inside || (request->asynchronous && !pageable))
        return cudaSuccess;
    return wm_cuda_wait(process, sequence);
}

wm_cuda_status wm_cuda_plan_fill(struct wm_cuda_process *process,
                                 const struct wm_cuda_pitched_address *to,
                                 const struct wm_cuda_box *box, struct wm_cuda_copy_plan *plan)
{
    *plan = (struct wm_cuda_copy_plan){.to = *to, .from = *to, .box = *box};
    plan->empty = box->width == 0 || box->height == 0 || box->depth == 0;
    if (plan->empty)
        return cudaSuccess;
    enum side side = side_of(process, to, box, true);
    plan->to_host = side != SIDE_DEVICE;
    bool bad = to->address == 0 || side == SIDE_BROKEN || side == SIDE_PAGEABLE;
    return bad ? cudaErrorInvalidValue : cudaSuccess;
}

wm_cuda_status wm_cuda_fill(struct wm_cuda_process *process,
                            const struct wm_cuda_pitched_address *to, const struct wm_cuda_box *box,
                            struct wm_cuda_element element, wm_cuda_stream_handle stream,
                            bool asynchronous)
{
    struct wm_cuda_stream *resolved;
    struct wm_cuda_copy_plan plan;
    wm_cuda_status status = wm_cuda_stream_for_work(process, stream, &resolved);
    if (status == cudaSuccess)
        status = wm_cuda_plan_fill(process, to, box, &plan);
    if (status != cudaSuccess || plan.empty)
        return status;
    if (resolved->capture)
        return capture_fill(process, resolved, to, box, element);
    uint64_t sequence = wm_cuda_push_fill(process, resolved, to, box, element);
    if (sequence == 0)
        return cudaErrorMemoryAllocation;
    // Asynchronous to the host but for memory that the host may look at.
    return asynchronous || !plan.to_host ? cudaSuccess : wm_cuda_wait(process, sequence);
}

// Slices are as high as the allocation is.
bool wm_cuda_place_of(const struct wm_cuda_pitched_pointer *pointer,
                      const struct wm_cuda_position *position,
                      struct wm_cuda_pitched_address *place)
{
    uint64_t slice, offset, rows;
    if (__builtin_mul_overflow(pointer->pitch, pointer->height, &slice) ||
        __builtin_mul_overflow(slice, position->z, &offset) ||
        __builtin_mul_overflow(pointer->pitch, position->y, &rows) ||
        __builtin_add_overflow(offset, rows, &offset) ||
        __builtin_add_overflow(offset, position->x, &offset) ||
        __builtin_add_overflow(offset, (uint64_t)(uintptr_t)pointer->pointer, &offset))
        return false;
    *place = (struct wm_cuda_pitched_address){
        .address = offset, .pitch = pointer->pitch, .slice = slice};
    return true;
}

wm_cuda_status wm_cuda_copy3d_request(const struct wm_cuda_copy3d *parameters,
                                      struct wm_cuda_copy_request *request)
{
    const struct wm_cuda_extent *extent = &parameters->extent;
    *request = (struct wm_cuda_copy_request){
        .box = {extent->width, extent->height, extent->depth},
        .kind = parameters->kind,
    };
    if (parameters->source_array || parameters->destination_array)
        return cudaErrorNotSupported;
    if (!wm_cuda_place_of(&parameters->destination, &parameters->destination_position,
                          &request->to) ||
        !wm_cuda_place_of(&parameters->source, &parameters->source_position, &request->from))
        return cudaErrorInvalidValue;
    if (extent->width > request->to.pitch || extent->width > request->from.pitch)
        return cudaErrorInvalidPitchValue;
    return cudaSuccess;
}

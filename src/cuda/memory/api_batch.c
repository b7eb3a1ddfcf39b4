// Copies in batches and between devices: each is a copy of its own, issued in order.
#include "cuda/memory/api_batch.h"
#include "cuda/runtime_prototypes.h"

#include "cuda/graph/capture.h"

struct wm_cuda_peer_copy3d {
    void *source_array;
    struct wm_cuda_position source_position;
    struct wm_cuda_pitched_pointer source;
    int source_device;
    void *destination_array;
    struct wm_cuda_position destination_position;
    struct wm_cuda_pitched_pointer destination;
    int destination_device;
    struct wm_cuda_extent extent;
};
_Static_assert(sizeof(struct wm_cuda_peer_copy3d) == 168, "cudaMemcpy3DPeerParms");

WM_CUDA_PER_THREAD(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer)
WM_CUDA_PER_THREAD(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync)

// ---- Between devices ---------------------------------------------------------------------------

static wm_cuda_status check_peers(const struct wm_cuda_peer_copy3d *parameters)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_check_peer(process, (uint64_t)(uintptr_t)parameters->source.pointer,
                                    parameters->source_device);
    if (status == cudaSuccess)
        status = wm_cuda_check_peer(process, (uint64_t)(uintptr_t)parameters->destination.pointer,
                                    parameters->destination_device);
    return wm_cuda_leave(process, status);
}

// Which devices they are the addresses say; the numbers must be right.
static wm_cuda_status plain_copy(const struct wm_cuda_peer_copy3d *parameters,
                                 struct wm_cuda_copy3d *plain)
{
    wm_cuda_status status = parameters ? check_peers(parameters) : cudaErrorInvalidValue;
    if (status != cudaSuccess)
        return status;
    *plain = (struct wm_cuda_copy3d){
        .source_array = parameters->source_array,
        .source_position = parameters->source_position,
        .source = parameters->source,
        .destination_array = parameters->destination_array,
        .destination_position = parameters->destination_position,
        .destination = parameters->destination,
        .extent = parameters->extent,
        .kind = WM_CUDA_COPY_DEFAULT,
    };
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status cudaMemcpy3DPeer(const struct wm_cuda_peer_copy3d *parameters)
{
    struct wm_cuda_copy3d plain;
    wm_cuda_status status = plain_copy(parameters, &plain);
    return status == cudaSuccess ? cudaMemcpy3D(&plain) : wm_cuda_set_last_error(status);
}

WM_CUDA_API wm_cuda_status cudaMemcpy3DPeerAsync(const struct wm_cuda_peer_copy3d *parameters,
                                                 wm_cuda_stream_handle stream)
{
    struct wm_cuda_copy3d plain;
    wm_cuda_status status = plain_copy(parameters, &plain);
    return status == cudaSuccess ? cudaMemcpy3DAsync(&plain, stream)
                                 : wm_cuda_set_last_error(status);
}

// ---- Batches -----------------------------------------------------------------------------------

// cudaMemcpySrcAccessOrder
enum { ORDER_STREAM = 1, ORDER_DURING_CALL = 2, ORDER_ANY = 3 };

// Batches go to a stream of the program's own, which is not capturing.
static wm_cuda_status enter_batch(struct wm_cuda_process **process, wm_cuda_stream_handle handle,
                                  struct wm_cuda_stream **stream)
{
    wm_cuda_status status = wm_cuda_enter(process);
    if (status == cudaSuccess)
        status = wm_cuda_stream_for_waiting(*process, handle, stream);
    if (status == cudaSuccess && wm_cuda_is_default(*process, *stream))
        status = cudaErrorInvalidValue;
    return status;
}

// Memory that the host may change when the call is over is read at once, or waited for.
static wm_cuda_status issue(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                            const struct wm_cuda_copy_plan *plan, int order)
{
    if (plan->empty)
        return cudaSuccess;
    bool staged = order == ORDER_DURING_CALL && !plan->from_device;
    uint64_t sequence = wm_cuda_push_copy(process, stream, &plan->to, &plan->from, &plan->box,
                                          plan->to_device, plan->from_device, staged);
    if (sequence == 0)
        return cudaErrorMemoryAllocation;
    bool wait = order == ORDER_DURING_CALL && plan->from_device;
    return wait ? wm_cuda_wait(process, sequence) : cudaSuccess;
}

static wm_cuda_status plan_line(struct wm_cuda_process *process, void *to, const void *from,
                                size_t bytes, struct wm_cuda_copy_plan *plan)
{
    struct wm_cuda_copy_request request = {
        .to = {.address = (uint64_t)(uintptr_t)to},
        .from = {.address = (uint64_t)(uintptr_t)from},
        .box = {bytes, 1, 1},
        .kind = WM_CUDA_COPY_DEFAULT,
    };
    if (bytes == 0)
        return cudaErrorInvalidValue;
    return wm_cuda_plan_copy(process, &request, plan);
}

// Attributes hold from the copy that their index names to the next one's.
static bool attributes_fit(const struct wm_cuda_copy_batch *batch)
{
    bool good = batch->count > 0 && batch->to && batch->from && batch->bytes && batch->attributes &&
                batch->first_of_attribute && batch->attribute_count > 0 &&
                batch->attribute_count <= batch->count && batch->first_of_attribute[0] == 0;
    for (size_t i = 0; i < batch->attribute_count && good; i++) {
        int order = batch->attributes[i].source_order;
        good = order >= ORDER_STREAM && order <= ORDER_ANY &&
               batch->first_of_attribute[i] < batch->count &&
               (i == 0 || batch->first_of_attribute[i] > batch->first_of_attribute[i - 1]);
    }
    return good;
}

wm_cuda_status wm_cuda_copy_batch(const struct wm_cuda_copy_batch *batch, size_t *failed,
                                  wm_cuda_stream_handle handle)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    struct wm_cuda_copy_plan plan;
    *failed = SIZE_MAX;
    wm_cuda_status status = enter_batch(&process, handle, &stream);
    if (status == cudaSuccess && !attributes_fit(batch))
        status = cudaErrorInvalidValue;
    // All are checked before the first is issued.
    for (int pass = 0; pass < 2; pass++) {
        size_t attribute = 0;
        for (size_t i = 0; i < batch->count && status == cudaSuccess; i++) {
            if (attribute + 1 < batch->attribute_count &&
                batch->first_of_attribute[attribute + 1] == i)
                attribute++;
            status = plan_line(process, batch->to[i], batch->from[i], batch->bytes[i], &plan);
            if (status == cudaSuccess && pass == 1)
                status = issue(process, stream, &plan, batch->attributes[attribute].source_order);
            if (status != cudaSuccess)
                *failed = i;
        }
    }
    return wm_cuda_leave(process, status);
}

// A row's length or a slice's height of 0 is that of the copy.
static struct wm_cuda_pitched_address place_of(const struct wm_cuda_batch_operand *operand,
                                               const struct wm_cuda_extent *extent)
{
    uint64_t pitch = operand->row_bytes ? operand->row_bytes : extent->width;
    uint64_t rows = operand->slice_rows ? operand->slice_rows : extent->height;
    return (struct wm_cuda_pitched_address){
        .address = (uint64_t)(uintptr_t)operand->pointer, .pitch = pitch, .slice = pitch * rows};
}

static wm_cuda_status plan_box(struct wm_cuda_process *process,
                               const struct wm_cuda_batch_copy3d *copy,
                               struct wm_cuda_copy_plan *plan)
{
    enum { OPERAND_POINTER = 1, OPERAND_ARRAY = 2 };
    const struct wm_cuda_extent *extent = &copy->extent;
    if (copy->from.type == OPERAND_ARRAY || copy->to.type == OPERAND_ARRAY)
        return cudaErrorNotSupported;
    if (copy->from.type != OPERAND_POINTER || copy->to.type != OPERAND_POINTER ||
        copy->source_order < ORDER_STREAM || copy->source_order > ORDER_ANY || extent->width == 0 ||
        extent->height == 0 || extent->depth == 0)
        return cudaErrorInvalidValue;
    struct wm_cuda_copy_request request = {
        .to = place_of(&copy->to, extent),
        .from = place_of(&copy->from, extent),
        .box = {extent->width, extent->height, extent->depth},
        .kind = WM_CUDA_COPY_DEFAULT,
    };
    if (request.to.pitch < extent->width || request.from.pitch < extent->width)
        return cudaErrorInvalidPitchValue;
    return wm_cuda_plan_copy(process, &request, plan);
}

wm_cuda_status wm_cuda_copy_boxes(const struct wm_cuda_batch_copy3d *copies, size_t count,
                                  unsigned long long flags, size_t *failed,
                                  wm_cuda_stream_handle handle)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    struct wm_cuda_copy_plan plan;
    *failed = SIZE_MAX;
    wm_cuda_status status = enter_batch(&process, handle, &stream);
    if (status == cudaSuccess && (count == 0 || !copies || flags != 0))
        status = cudaErrorInvalidValue;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count && status == cudaSuccess; i++) {
            status = plan_box(process, &copies[i], &plan);
            if (status == cudaSuccess && pass == 1)
                status = issue(process, stream, &plan, copies[i].source_order);
            if (status != cudaSuccess)
                *failed = i;
        }
    }
    return wm_cuda_leave(process, status);
}

// ---- Managed memory ----------------------------------------------------------------------------

// Host and device always see the same bytes, so there is nothing to bring or to drop; ranges and
// places are checked all the same.
wm_cuda_status wm_cuda_check_ranges(const struct wm_cuda_range_batch *batch,
                                    wm_cuda_stream_handle handle)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = enter_batch(&process, handle, &stream);
    if (status == cudaSuccess && (batch->count == 0 || !batch->pointers || !batch->bytes ||
                                  batch->flags != 0 || batch->location_count > batch->count))
        status = cudaErrorInvalidValue;
    for (size_t i = 0; i < batch->count && status == cudaSuccess; i++) {
        uint64_t address = (uint64_t)(uintptr_t)batch->pointers[i];
        const struct wm_allocation *at = wm_device_memory_find(process->memory, address);
        if (!at || at->kind != WM_ALLOCATION_MANAGED || batch->bytes[i] == 0 ||
            batch->bytes[i] > at->size_bytes - (address - at->address))
            status = cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < batch->location_count && status == cudaSuccess; i++) {
        const struct wm_cuda_location *location = &batch->locations[i];
        size_t first = batch->first_of_location[i];
        bool ordered = i == 0 ? first == 0 : first > batch->first_of_location[i - 1];
        if (!ordered || first >= batch->count || location->type < 1 || location->type > 4)
            status = cudaErrorInvalidValue;
        else if (location->type == 1)
            status = wm_cuda_check_device(process, location->id);
    }
    return wm_cuda_leave(process, status);
}

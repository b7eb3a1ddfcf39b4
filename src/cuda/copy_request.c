#include "cuda/copy_request.h"

#include "cuda/stream_table.h"

// Pageable sources up to this size are read at the call, so that an asynchronous copy returns at
// once; for larger ones the call waits (both are what CUDA documents for pageable memory).
#define STAGING_BYTES (UINT64_C(1) << 20)

enum side {
    SIDE_PAGEABLE, // not known to the device
    SIDE_PINNED,   // host memory that the device reaches
    SIDE_MANAGED,
    SIDE_DEVICE, // cudaMalloc, or a variable of a module
    SIDE_BROKEN, // begins in an allocation and ends outside
};

// Bytes from the first to the last of a box laid out at `place`; false on overflow.
static bool span_bytes(const struct wm_cuda_place *place, const struct wm_cuda_box *box,
                       uint64_t *span)
{
    uint64_t rows, slices;
    return !__builtin_mul_overflow(box->height - 1, place->pitch, &rows) &&
           !__builtin_mul_overflow(box->depth - 1, place->slice, &slices) &&
           !__builtin_add_overflow(rows, slices, span) &&
           !__builtin_add_overflow(*span, box->width, span);
}

static enum side side_of(const struct wm_cuda_process *process, const struct wm_cuda_place *place,
                         const struct wm_cuda_box *box)
{
    uint64_t span, end;
    if (!span_bytes(place, box, &span) || __builtin_add_overflow(place->address, span, &end))
        return SIDE_BROKEN;
    const struct wm_allocation *allocation = wm_device_memory_find(process->memory, place->address);
    if (!allocation) {
        // Device addresses that are not allocated are no host memory either.
        bool device = place->address >= WM_DEVICE_BASE &&
                      place->address - WM_DEVICE_BASE < wm_device_memory_capacity(process->memory);
        return device ? SIDE_BROKEN : SIDE_PAGEABLE;
    }
    uint64_t offset = place->address - allocation->address;
    if (span > allocation->size_bytes - offset)
        return SIDE_BROKEN;
    switch (allocation->kind) {
    case WM_ALLOCATION_HOST:
    case WM_ALLOCATION_REGISTERED: return SIDE_PINNED;
    case WM_ALLOCATION_MANAGED: return SIDE_MANAGED;
    case WM_ALLOCATION_DEVICE:
    case WM_ALLOCATION_VARIABLE: return SIDE_DEVICE;
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

wm_cuda_status wm_cuda_copy(struct wm_cuda_process *process,
                            const struct wm_cuda_copy_request *request)
{
    struct wm_cuda_stream *stream;
    const struct wm_cuda_box *box = &request->box;
    wm_cuda_status status = wm_cuda_stream_resolve(process, request->stream, &stream);
    if (status != cudaSuccess)
        return status;
    if (request->kind < WM_CUDA_HOST_TO_HOST || request->kind > WM_CUDA_COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    bool empty = box->width == 0 || box->height == 0 || box->depth == 0;
    if (empty)
        return request->asynchronous ? cudaSuccess : wm_cuda_wait(process, stream->last);
    if (request->to.address == 0 || request->from.address == 0)
        return cudaErrorInvalidValue;
    enum side to = side_of(process, &request->to, box),
              from = side_of(process, &request->from, box);
    status = check_direction(request->kind, to, from);
    if (status != cudaSuccess)
        return status;
    uint64_t bytes = box->width * box->height * box->depth;
    bool small = bytes <= STAGING_BYTES;
    bool staged = request->asynchronous && from == SIDE_PAGEABLE && on_device(to) && small;
    uint64_t sequence = wm_cuda_push_copy(process, stream, &request->to, &request->from, box,
                                          on_device(to), on_device(from), staged);
    if (sequence == 0)
        return cudaErrorMemoryAllocation;
    // Copies inside the device return at once; to and from pageable memory never before the host
    // may use it again.
    bool inside = to == SIDE_DEVICE && from == SIDE_DEVICE;
    bool pageable = to == SIDE_PAGEABLE || (from == SIDE_PAGEABLE && !staged);
    if (inside || (request->asynchronous && !pageable))
        return cudaSuccess;
    return wm_cuda_wait(process, sequence);
}

wm_cuda_status wm_cuda_fill(struct wm_cuda_process *process, const struct wm_cuda_place *to,
                            const struct wm_cuda_box *box, int value, wm_cuda_stream_handle stream,
                            bool asynchronous)
{
    struct wm_cuda_stream *resolved;
    wm_cuda_status status = wm_cuda_stream_resolve(process, stream, &resolved);
    if (status != cudaSuccess)
        return status;
    if (box->width == 0 || box->height == 0 || box->depth == 0)
        return cudaSuccess;
    enum side side = side_of(process, to, box);
    if (to->address == 0 || side == SIDE_BROKEN || side == SIDE_PAGEABLE)
        return cudaErrorInvalidValue;
    uint64_t sequence = wm_cuda_push_fill(process, resolved, to, box, (uint8_t)value);
    if (sequence == 0)
        return cudaErrorMemoryAllocation;
    // Asynchronous to the host but for memory that the host may look at.
    return asynchronous || side == SIDE_DEVICE ? cudaSuccess : wm_cuda_wait(process, sequence);
}

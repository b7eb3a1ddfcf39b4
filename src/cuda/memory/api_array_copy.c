// Copies from and to arrays of the runtime API.
#include "cuda/memory/array_copy.h"
#include "cuda/runtime_prototypes.h"

WM_CUDA_PER_THREAD(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray)
WM_CUDA_PER_THREAD(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync)
WM_CUDA_PER_THREAD(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray)
WM_CUDA_PER_THREAD(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync)
WM_CUDA_PER_THREAD(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray)
WM_CUDA_PER_THREAD(cudaMemcpyToArray_ptds, cudaMemcpyToArray)
WM_CUDA_PER_THREAD(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync)
WM_CUDA_PER_THREAD(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray)
WM_CUDA_PER_THREAD(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync)
WM_CUDA_PER_THREAD(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray)

static struct wm_cuda_array_side array_side(const struct wm_cuda_array *array, size_t x, size_t y)
{
    return (struct wm_cuda_array_side){.array = array, .x = x, .y = y};
}

static struct wm_cuda_array_side memory_side(const void *pointer, size_t pitch)
{
    return (struct wm_cuda_array_side){
        .place = {.address = (uint64_t)(uintptr_t)pointer, .pitch = pitch}};
}

// ---- Boxes -------------------------------------------------------------------------------------

static wm_cuda_status copy_box(const struct wm_cuda_array_side *to,
                               const struct wm_cuda_array_side *from, size_t width, size_t height,
                               int kind, wm_cuda_stream_handle stream, bool asynchronous)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    const struct wm_cuda_array_copy copy = {.to = *to,
                                            .from = *from,
                                            .box = {.width = width, .height = height, .depth = 1},
                                            .kind = kind,
                                            .stream = stream,
                                            .asynchronous = asynchronous};
    if (status == cudaSuccess)
        status = wm_cuda_copy_arrays(process, &copy);
    return wm_cuda_leave(process, status);
}

static wm_cuda_status to_array(struct wm_cuda_array *to, size_t x, size_t y, const void *from,
                               size_t pitch, size_t width, size_t height, int kind,
                               wm_cuda_stream_handle stream, bool asynchronous)
{
    const struct wm_cuda_array_side target = array_side(to, x, y),
                                    source = memory_side(from, pitch);
    if (!to)
        return wm_cuda_set_last_error(cudaErrorInvalidResourceHandle);
    return copy_box(&target, &source, width, height, kind, stream, asynchronous);
}

WM_CUDA_API wm_cuda_status cudaMemcpy2DToArray(struct wm_cuda_array *to, size_t x, size_t y,
                                               const void *from, size_t pitch, size_t width,
                                               size_t height, int kind)
{
    return to_array(to, x, y, from, pitch, width, height, kind, NULL, false);
}

WM_CUDA_API wm_cuda_status cudaMemcpy2DToArrayAsync(struct wm_cuda_array *to, size_t x, size_t y,
                                                    const void *from, size_t pitch, size_t width,
                                                    size_t height, int kind,
                                                    wm_cuda_stream_handle stream)
{
    return to_array(to, x, y, from, pitch, width, height, kind, stream, true);
}

static wm_cuda_status from_array(void *to, size_t pitch, const struct wm_cuda_array *from, size_t x,
                                 size_t y, size_t width, size_t height, int kind,
                                 wm_cuda_stream_handle stream, bool asynchronous)
{
    const struct wm_cuda_array_side target = memory_side(to, pitch),
                                    source = array_side(from, x, y);
    if (!from)
        return wm_cuda_set_last_error(cudaErrorInvalidResourceHandle);
    return copy_box(&target, &source, width, height, kind, stream, asynchronous);
}

WM_CUDA_API wm_cuda_status cudaMemcpy2DFromArray(void *to, size_t pitch,
                                                 const struct wm_cuda_array *from, size_t x,
                                                 size_t y, size_t width, size_t height, int kind)
{
    return from_array(to, pitch, from, x, y, width, height, kind, NULL, false);
}

WM_CUDA_API wm_cuda_status cudaMemcpy2DFromArrayAsync(void *to, size_t pitch,
                                                      const struct wm_cuda_array *from, size_t x,
                                                      size_t y, size_t width, size_t height,
                                                      int kind, wm_cuda_stream_handle stream)
{
    return from_array(to, pitch, from, x, y, width, height, kind, stream, true);
}

WM_CUDA_API wm_cuda_status cudaMemcpy2DArrayToArray(struct wm_cuda_array *to, size_t to_x,
                                                    size_t to_y, const struct wm_cuda_array *from,
                                                    size_t from_x, size_t from_y, size_t width,
                                                    size_t height, int kind)
{
    const struct wm_cuda_array_side target = array_side(to, to_x, to_y),
                                    source = array_side(from, from_x, from_y);
    if (!to || !from)
        return wm_cuda_set_last_error(cudaErrorInvalidResourceHandle);
    return copy_box(&target, &source, width, height, kind, NULL, false);
}

// ---- Lines -------------------------------------------------------------------------------------

// Bytes that go on at the beginning of the next row at a row's end: the rest of the first row,
// whole rows, and the beginning of the last.
static uint64_t row_bytes(const struct wm_cuda_array *array)
{
    return array->levels[0].width * (uint64_t)wm_texel_bytes(&array->format);
}

static void step(struct wm_cuda_array_side *side, uint64_t bytes, uint64_t row)
{
    if (!side->array) {
        side->place.address += bytes;
        return;
    }
    side->x += bytes;
    side->y += side->x / row;
    side->x %= row;
}

static wm_cuda_status copy_line_locked(struct wm_cuda_process *process,
                                       struct wm_cuda_array_copy *copy, uint64_t bytes)
{
    const struct wm_cuda_array *to = wm_cuda_array_known(process, copy->to.array, false);
    const struct wm_cuda_array *from = wm_cuda_array_known(process, copy->from.array, false);
    if ((copy->to.array && !to) || (copy->from.array && !from))
        return cudaErrorInvalidResourceHandle;
    uint64_t rows[2] = {to ? row_bytes(to) : UINT64_MAX, from ? row_bytes(from) : UINT64_MAX};
    wm_cuda_status status = cudaSuccess;
    while (bytes > 0 && status == cudaSuccess) {
        if ((to && copy->to.x >= rows[0]) || (from && copy->from.x >= rows[1]))
            return cudaErrorInvalidValue;
        uint64_t part = bytes;
        if (to && rows[0] - copy->to.x < part)
            part = rows[0] - copy->to.x;
        if (from && rows[1] - copy->from.x < part)
            part = rows[1] - copy->from.x;
        copy->box = (struct wm_cuda_box){.width = part, .height = 1, .depth = 1};
        // Whole rows between an array and memory go together.
        if (!(to && from) && copy->to.x == 0 && copy->from.x == 0 && bytes >= 2 * part) {
            copy->box.height = bytes / part;
            copy->to.place.pitch = copy->from.place.pitch = part;
        }
        status = wm_cuda_copy_arrays(process, copy);
        uint64_t done = part * copy->box.height;
        step(&copy->to, done, rows[0]);
        step(&copy->from, done, rows[1]);
        bytes -= done;
    }
    return status;
}

static wm_cuda_status copy_line(const struct wm_cuda_array_side *to,
                                const struct wm_cuda_array_side *from, uint64_t bytes, int kind,
                                wm_cuda_stream_handle stream, bool asynchronous)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    struct wm_cuda_array_copy copy = {
        .to = *to, .from = *from, .kind = kind, .stream = stream, .asynchronous = asynchronous};
    if (status == cudaSuccess)
        status = copy_line_locked(process, &copy, bytes);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaMemcpyToArrayAsync(struct wm_cuda_array *to, size_t x, size_t y,
                                                  const void *from, size_t bytes, int kind,
                                                  wm_cuda_stream_handle stream)
{
    const struct wm_cuda_array_side target = array_side(to, x, y), source = memory_side(from, 0);
    return to ? copy_line(&target, &source, bytes, kind, stream, true)
              : wm_cuda_set_last_error(cudaErrorInvalidResourceHandle);
}

WM_CUDA_API wm_cuda_status cudaMemcpyToArray(struct wm_cuda_array *to, size_t x, size_t y,
                                             const void *from, size_t bytes, int kind)
{
    const struct wm_cuda_array_side target = array_side(to, x, y), source = memory_side(from, 0);
    return to ? copy_line(&target, &source, bytes, kind, NULL, false)
              : wm_cuda_set_last_error(cudaErrorInvalidResourceHandle);
}

WM_CUDA_API wm_cuda_status cudaMemcpyFromArrayAsync(void *to, const struct wm_cuda_array *from,
                                                    size_t x, size_t y, size_t bytes, int kind,
                                                    wm_cuda_stream_handle stream)
{
    const struct wm_cuda_array_side target = memory_side(to, 0), source = array_side(from, x, y);
    return from ? copy_line(&target, &source, bytes, kind, stream, true)
                : wm_cuda_set_last_error(cudaErrorInvalidResourceHandle);
}

WM_CUDA_API wm_cuda_status cudaMemcpyFromArray(void *to, const struct wm_cuda_array *from, size_t x,
                                               size_t y, size_t bytes, int kind)
{
    const struct wm_cuda_array_side target = memory_side(to, 0), source = array_side(from, x, y);
    return from ? copy_line(&target, &source, bytes, kind, NULL, false)
                : wm_cuda_set_last_error(cudaErrorInvalidResourceHandle);
}

WM_CUDA_API wm_cuda_status cudaMemcpyArrayToArray(struct wm_cuda_array *to, size_t to_x,
                                                  size_t to_y, const struct wm_cuda_array *from,
                                                  size_t from_x, size_t from_y, size_t bytes,
                                                  int kind)
{
    const struct wm_cuda_array_side target = array_side(to, to_x, to_y),
                                    source = array_side(from, from_x, from_y);
    return to && from ? copy_line(&target, &source, bytes, kind, NULL, false)
                      : wm_cuda_set_last_error(cudaErrorInvalidResourceHandle);
}

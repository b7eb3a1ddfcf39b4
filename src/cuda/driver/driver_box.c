// Copies of boxes as the driver API describes them, in bytes, and as the runtime API does, whose
// positions and extents count an array's texels.
#include "cuda/driver/driver_box.h"

#include "cuda/memory/array_table.h"

// One side as the runtime's copy takes it: a pitched pointer at the box's first byte. False for a
// side that is not given as its memory type says.
static bool pitched_side(const struct wm_driver_copy_side3d *side, size_t width_bytes,
                         size_t height, size_t depth, struct wm_cuda_pitched_pointer *pointer)
{
    bool host = side->memory_type == WM_DRIVER_HOST;
    if (!host && side->memory_type != WM_DRIVER_DEVICE && side->memory_type != WM_DRIVER_UNIFIED)
        return false;
    uint64_t base = host ? (uint64_t)(uintptr_t)side->host : side->device;
    size_t pitch = side->pitch, rows = side->height, row, end;
    if (pitch == 0 && height <= 1 && depth <= 1)
        pitch = side->x_bytes + width_bytes; // a single row needs none
    if (rows == 0 && depth <= 1)
        rows = side->y + height;
    if (__builtin_add_overflow(side->x_bytes, width_bytes, &end) || end > pitch ||
        __builtin_mul_overflow(side->z, rows, &row) || __builtin_add_overflow(row, side->y, &row) ||
        __builtin_mul_overflow(row, pitch, &row) ||
        __builtin_add_overflow(base, row + side->x_bytes, &base))
        return false;
    *pointer = (struct wm_cuda_pitched_pointer){wm_driver_address(base), pitch, pitch, rows};
    return true;
}

// Bytes of a texel, or 0 for a handle that is no array.
static size_t texel_of(const struct wm_cuda_process *process, const struct wm_cuda_array *array)
{
    const struct wm_cuda_array *known = wm_cuda_array_known(process, array, false);
    return known ? wm_texel_bytes(&known->format) : 0;
}

static wm_cuda_status array_side(const struct wm_driver_copy_side3d *side, size_t texel,
                                 struct wm_cuda_array **array, struct wm_cuda_position *position)
{
    if (texel == 0)
        return cudaErrorInvalidResourceHandle;
    if (side->x_bytes % texel != 0 || side->level != 0)
        return cudaErrorInvalidValue;
    *array = side->array;
    *position = (struct wm_cuda_position){side->x_bytes / texel, side->y, side->z};
    return cudaSuccess;
}

static int copy_kind(int from, int to)
{
    if (from == WM_DRIVER_UNIFIED || to == WM_DRIVER_UNIFIED)
        return WM_CUDA_COPY_DEFAULT;
    if (from == WM_DRIVER_HOST)
        return to == WM_DRIVER_HOST ? WM_CUDA_HOST_TO_HOST : WM_CUDA_HOST_TO_DEVICE;
    return to == WM_DRIVER_HOST ? WM_CUDA_DEVICE_TO_HOST : WM_CUDA_DEVICE_TO_DEVICE;
}

static wm_cuda_status translate(const struct wm_cuda_process *process,
                                const struct wm_driver_copy3d *copy, struct wm_cuda_copy3d *to)
{
    bool to_array = copy->to.memory_type == WM_DRIVER_ARRAY,
         from_array = copy->from.memory_type == WM_DRIVER_ARRAY;
    size_t to_texel = to_array ? texel_of(process, copy->to.array) : 1,
           from_texel = from_array ? texel_of(process, copy->from.array) : 1;
    size_t texel = from_array ? from_texel : to_texel;
    *to = (struct wm_cuda_copy3d){
        .extent = {copy->width_bytes, copy->height, copy->depth},
        .kind = copy_kind(copy->from.memory_type, copy->to.memory_type),
    };
    wm_cuda_status status = cudaSuccess;
    if (from_array)
        status = array_side(&copy->from, from_texel, &to->source_array, &to->source_position);
    else if (!pitched_side(&copy->from, copy->width_bytes, copy->height, copy->depth, &to->source))
        status = cudaErrorInvalidValue;
    if (status != cudaSuccess)
        return status;
    if (to_array)
        status = array_side(&copy->to, to_texel, &to->destination_array, &to->destination_position);
    else if (!pitched_side(&copy->to, copy->width_bytes, copy->height, copy->depth,
                           &to->destination))
        status = cudaErrorInvalidValue;
    if (status != cudaSuccess || copy->width_bytes % texel != 0)
        return status == cudaSuccess ? cudaErrorInvalidValue : status;
    to->extent.width /= texel;
    return cudaSuccess;
}

wm_cuda_status wm_driver_box_to_runtime(const struct wm_driver_copy3d *copy,
                                        struct wm_cuda_copy3d *to)
{
    if (!copy)
        return cudaErrorInvalidValue;
    struct wm_cuda_process *process = wm_cuda_lock();
    wm_cuda_status status = translate(process, copy, to);
    wm_cuda_unlock(process);
    return status;
}

// ---- Back --------------------------------------------------------------------------------------

static struct wm_driver_copy_side3d driver_side(const struct wm_cuda_pitched_pointer *pointer,
                                                const struct wm_cuda_position *position,
                                                struct wm_cuda_array *array, size_t texel,
                                                int memory_type)
{
    struct wm_driver_copy_side3d side = {
        .x_bytes = position->x * texel, .y = position->y, .z = position->z};
    if (array) {
        side.memory_type = WM_DRIVER_ARRAY;
        side.array = array;
        return side;
    }
    side.memory_type = memory_type;
    side.pitch = pointer->pitch;
    side.height = pointer->height;
    if (memory_type == WM_DRIVER_HOST)
        side.host = pointer->pointer;
    else
        side.device = (uint64_t)(uintptr_t)pointer->pointer;
    return side;
}

static int memory_type(int kind, bool host)
{
    return kind == WM_CUDA_COPY_DEFAULT ? WM_DRIVER_UNIFIED
           : host                       ? WM_DRIVER_HOST
                                        : WM_DRIVER_DEVICE;
}

void wm_driver_box_of_runtime(const struct wm_cuda_copy3d *copy, struct wm_driver_copy3d *to)
{
    int kind = copy->kind;
    bool from_host = kind == WM_CUDA_HOST_TO_HOST || kind == WM_CUDA_HOST_TO_DEVICE,
         to_host = kind == WM_CUDA_HOST_TO_HOST || kind == WM_CUDA_DEVICE_TO_HOST;
    struct wm_cuda_process *process = wm_cuda_lock();
    size_t from_texel = copy->source_array ? texel_of(process, copy->source_array) : 1,
           to_texel = copy->destination_array ? texel_of(process, copy->destination_array) : 1;
    wm_cuda_unlock(process);
    *to = (struct wm_driver_copy3d){
        .from = driver_side(&copy->source, &copy->source_position, copy->source_array, from_texel,
                            memory_type(kind, from_host)),
        .to = driver_side(&copy->destination, &copy->destination_position, copy->destination_array,
                          to_texel, memory_type(kind, to_host)),
        .width_bytes = copy->extent.width * (copy->source_array ? from_texel : to_texel),
        .height = copy->extent.height,
        .depth = copy->extent.depth,
    };
}

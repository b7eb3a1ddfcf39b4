// Arrays of the driver API, which are the runtime API's, and copies between lines of bytes and
// them.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_forward.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/driver/driver_texel.h"

WM_DRIVER_PER_THREAD(cuMemcpyDtoA_v2_ptds, cuMemcpyDtoA_v2)
WM_DRIVER_PER_THREAD(cuMemcpyAtoD_v2_ptds, cuMemcpyAtoD_v2)
WM_DRIVER_PER_THREAD(cuMemcpyHtoA_v2_ptds, cuMemcpyHtoA_v2)
WM_DRIVER_PER_THREAD(cuMemcpyAtoH_v2_ptds, cuMemcpyAtoH_v2)
WM_DRIVER_PER_THREAD(cuMemcpyAtoA_v2_ptds, cuMemcpyAtoA_v2)
WM_DRIVER_PER_THREAD(cuMemcpyHtoAAsync_v2_ptsz, cuMemcpyHtoAAsync_v2)
WM_DRIVER_PER_THREAD(cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoHAsync_v2)

// ---- Making and querying -----------------------------------------------------------------------

static wm_cuda_status make(struct wm_cuda_array **array,
                           const struct wm_driver_array3d_shape *shape)
{
    struct wm_cuda_channel_format format;
    if (!array || !shape || !wm_driver_texel_to_runtime(shape->format, shape->channels, &format))
        return cudaErrorInvalidValue;
    struct wm_cuda_extent extent = {shape->width, shape->height, shape->depth};
    return cudaMalloc3DArray(array, &format, extent, shape->flags);
}

WM_CUDA_API wm_driver_result cuArrayCreate_v2(struct wm_cuda_array **array,
                                              const struct wm_driver_array_shape *shape)
{
    struct wm_driver_array3d_shape whole = {.channels = 0};
    if (shape)
        whole = (struct wm_driver_array3d_shape){.width = shape->width,
                                                 .height = shape->height,
                                                 .format = shape->format,
                                                 .channels = shape->channels};
    WM_DRIVER_RETURN(make(array, &whole));
}

WM_CUDA_API wm_driver_result cuArray3DCreate_v2(struct wm_cuda_array **array,
                                                const struct wm_driver_array3d_shape *shape)
{
    WM_DRIVER_RETURN(make(array, shape));
}

static wm_cuda_status describe(struct wm_driver_array3d_shape *shape, struct wm_cuda_array *array)
{
    struct wm_cuda_channel_format format;
    struct wm_cuda_extent extent;
    *shape = (struct wm_driver_array3d_shape){.width = 0};
    wm_cuda_status status = cudaArrayGetInfo(&format, &extent, &shape->flags, array);
    if (status != cudaSuccess)
        return status;
    shape->width = extent.width;
    shape->height = extent.height;
    shape->depth = extent.depth;
    wm_driver_texel_of_runtime(&format, &shape->format, &shape->channels);
    return cudaSuccess;
}

static wm_cuda_status describe_flat(struct wm_driver_array_shape *shape,
                                    struct wm_cuda_array *array)
{
    struct wm_driver_array3d_shape whole;
    wm_cuda_status status = shape ? describe(&whole, array) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *shape = (struct wm_driver_array_shape){.width = whole.width,
                                                .height = whole.height,
                                                .format = whole.format,
                                                .channels = whole.channels};
    return status;
}

WM_CUDA_API wm_driver_result cuArrayGetDescriptor_v2(struct wm_driver_array_shape *shape,
                                                     struct wm_cuda_array *array)
{
    WM_DRIVER_RETURN(describe_flat(shape, array));
}

WM_CUDA_API wm_driver_result cuArray3DGetDescriptor_v2(struct wm_driver_array3d_shape *shape,
                                                       struct wm_cuda_array *array)
{
    WM_DRIVER_RETURN(shape ? describe(shape, array) : cudaErrorInvalidValue);
}

// What the runtime API takes for nothing to be freed, or for a wrong value, is no handle here.
static wm_cuda_status free_array(struct wm_cuda_array *array, bool mipmapped)
{
    wm_cuda_status status = !array      ? cudaErrorInvalidValue
                            : mipmapped ? cudaFreeMipmappedArray(array)
                                        : cudaFreeArray(array);
    return status == cudaErrorInvalidValue ? cudaErrorInvalidResourceHandle : status;
}

WM_CUDA_API wm_driver_result cuArrayDestroy(struct wm_cuda_array *array)
{
    WM_DRIVER_RETURN(free_array(array, false));
}

static wm_cuda_status make_mipmapped(struct wm_cuda_array **array,
                                     const struct wm_driver_array3d_shape *shape, unsigned levels)
{
    struct wm_cuda_channel_format format;
    if (!array || !shape || !wm_driver_texel_to_runtime(shape->format, shape->channels, &format))
        return cudaErrorInvalidValue;
    struct wm_cuda_extent extent = {shape->width, shape->height, shape->depth};
    return cudaMallocMipmappedArray(array, &format, extent, levels, shape->flags);
}

WM_CUDA_API wm_driver_result cuMipmappedArrayCreate(struct wm_cuda_array **array,
                                                    const struct wm_driver_array3d_shape *shape,
                                                    unsigned levels)
{
    WM_DRIVER_RETURN(make_mipmapped(array, shape, levels));
}

WM_DRIVER_FORWARD(cuMipmappedArrayGetLevel, cudaGetMipmappedArrayLevel)

WM_CUDA_API wm_driver_result cuMipmappedArrayDestroy(struct wm_cuda_array *array)
{
    WM_DRIVER_RETURN(free_array(array, true));
}

// ---- Lines of bytes ----------------------------------------------------------------------------
// A line in an array is a box of one row.

static struct wm_driver_copy_side3d array_side(struct wm_cuda_array *array, size_t offset)
{
    return (struct wm_driver_copy_side3d){
        .x_bytes = offset, .memory_type = WM_DRIVER_ARRAY, .array = array};
}

static struct wm_driver_copy_side3d host_side(void *pointer)
{
    return (struct wm_driver_copy_side3d){.memory_type = WM_DRIVER_HOST, .host = pointer};
}

static struct wm_driver_copy_side3d device_side(wm_driver_pointer pointer)
{
    return (struct wm_driver_copy_side3d){.memory_type = WM_DRIVER_DEVICE, .device = pointer};
}

static struct wm_driver_copy3d line(struct wm_driver_copy_side3d to,
                                    struct wm_driver_copy_side3d from, size_t bytes)
{
    return (struct wm_driver_copy3d){from, to, bytes, 1, 1};
}

WM_CUDA_API wm_driver_result cuMemcpyDtoA_v2(struct wm_cuda_array *to, size_t offset,
                                             wm_driver_pointer from, size_t bytes)
{
    struct wm_driver_copy3d copy = line(array_side(to, offset), device_side(from), bytes);
    return cuMemcpy3D_v2(&copy);
}

WM_CUDA_API wm_driver_result cuMemcpyAtoD_v2(wm_driver_pointer to, struct wm_cuda_array *from,
                                             size_t offset, size_t bytes)
{
    struct wm_driver_copy3d copy = line(device_side(to), array_side(from, offset), bytes);
    return cuMemcpy3D_v2(&copy);
}

WM_CUDA_API wm_driver_result cuMemcpyHtoA_v2(struct wm_cuda_array *to, size_t offset, void *from,
                                             size_t bytes)
{
    struct wm_driver_copy3d copy = line(array_side(to, offset), host_side(from), bytes);
    return cuMemcpy3D_v2(&copy);
}

WM_CUDA_API wm_driver_result cuMemcpyAtoH_v2(void *to, struct wm_cuda_array *from, size_t offset,
                                             size_t bytes)
{
    struct wm_driver_copy3d copy = line(host_side(to), array_side(from, offset), bytes);
    return cuMemcpy3D_v2(&copy);
}

WM_CUDA_API wm_driver_result cuMemcpyAtoA_v2(struct wm_cuda_array *to, size_t to_offset,
                                             struct wm_cuda_array *from, size_t from_offset,
                                             size_t bytes)
{
    struct wm_driver_copy3d copy =
        line(array_side(to, to_offset), array_side(from, from_offset), bytes);
    return cuMemcpy3D_v2(&copy);
}

WM_CUDA_API wm_driver_result cuMemcpyHtoAAsync_v2(struct wm_cuda_array *to, size_t offset,
                                                  void *from, size_t bytes,
                                                  wm_cuda_stream_handle stream)
{
    struct wm_driver_copy3d copy = line(array_side(to, offset), host_side(from), bytes);
    return cuMemcpy3DAsync_v2(&copy, stream);
}

WM_CUDA_API wm_driver_result cuMemcpyAtoHAsync_v2(void *to, struct wm_cuda_array *from,
                                                  size_t offset, size_t bytes,
                                                  wm_cuda_stream_handle stream)
{
    struct wm_driver_copy3d copy = line(host_side(to), array_side(from, offset), bytes);
    return cuMemcpy3DAsync_v2(&copy, stream);
}

// ---- What no array here has --------------------------------------------------------------------
// Memory bound later, tiles of sparse arrays, planes.

WM_DRIVER_FORWARD(cuArrayGetMemoryRequirements, cudaArrayGetMemoryRequirements)
WM_DRIVER_FORWARD(cuMipmappedArrayGetMemoryRequirements, cudaMipmappedArrayGetMemoryRequirements)
WM_DRIVER_FORWARD(cuArrayGetSparseProperties, cudaArrayGetSparseProperties)
WM_DRIVER_FORWARD(cuMipmappedArrayGetSparseProperties, cudaMipmappedArrayGetSparseProperties)
WM_DRIVER_FORWARD(cuArrayGetPlane, cudaArrayGetPlane)

#include "cuda/memory/array_table.h"
#include "cuda/error/log.h"

#include "cuda/device/device_properties.h"
#include "cuda/memory/allocation_table.h"

#include <stdio.h>
#include <stdlib.h>

enum { FACES = 6, KNOWN_FLAGS = 15, LAST_COMPRESSED_KIND = 31, KIND_NONE = 3 };

// ---- Formats -----------------------------------------------------------------------------------

wm_cuda_status wm_cuda_texel_format(const struct wm_cuda_channel_format *given,
                                    struct wm_texel_format *format)
{
    const int bits[4] = {given->x, given->y, given->z, given->w};
    if (given->kind > KIND_NONE && given->kind <= LAST_COMPRESSED_KIND) {
        wm_log_explain(WM_LOG_ERROR,
                       "channel format kind %d (planar, normalized or compressed) is not "
                       "supported\n",
                       given->kind);
        return cudaErrorNotSupported;
    }
    bool is_float = given->kind == WM_CUDA_CHANNEL_FLOAT;
    uint8_t channels = 0;
    while (channels < 4 && bits[channels] != 0)
        channels++;
    for (int i = 0; i < 4; i++)
        if (bits[i] != (i < channels ? bits[0] : 0))
            return cudaErrorInvalidChannelDescriptor;
    bool size_known = bits[0] == 16 || bits[0] == 32 || (bits[0] == 8 && !is_float);
    if (given->kind < 0 || given->kind >= KIND_NONE || !size_known ||
        (channels != 1 && channels != 2 && channels != 4))
        return cudaErrorInvalidChannelDescriptor;
    *format = (struct wm_texel_format){.kind = is_float ? WM_TEXEL_FLOAT
                                               : given->kind == WM_CUDA_CHANNEL_SIGNED
                                                   ? WM_TEXEL_SIGNED
                                                   : WM_TEXEL_UNSIGNED,
                                       .channels = channels,
                                       .channel_bytes = (uint8_t)(bits[0] / 8)};
    return cudaSuccess;
}

// ---- Shapes ------------------------------------------------------------------------------------

// Dimensions without layers and faces; 0 for an extent that no array has (CUDA Runtime API,
// cudaMalloc3DArray).
static uint8_t dimensions_of(const struct wm_cuda_extent *extent, unsigned flags)
{
    bool layered = (flags & WM_CUDA_ARRAY_LAYERED) != 0;
    bool has_height = extent->height != 0, has_depth = extent->depth != 0;
    if (extent->width == 0)
        return 0;
    if ((flags & WM_CUDA_ARRAY_CUBEMAP) != 0) {
        bool whole = layered ? has_depth && extent->depth % FACES == 0 : extent->depth == FACES;
        return extent->width == extent->height && whole ? 2 : 0;
    }
    if (layered)
        return has_depth ? (has_height ? 2 : 1) : 0;
    if (has_depth)
        return has_height ? 3 : 0;
    return has_height ? 2 : 1;
}

static bool at_most(const struct wm_cuda_extent *extent, int width, int height, int depth)
{
    return extent->width <= (size_t)width && extent->height <= (size_t)height &&
           extent->depth <= (size_t)depth;
}

// The limits of the device's properties.
static bool fits_device(const struct wm_cuda_process *process, const struct wm_cuda_extent *extent,
                        uint8_t dimensions, unsigned flags)
{
    struct wm_cuda_properties device;
    wm_cuda_properties_fill(&process->machine, 0, &device);
    bool layered = (flags & WM_CUDA_ARRAY_LAYERED) != 0;
    if ((flags & WM_CUDA_ARRAY_CUBEMAP) != 0)
        return layered
                   ? at_most(extent, device.maxTextureCubemapLayered[0],
                             device.maxTextureCubemapLayered[0], device.maxTextureCubemapLayered[1])
                   : at_most(extent, device.maxTextureCubemap, device.maxTextureCubemap, FACES);
    if (layered && dimensions == 1)
        return at_most(extent, device.maxTexture1DLayered[0], 0, device.maxTexture1DLayered[1]);
    if (layered)
        return at_most(extent, device.maxTexture2DLayered[0], device.maxTexture2DLayered[1],
                       device.maxTexture2DLayered[2]);
    if (dimensions == 1)
        return at_most(extent, device.maxTexture1D, 0, 0);
    if (dimensions == 2)
        return at_most(extent, device.maxTexture2D[0], device.maxTexture2D[1], 0);
    return at_most(extent, device.maxTexture3D[0], device.maxTexture3D[1], device.maxTexture3D[2]);
}

static size_t halved(size_t size, unsigned level)
{
    return size == 0 ? 0 : size >> level != 0 ? size >> level : 1;
}

// Layers and faces stay as they are from level to level.
static struct wm_cuda_extent level_extent(const struct wm_cuda_array *array, unsigned level)
{
    return (struct wm_cuda_extent){
        .width = halved(array->extent.width, level),
        .height = halved(array->extent.height, level),
        .depth = array->dimensions == 3 ? halved(array->extent.depth, level) : array->extent.depth,
    };
}

static unsigned most_levels(const struct wm_cuda_array *array)
{
    size_t longest = array->extent.width;
    unsigned levels = 1;
    if (array->extent.height > longest)
        longest = array->extent.height;
    if (array->dimensions == 3 && array->extent.depth > longest)
        longest = array->extent.depth;
    while (longest >>= 1)
        levels++;
    return levels;
}

// Lays the levels out one behind the other from 0 on; returns their bytes.
static uint64_t lay_out(struct wm_cuda_array *array)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < array->level_count; i++) {
        struct wm_cuda_extent extent = level_extent(array, i);
        array->levels[i] = wm_texel_layout_of(
            wm_texel_bytes(&array->format), (uint32_t)extent.width,
            extent.height != 0 ? (uint32_t)extent.height : 1,
            extent.depth != 0 ? (uint32_t)extent.depth : 1, array->dimensions > 1);
        array->levels[i].address = bytes;
        bytes += wm_texel_layout_bytes(&array->levels[i]);
    }
    return bytes;
}

// ---- The table ---------------------------------------------------------------------------------

static wm_cuda_status fill(struct wm_cuda_process *process, struct wm_cuda_array *array,
                           unsigned levels)
{
    wm_cuda_status status = wm_cuda_texel_format(&array->given, &array->format);
    if (status != cudaSuccess)
        return status;
    array->dimensions = dimensions_of(&array->extent, array->flags);
    if (array->dimensions == 0 || (array->flags & ~(unsigned)KNOWN_FLAGS) != 0 ||
        !fits_device(process, &array->extent, array->dimensions, array->flags))
        return cudaErrorInvalidValue;
    unsigned most = most_levels(array);
    array->level_count = levels < most ? levels : most;
    uint64_t bytes = lay_out(array);
    void *memory;
    status = wm_cuda_allocate(process, bytes, WM_ALLOCATION_DEVICE, 0,
                              array->mipmapped ? "cudaMallocMipmappedArray" : "cudaMallocArray",
                              &memory);
    array->address = (uint64_t)(uintptr_t)memory;
    for (uint32_t i = 0; status == cudaSuccess && i < array->level_count; i++)
        array->levels[i].address += array->address;
    return status;
}

wm_cuda_status wm_cuda_array_make(struct wm_cuda_process *process,
                                  const struct wm_cuda_channel_format *format,
                                  const struct wm_cuda_extent *extent, unsigned levels,
                                  bool mipmapped, unsigned flags, struct wm_cuda_array **result)
{
    struct wm_cuda_array *array = malloc(sizeof *array);
    if (!array)
        return cudaErrorMemoryAllocation;
    *array = (struct wm_cuda_array){
        .mipmapped = mipmapped, .given = *format, .extent = *extent, .flags = flags};
    wm_cuda_status status = levels == 0 ? cudaErrorInvalidValue : fill(process, array, levels);
    if (status != cudaSuccess) {
        free(array);
        return status;
    }
    array->next = process->arrays;
    process->arrays = array;
    *result = array;
    return cudaSuccess;
}

struct wm_cuda_array *wm_cuda_array_known(const struct wm_cuda_process *process,
                                          const struct wm_cuda_array *array, bool mipmapped)
{
    for (struct wm_cuda_array *known = process->arrays; known; known = known->next)
        if (known == array && known->mipmapped == mipmapped)
            return known;
    return NULL;
}

wm_cuda_status wm_cuda_array_level(struct wm_cuda_process *process, struct wm_cuda_array *whole,
                                   unsigned level, struct wm_cuda_array **array)
{
    if (level >= whole->level_count)
        return cudaErrorInvalidValue;
    for (*array = process->arrays; *array; *array = (*array)->next)
        if ((*array)->whole == whole && (*array)->level == level)
            return cudaSuccess;
    struct wm_cuda_array *made = malloc(sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    *made = *whole;
    made->whole = whole;
    made->level = level;
    made->mipmapped = false;
    made->extent = level_extent(whole, level);
    made->levels[0] = whole->levels[level];
    made->level_count = 1;
    made->next = process->arrays;
    process->arrays = *array = made;
    return cudaSuccess;
}

wm_cuda_status wm_cuda_array_free(struct wm_cuda_process *process, struct wm_cuda_array *array)
{
    uint64_t address = array->address;
    // Waiting unlocks the process: the thread that takes the array from the list frees it.
    struct wm_cuda_array *freed = NULL;
    for (struct wm_cuda_array **at = &process->arrays; *at;) {
        struct wm_cuda_array *one = *at;
        if (one != array && one->whole != array) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        one->next = freed;
        freed = one;
    }
    while (freed) {
        struct wm_cuda_array *next = freed->next;
        free(freed);
        freed = next;
    }
    return wm_cuda_release(process, address);
}

void wm_cuda_arrays_forget(struct wm_cuda_process *process)
{
    for (struct wm_cuda_array *array = process->arrays, *next; array; array = next) {
        next = array->next;
        free(array);
    }
    process->arrays = NULL;
}

// Texture and surface objects of the driver API: the runtime API's, differently described.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_forward.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/driver/driver_texel.h"

#include <string.h>

enum { // CU_TRSF_…
    READ_AS_INTEGER = WM_DRIVER_SAMPLER_INTEGERS,
    NORMALIZED_COORDINATES = WM_DRIVER_SAMPLER_NORMALIZED,
    SRGB = 0x10,
    EXACT_TRILINEAR = 0x20,
    SEAMLESS_CUBEMAP = 0x40,
};
enum { // CUresourceViewFormat: integers of 8, 16 and 32 bits, then floats
    VIEW_FIRST_WORD = 0x0d,
    VIEW_FIRST_FLOAT = 0x13,
};

// ---- Resources ---------------------------------------------------------------------------------

wm_cuda_status wm_driver_resource_to_runtime(const struct wm_driver_resource *from,
                                             struct wm_cuda_resource *to)
{
    if (!from || from->flags != 0)
        return cudaErrorInvalidValue;
    *to = (struct wm_cuda_resource){.kind = from->kind};
    bool good = true;
    switch (from->kind) {
    case WM_CUDA_RESOURCE_ARRAY:
    case WM_CUDA_RESOURCE_MIPMAPPED: to->array = from->array; break;
    case WM_CUDA_RESOURCE_LINEAR:
        to->linear.pointer = wm_driver_address(from->memory.pointer);
        to->linear.bytes = from->memory.width;
        good = wm_driver_texel_to_runtime(from->memory.format, from->memory.channels,
                                          &to->linear.format);
        break;
    case WM_CUDA_RESOURCE_PITCH:
        to->pitch.pointer = wm_driver_address(from->memory.pointer);
        to->pitch.width = from->memory.width;
        to->pitch.height = from->memory.height;
        to->pitch.pitch = from->memory.pitch;
        good = wm_driver_texel_to_runtime(from->memory.format, from->memory.channels,
                                          &to->pitch.format);
        break;
    default: good = false;
    }
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

static void resource_of_runtime(const struct wm_cuda_resource *from, struct wm_driver_resource *to)
{
    *to = (struct wm_driver_resource){.kind = from->kind};
    if (from->kind == WM_CUDA_RESOURCE_LINEAR) {
        to->memory.pointer = (uint64_t)(uintptr_t)from->linear.pointer;
        to->memory.width = from->linear.bytes;
        wm_driver_texel_of_runtime(&from->linear.format, &to->memory.format, &to->memory.channels);
    } else if (from->kind == WM_CUDA_RESOURCE_PITCH) {
        to->memory.pointer = (uint64_t)(uintptr_t)from->pitch.pointer;
        to->memory.width = from->pitch.width;
        to->memory.height = from->pitch.height;
        to->memory.pitch = from->pitch.pitch;
        wm_driver_texel_of_runtime(&from->pitch.format, &to->memory.format, &to->memory.channels);
    } else {
        to->array = from->array;
    }
}

static wm_cuda_status format_of(const struct wm_cuda_resource *resource,
                                struct wm_cuda_channel_format *format)
{
    struct wm_cuda_array *level = NULL;
    switch (resource->kind) {
    case WM_CUDA_RESOURCE_LINEAR: *format = resource->linear.format; return cudaSuccess;
    case WM_CUDA_RESOURCE_PITCH: *format = resource->pitch.format; return cudaSuccess;
    case WM_CUDA_RESOURCE_ARRAY: return cudaGetChannelDesc(format, resource->array);
    default: {
        wm_cuda_status status = cudaGetMipmappedArrayLevel(&level, resource->array, 0);
        return status == cudaSuccess ? cudaGetChannelDesc(format, level) : status;
    }
    }
}

// ---- Samplers ----------------------------------------------------------------------------------

// Integers of 8 and 16 bits become floats unless read as they are; those of 32 bits never do.
static bool has_small_integers(const struct wm_cuda_channel_format *format,
                               const struct wm_cuda_resource_view *view)
{
    if (view && view->format != 0)
        return view->format < VIEW_FIRST_WORD;
    return format->kind != WM_CUDA_CHANNEL_FLOAT && format->x < 32;
}

wm_cuda_status wm_driver_sampler_to_runtime(const struct wm_driver_sampler *from,
                                            const struct wm_cuda_channel_format *format,
                                            const struct wm_cuda_resource_view *view,
                                            struct wm_cuda_sampler *to)
{
    if ((from->flags & ~(unsigned)WM_DRIVER_SAMPLER_FLAGS) != 0)
        return cudaErrorInvalidValue;
    bool small_integers = has_small_integers(format, view);
    *to = (struct wm_cuda_sampler){
        .address = {from->address[0], from->address[1], from->address[2]},
        .filter = from->filter,
        .read = small_integers && (from->flags & READ_AS_INTEGER) == 0,
        .srgb = (from->flags & SRGB) != 0,
        .normalized = (from->flags & NORMALIZED_COORDINATES) != 0,
        .anisotropy = from->anisotropy,
        .mipmap_filter = from->mipmap_filter,
        .mipmap_bias = from->mipmap_bias,
        .mipmap_least = from->mipmap_least,
        .mipmap_most = from->mipmap_most,
        .exact_trilinear = (from->flags & EXACT_TRILINEAR) != 0,
        .seamless_cubemap = (from->flags & SEAMLESS_CUBEMAP) != 0,
    };
    memcpy(to->border, from->border, sizeof to->border);
    return cudaSuccess;
}

static void sampler_of_runtime(const struct wm_cuda_sampler *from, bool integers,
                               struct wm_driver_sampler *to)
{
    *to = (struct wm_driver_sampler){
        .address = {from->address[0], from->address[1], from->address[2]},
        .filter = from->filter,
        .flags = (integers && !from->read ? READ_AS_INTEGER : 0u) |
                 (from->normalized ? NORMALIZED_COORDINATES : 0u) | (from->srgb ? SRGB : 0u) |
                 (from->exact_trilinear ? EXACT_TRILINEAR : 0u) |
                 (from->seamless_cubemap ? SEAMLESS_CUBEMAP : 0u),
        .anisotropy = from->anisotropy,
        .mipmap_filter = from->mipmap_filter,
        .mipmap_bias = from->mipmap_bias,
        .mipmap_least = from->mipmap_least,
        .mipmap_most = from->mipmap_most,
    };
    memcpy(to->border, from->border, sizeof to->border);
}

// ---- Textures ----------------------------------------------------------------------------------

static wm_cuda_status make_texture(uint64_t *number, const struct wm_driver_resource *resource,
                                   const struct wm_driver_sampler *sampler,
                                   const struct wm_cuda_resource_view *view)
{
    struct wm_cuda_resource wanted;
    struct wm_cuda_sampler how;
    struct wm_cuda_channel_format format = {0};
    wm_cuda_status status =
        sampler ? wm_driver_resource_to_runtime(resource, &wanted) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = format_of(&wanted, &format);
    if (status == cudaSuccess)
        status = wm_driver_sampler_to_runtime(sampler, &format, view, &how);
    return status == cudaSuccess ? cudaCreateTextureObject(number, &wanted, &how, view) : status;
}

WM_CUDA_API wm_driver_result cuTexObjectCreate(uint64_t *number,
                                               const struct wm_driver_resource *resource,
                                               const struct wm_driver_sampler *sampler,
                                               const struct wm_cuda_resource_view *view)
{
    WM_DRIVER_RETURN(make_texture(number, resource, sampler, view));
}

WM_DRIVER_FORWARD(cuTexObjectDestroy, cudaDestroyTextureObject)
WM_DRIVER_FORWARD(cuTexObjectGetResourceViewDesc, cudaGetTextureObjectResourceViewDesc)

static wm_cuda_status resource_of(struct wm_driver_resource *resource, unsigned long long number,
                                  bool surface)
{
    struct wm_cuda_resource found;
    wm_cuda_status status = !resource ? cudaErrorInvalidValue
                            : surface ? cudaGetSurfaceObjectResourceDesc(&found, number)
                                      : cudaGetTextureObjectResourceDesc(&found, number);
    if (status == cudaSuccess)
        resource_of_runtime(&found, resource);
    return status;
}

WM_CUDA_API wm_driver_result cuTexObjectGetResourceDesc(struct wm_driver_resource *resource,
                                                        unsigned long long number)
{
    WM_DRIVER_RETURN(resource_of(resource, number, false));
}

static wm_cuda_status sampler_of(struct wm_driver_sampler *sampler, unsigned long long number)
{
    struct wm_cuda_resource resource;
    struct wm_cuda_sampler found;
    struct wm_cuda_channel_format format = {0};
    wm_cuda_status status =
        sampler ? cudaGetTextureObjectResourceDesc(&resource, number) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = cudaGetTextureObjectTextureDesc(&found, number);
    if (status == cudaSuccess)
        status = format_of(&resource, &format);
    if (status == cudaSuccess)
        sampler_of_runtime(&found, format.kind != WM_CUDA_CHANNEL_FLOAT, sampler);
    return status;
}

WM_CUDA_API wm_driver_result cuTexObjectGetTextureDesc(struct wm_driver_sampler *sampler,
                                                       unsigned long long number)
{
    WM_DRIVER_RETURN(sampler_of(sampler, number));
}

static wm_cuda_status most_texels(size_t *width, int format, unsigned channels, int device)
{
    struct wm_cuda_channel_format wanted;
    return wm_driver_texel_to_runtime(format, channels, &wanted)
               ? cudaDeviceGetTexture1DLinearMaxWidth(width, &wanted, device)
               : cudaErrorInvalidValue;
}

WM_CUDA_API wm_driver_result cuDeviceGetTexture1DLinearMaxWidth(size_t *width, int format,
                                                                unsigned channels, int device)
{
    WM_DRIVER_RETURN_ANY(most_texels(width, format, channels, device));
}

// ---- Surfaces ----------------------------------------------------------------------------------

static wm_cuda_status make_surface(uint64_t *number, const struct wm_driver_resource *resource)
{
    struct wm_cuda_resource wanted;
    wm_cuda_status status = wm_driver_resource_to_runtime(resource, &wanted);
    return status == cudaSuccess ? cudaCreateSurfaceObject(number, &wanted) : status;
}

WM_CUDA_API wm_driver_result cuSurfObjectCreate(uint64_t *number,
                                                const struct wm_driver_resource *resource)
{
    WM_DRIVER_RETURN(make_surface(number, resource));
}

WM_DRIVER_FORWARD(cuSurfObjectDestroy, cudaDestroySurfaceObject)

WM_CUDA_API wm_driver_result cuSurfObjectGetResourceDesc(struct wm_driver_resource *resource,
                                                         unsigned long long number)
{
    WM_DRIVER_RETURN(resource_of(resource, number, true));
}

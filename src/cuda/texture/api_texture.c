// Texture and surface objects of the runtime API.
#include "cuda/device/device_properties.h"
#include "cuda/memory/array_table.h"
#include "cuda/runtime_prototypes.h"
#include "cuda/texture/texture_objects.h"

WM_CUDA_API wm_cuda_status cudaCreateTextureObject(uint64_t *number,
                                                   const struct wm_cuda_resource *resource,
                                                   const struct wm_cuda_sampler *sampler,
                                                   const struct wm_cuda_resource_view *view)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (!number || !resource || !sampler))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_texture_make(process, resource, sampler, view, number);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaCreateSurfaceObject(uint64_t *number,
                                                   const struct wm_cuda_resource *resource)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (!number || !resource))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_surface_make(process, resource, number);
    return wm_cuda_leave(process, status);
}

// 0 is no object, and destroying it does nothing.
static wm_cuda_status destroy(uint64_t number, bool surface)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && number != 0)
        status = wm_cuda_texture_object_known(process, number, surface)
                     ? wm_cuda_texture_object_destroy(process, number)
                     : cudaErrorInvalidValue;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaDestroyTextureObject(uint64_t number)
{
    return destroy(number, false);
}

WM_CUDA_API wm_cuda_status cudaDestroySurfaceObject(uint64_t number)
{
    return destroy(number, true);
}

// A copy of the object, for the functions that return a part of it.
static wm_cuda_status look_up(uint64_t number, bool surface, const void *to,
                              struct wm_cuda_object *object)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        const struct wm_cuda_object *known = wm_cuda_texture_object_known(process, number, surface);
        if (!known || !to)
            status = cudaErrorInvalidValue;
        else
            *object = *known;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGetTextureObjectResourceDesc(struct wm_cuda_resource *resource,
                                                            uint64_t number)
{
    struct wm_cuda_object object = {0};
    wm_cuda_status status = look_up(number, false, resource, &object);
    if (status == cudaSuccess)
        *resource = object.resource;
    return status;
}

WM_CUDA_API wm_cuda_status cudaGetTextureObjectTextureDesc(struct wm_cuda_sampler *sampler,
                                                           uint64_t number)
{
    struct wm_cuda_object object = {0};
    wm_cuda_status status = look_up(number, false, sampler, &object);
    if (status == cudaSuccess)
        *sampler = object.sampler;
    return status;
}

WM_CUDA_API wm_cuda_status cudaGetTextureObjectResourceViewDesc(struct wm_cuda_resource_view *view,
                                                                uint64_t number)
{
    struct wm_cuda_object object = {0};
    wm_cuda_status status = look_up(number, false, view, &object);
    if (status == cudaSuccess && !object.has_view)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    if (status == cudaSuccess)
        *view = object.view;
    return status;
}

WM_CUDA_API wm_cuda_status cudaGetSurfaceObjectResourceDesc(struct wm_cuda_resource *resource,
                                                            uint64_t number)
{
    struct wm_cuda_object object = {0};
    wm_cuda_status status = look_up(number, true, resource, &object);
    if (status == cudaSuccess)
        *resource = object.resource;
    return status;
}

WM_CUDA_API wm_cuda_status cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *width, const struct wm_cuda_channel_format *format, int device)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    struct wm_texel_format texel;
    if (status == cudaSuccess)
        status = wm_cuda_check_device(process, device);
    if (status == cudaSuccess && (!width || !format))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_texel_format(format, &texel);
    if (status == cudaSuccess) {
        struct wm_cuda_properties properties;
        wm_cuda_properties_fill(&process->machine, 0, &properties);
        *width = (size_t)properties.maxTexture1DLinear;
    }
    return wm_cuda_leave(process, status);
}

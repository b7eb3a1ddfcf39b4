// Texture and surface references of the runtime API, which CUDA 12 has dropped: the program's
// variables, and what it binds to them. Objects made of the same memory sample the same way.
#include "cuda/memory/array_table.h"
#include "cuda/runtime_prototypes.h"
#include "cuda/texture/references.h"
#include "cuda/texture/texture_objects.h"

// ---- Textures ----------------------------------------------------------------------------------

// How the variable says that it is to be sampled, now. Integers of 32 bits are never made floats.
static struct wm_cuda_sampler sampler_of(const struct wm_cuda_texture_reference *variable,
                                         const struct wm_cuda_reference *reference)
{
    return (struct wm_cuda_sampler){
        .address = {variable->address[0], variable->address[1], variable->address[2]},
        .filter = variable->filter,
        .read = reference->to_float,
        .srgb = variable->srgb,
        .normalized = variable->normalized,
        .anisotropy = variable->anisotropy,
        .mipmap_filter = variable->mipmap_filter,
        .mipmap_bias = variable->mipmap_bias,
        .mipmap_least = variable->mipmap_least,
        .mipmap_most = variable->mipmap_most,
        .exact_trilinear = variable->exact_trilinear,
    };
}

static wm_cuda_status bind_texture(struct wm_cuda_process *process,
                                   const struct wm_cuda_texture_reference *variable,
                                   const struct wm_cuda_resource *resource,
                                   const struct wm_cuda_channel_format *format, size_t *offset)
{
    struct wm_texture texture;
    struct wm_cuda_reference *reference = wm_cuda_reference_of(process, variable, false);
    if (!reference)
        return cudaErrorInvalidTexture;
    size_t lead = wm_cuda_texture_lead(resource);
    if (lead != 0 && !offset)
        return cudaErrorInvalidValue;
    struct wm_cuda_sampler sampler = sampler_of(variable, reference);
    struct wm_texel_format texel;
    wm_cuda_status status = wm_cuda_texel_format(format, &texel);
    if (status == cudaSuccess)
        status = wm_cuda_texture_describe(process, resource, &sampler, NULL, &texel, &texture);
    if (status == cudaSuccess)
        status = wm_cuda_reference_bind(process, reference, &texture, lead);
    if (status == cudaSuccess && offset)
        *offset = lead;
    return status;
}

// Programs leave the size out, and the header then gives a large one: the texture ends with its
// memory, and with what a device can count.
static size_t bytes_there(const struct wm_cuda_process *process, const void *memory,
                          const struct wm_cuda_channel_format *format, size_t bytes)
{
    struct wm_texel_format texel;
    uint64_t address = (uint64_t)(uintptr_t)memory;
    const struct wm_allocation *found = wm_device_memory_find(process->memory, address);
    if (!found || wm_cuda_texel_format(format, &texel) != cudaSuccess)
        return bytes;
    uint64_t rest = found->address + found->size_bytes - address;
    uint64_t most = wm_cuda_texture_most_texels(process) * (uint64_t)wm_texel_bytes(&texel);
    rest = rest < most ? rest : most;
    return bytes < rest ? bytes : (size_t)rest;
}

WM_CUDA_API wm_cuda_status cudaBindTexture(size_t *offset,
                                           const struct wm_cuda_texture_reference *variable,
                                           const void *memory,
                                           const struct wm_cuda_channel_format *format,
                                           size_t bytes)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !format)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        const struct wm_cuda_resource resource = {
            .kind = WM_CUDA_RESOURCE_LINEAR,
            .linear = {.pointer = (void *)(uintptr_t)memory,
                       .format = *format,
                       .bytes = bytes_there(process, memory, format, bytes)}};
        status = bind_texture(process, variable, &resource, format, offset);
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaBindTexture2D(size_t *offset,
                                             const struct wm_cuda_texture_reference *variable,
                                             const void *memory,
                                             const struct wm_cuda_channel_format *format,
                                             size_t width, size_t height, size_t pitch)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !format)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        const struct wm_cuda_resource resource = {.kind = WM_CUDA_RESOURCE_PITCH,
                                                  .pitch = {.pointer = (void *)(uintptr_t)memory,
                                                            .format = *format,
                                                            .width = width,
                                                            .height = height,
                                                            .pitch = pitch}};
        status = bind_texture(process, variable, &resource, format, offset);
    }
    return wm_cuda_leave(process, status);
}

static wm_cuda_status bind_array(const struct wm_cuda_texture_reference *variable,
                                 struct wm_cuda_array *array,
                                 const struct wm_cuda_channel_format *format,
                                 enum wm_cuda_resource_kind kind)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    const struct wm_cuda_resource resource = {.kind = kind, .array = array};
    if (status == cudaSuccess && !format)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = bind_texture(process, variable, &resource, format, NULL);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaBindTextureToArray(const struct wm_cuda_texture_reference *variable,
                                                  struct wm_cuda_array *array,
                                                  const struct wm_cuda_channel_format *format)
{
    return bind_array(variable, array, format, WM_CUDA_RESOURCE_ARRAY);
}

WM_CUDA_API wm_cuda_status cudaBindTextureToMipmappedArray(
    const struct wm_cuda_texture_reference *variable, struct wm_cuda_array *mipmapped,
    const struct wm_cuda_channel_format *format)
{
    return bind_array(variable, mipmapped, format, WM_CUDA_RESOURCE_MIPMAPPED);
}

WM_CUDA_API wm_cuda_status cudaUnbindTexture(const struct wm_cuda_texture_reference *variable)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        struct wm_cuda_reference *reference = wm_cuda_reference_of(process, variable, false);
        status = reference ? wm_cuda_reference_bind(process, reference, NULL, 0)
                           : cudaErrorInvalidTexture;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status
cudaGetTextureAlignmentOffset(size_t *offset, const struct wm_cuda_texture_reference *variable)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        const struct wm_cuda_reference *reference = wm_cuda_reference_of(process, variable, false);
        status = !offset      ? cudaErrorInvalidValue
                 : !reference ? cudaErrorInvalidTexture
                 : (reference->bound >> wm_cuda_thread()->device & 1) == 0
                     ? cudaErrorInvalidTextureBinding
                     : cudaSuccess;
        if (status == cudaSuccess)
            *offset = reference->lead;
    }
    return wm_cuda_leave(process, status);
}

// ---- Surfaces ----------------------------------------------------------------------------------

static wm_cuda_status bind_surface(struct wm_cuda_process *process,
                                   const struct wm_cuda_surface_reference *variable,
                                   const struct wm_cuda_resource *resource,
                                   const struct wm_cuda_channel_format *format)
{
    struct wm_texture texture;
    struct wm_cuda_reference *reference = wm_cuda_reference_of(process, variable, true);
    if (!reference)
        return cudaErrorInvalidSurface;
    struct wm_texel_format texel;
    wm_cuda_status status = wm_cuda_texel_format(format, &texel);
    if (status == cudaSuccess)
        status = wm_cuda_surface_describe(process, resource, &texture);
    if (status == cudaSuccess && wm_texel_bytes(&texel) != wm_texel_bytes(&texture.format))
        status = cudaErrorInvalidChannelDescriptor;
    return status == cudaSuccess ? wm_cuda_reference_bind(process, reference, &texture, 0) : status;
}

WM_CUDA_API wm_cuda_status cudaBindSurfaceToArray(const struct wm_cuda_surface_reference *variable,
                                                  struct wm_cuda_array *array,
                                                  const struct wm_cuda_channel_format *format)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    const struct wm_cuda_resource resource = {.kind = WM_CUDA_RESOURCE_ARRAY, .array = array};
    if (status == cudaSuccess && !format)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = bind_surface(process, variable, &resource, format);
    return wm_cuda_leave(process, status);
}

// ---- By symbol ---------------------------------------------------------------------------------

// The symbol is the variable itself.
static wm_cuda_status find(const void **variable, const void *symbol, bool surface)
{
    struct wm_cuda_process *process = wm_cuda_lock();
    wm_cuda_status status = !variable                                        ? cudaErrorInvalidValue
                            : wm_cuda_reference_of(process, symbol, surface) ? cudaSuccess
                            : surface ? cudaErrorInvalidSurface
                                      : cudaErrorInvalidTexture;
    if (status == cudaSuccess)
        *variable = symbol;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status
cudaGetTextureReference(const struct wm_cuda_texture_reference **variable, const void *symbol)
{
    return find((const void **)variable, symbol, false);
}

WM_CUDA_API wm_cuda_status
cudaGetSurfaceReference(const struct wm_cuda_surface_reference **variable, const void *symbol)
{
    return find((const void **)variable, symbol, true);
}

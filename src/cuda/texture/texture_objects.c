#include "cuda/texture/texture_objects.h"
#include "cuda/error/log.h"

#include "cuda/device/device_properties.h"
#include "cuda/memory/array_table.h"

#include <stdio.h>
#include <stdlib.h>

enum { FACES = 6, LAST_ADDRESS_MODE = WM_ADDRESS_BORDER };

// ---- Memory ------------------------------------------------------------------------------------

static bool is_allocated(const struct wm_cuda_process *process, uint64_t address, uint64_t bytes)
{
    return wm_device_memory_find_range(process->memory, address, bytes, false) != NULL;
}

static wm_cuda_status take_linear(struct wm_cuda_process *process,
                                  const struct wm_cuda_resource *resource,
                                  const struct wm_cuda_properties *device,
                                  struct wm_texture *texture)
{
    uint64_t address = (uint64_t)(uintptr_t)resource->linear.pointer,
             bytes = resource->linear.bytes;
    wm_cuda_status status = wm_cuda_texel_format(&resource->linear.format, &texture->format);
    if (status != cudaSuccess)
        return status;
    uint64_t width = bytes / wm_texel_bytes(&texture->format);
    if (width == 0 || width > (uint64_t)device->maxTexture1DLinear ||
        !is_allocated(process, address, bytes))
        return cudaErrorInvalidValue;
    texture->memory = WM_TEXTURE_LINEAR;
    texture->dimensions = 1;
    texture->level_count = 1;
    texture->levels[0] = (struct wm_texel_layout){.address = address,
                                                  .row_bytes = bytes,
                                                  .slice_bytes = bytes,
                                                  .width = (uint32_t)width,
                                                  .height = 1,
                                                  .slices = 1};
    return cudaSuccess;
}

static wm_cuda_status take_pitch(struct wm_cuda_process *process,
                                 const struct wm_cuda_resource *resource,
                                 const struct wm_cuda_properties *device,
                                 struct wm_texture *texture)
{
    uint64_t address = (uint64_t)(uintptr_t)resource->pitch.pointer, pitch = resource->pitch.pitch;
    uint64_t width = resource->pitch.width, height = resource->pitch.height;
    wm_cuda_status status = wm_cuda_texel_format(&resource->pitch.format, &texture->format);
    if (status != cudaSuccess)
        return status;
    const int *most = device->maxTexture2DLinear;
    uint64_t row = width * wm_texel_bytes(&texture->format);
    if (pitch % device->texturePitchAlignment != 0 || width == 0 || height == 0 ||
        width > (uint64_t)most[0] || height > (uint64_t)most[1] || pitch > (uint64_t)most[2] ||
        row > pitch || !is_allocated(process, address, pitch * (height - 1) + row))
        return cudaErrorInvalidValue;
    texture->memory = WM_TEXTURE_PITCH;
    texture->dimensions = 2;
    texture->level_count = 1;
    texture->levels[0] = (struct wm_texel_layout){.address = address,
                                                  .row_bytes = pitch,
                                                  .slice_bytes = pitch * height,
                                                  .width = (uint32_t)width,
                                                  .height = (uint32_t)height,
                                                  .slices = 1};
    return cudaSuccess;
}

static wm_cuda_status take_array(const struct wm_cuda_process *process,
                                 const struct wm_cuda_resource *resource,
                                 struct wm_texture *texture)
{
    bool mipmapped = resource->kind == WM_CUDA_RESOURCE_MIPMAPPED;
    const struct wm_cuda_array *array = wm_cuda_array_known(process, resource->array, mipmapped);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    texture->memory = WM_TEXTURE_ARRAY;
    texture->format = array->format;
    texture->dimensions = array->dimensions;
    texture->layered = wm_cuda_array_layered(array);
    texture->cubemap = wm_cuda_array_cubemap(array);
    texture->level_count = array->level_count;
    for (uint32_t i = 0; i < array->level_count; i++)
        texture->levels[i] = array->levels[i];
    return cudaSuccess;
}

static wm_cuda_status take_resource(struct wm_cuda_process *process,
                                    const struct wm_cuda_resource *resource,
                                    struct wm_texture *texture)
{
    struct wm_cuda_properties device;
    wm_cuda_properties_fill(&process->machine, 0, &device);
    switch ((enum wm_cuda_resource_kind)resource->kind) {
    case WM_CUDA_RESOURCE_ARRAY:
    case WM_CUDA_RESOURCE_MIPMAPPED: return take_array(process, resource, texture);
    case WM_CUDA_RESOURCE_LINEAR: return take_linear(process, resource, &device, texture);
    case WM_CUDA_RESOURCE_PITCH: return take_pitch(process, resource, &device, texture);
    }
    return cudaErrorInvalidValue;
}

// ---- Views -------------------------------------------------------------------------------------

// cudaResourceViewFormat numbers uncompressed formats kind by kind, with 1, 2 and 4 channels each.
static bool view_format(int number, struct wm_texel_format *format)
{
    static const struct wm_texel_format kinds[] = {
        {WM_TEXEL_UNSIGNED, 0, 1}, {WM_TEXEL_SIGNED, 0, 1},   {WM_TEXEL_UNSIGNED, 0, 2},
        {WM_TEXEL_SIGNED, 0, 2},   {WM_TEXEL_UNSIGNED, 0, 4}, {WM_TEXEL_SIGNED, 0, 4},
        {WM_TEXEL_FLOAT, 0, 2},    {WM_TEXEL_FLOAT, 0, 4},
    };
    int count = (int)(sizeof kinds / sizeof kinds[0]);
    if (number < 1 || number > 3 * count)
        return false;
    *format = kinds[(number - 1) / 3];
    format->channels = (uint8_t)(1 << (number - 1) % 3);
    return true;
}

static wm_cuda_status take_view(const struct wm_cuda_resource_view *view,
                                struct wm_texture *texture)
{
    struct wm_texel_format format = texture->format;
    uint32_t faces = texture->cubemap ? FACES : 1;
    uint32_t layers = texture->layered ? texture->levels[0].slices / faces : 1;
    if (texture->memory != WM_TEXTURE_ARRAY ||
        (view->format != 0 && !view_format(view->format, &format)) ||
        wm_texel_bytes(&format) != wm_texel_bytes(&texture->format) ||
        view->first_level > view->last_level || view->last_level >= texture->level_count ||
        view->first_layer > view->last_layer || view->last_layer >= layers)
        return cudaErrorInvalidValue;
    texture->format = format;
    texture->level_count = view->last_level - view->first_level + 1;
    for (uint32_t i = 0; i < texture->level_count; i++) {
        struct wm_texel_layout *level = &texture->levels[i];
        *level = texture->levels[view->first_level + i];
        if (!texture->layered)
            continue;
        level->address += view->first_layer * (uint64_t)faces * level->slice_bytes;
        level->slices = (view->last_layer - view->first_layer + 1) * faces;
    }
    return cudaSuccess;
}

// ---- Samplers ----------------------------------------------------------------------------------

static bool sampler_is_valid(const struct wm_cuda_sampler *sampler)
{
    for (int d = 0; d < 3; d++)
        if (sampler->address[d] < 0 || sampler->address[d] > LAST_ADDRESS_MODE)
            return false;
    return (unsigned)sampler->filter <= 1 && (unsigned)sampler->read <= 1 &&
           (unsigned)sampler->mipmap_filter <= 1;
}

// Of linear memory no filter and no address mode counts: what lies outside is 0.
static void set_modes(const struct wm_cuda_sampler *sampler, struct wm_texture *texture)
{
    bool linear_memory = texture->memory == WM_TEXTURE_LINEAR;
    texture->linear = sampler->filter == 1 && !linear_memory;
    texture->normalized = sampler->normalized != 0 && !linear_memory;
    for (int d = 0; d < 3; d++) {
        enum wm_texture_address mode = (enum wm_texture_address)sampler->address[d];
        // Coordinates that count texels neither wrap nor mirror.
        bool repeats = mode == WM_ADDRESS_WRAP || mode == WM_ADDRESS_MIRROR;
        bool clamped = texture->cubemap || (repeats && !texture->normalized);
        texture->address[d] = linear_memory ? WM_ADDRESS_BORDER : clamped ? WM_ADDRESS_CLAMP : mode;
    }
    for (int c = 0; c < 4; c++)
        texture->border[c] = linear_memory ? 0 : sampler->border[c];
}

static wm_cuda_status take_sampler(const struct wm_cuda_sampler *sampler, bool mipmapped,
                                   struct wm_texture *texture)
{
    const struct wm_texel_format *format = &texture->format;
    bool is_float = format->kind == WM_TEXEL_FLOAT;
    if (!sampler_is_valid(sampler) || (mipmapped && !sampler->normalized))
        return cudaErrorInvalidValue;
    set_modes(sampler, texture);
    texture->to_float = sampler->read == 1 && !is_float;
    if (texture->to_float && format->channel_bytes == 4)
        return cudaErrorInvalidNormSetting;
    texture->srgb =
        sampler->srgb != 0 && format->kind == WM_TEXEL_UNSIGNED && format->channel_bytes == 1;
    if (texture->linear && !wm_texture_gives_float(texture))
        return cudaErrorInvalidFilterSetting;
    if (sampler->seamless_cubemap && texture->cubemap && texture->linear) {
        wm_log_explain(WM_LOG_ERROR, "seamless filtering of cubemaps is not supported\n");
        return cudaErrorNotSupported;
    }
    texture->mipmap_linear = mipmapped && sampler->mipmap_filter == 1;
    texture->mipmap_bias = sampler->mipmap_bias;
    texture->mipmap_least = sampler->mipmap_least;
    texture->mipmap_most = sampler->mipmap_most;
    return cudaSuccess;
}

// ---- The table ---------------------------------------------------------------------------------

static wm_cuda_status add(struct wm_cuda_process *process, const struct wm_texture *texture,
                          const struct wm_cuda_object *given, uint64_t *number)
{
    struct wm_cuda_object *object = malloc(sizeof *object);
    if (!object)
        return cudaErrorMemoryAllocation;
    *object = *given;
    wm_cuda_queue_pause_begin(&process->queue);
    object->number = wm_texture_objects_add(&process->textures, texture);
    wm_cuda_queue_pause_end(&process->queue);
    if (object->number == 0) {
        free(object);
        return cudaErrorMemoryAllocation;
    }
    object->next = process->objects;
    process->objects = object;
    *number = object->number;
    return cudaSuccess;
}

size_t wm_cuda_texture_lead(const struct wm_cuda_resource *resource)
{
    const void *pointer = resource->kind == WM_CUDA_RESOURCE_LINEAR  ? resource->linear.pointer
                          : resource->kind == WM_CUDA_RESOURCE_PITCH ? resource->pitch.pointer
                                                                     : NULL;
    return (size_t)((uintptr_t)pointer % WM_CUDA_ALIGNMENT_BYTES);
}

uint64_t wm_cuda_texture_most_texels(const struct wm_cuda_process *process)
{
    struct wm_cuda_properties device;
    wm_cuda_properties_fill(&process->machine, 0, &device);
    return (uint64_t)device.maxTexture1DLinear;
}

wm_cuda_status wm_cuda_texture_describe(struct wm_cuda_process *process,
                                        const struct wm_cuda_resource *resource,
                                        const struct wm_cuda_sampler *sampler,
                                        const struct wm_cuda_resource_view *view,
                                        const struct wm_texel_format *as,
                                        struct wm_texture *texture)
{
    bool mipmapped = resource->kind == WM_CUDA_RESOURCE_MIPMAPPED;
    *texture = (struct wm_texture){.surface = false};
    wm_cuda_status status = take_resource(process, resource, texture);
    if (status == cudaSuccess && view)
        status = take_view(view, texture);
    if (status == cudaSuccess && as) {
        if (wm_texel_bytes(as) != wm_texel_bytes(&texture->format))
            status = cudaErrorInvalidChannelDescriptor;
        texture->format = *as;
    }
    return status == cudaSuccess ? take_sampler(sampler, mipmapped, texture) : status;
}

wm_cuda_status wm_cuda_texture_make(struct wm_cuda_process *process,
                                    const struct wm_cuda_resource *resource,
                                    const struct wm_cuda_sampler *sampler,
                                    const struct wm_cuda_resource_view *view, uint64_t *number)
{
    struct wm_texture texture;
    struct wm_cuda_object object = {
        .resource = *resource, .sampler = *sampler, .has_view = view != NULL};
    if (view)
        object.view = *view;
    if (wm_cuda_texture_lead(resource) != 0)
        return cudaErrorInvalidValue;
    wm_cuda_status status =
        wm_cuda_texture_describe(process, resource, sampler, view, NULL, &texture);
    return status == cudaSuccess ? add(process, &texture, &object, number) : status;
}

wm_cuda_status wm_cuda_surface_describe(struct wm_cuda_process *process,
                                        const struct wm_cuda_resource *resource,
                                        struct wm_texture *texture)
{
    *texture = (struct wm_texture){.surface = true};
    if (resource->kind != WM_CUDA_RESOURCE_ARRAY)
        return cudaErrorInvalidValue;
    wm_cuda_status status = take_array(process, resource, texture);
    if (status == cudaSuccess && (resource->array->flags & WM_CUDA_ARRAY_SURFACE) == 0)
        status = cudaErrorInvalidValue;
    return status;
}

wm_cuda_status wm_cuda_surface_make(struct wm_cuda_process *process,
                                    const struct wm_cuda_resource *resource, uint64_t *number)
{
    struct wm_texture texture;
    const struct wm_cuda_object object = {.surface = true, .resource = *resource};
    wm_cuda_status status = wm_cuda_surface_describe(process, resource, &texture);
    return status == cudaSuccess ? add(process, &texture, &object, number) : status;
}

const struct wm_cuda_object *wm_cuda_texture_object_known(const struct wm_cuda_process *process,
                                                          uint64_t number, bool surface)
{
    for (const struct wm_cuda_object *object = process->objects; object; object = object->next)
        if (object->number == number && object->surface == surface)
            return object;
    return NULL;
}

// Kernels that were launched before may still use it.
struct removal {
    struct wm_cuda_command base;
    uint64_t number;
};

static void execute_removal(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    (void)wm_texture_objects_remove(&process->textures, ((struct removal *)command)->number);
}

wm_cuda_status wm_cuda_texture_object_destroy(struct wm_cuda_process *process, uint64_t number)
{
    struct removal *removal = malloc(sizeof *removal);
    if (!removal)
        return cudaErrorMemoryAllocation;
    *removal = (struct removal){.base = {.execute = execute_removal, .uses_memory = true},
                                .number = number};
    if (wm_cuda_queue_push(&process->queue, &removal->base) == 0)
        return cudaErrorMemoryAllocation;
    for (struct wm_cuda_object **at = &process->objects; *at; at = &(*at)->next) {
        struct wm_cuda_object *object = *at;
        if (object->number != number)
            continue;
        *at = object->next;
        free(object);
        break;
    }
    return cudaSuccess;
}

void wm_cuda_texture_objects_forget(struct wm_cuda_process *process)
{
    for (struct wm_cuda_object *object = process->objects, *next; object; object = next) {
        next = object->next;
        free(object);
    }
    process->objects = NULL;
    wm_texture_objects_release(&process->textures);
}

// Texture and surface references of the driver API: variables of a module, for which the program
// sets piece by piece what memory they read and how. Every change counts for the kernels launched
// after it. While the pieces do not fit together (a linear filter over integers), nothing is bound.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/driver/driver_texel.h"
#include "cuda/memory/array_table.h"
#include "cuda/texture/references.h"
#include "cuda/texture/texture_objects.h"

#include <stdlib.h>
#include <string.h>

enum { OVERRIDE_FORMAT = 1, LAST_ADDRESS_MODE = WM_ADDRESS_BORDER, DIMENSIONS = 3 };

struct wm_driver_reference {
    struct wm_driver_reference *next;
    struct wm_cuda_reference *variable; // NULL: made by cuTexRefCreate, and no kernel's
    bool surface, has_resource;
    struct wm_driver_resource resource;
    struct wm_driver_sampler sampler; // not of surfaces
    int format;                       // of linear memory
    unsigned channels;
    size_t lead; // of linear memory: bytes behind where a texture may begin
};
typedef struct wm_driver_reference *handle;

WM_CUDA_ALIAS(cuTexRefSetAddress2D_v2, cuTexRefSetAddress2D_v3);

// Guarded by the process's mutex. References of modules that were unloaded stay, unknown.
static struct wm_driver_reference *the_references;

// ---- Handles -----------------------------------------------------------------------------------

static bool known(const struct wm_driver_reference *wanted, bool surface)
{
    for (const struct wm_driver_reference *one = the_references; one; one = one->next)
        if (one == wanted && one->surface == surface)
            return !one->variable || one->variable->binary;
    return false;
}

// Enters with a reference's handle; the process is left locked in any case that it is set.
static wm_cuda_status enter_with(struct wm_cuda_process **process, const handle reference,
                                 bool surface, bool arguments)
{
    wm_cuda_status status = wm_cuda_enter(process);
    if (status == cudaSuccess && (!arguments || !known(reference, surface)))
        status = cudaErrorInvalidValue;
    return status;
}

static wm_cuda_status add(handle *to, struct wm_cuda_reference *variable, bool surface)
{
    struct wm_driver_reference *made = malloc(sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    *made = (struct wm_driver_reference){.next = the_references,
                                         .variable = variable,
                                         .surface = surface,
                                         .sampler = {.anisotropy = 1}};
    wm_driver_texel_of_runtime(
        &(struct wm_cuda_channel_format){.x = 32, .kind = WM_CUDA_CHANNEL_FLOAT}, &made->format,
        &made->channels);
    *to = the_references = made;
    return cudaSuccess;
}

// The same handle for the same variable each time.
static wm_cuda_status find(struct wm_cuda_process *process, handle *to,
                           const struct wm_driver_module *module, const char *name, bool surface)
{
    if (wm_program_reference(module->binary->program, name, surface) == 0)
        return cudaErrorSymbolNotFound;
    struct wm_cuda_reference *variable =
        wm_cuda_reference_add(process, module->binary, NULL, name, surface, false);
    if (!variable)
        return cudaErrorMemoryAllocation;
    for (struct wm_driver_reference *one = the_references; one; one = one->next)
        if (one->variable == variable) {
            *to = one;
            return cudaSuccess;
        }
    return add(to, variable, surface);
}

static wm_driver_result get(handle *to, wm_driver_module_handle module, const char *name,
                            bool surface)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = wm_driver_module_enter(&process, module, to && name);
    if (status == cudaSuccess)
        status = wm_cuda_binary_load(process, module->binary);
    if (status == cudaSuccess)
        status = find(process, to, module, name, surface);
    return wm_driver_end(wm_cuda_leave(process, status));
}

WM_CUDA_API wm_driver_result cuModuleGetTexRef(handle *texture, wm_driver_module_handle module,
                                               const char *name)
{
    return get(texture, module, name, false);
}

WM_CUDA_API wm_driver_result cuModuleGetSurfRef(handle *surface, wm_driver_module_handle module,
                                                const char *name)
{
    return get(surface, module, name, true);
}

// ---- From the pieces to what kernels read ------------------------------------------------------

static wm_cuda_status format_of(const struct wm_cuda_process *process,
                                const struct wm_cuda_resource *resource,
                                struct wm_cuda_channel_format *format)
{
    bool mipmapped = resource->kind == WM_CUDA_RESOURCE_MIPMAPPED;
    const struct wm_cuda_array *array;
    switch (resource->kind) {
    case WM_CUDA_RESOURCE_LINEAR: *format = resource->linear.format; return cudaSuccess;
    case WM_CUDA_RESOURCE_PITCH: *format = resource->pitch.format; return cudaSuccess;
    default:
        array = wm_cuda_array_known(process, resource->array, mipmapped);
        if (array)
            *format = array->given;
        return array ? cudaSuccess : cudaErrorInvalidResourceHandle;
    }
}

// 26 and 27, as wm_cuda_texture_describe, while filter and format do not fit together.
static wm_cuda_status describe(struct wm_cuda_process *process,
                               const struct wm_driver_resource *resource,
                               const struct wm_driver_sampler *given, struct wm_texture *texture)
{
    struct wm_cuda_resource wanted;
    struct wm_cuda_sampler sampler;
    struct wm_cuda_channel_format format = {0};
    wm_cuda_status status = wm_driver_resource_to_runtime(resource, &wanted);
    if (status == cudaSuccess)
        status = format_of(process, &wanted, &format);
    if (status == cudaSuccess)
        status = wm_driver_sampler_to_runtime(given, &format, NULL, &sampler);
    return status == cudaSuccess
               ? wm_cuda_texture_describe(process, &wanted, &sampler, NULL, NULL, texture)
               : status;
}

// Binds what the pieces make, or nothing.
static wm_cuda_status apply(struct wm_cuda_process *process, const handle reference)
{
    struct wm_texture texture;
    if (!reference->variable)
        return cudaSuccess;
    bool complete =
        reference->has_resource &&
        describe(process, &reference->resource, &reference->sampler, &texture) == cudaSuccess;
    return wm_cuda_reference_bind(process, reference->variable, complete ? &texture : NULL,
                                  complete ? reference->lead : 0);
}

// Memory that may be read, however it is sampled in the end.
static wm_cuda_status set_resource(struct wm_cuda_process *process, const handle reference,
                                   const struct wm_driver_resource *resource, size_t lead)
{
    const struct wm_driver_sampler plain = {.flags = WM_DRIVER_SAMPLER_NORMALIZED |
                                                     WM_DRIVER_SAMPLER_INTEGERS};
    struct wm_texture texture;
    wm_cuda_status status = describe(process, resource, &plain, &texture);
    if (status != cudaSuccess)
        return status;
    reference->resource = *resource;
    reference->has_resource = true;
    reference->lead = lead;
    return apply(process, reference);
}

// ---- Memory ------------------------------------------------------------------------------------

static wm_driver_result set_array(handle texture, struct wm_cuda_array *array, unsigned flags,
                                  enum wm_cuda_resource_kind kind)
{
    struct wm_cuda_process *process;
    const struct wm_driver_resource resource = {.kind = kind, .array = array};
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_with(&process, texture, false, flags == OVERRIDE_FORMAT);
    if (status == cudaSuccess)
        status = set_resource(process, texture, &resource, 0);
    return wm_driver_end(wm_cuda_leave(process, status));
}

WM_CUDA_API wm_driver_result cuTexRefSetArray(handle texture, struct wm_cuda_array *array,
                                              unsigned flags)
{
    return set_array(texture, array, flags, WM_CUDA_RESOURCE_ARRAY);
}

WM_CUDA_API wm_driver_result cuTexRefSetMipmappedArray(handle texture, struct wm_cuda_array *array,
                                                       unsigned flags)
{
    return set_array(texture, array, flags, WM_CUDA_RESOURCE_MIPMAPPED);
}

static wm_cuda_status set_address(struct wm_cuda_process *process, size_t *offset, handle texture,
                                  wm_driver_pointer pointer, size_t bytes)
{
    const struct wm_cuda_resource place = {.kind = WM_CUDA_RESOURCE_LINEAR,
                                           .linear = {.pointer = wm_driver_address(pointer)}};
    const struct wm_driver_resource resource = {.kind = WM_CUDA_RESOURCE_LINEAR,
                                                .memory = {.pointer = pointer,
                                                           .format = texture->format,
                                                           .channels = texture->channels,
                                                           .width = bytes}};
    size_t lead = wm_cuda_texture_lead(&place);
    if (lead != 0 && !offset)
        return cudaErrorInvalidValue;
    wm_cuda_status status = set_resource(process, texture, &resource, lead);
    if (status == cudaSuccess && offset)
        *offset = lead;
    return status;
}

WM_CUDA_API wm_driver_result cuTexRefSetAddress_v2(size_t *offset, handle texture,
                                                   wm_driver_pointer pointer, size_t bytes)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_with(&process, texture, false, true);
    if (status == cudaSuccess)
        status = set_address(process, offset, texture, pointer, bytes);
    return wm_driver_end(wm_cuda_leave(process, status));
}

WM_CUDA_API wm_driver_result cuTexRefSetAddress2D_v3(handle texture,
                                                     const struct wm_driver_array_shape *shape,
                                                     wm_driver_pointer pointer, size_t pitch)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    const struct wm_cuda_resource place = {.kind = WM_CUDA_RESOURCE_LINEAR,
                                           .linear = {.pointer = wm_driver_address(pointer)}};
    wm_cuda_status status =
        enter_with(&process, texture, false, shape && wm_cuda_texture_lead(&place) == 0);
    if (status == cudaSuccess) {
        const struct wm_driver_resource resource = {.kind = WM_CUDA_RESOURCE_PITCH,
                                                    .memory = {.pointer = pointer,
                                                               .format = shape->format,
                                                               .channels = shape->channels,
                                                               .width = shape->width,
                                                               .height = shape->height,
                                                               .pitch = pitch}};
        status = set_resource(process, texture, &resource, 0);
    }
    return wm_driver_end(wm_cuda_leave(process, status));
}

// ---- How it is sampled -------------------------------------------------------------------------

// The body of a function that changes a texture reference, if `valid`, or only looks at one.
#define WITH_TEXTURE(valid, statement, after)                                  \
    do {                                                                       \
        struct wm_cuda_process *process;                                       \
        wm_driver_result begun = wm_driver_begin();                            \
        if (begun)                                                             \
            return begun;                                                      \
        wm_cuda_status status = enter_with(&process, texture, false, (valid)); \
        if (status == cudaSuccess) {                                           \
            statement;                                                         \
            status = (after);                                                  \
        }                                                                      \
        return wm_driver_end(wm_cuda_leave(process, status));                  \
    } while (0)
#define CHANGE(valid, statement) WITH_TEXTURE(valid, statement, apply(process, texture))
#define QUERY(valid, statement) WITH_TEXTURE(valid, statement, cudaSuccess)

static bool format_known(int format, int channels)
{
    struct wm_cuda_channel_format ignored;
    return channels > 0 && wm_driver_texel_to_runtime(format, (unsigned)channels, &ignored);
}

// Of linear memory that is set already, too: its texels change.
static void set_format(handle texture, int format, int channels)
{
    texture->format = format;
    texture->channels = (unsigned)channels;
    if (texture->has_resource && texture->resource.kind == WM_CUDA_RESOURCE_LINEAR) {
        texture->resource.memory.format = format;
        texture->resource.memory.channels = (unsigned)channels;
    }
}

WM_CUDA_API wm_driver_result cuTexRefSetFormat(handle texture, int format, int channels)
{
    CHANGE(format_known(format, channels), set_format(texture, format, channels));
}

WM_CUDA_API wm_driver_result cuTexRefSetAddressMode(handle texture, int dimension, int mode)
{
    CHANGE(dimension >= 0 && dimension < DIMENSIONS && mode >= 0 && mode <= LAST_ADDRESS_MODE,
           texture->sampler.address[dimension] = mode);
}

WM_CUDA_API wm_driver_result cuTexRefSetFilterMode(handle texture, int mode)
{
    CHANGE(mode == 0 || mode == 1, texture->sampler.filter = mode);
}

WM_CUDA_API wm_driver_result cuTexRefSetMipmapFilterMode(handle texture, int mode)
{
    CHANGE(mode == 0 || mode == 1, texture->sampler.mipmap_filter = mode);
}

WM_CUDA_API wm_driver_result cuTexRefSetMipmapLevelBias(handle texture, float bias)
{
    CHANGE(true, texture->sampler.mipmap_bias = bias);
}

WM_CUDA_API wm_driver_result cuTexRefSetMipmapLevelClamp(handle texture, float least, float most)
{
    CHANGE(true, texture->sampler.mipmap_least = least; texture->sampler.mipmap_most = most);
}

WM_CUDA_API wm_driver_result cuTexRefSetMaxAnisotropy(handle texture, unsigned most)
{
    CHANGE(true, texture->sampler.anisotropy = most);
}

WM_CUDA_API wm_driver_result cuTexRefSetBorderColor(handle texture, const float *color)
{
    CHANGE(color, memcpy(texture->sampler.border, color, sizeof texture->sampler.border));
}

WM_CUDA_API wm_driver_result cuTexRefSetFlags(handle texture, unsigned flags)
{
    CHANGE((flags & ~(unsigned)WM_DRIVER_SAMPLER_FLAGS) == 0, texture->sampler.flags = flags);
}

// ---- Questions ---------------------------------------------------------------------------------

static bool has(const struct wm_driver_reference *reference, enum wm_cuda_resource_kind kind)
{
    return reference->has_resource && reference->resource.kind == (int)kind;
}

WM_CUDA_API wm_driver_result cuTexRefGetAddress_v2(wm_driver_pointer *pointer, handle texture)
{
    bool there;
    WITH_TEXTURE(pointer, there = has(texture, WM_CUDA_RESOURCE_LINEAR) ||
                                  has(texture, WM_CUDA_RESOURCE_PITCH);
                 if (there) *pointer = texture->resource.memory.pointer,
                 there ? cudaSuccess : cudaErrorInvalidValue);
}

WM_CUDA_API wm_driver_result cuTexRefGetArray(struct wm_cuda_array **array, handle texture)
{
    bool there;
    WITH_TEXTURE(array, there = has(texture, WM_CUDA_RESOURCE_ARRAY);
                 if (there) *array = texture->resource.array,
                 there ? cudaSuccess : cudaErrorInvalidValue);
}

WM_CUDA_API wm_driver_result cuTexRefGetMipmappedArray(struct wm_cuda_array **array, handle texture)
{
    bool there;
    WITH_TEXTURE(array, there = has(texture, WM_CUDA_RESOURCE_MIPMAPPED);
                 if (there) *array = texture->resource.array,
                 there ? cudaSuccess : cudaErrorInvalidValue);
}

WM_CUDA_API wm_driver_result cuTexRefGetAddressMode(int *mode, handle texture, int dimension)
{
    QUERY(mode && dimension >= 0 && dimension < DIMENSIONS,
          *mode = texture->sampler.address[dimension]);
}

WM_CUDA_API wm_driver_result cuTexRefGetFilterMode(int *mode, handle texture)
{
    QUERY(mode, *mode = texture->sampler.filter);
}

WM_CUDA_API wm_driver_result cuTexRefGetFormat(int *format, int *channels, handle texture)
{
    QUERY(format && channels, *format = texture->format; *channels = (int)texture->channels);
}

WM_CUDA_API wm_driver_result cuTexRefGetMipmapFilterMode(int *mode, handle texture)
{
    QUERY(mode, *mode = texture->sampler.mipmap_filter);
}

WM_CUDA_API wm_driver_result cuTexRefGetMipmapLevelBias(float *bias, handle texture)
{
    QUERY(bias, *bias = texture->sampler.mipmap_bias);
}

WM_CUDA_API wm_driver_result cuTexRefGetMipmapLevelClamp(float *least, float *most, handle texture)
{
    QUERY(least && most, *least = texture->sampler.mipmap_least;
          *most = texture->sampler.mipmap_most);
}

WM_CUDA_API wm_driver_result cuTexRefGetMaxAnisotropy(int *most, handle texture)
{
    QUERY(most, *most = (int)texture->sampler.anisotropy);
}

WM_CUDA_API wm_driver_result cuTexRefGetBorderColor(float *color, handle texture)
{
    QUERY(color, memcpy(color, texture->sampler.border, sizeof texture->sampler.border));
}

WM_CUDA_API wm_driver_result cuTexRefGetFlags(unsigned *flags, handle texture)
{
    QUERY(flags, *flags = texture->sampler.flags);
}

// ---- References that no kernel has -------------------------------------------------------------

WM_CUDA_API wm_driver_result cuTexRefCreate(handle *texture)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = texture ? add(texture, NULL, false) : cudaErrorInvalidValue;
    return wm_driver_end(wm_cuda_leave(process, status));
}

// Those of a module go with it.
static wm_cuda_status destroy(handle texture)
{
    if (texture->variable)
        return cudaErrorInvalidValue;
    struct wm_driver_reference **at = &the_references;
    while (*at != texture)
        at = &(*at)->next;
    *at = texture->next;
    free(texture);
    return cudaSuccess;
}

WM_CUDA_API wm_driver_result cuTexRefDestroy(handle texture)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_with(&process, texture, false, true);
    if (status == cudaSuccess)
        status = destroy(texture);
    return wm_driver_end(wm_cuda_leave(process, status));
}

// A kernel finds its module's references by itself: nothing is to be done (CU_PARAM_TR_DEFAULT is
// the only unit that there is).
WM_CUDA_API wm_driver_result cuParamSetTexRef(wm_driver_function function, int unit, handle texture)
{
    enum { UNIT_DEFAULT = -1 };
    WITH_TEXTURE(function && unit == UNIT_DEFAULT, (void)0, cudaSuccess);
}

// ---- Surfaces ----------------------------------------------------------------------------------

static wm_cuda_status bind_surface(struct wm_cuda_process *process, handle surface,
                                   struct wm_cuda_array *array)
{
    struct wm_texture texture;
    const struct wm_cuda_resource resource = {.kind = WM_CUDA_RESOURCE_ARRAY, .array = array};
    wm_cuda_status status = wm_cuda_surface_describe(process, &resource, &texture);
    if (status == cudaSuccess)
        status = wm_cuda_reference_bind(process, surface->variable, &texture, 0);
    if (status != cudaSuccess)
        return status;
    surface->resource = (struct wm_driver_resource){.kind = resource.kind, .array = array};
    surface->has_resource = true;
    return cudaSuccess;
}

WM_CUDA_API wm_driver_result cuSurfRefSetArray(handle surface, struct wm_cuda_array *array,
                                               unsigned flags)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_with(&process, surface, true, flags == 0);
    if (status == cudaSuccess)
        status = bind_surface(process, surface, array);
    return wm_driver_end(wm_cuda_leave(process, status));
}

WM_CUDA_API wm_driver_result cuSurfRefGetArray(struct wm_cuda_array **array, handle surface)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_with(&process, surface, true, array);
    if (status == cudaSuccess && !surface->has_resource)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *array = surface->resource.array;
    return wm_driver_end(wm_cuda_leave(process, status));
}

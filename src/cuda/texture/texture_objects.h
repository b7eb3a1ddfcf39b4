// Texture and surface objects: as the program described them, and as kernels find them by number.
// With the process locked.
#ifndef WM_CUDA_TEXTURE_TEXTURE_OBJECTS_H
#define WM_CUDA_TEXTURE_TEXTURE_OBJECTS_H

#include "cuda/process.h"

struct wm_texel_format;
struct wm_texture;

struct wm_cuda_object {
    struct wm_cuda_object *next;
    uint64_t number;
    bool surface, has_view;
    struct wm_cuda_resource resource;
    struct wm_cuda_sampler sampler;    // not of surfaces
    struct wm_cuda_resource_view view; // when it has one
};

// What kernels would find, as the functions below say of their objects. `as`: the format to read
// texels in, of as many bytes as the resource's (else 20); NULL: the resource's or the view's.
wm_cuda_status wm_cuda_texture_describe(struct wm_cuda_process *process,
                                        const struct wm_cuda_resource *resource,
                                        const struct wm_cuda_sampler *sampler,
                                        const struct wm_cuda_resource_view *view,
                                        const struct wm_texel_format *as,
                                        struct wm_texture *texture);
wm_cuda_status wm_cuda_surface_describe(struct wm_cuda_process *process,
                                        const struct wm_cuda_resource *resource,
                                        struct wm_texture *texture);
// How far the resource's memory begins behind an address that textures may begin at: bytes.
size_t wm_cuda_texture_lead(const struct wm_cuda_resource *resource);
// The most texels of linear memory that a texture has.
uint64_t wm_cuda_texture_most_texels(const struct wm_cuda_process *process);
// New objects. 1 for what cannot be one; 26 for a linear filter over integers, 27 for integers of
// 32 bits read as floats; 801 for what is not offered here; else as wm_cuda_texel_format.
wm_cuda_status wm_cuda_texture_make(struct wm_cuda_process *process,
                                    const struct wm_cuda_resource *resource,
                                    const struct wm_cuda_sampler *sampler,
                                    const struct wm_cuda_resource_view *view, uint64_t *number);
wm_cuda_status wm_cuda_surface_make(struct wm_cuda_process *process,
                                    const struct wm_cuda_resource *resource, uint64_t *number);
// NULL when there is none.
const struct wm_cuda_object *wm_cuda_texture_object_known(const struct wm_cuda_process *process,
                                                          uint64_t number, bool surface);
// It is gone for the program at once, for kernels behind all that has been issued. 2 without
// memory.
wm_cuda_status wm_cuda_texture_object_destroy(struct wm_cuda_process *process, uint64_t number);
// The device is reset, and no command looks at memory.
void wm_cuda_texture_objects_forget(struct wm_cuda_process *process);

#endif

#include "cuda/texture/references.h"

#include <stdlib.h>
#include <string.h>

// ---- The table ---------------------------------------------------------------------------------

struct wm_cuda_reference *wm_cuda_reference_add(struct wm_cuda_process *process,
                                                struct wm_cuda_binary *binary, const void *host,
                                                const char *name, bool surface, bool to_float)
{
    struct wm_cuda_reference **at = &process->references;
    for (; *at; at = &(*at)->next)
        if ((*at)->binary == binary && (*at)->host == host && (*at)->surface == surface &&
            strcmp((*at)->name, name) == 0)
            return *at;
    struct wm_cuda_reference *made = malloc(sizeof *made);
    char *copy = strdup(name);
    if (!made || !copy) {
        free(made);
        free(copy);
        return NULL;
    }
    *made = (struct wm_cuda_reference){
        .binary = binary, .host = host, .name = copy, .surface = surface, .to_float = to_float};
    *at = made;
    return made;
}

struct wm_cuda_reference *wm_cuda_reference_of(const struct wm_cuda_process *process,
                                               const void *host, bool surface)
{
    for (struct wm_cuda_reference *one = process->references; one && host; one = one->next)
        if (one->host == host && one->surface == surface && one->binary)
            return one;
    return NULL;
}

void wm_cuda_references_drop(struct wm_cuda_process *process, const struct wm_cuda_binary *binary)
{
    for (struct wm_cuda_reference *one = process->references; one; one = one->next)
        if (one->binary == binary)
            one->binary = NULL;
}

void wm_cuda_references_forget(struct wm_cuda_process *process)
{
    for (struct wm_cuda_reference *one = process->references; one; one = one->next) {
        memset(one->numbers, 0, sizeof one->numbers);
        one->bound = 0;
    }
}

// ---- Binding -----------------------------------------------------------------------------------

// Kernels that were launched before read what was bound before.
struct binding {
    struct wm_cuda_command base;
    uint64_t number;
    struct wm_texture *texture;
};

static void execute_binding(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    const struct binding *binding = (const struct binding *)command;
    wm_texture_objects_bind(&process->textures, binding->number, binding->texture);
}

static wm_cuda_status push(struct wm_cuda_process *process, uint64_t number,
                           const struct wm_texture *texture)
{
    struct binding *binding = malloc(sizeof *binding);
    struct wm_texture *copy = texture ? malloc(sizeof *copy) : NULL;
    if (!binding || (texture && !copy)) {
        free(binding);
        free(copy);
        return cudaErrorMemoryAllocation;
    }
    if (texture)
        *copy = *texture;
    *binding = (struct binding){.base = {.execute = execute_binding, .uses_memory = true},
                                .number = number,
                                .texture = copy};
    if (wm_cuda_queue_push(&process->queue, &binding->base) != 0)
        return cudaSuccess;
    free(copy);
    return cudaErrorMemoryAllocation;
}

static wm_cuda_status find_number(struct wm_cuda_process *process,
                                  struct wm_cuda_reference *reference)
{
    wm_cuda_status unknown = reference->surface ? cudaErrorInvalidSurface : cudaErrorInvalidTexture;
    if (!reference->binary)
        return unknown;
    uint32_t device = wm_cuda_thread()->device;
    if (reference->numbers[device] != 0)
        return cudaSuccess;
    wm_cuda_status status = wm_cuda_binary_load(process, reference->binary);
    if (status != cudaSuccess)
        return status;
    reference->numbers[device] = wm_program_reference(reference->binary->programs[device],
                                                      reference->name, reference->surface);
    return reference->numbers[device] != 0 ? cudaSuccess : unknown;
}

static void move_to_alignment(struct wm_texture *texture, size_t lead)
{
    struct wm_texel_layout *level = &texture->levels[0];
    level->address -= lead;
    level->width += (uint32_t)(lead / wm_texel_bytes(&texture->format));
    if (texture->memory == WM_TEXTURE_LINEAR)
        level->row_bytes = level->slice_bytes = level->row_bytes + lead;
}

wm_cuda_status wm_cuda_reference_bind(struct wm_cuda_process *process,
                                      struct wm_cuda_reference *reference,
                                      const struct wm_texture *texture, size_t lead)
{
    struct wm_texture moved;
    uint32_t device = wm_cuda_thread()->device, bit = UINT32_C(1) << device;
    wm_cuda_status status = find_number(process, reference);
    if (texture && lead != 0) {
        moved = *texture;
        move_to_alignment(&moved, lead);
        texture = &moved;
    }
    if (status == cudaSuccess && (texture || (reference->bound & bit)))
        status = push(process, reference->numbers[device], texture);
    if (status != cudaSuccess)
        return status;
    reference->bound = texture ? reference->bound | bit : reference->bound & ~bit;
    reference->lead = texture ? lead : 0;
    return cudaSuccess;
}

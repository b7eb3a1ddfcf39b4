#include "cuda/graph/graph_memory.h"

#include "cuda/memory/allocation_table.h"

#include <stdlib.h>

wm_cuda_status wm_cuda_graph_memory_new(struct wm_cuda_process *process, uint32_t device,
                                        uint64_t size_bytes, struct wm_cuda_graph_memory **memory)
{
    void *pointer;
    struct wm_cuda_graph_memory *made = calloc(1, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    uint32_t before = wm_cuda_use_device(device);
    wm_cuda_status status = wm_cuda_allocate(process, size_bytes, WM_ALLOCATION_DEVICE, 0,
                                             "memory of a graph", &pointer);
    (void)wm_cuda_use_device(before);
    if (status != cudaSuccess) {
        free(made);
        return status;
    }
    *made = (struct wm_cuda_graph_memory){
        .next = process->graph_memory.first,
        .device = device,
        .address = (uint64_t)(uintptr_t)pointer,
        .size_bytes = size_bytes,
        .references = 1,
    };
    process->graph_memory.first = made;
    *memory = made;
    return cudaSuccess;
}

void wm_cuda_graph_memory_retain(struct wm_cuda_graph_memory *memory)
{
    memory->references++;
}

struct wm_cuda_graph_memory *wm_cuda_graph_memory_at(const struct wm_cuda_process *process,
                                                     uint64_t address)
{
    struct wm_cuda_graph_memory *memory = process->graph_memory.first;
    while (memory && memory->address != address)
        memory = memory->next;
    return memory;
}

static void unreserve(struct wm_cuda_process *process, struct wm_cuda_graph_memory *memory)
{
    if (memory->reserved)
        process->graph_memory.of[memory->device].reserved -= memory->size_bytes;
    memory->reserved = false;
}

void wm_cuda_graph_memory_release(struct wm_cuda_process *process,
                                  struct wm_cuda_graph_memory *memory)
{
    if (--memory->references > 0)
        return;
    struct wm_cuda_graph_memory **link = &process->graph_memory.first;
    while (*link != memory)
        link = &(*link)->next;
    *link = memory->next;
    if (memory->in_use)
        process->graph_memory.of[memory->device].used -= memory->size_bytes;
    else
        wm_cuda_free_later(process, memory->address);
    unreserve(process, memory);
    free(memory);
}

void wm_cuda_graph_memory_use(struct wm_cuda_process *process, struct wm_cuda_graph_memory *memory)
{
    struct wm_cuda_graph_memory_amounts *state = &process->graph_memory.of[memory->device];
    if (!memory->in_use)
        state->used += memory->size_bytes;
    if (!memory->reserved)
        state->reserved += memory->size_bytes;
    memory->in_use = memory->reserved = true;
    if (state->used > state->used_high)
        state->used_high = state->used;
    if (state->reserved > state->reserved_high)
        state->reserved_high = state->reserved;
}

bool wm_cuda_graph_memory_unuse(struct wm_cuda_process *process,
                                struct wm_cuda_graph_memory *memory)
{
    if (!memory->in_use)
        return false;
    memory->in_use = false;
    process->graph_memory.of[memory->device].used -= memory->size_bytes;
    return true;
}

void wm_cuda_graph_memory_trim(struct wm_cuda_process *process, uint32_t device)
{
    for (struct wm_cuda_graph_memory *m = process->graph_memory.first; m; m = m->next)
        if (!m->in_use && m->device == device)
            unreserve(process, m);
}

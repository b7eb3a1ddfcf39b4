// Atomic buffers as parts of a memory system: building, components, and what empties them.
#include "base/containers/array.h"
#include "mem/system/memory.h"
#include "mem/system/memory_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum wm_status wm_memory_atomic_buffers_init(struct wm_memory *memory, struct wm_error *error)
{
    uint32_t slices = memory->spec.l2_slices, lines = memory->spec.atomic_buffer_lines;
    if (memory->l2 == NULL || lines == 0)
        return WM_OK;
    WM_TRY(
        WM_ARRAY_NEW(memory->atomic_buffers, slices, error, "%" PRIu32 " atomic buffers", slices));
    for (uint32_t i = 0; i < slices; i++)
        wm_atomic_buffer_init(&memory->atomic_buffers[i], lines);
    return WM_OK;
}

void wm_memory_atomic_buffers_release(struct wm_memory *memory)
{
    free(memory->atomic_buffers);
}

void wm_memory_atomic_buffers_spill(struct wm_memory *memory)
{
    for (uint32_t i = 0; memory->atomic_buffers != NULL && i < memory->spec.l2_slices; i++) {
        struct wm_atomic_buffer *buffer = &memory->atomic_buffers[i];
        while (buffer->count > 0) {
            uint64_t address = buffer->sectors[buffer->count - 1];
            wm_atomic_buffer_spill(buffer, address);
            memory->paths->atomic_spill(memory, i, address);
        }
    }
}

// --- Components ---

size_t wm_memory_atomic_buffer_component_count(const struct wm_memory *memory)
{
    return memory->atomic_buffers != NULL ? memory->spec.l2_slices : 0;
}

void wm_memory_list_atomic_buffers(struct wm_memory *memory, const char *prefix)
{
    for (uint32_t i = 0; memory->atomic_buffers != NULL && i < memory->spec.l2_slices; i++) {
        struct wm_component_counters *component = wm_memory_next_component(memory);
        component->set = &wm_atomic_buffer_counter_set;
        component->values = (const uint64_t *)(const void *)&memory->atomic_buffers[i].counters;
        snprintf(component->path, sizeof component->path, "%s.l2[%" PRIu32 "].atomic_buffer",
                 prefix, i);
    }
}

// Atomic buffers as parts of a memory system: building, and what empties them.
#include "base/containers/array.h"
#include "mem/system/memory.h"
#include "mem/system/memory_state.h"

#include <inttypes.h>
#include <stdlib.h>

enum wm_status wm_memory_atomic_buffers_init(struct wm_memory *memory, struct wm_error *error)
{
    uint32_t slices = memory->levels[WM_LEVEL_L2].count,
             lines = memory->spec.levels[WM_LEVEL_L2].atomic_buffer_lines;
    if (memory->levels[WM_LEVEL_L2].caches == NULL || lines == 0)
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

void wm_memory_atomic_buffers_spill(struct wm_memory *memory, uint64_t begin, uint64_t end)
{
    const struct wm_cache_level *l2 = &memory->levels[WM_LEVEL_L2];
    uint32_t gpus = memory->gpus, gpu = wm_gpu_of_address(begin, gpus, gpus);
    bool of_one = gpu < gpus && wm_gpu_of_address(end - 1, gpus, gpus) == gpu;
    for (uint32_t i = 0; memory->atomic_buffers != NULL && i < l2->count; i++) {
        if (of_one && wm_gpu_of_unit(memory, wm_first_unit_of(l2, i)) != gpu)
            continue;
        struct wm_atomic_buffer *buffer = &memory->atomic_buffers[i];
        while (buffer->count > 0) {
            uint64_t address = buffer->sectors[buffer->count - 1];
            wm_atomic_buffer_spill(buffer, address);
            memory->paths->atomic_spill(memory, i, address);
        }
    }
}

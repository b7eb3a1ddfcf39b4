#include "engine/access/unified_array.h"

#include "mem/system/memory.h"

enum wm_status wm_divide_unified_array(const struct wm_machine *machine,
                                       const struct wm_occupancy *occupancy,
                                       struct wm_memory *memory, uint32_t gpu, uint64_t *l1_bytes,
                                       struct wm_error *error)
{
    const struct wm_cache_spec *l1 = &machine->memory.levels[WM_LEVEL_L1].cache;
    *l1_bytes = l1->present ? l1->size_bytes : 0;
    if (machine->sm.unified_bytes == 0 || !l1->present)
        return WM_OK;
    *l1_bytes = machine->sm.unified_bytes - occupancy->shared_bytes;
    if (memory == NULL)
        return WM_OK;
    uint64_t way_bytes = l1->size_bytes / l1->ways;
    return wm_memory_resize_l1_on(memory, gpu, *l1_bytes, (uint32_t)(*l1_bytes / way_bytes), error);
}

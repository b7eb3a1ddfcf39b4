// Atomics at an L2 slice with an atomic buffer (docs/memory-system.md, R13). Of the full build; the
// others have no trace of it. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_ATOMIC_BUFFER_ACCESS_H
#define WM_MEM_ACCESS_PATH_ATOMIC_BUFFER_ACCESS_H

#include "mem/access_path/prefetch_access.h"

static inline bool has_atomic_buffers(const struct wm_memory *memory,
                                      const struct wm_cache_level *level)
{
    return WM_PATHS_FULL && level == &memory->levels[WM_LEVEL_L2] && memory->atomic_buffers != NULL;
}

static inline uint32_t sector_in_line(const struct wm_memory *memory, uint64_t address)
{
    return (uint32_t)((address & (memory->l2_line_bytes - 1)) / WM_SECTOR_BYTES);
}

// One sector between the buffer and its slice; nothing passes the slice's upper side.
static void move_buffered(struct wm_memory *memory, uint32_t slice, uint64_t address, bool to_l2,
                          struct access_context *context)
{
    const struct wm_cache_level *level = &memory->levels[WM_LEVEL_L2];
    struct line_place place;
    uint32_t sector = UINT32_C(1) << sector_in_line(memory, address);
    struct wm_cache *l2 = &level->caches[slice];
    place_in_slice(memory, address - address % memory->l2_line_bytes, &place);
    bool allocate = !to_l2 || l2->write_allocate;
    enum wm_cache_client client = to_l2 ? WM_CACHE_WRITEBACK : WM_CACHE_LOAD;
    struct wm_cache_result result =
        cache_access(l2, client, &place, sector, sector, allocate, context);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = l2,
                                          .client = client,
                                          .line = place.line,
                                          .sectors = sector,
                                          .allocate = allocate},
                &result, context);
    if (!to_l2)
        charge(level, context->instruction_counters, sector, result.missing);
    memory->paths->finish_access(memory, level, l2, &place, &result, allocate, context);
    if (to_l2 && has_prefetcher(level))
        wm_prefetchers_dropped(level, l2, place.line);
}

// Anything but an atomic uses the L2 line itself: its sectors in the buffer go to L2 first.
static void spill_line(struct wm_memory *memory, uint32_t slice, uint64_t line_address,
                       uint32_t sectors, struct access_context *context)
{
    struct wm_atomic_buffer *buffer = &memory->atomic_buffers[slice];
    for (uint32_t rest = buffer->count > 0 ? sectors : 0; rest != 0; rest &= rest - 1) {
        uint64_t address = line_address + (uint64_t)__builtin_ctz(rest) * WM_SECTOR_BYTES;
        if (wm_atomic_buffer_spill(buffer, address))
            move_buffered(memory, slice, address, true, context);
    }
}

static void operate_buffered(struct wm_memory *memory, uint32_t slice, uint64_t line_address,
                             uint32_t sectors, struct access_context *context)
{
    struct wm_atomic_buffer *buffer = &memory->atomic_buffers[slice];
    for (uint32_t rest = sectors; rest != 0; rest &= rest - 1) {
        uint64_t address = line_address + (uint64_t)__builtin_ctz(rest) * WM_SECTOR_BYTES;
        uint64_t displaced;
        bool displaces;
        if (wm_atomic_buffer_operate(buffer, address, &displaced, &displaces))
            continue;
        if (displaces)
            move_buffered(memory, slice, displaced, true, context);
        move_buffered(memory, slice, address, false, context);
    }
}

#endif

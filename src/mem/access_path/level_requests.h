// Requests that a cache sends to the level below: cut into that one's lines, each for its slice.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_LEVEL_REQUESTS_H
#define WM_MEM_ACCESS_PATH_LEVEL_REQUESTS_H

#include "mem/access_path/l2_enqueue.h"

// --- Between GPUs ---

// Whether a request leaves the GPU that it comes from, as what is below `level` is the memory of
// another: `*home`.
static inline bool leaves_gpu(const struct wm_memory *memory, const struct wm_cache_level *level,
                              uint64_t address, const struct access_context *context,
                              uint32_t *home)
{
    if (!WM_PATHS_FULL || memory->gpus == 1 || level->is_home || !wm_is_before_home(level->below))
        return false;
    *home = wm_home_of(memory, address, context->unit);
    return *home != wm_gpu_of_unit(memory, context->unit);
}

// It crosses the link. From then on it is on the other GPU's side, one of whose units its cause
// counts as. Returns what takes that back.
static inline uint32_t cross_link(struct wm_memory *memory, uint32_t home,
                                  enum wm_cache_client client, uint32_t sectors,
                                  struct access_context *context)
{
    uint32_t unit = context->unit;
    wm_count_crossing(memory, wm_gpu_of_unit(memory, unit), home, client,
                      atomic_returns(client, context), sectors);
    context->unit = home * memory->spec.sm_count;
    return unit;
}

// --- A part of a request, which lies in one line of the level that it is sent to ---

// What crosses the boundary above a level.
static inline void charge_transfer(const struct wm_memory *memory,
                                   const struct wm_cache_level *level,
                                   const struct access_context *context, uint64_t bytes)
{
    uint32_t number = is_l2(memory, level) ? WM_LEVEL_L2 : level->number;
    context->instruction_counters->levels[number].bytes += bytes;
}

// WM_CACHE_LOAD reads, the others write; atomics do both.
static __attribute__((noinline)) void request_memory(struct wm_memory *memory, uint32_t line_bytes,
                                                     enum wm_cache_client client, uint64_t address,
                                                     uint32_t sectors,
                                                     struct access_context *context)
{
    if (client == WM_CACHE_LOAD || client == WM_CACHE_ATOMIC)
        memory_access(memory, line_bytes, address, sectors, false, context);
    if (client != WM_CACHE_LOAD)
        memory_access(memory, line_bytes, address, sectors, true, context);
}

WM_CACHE_INLINE void request_line(struct wm_memory *memory, const struct wm_cache_level *level,
                                  enum wm_cache_client client, uint64_t line_address,
                                  uint32_t sectors, uint32_t full_sectors,
                                  struct access_context *context)
{
    uint64_t bytes = bytes_of(sectors);
    charge_transfer(memory, level, context, atomic_returns(client, context) ? 2 * bytes : bytes);
    if (__builtin_expect(level->caches == NULL, 0)) {
        request_memory(memory, level->line_bytes, client, line_address, sectors, context);
        return;
    }
    if (may_be_queued(context) && is_l2(memory, level)) {
        struct l2_request request;
        fill_l2_request(memory, &request, client, line_address, sectors, full_sectors);
        enqueue_l2_request(memory, &request, context);
        return;
    }
    memory->paths->serve_request(memory, level, client, line_address, sectors, full_sectors,
                                 context);
}

static __attribute__((noinline)) void request_parts(struct wm_memory *memory,
                                                    const struct wm_cache_level *to,
                                                    enum wm_cache_client client, uint64_t address,
                                                    uint32_t sectors, uint32_t full_sectors,
                                                    struct access_context *context)
{
    uint32_t line = (UINT32_C(1) << to->line_sectors) - 1;
    for (; sectors != 0; sectors >>= to->line_sectors) {
        if ((sectors & line) != 0)
            request_line(memory, to, client, address, sectors & line, full_sectors & line, context);
        address += to->line_bytes;
        full_sectors >>= to->line_sectors;
    }
}

// A request in lines of `line_bytes`: cut into those of the level that it is sent to.
WM_CACHE_INLINE void request_lines(struct wm_memory *memory, const struct wm_cache_level *to,
                                   uint32_t line_bytes, enum wm_cache_client client,
                                   uint64_t address, uint32_t sectors, uint32_t full_sectors,
                                   struct access_context *context)
{
    uint64_t within = address & (to->line_bytes - 1);
    if (__builtin_expect(line_bytes <= to->line_bytes, 1)) {
        uint32_t shift = (uint32_t)(within / WM_SECTOR_BYTES);
        request_line(memory, to, client, address - within, sectors << shift, full_sectors << shift,
                     context);
        return;
    }
    request_parts(memory, to, client, address, sectors, full_sectors, context);
}

// --- From a level to the one below it ---

// The vector builds have L2 below all but side caches, which may have a level of loads between. By
// number: `below` of a view's levels is the memory system's (mem/system/memory_view.h).
static inline const struct wm_cache_level *below_of(const struct wm_memory *memory,
                                                    const struct wm_cache_level *level)
{
    if (WM_PATHS_FULL)
        return level->below;
    bool is_side = wm_level_is_side((uint32_t)(level - memory->levels));
    return &memory->levels[is_side ? level->below->number : WM_LEVEL_L2];
}

WM_CACHE_INLINE void request_on_gpu(struct wm_memory *memory, const struct wm_cache_level *level,
                                    enum wm_cache_client client, uint64_t address, uint32_t sectors,
                                    uint32_t full_sectors, struct access_context *context)
{
    if (level->below == NULL)
        request_memory(memory, level->line_bytes, client, address, sectors, context);
    else
        request_lines(memory, below_of(memory, level), level->line_bytes, client, address, sectors,
                      full_sectors, context);
}

WM_CACHE_INLINE void request_below(struct wm_memory *memory, const struct wm_cache_level *level,
                                   enum wm_cache_client client, uint64_t address, uint32_t sectors,
                                   uint32_t full_sectors, struct access_context *context)
{
    uint32_t home, unit = context->unit;
    if (leaves_gpu(memory, level, address, context, &home))
        unit = cross_link(memory, home, client, sectors, context);
    request_on_gpu(memory, level, client, address, sectors, full_sectors, context);
    if (WM_PATHS_FULL)
        context->unit = unit;
}

// Dirty sectors of a line of a cache go down. Those that it held in part bring the bytes they have.
static __attribute__((noinline)) void write_back_below(struct wm_memory *memory,
                                                       const struct wm_cache_level *level,
                                                       struct wm_cache *from,
                                                       const struct wm_cache_victim *victim,
                                                       struct access_context *context)
{
    uint64_t address = victim->line << from->line_shift;
    uint32_t dirty = victim->dirty;
    from->counters.bytes_to_below += bytes_of(dirty);
    if (!WM_PATHS_FULL) {
        request_below(memory, level, WM_CACHE_WRITEBACK, address, dirty, dirty, context);
        return;
    }
    struct wm_write_mask stores = context->written;
    context->written = (struct wm_write_mask){.address = address, .words = victim->bytes};
    request_below(memory, level, WM_CACHE_WRITEBACK, address, dirty, dirty & ~victim->partly,
                  context);
    context->written = stores;
}

#endif

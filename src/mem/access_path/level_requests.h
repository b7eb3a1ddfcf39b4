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
    if (!WM_PATHS_FULL || memory->gpus == 1 || level->is_home ||
        (level->below != NULL && !level->below->is_home))
        return false;
    *home = wm_home_of(memory, address, context->unit);
    return *home != wm_gpu_of_unit(memory, context->unit);
}

// It crosses the link, with so many bytes each way. From then on it is on the other GPU's side, one
// of whose units its cause counts as. Returns what takes that back.
static inline uint32_t cross_link(struct wm_memory *memory, uint32_t home, uint64_t bytes_there,
                                  uint64_t bytes_back, struct access_context *context)
{
    uint32_t unit = context->unit, from = wm_gpu_of_unit(memory, unit);
    struct wm_peer_link_counters *there = &memory->peer_links[from * memory->gpus + home];
    there->requests++;
    there->bytes_written += bytes_there;
    memory->peer_links[home * memory->gpus + from].bytes_read += bytes_back;
    context->unit = home * memory->spec.sm_count;
    return unit;
}

// --- A part of a request, which lies in one line of the level that it is sent to ---

// What crosses the boundary above a level.
static inline void charge_transfer(const struct wm_cache_level *level,
                                   const struct access_context *context, uint64_t bytes)
{
    uint32_t number = WM_PATHS_FULL ? level->number : WM_LEVEL_L2;
    context->instruction_counters->levels[number].bytes += bytes;
}

WM_CACHE_INLINE void read_line(struct wm_memory *memory, const struct wm_cache_level *level,
                               uint64_t line_address, uint32_t sectors,
                               struct access_context *context)
{
    charge_transfer(level, context, bytes_of(sectors));
    if (__builtin_expect(level->caches == NULL, 0)) {
        memory_access(memory, level->line_bytes, line_address, sectors, false, context);
        return;
    }
    if (may_be_queued(context)) {
        struct l2_request request;
        fill_l2_request(memory, &request, WM_CACHE_LOAD, line_address, sectors, 0);
        enqueue_l2_request(memory, &request, context);
        return;
    }
    memory->paths->serve_read(memory, level, line_address, sectors, context);
}

WM_CACHE_INLINE void write_line(struct wm_memory *memory, const struct wm_cache_level *level,
                                enum wm_cache_client client, uint64_t line_address,
                                uint32_t sectors, uint32_t full_sectors,
                                struct access_context *context)
{
    uint64_t bytes = bytes_of(sectors);
    charge_transfer(level, context, atomic_returns(client, context) ? 2 * bytes : bytes);
    if (__builtin_expect(level->caches == NULL, 0)) {
        if (client == WM_CACHE_ATOMIC)
            memory_access(memory, level->line_bytes, line_address, sectors, false, context);
        memory_access(memory, level->line_bytes, line_address, sectors, true, context);
        return;
    }
    if (may_be_queued(context)) {
        struct l2_request request;
        fill_l2_request(memory, &request, client, line_address, sectors, full_sectors);
        enqueue_l2_request(memory, &request, context);
        return;
    }
    memory->paths->serve_write(memory, level, client, line_address, sectors, full_sectors, context);
}

// --- Requests in a level's lines: cut into those of the level that they are sent to ---

// `line_bytes`: of the lines that the sectors are of.
WM_CACHE_INLINE void cut_read(struct wm_memory *memory, const struct wm_cache_level *to,
                              uint32_t line_bytes, uint64_t address, uint32_t sectors,
                              struct access_context *context)
{
    uint64_t within = address & (to->line_bytes - 1);
    if (__builtin_expect(line_bytes <= to->line_bytes, 1)) {
        read_line(memory, to, address - within, sectors << (within / WM_SECTOR_BYTES), context);
        return;
    }
    uint32_t line = (UINT32_C(1) << to->line_sectors) - 1;
    for (; sectors != 0; sectors >>= to->line_sectors) {
        if ((sectors & line) != 0)
            read_line(memory, to, address, sectors & line, context);
        address += to->line_bytes;
    }
}

WM_CACHE_INLINE void cut_write(struct wm_memory *memory, const struct wm_cache_level *to,
                               uint32_t line_bytes, enum wm_cache_client client, uint64_t address,
                               uint32_t sectors, uint32_t full_sectors,
                               struct access_context *context)
{
    uint64_t within = address & (to->line_bytes - 1);
    if (__builtin_expect(line_bytes <= to->line_bytes, 1)) {
        write_line(memory, to, client, address - within, sectors << (within / WM_SECTOR_BYTES),
                   full_sectors << (within / WM_SECTOR_BYTES), context);
        return;
    }
    uint32_t line = (UINT32_C(1) << to->line_sectors) - 1;
    for (; sectors != 0; sectors >>= to->line_sectors) {
        if ((sectors & line) != 0)
            write_line(memory, to, client, address, sectors & line, full_sectors & line, context);
        address += to->line_bytes;
        full_sectors >>= to->line_sectors;
    }
}

// --- From a level to the one below it ---

// The vector builds have one level below others.
static inline const struct wm_cache_level *below_of(const struct wm_memory *memory,
                                                    const struct wm_cache_level *level)
{
    return WM_PATHS_FULL ? level->below : &memory->levels[WM_LEVEL_L2];
}

// In the memory of the unit's own GPU, or of a machine with one.
WM_CACHE_INLINE void read_on_gpu(struct wm_memory *memory, const struct wm_cache_level *level,
                                 uint64_t address, uint32_t sectors, struct access_context *context)
{
    if (level->below == NULL) {
        memory_access(memory, level->line_bytes, address, sectors, false, context);
        return;
    }
    cut_read(memory, below_of(memory, level), level->line_bytes, address, sectors, context);
}

WM_CACHE_INLINE void read_below(struct wm_memory *memory, const struct wm_cache_level *level,
                                uint64_t address, uint32_t sectors, struct access_context *context)
{
    uint32_t home, unit = context->unit;
    if (leaves_gpu(memory, level, address, context, &home))
        unit = cross_link(memory, home, 0, bytes_of(sectors), context);
    read_on_gpu(memory, level, address, sectors, context);
    if (WM_PATHS_FULL)
        context->unit = unit;
}

WM_CACHE_INLINE void write_on_gpu(struct wm_memory *memory, const struct wm_cache_level *level,
                                  enum wm_cache_client client, uint64_t address, uint32_t sectors,
                                  uint32_t full_sectors, struct access_context *context)
{
    if (level->below == NULL) {
        if (client == WM_CACHE_ATOMIC)
            memory_access(memory, level->line_bytes, address, sectors, false, context);
        memory_access(memory, level->line_bytes, address, sectors, true, context);
        return;
    }
    cut_write(memory, below_of(memory, level), level->line_bytes, client, address, sectors,
              full_sectors, context);
}

WM_CACHE_INLINE void write_below(struct wm_memory *memory, const struct wm_cache_level *level,
                                 enum wm_cache_client client, uint64_t address, uint32_t sectors,
                                 uint32_t full_sectors, struct access_context *context)
{
    uint32_t home, unit = context->unit;
    if (leaves_gpu(memory, level, address, context, &home))
        unit = cross_link(memory, home, bytes_of(sectors),
                          atomic_returns(client, context) ? bytes_of(sectors) : 0, context);
    write_on_gpu(memory, level, client, address, sectors, full_sectors, context);
    if (WM_PATHS_FULL)
        context->unit = unit;
}

// What an L1 sends to its level below.
WM_CACHE_INLINE void l2_read(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                             struct access_context *context)
{
    read_below(memory, &memory->levels[WM_LEVEL_L1], address, sectors, context);
}

WM_CACHE_INLINE void l2_write(struct wm_memory *memory, enum wm_cache_client client,
                              uint64_t address, uint32_t sectors, uint32_t full_sectors,
                              struct access_context *context)
{
    write_below(memory, &memory->levels[WM_LEVEL_L1], client, address, sectors, full_sectors,
                context);
}

// Dirty sectors of a line of a cache go down. Those that it held in part bring the bytes they have.
WM_CACHE_INLINE void write_back_below(struct wm_memory *memory, const struct wm_cache_level *level,
                                      struct wm_cache *from, const struct wm_cache_victim *victim,
                                      struct access_context *context)
{
    uint64_t address = victim->line << from->line_shift;
    uint32_t dirty = victim->dirty;
    from->counters.bytes_to_below += bytes_of(dirty);
    if (!WM_PATHS_FULL) {
        write_below(memory, level, WM_CACHE_WRITEBACK, address, dirty, dirty, context);
        return;
    }
    struct wm_write_mask stores = context->written;
    context->written = (struct wm_write_mask){.address = address, .words = victim->bytes};
    write_below(memory, level, WM_CACHE_WRITEBACK, address, dirty, dirty & ~victim->partly,
                context);
    context->written = stores;
}

#endif

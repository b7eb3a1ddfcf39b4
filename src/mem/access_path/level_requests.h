// Requests that a cache sends to the level below: cut into that one's lines, each for its slice.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_LEVEL_REQUESTS_H
#define WM_MEM_ACCESS_PATH_LEVEL_REQUESTS_H

#include "mem/access_path/l2_enqueue.h"

// --- A part of a request, which lies in one line of L2 ---

WM_CACHE_INLINE void l2_read_line(struct wm_memory *memory, uint64_t line_address, uint32_t sectors,
                                  struct access_context *context)
{
    context->instruction_counters->bytes_l1_l2 += bytes_of(sectors);
    if (__builtin_expect(memory->l2.caches == NULL, 0)) {
        dram_access(memory, line_address, sectors, false, context);
        return;
    }
    if (may_be_queued(context)) {
        struct l2_request request;
        fill_l2_request(memory, &request, WM_CACHE_LOAD, line_address, sectors, 0);
        enqueue_l2_request(memory, &request, context);
        return;
    }
    memory->paths->serve_l2_read(memory, line_address, sectors, context);
}

WM_CACHE_INLINE void l2_write_line(struct wm_memory *memory, enum wm_cache_client client,
                                   uint64_t line_address, uint32_t sectors, uint32_t full_sectors,
                                   struct access_context *context)
{
    uint64_t bytes = bytes_of(sectors);
    context->instruction_counters->bytes_l1_l2 +=
        atomic_returns(client, context) ? 2 * bytes : bytes;
    if (__builtin_expect(memory->l2.caches == NULL, 0)) {
        if (client == WM_CACHE_ATOMIC)
            dram_access(memory, line_address, sectors, false, context);
        dram_access(memory, line_address, sectors, true, context);
        return;
    }
    if (may_be_queued(context)) {
        struct l2_request request;
        fill_l2_request(memory, &request, client, line_address, sectors, full_sectors);
        enqueue_l2_request(memory, &request, context);
        return;
    }
    memory->paths->serve_l2_write(memory, client, line_address, sectors, full_sectors, context);
}

// --- Requests in L1's lines: cut into L2's ---

// `line_bytes`: of the lines that the sectors are of.
WM_CACHE_INLINE void cut_read(struct wm_memory *memory, uint32_t line_bytes, uint64_t address,
                              uint32_t sectors, struct access_context *context)
{
    uint64_t within = address & (memory->l2_line_bytes - 1);
    if (__builtin_expect(line_bytes <= memory->l2_line_bytes, 1)) {
        l2_read_line(memory, address - within, sectors << (within / WM_SECTOR_BYTES), context);
        return;
    }
    uint32_t line = (UINT32_C(1) << memory->l2_line_sectors) - 1;
    for (; sectors != 0; sectors >>= memory->l2_line_sectors) {
        if ((sectors & line) != 0)
            l2_read_line(memory, address, sectors & line, context);
        address += memory->l2_line_bytes;
    }
}

WM_CACHE_INLINE void l2_read(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                             struct access_context *context)
{
    cut_read(memory, memory->request_bytes, address, sectors, context);
}

WM_CACHE_INLINE void l2_write(struct wm_memory *memory, enum wm_cache_client client,
                              uint64_t address, uint32_t sectors, uint32_t full_sectors,
                              struct access_context *context)
{
    uint64_t within = address & (memory->l2_line_bytes - 1);
    if (__builtin_expect(memory->request_bytes <= memory->l2_line_bytes, 1)) {
        l2_write_line(memory, client, address - within, sectors << (within / WM_SECTOR_BYTES),
                      full_sectors << (within / WM_SECTOR_BYTES), context);
        return;
    }
    uint32_t line = (UINT32_C(1) << memory->l2_line_sectors) - 1;
    for (; sectors != 0; sectors >>= memory->l2_line_sectors) {
        if ((sectors & line) != 0)
            l2_write_line(memory, client, address, sectors & line, full_sectors & line, context);
        address += memory->l2_line_bytes;
        full_sectors >>= memory->l2_line_sectors;
    }
}

// --- From any level ---

WM_CACHE_INLINE void read_below(struct wm_memory *memory, const struct wm_cache_level *level,
                                uint64_t address, uint32_t sectors, struct access_context *context)
{
    if (level->below == NULL)
        dram_access(memory, address, sectors, false, context);
    else if (level->loads_only)
        cut_read(memory, level->caches->line_bytes, address, sectors, context);
    else
        l2_read(memory, address, sectors, context);
}

WM_CACHE_INLINE void write_below(struct wm_memory *memory, const struct wm_cache_level *level,
                                 enum wm_cache_client client, uint64_t address, uint32_t sectors,
                                 uint32_t full_sectors, struct access_context *context)
{
    if (level->below != NULL)
        l2_write(memory, client, address, sectors, full_sectors, context);
    else
        dram_access(memory, address, sectors, true, context);
}

// Dirty sectors of a line of L1's arrive. Those that L1 held in part bring the bytes they have.
static void l2_take_back(struct wm_memory *memory, uint64_t address,
                         const struct wm_cache_victim *victim, struct access_context *context)
{
    uint32_t dirty = victim->dirty;
    if (!WM_PATHS_FULL) {
        l2_write(memory, WM_CACHE_WRITEBACK, address, dirty, dirty, context);
        return;
    }
    struct wm_write_mask stores = context->written;
    context->written = (struct wm_write_mask){.address = address, .words = victim->bytes};
    l2_write(memory, WM_CACHE_WRITEBACK, address, dirty, dirty & ~victim->partly, context);
    context->written = stores;
}

WM_CACHE_INLINE void write_back_below(struct wm_memory *memory, const struct wm_cache_level *level,
                                      struct wm_cache *from, const struct wm_cache_victim *victim,
                                      struct access_context *context)
{
    uint64_t address = victim->line << from->line_shift;
    from->counters.bytes_to_below += bytes_of(victim->dirty);
    if (level->below != NULL)
        l2_take_back(memory, address, victim, context);
    else
        dram_access(memory, address, victim->dirty, true, context);
}

#endif

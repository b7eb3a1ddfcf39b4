// What arrives at L2: requests in L1's lines are cut into L2's, each goes to its slice, and what
// the slice lacks or displaces goes to DRAM. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_L2_ACCESS_H
#define WM_MEM_ACCESS_PATH_L2_ACCESS_H

#include "mem/access_path/l2_queue.h"
#include "mem/system/below_requests.h"

// --- L2, for the part of a request that lies in one of its lines ---

WM_CACHE_INLINE void l2_read_line(struct wm_memory *memory, uint64_t line_address, uint32_t sectors,
                                  struct access_context *context)
{
    context->instruction_counters->bytes_l1_l2 += bytes_of(sectors);
    if (__builtin_expect(memory->l2.caches == NULL, 0)) {
        dram_access(memory, line_address, sectors, false, context);
        return;
    }
    struct l2_request request;
    fill_l2_request(memory, &request, WM_CACHE_LOAD, line_address, sectors, 0);
    if (may_be_queued(context))
        enqueue_l2_request(memory, &request, context);
    else
        l2_serve_read(memory, &request, context);
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
    struct l2_request request;
    fill_l2_request(memory, &request, client, line_address, sectors, full_sectors);
    if (may_be_queued(context))
        enqueue_l2_request(memory, &request, context);
    else
        l2_serve_write(memory, &request, context);
}

// --- L2, for requests in L1's lines: cut into L2's ---

// For the memory systems that share this one's L1s.
static __attribute__((noinline)) void record_below_request(struct wm_memory *memory,
                                                           enum wm_cache_client client,
                                                           uint64_t address, uint32_t sectors,
                                                           uint32_t full_sectors,
                                                           const struct access_context *context)
{
    struct wm_below_request *request = wm_below_requests_next(memory->recorded_requests);
    if (request == NULL)
        return;
    request->address = address;
    request->sectors = sectors;
    request->full_sectors = full_sectors;
    request->sm = context->requester.sm;
    request->warp = context->requester.warp;
    request->pc = context->requester.pc;
    request->kind = (uint8_t)context->requester.kind;
    request->hint = (uint8_t)context->requester.hint;
    request->client = (uint8_t)client;
}

static inline bool keeps_below_requests(const struct wm_memory *memory)
{
    return !WM_PATHS_FULL && __builtin_expect(memory->recorded_requests != NULL, 0);
}

WM_CACHE_INLINE void l2_read(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                             struct access_context *context)
{
    if (keeps_below_requests(memory))
        record_below_request(memory, WM_CACHE_LOAD, address, sectors, 0, context);
    uint64_t within = address & (memory->l2_line_bytes - 1);
    if (__builtin_expect(memory->request_bytes <= memory->l2_line_bytes, 1)) {
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

WM_CACHE_INLINE void l2_write(struct wm_memory *memory, enum wm_cache_client client,
                              uint64_t address, uint32_t sectors, uint32_t full_sectors,
                              struct access_context *context)
{
    if (keeps_below_requests(memory))
        record_below_request(memory, client, address, sectors, full_sectors, context);
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

static void l2_write_back(struct wm_memory *memory, struct wm_cache *l1,
                          const struct wm_cache_victim *victim, struct access_context *context)
{
    l1->counters.bytes_to_below += bytes_of(victim->dirty);
    l2_take_back(memory, victim->line << l1->line_shift, victim, context);
}

#endif

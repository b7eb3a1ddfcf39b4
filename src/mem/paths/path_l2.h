// What arrives at L2: requests in L1's lines are cut into L2's, each goes to its slice, and what
// the slice lacks or displaces goes on to DRAM.
#ifndef WM_MEM_PATHS_PATH_L2_H
#define WM_MEM_PATHS_PATH_L2_H

#include "mem/memory_asks.h"
#include "mem/paths/path_waits.h"

// --- L2, for the part of a request that lies in one of its lines ---

WM_CACHE_INLINE void l2_read_line(struct wm_memory *memory, uint64_t line_address, uint32_t sectors,
                                  struct errand *errand)
{
    errand->cause->bytes_l1_l2 += bytes_of(sectors);
    if (__builtin_expect(memory->l2 == NULL, 0)) {
        dram_access(memory, line_address, sectors, false, errand);
        return;
    }
    struct l2_ask ask;
    l2_fill_ask(memory, &ask, WM_CACHE_LOAD, line_address, sectors, 0);
    if (may_wait(errand))
        l2_wait(memory, &ask, errand);
    else
        l2_serve_read(memory, &ask, errand);
}

WM_CACHE_INLINE void l2_write_line(struct wm_memory *memory, enum wm_cache_client client,
                                   uint64_t line_address, uint32_t sectors, uint32_t full_sectors,
                                   struct errand *errand)
{
    uint64_t bytes = bytes_of(sectors);
    errand->cause->bytes_l1_l2 += atomic_returns(client, errand) ? 2 * bytes : bytes;
    if (__builtin_expect(memory->l2 == NULL, 0)) {
        if (client == WM_CACHE_ATOMIC)
            dram_access(memory, line_address, sectors, false, errand);
        dram_access(memory, line_address, sectors, true, errand);
        return;
    }
    struct l2_ask ask;
    l2_fill_ask(memory, &ask, client, line_address, sectors, full_sectors);
    if (may_wait(errand))
        l2_wait(memory, &ask, errand);
    else
        l2_serve_write(memory, &ask, errand);
}

// --- L2, for requests in L1's lines: cut into L2's ---

// For the memory systems that share this one's L1s.
static __attribute__((noinline)) void keep_ask(struct wm_memory *memory,
                                               enum wm_cache_client client, uint64_t address,
                                               uint32_t sectors, uint32_t full_sectors,
                                               const struct errand *errand)
{
    struct wm_ask *ask = wm_asks_next(memory->kept_asks);
    if (ask == NULL)
        return;
    ask->address = address;
    ask->sectors = sectors;
    ask->full_sectors = full_sectors;
    ask->sm = errand->origin.sm;
    ask->warp = errand->origin.warp;
    ask->pc = errand->origin.pc;
    ask->kind = (uint8_t)errand->origin.kind;
    ask->hint = (uint8_t)errand->origin.hint;
    ask->client = (uint8_t)client;
}

static inline bool keeps_asks(const struct wm_memory *memory)
{
    return !WM_PATHS_FULL && __builtin_expect(memory->kept_asks != NULL, 0);
}

WM_CACHE_INLINE void l2_read(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                             struct errand *errand)
{
    if (keeps_asks(memory))
        keep_ask(memory, WM_CACHE_LOAD, address, sectors, 0, errand);
    uint64_t within = address & (memory->l2_line_bytes - 1);
    if (__builtin_expect(memory->request_bytes <= memory->l2_line_bytes, 1)) {
        l2_read_line(memory, address - within, sectors << (within / WM_SECTOR_BYTES), errand);
        return;
    }
    uint32_t line = (UINT32_C(1) << memory->l2_line_sectors) - 1;
    for (; sectors != 0; sectors >>= memory->l2_line_sectors) {
        if ((sectors & line) != 0)
            l2_read_line(memory, address, sectors & line, errand);
        address += memory->l2_line_bytes;
    }
}

WM_CACHE_INLINE void l2_write(struct wm_memory *memory, enum wm_cache_client client,
                              uint64_t address, uint32_t sectors, uint32_t full_sectors,
                              struct errand *errand)
{
    if (keeps_asks(memory))
        keep_ask(memory, client, address, sectors, full_sectors, errand);
    uint64_t within = address & (memory->l2_line_bytes - 1);
    if (__builtin_expect(memory->request_bytes <= memory->l2_line_bytes, 1)) {
        l2_write_line(memory, client, address - within, sectors << (within / WM_SECTOR_BYTES),
                      full_sectors << (within / WM_SECTOR_BYTES), errand);
        return;
    }
    uint32_t line = (UINT32_C(1) << memory->l2_line_sectors) - 1;
    for (; sectors != 0; sectors >>= memory->l2_line_sectors) {
        if ((sectors & line) != 0)
            l2_write_line(memory, client, address, sectors & line, full_sectors & line, errand);
        address += memory->l2_line_bytes;
        full_sectors >>= memory->l2_line_sectors;
    }
}

// Dirty sectors of a line of L1's arrive. Those that L1 held in part bring the bytes they have.
static void l2_take_back(struct wm_memory *memory, uint64_t address,
                         const struct wm_cache_victim *victim, struct errand *errand)
{
    uint32_t dirty = victim->dirty;
    if (!WM_PATHS_FULL) {
        l2_write(memory, WM_CACHE_WRITEBACK, address, dirty, dirty, errand);
        return;
    }
    struct wm_written_bytes stores = errand->written;
    errand->written = (struct wm_written_bytes){.address = address, .words = victim->bytes};
    l2_write(memory, WM_CACHE_WRITEBACK, address, dirty, dirty & ~victim->partly, errand);
    errand->written = stores;
}

static void l2_write_back(struct wm_memory *memory, struct wm_cache *l1,
                          const struct wm_cache_victim *victim, struct errand *errand)
{
    l1->counters.bytes_to_below += bytes_of(victim->dirty);
    l2_take_back(memory, victim->line << l1->line_shift, victim, errand);
}

#endif

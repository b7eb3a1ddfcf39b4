// What arrives at L2: requests in L1's lines are cut into L2's, each goes to its slice, and what
// the slice lacks or displaces goes on to DRAM.
#ifndef WM_MEM_PATHS_PATH_L2_H
#define WM_MEM_PATHS_PATH_L2_H

#include "mem/memory_asks.h"
#include "mem/paths/path_atomic.h"
#include "mem/paths/path_inclusion.h"

// --- L2, for the part of a request that lies in one of its lines ---

// Field by field and in place: a copy of what has just been stored so would wait for the stores.
WM_CACHE_INLINE void l2_fill_ask(const struct wm_memory *memory, struct l2_ask *ask,
                                 enum wm_cache_client client, uint64_t line_address,
                                 uint32_t sectors, uint32_t full_sectors)
{
    ask->line_address = line_address;
    ask->sectors = sectors;
    ask->full_sectors = full_sectors;
    ask->client = client;
    ask->slice = wm_memory_slice(memory, line_address >> memory->l2_line_shift, &ask->index_line);
    // Slices have their sets alike, and one's way to find them stays near.
    ask->set = wm_cache_set_of(memory->l2, ask->index_line);
}

WM_CACHE_INLINE void l2_serve_read(struct wm_memory *memory, const struct l2_ask *ask,
                                   struct errand *errand)
{
    uint32_t sectors = ask->sectors;
    uint64_t line = ask->line_address >> memory->l2_line_shift;
    struct wm_cache *l2 = &memory->l2[ask->slice];
    if (has_atomic_buffers(memory))
        spill_line(memory, ask->slice, ask->line_address, sectors, errand);
    bool allocate = !(WM_PATHS_FULL && errand->passes_l2);
    struct l2_before then = before(l2);
    struct wm_cache_result result =
        cache_read(l2, ask->set, line, ask->index_line, sectors, allocate, errand);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = l2,
                                          .client = WM_CACHE_LOAD,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = allocate,
                                          .evictions = then.evictions},
                &result, errand);
    l2->counters.bytes_to_above += bytes_of(sectors);
    charge_l2(errand, sectors, result.missing);
    if (is_inclusive(memory))
        keep_inclusive(memory, l2, ask->line_address, false, then, &result, errand);
    if (result.missing != 0)
        settle_l2(memory, l2, ask->line_address, &result, errand);
}

static inline bool atomic_returns(enum wm_cache_client client, const struct errand *errand)
{
    return client == WM_CACHE_ATOMIC && errand->origin.kind == WM_ACCESS_ATOMIC;
}

// An atomic at a slice with an atomic buffer.
static void l2_serve_buffered(struct wm_memory *memory, const struct l2_ask *ask,
                              struct errand *errand)
{
    struct wm_cache *l2 = &memory->l2[ask->slice];
    uint64_t bytes = bytes_of(ask->sectors);
    l2->counters.bytes_from_above += bytes;
    l2->counters.bytes_to_above += atomic_returns(ask->client, errand) ? bytes : 0;
    operate_buffered(memory, ask->slice, ask->line_address, ask->sectors, errand);
}

WM_CACHE_INLINE void l2_serve_write(struct wm_memory *memory, const struct l2_ask *ask,
                                    struct errand *errand)
{
    uint32_t sectors = ask->sectors;
    uint64_t line = ask->line_address >> memory->l2_line_shift, bytes = bytes_of(sectors);
    struct wm_cache *l2 = &memory->l2[ask->slice];
    if (has_atomic_buffers(memory)) {
        if (ask->client == WM_CACHE_ATOMIC) {
            l2_serve_buffered(memory, ask, errand);
            return;
        }
        spill_line(memory, ask->slice, ask->line_address, sectors, errand);
    }
    bool allocate = l2->write_allocate && !(WM_PATHS_FULL && errand->stays_above);
    struct l2_before then = before(l2);
    struct wm_cache_result result = cache_write(l2, ask->client, ask->set, line, ask->index_line,
                                                sectors, ask->full_sectors, allocate, errand);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = l2,
                                          .client = ask->client,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = allocate,
                                          .evictions = then.evictions},
                &result, errand);
    l2->counters.bytes_from_above += bytes;
    l2->counters.bytes_to_above += atomic_returns(ask->client, errand) ? bytes : 0;
    if (ask->client != WM_CACHE_WRITEBACK)
        charge_l2(errand, sectors, result.missing);
    if (is_inclusive(memory))
        keep_inclusive(memory, l2, ask->line_address, true, then, &result, errand);
    if ((result.fetch | result.forward | result.victim.dirty) != 0)
        settle_l2(memory, l2, ask->line_address, &result, errand);
}

static void l2_serve_asks(struct wm_memory *memory, struct errand *errand)
{
    struct l2_asks *asks = errand->asks;
    for (uint32_t i = 0; i < asks->count; i++) {
        if (asks->asks[i].client == WM_CACHE_LOAD)
            l2_serve_read(memory, &asks->asks[i], errand);
        else
            l2_serve_write(memory, &asks->asks[i], errand);
    }
    asks->count = 0;
}

// Where to put an ask: `own` when it is to be served at once.
static inline struct l2_ask *l2_place_ask(const struct errand *errand, struct l2_ask *own)
{
    return !WM_PATHS_FULL && errand->asks != NULL ? &errand->asks->asks[errand->asks->count] : own;
}

static inline bool l2_serves_later(struct wm_memory *memory, const struct l2_ask *ask,
                                   struct errand *errand)
{
    if (WM_PATHS_FULL || errand->asks == NULL)
        return false;
    wm_cache_expect(&memory->l2[ask->slice], ask->set, ask->line_address >> memory->l2_line_shift);
    if (++errand->asks->count == L2_ASKS)
        l2_serve_asks(memory, errand);
    return true;
}

WM_CACHE_INLINE void l2_read_line(struct wm_memory *memory, uint64_t line_address, uint32_t sectors,
                                  struct errand *errand)
{
    errand->cause->bytes_l1_l2 += bytes_of(sectors);
    if (__builtin_expect(memory->l2 == NULL, 0)) {
        dram_access(memory, line_address, sectors, false, errand);
        return;
    }
    struct l2_ask own, *ask = l2_place_ask(errand, &own);
    l2_fill_ask(memory, ask, WM_CACHE_LOAD, line_address, sectors, 0);
    if (!l2_serves_later(memory, ask, errand))
        l2_serve_read(memory, ask, errand);
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
    struct l2_ask own, *ask = l2_place_ask(errand, &own);
    l2_fill_ask(memory, ask, client, line_address, sectors, full_sectors);
    if (!l2_serves_later(memory, ask, errand))
        l2_serve_write(memory, ask, errand);
}

// --- L2, for requests in L1's lines: cut into L2's ---

// For the memory systems that share this one's L1s.
static __attribute__((noinline)) void keep_ask(struct wm_memory *memory,
                                               enum wm_cache_client client, uint64_t address,
                                               uint32_t sectors, uint32_t full_sectors,
                                               const struct errand *errand)
{
    wm_asks_add(memory->kept_asks, (struct wm_ask){.address = address,
                                                   .sectors = sectors,
                                                   .full_sectors = full_sectors,
                                                   .client = client,
                                                   .origin = errand->origin});
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

// The banks of an L1's data array: consecutive pieces of its lines lie in one bank after another,
// and each bank serves one piece a cycle. A request is served when all banks that it needs are free
// at once, and keeps one for as many cycles as it needs pieces of it.
//
// What comes from below has a port of its own, as GPGPU-Sim's caches have one for fills and one for
// data (bandwidth_management of gpu-cache.cc), unless the machine says that it takes banks; then it
// never waits, and look-ups do.
//
// Thread rules: as the cache's. Cycles are the SM's. Private to mem/timed/.
#ifndef WM_MEM_TIMED_L1_BANKS_H
#define WM_MEM_TIMED_L1_BANKS_H

#include "base/error.h"
#include "mem/system/memory_spec.h"

struct wm_l1_banks {
    uint32_t count; // 0: any number of bytes a cycle is served
    uint32_t shift; // of the bytes of a piece
    bool take_fills;
    uint64_t *free; // owned, by bank: the first cycle in which it serves another piece
};

// WM_NO_MEMORY.
enum wm_status wm_l1_banks_init(struct wm_l1_banks *banks, const struct wm_bank_spec *spec,
                                struct wm_error *error);
void wm_l1_banks_release(struct wm_l1_banks *banks);

// The first cycle, from `cycle` on, in which all banks with bytes of these sectors are free; the
// line's first byte is at `address`.
uint64_t wm_l1_banks_ready_of_many(const struct wm_l1_banks *banks, uint64_t address,
                                   uint32_t sectors, uint64_t cycle);
static inline uint64_t wm_l1_banks_ready(const struct wm_l1_banks *banks, uint64_t address,
                                         uint32_t sectors, uint64_t cycle)
{
    return banks->count == 0 ? cycle : wm_l1_banks_ready_of_many(banks, address, sectors, cycle);
}
// Each serves its pieces of these sectors one after another, from `cycle` on or when it is free;
// returns how many cycles the one with most of them takes, 1 without banks.
uint32_t wm_l1_banks_take_of_many(struct wm_l1_banks *banks, uint64_t address, uint32_t sectors,
                                  uint64_t cycle);
static inline uint32_t wm_l1_banks_take(struct wm_l1_banks *banks, uint64_t address,
                                        uint32_t sectors, uint64_t cycle)
{
    return banks->count == 0 ? 1 : wm_l1_banks_take_of_many(banks, address, sectors, cycle);
}

#endif

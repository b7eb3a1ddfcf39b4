#include "mem/timed/l1_banks.h"

#include "base/access/access.h"

#include <stdlib.h>

enum wm_status wm_l1_banks_init(struct wm_l1_banks *banks, const struct wm_bank_spec *spec,
                                struct wm_error *error)
{
    *banks = (struct wm_l1_banks){.count = spec->count, .take_fills = spec->take_fills};
    if (banks->count == 0)
        return WM_OK;
    banks->shift = (uint32_t)__builtin_ctz(spec->width_bytes);
    banks->free = calloc(banks->count, sizeof *banks->free);
    return banks->free != NULL ? WM_OK : wm_fail_no_memory(error, "the banks of an L1");
}

void wm_l1_banks_release(struct wm_l1_banks *banks)
{
    free(banks->free);
    *banks = (struct wm_l1_banks){0};
}

// Pieces of sectors, in order: `*piece` and those before `*end` are of the first sector of
// `*sectors`, which is taken out. Of pieces longer than a sector each comes once.
static bool next_pieces(const struct wm_l1_banks *banks, uint64_t address, uint32_t *sectors,
                        uint64_t *piece, uint64_t *end)
{
    while (*sectors != 0) {
        uint64_t first = address + (uint64_t)__builtin_ctz(*sectors) * WM_SECTOR_BYTES;
        uint64_t seen = *end;
        *sectors &= *sectors - 1;
        *piece = first >> banks->shift;
        *end = ((first + WM_SECTOR_BYTES - 1) >> banks->shift) + 1;
        if (*end != seen)
            return true;
    }
    return false;
}

uint64_t wm_l1_banks_ready_of_many(const struct wm_l1_banks *banks, uint64_t address,
                                   uint32_t sectors, uint64_t cycle)
{
    uint64_t piece, end = 0;
    while (next_pieces(banks, address, &sectors, &piece, &end))
        for (; piece != end; piece++) {
            uint64_t free = banks->free[piece % banks->count];
            cycle = free > cycle ? free : cycle;
        }
    return cycle;
}

uint32_t wm_l1_banks_take_of_many(struct wm_l1_banks *banks, uint64_t address, uint32_t sectors,
                                  uint64_t cycle)
{
    uint64_t piece, end = 0, last = cycle + 1;
    while (next_pieces(banks, address, &sectors, &piece, &end))
        for (; piece != end; piece++) {
            uint64_t *free = &banks->free[piece % banks->count];
            *free = (*free > cycle ? *free : cycle) + 1;
            last = *free > last ? *free : last;
        }
    return (uint32_t)(last - cycle);
}

// Where variables lie (private to exec/): a table from symbols to numbers.
#ifndef WM_EXEC_PROGRAM_SYMBOL_ADDRESSES_H
#define WM_EXEC_PROGRAM_SYMBOL_ADDRESSES_H

#include "ptx/ptx.h"

struct wm_symbol_place {
    const struct wm_ptx_symbol *symbol; // NULL: empty
    uint64_t value;
};

struct wm_symbol_addresses {
    struct wm_symbol_place *slots; // owned; open addressing, a power of two
    uint32_t capacity, count;
};

void wm_symbol_addresses_release(struct wm_symbol_addresses *places);
// False when out of memory.
bool wm_symbol_addresses_put(struct wm_symbol_addresses *places, const struct wm_ptx_symbol *symbol,
                             uint64_t value);
bool wm_symbol_addresses_get(const struct wm_symbol_addresses *places,
                             const struct wm_ptx_symbol *symbol, uint64_t *value);

#endif

#include "sm/atomic_conflicts.h"

#include <string.h>

// Which of the addresses so far a lane's is: a hash table, so that 32 lanes cost 32 look-ups.
struct address_table {
    uint64_t addresses[WM_MAX_LANES];
    uint8_t lanes[WM_MAX_LANES];     // at each of them
    uint8_t slots[4 * WM_MAX_LANES]; // address + 1; 0 is empty. At most a quarter of them are used
    uint32_t count, rounds;
};

static void add(struct address_table *table, uint64_t address)
{
    uint8_t at = (uint8_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 56); // Fibonacci hashing
    while (table->slots[at] != 0 && table->addresses[table->slots[at] - 1] != address)
        at++;
    if (table->slots[at] == 0) {
        table->addresses[table->count] = address;
        table->lanes[table->count] = 0;
        table->slots[at] = (uint8_t)(++table->count);
    }
    uint32_t lanes = ++table->lanes[table->slots[at] - 1u];
    table->rounds = lanes > table->rounds ? lanes : table->rounds;
}

static struct wm_atomic_use use_of(const struct wm_warp_access *access, const uint64_t *addresses,
                                   uint64_t begin, uint64_t bytes)
{
    struct address_table table;
    uint32_t lanes = 0;
    table.count = table.rounds = 0;
    memset(table.slots, 0, sizeof table.slots);
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1) {
        uint64_t address = addresses[__builtin_ctzll(rest)];
        if (address - begin >= bytes)
            continue;
        add(&table, address);
        lanes++;
    }
    return (struct wm_atomic_use){
        .lanes = lanes, .conflicts = lanes - table.count, .rounds = table.rounds};
}

static struct wm_atomic_use use_in(const struct wm_warp_access *access, uint64_t begin,
                                   uint64_t bytes)
{
    uint64_t spread[WM_MAX_LANES];
    if (access->addresses != NULL)
        return use_of(access, access->addresses, begin, bytes);
    wm_access_spread(access, spread);
    return use_of(access, spread, begin, bytes);
}

struct wm_atomic_use wm_atomic_use_of(const struct wm_warp_access *access)
{
    return use_in(access, 0, UINT64_MAX);
}

uint32_t wm_atomic_rounds_in(const struct wm_warp_access *access, uint64_t line_address,
                             uint32_t line_bytes)
{
    return use_in(access, line_address, line_bytes).rounds;
}

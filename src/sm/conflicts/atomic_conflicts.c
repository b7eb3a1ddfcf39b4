#include "sm/conflicts/atomic_conflicts.h"

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

static void count(struct address_table *table, const struct wm_warp_access *access)
{
    uint64_t spread[WM_MAX_LANES];
    const uint64_t *addresses = access->addresses;
    if (addresses == NULL) {
        wm_access_expand(access, spread);
        addresses = spread;
    }
    table->count = table->rounds = 0;
    memset(table->slots, 0, sizeof table->slots);
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1)
        add(table, addresses[__builtin_ctzll(rest)]);
}

struct wm_atomic_use wm_atomic_use_of(const struct wm_warp_access *access)
{
    struct address_table table;
    uint32_t lanes = wm_count_lanes(access->active);
    count(&table, access);
    return (struct wm_atomic_use){
        .lanes = lanes, .conflicts = lanes - table.count, .rounds = table.rounds};
}

uint32_t wm_atomic_contentions(const struct wm_warp_access *access,
                               struct wm_atomic_contention meetings[WM_MAX_LANES / 2])
{
    struct address_table table;
    uint32_t found = 0;
    count(&table, access);
    for (uint32_t i = 0; table.rounds > 1 && i < table.count; i++)
        if (table.lanes[i] > 1)
            meetings[found++] = (struct wm_atomic_contention){.address = table.addresses[i],
                                                              .lanes = table.lanes[i]};
    return found;
}

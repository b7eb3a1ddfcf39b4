// A table from symbols to numbers: see symbol_addresses.h.
#include "exec/program/symbol_addresses.h"

#include "base/numbers/hash.h"

static struct wm_symbol_place *slot_of(const struct wm_symbol_addresses *places,
                                       const struct wm_ptx_symbol *symbol)
{
    uint32_t mask = places->capacity - 1;
    uint32_t at = (uint32_t)wm_hash_u64((uint64_t)(uintptr_t)symbol) & mask;
    while (places->slots[at].symbol && places->slots[at].symbol != symbol)
        at = (at + 1) & mask;
    return &places->slots[at];
}

void wm_symbol_addresses_release(struct wm_symbol_addresses *places)
{
    free(places->slots);
    *places = (struct wm_symbol_addresses){0};
}

static bool grow(struct wm_symbol_addresses *places)
{
    struct wm_symbol_addresses grown = {.capacity = places->capacity ? places->capacity * 2 : 16};
    grown.slots = calloc(grown.capacity, sizeof(grown.slots[0]));
    if (!grown.slots)
        return false;
    for (uint32_t i = 0; i < places->capacity; i++)
        if (places->slots[i].symbol)
            *slot_of(&grown, places->slots[i].symbol) = places->slots[i];
    grown.count = places->count;
    free(places->slots);
    *places = grown;
    return true;
}

bool wm_symbol_addresses_put(struct wm_symbol_addresses *places, const struct wm_ptx_symbol *symbol,
                             uint64_t value)
{
    if ((places->count + 1) * 2 > places->capacity && !grow(places))
        return false;
    struct wm_symbol_place *slot = slot_of(places, symbol);
    places->count += !slot->symbol;
    *slot = (struct wm_symbol_place){symbol, value};
    return true;
}

bool wm_symbol_addresses_get(const struct wm_symbol_addresses *places,
                             const struct wm_ptx_symbol *symbol, uint64_t *value)
{
    if (!places->capacity)
        return false;
    const struct wm_symbol_place *slot = slot_of(places, symbol);
    if (slot->symbol)
        *value = slot->value;
    return slot->symbol != NULL;
}

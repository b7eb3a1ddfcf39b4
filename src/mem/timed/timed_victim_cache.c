#include "mem/timed/timed_victim_cache.h"

#include "mem/cache/inline_access.h"

#include <assert.h>

bool wm_victim_cache_swap(struct wm_cache *victims, struct wm_cache *l1, uint64_t line,
                          const struct wm_requester *requester, struct wm_cache_victim *left)
{
    struct wm_cache_line held = {0};
    bool found = wm_cache_extract_line(victims, line, line, &held);
    assert(found);
    (void)found;
    struct wm_cache_victim displaced;
    if (wm_cache_insert_line(l1, line, line, held, false, requester, &displaced)) {
        victims->counters.bytes_to_above += wm_sector_bytes(held.valid);
        wm_victim_cache_insert(victims, l1, &displaced,
                               requester); // a place is free: nothing leaves
        return true;
    }
    victims->counters.invalidations++;
    victims->counters.write_backs += held.dirty != 0;
    *left = (struct wm_cache_victim){.line = line, .dirty = held.dirty, .valid = held.valid};
    return false;
}

void wm_victim_cache_insert(struct wm_cache *victims, struct wm_cache *l1,
                            struct wm_cache_victim *victim, const struct wm_requester *requester)
{
    if (victim->valid == 0)
        return;
    struct wm_cache_line held = {.valid = victim->valid, .dirty = victim->dirty};
    l1->counters.write_backs -= victim->dirty != 0;
    victims->counters.bytes_from_above += wm_sector_bytes(victim->valid);
    wm_cache_insert_line(victims, victim->line, victim->line, held, false, requester, victim);
}

void wm_victim_cache_count(struct wm_cache *victims, enum wm_cache_client client, uint32_t sectors,
                           bool found, uint32_t valid)
{
    uint32_t missing = sectors & ~valid;
    wm_cache_count(&victims->counters, client, sectors, missing);
    victims->counters.sector_misses += found ? wm_count_sectors(missing) : 0;
}

uint32_t wm_victim_cache_valid(const struct wm_cache *victims, uint64_t line, bool *found)
{
    int32_t way = wm_cache_find(victims, line, line);
    *found = way >= 0;
    return *found ? wm_cache_line_at(victims, (uint32_t)way).valid : 0; // it has one set
}

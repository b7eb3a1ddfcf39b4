// The model: victim caches (R7).
#include "obvious_memory.h"

struct obvious_cache *obvious_victims_of(const struct obvious_memory *memory,
                                         const struct obvious_cache *l1)
{
    return memory->victims != NULL ? &memory->victims[l1 - memory->l1] : NULL;
}

static uint64_t bytes_held(const struct obvious_line *line)
{
    return (uint64_t)obvious_count(obvious_whole(line)) * OBVIOUS_SECTOR;
}

// Puts the content of `line` into a cache as a line of its own. What makes room comes back in
// `*displaced`.
static bool put_in(struct obvious_cache *cache, const struct obvious_line *line,
                   const struct wm_requester *who, struct obvious_line *displaced)
{
    struct obvious_access access = {.number = line->number, .who = *who};
    struct obvious_line *place = obvious_take(cache, &access, displaced);
    if (place == NULL)
        return false;
    memcpy(place->held, line->held, sizeof place->held);
    memcpy(place->dirty, line->dirty, sizeof place->dirty);
    return true;
}

struct obvious_cache *obvious_hand_on(struct obvious_memory *memory, struct obvious_cache *l1,
                                      struct obvious_line *line, const struct wm_requester *who)
{
    struct obvious_cache *victims = obvious_victims_of(memory, l1);
    if (victims == NULL || !line->present)
        return l1;
    struct obvious_line displaced;
    victims->counters.bytes_from_above += bytes_held(line);
    put_in(victims, line, who, &displaced);
    *line = displaced;
    return victims;
}

bool obvious_recall(struct obvious_memory *memory, struct obvious_cache *l1,
                    const struct obvious_access *access)
{
    struct obvious_cache *victims = obvious_victims_of(memory, l1);
    if (victims == NULL || obvious_find(l1, access->number) != NULL)
        return false;
    struct obvious_line *there = obvious_find(victims, access->number);
    uint32_t missing = access->sectors & ~(there != NULL ? obvious_whole(there) : 0);
    obvious_count_access(victims, access, missing, there != NULL);
    if (there == NULL)
        return false;
    if (access->client != WM_CACHE_LOAD && l1->spec.write_policy == WM_WRITE_THROUGH_EVICT) {
        obvious_count_access(l1, access, missing, true);
        obvious_drop(victims, there, UINT32_MAX);
        return true;
    }
    struct obvious_line line = *there, displaced;
    obvious_remove(victims, there);
    if (put_in(l1, &line, &access->who, &displaced)) {
        victims->counters.bytes_to_above += bytes_held(&line);
        obvious_hand_on(memory, l1, &displaced, &access->who);
        return false;
    }
    victims->counters.invalidations++;
    obvious_count_write_back(victims, &line, obvious_dirty(&line));
    obvious_send_down(memory, victims, &line, &access->who);
    return false;
}

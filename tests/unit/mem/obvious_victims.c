// The model: victim caches (R7).
#include "obvious_memory.h"

static uint64_t bytes_held(const struct obvious_line *line)
{
    return obvious_bytes_of(obvious_whole(line));
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

struct obvious_cache *obvious_hand_on(struct obvious_node *node, struct obvious_line *line,
                                      const struct wm_requester *who)
{
    if (node->victims == NULL || !line->present)
        return &node->array;
    struct obvious_line displaced;
    node->victims->counters.bytes_from_above += bytes_held(line);
    put_in(node->victims, line, who, &displaced);
    *line = displaced;
    return node->victims;
}

bool obvious_recall(struct obvious_memory *memory, struct obvious_node *node,
                    const struct obvious_access *access)
{
    struct obvious_cache *cache = &node->array, *victims = node->victims;
    if (victims == NULL || obvious_find(cache, access->number) != NULL)
        return false;
    struct obvious_line *there = obvious_find(victims, access->number);
    uint32_t missing = access->sectors & ~(there != NULL ? obvious_whole(there) : 0);
    obvious_count_access(victims, access, missing, there != NULL);
    if (there == NULL)
        return false;
    if (access->client != WM_CACHE_LOAD && cache->spec.write_policy == WM_WRITE_THROUGH_EVICT) {
        obvious_count_access(cache, access, missing, true);
        obvious_drop(victims, there, UINT32_MAX);
        return true;
    }
    struct obvious_line line = *there, displaced;
    obvious_remove(victims, there);
    if (put_in(cache, &line, &access->who, &displaced)) {
        victims->counters.bytes_to_above += bytes_held(&line);
        obvious_hand_on(node, &displaced, &access->who);
        return false;
    }
    victims->counters.invalidations++;
    obvious_count_write_back(victims, &line, obvious_dirty(&line));
    obvious_send_down(memory, node, victims, &line, &access->who);
    return false;
}

// Random replacement (RAND): L. A. Belady, "A study of replacement algorithms for a virtual-storage
// computer", IBM Systems Journal 5(2), 1966: every page in memory is equally likely to be replaced,
// and nothing is kept about usage. Here: each allowed way with the same probability, exactly, drawn
// from the array's own stream.
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/replacement/way_words.h"

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    wm_random_init(array, geometry->seed, "random");
}

static void used(const struct wm_replacement_set *set, uint32_t way,
                 const struct wm_replacement_event *event)
{
    (void)set;
    (void)way;
    (void)event;
}

static int32_t allowed_victim(struct wm_random *random, uint32_t ways, const uint64_t *allowed)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < wm_way_words(ways); word++)
        count += (uint32_t)__builtin_popcountll(wm_way_word(ways, word, allowed));
    if (count == 0)
        return WM_NO_WAY;
    uint32_t skip = (uint32_t)wm_random_below(random, count);
    for (uint32_t way = 0;; way++)
        if ((allowed[way / 64] >> (way % 64) & 1) != 0 && skip-- == 0)
            return (int32_t)way;
}

static int32_t victim(const struct wm_replacement_set *set,
                      const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)event;
    if (allowed != NULL)
        return allowed_victim(set->array, set->ways, allowed);
    return (int32_t)wm_random_below(set->array, set->ways);
}

const struct wm_replacement_ops wm_replacement_random = {
    .name = "random",
    .title = "random",
    .source = "Belady, IBM Systems Journal 5(2), 1966 (RAND)",
    .sentence = "displaces any line, each with the same probability",
    .array_state_bytes = sizeof(struct wm_random),
    .reset = reset,
    .hit = used,
    .insert = used,
    .victim = victim,
};

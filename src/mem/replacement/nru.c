// Not recently used: as A. Jaleel, K. B. Theobald, S. C. Steely and J. Emer describe it before they
// improve on it, "High performance cache replacement using re-reference interval prediction
// (RRIP)", ISCA 2010. One nru-bit a line: 0 predicts a near-immediate re-reference, 1 a
// distant one. A fill and a hit clear the line's bit. The victim is the first line from way 0 on
// whose bit is 1; if there is none, all bits of the set become 1 and the search starts again.
//
// Kept here the other way round (1: recently used), so that a zeroed set is a fresh one. Under a
// mask of allowed ways only those are searched; the bits that are turned are still the whole set's.
#include "mem/replacement/entries.h"
#include "mem/replacement/way_words.h"

static void touch(const struct wm_replacement_set *set, uint32_t way,
                  const struct wm_replacement_event *event)
{
    (void)event;
    ((uint64_t *)set->set)[way / 64] |= UINT64_C(1) << (way % 64);
}

static int32_t first_unused(const uint64_t *used, uint32_t ways, const uint64_t *allowed)
{
    for (uint32_t word = 0; word < wm_way_words(ways); word++) {
        uint64_t unused = ~used[word] & wm_way_word(ways, word, allowed);
        if (unused != 0)
            return (int32_t)(word * 64) + __builtin_ctzll(unused);
    }
    return WM_NO_WAY;
}

static bool any_allowed(uint32_t ways, const uint64_t *allowed)
{
    uint64_t any = 0;
    for (uint32_t word = 0; word < wm_way_words(ways); word++)
        any |= wm_way_word(ways, word, allowed);
    return any != 0;
}

static int32_t victim(const struct wm_replacement_set *set,
                      const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)event;
    uint64_t *used = set->set;
    int32_t way = first_unused(used, set->ways, allowed);
    if (way != WM_NO_WAY || !any_allowed(set->ways, allowed))
        return way;
    for (uint32_t word = 0; word < wm_way_words(set->ways); word++)
        used[word] = 0;
    return first_unused(used, set->ways, allowed);
}

const struct wm_replacement_ops wm_replacement_nru = {
    .name = "nru",
    .title = "not recently used",
    .source = "Jaleel, Theobald, Steely and Emer, ISCA 2010",
    .sentence = "displaces the first line not used since all lines of the set were",
    .word_state_bytes = sizeof(uint64_t),
    .hit = touch,
    .insert = touch,
    .victim = victim,
};

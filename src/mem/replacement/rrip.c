#include "mem/replacement/rrip.h"

static int32_t first_distant(const struct wm_rrip_set *rrip, uint32_t ways, const uint64_t *allowed)
{
    for (uint32_t word = 0; word < wm_way_words(ways); word++) {
        uint64_t distant = rrip->planes[word].low & rrip->planes[word].high;
        distant &= wm_way_word(ways, word, allowed);
        if (distant != 0)
            return (int32_t)(word * 64) + __builtin_ctzll(distant);
    }
    return WM_NO_WAY;
}

static void increment_all(struct wm_rrip_set *rrip, uint32_t ways)
{
    for (uint32_t word = 0; word < wm_way_words(ways); word++) {
        uint64_t low = rrip->planes[word].low, high = rrip->planes[word].high;
        rrip->planes[word].low = ~low | high; // 3 stays 3
        rrip->planes[word].high = high | low;
    }
}

int32_t wm_rrip_victim(const struct wm_replacement_set *set,
                       const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)event;
    uint64_t any = 0;
    for (uint32_t word = 0; word < wm_way_words(set->ways); word++)
        any |= wm_way_word(set->ways, word, allowed);
    if (any == 0)
        return WM_NO_WAY;
    for (;;) {
        int32_t way = first_distant(set->set, set->ways, allowed);
        if (way != WM_NO_WAY)
            return way;
        increment_all(set->set, set->ways);
    }
}

void wm_rrip_hit(const struct wm_replacement_set *set, uint32_t way,
                 const struct wm_replacement_event *event)
{
    (void)event;
    wm_rrip_put(set->set, way, WM_RRPV_IMMEDIATE);
}

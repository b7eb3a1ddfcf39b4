#include "mem/replacement/rrip.h"

static uint64_t distant_ways(const struct wm_rrip_word *word, uint32_t bits)
{
    uint64_t distant = ~UINT64_C(0);
    for (uint32_t plane = 0; plane < bits; plane++)
        distant &= word->planes[plane];
    return distant;
}

static int32_t first_distant(const struct wm_rrip_word *words, uint32_t bits, uint32_t ways,
                             const uint64_t *allowed)
{
    for (uint32_t word = 0; word < wm_way_words(ways); word++) {
        uint64_t distant = distant_ways(&words[word], bits) & wm_way_word(ways, word, allowed);
        if (distant != 0)
            return (int32_t)(word * 64) + __builtin_ctzll(distant);
    }
    return WM_NO_WAY;
}

static void increment_all(struct wm_rrip_word *words, uint32_t bits, uint32_t ways)
{
    for (uint32_t word = 0; word < wm_way_words(ways); word++) {
        uint64_t carry = ~distant_ways(&words[word], bits); // who is distant stays
        for (uint32_t plane = 0; plane < bits; plane++) {
            uint64_t old = words[word].planes[plane];
            words[word].planes[plane] = old ^ carry;
            carry &= old;
        }
    }
}

int32_t wm_rrip_victim(const struct wm_replacement_set *set,
                       const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)event;
    struct wm_rrip_word *words = set->set;
    const struct wm_rrip *rrip = set->array;
    uint32_t bits = rrip->bits;
    if (rrip->has_near) {
        uint64_t among = wm_way_word(set->ways, 0, allowed);
        if (among == 0)
            return WM_NO_WAY;
        uint32_t oldest = wm_rrip_near_oldest(words->near, among);
        words->near = wm_rrip_near_age(words->near, oldest);
        return (int32_t)(oldest % WM_RRIP_NEAR_WAYS);
    }
    if (allowed == NULL && set->ways <= 64) {
        uint64_t *planes = words[0].planes;
        return __builtin_ctzll(
            wm_rrip_oldest(planes, bits, wm_way_word(set->ways, 0, NULL), planes));
    }
    uint64_t any = 0;
    for (uint32_t word = 0; word < wm_way_words(set->ways); word++)
        any |= wm_way_word(set->ways, word, allowed);
    if (any == 0)
        return WM_NO_WAY;
    for (;;) {
        int32_t way = first_distant(words, bits, set->ways, allowed);
        if (way != WM_NO_WAY)
            return way;
        increment_all(words, bits, set->ways);
    }
}

void wm_rrip_hit(const struct wm_replacement_set *set, uint32_t way,
                 const struct wm_replacement_event *event)
{
    (void)event;
    struct wm_rrip_word *words = set->set;
    const struct wm_rrip *rrip = set->array;
    if (rrip->has_near) {
        words->near |= WM_RRIP_NEAREST << way;
        return;
    }
    uint32_t taken = rrip->promotion;
    if (taken != 0) {
        uint32_t rrpv = wm_rrip_get(words, rrip->bits, way);
        wm_rrip_put(words, rrip->bits, way, rrpv > taken ? rrpv - taken : 0);
        return;
    }
    uint64_t *planes = words[way / 64].planes;
    uint64_t others = ~(UINT64_C(1) << (way % 64));
    for (uint32_t plane = 0; plane < WM_RRPV_MOST_BITS; plane++)
        planes[plane] &= others;
}

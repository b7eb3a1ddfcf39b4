// Static re-reference interval prediction (SRRIP): A. Jaleel, K. B. Theobald,
// S. C. Steely and J. Emer, "High performance cache replacement using re-reference interval
// prediction (RRIP)", ISCA 2010. An incoming line is predicted to be used again after a
// long interval (RRPV 2 of 0 to 3), between the near-immediate of lines that were hit and the
// distant of victims. A scan, whose lines are never used again, then goes before the lines that
// were used twice. The rest, victim and hit, is in mem/replacement/rrip.h.
#include "mem/replacement/entries.h"
#include "mem/replacement/rrip.h"

enum { BITS, PROMOTION };

static const struct wm_parameter parameters[] = {
    [BITS] = WM_PARAMETER_RRPV_BITS,
    [PROMOTION] = WM_PARAMETER_RRIP_PROMOTION,
};

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    const uint64_t *values = geometry->parameters;
    wm_rrip_init(array, values[BITS], values[PROMOTION], geometry->ways);
}

static void insert(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    (void)event;
    wm_rrip_insert(set->set, set->array, way, false);
}

const struct wm_replacement_ops wm_replacement_srrip = {
    .name = "srrip",
    .title = "static re-reference interval prediction",
    .source = "Jaleel, Theobald, Steely and Emer, ISCA 2010 (SRRIP-HP and -FP)",
    .sentence = "keeps lines that were hit over lines that only came in: scans do no harm",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .array_state_bytes = sizeof(struct wm_rrip),
    .word_state_bytes = sizeof(struct wm_rrip_word),
    .reset = reset,
    .hit = wm_rrip_hit,
    .insert = insert,
    .victim = wm_rrip_victim,
};

// Bimodal re-reference interval prediction: A. Jaleel, K. B. Theobald, S. C. Steely and J. Emer,
// "High performance cache replacement using re-reference interval prediction (RRIP)", ISCA 2010. As
// SRRIP, but most incoming lines are predicted distant (RRPV 3), only with a small probability
// (1/32, as BIP's) long (RRPV 2). Part of a working set larger than the cache then stays. Victim
// and hit are in mem/replacement/rrip.h.
#include "mem/replacement/entries.h"
#include "mem/replacement/rrip_bimodal.h"

enum { BITS, EPSILON, PROMOTION };

static const struct wm_parameter parameters[] = {
    [BITS] = WM_PARAMETER_RRPV_BITS,
    [EPSILON] = WM_PARAMETER_EPSILON,
    [PROMOTION] = WM_PARAMETER_RRIP_PROMOTION,
};

static void insert(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    (void)event;
    struct wm_rrip_bimodal *state = set->array;
    bool distant = wm_bimodal_low_priority(&state->bimodal.events);
    wm_rrip_insert(set->set, &state->rrip, way, distant);
}

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    struct wm_rrip_bimodal *state = array;
    const uint64_t *values = geometry->parameters;
    wm_rrip_init(&state->rrip, values[BITS], values[PROMOTION], geometry->ways);
    wm_bimodal_init(&state->bimodal, geometry->seed, "brrip", values[EPSILON]);
}

const struct wm_replacement_ops wm_replacement_brrip = {
    .name = "brrip",
    .title = "bimodal re-reference interval prediction",
    .source = "Jaleel, Theobald, Steely and Emer, ISCA 2010 (BRRIP)",
    .sentence = "inserts lines as the next victim, one in 32 as srrip does",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .array_state_bytes = sizeof(struct wm_rrip_bimodal),
    .word_state_bytes = sizeof(struct wm_rrip_word),
    .reset = reset,
    .hit = wm_rrip_hit,
    .insert = insert,
    .victim = wm_rrip_victim,
};

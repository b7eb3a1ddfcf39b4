// Bimodal re-reference interval prediction: A. Jaleel, K. B. Theobald, S. C. Steely and J. Emer,
// "High performance cache replacement using re-reference interval prediction (RRIP)", ISCA 2010,
// section 4. As SRRIP, but most incoming lines are predicted distant (RRPV 3), only with a small
// probability (1/32, as BIP's) long (RRPV 2). Part of a working set larger than the cache then
// stays. Victim and hit are in mem/replacement/rrip.h.
#include "mem/replacement/bimodal.h"
#include "mem/replacement/rrip.h"

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    wm_random_init(array, geometry->seed, "brrip");
}

static void insert(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    (void)event;
    wm_rrip_put(set->set, way, wm_bimodal_rare(set->array) ? WM_RRPV_LONG : WM_RRPV_DISTANT);
}

const struct wm_replacement_ops wm_replacement_brrip = {
    .name = "brrip",
    .title = "bimodal re-reference interval prediction",
    .source = "Jaleel, Theobald, Steely and Emer, ISCA 2010, section 4 (BRRIP, 2 bits)",
    .sentence = "inserts lines as the next victim, one in 32 as srrip does",
    .array_state_bytes = sizeof(struct wm_random),
    .set_state_bytes = sizeof(struct wm_rrip_set),
    .reset = reset,
    .hit = wm_rrip_hit,
    .insert = insert,
    .victim = wm_rrip_victim,
};

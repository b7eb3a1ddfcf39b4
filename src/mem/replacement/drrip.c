// Dynamic re-reference interval prediction: A. Jaleel, K. B. Theobald, S. C. Steely and J. Emer,
// "High performance cache replacement using re-reference interval prediction (RRIP)", ISCA 2010,
// section 4. SRRIP resists scans, BRRIP resists thrashing; set dueling (mem/replacement/set_duel.h,
// 32 leader sets each and a 10-bit PSEL) finds which of them misses less, and the other sets insert
// as it does. Victim and hit are in mem/replacement/rrip.h.
#include "mem/replacement/bimodal.h"
#include "mem/replacement/rrip.h"
#include "mem/replacement/set_duel.h"

struct drrip {
    struct wm_set_duel duel; // first SRRIP, second BRRIP
    struct wm_random random;
};

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    struct drrip *drrip = array;
    wm_set_duel_init(&drrip->duel, geometry->sets);
    wm_random_init(&drrip->random, geometry->seed, "drrip");
}

static void insert(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    struct drrip *drrip = set->array;
    bool bimodal = wm_set_duel_miss(&drrip->duel, set->index, event);
    bool distant = bimodal && !wm_bimodal_rare(&drrip->random);
    wm_rrip_put(set->set, way, distant ? WM_RRPV_DISTANT : WM_RRPV_LONG);
}

const struct wm_replacement_ops wm_replacement_drrip = {
    .name = "drrip",
    .title = "dynamic re-reference interval prediction",
    .source = "Jaleel, Theobald, Steely and Emer, ISCA 2010, section 4 (DRRIP, 2 bits)",
    .sentence = "inserts as srrip or as brrip does, whichever misses less in sets that try each",
    .details = "32 sets, but at most a quarter, lead for each; a cache of one set keeps to srrip. "
               "What was learned is lost when the cache is flushed.",
    .array_state_bytes = sizeof(struct drrip),
    .set_state_bytes = sizeof(struct wm_rrip_set),
    .reset = reset,
    .hit = wm_rrip_hit,
    .insert = insert,
    .victim = wm_rrip_victim,
};

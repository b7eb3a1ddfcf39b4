// Dynamic insertion policy: M. K. Qureshi, A. Jaleel, Y. N. Patt, S. C. Steely and J. Emer,
// "Adaptive insertion policies for high performance caching", ISCA 2007. LRU and BIP differ only in
// where the incoming line is put; set dueling (mem/replacement/set_duel.h) measures both on leader
// sets, and the other sets insert as the one with fewer misses does. Hits move a line to the MRU
// position and the victim is the line in the LRU position under both.
#include "mem/replacement/bimodal.h"
#include "mem/replacement/set_duel.h"

struct dip {
    struct wm_set_duel duel; // first LRU, second BIP
    struct wm_random random;
};

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    struct dip *dip = array;
    wm_set_duel_init(&dip->duel, geometry->sets);
    wm_random_init(&dip->random, geometry->seed, "dip");
}

static uint32_t insert_at(const struct wm_replacement_set *set,
                          const struct wm_replacement_event *event)
{
    struct dip *dip = set->array;
    bool bimodal = wm_set_duel_miss(&dip->duel, set->index, event);
    return bimodal && !wm_bimodal_rare(&dip->random) ? WM_CHAIN_LAST : 0;
}

const struct wm_replacement_ops wm_replacement_dip = {
    .name = "dip",
    .title = "dynamic insertion policy",
    .source = "Qureshi, Jaleel, Patt, Steely and Emer, ISCA 2007",
    .sentence = "inserts as lru or as bip does, whichever misses less in sets that try each",
    .details = "32 sets, but at most a quarter, lead for each; a cache of one set keeps to lru. "
               "What was learned is lost when the cache is flushed.",
    .array_state_bytes = sizeof(struct dip),
    .uses_chain = true,
    .promote_by = WM_CHAIN_LAST,
    .chain_insert = insert_at,
    .reset = reset,
};

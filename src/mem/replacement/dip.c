// Dynamic insertion policy: M. K. Qureshi, A. Jaleel, Y. N. Patt, S. C. Steely and J. Emer,
// "Adaptive insertion policies for high performance caching", ISCA 2007. LRU and BIP differ only in
// where the incoming line is put; set dueling (mem/replacement/set_duel.h) measures both on leader
// sets, and the other sets insert as the one with fewer misses does. Hits move a line to the MRU
// position and the victim is the line in the LRU position under both.
#include "mem/replacement/bimodal.h"
#include "mem/replacement/entries.h"

enum { EPSILON, LEADERS, PSEL_BITS };

static const struct wm_parameter parameters[] = {
    [EPSILON] = WM_PARAMETER_EPSILON,
    [LEADERS] = WM_PARAMETER_LEADERS,
    [PSEL_BITS] = WM_PARAMETER_PSEL_BITS,
};

struct dip {
    struct wm_bimodal bimodal; // first LRU, second BIP
    int8_t moves[WM_DUEL_TABLE_SETS];
};

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    struct dip *dip = array;
    struct wm_bimodal *bimodal = &dip->bimodal;
    const uint64_t *values = geometry->parameters;
    wm_bimodal_init(bimodal, geometry->seed, "dip", values[EPSILON]);
    wm_set_duel_init(&bimodal->duel, geometry->sets, (uint32_t)values[LEADERS],
                     (uint32_t)values[PSEL_BITS]);
    wm_set_duel_tabulate(&bimodal->duel, geometry->sets, dip->moves);
}

static uint32_t insert_at(const struct wm_replacement_set *set,
                          const struct wm_replacement_event *event)
{
    bool soon = wm_bimodal_duel_low_priority(set->array, set->index, !event->write_back);
    return soon ? WM_CHAIN_LAST : 0;
}

const struct wm_replacement_ops wm_replacement_dip = {
    .name = "dip",
    .title = "dynamic insertion policy",
    .source = "Qureshi, Jaleel, Patt, Steely and Emer, ISCA 2007",
    .sentence = "inserts as lru or as bip does, whichever misses less in sets that try each",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .details = "A cache of one set keeps to lru. "
               "What was learned survives a flush.",
    .array_state_bytes = sizeof(struct dip),
    .uses_chain = true,
    .promote_by = WM_CHAIN_LAST,
    .chain_insert = insert_at,
    .reset = reset,
};

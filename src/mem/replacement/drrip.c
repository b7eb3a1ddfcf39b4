// Dynamic re-reference interval prediction: A. Jaleel, K. B. Theobald, S. C. Steely and J. Emer,
// "High performance cache replacement using re-reference interval prediction (RRIP)", ISCA 2010.
// SRRIP resists scans, BRRIP resists thrashing; set dueling (mem/replacement/set_duel.h,
// 32 leader sets each and a 10-bit PSEL) finds which of them misses less, and the other sets insert
// as it does. Victim and hit are in mem/replacement/rrip.h.
#include "mem/replacement/entries.h"
#include "mem/replacement/rrip_bimodal.h"

enum { BITS, EPSILON, LEADERS, PSEL_BITS, PROMOTION };

static const struct wm_parameter parameters[] = {
    [BITS] = WM_PARAMETER_RRPV_BITS,           [EPSILON] = WM_PARAMETER_EPSILON,
    [LEADERS] = WM_PARAMETER_LEADERS,          [PSEL_BITS] = WM_PARAMETER_PSEL_BITS,
    [PROMOTION] = WM_PARAMETER_RRIP_PROMOTION,
};

struct drrip {
    struct wm_rrip_bimodal state; // first SRRIP, second BRRIP
    int8_t moves[WM_DUEL_TABLE_SETS];
};

static void insert(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    struct wm_rrip_bimodal *state = set->array;
    bool distant = wm_bimodal_duel_low_priority(&state->bimodal, set->index, !event->write_back);
    wm_rrip_insert(set->set, &state->rrip, way, distant);
}

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    struct drrip *drrip = array;
    struct wm_rrip_bimodal *state = &drrip->state;
    const uint64_t *values = geometry->parameters;
    wm_rrip_init(&state->rrip, values[BITS], values[PROMOTION], geometry->ways);
    wm_bimodal_init(&state->bimodal, geometry->seed, "drrip", values[EPSILON]);
    wm_set_duel_init(&state->bimodal.duel, geometry->sets, (uint32_t)values[LEADERS],
                     (uint32_t)values[PSEL_BITS]);
    wm_set_duel_tabulate(&state->bimodal.duel, geometry->sets, drrip->moves);
}

const struct wm_replacement_ops wm_replacement_drrip = {
    .name = "drrip",
    .title = "dynamic re-reference interval prediction",
    .source = "Jaleel, Theobald, Steely and Emer, ISCA 2010 (DRRIP)",
    .sentence = "inserts as srrip or as brrip does, whichever misses less in sets that try each",
    .details = "A cache of one set keeps to srrip. "
               "What was learned survives a flush.",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .array_state_bytes = sizeof(struct drrip),
    .word_state_bytes = sizeof(struct wm_rrip_word),
    .reset = reset,
    .hit = wm_rrip_hit,
    .insert = insert,
    .victim = wm_rrip_victim,
};

// Bimodal insertion policy: M. K. Qureshi, A. Jaleel, Y. N. Patt, S. C. Steely and J. Emer,
// "Adaptive insertion policies for high performance caching", ISCA 2007. As LIP, but with the
// bimodal throttle parameter's small probability (epsilon, 1/32 in the paper) the incoming line is
// put in the MRU position as under LRU. Lines then age out, and a new working set gets in: of a
// cyclic set of T lines in K ways about (K-1)/T of the references hit, also after the set changed.
#include "mem/replacement/bimodal.h"
#include "mem/replacement/entries.h"

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    wm_bimodal_init(array, geometry->seed, "bip", geometry->parameters[0]);
}

static uint32_t insert_at(const struct wm_replacement_set *set,
                          const struct wm_replacement_event *event)
{
    (void)event;
    struct wm_bimodal *bimodal = set->array;
    return wm_bimodal_low_priority(&bimodal->events) ? WM_CHAIN_LAST : 0;
}

static const struct wm_parameter parameters[] = {WM_PARAMETER_EPSILON};

const struct wm_replacement_ops wm_replacement_bip = {
    .name = "bip",
    .title = "bimodal insertion policy",
    .source = "Qureshi, Jaleel, Patt, Steely and Emer, ISCA 2007",
    .sentence = "inserts lines as the next victim, one in 32 as the most recent",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .array_state_bytes = sizeof(struct wm_bimodal),
    .uses_chain = true,
    .promote_by = WM_CHAIN_LAST,
    .chain_insert = insert_at,
    .reset = reset,
};

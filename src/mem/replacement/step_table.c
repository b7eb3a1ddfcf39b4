#include "mem/replacement/entries.h"
#include "mem/replacement/ship.h"
#include "mem/replacement/step.h"

// Whether the chain's answers are the constants `insert` and `promote`, and there is no hook to
// call.
static bool answers(const struct wm_replacement_ops *ops, bool insert_last, bool promote)
{
    return ops->uses_chain && ops->protect == 0 && ops->chain_insert == NULL &&
           ops->chain_promote == NULL && ops->chain_protect == NULL && ops->hit == NULL &&
           ops->insert == NULL && ops->evict == NULL &&
           ops->insert_at == (insert_last ? WM_CHAIN_LAST : 0) &&
           ops->promote_by == (promote ? WM_CHAIN_LAST : 0);
}

// Whether RRIP entries are as the steps have them: predictions of WM_RRPV_BITS, hits near at once.
static bool predicts_as_steps(const struct wm_replacement_ops *ops, const uint64_t *parameters)
{
    for (size_t i = 0; i < ops->parameter_count; i++) {
        const char *name = ops->parameters[i].name;
        if (strcmp(name, "bits") == 0 && parameters[i] != WM_RRPV_BITS)
            return false;
        if (strcmp(name, "promotion") == 0 && parameters[i] != 0)
            return false;
    }
    return true;
}

enum wm_step_family wm_step_family_of(const struct wm_replacement_ops *ops,
                                      const uint64_t *parameters, uint32_t ways)
{
    static const struct {
        const struct wm_replacement_ops *ops;
        enum wm_step_family family;
        bool predicts;
    } table[] = {
        {&wm_replacement_bip, WM_STEP_BIP, false},
        {&wm_replacement_dip, WM_STEP_DIP, false},
        {&wm_replacement_pipp, WM_STEP_PIPP, false},
        {&wm_replacement_random, WM_STEP_RANDOM, false},
        {&wm_replacement_plru, WM_STEP_PLRU, false},
        {&wm_replacement_nru, WM_STEP_NRU, false},
        {&wm_replacement_srrip, WM_STEP_SRRIP, true},
        {&wm_replacement_brrip, WM_STEP_BRRIP, true},
        {&wm_replacement_drrip, WM_STEP_DRRIP, true},
        {&wm_replacement_ship, WM_STEP_SHIP, true},
    };
    if (ways > 32)
        return WM_STEP_NONE;
    if (answers(ops, false, true))
        return WM_STEP_LRU;
    if (answers(ops, false, false) || answers(ops, true, false) || answers(ops, true, true))
        return WM_STEP_CHAIN;
    // Its parameter 2 is the width of a counter.
    if (ops == &wm_replacement_ship && parameters[2] > WM_SHIP_STREAM_COUNTER_BITS)
        return WM_STEP_NONE;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].ops == ops)
            return table[i].predicts && !predicts_as_steps(ops, parameters) ? WM_STEP_NONE
                                                                            : table[i].family;
    return WM_STEP_NONE;
}

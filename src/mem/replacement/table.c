#include "mem/replacement/entries.h"

#define ENTRY(entry) &wm_replacement_##entry,
static const struct wm_replacement_ops *const table[] = {WM_REPLACEMENTS(ENTRY)};

const struct wm_replacement_ops *const *wm_replacement_table(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

bool wm_replacement_sees_requester(const struct wm_replacement_ops *ops)
{
    static const struct wm_replacement_ops *const blind[] = {
        &wm_replacement_lru,   &wm_replacement_fifo,  &wm_replacement_random, &wm_replacement_plru,
        &wm_replacement_nru,   &wm_replacement_lip,   &wm_replacement_bip,    &wm_replacement_dip,
        &wm_replacement_srrip, &wm_replacement_brrip, &wm_replacement_drrip,
    };
    for (size_t i = 0; i < sizeof blind / sizeof blind[0]; i++)
        if (blind[i] == ops)
            return false;
    return true;
}

const struct wm_replacement_ops *wm_replacement_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}

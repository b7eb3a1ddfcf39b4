#include "mem/recency.h"
#include "mem/replacement/replacement.h"

int32_t wm_replacement_victim(const struct wm_replacement_ops *ops,
                              const struct wm_replacement_set *set,
                              const struct wm_replacement_event *event, const uint64_t *allowed)
{
    if (!ops->uses_chain)
        return ops->victim(set, event, allowed);
    if (ops->protect == 0 && ops->chain_protect == NULL && allowed == NULL)
        return (int32_t)wm_recency_way_at(set->recency, set->index, set->ways - 1);
    uint32_t protect =
        ops->chain_protect != NULL ? ops->chain_protect(set, event) : (uint32_t)ops->protect;
    return wm_recency_last_allowed(set->recency, set->index, protect, allowed);
}

void wm_replacement_inserted(const struct wm_replacement_ops *ops,
                             const struct wm_replacement_set *set, uint32_t way,
                             const struct wm_replacement_event *event)
{
    if (ops->uses_chain) {
        uint32_t position =
            ops->chain_insert != NULL ? ops->chain_insert(set, event) : (uint32_t)ops->insert_at;
        uint32_t last = set->ways - 1;
        if (position == 0)
            wm_recency_to_front(set->recency, set->index, way);
        else
            wm_recency_move(set->recency, set->index, way, position < last ? position : last);
    }
    if (ops->insert != NULL)
        ops->insert(set, way, event);
}

void wm_replacement_touched(const struct wm_replacement_ops *ops,
                            const struct wm_replacement_set *set, uint32_t way,
                            const struct wm_replacement_event *event)
{
    if (ops->uses_chain) {
        uint32_t by = ops->chain_promote != NULL ? ops->chain_promote(set, way, event)
                                                 : (uint32_t)ops->promote_by;
        if (by >= set->ways) {
            wm_recency_to_front(set->recency, set->index, way);
        } else if (by > 0) {
            wm_recency_promote(set->recency, set->index, way, by);
        }
    }
    if (ops->hit != NULL)
        ops->hit(set, way, event);
}

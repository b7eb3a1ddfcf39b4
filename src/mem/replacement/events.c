#include "mem/cache/recency.h"
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

// The answer p leaves ways - 1 - p lines behind the new one, or all there are.
static uint32_t insert_position(const struct wm_replacement_ops *ops,
                                const struct wm_replacement_set *set, uint32_t others,
                                const struct wm_replacement_event *event)
{
    uint32_t answer =
        ops->chain_insert != NULL ? ops->chain_insert(set, event) : (uint32_t)ops->insert_at;
    uint32_t last = set->ways - 1, behind = answer < last ? last - answer : 0;
    return others > behind ? others - behind : 0;
}

static uint32_t promotion(const struct wm_replacement_ops *ops,
                          const struct wm_replacement_set *set, uint32_t way,
                          const struct wm_replacement_event *event)
{
    return ops->chain_promote != NULL ? ops->chain_promote(set, way, event)
                                      : (uint32_t)ops->promote_by;
}

uint32_t wm_replacement_insert_position(const struct wm_replacement_ops *ops,
                                        const struct wm_replacement_set *set, uint32_t others,
                                        const struct wm_replacement_event *event)
{
    uint32_t position = insert_position(ops, set, others, event);
    if (ops->insert != NULL)
        ops->insert(set, position, event);
    return position;
}

uint32_t wm_replacement_hit_position(const struct wm_replacement_ops *ops,
                                     const struct wm_replacement_set *set, uint32_t position,
                                     const struct wm_replacement_event *event)
{
    uint32_t by = promotion(ops, set, position, event);
    if (ops->hit != NULL)
        ops->hit(set, position, event);
    return by < position ? position - by : 0;
}

void wm_replacement_inserted(const struct wm_replacement_ops *ops,
                             const struct wm_replacement_set *set, uint32_t way, uint32_t others,
                             const struct wm_replacement_event *event)
{
    if (ops->uses_chain) {
        uint32_t position = insert_position(ops, set, others, event);
        if (position == 0)
            wm_recency_to_front(set->recency, set->index, way);
        else
            wm_recency_move(set->recency, set->index, way, position);
    }
    if (ops->insert != NULL)
        ops->insert(set, way, event);
}

void wm_replacement_touched(const struct wm_replacement_ops *ops,
                            const struct wm_replacement_set *set, uint32_t way,
                            const struct wm_replacement_event *event)
{
    if (ops->uses_chain) {
        uint32_t by = promotion(ops, set, way, event);
        if (by >= set->ways) {
            wm_recency_to_front(set->recency, set->index, way);
        } else if (by > 0) {
            wm_recency_promote(set->recency, set->index, way, by);
        }
    }
    if (ops->hit != NULL)
        ops->hit(set, way, event);
}

#include "choosy.h"

static int32_t refuse_some(const struct wm_replacement_set *set,
                           const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)allowed;
    uint32_t told = event->pc + event->warp + event->sm + event->kind + event->hint;
    return event->line % 3 == 0
               ? WM_NO_WAY
               : (int32_t)((event->line / 3 + told + event->write_back) % set->ways);
}

static void ignore(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    (void)set;
    (void)way;
    (void)event;
}

const struct wm_replacement_ops choosy_replacement = {
    .name = "choosy", .victim = refuse_some, .hit = ignore, .insert = ignore};

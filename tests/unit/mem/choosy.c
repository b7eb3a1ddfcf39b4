#include "choosy.h"

static bool is_allowed(const uint64_t *allowed, uint32_t way)
{
    return allowed == NULL || (allowed[way / 64] >> way % 64 & 1) != 0;
}

static int32_t refuse_some(const struct wm_replacement_set *set,
                           const struct wm_replacement_event *event, const uint64_t *allowed)
{
    uint32_t told = event->pc + event->warp + event->sm + event->kind + event->hint;
    uint32_t first = (uint32_t)((event->line / 3 + told + event->write_back) % set->ways);
    for (uint32_t i = 0; event->line % 3 != 0 && i < set->ways; i++)
        if (is_allowed(allowed, (first + i) % set->ways))
            return (int32_t)((first + i) % set->ways);
    return WM_NO_WAY;
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

#include "sm/block_dispatch/block_dispatch.h"

static const struct wm_block_dispatch_ops *const dispatches[] = {
    [WM_BLOCK_DISPATCH_ROUND_ROBIN] = &wm_block_dispatch_round_robin,
};

const struct wm_block_dispatch_ops *const *wm_block_dispatch_table(size_t *count)
{
    *count = sizeof dispatches / sizeof dispatches[0];
    return dispatches;
}

const struct wm_block_dispatch_ops *wm_block_dispatch_find(enum wm_block_dispatch dispatch)
{
    return dispatches[dispatch];
}

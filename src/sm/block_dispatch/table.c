#include "sm/block_dispatch/block_dispatch.h"

#define ENTRY(entry) &wm_block_dispatch_##entry,
static const struct wm_block_dispatch_ops *const table[] = {WM_BLOCK_DISPATCHES(ENTRY)};

const struct wm_block_dispatch_ops *const *wm_block_dispatch_table(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

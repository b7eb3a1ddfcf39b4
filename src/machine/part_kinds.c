#include "machine/part_kinds.h"

#include "machine/plugins.h"
#include "mem/bypass/bypass.h"
#include "mem/replacement/replacement.h"
#include "mem/set_index/set_index.h"
#include "sm/block_dispatch/block_dispatch.h"
#include "sm/warp_order/warp_order.h"

#include <string.h>

static bool replacement_at(const struct wm_plugins *plugins, size_t index,
                           struct wm_part_facts *facts)
{
    size_t count;
    const char *file = NULL;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    const struct wm_replacement_ops *ops =
        index < count ? table[index] : wm_plugins_replacement(plugins, index - count, &file);
    if (!ops)
        return false;
    *facts = (struct wm_part_facts){
        .name = ops->name,
        .title = ops->title,
        .source = ops->source,
        .sentence = ops->sentence,
        .details = ops->details,
        .parameters = ops->parameters,
        .parameter_count = ops->parameter_count,
        .file = file,
    };
    return true;
}

static bool bypass_at(const struct wm_plugins *plugins, size_t index, struct wm_part_facts *facts)
{
    size_t count;
    const char *file = NULL;
    const struct wm_bypass_ops *const *table = wm_bypass_table(&count);
    const struct wm_bypass_ops *ops =
        index < count ? table[index] : wm_plugins_bypass(plugins, index - count, &file);
    if (!ops)
        return false;
    *facts = (struct wm_part_facts){
        .name = ops->name,
        .title = ops->title,
        .source = ops->source,
        .sentence = ops->sentence,
        .details = ops->details,
        .parameters = ops->parameters,
        .parameter_count = ops->parameter_count,
        .file = file,
    };
    return true;
}

static bool set_index_at(const struct wm_plugins *plugins, size_t index,
                         struct wm_part_facts *facts)
{
    (void)plugins;
    size_t count;
    const struct wm_set_index_ops *const *table = wm_set_index_table(&count);
    if (index >= count)
        return false;
    const struct wm_set_index_ops *ops = table[index];
    *facts = (struct wm_part_facts){
        .name = ops->name,
        .title = ops->title,
        .source = ops->source,
        .sentence = ops->sentence,
        .details = ops->details,
        .serves = ops->sets,
    };
    return true;
}

static bool warp_order_at(const struct wm_plugins *plugins, size_t index,
                          struct wm_part_facts *facts)
{
    (void)plugins;
    size_t count;
    const struct wm_warp_order_ops *const *table = wm_warp_order_table(&count);
    if (index >= count)
        return false;
    const struct wm_warp_order_ops *ops = table[index];
    *facts = (struct wm_part_facts){
        .name = ops->name,
        .title = ops->title,
        .source = ops->source,
        .sentence = ops->sentence,
        .details = ops->details,
    };
    return true;
}

static bool block_dispatch_at(const struct wm_plugins *plugins, size_t index,
                              struct wm_part_facts *facts)
{
    (void)plugins;
    size_t count;
    const struct wm_block_dispatch_ops *const *table = wm_block_dispatch_table(&count);
    if (index >= count)
        return false;
    const struct wm_block_dispatch_ops *ops = table[index];
    *facts = (struct wm_part_facts){
        .name = ops->name,
        .title = ops->title,
        .source = ops->source,
        .sentence = ops->sentence,
        .details = ops->details,
    };
    return true;
}

const struct wm_part_kind wm_part_kinds[] = {
    {"replacement", "which line of a full set makes room for a new one",
     "gpu.l1.replacement, gpu.l2.replacement", replacement_at},
    {"bypass", "which loads and stores go past the level-one cache", "gpu.l1.bypass", bypass_at},
    {"set-index", "which set of a cache a line belongs to", "gpu.l1.set_index, gpu.l2.set_index",
     set_index_at},
    {"warp-order", "which of an SM's ready warps goes next", "gpu.sm.warp_order", warp_order_at},
    {"block-dispatch", "which SM gets the grid's next block", "gpu.sm.block_dispatch",
     block_dispatch_at},
};
const size_t wm_part_kind_count = sizeof wm_part_kinds / sizeof wm_part_kinds[0];

const struct wm_part_kind *wm_part_kind_find(const char *name)
{
    for (size_t i = 0; i < wm_part_kind_count; i++)
        if (strcmp(wm_part_kinds[i].name, name) == 0)
            return &wm_part_kinds[i];
    return NULL;
}

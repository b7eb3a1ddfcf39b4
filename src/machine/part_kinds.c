#include "machine/part_kinds.h"

#include "machine/plugins.h"
#include "mem/bypass/bypass.h"
#include "mem/dram_scheduler/dram_scheduler.h"
#include "mem/prefetch/prefetch.h"
#include "mem/replacement/replacement.h"
#include "mem/set_index/set_index.h"
#include "sm/block_dispatch/block_dispatch.h"
#include "sm/warp_scheduler/warp_scheduler.h"

#include <string.h>

// The texts that the entries of every kind have, each under a type of its own.
#define TEXTS(ops)                                                       \
    .name = (ops)->name, .title = (ops)->title, .source = (ops)->source, \
    .sentence = (ops)->sentence, .details = (ops)->details

// A kind whose entries are all in warpmem's own table; what follows the table's name is set from
// `own` besides its texts.
#define CLOSED_KIND(kind, ...)                                                   \
    static bool kind##_at(const struct wm_plugins *plugins, size_t index,        \
                          struct wm_entry_description *facts)                    \
    {                                                                            \
        size_t count;                                                            \
        const struct wm_##kind##_ops *const *table = wm_##kind##_table(&count);  \
        const struct wm_##kind##_ops *own = index < count ? table[index] : NULL; \
        (void)plugins;                                                           \
        if (own)                                                                 \
            *facts = (struct wm_entry_description){TEXTS(own), __VA_ARGS__};     \
        return own != NULL;                                                      \
    }

// A kind of warpmem/plugin.h: plug-ins' entries follow, and entries have parameters.
#define OPEN_KIND(kind)                                                                       \
    static bool kind##_at(const struct wm_plugins *plugins, size_t index,                     \
                          struct wm_entry_description *facts)                                 \
    {                                                                                         \
        size_t count;                                                                         \
        const char *file = NULL;                                                              \
        const struct wm_##kind##_ops *const *table = wm_##kind##_table(&count);               \
        const struct wm_##kind##_ops *ops =                                                   \
            index < count ? table[index] : wm_plugins_##kind(plugins, index - count, &file);  \
        if (ops)                                                                              \
            *facts = (struct wm_entry_description){TEXTS(ops), .parameters = ops->parameters, \
                                                   .parameter_count = ops->parameter_count,   \
                                                   .file = file};                             \
        return ops != NULL;                                                                   \
    }

OPEN_KIND(replacement)
OPEN_KIND(bypass)
OPEN_KIND(prefetch)
CLOSED_KIND(set_index, .serves = own->sets)
CLOSED_KIND(warp_scheduler, .serves = NULL)
CLOSED_KIND(block_dispatch, .serves = NULL)
CLOSED_KIND(dram_scheduler, .serves = NULL)

const struct wm_part_kind wm_part_kinds[] = {
    {"replacement", "which line of a full set makes room for a new one",
     "gpu.l1.replacement, gpu.l2.replacement", replacement_at},
    {"bypass", "which loads and stores go past the level-one cache", "gpu.l1.bypass", bypass_at},
    {"prefetch", "which lines a cache requests before they are looked for",
     "gpu.l1.prefetch, gpu.l2.prefetch", prefetch_at},
    {"set-index", "which set of a cache a line belongs to", "gpu.l1.set_index, gpu.l2.set_index",
     set_index_at},
    {"warp-scheduler", "which of an SM's ready warps goes next", "gpu.sm.warp_scheduler",
     warp_scheduler_at},
    {"block-dispatch", "which SM gets which block of the grid next", "gpu.sm.block_dispatch",
     block_dispatch_at},
    {"dram-scheduler", "which command of a DRAM channel goes next", "gpu.dram.scheduler",
     dram_scheduler_at},
};
const size_t wm_part_kind_count = sizeof wm_part_kinds / sizeof wm_part_kinds[0];

const struct wm_part_kind *wm_part_kind_find(const char *name)
{
    for (size_t i = 0; i < wm_part_kind_count; i++)
        if (strcmp(wm_part_kinds[i].name, name) == 0)
            return &wm_part_kinds[i];
    return NULL;
}

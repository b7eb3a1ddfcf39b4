#include "machine/kinds.h"

#include "machine/plugins.h"
#include "mem/bypass/bypass.h"
#include "mem/dram_scheduler/dram_scheduler.h"
#include "mem/prefetch/prefetch.h"
#include "mem/replacement/replacement.h"
#include "mem/set_index/set_index.h"
#include "sm/block_dispatch/block_dispatch.h"
#include "sm/warp_scheduler/warp_scheduler.h"

#define KIND(kind)                                                              \
    static const void *kind##_at(size_t index)                                  \
    {                                                                           \
        size_t count;                                                           \
        const struct wm_##kind##_ops *const *table = wm_##kind##_table(&count); \
        return index < count ? table[index] : NULL;                             \
    }                                                                           \
    static const char *kind##_name(const void *entry)                           \
    {                                                                           \
        return ((const struct wm_##kind##_ops *)entry)->name;                   \
    }                                                                           \
    static const char *kind##_sentence(const void *entry)                       \
    {                                                                           \
        return ((const struct wm_##kind##_ops *)entry)->sentence;               \
    }

// A kind whose entries are of warpmem/plugin.h.
#define OPEN_KIND(kind)                                                                     \
    KIND(kind)                                                                              \
    static const struct wm_parameter *kind##_parameters(const void *entry, size_t *count)   \
    {                                                                                       \
        *count = ((const struct wm_##kind##_ops *)entry)->parameter_count;                  \
        return ((const struct wm_##kind##_ops *)entry)->parameters;                         \
    }                                                                                       \
    static const void *kind##_plugged(const struct wm_plugins *plugins, size_t index)       \
    {                                                                                       \
        return wm_plugins_##kind(plugins, index, NULL);                                     \
    }                                                                                       \
    const struct wm_key_kind wm_key_kind_##kind = {kind##_at, kind##_name, kind##_sentence, \
                                                   kind##_parameters, kind##_plugged};

OPEN_KIND(replacement)
OPEN_KIND(bypass)
OPEN_KIND(prefetch)

#define CLOSED_KIND(kind)                                                                         \
    KIND(kind)                                                                                    \
    const struct wm_key_kind wm_key_kind_##kind = {kind##_at, kind##_name, kind##_sentence, NULL, \
                                                   NULL};

CLOSED_KIND(set_index)
CLOSED_KIND(dram_scheduler)
CLOSED_KIND(warp_scheduler)
CLOSED_KIND(block_dispatch)

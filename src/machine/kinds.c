#include "machine/kinds.h"

#include "machine/plugins.h"
#include "mem/bypass/bypass.h"
#include "mem/dram_scheduler/dram_scheduler.h"
#include "mem/replacement/replacement.h"
#include "mem/set_index/set_index.h"

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

KIND(set_index)
const struct wm_key_kind wm_key_kind_set_index = {set_index_at, set_index_name, set_index_sentence,
                                                  NULL, NULL};

KIND(dram_scheduler)
const struct wm_key_kind wm_key_kind_dram_scheduler = {dram_scheduler_at, dram_scheduler_name,
                                                       dram_scheduler_sentence, NULL, NULL};

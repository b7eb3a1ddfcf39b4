#include "machine/kinds.h"

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
    }                                                                           \
    const struct wm_key_kind wm_key_kind_##kind = {kind##_at, kind##_name, kind##_sentence}

KIND(replacement);
KIND(set_index);

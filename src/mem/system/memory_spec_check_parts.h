// The inside of the checks of a spec: how refusals are said, by the names that the caller has for
// them, and what to do. Private to mem/system/.
#ifndef WM_MEM_SYSTEM_MEMORY_SPEC_CHECK_PARTS_H
#define WM_MEM_SYSTEM_MEMORY_SPEC_CHECK_PARTS_H

#include "mem/system/memory_spec_check.h"

#include <stdint.h>

struct wm_spec_number {
    char text[64];
};

// Bytes as people write them.
struct wm_spec_number wm_spec_bytes(uint64_t value);

// A list of fields and their number, as arguments.
#define WM_SPEC_FIELDS(...)                      \
    (const struct wm_spec_field[]){__VA_ARGS__}, \
        sizeof((const struct wm_spec_field[]){__VA_ARGS__}) / sizeof(struct wm_spec_field)
// A field of the spec, of a level, and of a cache, both of which have a name.
#define WM_SPEC_OWN(field)                                           \
    {                                                                \
        NULL, #field, &check->spec->field, sizeof check->spec->field \
    }
#define WM_SPEC_OF(owner, field)                                                 \
    {                                                                            \
        (owner)->name, #field, &(owner)->spec->field, sizeof(owner)->spec->field \
    }

// Fills the check's error and fields. In the texts "{0}" is the name of the first field, "{0=}"
// also its value.
void wm_spec_refuse(struct wm_spec_check *check, const struct wm_spec_field *fields, size_t count,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
// What to do about what was refused. WM_INVALID.
enum wm_status wm_spec_cure(const struct wm_spec_check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum wm_spec_steps { WM_SPEC_ANY, WM_SPEC_POWERS_OF_TWO };

// Machine files cannot leave these ranges (machine/schema.h); those who fill specs can.
enum wm_status wm_spec_check_range(struct wm_spec_check *check, struct wm_spec_field field,
                                   uint64_t low, uint64_t high, enum wm_spec_steps steps);
#define WM_SPEC_RANGE(field, low, high, steps) \
    WM_TRY(wm_spec_check_range(check, (struct wm_spec_field)field, low, high, steps))

// What one cache is checked for by itself: of a level, or of none.
struct wm_checked_cache {
    const struct wm_cache_spec *spec;
    const char *name;
    uint32_t instances;          // that share its bytes: slices
    struct wm_spec_field slices; // where that is said; of no member: nowhere
};
enum wm_status wm_spec_check_cache(struct wm_spec_check *check,
                                   const struct wm_checked_cache *cache);

struct wm_checked_level {
    const struct wm_level_spec *spec;
    const char *name;
    uint32_t number;
};
struct wm_checked_level wm_spec_checked_level(const struct wm_spec_check *check, uint32_t number);
// Whether what is said of a level is to be looked at.
bool wm_spec_level_counts(const struct wm_spec_check *check, uint32_t number);

// spec_exclusions.c. Parts of the level that others, of it or of levels above or below, exclude.
enum wm_status wm_spec_check_exclusions(struct wm_spec_check *check, uint32_t number);

// spec_levels.c. The levels, each by itself and with the others.
enum wm_status wm_spec_check_levels(struct wm_spec_check *check);

// spec_coherence.c. How coherent levels stand to each other, to units, and to the rest.
enum wm_status wm_spec_check_coherence(struct wm_spec_check *check);

// spec_scoped.c. Which levels may invalidate themselves.
enum wm_status wm_spec_check_scoped(struct wm_spec_check *check);

// spec_served.c. WM_UNSUPPORTED for a spec that can be, and that nothing simulates yet.
enum wm_status wm_spec_check_served(const struct wm_memory_spec *spec, struct wm_error *error);

#endif

// Which memory systems can be built: every rule between the fields of a spec, stated once. A caller
// that fills specs from something else, as machine files do, gives the names that fields have
// there, and gets the fields that a refusal is about.
#ifndef WM_MEM_SYSTEM_MEMORY_SPEC_CHECK_H
#define WM_MEM_SYSTEM_MEMORY_SPEC_CHECK_H

#include "base/error.h"
#include "mem/system/memory_spec.h"

#include <stddef.h>

enum { WM_SPEC_MOST_FIELDS = 16 };

struct wm_spec_field {
    const char *group, *member; // "l1", "ways"; group NULL: the member says all
    const void *at;             // in the spec
    size_t bytes;
};

struct wm_spec_check {
    const struct wm_memory_spec *spec; // borrowed
    // Parts that are not present, but have a size, are described nevertheless, and must be such as
    // could be.
    bool absent_too;
    // What errors call the field at an offset in struct wm_memory_spec, for example by the key of a
    // machine file; NULL, or an answer of false: by its place in the struct, "l1.ways".
    bool (*name_of)(const void *context, size_t offset, char *name, size_t size);
    const void *context;    // borrowed
    struct wm_error *error; // may be NULL
    // After a refusal: the fields that it is about, beginning with the one to look at first.
    struct wm_spec_field fields[WM_SPEC_MOST_FIELDS];
    uint32_t field_count;
};

// WM_INVALID when no memory system can be like that: the error names fields, values and a cure, and
// has no place.
enum wm_status wm_memory_spec_check_as(struct wm_spec_check *check);
// The same of a spec filled by hand.
enum wm_status wm_memory_spec_check(const struct wm_memory_spec *spec, struct wm_error *error);

// Of one cache by itself, present or not. `name` is its place in the spec ("l1"); `instances` is
// how many share spec->size_bytes evenly.
enum wm_status wm_cache_spec_check(const struct wm_cache_spec *spec, const char *name,
                                   uint32_t instances, struct wm_error *error);

// For what needs to know which line leaves a cache, at once: WM_INVALID, saying `what`, when the
// cache is present and its replacement is one under which that is not known (`opt`). `name` as
// above.
enum wm_status wm_cache_spec_names_victims(const struct wm_cache_spec *spec, const char *name,
                                           const char *what, struct wm_error *error);

#endif

// The kinds of swappable parts and what is known of their entries, for people: what `warpmem list`
// and `warpmem explain` print.
#ifndef WM_MACHINE_PART_KINDS_H
#define WM_MACHINE_PART_KINDS_H

#include "machine/machine.h"
#include "machine/plugins.h"
#include "warpmem/plugin.h"

#include <stdbool.h>
#include <stddef.h>

// Of one entry; texts are static or live as long as the plug-in that has them.
struct wm_entry_description {
    const char *name, *title, *source, *sentence;
    const char *details; // whole sentences; NULL for none
    const char *serves;  // what it can be used with, "any number of sets"; NULL for everything
    const struct wm_parameter *parameters;
    size_t parameter_count;
    const char *file; // the plug-in that it is from; NULL for warpmem's own
};

struct wm_part_kind {
    const char *name;     // "set-index"
    const char *sentence; // what its entries decide: lower case, no full stop
    const char *keys;     // of machine files, where entries are named
    // Describes the entry at `index`, 0 and up, warpmem's own before those of `plugins` (may be
    // NULL); false past the last.
    bool (*at)(const struct wm_plugins *plugins, size_t index, struct wm_entry_description *facts);
};

extern const struct wm_part_kind wm_part_kinds[];
extern const size_t wm_part_kind_count;

// NULL when there is none of that name.
const struct wm_part_kind *wm_part_kind_find(const char *name);

#endif

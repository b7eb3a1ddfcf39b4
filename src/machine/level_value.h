// Values that say where a level stands among others: what each has one of ("8 sm"), which level its
// misses go to ("/llc"), which accesses begin at it ("[data, uniform]"). Private to machine/.
#ifndef WM_MACHINE_LEVEL_VALUE_H
#define WM_MACHINE_LEVEL_VALUE_H

#include "machine/schema.h"

// Reads the text of such a key into the machine; a name is one of the machine's levels as they are.
// Errors have message and hint.
enum wm_status wm_level_value_read(const struct wm_machine_key *key, const char *text,
                                   struct wm_machine *machine, struct wm_error *error);
// Prints it as it is read.
void wm_level_value_print(const struct wm_machine_key *key, const struct wm_machine *machine,
                          struct wm_text *text);
// What is legal, for people.
void wm_level_value_range_text(const struct wm_machine_key *key, struct wm_text *text);

// The level that `name` means in a `below` of a level that stands at `place`: there, then outside
// of all groups, or, "/NAME", outside alone. WM_MOST_LEVELS when there is none.
uint32_t wm_level_named(const struct wm_memory_spec *spec, enum wm_level_place place,
                        const char *name);

// Makes room for a level with a name of its own: those of a GPU stand before those of a CPU, and
// these before those outside, each in the order in which they were added. Returns its number, or
// WM_MOST_LEVELS when there are as many as can be.
uint32_t wm_level_add(struct wm_memory_spec *spec, enum wm_level_place place, const char *name);
// NULL when a level may be called so; else why not.
const char *wm_level_name_fault(const char *name);

#endif

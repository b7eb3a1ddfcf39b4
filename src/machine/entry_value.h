// Values that name an entry of a kind, with its parameters: "lru", "mine(depth=3, leaders=32)".
// Private to machine/.
#ifndef WM_MACHINE_ENTRY_VALUE_H
#define WM_MACHINE_ENTRY_VALUE_H

#include "machine/schema.h"

// The entry at `index` of a key's kind: warpmem's own, then those of `plugins` (may be NULL). NULL
// past the last.
const void *wm_entry_at(const struct wm_machine_key *key, const struct wm_plugins *plugins,
                        size_t index);

// Reads what follows an entry's name, from its parenthesis on or empty, into the machine. Errors
// have message and hint.
enum wm_status wm_entry_read_values(const struct wm_machine_key *key, const void *entry,
                                    const char *text, struct wm_machine *machine,
                                    struct wm_error *error);
// Prints the entry that the machine names and the parameters that were given, as read.
void wm_entry_print(const struct wm_machine_key *key, const struct wm_machine *machine,
                    struct wm_text *text);

#endif

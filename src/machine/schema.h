// The schema of machine files: every key's type, unit, legal range, default and sentence, bound to
// its field of struct wm_machine. Reading, settings, printing, checking and the documentation all
// come from this one table.
#ifndef WM_MACHINE_SCHEMA_H
#define WM_MACHINE_SCHEMA_H

#include "base/error.h"
#include "base/text/text.h"
#include "base/text/units.h"
#include "machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_key_type {
    WM_KEY_NAME,      // letters, digits, "-", "_", "."; a char array
    WM_KEY_TEXT,      // one line of text; a char array
    WM_KEY_SELECTORS, // the same, or "@FILE" where it is read from: machine/bypass_list.h
    WM_KEY_QUANTITY,  // a number with the unit of its quantity; uint32_t or uint64_t
    WM_KEY_SWITCH,    // true or false; bool
    WM_KEY_CHOICE,    // one of a fixed list of words; an enumeration
    WM_KEY_ENTRY,   // an entry of a kind (replacement, set index); a pointer to its functions, and
                    // the parameters in its parentheses
    WM_KEY_LIST,    // rising quantities, "[0B, 8KiB]"; a struct wm_carveouts
    WM_KEY_VERSION, // "7.0"; two uint32_t, one after the other
    WM_KEY_ROWS,    // a table: machine/row_table.h; its kind's struct
    // Of a level: machine/level_value.h.
    WM_KEY_PER,    // "8 sm": struct wm_level_spec.units_each
    WM_KEY_BELOW,  // "l2", "/llc", "memory": .below
    WM_KEY_SERVES, // "[data, uniform]": .serves
};

struct wm_key_choice {
    const char *name; // NULL ends a list
    unsigned value;
    const char *sentence;
};

// A kind of swappable part, as the schema needs it. Entries are found by index, 0 and up.
struct wm_key_kind {
    const void *(*at)(size_t index); // the entry's functions; NULL past the end
    const char *(*name)(const void *entry);
    const char *(*sentence)(const void *entry);
    // For kinds whose entries have parameters, else NULL: `*count` of them.
    const struct wm_parameter *(*parameters)(const void *entry, size_t *count);
    // For kinds that plug-ins bring entries of, else NULL: as `at`, of the machine's plug-ins.
    const void *(*plugged)(const struct wm_plugins *plugins, size_t index);
};

enum {
    WM_MACHINE_MAX_KEYS = 320, // but those of levels with names of a machine's own
    WM_LEVEL_MAX_KEYS = 64,
    WM_OWN_LEVELS = WM_MOST_LEVELS - WM_LEVELS_NAMED,
    // Keys and groups have numbers below these; there are machines without some of them.
    WM_MACHINE_KEY_NUMBERS = WM_MACHINE_MAX_KEYS + WM_LEVEL_MAX_KEYS * WM_OWN_LEVELS,
    WM_MACHINE_MAX_GROUPS = 24,
    WM_MACHINE_GROUP_NUMBERS = WM_MACHINE_MAX_GROUPS + WM_OWN_LEVELS,
    WM_KEY_PATH_BYTES = 48,
};

struct wm_machine_key {
    char path[WM_KEY_PATH_BYTES]; // "gpu.l1.size"
    const char *sentence;         // what it means: lower case, no full stop
    enum wm_key_type type;
    enum wm_quantity quantity;
    uint64_t minimum, maximum; // in base units of the quantity, both included
    bool power_of_two;
    const char *fallback; // the default, as one would write it; NULL: the key is required
    const struct wm_key_choice *choices;
    const struct wm_key_kind *kind;
    const struct wm_row_table_kind *rows;
    size_t offset, bytes; // of the field in struct wm_machine
    size_t values_offset; // of an entry's struct wm_entry_values; 0 when it has no parameters
    uint32_t number;      // another name for a key has the number of that key
};

// A mapping that holds keys: "gpu.l1".
struct wm_machine_group {
    char path[WM_KEY_PATH_BYTES];
    const char *sentence;
};

// The keys that every machine has; levels with names of a machine's own have others.
const struct wm_machine_key *wm_machine_keys(size_t *count);
// Their groups: parents come before their children, in the order of printing.
extern const struct wm_machine_group wm_machine_groups[];
extern const size_t wm_machine_group_count;

// Those of one machine, by number or by path. False where it has none.
bool wm_machine_key_at(const struct wm_machine *machine, uint32_t number,
                       struct wm_machine_key *key);
bool wm_machine_key_of(const struct wm_machine *machine, const char *path,
                       struct wm_machine_key *key);
bool wm_machine_group_at(const struct wm_machine *machine, uint32_t number,
                         struct wm_machine_group *group);
// The number of a group; WM_MACHINE_GROUP_NUMBERS where there is none of that path.
uint32_t wm_machine_group_of(const struct wm_machine *machine, const char *path);
// Where the numbers of its keys lie; others of the keys that every machine has lie there too.
void wm_machine_keys_of_group(uint32_t group, uint32_t *first, uint32_t *end);
// The level whose keys a group, or a field of the machine, belongs to; WM_MOST_LEVELS: none.
uint32_t wm_machine_level_of_group(uint32_t group);
uint32_t wm_machine_level_at(size_t offset);

// The key of a path that every machine has; NULL when there is none.
const struct wm_machine_key *wm_machine_key_find(const char *path);
// The last name of a path: "size".
const char *wm_machine_key_name(const char *path);
// Whether `path` lies directly in the group `parent` ("" for the top).
bool wm_machine_path_is_in(const char *path, const char *parent);

// Checks `text` against the key and stores it in its field. Errors have message and hint, no
// place; `error` must not be NULL. "@FILE" is not known here (machine/description.h).
enum wm_status wm_machine_key_parse(const struct wm_machine_key *key, const char *text,
                                    struct wm_machine *machine, struct wm_error *error);
// Prints the field's value as wm_machine_key_parse reads it back to the same.
void wm_machine_key_print(const struct wm_machine_key *key, const struct wm_machine *machine,
                          struct wm_text *text);
// For people and documentation: "size in bytes", "one of lru, fifo"; "16B to 4MiB, a power of two".
void wm_machine_key_type_text(const struct wm_machine_key *key, struct wm_text *text);
void wm_machine_key_range_text(const struct wm_machine_key *key, struct wm_text *text);

// The whole schema for people: rows for a terminal, or the tables of docs/machine-files.md.
void wm_machine_schema_print(bool markdown, struct wm_text *text);

#endif

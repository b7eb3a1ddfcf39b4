// A machine description while it is being read: where each value came from, so that every error can
// point at its place. Private to machine/.
#ifndef WM_MACHINE_DESCRIPTION_H
#define WM_MACHINE_DESCRIPTION_H

#include "machine/schema.h"

enum wm_value_origin {
    WM_VALUE_ABSENT,
    WM_VALUE_DEFAULT,
    WM_VALUE_BASE,    // in the file of the machine that this one is a variant of
    WM_VALUE_FILE,    // at line and column
    WM_VALUE_SETTING, // settings[setting]
};

struct wm_value_source {
    enum wm_value_origin origin;
    uint32_t line, column; // 1-based, of the value
    uint32_t setting;
};

struct wm_description {
    const char *file; // what errors call it; borrowed
    const char *text; // the whole file; borrowed
    size_t length;
    const char *const *settings;                             // borrowed
    struct wm_machine *machine;                              // filled
    struct wm_value_source values[WM_MACHINE_KEY_NUMBERS];   // by key
    struct wm_value_source groups[WM_MACHINE_GROUP_NUMBERS]; // by group: of its name
    struct wm_value_source root;                             // of the first key
    struct wm_error *error;                                  // may be NULL
};

// Reads the text as YAML through the schema into the machine's fields. Stops at the first error.
enum wm_status wm_description_read(struct wm_description *description);
// Applies settings[index], "gpu.l1.size=48KiB".
enum wm_status wm_description_set(struct wm_description *description, uint32_t index);
// Checks and stores the text of one value, from the file or (`setting`) a setting. What a key's
// "@FILE" is relative to is the description's folder, or in a setting the working folder. An error
// has a place when it lies in that file; otherwise the caller says where the value stands.
enum wm_status wm_description_value(struct wm_description *description,
                                    const struct wm_machine_key *key, const char *text,
                                    bool setting);
// Fills defaults in; a required key without a value is an error.
enum wm_status wm_description_complete(struct wm_description *description);
// An L1 that several SMs share, and that is described by the part of one (gpu.l1.sharing), becomes
// what it is.
enum wm_status wm_description_share(struct wm_description *description);
// The rules between keys: each has its reason next to it. And the place of an error that names the
// keys of these paths, up to a NULL: WM_INVALID.
enum wm_status wm_description_blame(const struct wm_description *description,
                                    const char *const *paths);
enum wm_status wm_description_check_geometry(struct wm_description *description);

// Where the innermost group begins that a path lies in and that the file has; else its first key.
const struct wm_value_source *wm_description_group_around(const struct wm_description *description,
                                                          const char *path);

// Adds place and excerpt of a position in the file to the error.
enum wm_status wm_description_point(const struct wm_description *description, uint32_t line,
                                    uint32_t column);
// Adds place and excerpt of a value.
enum wm_status wm_description_point_value(const struct wm_description *description,
                                          const struct wm_value_source *source);

#endif

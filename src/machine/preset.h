// Presets: the machine files that come with warpmem, one a machine, NAME.yaml; in the same folder
// tables of rows (row_table.h), FOLDER/NAME.yaml, and variants of machines, variants/NAME.yaml:
// files of a few keys that are read after a machine's where its name says so,
// "dacache-2015+dacache-uncon".
#ifndef WM_MACHINE_PRESET_H
#define WM_MACHINE_PRESET_H

#include "base/containers/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The names of all presets, sorted, in the arena. WM_NOT_FOUND when their folder is nowhere (see
// wm_resource_folder_find), WM_IO when it cannot be read.
enum wm_status wm_preset_names(struct wm_arena *arena, const char *const **names, size_t *count,
                               struct wm_error *error);

// Whether a name means a file and no preset: it has a slash or ends in ".yaml".
bool wm_preset_is_file(const char *name);

// The same of the tables in its `folder`; none when there is no such.
enum wm_status wm_table_preset_names(const char *folder, struct wm_arena *arena,
                                     const char *const **names, size_t *count,
                                     struct wm_error *error);
// Where the table of that name lies, and whether it is there.
enum wm_status wm_table_preset_path(const char *folder, const char *name, char *path, size_t size,
                                    bool *found, struct wm_error *error);

#define WM_VARIANTS_FOLDER "variants"

enum { WM_MOST_VARIANTS = 8, WM_VARIANT_NAME = 48 };

// What a --machine argument says: a machine, and variants in the order in which they are read.
struct wm_machine_name {
    char *base; // owned
    char variants[WM_MOST_VARIANTS][WM_VARIANT_NAME];
    uint32_t variant_count;
};

// What stands behind a "+" is a variant, unless it has a slash or ends in ".yaml": then it is of
// the name. WM_LIMIT, WM_NO_MEMORY; released with wm_machine_name_release even then.
enum wm_status wm_machine_name_split(const char *name, struct wm_machine_name *parts,
                                     struct wm_error *error);
void wm_machine_name_release(struct wm_machine_name *parts);
// A variant's file. WM_NOT_FOUND, with the nearest one in the hint.
enum wm_status wm_variant_path(const char *variant, char *path, size_t size,
                               struct wm_error *error);

// The file that a --machine argument means, its variants apart, which must be there: itself when it
// has a slash or ends in ".yaml", else the preset's. WM_NOT_FOUND, with the nearest preset in the
// hint.
enum wm_status wm_preset_path(const char *name, char *path, size_t size, struct wm_error *error);

#endif

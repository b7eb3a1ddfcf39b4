// Presets: the machine files that come with warpmem, one a machine, NAME.yaml; and tables of rows
// (row_table.h), FOLDER/NAME.yaml in the same folder.
#ifndef WM_MACHINE_PRESET_H
#define WM_MACHINE_PRESET_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

// The names of all presets, sorted, in the arena. WM_NOT_FOUND when their folder is nowhere (see
// wm_companion_find), WM_IO when it cannot be read.
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

// The file that a --machine argument means: itself when it has a slash or ends in ".yaml", else the
// preset's. WM_NOT_FOUND, with the nearest preset in the cure.
enum wm_status wm_preset_path(const char *name, char *path, size_t size, struct wm_error *error);

#endif

// Names of files that stay right when the program changes its folder.
#ifndef WM_CLI_FRAMEWORK_ABSOLUTE_PATH_H
#define WM_CLI_FRAMEWORK_ABSOLUTE_PATH_H

#include "base/containers/arena.h"
#include "base/error.h"

// `path` from the root on: itself, or in the arena. WM_IO when this folder has no name any more.
enum wm_status wm_absolute_path(struct wm_arena *arena, const char *path, const char **result,
                                struct wm_error *error);

#endif

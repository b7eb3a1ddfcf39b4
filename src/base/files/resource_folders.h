// Where this code was loaded from, so that what came with it is found again, in a build tree as
// well as installed.
#ifndef WM_BASE_RESOURCE_FOLDERS_H
#define WM_BASE_RESOURCE_FOLDERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

// The folder of the executable or shared library that this function was linked into, with links
// resolved and without a slash at its end. WM_IO when the system does not say.
enum wm_status wm_own_folder(char *folder, size_t size, struct wm_error *error);

// A folder that comes with the program.
struct wm_companion {
    const char *what;      // "the folder of machine presets"
    const char *variable;  // environment variable that overrides everything when not empty
    const char *installed; // relative to the installation's prefix
    const char *built;     // relative to the build tree's root; NULL when it is not built
    const char *source;    // relative to the source tree's root; NULL when it is built
};

// Fills `path` with the existing folder: the variable's; else the build tree's when this code lies
// in one; else the installation's, whose prefix is one or two folders above this code
// (PREFIX/bin/warpmem, PREFIX/lib/warpmem/libcudart.so) or is the one that the build was configured
// for. WM_NOT_FOUND, with the variable in the
// hint, when there is none.
enum wm_status wm_resource_folder_find(const struct wm_companion *companion, char *path,
                                       size_t size, struct wm_error *error);

#endif

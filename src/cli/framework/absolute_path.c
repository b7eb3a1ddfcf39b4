#include "cli/framework/absolute_path.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum wm_status wm_absolute_path(struct wm_arena *arena, const char *path, const char **result,
                                struct wm_error *error)
{
    char folder[PATH_MAX];
    if (path[0] == '/') {
        *result = path;
        return WM_OK;
    }
    if (!getcwd(folder, sizeof folder))
        return wm_fail(error, WM_IO, "this folder has no name: %s", strerror(errno));
    size_t length = strlen(folder) + strlen(path) + 2;
    char *text = wm_arena_alloc(arena, length, 1);
    if (!text)
        return wm_fail_no_memory(error, "the path \"%s\"", path);
    snprintf(text, length, "%s/%s", folder, path);
    *result = text;
    return WM_OK;
}

#include "base/run_mark.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static void name_mark(const char *folder, unsigned number, const char *output, bool written,
                      char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%u.%s.%s", folder, number, output,
             written ? "written" : "failed");
}

void wm_run_mark_set(const char *folder, unsigned number, const char *output, bool written)
{
    char path[PATH_BYTES];
    name_mark(folder, number, output, written, path);
    int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}

enum wm_run_mark wm_run_mark_get(const char *folder, unsigned number, const char *output)
{
    char path[PATH_BYTES];
    name_mark(folder, number, output, true, path);
    if (access(path, F_OK) == 0)
        return WM_RUN_MARK_WRITTEN;
    name_mark(folder, number, output, false, path);
    return access(path, F_OK) == 0 ? WM_RUN_MARK_FAILED : WM_RUN_MARK_NONE;
}

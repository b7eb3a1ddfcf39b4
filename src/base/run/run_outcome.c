#include "base/run/run_outcome.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static const char *const names[] = {
    [WM_RUN_OUTCOME_WRITTEN] = "written",
    [WM_RUN_OUTCOME_FAILED] = "failed",
    [WM_RUN_OUTCOME_REFUSED] = "refused",
};

static void name_mark(const char *folder, unsigned number, const char *output,
                      enum wm_run_outcome mark, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%u.%s.%s", folder, number, output, names[mark]);
}

void wm_run_outcome_set(const char *folder, unsigned number, const char *output,
                        enum wm_run_outcome mark, int reason)
{
    char path[PATH_BYTES];
    name_mark(folder, number, output, mark, path);
    int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (mark == WM_RUN_OUTCOME_REFUSED)
        dprintf(file, "%d", reason);
    close(file);
}

static int read_reason(const char *path)
{
    int reason = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%d", &reason) != 1)
        reason = 0;
    fclose(file);
    return reason;
}

enum wm_run_outcome wm_run_outcome_get(const char *folder, unsigned number, const char *output,
                                       int *reason)
{
    char path[PATH_BYTES];
    if (reason != NULL)
        *reason = 0;
    for (unsigned mark = WM_RUN_OUTCOME_WRITTEN; mark <= WM_RUN_OUTCOME_REFUSED; mark++) {
        name_mark(folder, number, output, (enum wm_run_outcome)mark, path);
        if (access(path, F_OK) != 0)
            continue;
        if (mark == WM_RUN_OUTCOME_REFUSED && reason != NULL)
            *reason = read_reason(path);
        return (enum wm_run_outcome)mark;
    }
    return WM_RUN_OUTCOME_NONE;
}

#include "cli/work_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum wm_status wm_work_folder_make(const char *name, char *folder, size_t size,
                                   struct wm_error *error)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || !parent[0])
        parent = "/tmp";
    int length = snprintf(folder, size, "%s/warpmem-%s-XXXXXX", parent, name);
    if (length < 0 || (size_t)length >= size)
        return wm_fail(error, WM_LIMIT, "TMPDIR is too long");
    if (mkdtemp(folder))
        return WM_OK;
    wm_fail(error, WM_IO, "cannot make a folder in \"%s\": %s", parent, strerror(errno));
    return wm_error_cure(error, "set TMPDIR to a folder that can be written");
}

void wm_work_folder_remove(const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory) {
        for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
            unlinkat(dirfd(directory), entry->d_name, 0); // "." and ".." refuse
        closedir(directory);
    }
    rmdir(folder);
}

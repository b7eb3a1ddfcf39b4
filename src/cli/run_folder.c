#include "cli/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

enum wm_status wm_run_folder_make(char *folder, size_t size, struct wm_error *error)
{
    const char *parent = getenv("TMPDIR");
    int length =
        snprintf(folder, size, "%s/warpmem-run-XXXXXX", parent && parent[0] ? parent : "/tmp");
    if (length < 0 || (size_t)length >= size)
        return wm_fail(error, WM_LIMIT, "TMPDIR is too long");
    if (mkdtemp(folder))
        return WM_OK;
    wm_fail(error, WM_IO, "cannot make a folder \"%s\": %s", folder, strerror(errno));
    return wm_error_cure(error, "set TMPDIR to a folder that can be written");
}

static bool append_file(const char *path, struct wm_text *text)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    if (text->length > 0)
        wm_text_add(text, "\n");
    char buffer[PATH_BYTES];
    size_t count;
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0)
        wm_text_append(text, buffer, count);
    bool good = !ferror(file);
    fclose(file);
    return good;
}

struct wm_run_reports wm_run_folder_collect(const char *folder, struct wm_text *text)
{
    struct wm_run_reports reports = {0, 0};
    for (;; reports.started++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%u.claim", folder, (unsigned)reports.started + 1);
        if (access(path, F_OK) != 0)
            return reports;
        snprintf(path, sizeof path, "%s/%u.txt", folder, (unsigned)reports.started + 1);
        reports.reported += append_file(path, text);
    }
}

void wm_run_folder_remove(const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory) {
        for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
            unlinkat(dirfd(directory), entry->d_name, 0); // "." and ".." refuse
        closedir(directory);
    }
    rmdir(folder);
}

#include "cli/process/work_folder.h"

#include "base/files/folder_owner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char beginning[] = "warpmem-";
enum { TRIES = 8 };

static void empty(int folder)
{
    int copy = dup(folder);
    DIR *directory = copy >= 0 ? fdopendir(copy) : NULL;
    if (!directory) {
        close(copy);
        return;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        unlinkat(folder, entry->d_name, 0); // "." and ".." refuse
    closedir(directory);
}

// ---- What others left --------------------------------------------------------------------------

// "warpmem-run-x7Gh2k": a command's name and six characters.
static bool is_named_so(const char *name)
{
    const char *command = name + sizeof beginning - 1, *dash = strrchr(name, '-');
    return strncmp(name, beginning, sizeof beginning - 1) == 0 && dash > command &&
           strlen(dash + 1) == 6;
}

// Only what is ours: others write to the same folder, and a name there says little.
static void clear_one(int parent, const char *name)
{
    struct stat status;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    bool ours = fstat(folder, &status) == 0 && status.st_uid == geteuid();
    int owner = ours ? wm_folder_owner_take_over(folder) : -1;
    if (owner >= 0) {
        empty(folder);
        unlinkat(parent, name, AT_REMOVEDIR);
        close(owner);
    }
    close(folder);
}

static void clear_left_over(const char *parent)
{
    DIR *directory = opendir(parent);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (is_named_so(entry->d_name))
            clear_one(dirfd(directory), entry->d_name);
    closedir(directory);
}

// ---- Our own -----------------------------------------------------------------------------------

static enum wm_status refused(const char *parent, struct wm_error *error)
{
    wm_fail(error, WM_IO, "cannot make a folder in \"%s\": %s", parent, strerror(errno));
    return wm_error_hint(error, "set TMPDIR to a folder that can be written");
}

static bool own(struct wm_work_folder *folder)
{
    int descriptor = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        folder->owner = wm_folder_owner_take(descriptor);
        close(descriptor);
    }
    return folder->owner >= 0;
}

enum wm_status wm_work_folder_make(const char *name, struct wm_work_folder *folder,
                                   struct wm_error *error)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || !parent[0])
        parent = "/tmp";
    clear_left_over(parent);
    // A name is tried again where another command takes the folder for one left over.
    for (int i = 0; i < TRIES; i++) {
        folder->owner = -1;
        int length =
            snprintf(folder->path, sizeof folder->path, "%s/%s%s-XXXXXX", parent, beginning, name);
        if (length < 0 || (size_t)length >= sizeof folder->path) {
            folder->path[0] = '\0'; // what was cut off may name TMPDIR itself
            return wm_fail(error, WM_LIMIT, "TMPDIR is too long");
        }
        if (!mkdtemp(folder->path)) {
            folder->path[0] = '\0';
            return refused(parent, error);
        }
        if (own(folder))
            return WM_OK;
        wm_work_folder_remove(folder);
    }
    return refused(parent, error);
}

void wm_work_folder_remove(struct wm_work_folder *folder)
{
    if (!folder->path[0])
        return;
    int descriptor = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    wm_folder_owner_end(folder->owner);
    if (descriptor >= 0) {
        empty(descriptor);
        close(descriptor);
    }
    rmdir(folder->path);
    if (folder->owner >= 0)
        close(folder->owner);
    folder->owner = -1;
    folder->path[0] = '\0';
}

#include "base/files/folder_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ended[] = "ended\n";

// Between making the file and locking it, another process may lock it and remove the folder.
int wm_folder_owner_take(int folder)
{
    struct stat status;
    int owner = openat(folder, WM_FOLDER_OWNER_NAME, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (owner < 0)
        return -1;
    bool locked = flock(owner, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (locked && fstat(owner, &status) == 0 && status.st_nlink > 0)
        return owner;
    close(owner);
    return -1;
}

void wm_folder_owner_end(int owner)
{
    if (owner < 0)
        return;
    ssize_t written = write(owner, ended, sizeof ended - 1);
    (void)written; // a full disk: then a program that outlives its script ends
}

int wm_folder_owner_take_over(int folder)
{
    int owner = openat(folder, WM_FOLDER_OWNER_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (owner >= 0 && flock(owner, LOCK_EX | LOCK_NB) == 0)
        return owner;
    if (owner >= 0)
        close(owner);
    return -1;
}

bool wm_folder_owner_wait(const char *folder)
{
    char path[4096];
    struct stat before, after;
    snprintf(path, sizeof path, "%s/%s", folder, WM_FOLDER_OWNER_NAME);
    int owner = open(path, O_RDONLY | O_CLOEXEC);
    if (owner < 0)
        return false;
    bool opened = fstat(owner, &before) == 0;
    int result;
    do {
        result = flock(owner, LOCK_SH);
    } while (result != 0 && errno == EINTR);
    // A program may have closed the descriptor, and have another file by its number.
    bool same = opened && fstat(owner, &after) == 0 && after.st_dev == before.st_dev &&
                after.st_ino == before.st_ino;
    if (same)
        close(owner);
    return same && result == 0 && after.st_size == 0;
}

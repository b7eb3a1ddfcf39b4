#include "base/files/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAMES = 100 }; // tried for the new file before it is given up

// --- Writing ---

// A write beyond the limit on files' size raises SIGXFSZ and one to a pipe without a reader
// SIGPIPE, in the thread that writes: here they are errors. The process may be the user's program,
// whose handlers these signals must not reach.
static ssize_t write_without_signals(int descriptor, const void *data, size_t length)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    ssize_t written = write(descriptor, data, length);
    int reason = errno;
    if (written < 0 && (reason == EFBIG || reason == EPIPE))
        sigtimedwait(&signals, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return written;
}

// Gives back the disk's space at once: a writer that runs on for hours does not keep it.
static void discard(struct wm_output_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
    if (file->temporary != NULL)
        unlink(file->temporary);
    else if (file->grows)
        unlink(file->place.target);
    free(file->temporary);
    file->temporary = NULL;
    file->grows = false;
}

bool wm_output_write(struct wm_output_file *file, const void *data, size_t length)
{
    const char *from = data;
    while (length > 0 && file->reason == 0) {
        ssize_t written = write_without_signals(file->descriptor, from, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) { // one that takes nothing would do so for ever
            file->reason = written < 0 ? errno : EIO;
            discard(file);
            break;
        }
        from += written;
        length -= (size_t)written;
    }
    return file->reason == 0;
}

static ssize_t write_stream(void *cookie, const char *data, size_t length)
{
    return wm_output_write(cookie, data, length) ? (ssize_t)length : 0;
}

FILE *wm_output_stream(struct wm_output_file *file)
{
    return fopencookie(file, "w", (cookie_io_functions_t){.write = write_stream});
}

// --- Opening ---

static int open_in_place(const struct wm_output_place *place)
{
    if (place->descriptor < 0)
        return open(place->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    fflush(stdout); // what has been printed so far comes first
    return fcntl(place->descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

// The file's folder: "a/" of "a/b", "" of "b".
static int folder_length(const char *target)
{
    const char *slash = strrchr(target, '/');
    return slash != NULL ? (int)(slash + 1 - target) : 0;
}

// In the target's folder; a name of 255 bytes leaves no room for more, so it is not part of this
// one.
static char *temporary_name(const char *target, unsigned number)
{
    char *name;
    int length = asprintf(&name, "%.*s.warpmem-partial-%d.%u", folder_length(target), target,
                          (int)getpid(), number);
    return length >= 0 ? name : NULL;
}

// The calling thread's: those of the process are gone when its first thread has ended.
#define OWN_DESCRIPTORS "/proc/thread-self/fd"

// Makes a file of a new name in the target's folder: an empty one for `descriptor` < 0, else one of
// what that descriptor holds. Returns the descriptor, or -1.
static int make_temporary(struct wm_output_file *file, int descriptor)
{
    char from[sizeof OWN_DESCRIPTORS + 12];
    snprintf(from, sizeof from, OWN_DESCRIPTORS "/%d", descriptor);
    for (unsigned number = 0; number < MOST_NAMES; number++) {
        char *name = temporary_name(file->place.target, number);
        if (name == NULL)
            return -1;
        int made = descriptor;
        if (descriptor < 0)
            made = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        else if (linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0)
            made = -1;
        if (made >= 0) {
            file->temporary = name;
            return made;
        }
        free(name);
        if (errno != EEXIST)
            break;
    }
    return -1;
}

// Without a name where the file system can: then nothing is left of it, however the process ends.
static int open_temporary(struct wm_output_file *file)
{
    const char *target = file->place.target;
    int length = folder_length(target), descriptor = -1;
    char *folder;
    if (asprintf(&folder, "%.*s", length > 0 ? length : 1, length > 0 ? target : ".") < 0)
        return -1;
    if (access(OWN_DESCRIPTORS, X_OK) == 0) // through which it gets its name
        descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(folder);
    return descriptor >= 0 ? descriptor : make_temporary(file, -1);
}

static int open_descriptor(struct wm_output_file *file)
{
    if (file->place.in_place)
        return open_in_place(&file->place);
    int descriptor = file->grows
                         ? open(file->place.target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                         : open_temporary(file);
    if (descriptor < 0 || file->grows || !file->place.exists)
        return descriptor;
    // Another's file becomes ours, unless we may give files away.
    if (fchown(descriptor, file->place.owner, file->place.group) != 0)
        errno = 0;
    fchmod(descriptor, file->place.mode);
    return descriptor;
}

enum wm_status wm_output_open(struct wm_output_file *file, const char *path,
                              enum wm_output_mode way, struct wm_error *error)
{
    *file = (struct wm_output_file){.descriptor = -1, .path = strdup(path)};
    enum wm_status status = wm_output_place_find(&file->place, path, error);
    if (status == WM_OK && file->path == NULL)
        status = wm_fail_no_memory(error, "\"%s\"", path);
    if (status == WM_OK) {
        file->grows = way == WM_OUTPUT_INCREMENTAL && !file->place.in_place;
        file->descriptor = open_descriptor(file);
        if (file->descriptor < 0)
            status = wm_output_refused(path, errno, error);
    }
    if (status == WM_OK)
        return WM_OK;
    free(file->temporary);
    free(file->path);
    wm_output_place_release(&file->place);
    *file = (struct wm_output_file){.descriptor = -1};
    return status;
}

// --- Ending ---

static int take_place(struct wm_output_file *file)
{
    // A link cannot replace what is there, a renamed file can.
    if (file->temporary == NULL && make_temporary(file, file->descriptor) < 0)
        return errno;
    int descriptor = file->descriptor;
    file->descriptor = -1;
    if (close(descriptor) != 0) // where a network's file system reports what did not fit
        return errno;
    if (rename(file->temporary, file->place.target) != 0)
        return errno;
    free(file->temporary);
    file->temporary = NULL;
    return 0;
}

static int close_in_place(struct wm_output_file *file)
{
    int descriptor = file->descriptor;
    file->descriptor = -1;
    return close(descriptor) == 0 ? 0 : errno;
}

enum wm_status wm_output_status(const struct wm_output_file *file, struct wm_error *error)
{
    return file->reason == 0 ? WM_OK : wm_output_refused(file->path, file->reason, error);
}

enum wm_status wm_output_close(struct wm_output_file *file, bool good, struct wm_error *error)
{
    bool moves = !file->place.in_place && !file->grows;
    if (file->reason == 0 && good)
        file->reason = moves ? take_place(file) : close_in_place(file);
    if (file->reason != 0 || !good)
        discard(file);
    enum wm_status status = wm_output_status(file, error);
    free(file->temporary);
    free(file->path);
    wm_output_place_release(&file->place);
    *file = (struct wm_output_file){.descriptor = -1};
    return status;
}

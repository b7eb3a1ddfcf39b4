#include "base/files/output_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// As many as the kernel follows (path_resolution(7)).
enum { MOST_LINKS = 40 };

static _Thread_local int last_reason;

int wm_output_error_reason(const struct wm_error *error)
{
    return error->status == WM_IO ? last_reason : 0;
}

void wm_output_hint(int reason, struct wm_error *error)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    switch (reason) {
    case ENOSPC:
    case EDQUOT:
        wm_error_hint(error, "make room on that disk, or name a file on another one");
        break;
    case EFBIG:
        getrlimit(RLIMIT_FSIZE, &limit);
        if (limit.rlim_cur != RLIM_INFINITY)
            wm_error_hint(error, "files of this shell are limited to %llu bytes: see \"ulimit -f\"",
                          (unsigned long long)limit.rlim_cur);
        break;
    case EISDIR: wm_error_hint(error, "name a file in that folder"); break;
    case ENOENT: wm_error_hint(error, "make its folder first"); break;
    case EACCES:
    case EPERM:
    case EROFS:
        wm_error_hint(error, "name a file that you may write, in a folder that you may write");
        break;
    default: break;
    }
}

enum wm_status wm_output_refused(const char *path, int reason, struct wm_error *error)
{
    bool standard = strcmp(path, WM_OUTPUT_STANDARD) == 0;
    wm_fail(error, WM_IO, "cannot write %s%s%s: %s", standard ? "" : "\"",
            standard ? "standard output" : path, standard ? "" : "\"", strerror(reason));
    last_reason = reason;
    if (error != NULL)
        wm_output_hint(reason, error);
    return WM_IO;
}

// --- Descriptors ---

// The number behind `prefix`, when that is all there is; else -1.
static int number_behind(const char *path, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(path, prefix, length) != 0 || path[length] < '0' || path[length] > '9')
        return -1;
    char *end;
    errno = 0;
    unsigned long number = strtoul(path + length, &end, 10);
    return errno == 0 && *end == '\0' && number <= INT_MAX ? (int)number : -1;
}

// Opening such a name anew is refused for pipes and terminals of other users, has a position of its
// own in a file, and fails for sockets: the descriptor itself is what is meant.
static int descriptor_of(const char *path)
{
    if (strcmp(path, WM_OUTPUT_STANDARD) == 0)
        return STDOUT_FILENO;
    static const char *const prefixes[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    int number = -1;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && number < 0; i++)
        number = number_behind(path, prefixes[i]);
    return number;
}

// --- Links ---

// What a link points to, seen from where the link is; NULL without memory.
static char *behind_link(const char *link, const char *content)
{
    const char *slash = strrchr(link, '/');
    int folder = content[0] == '/' || slash == NULL ? 0 : (int)(slash + 1 - link);
    char *result;
    return asprintf(&result, "%.*s%s", folder, link, content) >= 0 ? result : NULL;
}

// Follows place->target until it is no link. 0 or an error's number.
static int follow(struct wm_output_place *place)
{
    char content[PATH_MAX];
    for (int links = 0; links <= MOST_LINKS; links++) {
        place->descriptor = descriptor_of(place->target);
        if (place->descriptor >= 0)
            return 0;
        struct stat status;
        if (lstat(place->target, &status) != 0)
            return errno == ENOENT ? 0 : errno;
        if (!S_ISLNK(status.st_mode))
            return 0;
        ssize_t length = readlink(place->target, content, sizeof content - 1);
        if (length < 0)
            return errno;
        content[length] = '\0';
        char *next = behind_link(place->target, content);
        if (next == NULL)
            return ENOMEM;
        free(place->target);
        place->target = next;
    }
    return ELOOP;
}

// --- May it be written? ---

static int check_descriptor(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0)
        return errno;
    return (flags & O_ACCMODE) == O_RDONLY ? EBADF : 0;
}

// A new file replaces the target, for which the folder must be writable.
static int check_folder(const char *target)
{
    const char *slash = strrchr(target, '/');
    if (slash != NULL && slash[1] == '\0')
        return EISDIR;
    char *folder = slash == NULL ? strdup(".") : strndup(target, (size_t)(slash + 1 - target));
    if (folder == NULL)
        return ENOMEM;
    int reason = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
    free(folder);
    return reason;
}

static int look(struct wm_output_place *place)
{
    struct stat status;
    int reason = place->descriptor >= 0 ? 0 : follow(place);
    if (reason != 0)
        return reason;
    if (place->descriptor >= 0) {
        place->in_place = place->exists = true;
        return check_descriptor(place->descriptor);
    }
    if (stat(place->target, &status) != 0)
        return errno == ENOENT ? check_folder(place->target) : errno;
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    place->exists = true;
    place->in_place = !S_ISREG(status.st_mode);
    place->mode = status.st_mode & 0777;
    place->owner = status.st_uid;
    place->group = status.st_gid;
    if (faccessat(AT_FDCWD, place->target, W_OK, AT_EACCESS) != 0)
        return errno;
    return place->in_place ? 0 : check_folder(place->target);
}

enum wm_status wm_output_place_find(struct wm_output_place *place, const char *path,
                                    struct wm_error *error)
{
    *place = (struct wm_output_place){.descriptor = descriptor_of(path)};
    if (path[0] == '\0')
        return wm_output_refused(path, ENOENT, error);
    place->target = strdup(path);
    if (place->target == NULL)
        return wm_fail_no_memory(error, "\"%s\"", path);
    int reason = look(place);
    return reason == 0 ? WM_OK : wm_output_refused(path, reason, error);
}

// --- Are two of them one? ---

static bool look_at(const struct wm_output_place *place, struct stat *status)
{
    return (place->descriptor >= 0 ? fstat(place->descriptor, status)
                                   : stat(place->target, status)) == 0;
}

static bool is_one_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Whether two files that are not there yet would be one.
static bool is_one_name(const char *a, const char *b)
{
    const char *ends[2] = {strrchr(a, '/'), strrchr(b, '/')}, *names[2] = {a, b};
    struct stat status[2];
    for (int i = 0; i < 2; i++) {
        char folder[PATH_MAX];
        int length = ends[i] != NULL ? (int)(ends[i] + 1 - names[i]) : 0;
        snprintf(folder, sizeof folder, "%.*s", length > 0 ? length : 1,
                 length > 0 ? names[i] : ".");
        if (stat(folder, &status[i]) != 0)
            return false;
        names[i] += length;
    }
    return is_one_file(&status[0], &status[1]) && strcmp(names[0], names[1]) == 0;
}

bool wm_output_places_are_one(const struct wm_output_place *a, const struct wm_output_place *b)
{
    struct stat left, right;
    if (a->descriptor >= 0 && a->descriptor == b->descriptor)
        return true;
    bool there = look_at(a, &left);
    if (there != look_at(b, &right))
        return false;
    if (!there)
        return a->target != NULL && b->target != NULL && is_one_name(a->target, b->target);
    // A device, as /dev/null or a terminal, takes what several write.
    return is_one_file(&left, &right) && !S_ISCHR(left.st_mode);
}

void wm_output_place_release(struct wm_output_place *place)
{
    free(place->target);
    place->target = NULL;
}

bool wm_output_is_in_place(const char *path)
{
    struct wm_output_place place;
    bool yes = wm_output_place_find(&place, path, NULL) == WM_OK && place.in_place;
    wm_output_place_release(&place);
    return yes;
}

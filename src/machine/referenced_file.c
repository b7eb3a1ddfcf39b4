#include "machine/referenced_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_FILE_BYTES = 1 << 20 };

enum wm_status wm_referenced_file_path(const char *referrer, const char *name, char *path,
                                       size_t size, struct wm_error *error)
{
    const char *slash = referrer && name[0] != '/' ? strrchr(referrer, '/') : NULL;
    int length = snprintf(path, size, "%.*s%s", slash ? (int)(slash + 1 - referrer) : 0,
                          referrer ? referrer : "", name);
    if (length < 0 || (size_t)length >= size)
        return wm_fail(error, WM_INVALID, "the name of the file is too long");
    return WM_OK;
}

static enum wm_status cannot_read(const char *what, const char *path, struct wm_error *error)
{
    return wm_fail(error, errno == ENOENT ? WM_NOT_FOUND : WM_IO, "cannot read the %s \"%s\": %s",
                   what, path, strerror(errno));
}

// Without O_NONBLOCK a pipe without a writer would be waited for.
enum wm_status wm_referenced_file_read(const char *what, const char *path, struct wm_text *bytes,
                                       struct wm_error *error)
{
    struct stat status;
    char buffer[16384];
    ssize_t count = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return cannot_read(what, path, error);
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(file);
        return wm_fail(error, WM_INVALID, "the %s \"%s\" is no file", what, path);
    }
    while (bytes->length <= LARGEST_FILE_BYTES && (count = read(file, buffer, sizeof buffer)) > 0)
        wm_text_append(bytes, buffer, (size_t)count);
    enum wm_status result = count < 0 ? cannot_read(what, path, error) : WM_OK;
    close(file);
    if (result == WM_OK && bytes->failed)
        result = wm_fail_no_memory(error, "the %s \"%s\"", what, path);
    if (result == WM_OK && bytes->length > LARGEST_FILE_BYTES)
        result = wm_fail(error, WM_INVALID, "the %s \"%s\" has more than 1 MiB", what, path);
    return result;
}

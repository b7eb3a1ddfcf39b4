#include "study/report_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static enum wm_status refused(struct wm_error *error, const char *path, int reason)
{
    return wm_fail(error, WM_IO, "cannot write '%s': %s", path, strerror(reason));
}

// A device or pipe ("/dev/stdout") must not be replaced by a file.
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static int create_beside(struct wm_report_file *file, const char *path)
{
    size_t size = strlen(path) + sizeof ".partial-XXXXXX";
    file->temporary = malloc(size);
    if (file->temporary == NULL)
        return -1;
    snprintf(file->temporary, size, "%s.partial-XXXXXX", path);
    int descriptor = mkstemp(file->temporary);
    if (descriptor < 0)
        return -1;
    // mkstemp's 0600 is for secrets; a report gets what any new file gets.
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    return descriptor;
}

// Reports are long: the host is called once for many of their lines. Without room for that the
// stream has its own.
enum { BUFFER_BYTES = 1 << 16 };

static void buffer_much(struct wm_report_file *file)
{
    file->buffer = malloc(BUFFER_BYTES);
    if (file->buffer != NULL)
        setvbuf(file->stream, file->buffer, _IOFBF, BUFFER_BYTES);
}

static enum wm_status open_stream(struct wm_report_file *file, const char *path,
                                  struct wm_error *error)
{
    *file = (struct wm_report_file){.path = path};
    if (is_special(path)) {
        file->stream = fopen(path, "w");
        return file->stream != NULL ? WM_OK : refused(error, path, errno);
    }
    int descriptor = create_beside(file, path);
    int reason = errno;
    if (descriptor >= 0) {
        file->stream = fdopen(descriptor, "w");
        reason = errno;
        if (file->stream == NULL) {
            close(descriptor);
            unlink(file->temporary);
        }
    }
    if (file->stream != NULL)
        return WM_OK;
    free(file->temporary);
    file->temporary = NULL;
    return refused(error, path, reason);
}

enum wm_status wm_report_file_open(struct wm_report_file *file, const char *path,
                                   struct wm_error *error)
{
    WM_TRY(open_stream(file, path, error));
    buffer_much(file);
    return WM_OK;
}

enum wm_status wm_report_file_close(struct wm_report_file *file, bool good, struct wm_error *error)
{
    errno = 0;
    bool written = ferror(file->stream) == 0;
    if (fclose(file->stream) != 0)
        written = false;
    int reason = errno != 0 ? errno : EIO;
    free(file->buffer);
    if (file->temporary != NULL) {
        if (good && written && rename(file->temporary, file->path) != 0) {
            reason = errno;
            written = false;
        }
        if (!good || !written)
            unlink(file->temporary);
        free(file->temporary);
    }
    const char *path = file->path;
    *file = (struct wm_report_file){0};
    if (!good)
        return wm_fail(error, WM_NO_MEMORY, "out of memory for '%s'", path);
    return written ? WM_OK : refused(error, path, reason);
}

enum wm_status wm_report_file_write(const char *path, const struct wm_text *text,
                                    struct wm_error *error)
{
    struct wm_report_file file;
    WM_TRY(wm_report_file_open(&file, path, error));
    fwrite(text->data, 1, text->length, file.stream); // what fails is found at the end
    return wm_report_file_close(&file, true, error);
}

const char *wm_report_file_numbered(const char *path, uint32_t number, char *buffer, size_t size)
{
    if (number == 1)
        return path;
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *ending = strrchr(name, '.');
    if (ending == NULL || ending == name)
        ending = path + strlen(path);
    snprintf(buffer, size, "%.*s.%u%s", (int)(ending - path), path, number, ending);
    return buffer;
}

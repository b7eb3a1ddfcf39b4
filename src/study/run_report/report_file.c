#include "study/run_report/report_file.h"

// Reports are long: the host is called once for many of their lines. Without room for that the
// stream has its own.
enum { BUFFER_BYTES = 1 << 16 };

enum wm_status wm_report_file_open(struct wm_report_file *file, const char *path,
                                   struct wm_error *error)
{
    *file = (struct wm_report_file){.path = path};
    WM_TRY(wm_output_open(&file->output, path, WM_OUTPUT_ATOMIC, error));
    file->stream = wm_output_stream(&file->output);
    if (file->stream == NULL) {
        wm_output_close(&file->output, false, NULL);
        return wm_fail_no_memory(error, "'%s'", path);
    }
    file->buffer = malloc(BUFFER_BYTES);
    if (file->buffer != NULL)
        setvbuf(file->stream, file->buffer, _IOFBF, BUFFER_BYTES);
    return WM_OK;
}

enum wm_status wm_report_file_close(struct wm_report_file *file, bool good, struct wm_error *error)
{
    fclose(file->stream); // what it could not write the file knows
    free(file->buffer);
    enum wm_status status = wm_output_close(&file->output, good, error);
    const char *path = file->path;
    *file = (struct wm_report_file){0};
    return status != WM_OK || good ? status : wm_fail_no_memory(error, "'%s'", path);
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
    if (number == 1 || wm_output_is_in_place(path))
        return path;
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *ending = strrchr(name, '.');
    if (ending == NULL || ending == name)
        ending = path + strlen(path);
    snprintf(buffer, size, "%.*s.%u%s", (int)(ending - path), path, number, ending);
    return buffer;
}

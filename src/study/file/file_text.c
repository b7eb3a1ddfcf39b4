#include "study/file/file_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum wm_status wm_study_file_text(const char *path, size_t most, struct wm_text *text,
                                  struct wm_error *error)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return wm_fail(error, errno == ENOENT ? WM_NOT_FOUND : WM_IO, "cannot open \"%s\": %s",
                       path, strerror(errno));
    char buffer[16384];
    size_t count;
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0 && text->length <= most)
        wm_text_append(text, buffer, count);
    enum wm_status status = WM_OK;
    if (ferror(file))
        status = wm_fail(error, WM_IO, "cannot read \"%s\": %s", path, strerror(errno));
    else if (text->failed)
        status = wm_fail_no_memory(error, "\"%s\"", path);
    else if (text->length > most)
        status = wm_fail(error, WM_INVALID, "\"%s\" has more than %zu bytes", path, most);
    fclose(file);
    return status;
}

#include "study/annotate/source_file.h"

#include <sys/stat.h>

enum { MOST_BYTES = 16 << 20 };

static char *read_all(struct wm_arena *arena, const char *path, size_t *length)
{
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return NULL;
    struct stat facts;
    char *data = NULL;
    if (fstat(fileno(stream), &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size <= MOST_BYTES)
        data = wm_arena_alloc(arena, (size_t)facts.st_size + 1, 1);
    if (data != NULL) {
        *length = fread(data, 1, (size_t)facts.st_size, stream);
        data[*length] = '\0';
        if (memchr(data, '\0', *length) != NULL)
            data = NULL; // no text
    }
    fclose(stream);
    return data;
}

struct wm_source_file *wm_source_file_read(struct wm_arena *arena, const char *path)
{
    size_t length = 0;
    char *data = read_all(arena, path, &length);
    const char *slash = strrchr(path, '/');
    if (data == NULL && slash != NULL && slash[1] != '\0')
        data = read_all(arena, slash + 1, &length);
    if (data == NULL)
        return NULL;
    uint32_t count = 1;
    for (size_t i = 0; i < length; i++)
        count += data[i] == '\n';
    struct wm_source_file *file = WM_ARENA_NEW(arena, struct wm_source_file);
    const char **lines = WM_ARENA_ARRAY(arena, const char *, count);
    if (file == NULL || lines == NULL)
        return NULL;
    file->lines = lines;
    for (char *line = data; line != NULL;) {
        char *end = strchr(line, '\n');
        lines[file->line_count++] = line;
        if (end != NULL) {
            *end = '\0';
            if (end > line && end[-1] == '\r')
                end[-1] = '\0';
        }
        line = end != NULL ? end + 1 : NULL;
    }
    return file;
}

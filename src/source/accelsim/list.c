#include "base/containers/array.h"
#include "source/accelsim/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wm_accelsim_list_release(struct wm_accelsim_list *list)
{
    for (uint64_t i = 0; i < list->count; i++)
        free(list->lines[i].path);
    free(list->lines);
    *list = (struct wm_accelsim_list){0};
}

static enum wm_status add(struct wm_accelsim_list *list, const struct wm_accelsim_line *line,
                          struct wm_error *error)
{
    return WM_ARRAY_ADD(list->lines, list->count, list->room, *line)
               ? WM_OK
               : wm_fail_no_memory(error, "a list of kernels");
}

// A name in the list, relative to the list's own folder.
static char *in_folder_of(const char *list_path, const char *name, size_t length)
{
    const char *slash = strrchr(list_path, '/');
    size_t folder = slash != NULL && name[0] != '/' ? (size_t)(slash - list_path) + 1 : 0;
    char *path = malloc(folder + length + 1);
    if (path == NULL)
        return NULL;
    memcpy(path, list_path, folder);
    memcpy(path + folder, name, length);
    path[folder + length] = '\0';
    return path;
}

// "Name,0xADDRESS[,0xFROM],BYTES"; false when `line` is not of that name.
static bool read_copy(const char *line, const char *name, bool two, struct wm_accelsim_line *out,
                      bool *good)
{
    size_t length = strlen(name);
    if (strncmp(line, name, length) != 0 || line[length] != ',')
        return false;
    char words[128];
    const char *at = words;
    size_t rest = strlen(line + length);
    *good = rest < sizeof words;
    if (!*good)
        return true;
    memcpy(words, line + length, rest + 1);
    for (char *comma = words; *comma != '\0'; comma++)
        if (*comma == ',')
            *comma = ' ';
    uint64_t number;
    *good = wm_accelsim_hex(&at, UINT64_MAX, &out->address) &&
            (!two || wm_accelsim_hex(&at, UINT64_MAX, &out->from)) &&
            wm_accelsim_decimal(&at, INT64_MAX, &out->bytes) &&
            !wm_accelsim_decimal(&at, UINT64_MAX, &number);
    return true;
}

static enum wm_status read_line(const char *text, size_t length, const char *list_path,
                                struct wm_accelsim_line *line, struct wm_error *error)
{
    static const struct {
        const char *name;
        enum wm_accelsim_line_kind kind;
        bool two;
    } copies[] = {
        {"MemcpyHtoD", WM_ACCELSIM_HOST_WRITE, false},
        {"MemcpyDtoH", WM_ACCELSIM_HOST_READ, false},
        {"MemcpyDtoD", WM_ACCELSIM_DEVICE_COPY, true},
        {"Memset", WM_ACCELSIM_DEVICE_FILL, false},
    };
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
        bool good;
        if (!read_copy(text, copies[i].name, copies[i].two, line, &good))
            continue;
        line->kind = copies[i].kind;
        return good ? WM_OK
                    : wm_fail(error, WM_INVALID, "\"%.80s\" is not \"%s,0xADDRESS%s,BYTES\"", text,
                              copies[i].name, copies[i].two ? ",0xFROM" : "");
    }
    if (strncmp(text, "kernel", 6) != 0 || length > 4096) {
        wm_fail(error, WM_INVALID,
                "a list has lines \"MemcpyHtoD,0xADDRESS,BYTES\" and names of files that begin "
                "with \"kernel\", not \"%.60s\"",
                text);
        return wm_error_hint(error,
                             "give the kernelslist.g that Accel-Sim's post-processing wrote");
    }
    line->kind = WM_ACCELSIM_KERNEL;
    line->path = in_folder_of(list_path, text, length);
    return line->path != NULL ? WM_OK : wm_fail_no_memory(error, "a list of kernels");
}

// The name without blanks at its end.
static size_t trimmed(const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return length;
}

static enum wm_status read_lines(struct wm_accelsim_list *list, struct wm_trace_input *input,
                                 struct wm_error *error)
{
    bool launches = false;
    for (;;) {
        const char *text;
        size_t length;
        WM_TRY(wm_trace_input_line(input, &text, &length, error));
        if (text == NULL)
            break;
        const char *path = wm_trace_input_name(input);
        struct wm_accelsim_line line = {.number = wm_trace_input_line_number(input)};
        // A kernel's trace instead of a list.
        if (list->count == 0 && strncmp(text, "-kernel name", 12) == 0) {
            line.path = strdup(path);
            return line.path != NULL ? add(list, &line, error)
                                     : wm_fail_no_memory(error, "a list of kernels");
        }
        length = trimmed(text, length);
        if (length == 0)
            continue;
        enum wm_status status = read_line(text, length, path, &line, error);
        if (status != WM_OK)
            return wm_trace_input_place(input, error);
        launches |= line.kind == WM_ACCELSIM_KERNEL;
        if ((status = add(list, &line, error)) != WM_OK) {
            free(line.path);
            return status;
        }
    }
    if (launches)
        return WM_OK;
    wm_fail(error, WM_INVALID, "the list names no kernel");
    return wm_error_place(error, "%s", wm_trace_input_name(input));
}

enum wm_status wm_accelsim_list_read(struct wm_accelsim_list *list, const char *path,
                                     struct wm_error *error)
{
    *list = (struct wm_accelsim_list){0};
    struct wm_trace_input *input;
    WM_TRY(wm_trace_input_open(path, &input, error));
    enum wm_status status = read_lines(list, input, error);
    wm_trace_input_close(input);
    return status;
}

#include "source/trace_input.h"

#include "base/containers/array.h"
#include "source/archive_library.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 256 << 10 };

struct wm_trace_input {
    const struct wm_archive_library *library;
    struct archive *archive;
    char *name;     // owned
    uint8_t *block; // owned: decompressed bytes
    size_t at, filled;
    bool ended;
    char *line; // owned: a line that lies in two blocks
    size_t line_capacity;
    uint64_t line_number, offset;
};

// --- Opening ---

// libarchive's message, or one of ours where it has none.
static enum wm_status unreadable(struct wm_trace_input *input, struct wm_error *error)
{
    const char *said = input->library->archive_error_string(input->archive);
    wm_fail(error, WM_INVALID, "cannot be read from byte %" PRIu64 " on: %s", input->offset,
            said != NULL ? said : "its compressed data are damaged");
    wm_error_place(error, "%s", input->name);
    return wm_error_hint(error, "the file may be damaged or cut short: get it again");
}

static enum wm_status new_input(const char *name, struct wm_trace_input **result,
                                struct wm_error *error)
{
    const struct wm_archive_library *library;
    WM_TRY(wm_archive_library_load(&library, error));
    struct wm_trace_input *input;
    WM_TRY(WM_ARRAY_NEW(input, 1, error, "a trace's input"));
    input->library = library;
    input->name = strdup(name);
    input->block = malloc(BLOCK_BYTES);
    input->archive = library->archive_read_new();
    struct archive *archive = input->archive;
    bool good = input->name != NULL && input->block != NULL && archive != NULL;
    // A filter that libarchive was built without runs a program in its place, and says so by a
    // warning: not here.
    good = good && library->archive_read_support_filter_gzip(archive) == ARCHIVE_OK &&
           library->archive_read_support_filter_xz(archive) == ARCHIVE_OK &&
           library->archive_read_support_filter_zstd(archive) == ARCHIVE_OK &&
           library->archive_read_support_filter_bzip2(archive) == ARCHIVE_OK &&
           library->archive_read_support_filter_lz4(archive) == ARCHIVE_OK &&
           library->archive_read_support_format_raw(archive) == ARCHIVE_OK &&
           library->archive_read_support_format_empty(archive) == ARCHIVE_OK;
    if (!good) {
        wm_trace_input_close(input);
        return wm_fail_no_memory(error, "a trace's input");
    }
    *result = input;
    return WM_OK;
}

static enum wm_status fill(struct wm_trace_input *input, struct wm_error *error)
{
    input->at = input->filled = 0;
    while (!input->ended && input->filled == 0) {
        la_ssize_t got =
            input->library->archive_read_data(input->archive, input->block, BLOCK_BYTES);
        if (got < 0)
            return unreadable(input, error);
        input->ended = got == 0;
        input->filled = (size_t)got;
    }
    return WM_OK;
}

static enum wm_status begin(struct wm_trace_input *input, int opened, struct wm_error *error)
{
    struct archive_entry *entry;
    int found = opened == ARCHIVE_OK
                    ? input->library->archive_read_next_header(input->archive, &entry)
                    : opened;
    if (found != ARCHIVE_OK && found != ARCHIVE_EOF)
        return unreadable(input, error);
    input->ended = found == ARCHIVE_EOF;
    WM_TRY(fill(input, error));
    if (!input->ended)
        return WM_OK;
    wm_fail(error, WM_INVALID, "is empty");
    return wm_error_place(error, "%s", input->name);
}

static enum wm_status finish_open(struct wm_trace_input *input, enum wm_status status,
                                  struct wm_trace_input **result)
{
    if (status == WM_OK)
        *result = input;
    else
        wm_trace_input_close(input);
    return status;
}

enum wm_status wm_trace_input_open(const char *path, struct wm_trace_input **result,
                                   struct wm_error *error)
{
    *result = NULL;
    struct wm_trace_input *input;
    WM_TRY(new_input(path, &input, error));
    errno = 0;
    int opened = input->library->archive_read_open_filename(input->archive, path, BLOCK_BYTES);
    if (opened != ARCHIVE_OK && input->library->archive_errno(input->archive) > 0) {
        int number = input->library->archive_errno(input->archive);
        wm_fail(error,
                number == ENOENT   ? WM_NOT_FOUND
                : number == EISDIR ? WM_INVALID // the wrong input, nothing that the system lacks
                                   : WM_IO,
                "cannot be opened: %s", strerror(number));
        return finish_open(input, wm_error_place(error, "%s", path), result);
    }
    return finish_open(input, begin(input, opened, error), result);
}

enum wm_status wm_trace_input_open_memory(const void *bytes, size_t size, const char *name,
                                          struct wm_trace_input **result, struct wm_error *error)
{
    *result = NULL;
    struct wm_trace_input *input;
    WM_TRY(new_input(name, &input, error));
    int opened = input->library->archive_read_open_memory(input->archive, bytes, size);
    return finish_open(input, begin(input, opened, error), result);
}

void wm_trace_input_close(struct wm_trace_input *input)
{
    if (input == NULL)
        return;
    input->library->archive_read_free(input->archive);
    free(input->name);
    free(input->block);
    free(input->line);
    free(input);
}

// --- Reading ---

enum wm_status wm_trace_input_read(struct wm_trace_input *input, void *buffer, size_t size,
                                   size_t *got, struct wm_error *error)
{
    *got = 0;
    while (*got < size) {
        if (input->at == input->filled) {
            WM_TRY(fill(input, error));
            if (input->ended)
                break;
        }
        size_t left = input->filled - input->at, wanted = size - *got;
        size_t count = left < wanted ? left : wanted;
        memcpy((uint8_t *)buffer + *got, input->block + input->at, count);
        input->at += count;
        input->offset += count;
        *got += count;
    }
    return WM_OK;
}

static enum wm_status bad_line(struct wm_trace_input *input, const char *what,
                               struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "%s: this is no text", what);
    return wm_trace_input_place(input, error);
}

// Puts a part of a line behind what is kept of it.
static enum wm_status keep(struct wm_trace_input *input, size_t kept, const uint8_t *part,
                           size_t length, struct wm_error *error)
{
    if (kept + length > WM_TRACE_INPUT_LINE_BYTES)
        return bad_line(input, "a line of more than a mebibyte", error);
    if (!WM_ARRAY_RESERVE(input->line, kept, input->line_capacity, length + 1))
        return wm_fail_no_memory(error, "a trace's input");
    memcpy(input->line + kept, part, length);
    return WM_OK;
}

enum wm_status wm_trace_input_line(struct wm_trace_input *input, const char **line, size_t *length,
                                   struct wm_error *error)
{
    *line = NULL;
    *length = 0;
    size_t kept = 0;
    if (input->at == input->filled)
        WM_TRY(fill(input, error));
    if (input->ended)
        return WM_OK;
    input->line_number++;
    char *text = NULL;
    while (text == NULL && !input->ended) {
        uint8_t *from = input->block + input->at;
        size_t left = input->filled - input->at;
        uint8_t *end = memchr(from, '\n', left);
        size_t part = end != NULL ? (size_t)(end - from) : left, taken = part + (end != NULL);
        if (end != NULL && kept == 0)
            text = (char *)from; // in place
        else
            WM_TRY(keep(input, kept, from, part, error));
        kept += part;
        input->at += taken;
        input->offset += taken;
        if (end != NULL && text == NULL)
            text = input->line;
        if (end == NULL)
            WM_TRY(fill(input, error));
    }
    if (text == NULL)
        text = input->line; // the last line has no end
    if (kept > WM_TRACE_INPUT_LINE_BYTES)
        return bad_line(input, "a line of more than a mebibyte", error);
    if (memchr(text, '\0', kept) != NULL)
        return bad_line(input, "a byte of zero in the line", error);
    if (kept > 0 && text[kept - 1] == '\r')
        kept--;
    text[kept] = '\0';
    *line = text;
    *length = kept;
    return WM_OK;
}

// --- Places ---

const char *wm_trace_input_name(const struct wm_trace_input *input)
{
    return input->name;
}

uint64_t wm_trace_input_line_number(const struct wm_trace_input *input)
{
    return input->line_number;
}

uint64_t wm_trace_input_offset(const struct wm_trace_input *input)
{
    return input->offset;
}

enum wm_status wm_trace_input_place(const struct wm_trace_input *input, struct wm_error *error)
{
    if (input->line_number > 0)
        return wm_error_place(error, "%s:%" PRIu64, input->name, input->line_number);
    return wm_error_place(error, "%s, byte %" PRIu64, input->name, input->offset);
}

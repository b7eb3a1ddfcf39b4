// Tables of rows: whole values of keys that take them, and the files that they name.
#include "machine/row_table.h"

#include "base/nearest.h"
#include "base/text_position.h"
#include "machine/preset.h"
#include "machine/referenced_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { ROW_BYTES = 512 };

struct reader {
    const char *text, *file;
    size_t length;
    yaml_parser_t parser;
    const struct wm_row_table_kind *kind;
    void *table;
    struct wm_error *error;
};

static enum wm_status point_at(const struct reader *reader, yaml_mark_t mark)
{
    struct wm_text_place place = {(uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
    return wm_error_point(reader->error, reader->file, reader->text, reader->length, place);
}

static enum wm_status add_row(const struct reader *reader, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    if (strlen(value) != event->data.scalar.length) {
        wm_fail(reader->error, WM_INVALID, "a row with a byte that is zero");
        return point_at(reader, event->start_mark);
    }
    enum wm_status status = reader->kind->add(value, reader->file, reader->table, reader->error);
    if (status != WM_OK && reader->error->place[0] == '\0')
        point_at(reader, event->start_mark);
    return status;
}

// What the event is wanted to be: the frame of a list of scalars, without anchors and tags.
static bool is_frame(const yaml_event_t *event, unsigned number, bool ended)
{
    static const yaml_event_type_t opening[] = {YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT,
                                                YAML_SEQUENCE_START_EVENT};
    if (number < 3)
        return event->type == opening[number] &&
               (number < 2 ||
                (!event->data.sequence_start.anchor && !event->data.sequence_start.tag));
    return ended &&
           (event->type == YAML_DOCUMENT_END_EVENT || event->type == YAML_STREAM_END_EVENT);
}

static enum wm_status read_event(const struct reader *reader, const yaml_event_t *event,
                                 unsigned number, bool *ended)
{
    bool is_row = number >= 3 && !*ended && event->type == YAML_SCALAR_EVENT &&
                  !event->data.scalar.anchor && !event->data.scalar.tag;
    if (is_row)
        return add_row(reader, event);
    if (number >= 3 && !*ended && event->type == YAML_SEQUENCE_END_EVENT) {
        *ended = true;
        return WM_OK;
    }
    if (is_frame(event, number, *ended))
        return WM_OK;
    wm_fail(reader->error, WM_INVALID, "%s %s is a list of rows and nothing else",
            reader->kind->article, reader->kind->noun);
    wm_error_hint(reader->error, "write each row on a line that begins with \"- \"");
    return point_at(reader, event->start_mark);
}

static enum wm_status read_stream(struct reader *reader)
{
    bool ended = false;
    enum wm_status status = WM_OK;
    yaml_event_type_t type = YAML_NO_EVENT;
    for (unsigned number = 0; status == WM_OK && type != YAML_STREAM_END_EVENT; number++) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reader->parser, &event)) {
            const char *problem = reader->parser.problem;
            wm_fail(reader->error, WM_INVALID, "not well-formed YAML: %s",
                    problem ? problem : "unknown problem");
            wm_error_hint(reader->error, "write each row on a line that begins with \"- \"");
            return point_at(reader, reader->parser.problem_mark);
        }
        type = event.type;
        status = read_event(reader, &event, number < 3 ? number : 3, &ended);
        yaml_event_delete(&event);
    }
    return status;
}

// What is missing is blamed on the file's beginning.
static enum wm_status finish(const struct reader *reader)
{
    enum wm_status status =
        reader->kind->finish ? reader->kind->finish(reader->table, reader->error) : WM_OK;
    if (status != WM_OK)
        point_at(reader, (yaml_mark_t){0});
    return status;
}

enum wm_status wm_row_table_read_text(const struct wm_row_table_kind *kind, const char *text,
                                      size_t length, const char *file, void *table,
                                      struct wm_error *error)
{
    struct wm_error unread;
    struct reader reader = {.text = text,
                            .file = file,
                            .length = length,
                            .kind = kind,
                            .table = table,
                            .error = error ? error : &unread};
    wm_error_clear(reader.error);
    if (!yaml_parser_initialize(&reader.parser))
        return wm_fail_no_memory(error, "reading a table of a machine");
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, length);
    enum wm_status status = read_stream(&reader);
    yaml_parser_delete(&reader.parser);
    return status == WM_OK ? finish(&reader) : status;
}

// "[l1 …, l2 …]". The brackets are there.
static enum wm_status read_list(const struct wm_row_table_kind *kind, const char *text,
                                const char *referrer, void *table, struct wm_error *error)
{
    size_t length = strlen(text);
    if (length < 2 || text[length - 1] != ']') {
        wm_fail(error, WM_INVALID, "the list of rows does not end in a bracket");
        return wm_error_hint(error, "write rows with commas between them, in brackets");
    }
    const char *end = text + length - 1;
    for (const char *at = text + 1; at < end;) {
        char row[ROW_BYTES];
        size_t width = strcspn(at, ","), left = (size_t)(end - at);
        int used = snprintf(row, sizeof row, "%.*s", (int)(width < left ? width : left), at);
        if (used >= (int)sizeof row)
            return wm_fail(error, WM_INVALID, "a row of the %s is too long", kind->noun);
        WM_TRY(kind->add(row, referrer, table, error));
        at += width + 1;
    }
    return kind->finish ? kind->finish(table, error) : WM_OK;
}

enum wm_status wm_row_table_read(const struct wm_row_table_kind *kind, const char *text,
                                 const char *referrer, void *table, struct wm_error *error)
{
    struct wm_text bytes;
    char path[PATH_MAX];
    if (strcmp(text, "none") == 0)
        return WM_OK;
    if (text[0] == '[')
        return read_list(kind, text, referrer, table, error);
    WM_TRY(wm_row_table_path(kind, text, referrer, path, sizeof path, error));
    wm_text_init(&bytes);
    enum wm_status status = wm_referenced_file_read(kind->noun, path, &bytes, error);
    if (status == WM_OK)
        status = wm_row_table_read_text(kind, bytes.data ? bytes.data : "", bytes.length, path,
                                        table, error);
    wm_text_release(&bytes);
    return status;
}

void wm_row_table_print(const struct wm_row_table_kind *kind, const void *table,
                        struct wm_text *text)
{
    const unsigned char *bytes = table;
    size_t set = 0;
    while (set < kind->bytes && bytes[set] == 0)
        set++;
    if (set == kind->bytes) {
        wm_text_add(text, "none");
        return;
    }
    struct wm_text row;
    wm_text_init(&row);
    for (unsigned i = 0; kind->print(table, i, &row); i++) {
        wm_text_format(text, "%s\n      %s", i == 0 ? "[" : ",", row.data ? row.data : "");
        row.length = 0;
    }
    wm_text_release(&row);
    wm_text_add(text, "]");
}

static enum wm_status unknown_table(const struct wm_row_table_kind *kind, const char *name,
                                    struct wm_error *error)
{
    struct wm_arena arena;
    struct wm_nearest nearest;
    struct wm_text list;
    const char *const *names;
    size_t count;
    wm_arena_init(&arena);
    enum wm_status status = wm_table_preset_names(kind->folder, &arena, &names, &count, error);
    if (status == WM_OK) {
        wm_text_init(&list);
        wm_nearest_init(&nearest, name);
        for (size_t i = 0; i < count; i++) {
            wm_nearest_offer(&nearest, names[i]);
            wm_text_format(&list, "%s%s", i ? ", " : "", names[i]);
        }
        status = wm_fail(error, WM_NOT_FOUND, "there is no %s \"%.60s\"", kind->noun, name);
        wm_error_hint(error, "%s%s%sknown are %s; a file is named with a slash or its .yaml",
                      nearest.best ? "did you mean " : "", nearest.best ? nearest.best : "",
                      nearest.best ? "? " : "", list.data ? list.data : "none");
        wm_text_release(&list);
    }
    wm_arena_release(&arena);
    return status;
}

enum wm_status wm_row_table_path(const struct wm_row_table_kind *kind, const char *name,
                                 const char *referrer, char *path, size_t size,
                                 struct wm_error *error)
{
    if (wm_preset_is_file(name))
        return wm_referenced_file_path(referrer, name, path, size, error);
    bool found = false;
    WM_TRY(wm_table_preset_path(kind->folder, name, path, size, &found, error));
    return found ? WM_OK : unknown_table(kind, name, error);
}

// YAML into values. The events of libyaml are read in step with the schema, so a file can be no
// deeper than its keys, and aliases are refused before anything could grow from them.
#include "machine/description.h"

#include "base/nearest.h"
#include "base/text_position.h"
#include "machine/row_table.h"

#include <ctype.h>
#include <yaml.h>

enum { LONGEST_KEY = 48, LONGEST_VALUE = 200, LONGEST_NUMBER = 40 };

struct reader {
    struct wm_description *description;
    yaml_parser_t parser;
    yaml_event_t event; // the current one; owned, deleted by the next
    bool has_event;
};

// A copy of what the file says that can stand in a message: cut, and without control characters.
static const char *shown(const char *text, size_t length, char buffer[64])
{
    size_t used = 0;
    for (size_t i = 0; i < length && used < 56; i++) {
        unsigned char c = (unsigned char)text[i];
        buffer[used++] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    buffer[used] = '\0';
    if (used < length)
        memcpy(buffer + used, "...", 4);
    return buffer;
}

static enum wm_status point_at(const struct reader *reader, yaml_mark_t mark)
{
    wm_description_point(reader->description, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1);
    return WM_INVALID;
}

static enum wm_status point_at_event(const struct reader *reader)
{
    return point_at(reader, reader->event.start_mark);
}

// libyaml gives a reader error (encoding, control character) an offset in bytes and no mark.
static enum wm_status point_at_offset(const struct reader *reader, size_t offset)
{
    const struct wm_description *description = reader->description;
    struct wm_text_place place =
        wm_text_position_of(description->text, description->length, offset);
    wm_description_point(description, place.line, place.column);
    return WM_INVALID;
}

static enum wm_status syntax_error(const struct reader *reader)
{
    const struct wm_description *description = reader->description;
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return wm_fail_no_memory(description->error, "reading \"%s\"", description->file);
    wm_fail(description->error, WM_INVALID, "not well-formed YAML: %s",
            parser->problem ? parser->problem : "unknown problem");
    yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_READER_ERROR) {
        point_at_offset(reader, parser->problem_offset);
        wm_error_hint(description->error, "a machine file is UTF-8 text");
        return WM_INVALID;
    }
    point_at(reader, mark);
    if (mark.index < description->length && description->text[mark.index] == '\t')
        wm_error_hint(description->error, "indent with blanks, not with tabs");
    else if (parser->context)
        wm_error_hint(description->error, "it happened %s that begins in line %zu", parser->context,
                      parser->context_mark.line + 1);
    else
        wm_error_hint(description->error, "write \"key: value\" lines, nested by indentation");
    return WM_INVALID;
}

// The next event; anchors and tags are refused here, wherever they stand.
static enum wm_status next(struct reader *reader)
{
    if (reader->has_event)
        yaml_event_delete(&reader->event);
    reader->has_event = false;
    if (!yaml_parser_parse(&reader->parser, &reader->event))
        return syntax_error(reader);
    reader->has_event = true;
    const yaml_event_t *event = &reader->event;
    const yaml_char_t *anchor = NULL, *tag = NULL;
    switch (event->type) {
    case YAML_ALIAS_EVENT: anchor = event->data.alias.anchor; break;
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    default: break;
    }
    if (!anchor && !tag)
        return WM_OK;
    char buffer[64];
    const char *name = (const char *)(anchor ? anchor : tag);
    wm_fail(reader->description->error, WM_INVALID, "%s \"%s\" has no place in a machine file",
            anchor ? "the anchor or alias" : "the tag", shown(name, strlen(name), buffer));
    wm_error_hint(reader->description->error, "write the value itself");
    return point_at_event(reader);
}

static const char *event_noun(yaml_event_type_t type)
{
    switch (type) {
    case YAML_SEQUENCE_START_EVENT: return "a list";
    case YAML_MAPPING_START_EVENT: return "a group of keys";
    default: return "a value";
    }
}

static void offer_siblings(const char *parent, struct wm_nearest *nearest, struct wm_text *names)
{
    const char *separator = "";
    for (size_t i = 0; i < wm_machine_group_count + wm_machine_key_count; i++) {
        const char *path = i < wm_machine_group_count
                               ? wm_machine_groups[i].path
                               : wm_machine_keys[i - wm_machine_group_count].path;
        if (!wm_machine_path_is_in(path, parent))
            continue;
        const char *name = wm_machine_key_name(path);
        wm_nearest_offer(nearest, name);
        wm_text_format(names, "%s%s", separator, name);
        separator = ", ";
    }
}

// The path elsewhere in the schema that ends in `name`, NULL when there is none.
static const char *elsewhere(const char *name)
{
    for (size_t i = 0; i < wm_machine_group_count; i++)
        if (strcmp(wm_machine_key_name(wm_machine_groups[i].path), name) == 0)
            return wm_machine_groups[i].path;
    for (size_t i = 0; i < wm_machine_key_count; i++)
        if (strcmp(wm_machine_key_name(wm_machine_keys[i].path), name) == 0)
            return wm_machine_keys[i].path;
    return NULL;
}

static enum wm_status unknown_key(const struct reader *reader, const char *parent, const char *name)
{
    struct wm_error *error = reader->description->error;
    struct wm_text names;
    wm_text_init(&names);
    struct wm_nearest nearest;
    wm_nearest_init(&nearest, name);
    offer_siblings(parent, &nearest, &names);
    const char *other = elsewhere(name);
    wm_fail(error, WM_INVALID, "unknown key \"%s\"%s%s", name, parent[0] ? " in " : "", parent);
    if (strchr(name, '.') && wm_machine_key_find(name))
        wm_error_hint(error, "dots are for --set: in a file, nest the keys in their groups");
    else if (nearest.best)
        wm_error_hint(error, "did you mean %s?", nearest.best);
    else if (other)
        wm_error_hint(error, "its place is %s", other);
    else
        wm_error_hint(error, "known here are %s", names.failed ? "others" : names.data);
    wm_text_release(&names);
    return point_at_event(reader);
}

// The current event is a key of the group `parent`: makes its path and checks that it is new.
static enum wm_status take_key(struct reader *reader, const char *parent, char path[96],
                               struct wm_value_source **source, bool *is_group)
{
    struct wm_error *error = reader->description->error;
    const yaml_event_t *event = &reader->event;
    if (event->type != YAML_SCALAR_EVENT) {
        wm_fail(error, WM_INVALID, "%s stands where a key is expected", event_noun(event->type));
        wm_error_hint(error, "write \"key: value\", one a line");
        return point_at_event(reader);
    }
    const char *name = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    char buffer[64];
    if (length > LONGEST_KEY || strlen(name) != length || strchr(name, '.'))
        return unknown_key(reader, parent, shown(name, length, buffer));
    snprintf(path, 96, "%s%s%s", parent, parent[0] ? "." : "", name);
    const struct wm_machine_key *key = wm_machine_key_find(path);
    const struct wm_machine_group *group = wm_machine_group_find(path);
    if (!key && !group)
        return unknown_key(reader, parent, shown(name, length, buffer));
    *is_group = group != NULL;
    *source = group ? &reader->description->groups[group - wm_machine_groups]
                    : &reader->description->values[key - wm_machine_keys];
    if ((*source)->origin == WM_VALUE_FILE) {
        wm_fail(error, WM_INVALID, "key \"%s\" is repeated", path);
        wm_error_hint(error, "keep one: it was given first in line %u", (*source)->line);
        return point_at_event(reader);
    }
    (*source)->origin = WM_VALUE_FILE;
    (*source)->line = (uint32_t)event->start_mark.line + 1;
    (*source)->column = (uint32_t)event->start_mark.column + 1;
    return WM_OK;
}

// The current event starts a list: its numbers are joined to what --set would take.
static enum wm_status take_list(struct reader *reader, const struct wm_machine_key *key,
                                struct wm_value_source *source)
{
    struct wm_description *description = reader->description;
    yaml_mark_t start = reader->event.start_mark;
    char joined[(WM_MAX_CARVEOUTS + 1) * LONGEST_NUMBER] = "[";
    size_t used = 1, count = 0;
    for (;; count++) {
        WM_TRY(next(reader));
        const yaml_event_t *event = &reader->event;
        if (event->type == YAML_SEQUENCE_END_EVENT)
            break;
        bool is_number = event->type == YAML_SCALAR_EVENT &&
                         event->data.scalar.length < LONGEST_NUMBER - 2 &&
                         !strpbrk((const char *)event->data.scalar.value, ",[]");
        if (!is_number || count > WM_MAX_CARVEOUTS) {
            wm_fail(description->error, WM_INVALID, "%s: %s", key->path,
                    is_number ? "too many numbers" : "this is no number");
            wm_error_hint(description->error, "%s", key->sentence);
            return point_at_event(reader);
        }
        used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%s", count ? ", " : "",
                                 (const char *)event->data.scalar.value);
    }
    snprintf(joined + used, sizeof joined - used, "]");
    if (wm_machine_key_parse(key, joined, description->machine, description->error) != WM_OK)
        return point_at(reader, start);
    source->line = (uint32_t)start.line + 1;
    source->column = (uint32_t)start.column + 1;
    return WM_OK;
}

// The current event starts the list of a table's rows.
static enum wm_status take_rows(struct reader *reader, const struct wm_machine_key *key,
                                struct wm_value_source *source)
{
    struct wm_description *description = reader->description;
    void *table = (char *)description->machine + key->offset;
    yaml_mark_t start = reader->event.start_mark;
    memset(table, 0, key->bytes);
    for (;;) {
        WM_TRY(next(reader));
        const yaml_event_t *event = &reader->event;
        if (event->type == YAML_SEQUENCE_END_EVENT)
            break;
        const char *text = (const char *)event->data.scalar.value;
        if (event->type != YAML_SCALAR_EVENT || strlen(text) != event->data.scalar.length) {
            wm_fail(description->error, WM_INVALID, "%s: this is no row", key->path);
            wm_error_hint(description->error, "write it like \"- %s\"", key->rows->example);
            return point_at_event(reader);
        }
        enum wm_status status = key->rows->add(text, description->file, table, description->error);
        if (status != WM_OK)
            return description->error->place[0] ? status : point_at_event(reader);
    }
    if (key->rows->finish && key->rows->finish(table, description->error) != WM_OK)
        return point_at(reader, start);
    source->line = (uint32_t)start.line + 1;
    source->column = (uint32_t)start.column + 1;
    return WM_OK;
}

static enum wm_status take_value(struct reader *reader, const char *path,
                                 struct wm_value_source *source)
{
    struct wm_description *description = reader->description;
    const struct wm_machine_key *key = wm_machine_key_find(path);
    const yaml_event_t *event = &reader->event;
    if (key->type == WM_KEY_LIST && event->type == YAML_SEQUENCE_START_EVENT)
        return take_list(reader, key, source);
    if (key->type == WM_KEY_ROWS && event->type == YAML_SEQUENCE_START_EVENT)
        return take_rows(reader, key, source);
    if (event->type != YAML_SCALAR_EVENT) {
        struct wm_text range;
        wm_text_init(&range);
        wm_machine_key_range_text(key, &range);
        wm_fail(description->error, WM_INVALID, "%s takes one value, not %s", path,
                event_noun(event->type));
        wm_error_hint(description->error, "legal is %s", range.failed ? "one" : range.data);
        wm_text_release(&range);
        return point_at_event(reader);
    }
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (length == 0) {
        wm_fail(description->error, WM_INVALID, "%s has no value", path);
        wm_error_hint(description->error, "%s", key->sentence);
        return point_at_event(reader);
    }
    bool one_line = true;
    for (size_t i = 0; i < length; i++)
        one_line = one_line && (unsigned char)text[i] >= 0x20 && text[i] != 0x7f;
    size_t longest = key->type == WM_KEY_SELECTORS ? key->bytes : LONGEST_VALUE;
    if (!one_line || length > longest) {
        wm_fail(description->error, WM_INVALID, "the value of %s is not a short text on one line",
                path);
        wm_error_hint(description->error, "%s", key->sentence);
        return point_at_event(reader);
    }
    if (wm_description_value(description, key, text, false) != WM_OK)
        return description->error->place[0] ? description->error->status : point_at_event(reader);
    source->line = (uint32_t)event->start_mark.line + 1;
    source->column = (uint32_t)event->start_mark.column + 1;
    return WM_OK;
}

// The current event starts the mapping of `parent`. Recurses as deep as the schema's groups.
static enum wm_status read_group(struct reader *reader, const char *parent)
{
    if (reader->event.type != YAML_MAPPING_START_EVENT) {
        wm_fail(reader->description->error, WM_INVALID, "%s%sholds keys, not %s", parent,
                parent[0] ? " " : "a machine file ", event_noun(reader->event.type));
        wm_error_hint(reader->description->error, "\"warpmem machine keys\" lists the keys");
        return point_at_event(reader);
    }
    for (;;) {
        WM_TRY(next(reader));
        if (reader->event.type == YAML_MAPPING_END_EVENT)
            return WM_OK;
        char path[96];
        struct wm_value_source *source = NULL;
        bool is_group = false;
        WM_TRY(take_key(reader, parent, path, &source, &is_group));
        WM_TRY(next(reader));
        WM_TRY(is_group ? read_group(reader, path) : take_value(reader, path, source));
    }
}

static enum wm_status read_stream(struct reader *reader)
{
    struct wm_description *description = reader->description;
    WM_TRY(next(reader)); // stream start
    WM_TRY(next(reader));
    if (reader->event.type == YAML_STREAM_END_EVENT) {
        wm_fail(description->error, WM_INVALID, "the file holds no keys");
        wm_description_point(description, 1, 1);
        wm_error_hint(description->error, "\"warpmem machine show v100\" prints one to start from");
        return WM_INVALID;
    }
    WM_TRY(next(reader)); // past the document's start
    description->root =
        (struct wm_value_source){WM_VALUE_FILE, (uint32_t)reader->event.start_mark.line + 1,
                                 (uint32_t)reader->event.start_mark.column + 1, 0};
    WM_TRY(read_group(reader, ""));
    WM_TRY(next(reader)); // document end
    WM_TRY(next(reader));
    if (reader->event.type == YAML_STREAM_END_EVENT)
        return WM_OK;
    wm_fail(description->error, WM_INVALID, "a second document begins");
    wm_error_hint(description->error, "keep one machine a file");
    return point_at_event(reader);
}

enum wm_status wm_description_read(struct wm_description *description)
{
    const char *zero = memchr(description->text, '\0', description->length);
    struct reader reader = {.description = description};
    if (zero) {
        wm_fail(description->error, WM_INVALID, "a byte that is zero: this is no text");
        wm_error_hint(description->error, "a machine file is UTF-8 text");
        return point_at_offset(&reader, (size_t)(zero - description->text));
    }
    if (!yaml_parser_initialize(&reader.parser))
        return wm_fail_no_memory(description->error, "reading a machine");
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)description->text,
                                 description->length);
    enum wm_status status = read_stream(&reader);
    if (reader.has_event)
        yaml_event_delete(&reader.event);
    yaml_parser_delete(&reader.parser);
    return status;
}

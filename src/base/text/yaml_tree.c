#include "base/text/yaml_tree.h"

#include "base/text/text.h"
#include "base/text/text_position.h"

#include <string.h>
#include <yaml.h>

// A key is held against all before it in its group: that many at most.
enum { DEEPEST = 12, LONGEST_KEY = 100, MOST_KEYS = 4096 };

struct reader {
    struct wm_yaml_tree *tree;
    struct wm_arena *arena;
    struct wm_error *error;
    yaml_parser_t parser;
    yaml_event_t event; // the current one; owned, deleted by the next
    bool has_event;
};

enum wm_status wm_yaml_point(const struct wm_yaml_tree *tree, uint32_t line, uint32_t column,
                             struct wm_error *error)
{
    return wm_error_point(error, tree->file, tree->text, tree->length,
                          (struct wm_text_place){line, column});
}

enum wm_status wm_yaml_point_node(const struct wm_yaml_tree *tree, const struct wm_yaml_node *node,
                                  struct wm_error *error)
{
    return wm_yaml_point(tree, node->line, node->column, error);
}

enum wm_status wm_yaml_point_key(const struct wm_yaml_tree *tree, const struct wm_yaml_node *node,
                                 struct wm_error *error)
{
    return node->key ? wm_yaml_point(tree, node->key_line, node->key_column, error)
                     : wm_yaml_point_node(tree, node, error);
}

// The byte at a line and column, both 1-based: libyaml counts characters.
static size_t offset_of(const struct wm_yaml_tree *tree, uint32_t line, uint32_t column)
{
    size_t at = 0;
    for (uint32_t i = 1; i < line && at < tree->length; at++)
        i += tree->text[at] == '\n';
    for (uint32_t i = 1; i < column && at < tree->length; i++) {
        at++;
        while (at < tree->length && ((unsigned char)tree->text[at] & 0xc0) == 0x80)
            at++;
    }
    return at;
}

enum wm_status wm_yaml_point_within(const struct wm_yaml_tree *tree,
                                    const struct wm_yaml_node *node, size_t offset,
                                    struct wm_error *error)
{
    size_t length = strlen(node->value), index = offset_of(tree, node->line, node->column);
    size_t quote = index < tree->length && strchr("\"'", tree->text[index]) ? 1 : 0;
    bool as_it_is = tree->length - index >= length + quote &&
                    memcmp(tree->text + index + quote, node->value, length) == 0;
    if (as_it_is && !strchr(node->value, '\n'))
        return wm_yaml_point(tree, node->line, node->column + (uint32_t)(offset + quote), error);
    wm_error_place(error, "%s:%u:%u", tree->file, node->line, node->column);
    return wm_error_excerpt(error, node->value, length, (unsigned)offset + 1);
}

const struct wm_yaml_node *wm_yaml_find(const struct wm_yaml_node *group, const char *key)
{
    for (const struct wm_yaml_node *node = group->first; node; node = node->next)
        if (node->key && strcmp(node->key, key) == 0)
            return node;
    return NULL;
}

const char *wm_yaml_noun(const struct wm_yaml_node *node)
{
    static const char *const nouns[] = {"a value", "a list", "a group of keys"};
    return nouns[node->kind];
}

// ---- Reading -----------------------------------------------------------------------------------

static enum wm_status point_at(const struct reader *reader, yaml_mark_t mark)
{
    return wm_yaml_point(reader->tree, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1,
                         reader->error);
}

// libyaml gives a reader error (encoding, control character) an offset in bytes and no mark.
static enum wm_status point_at_offset(const struct reader *reader, size_t offset)
{
    const struct wm_yaml_tree *tree = reader->tree;
    return wm_error_point(reader->error, tree->file, tree->text, tree->length,
                          wm_text_position_of(tree->text, tree->length, offset));
}

static enum wm_status no_memory(const struct reader *reader)
{
    return wm_fail_no_memory(reader->error, "\"%s\"", reader->tree->file);
}

static enum wm_status syntax_error(const struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return no_memory(reader);
    wm_fail(reader->error, WM_INVALID, "not well-formed YAML: %s",
            parser->problem ? parser->problem : "unknown problem");
    if (parser->error == YAML_READER_ERROR) {
        point_at_offset(reader, parser->problem_offset);
        return wm_error_hint(reader->error, "%s is UTF-8 text", reader->tree->form->noun);
    }
    const struct wm_yaml_tree *tree = reader->tree;
    yaml_mark_t mark = parser->problem_mark;
    point_at(reader, mark);
    if (mark.index < tree->length && tree->text[mark.index] == '\t')
        return wm_error_hint(reader->error, "indent with blanks, not with tabs");
    if (tree->form->hint != NULL)
        return wm_error_hint(reader->error, "%s", tree->form->hint);
    if (parser->context)
        return wm_error_hint(reader->error, "it happened %s that begins in line %zu",
                             parser->context, parser->context_mark.line + 1);
    return wm_error_hint(reader->error, "write \"key: value\" lines, nested by indentation; a "
                                        "value with \": \" or \" #\" in it goes in quotes");
}

// A copy of what the file says that can stand in a message: cut, and without control characters.
static const char *shown(const char *text, char buffer[64])
{
    size_t used = 0;
    for (; text[used] != '\0' && used < 56; used++) {
        unsigned char c = (unsigned char)text[used];
        buffer[used] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    memcpy(buffer + used, "...", text[used] != '\0' ? 4 : 0);
    buffer[text[used] != '\0' ? used + 3 : used] = '\0';
    return buffer;
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
    wm_fail(reader->error, WM_INVALID, "%s \"%s\" has no place in %s",
            anchor ? "the anchor or alias" : "the tag",
            shown((const char *)(anchor ? anchor : tag), buffer), reader->tree->form->noun);
    wm_error_hint(reader->error, "write the value itself");
    return point_at(reader, event->start_mark);
}

static enum wm_status copy_value(const struct reader *reader, const char **copy)
{
    const yaml_event_t *event = &reader->event;
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)text[i] < 0x20 && text[i] != '\n') || text[i] == 0x7f) {
            wm_fail(reader->error, WM_INVALID, "a control character has no place in %s",
                    reader->tree->form->noun);
            wm_error_hint(reader->error, "take it out: %s is lines of text",
                          reader->tree->form->noun);
            return point_at(reader, event->start_mark);
        }
    while (length > 0 && text[length - 1] == '\n') // of a block
        length--;
    *copy = wm_arena_copy_text(reader->arena, text, length);
    return *copy ? WM_OK : no_memory(reader);
}

static enum wm_status read_node(struct reader *reader, unsigned depth, struct wm_yaml_node *node);

// "gpu.l1.": the keys on the way to what `group` holds.
static void add_path(struct wm_text *path, const struct wm_yaml_node *group)
{
    if (group->parent)
        add_path(path, group->parent);
    if (group->key)
        wm_text_format(path, "%s.", group->key);
}

static void repeated_key(const struct reader *reader, const struct wm_yaml_node *group,
                         const struct wm_yaml_node *before)
{
    struct wm_text path;
    wm_text_init(&path);
    add_path(&path, group);
    wm_fail(reader->error, WM_INVALID, "key \"%s%s\" is repeated", path.data ? path.data : "",
            before->key);
    wm_error_hint(reader->error, "keep one: it was given first in line %u", before->key_line);
    wm_text_release(&path);
}

static enum wm_status check_key(const struct reader *reader, const struct wm_yaml_node *group,
                                const char *key)
{
    const struct wm_yaml_node *before = key ? wm_yaml_find(group, key) : NULL;
    if (before)
        repeated_key(reader, group, before);
    else if (!key)
        wm_fail(reader->error, WM_INVALID, "%s stands where a key is expected",
                reader->event.type == YAML_SEQUENCE_START_EVENT ? "a list" : "a group of keys");
    else if (key[0] == '\0' || strlen(key) > LONGEST_KEY || strchr(key, '\n'))
        wm_fail(reader->error, WM_INVALID, "a key is a short text on one line");
    else if (group->count == MOST_KEYS)
        wm_fail(reader->error, WM_INVALID, "more than %d keys in one group", MOST_KEYS);
    else
        return WM_OK;
    if (!before)
        wm_error_hint(reader->error, "write \"key: value\", one a line");
    return point_at(reader, reader->event.start_mark);
}

// The current event starts a list or a group; reads to its end.
static enum wm_status read_children(struct reader *reader, unsigned depth,
                                    struct wm_yaml_node *parent)
{
    struct wm_yaml_node **link = &parent->first;
    bool group = parent->kind == WM_YAML_MAPPING;
    for (;;) {
        WM_TRY(next(reader));
        if (reader->event.type == YAML_SEQUENCE_END_EVENT ||
            reader->event.type == YAML_MAPPING_END_EVENT)
            return WM_OK;
        struct wm_yaml_node *node = WM_ARENA_NEW(reader->arena, struct wm_yaml_node);
        if (!node)
            return no_memory(reader);
        node->parent = parent;
        if (group) {
            if (reader->event.type == YAML_SCALAR_EVENT)
                WM_TRY(copy_value(reader, &node->key));
            WM_TRY(check_key(reader, parent, node->key));
            node->key_line = (uint32_t)reader->event.start_mark.line + 1;
            node->key_column = (uint32_t)reader->event.start_mark.column + 1;
            WM_TRY(next(reader));
        }
        WM_TRY(read_node(reader, depth + 1, node));
        *link = node;
        link = &node->next;
        parent->count++;
    }
}

static enum wm_status read_node(struct reader *reader, unsigned depth, struct wm_yaml_node *node)
{
    const yaml_event_t *event = &reader->event;
    node->line = (uint32_t)event->start_mark.line + 1;
    node->column = (uint32_t)event->start_mark.column + 1;
    if (event->type == YAML_SCALAR_EVENT)
        return copy_value(reader, &node->value);
    node->kind = event->type == YAML_SEQUENCE_START_EVENT ? WM_YAML_SEQUENCE : WM_YAML_MAPPING;
    if (depth < DEEPEST)
        return read_children(reader, depth, node);
    wm_fail(reader->error, WM_INVALID, "nested deeper than %s is", reader->tree->form->noun);
    return point_at(reader, event->start_mark);
}

static enum wm_status read_stream(struct reader *reader)
{
    WM_TRY(next(reader)); // stream start
    WM_TRY(next(reader));
    if (reader->event.type == YAML_STREAM_END_EVENT)
        return WM_OK;
    WM_TRY(next(reader)); // past the document's start
    struct wm_yaml_node *root = WM_ARENA_NEW(reader->arena, struct wm_yaml_node);
    if (!root)
        return no_memory(reader);
    WM_TRY(read_node(reader, 0, root));
    reader->tree->root = root;
    WM_TRY(next(reader)); // document end
    WM_TRY(next(reader));
    if (reader->event.type == YAML_STREAM_END_EVENT)
        return WM_OK;
    wm_fail(reader->error, WM_INVALID, "a second document begins");
    wm_error_hint(reader->error, "keep one %s a file", reader->tree->form->one);
    return point_at(reader, reader->event.start_mark);
}

enum wm_status wm_yaml_read(struct wm_yaml_tree *tree, struct wm_arena *arena,
                            struct wm_error *error)
{
    struct reader reader = {.tree = tree, .arena = arena, .error = error};
    tree->root = NULL;
    const char *zero = memchr(tree->text, '\0', tree->length);
    if (zero) {
        wm_fail(reader.error, WM_INVALID, "a byte that is zero: this is no text");
        wm_error_hint(reader.error, "%s is UTF-8 text", tree->form->noun);
        return point_at_offset(&reader, (size_t)(zero - tree->text));
    }
    if (!yaml_parser_initialize(&reader.parser))
        return no_memory(&reader);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)tree->text, tree->length);
    enum wm_status status = read_stream(&reader);
    if (reader.has_event)
        yaml_event_delete(&reader.event);
    yaml_parser_delete(&reader.parser);
    return status;
}

// The tree of a machine file into values, by the schema.
#include "machine/description.h"

#include "base/text/nearest.h"
#include "base/text/yaml_tree.h"
#include "machine/row_table.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_VALUE = 200, LONGEST_NUMBER = 40 };

struct reader {
    struct wm_description *description;
    struct wm_yaml_tree tree;
};

static enum wm_status point_at(const struct reader *reader, const struct wm_yaml_node *node)
{
    return wm_yaml_point_node(&reader->tree, node, reader->description->error);
}

static enum wm_status point_at_key(const struct reader *reader, const struct wm_yaml_node *node)
{
    return wm_yaml_point_key(&reader->tree, node, reader->description->error);
}

static void note_place(struct wm_value_source *source, const struct wm_yaml_node *node)
{
    source->line = node->line;
    source->column = node->column;
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

static enum wm_status unknown_key(const struct reader *reader, const char *parent,
                                  const struct wm_yaml_node *node)
{
    const char *name = node->key;
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
    return point_at_key(reader, node);
}

static enum wm_status take_list(struct reader *reader, const struct wm_machine_key *key,
                                const struct wm_yaml_node *list)
{
    struct wm_description *description = reader->description;
    char joined[(WM_MAX_CARVEOUTS + 1) * LONGEST_NUMBER] = "[";
    size_t used = 1, count = 0;
    for (const struct wm_yaml_node *item = list->first; item; item = item->next, count++) {
        bool is_number = item->kind == WM_YAML_SCALAR && strlen(item->value) < LONGEST_NUMBER - 2 &&
                         !strpbrk(item->value, ",[]");
        if (!is_number || count > WM_MAX_CARVEOUTS) {
            wm_fail(description->error, WM_INVALID, "%s: %s", key->path,
                    is_number ? "too many numbers" : "this is no number");
            wm_error_hint(description->error, "%s", key->sentence);
            return point_at(reader, item);
        }
        used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%s", count ? ", " : "",
                                 item->value);
    }
    snprintf(joined + used, sizeof joined - used, "]");
    return wm_machine_key_parse(key, joined, description->machine, description->error);
}

static enum wm_status take_rows(struct reader *reader, const struct wm_machine_key *key,
                                const struct wm_yaml_node *list)
{
    struct wm_description *description = reader->description;
    void *table = (char *)description->machine + key->offset;
    memset(table, 0, key->bytes);
    for (const struct wm_yaml_node *row = list->first; row; row = row->next) {
        if (row->kind != WM_YAML_SCALAR) {
            wm_fail(description->error, WM_INVALID, "%s: this is no row", key->path);
            wm_error_hint(description->error, "write it like \"- %s\"", key->rows->example);
            return point_at(reader, row);
        }
        enum wm_status status =
            key->rows->add(row->value, description->file, table, description->error);
        if (status != WM_OK)
            return description->error->place[0] ? status : point_at(reader, row);
    }
    return key->rows->finish ? key->rows->finish(table, description->error) : WM_OK;
}

static enum wm_status take_scalar(struct reader *reader, const struct wm_machine_key *key,
                                  const char *text)
{
    struct wm_description *description = reader->description;
    size_t longest = key->type == WM_KEY_SELECTORS ? key->bytes : LONGEST_VALUE;
    if (text[0] != '\0' && !strchr(text, '\n') && strlen(text) <= longest)
        return wm_description_value(description, key, text, false);
    if (text[0] == '\0')
        wm_fail(description->error, WM_INVALID, "%s has no value", key->path);
    else
        wm_fail(description->error, WM_INVALID, "the value of %s is not a short text on one line",
                key->path);
    return wm_error_hint(description->error, "%s", key->sentence);
}

static enum wm_status take_value(struct reader *reader, const struct wm_machine_key *key,
                                 const struct wm_yaml_node *node, struct wm_value_source *source)
{
    struct wm_error *error = reader->description->error;
    enum wm_status status = WM_INVALID;
    if (node->kind == WM_YAML_SCALAR) {
        status = take_scalar(reader, key, node->value);
    } else if (key->type == WM_KEY_LIST && node->kind == WM_YAML_SEQUENCE) {
        status = take_list(reader, key, node);
    } else if (key->type == WM_KEY_ROWS && node->kind == WM_YAML_SEQUENCE) {
        status = take_rows(reader, key, node);
    } else {
        struct wm_text range;
        wm_text_init(&range);
        wm_machine_key_range_text(key, &range);
        wm_fail(error, WM_INVALID, "%s takes one value, not %s", key->path, wm_yaml_noun(node));
        wm_error_hint(error, "legal is %s", range.failed ? "one" : range.data);
        wm_text_release(&range);
    }
    if (status != WM_OK)
        return error->place[0] ? status : point_at(reader, node);
    note_place(source, node);
    return WM_OK;
}

// Recurses as deep as the schema's groups.
static enum wm_status read_group(struct reader *reader, const struct wm_yaml_node *group,
                                 const char *parent)
{
    struct wm_description *description = reader->description;
    if (group->kind != WM_YAML_MAPPING) {
        wm_fail(description->error, WM_INVALID, "%s%sholds keys, not %s", parent,
                parent[0] ? " " : "a machine file ", wm_yaml_noun(group));
        wm_error_hint(description->error, "\"warpmem machine keys\" lists the keys");
        return point_at(reader, group);
    }
    for (const struct wm_yaml_node *node = group->first; node; node = node->next) {
        char path[192];
        snprintf(path, sizeof path, "%s%s%s", parent, parent[0] ? "." : "", node->key);
        const struct wm_machine_key *key = wm_machine_key_find(path);
        const struct wm_machine_group *inner = wm_machine_group_find(path);
        if (strchr(node->key, '.') || (!key && !inner))
            return unknown_key(reader, parent, node);
        struct wm_value_source *source = inner ? &description->groups[inner - wm_machine_groups]
                                               : &description->values[key - wm_machine_keys];
        *source = (struct wm_value_source){WM_VALUE_FILE, node->key_line, node->key_column, 0};
        WM_TRY(inner ? read_group(reader, node, path) : take_value(reader, key, node, source));
    }
    return WM_OK;
}

enum wm_status wm_description_read(struct wm_description *description)
{
    static const struct wm_yaml_form form = {"a machine file", "machine", NULL};
    struct wm_arena arena;
    struct reader reader = {.description = description,
                            .tree = {.form = &form,
                                     .file = description->file,
                                     .text = description->text,
                                     .length = description->length}};
    wm_arena_init(&arena);
    enum wm_status status = wm_yaml_read(&reader.tree, &arena, description->error);
    if (status == WM_OK && reader.tree.root == NULL) {
        wm_fail(description->error, WM_INVALID, "the file holds no keys");
        wm_error_hint(description->error, "\"warpmem machine show v100\" prints one to start from");
        status = wm_yaml_point(&reader.tree, 1, 1, description->error);
    } else if (status == WM_OK) {
        description->root.origin = WM_VALUE_FILE;
        note_place(&description->root, reader.tree.root);
        status = read_group(&reader, reader.tree.root, "");
    }
    wm_arena_release(&arena);
    return status;
}

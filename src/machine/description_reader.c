// The tree of a machine file into values, by the schema.
#include "machine/description.h"

#include "base/text/nearest.h"
#include "base/text/yaml_tree.h"
#include "machine/level_value.h"
#include "machine/row_table.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_VALUE = 200, LONGEST_ITEM = 40 };

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

// Where levels may be described: in gpu, in cpu, and outside. WM_LEVEL_PLACES: elsewhere.
static const char *const level_groups[WM_LEVEL_PLACES] = {
    [WM_PLACE_GPU] = "gpu", [WM_PLACE_CPU] = "cpu", [WM_PLACE_MACHINE] = ""};

static enum wm_level_place place_of_group(const char *path)
{
    enum wm_level_place place = 0;
    while (place < WM_LEVEL_PLACES && strcmp(level_groups[place], path) != 0)
        place++;
    return place;
}

static void note_place(struct wm_value_source *source, const struct wm_yaml_node *node)
{
    source->line = node->line;
    source->column = node->column;
}

// Path number `number` of the machine, groups first; NULL where there is none. In `path`.
static const char *path_at(const struct wm_machine *machine, uint32_t number,
                           char path[WM_KEY_PATH_BYTES])
{
    struct wm_machine_group group;
    struct wm_machine_key key;
    bool is_group = number < WM_MACHINE_GROUP_NUMBERS;
    if (is_group ? !wm_machine_group_at(machine, number, &group)
                 : !wm_machine_key_at(machine, number - WM_MACHINE_GROUP_NUMBERS, &key))
        return NULL;
    memcpy(path, is_group ? group.path : key.path, WM_KEY_PATH_BYTES);
    return path;
}

enum { PATH_NUMBERS = WM_MACHINE_GROUP_NUMBERS + WM_MACHINE_KEY_NUMBERS };

static enum wm_status unknown_key(const struct reader *reader, const char *parent,
                                  const struct wm_yaml_node *node)
{
    const char *name = node->key, *separator = "", *known;
    const struct wm_machine *machine = reader->description->machine;
    struct wm_error *error = reader->description->error;
    char path[WM_KEY_PATH_BYTES], best[WM_KEY_PATH_BYTES], elsewhere[WM_KEY_PATH_BYTES] = "";
    struct wm_text names;
    struct wm_nearest nearest;
    struct wm_machine_key dotted;
    wm_text_init(&names);
    wm_nearest_init(&nearest, name);
    for (uint32_t number = 0; number < PATH_NUMBERS; number++) {
        if (!(known = path_at(machine, number, path)))
            continue;
        if (!elsewhere[0] && strcmp(wm_machine_key_name(known), name) == 0)
            memcpy(elsewhere, path, sizeof elsewhere);
        if (!wm_machine_path_is_in(known, parent))
            continue;
        wm_nearest_offer(&nearest, wm_machine_key_name(known));
        if (nearest.best == wm_machine_key_name(known)) // which the next one overwrites
            nearest.best = wm_machine_key_name(memcpy(best, path, sizeof best));
        wm_text_format(&names, "%s%s", separator, wm_machine_key_name(known));
        separator = ", ";
    }
    wm_fail(error, WM_INVALID, "unknown key \"%s\"%s%s", name, parent[0] ? " in " : "", parent);
    bool could_be_level = node->kind == WM_YAML_MAPPING && place_of_group(parent) < WM_LEVEL_PLACES;
    const char *level = could_be_level ? "; a level of its own says what is below it, or who has "
                                         "one: add below or per"
                                       : "";
    if (strchr(name, '.') && wm_machine_key_of(machine, name, &dotted))
        wm_error_hint(error, "dots are for --set: in a file, nest the keys in their groups");
    else if (nearest.best)
        wm_error_hint(error, "did you mean %s?%s", nearest.best, level);
    else if (elsewhere[0])
        wm_error_hint(error, "its place is %s%s", elsewhere, level);
    else
        wm_error_hint(error, "known here are %s%s", names.failed ? "others" : names.data, level);
    wm_text_release(&names);
    return point_at_key(reader, node);
}

static enum wm_status take_list(struct reader *reader, const struct wm_machine_key *key,
                                const struct wm_yaml_node *list)
{
    struct wm_description *description = reader->description;
    const char *noun = key->type == WM_KEY_LIST ? "number" : "word";
    char joined[(WM_MAX_CARVEOUTS + 1) * LONGEST_ITEM] = "[";
    size_t used = 1, count = 0;
    for (const struct wm_yaml_node *item = list->first; item; item = item->next, count++) {
        bool is_item = item->kind == WM_YAML_SCALAR && strlen(item->value) < LONGEST_ITEM - 2 &&
                       !strpbrk(item->value, ",[]");
        if (!is_item || count > WM_MAX_CARVEOUTS) {
            wm_fail(description->error, WM_INVALID, "%s: %s%s%s", key->path,
                    is_item ? "too many " : "this is no ", noun, is_item ? "s" : "");
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
    } else if ((key->type == WM_KEY_LIST || key->type == WM_KEY_SERVES) &&
               node->kind == WM_YAML_SEQUENCE) {
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

// --- Levels with names of the file's own ---

static enum wm_status refuse_level(const struct reader *reader, const struct wm_yaml_node *node,
                                   const char *why, const char *cure)
{
    wm_fail(reader->description->error, WM_INVALID, "there can be no level \"%s\": %s", node->key,
            why);
    wm_error_hint(reader->description->error, "%s", cure);
    return point_at_key(reader, node);
}

// What is known of the levels behind it stands where they are now.
static enum wm_status add_level(struct reader *reader, enum wm_level_place place,
                                const struct wm_yaml_node *node)
{
    struct wm_description *description = reader->description;
    const char *fault = wm_level_name_fault(node->key);
    if (fault)
        return refuse_level(reader, node, fault, "give it another name");
    uint32_t level = wm_level_add(&description->machine->memory, place, node->key);
    if (level == WM_MOST_LEVELS)
        return refuse_level(reader, node, "there are as many as a machine may have",
                            "leave levels out that are not present");
    uint32_t own = level - WM_LEVELS_NAMED, behind = WM_OWN_LEVELS - 1 - own;
    struct wm_value_source *group = &description->groups[WM_MACHINE_MAX_GROUPS + own];
    struct wm_value_source *values =
        &description->values[WM_MACHINE_MAX_KEYS + own * WM_LEVEL_MAX_KEYS];
    memmove(group + 1, group, behind * sizeof *group);
    memmove(values + WM_LEVEL_MAX_KEYS, values, behind * WM_LEVEL_MAX_KEYS * sizeof *values);
    memset(group, 0, sizeof *group);
    memset(values, 0, WM_LEVEL_MAX_KEYS * sizeof *values);
    return WM_OK;
}

// All of them before any value is read: what is below may be described further on. A mapping that
// says what it is one of, or what is below it, is a level.
static enum wm_status add_levels(struct reader *reader, const struct wm_yaml_node *group,
                                 const char *parent)
{
    const struct wm_machine *machine = reader->description->machine;
    enum wm_level_place place = place_of_group(parent);
    if (group->kind != WM_YAML_MAPPING)
        return WM_OK;
    for (const struct wm_yaml_node *node = group->first; node; node = node->next) {
        char path[192];
        struct wm_machine_key key;
        snprintf(path, sizeof path, "%s%s%s", parent, parent[0] ? "." : "", node->key);
        if (node->kind != WM_YAML_MAPPING || strchr(node->key, '.') ||
            wm_machine_key_of(machine, path, &key))
            continue;
        bool is_known = wm_machine_group_of(machine, path) < WM_MACHINE_GROUP_NUMBERS;
        if (is_known && parent[0] == '\0' && place_of_group(path) < WM_LEVEL_PLACES)
            WM_TRY(add_levels(reader, node, path));
        else if (!is_known && !wm_yaml_find(node, "per") && !wm_yaml_find(node, "below"))
            return unknown_key(reader, parent, node);
        else if (!is_known)
            WM_TRY(add_level(reader, place, node));
    }
    return WM_OK;
}

// --- Groups ---

// A value that another name of its key has given in the same file.
static enum wm_status said_twice(const struct reader *reader, const struct wm_machine_key *key,
                                 const struct wm_yaml_node *node)
{
    struct wm_machine_key first;
    wm_machine_key_at(reader->description->machine, key->number, &first);
    wm_fail(reader->description->error, WM_INVALID, "sms_each and %s say the same",
            wm_machine_key_name(first.path));
    wm_error_hint(reader->description->error,
                  "leave one of them out: sms_each is what %s was "
                  "called before",
                  first.path);
    return point_at_key(reader, node);
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
        struct wm_machine_key key;
        snprintf(path, sizeof path, "%s%s%s", parent, parent[0] ? "." : "", node->key);
        bool is_key = wm_machine_key_of(description->machine, path, &key);
        uint32_t inner =
            is_key ? WM_MACHINE_GROUP_NUMBERS : wm_machine_group_of(description->machine, path);
        bool is_group = inner < WM_MACHINE_GROUP_NUMBERS;
        if (strchr(node->key, '.') || (!is_key && !is_group))
            return unknown_key(reader, parent, node);
        struct wm_value_source *source =
            is_group ? &description->groups[inner] : &description->values[key.number];
        if (is_key && source->origin == WM_VALUE_FILE)
            return said_twice(reader, &key, node);
        *source = (struct wm_value_source){WM_VALUE_FILE, node->key_line, node->key_column, 0};
        WM_TRY(is_group ? read_group(reader, node, path) : take_value(reader, &key, node, source));
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
        status = add_levels(&reader, reader.tree.root, "");
        if (status == WM_OK)
            status = read_group(&reader, reader.tree.root, "");
    }
    wm_arena_release(&arena);
    return status;
}

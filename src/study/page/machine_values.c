#include "study/page/machine_values.h"

#include "base/text/text.h"
#include "base/text/yaml_tree.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_KEY = 256 };

struct reader {
    struct wm_arena *arena;
    struct wm_machine_value *values;
    uint32_t count;
    struct wm_error *error;
};

static enum wm_status odd(struct wm_error *error)
{
    return wm_fail(error, WM_INVALID, "a machine's description is no YAML of keys and values");
}

// The text of a value; of a list its items, "0B, 8KiB, 16KiB".
static enum wm_status add_value(struct reader *reader, const char *key,
                                const struct wm_yaml_node *node)
{
    struct wm_text text;
    enum wm_status status = WM_OK;
    bool is_list = node->kind == WM_YAML_SEQUENCE;
    wm_text_init(&text);
    for (const struct wm_yaml_node *item = is_list ? node->first : node; item && status == WM_OK;
         item = is_list ? item->next : NULL) {
        if (item->kind == WM_YAML_SCALAR)
            wm_text_format(&text, "%s%s", text.length > 0 ? ", " : "", item->value);
        else
            status = odd(reader->error);
    }
    if (status == WM_OK) {
        struct wm_machine_value *value = &reader->values[reader->count++];
        value->key = wm_arena_copy_text(reader->arena, key, strlen(key));
        value->value =
            wm_arena_copy_text(reader->arena, text.data != NULL ? text.data : "", text.length);
        if (text.failed || value->key == NULL || value->value == NULL)
            status = wm_fail_no_memory(reader->error, "a machine's description");
    }
    wm_text_release(&text);
    return status;
}

static uint32_t count_values(const struct wm_yaml_node *node)
{
    uint32_t count = node->kind != WM_YAML_MAPPING;
    for (const struct wm_yaml_node *child = count ? NULL : node->first; child; child = child->next)
        count += count_values(child);
    return count;
}

static enum wm_status read_mapping(struct reader *reader, const struct wm_yaml_node *mapping,
                                   const char *before)
{
    for (const struct wm_yaml_node *node = mapping->first; node; node = node->next) {
        char key[LONGEST_KEY];
        if (snprintf(key, sizeof key, "%s%s%s", before, before[0] != '\0' ? "." : "", node->key) >=
            (int)sizeof key)
            return odd(reader->error);
        WM_TRY(node->kind == WM_YAML_MAPPING ? read_mapping(reader, node, key)
                                             : add_value(reader, key, node));
    }
    return WM_OK;
}

enum wm_status wm_machine_values_read(struct wm_machine_values *values, const char *text,
                                      struct wm_arena *arena, struct wm_error *error)
{
    static const struct wm_yaml_form form = {"a machine's description", "machine", NULL};
    struct wm_yaml_tree tree = {
        .form = &form, .file = "machine", .text = text, .length = strlen(text)};
    struct wm_error why;
    *values = (struct wm_machine_values){0};
    enum wm_status status = wm_yaml_read(&tree, arena, &why);
    if (status != WM_OK || tree.root == NULL || tree.root->kind != WM_YAML_MAPPING)
        return status == WM_NO_MEMORY ? wm_fail_no_memory(error, "a machine's description")
                                      : odd(error);
    struct reader reader = {.arena = arena, .error = error};
    reader.values = WM_ARENA_ARRAY(arena, struct wm_machine_value, count_values(tree.root));
    if (reader.values == NULL)
        return wm_fail_no_memory(error, "a machine's description");
    status = read_mapping(&reader, tree.root, "");
    *values = (struct wm_machine_values){reader.values, reader.count};
    return status;
}

const char *wm_machine_values_find(const struct wm_machine_values *values, const char *key)
{
    for (uint32_t i = 0; i < values->count; i++)
        if (strcmp(values->values[i].key, key) == 0)
            return values->values[i].value;
    return NULL;
}

bool wm_machine_value_differs(const struct wm_machine_value *value,
                              const struct wm_machine_values *there)
{
    const char *other = wm_machine_values_find(there, value->key);
    return other == NULL || strcmp(other, value->value) != 0;
}

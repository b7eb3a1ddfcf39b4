#include "study/page/machine_values.h"

#include "base/text.h"

#include <string.h>
#include <yaml.h>

enum { DEEPEST = 8, LONGEST_KEY = 256 };

struct reader {
    yaml_document_t document;
    struct wm_arena *arena;
    struct wm_machine_value *values;
    uint32_t count, room;
    struct wm_error *error;
};

static enum wm_status odd(struct wm_error *error)
{
    return wm_fail(error, WM_INVALID, "a machine's description is no YAML of keys and values");
}

static const char *text_of(const yaml_node_t *node)
{
    return node != NULL && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value
                                                          : NULL;
}

// "0B, 8KiB, 16KiB"
static enum wm_status add_items(struct reader *reader, const yaml_node_t *list,
                                struct wm_text *text)
{
    const yaml_node_item_t *item = list->data.sequence.items.start;
    for (; item < list->data.sequence.items.top; item++) {
        const char *word = text_of(yaml_document_get_node(&reader->document, *item));
        if (word == NULL)
            return odd(reader->error);
        wm_text_format(text, "%s%s", text->length > 0 ? ", " : "", word);
    }
    return WM_OK;
}

static enum wm_status add_value(struct reader *reader, const char *key, const yaml_node_t *node)
{
    struct wm_text text;
    enum wm_status status = WM_OK;
    wm_text_init(&text);
    if (node->type == YAML_SEQUENCE_NODE)
        status = add_items(reader, node, &text);
    else
        wm_text_add(&text, text_of(node));
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

static enum wm_status read_mapping(struct reader *reader, const yaml_node_t *mapping,
                                   const char *before, unsigned depth)
{
    const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
    for (; pair < mapping->data.mapping.pairs.top; pair++) {
        const char *name = text_of(yaml_document_get_node(&reader->document, pair->key));
        const yaml_node_t *node = yaml_document_get_node(&reader->document, pair->value);
        char key[LONGEST_KEY];
        if (name == NULL || node == NULL || depth == DEEPEST || reader->count == reader->room)
            return odd(reader->error);
        if (snprintf(key, sizeof key, "%s%s%s", before, before[0] != '\0' ? "." : "", name) >=
            (int)sizeof key)
            return odd(reader->error);
        WM_TRY(node->type == YAML_MAPPING_NODE ? read_mapping(reader, node, key, depth + 1)
                                               : add_value(reader, key, node));
    }
    return WM_OK;
}

static enum wm_status read_document(struct reader *reader)
{
    yaml_node_t *root = yaml_document_get_root_node(&reader->document);
    if (root == NULL || root->type != YAML_MAPPING_NODE)
        return odd(reader->error);
    // No more keys than nodes. An alias could make more of them: then it is odd.
    reader->room = (uint32_t)(reader->document.nodes.top - reader->document.nodes.start);
    reader->values = WM_ARENA_ARRAY(reader->arena, struct wm_machine_value, reader->room);
    if (reader->values == NULL)
        return wm_fail_no_memory(reader->error, "a machine's description");
    return read_mapping(reader, root, "", 0);
}

enum wm_status wm_machine_values_read(struct wm_machine_values *values, const char *text,
                                      struct wm_arena *arena, struct wm_error *error)
{
    yaml_parser_t parser;
    struct reader reader = {.arena = arena, .error = error};
    *values = (struct wm_machine_values){0};
    if (!yaml_parser_initialize(&parser))
        return wm_fail_no_memory(error, "a machine's description");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    if (!yaml_parser_load(&parser, &reader.document)) {
        yaml_parser_delete(&parser);
        return odd(error);
    }
    enum wm_status status = read_document(&reader);
    *values = (struct wm_machine_values){reader.values, reader.count};
    yaml_document_delete(&reader.document);
    yaml_parser_delete(&parser);
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

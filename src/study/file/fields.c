#include "study/file/fields.h"

#include "base/text/nearest.h"
#include "base/text/text.h"
#include "machine/referenced_file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum wm_status wm_study_no_memory(const struct wm_study_reader *reader)
{
    return wm_fail_no_memory(reader->error, "the study");
}

static const char *noun(const struct wm_yaml_node *node)
{
    return node->kind != WM_YAML_SCALAR && node->count == 0 ? "nothing" : wm_yaml_noun(node);
}

enum wm_status wm_study_expected(const struct wm_study_reader *reader,
                                 const struct wm_yaml_node *node, const char *what)
{
    if (node->key)
        wm_fail(reader->error, WM_INVALID, "%s takes %s, not %s", node->key, what, noun(node));
    else
        wm_fail(reader->error, WM_INVALID, "expected is %s, not %s", what, noun(node));
    return wm_yaml_point_node(&reader->study->tree, node, reader->error);
}

enum wm_status wm_study_keys(const struct wm_study_reader *reader, const struct wm_yaml_node *group,
                             const char *const *known)
{
    if (group->kind != WM_YAML_MAPPING)
        return wm_study_expected(reader, group, "a group of keys");
    for (const struct wm_yaml_node *node = group->first; node; node = node->next) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], node->key) != 0)
            i++;
        if (known[i])
            continue;
        struct wm_nearest nearest;
        struct wm_text names;
        wm_text_init(&names);
        wm_nearest_init(&nearest, node->key);
        for (i = 0; known[i]; i++) {
            wm_nearest_offer(&nearest, known[i]);
            wm_text_format(&names, "%s%s", i ? ", " : "", known[i]);
        }
        wm_fail(reader->error, WM_INVALID, "unknown key \"%s\"%s%s", node->key,
                group->key ? " in " : "", group->key ? group->key : "");
        if (nearest.best)
            wm_error_hint(reader->error, "did you mean %s?", nearest.best);
        else
            wm_error_hint(reader->error, "known here are %s", names.failed ? "others" : names.data);
        wm_text_release(&names);
        return wm_yaml_point_key(&reader->study->tree, node, reader->error);
    }
    return WM_OK;
}

enum wm_status wm_study_group(const struct wm_study_reader *reader, const struct wm_yaml_node *node,
                              const char *what)
{
    if (node->kind == WM_YAML_MAPPING && node->count > 0)
        return WM_OK;
    wm_fail(reader->error, WM_INVALID, "%s holds keys, one a line, not %s", what, noun(node));
    return wm_yaml_point_node(&reader->study->tree, node, reader->error);
}

enum wm_status wm_study_text(const struct wm_study_reader *reader, const struct wm_yaml_node *group,
                             const char *key, bool required, const char **text)
{
    const struct wm_yaml_node *node = wm_yaml_find(group, key);
    *text = "";
    if (!node && !required)
        return WM_OK;
    if (!node) {
        wm_fail(reader->error, WM_INVALID, "%s%srequired key \"%s\" is missing",
                group->key ? group->key : "", group->key ? ": " : "", key);
        return wm_yaml_point_key(&reader->study->tree, group, reader->error);
    }
    if (node->kind != WM_YAML_SCALAR)
        return wm_study_expected(reader, node, "a value");
    if (required && node->value[0] == '\0') {
        wm_fail(reader->error, WM_INVALID, "%s has no value", key);
        return wm_yaml_point_key(&reader->study->tree, node, reader->error);
    }
    *text = node->value;
    return WM_OK;
}

enum wm_status wm_study_list(const struct wm_study_reader *reader, const struct wm_yaml_node *node,
                             struct wm_study_texts *texts)
{
    if (node->kind == WM_YAML_MAPPING)
        return wm_study_expected(reader, node, "a value or a list");
    const struct wm_yaml_node *item = node->kind == WM_YAML_SEQUENCE ? node->first : node;
    uint32_t count = node->kind == WM_YAML_SEQUENCE ? node->count : node->value[0] != '\0';
    texts->items = WM_ARENA_ARRAY(&reader->study->arena, const char *, count + 1);
    if (!texts->items)
        return wm_study_no_memory(reader);
    for (texts->count = 0; texts->count < count; item = item->next) {
        if (item->kind != WM_YAML_SCALAR)
            return wm_study_expected(reader, item, "a value");
        texts->items[texts->count++] = item->value;
    }
    return WM_OK;
}

enum wm_status wm_study_label(const struct wm_study_reader *reader, const struct wm_yaml_node *node)
{
    if (!strpbrk(node->key, "\",[]=:") && node->key[0] != ' ' && strlen(node->key) <= 64)
        return WM_OK;
    wm_fail(reader->error, WM_INVALID, "\"%s\" is no good name", node->key);
    wm_error_hint(reader->error, "claims name it: at most 64 bytes without \" , [ ] = :");
    return wm_yaml_point_key(&reader->study->tree, node, reader->error);
}

static enum wm_status take_values(const struct wm_study_reader *reader,
                                  const struct wm_yaml_node *node, const struct wm_axis *axis,
                                  uint64_t *mask)
{
    const struct wm_yaml_node *item = node->kind == WM_YAML_SEQUENCE ? node->first : node;
    if (node->kind == WM_YAML_MAPPING || (node->kind == WM_YAML_SEQUENCE && !item))
        return wm_study_expected(reader, node, "values of the axis");
    *mask = 0;
    for (; item; item = node->kind == WM_YAML_SEQUENCE ? item->next : NULL) {
        uint32_t value = 0;
        if (item->kind != WM_YAML_SCALAR)
            return wm_study_expected(reader, item, "a value of the axis");
        while (value < axis->value_count && strcmp(axis->values[value], item->value) != 0)
            value++;
        if (value < axis->value_count) {
            *mask |= UINT64_C(1) << value;
            continue;
        }
        if (strcmp(item->value, "*") == 0) {
            *mask = UINT64_MAX;
            continue;
        }
        struct wm_nearest nearest;
        wm_nearest_init(&nearest, item->value);
        for (value = 0; value < axis->value_count; value++)
            wm_nearest_offer(&nearest, axis->values[value]);
        wm_fail(reader->error, WM_NOT_FOUND, "axis %s has no value \"%s\"", axis->name,
                item->value);
        if (nearest.best)
            wm_error_hint(reader->error, "did you mean %s?", nearest.best);
        return wm_yaml_point_node(&reader->study->tree, item, reader->error);
    }
    return WM_OK;
}

enum wm_status wm_study_selection(const struct wm_study_reader *reader,
                                  const struct wm_yaml_node *group,
                                  uint64_t masks[WM_STUDY_MOST_AXES])
{
    const struct wm_expression_names *names = &reader->study->names;
    const char *known[WM_STUDY_MOST_AXES + 1] = {NULL};
    for (uint32_t a = 0; a < names->axis_count; a++)
        known[a] = names->axes[a].name;
    for (uint32_t a = 0; a < WM_STUDY_MOST_AXES; a++)
        masks[a] = UINT64_MAX;
    WM_TRY(wm_study_keys(reader, group, known));
    for (uint32_t a = 0; a < names->axis_count; a++) {
        const struct wm_yaml_node *node = wm_yaml_find(group, known[a]);
        uint32_t neutral = wm_axis_neutral(&names->axes[a]);
        if (!node && neutral < names->axes[a].value_count)
            masks[a] = UINT64_C(1) << neutral;
        if (node)
            WM_TRY(take_values(reader, node, &names->axes[a], &masks[a]));
    }
    return WM_OK;
}

static enum wm_status check_mapping(const struct wm_study_reader *reader,
                                    const struct wm_yaml_tree *tree)
{
    if (tree->root != NULL && tree->root->kind == WM_YAML_MAPPING)
        return WM_OK;
    wm_fail(reader->error, WM_INVALID, "%s holds \"key: value\" lines%s%s", tree->form->noun,
            tree->root != NULL ? ", not " : "", tree->root != NULL ? wm_yaml_noun(tree->root) : "");
    return tree->root != NULL ? wm_yaml_point_node(tree, tree->root, reader->error)
                              : wm_yaml_point(tree, 1, 1, reader->error);
}

enum wm_status wm_study_referenced_tree(const struct wm_study_reader *reader,
                                        const struct wm_yaml_node *value,
                                        const struct wm_yaml_form *form, struct wm_yaml_tree *tree)
{
    struct wm_study *study = reader->study;
    char path[PATH_MAX];
    struct wm_text text;
    *tree = (struct wm_yaml_tree){.form = form};
    wm_text_init(&text);
    enum wm_status status =
        wm_referenced_file_path(study->tree.file, value->value, path, sizeof path, reader->error);
    if (status == WM_OK)
        status = wm_referenced_file_read(form->noun + strlen("a "), path, &text, reader->error);
    if (status != WM_OK) {
        wm_yaml_point_node(&study->tree, value, reader->error);
    } else {
        tree->file = wm_arena_copy_text(&study->arena, path, strlen(path));
        tree->text = wm_arena_copy_text(&study->arena, text.data ? text.data : "", text.length);
        tree->length = text.length;
        status = tree->file && tree->text ? wm_yaml_read(tree, &study->arena, reader->error)
                                          : wm_study_no_memory(reader);
        if (status == WM_OK)
            status = check_mapping(reader, tree);
    }
    wm_text_release(&text);
    return status;
}

enum wm_status wm_study_workload_key(const struct wm_study_reader *reader,
                                     const struct wm_yaml_tree *tree,
                                     const struct wm_yaml_node *line, uint32_t *workload)
{
    *workload = wm_study_workload_of(reader->study, line->key);
    if (*workload < reader->study->workload_count)
        return WM_OK;
    wm_fail(reader->error, WM_NOT_FOUND, "there is no workload \"%s\"", line->key);
    wm_error_hint(reader->error, "the section workloads names them");
    return wm_yaml_point_key(tree, line, reader->error);
}

bool wm_study_node_number(const struct wm_yaml_node *node, double *number)
{
    char *end;
    if (node->kind != WM_YAML_SCALAR)
        return false;
    *number = strtod(node->value, &end);
    return end != node->value && *end == '\0' && isfinite(*number);
}

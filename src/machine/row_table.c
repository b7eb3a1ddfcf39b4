// Tables of rows: whole values of keys that take them, and the files that they name.
#include "machine/row_table.h"

#include "base/text/nearest.h"
#include "base/text/yaml_tree.h"
#include "machine/preset.h"
#include "machine/referenced_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_BYTES = 512 };

static enum wm_status add_rows(const struct wm_row_table_kind *kind,
                               const struct wm_yaml_tree *tree, void *table, struct wm_error *error)
{
    const struct wm_yaml_node *root = tree->root;
    const struct wm_yaml_node *row = root && root->kind == WM_YAML_SEQUENCE ? root->first : root;
    for (; row && row != root && row->kind == WM_YAML_SCALAR; row = row->next) {
        enum wm_status status = kind->add(row->value, tree->file, table, error);
        if (status != WM_OK)
            return error->place[0] ? status : wm_yaml_point_node(tree, row, error);
    }
    if (!root || row) {
        wm_fail(error, WM_INVALID, "%s %s is a list of rows and nothing else", kind->article,
                kind->noun);
        wm_error_hint(error, "%s", tree->form->hint);
        return row ? wm_yaml_point_node(tree, row, error) : wm_yaml_point(tree, 1, 1, error);
    }
    // What is missing is blamed on the file's beginning.
    enum wm_status status = kind->finish ? kind->finish(table, error) : WM_OK;
    return status == WM_OK ? WM_OK : wm_yaml_point(tree, 1, 1, error);
}

enum wm_status wm_row_table_read_text(const struct wm_row_table_kind *kind, const char *text,
                                      size_t length, const char *file, void *table,
                                      struct wm_error *error)
{
    char noun[64];
    struct wm_error unread;
    struct wm_arena arena;
    const struct wm_yaml_form form = {noun, "table",
                                      "write each row on a line that begins with \"- \""};
    struct wm_yaml_tree tree = {.form = &form, .file = file, .text = text, .length = length};
    error = error ? error : &unread;
    snprintf(noun, sizeof noun, "%s %s", kind->article, kind->noun);
    wm_error_clear(error);
    wm_arena_init(&arena);
    enum wm_status status = wm_yaml_read(&tree, &arena, error);
    if (status == WM_OK)
        status = add_rows(kind, &tree, table, error);
    wm_arena_release(&arena);
    return status;
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

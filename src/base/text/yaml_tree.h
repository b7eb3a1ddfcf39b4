// A file's YAML as a tree whose nodes know where they stand, so that every error about the file can
// point at its place. Plain YAML alone: anchors, aliases and tags are refused, so that a file is
// never larger than it looks.
#ifndef WM_BASE_YAML_TREE_H
#define WM_BASE_YAML_TREE_H

#include "base/containers/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_yaml_kind {
    WM_YAML_SCALAR,
    WM_YAML_SEQUENCE,
    WM_YAML_MAPPING, // keys with their nodes
};

struct wm_yaml_node {
    enum wm_yaml_kind kind;
    uint32_t line, column;         // 1-based, of the first character
    uint32_t key_line, key_column; // of the key, in a group
    const char *key;               // in a group; else NULL
    const char *value;             // of a value, NUL-terminated, no control characters but newlines
    struct wm_yaml_node *first;    // of a list or group: what it holds, in order
    struct wm_yaml_node *next;     // sibling
    struct wm_yaml_node *parent;   // NULL: the root
    uint32_t count;                // of what it holds
};

// What errors call a file, besides by its name.
struct wm_yaml_form {
    const char *noun; // "a machine file"
    const char *one;  // what a file has one of: "machine"
    const char *hint; // how it is written, where its syntax is broken; NULL: as keys
};

struct wm_yaml_tree {
    const struct wm_yaml_form *form; // borrowed
    const char *file;                // what errors call it; borrowed
    const char *text;                // borrowed
    size_t length;
    struct wm_yaml_node *root; // in the arena; NULL: the file is empty, but for comments
};

// Reads the whole text. WM_INVALID with file:line:column for a text that is no such YAML. `error`
// must not be NULL.
enum wm_status wm_yaml_read(struct wm_yaml_tree *tree, struct wm_arena *arena,
                            struct wm_error *error);

// The key's node in a group; NULL when it has none.
const struct wm_yaml_node *wm_yaml_find(const struct wm_yaml_node *group, const char *key);

// "a list": what stands at a node, for messages.
const char *wm_yaml_noun(const struct wm_yaml_node *node);

// Adds place and excerpt to an error; returns its status.
enum wm_status wm_yaml_point(const struct wm_yaml_tree *tree, uint32_t line, uint32_t column,
                             struct wm_error *error);
enum wm_status wm_yaml_point_node(const struct wm_yaml_tree *tree, const struct wm_yaml_node *node,
                                  struct wm_error *error);
enum wm_status wm_yaml_point_key(const struct wm_yaml_tree *tree, const struct wm_yaml_node *node,
                                 struct wm_error *error);
// Points at the byte `offset` of a value: exactly, where the file has it as it is; else at its
// beginning, with the value as the excerpt.
enum wm_status wm_yaml_point_within(const struct wm_yaml_tree *tree,
                                    const struct wm_yaml_node *node, size_t offset,
                                    struct wm_error *error);

#endif

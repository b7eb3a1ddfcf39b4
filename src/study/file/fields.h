// The parts of a study file's schema that its sections share. Private to study/file/.
#ifndef WM_STUDY_FILE_FIELDS_H
#define WM_STUDY_FILE_FIELDS_H

#include "study/file/study_file.h"

struct wm_study_reader {
    struct wm_study *study;
    struct wm_error *error; // never NULL
};

// Each reads its section (NULL: the file has none) into the study.
enum wm_status wm_study_read_machines(struct wm_study_reader *reader,
                                      const struct wm_yaml_node *section);
enum wm_status wm_study_read_choices(struct wm_study_reader *reader,
                                     const struct wm_yaml_node *section); // after the machines
enum wm_status wm_study_read_metrics(struct wm_study_reader *reader,
                                     const struct wm_yaml_node *section);
enum wm_status wm_study_read_figures(struct wm_study_reader *reader,
                                     const struct wm_yaml_node *section);
enum wm_status wm_study_read_claims(struct wm_study_reader *reader,
                                    const struct wm_yaml_node *section);

// WM_INVALID: the node is not what the schema has in its place.
enum wm_status wm_study_expected(const struct wm_study_reader *reader,
                                 const struct wm_yaml_node *node, const char *what);
// WM_INVALID at the first key of the group that is not in the list, NULL at its end; or when the
// node is no group.
enum wm_status wm_study_keys(const struct wm_study_reader *reader, const struct wm_yaml_node *group,
                             const char *const *known);
// WM_INVALID when the node is no group with at least one key.
enum wm_status wm_study_group(const struct wm_study_reader *reader, const struct wm_yaml_node *node,
                              const char *what);
// The key's text; "" when it is absent and not required.
enum wm_status wm_study_text(const struct wm_study_reader *reader, const struct wm_yaml_node *group,
                             const char *key, bool required, const char **text);
// One value, or a list of values.
enum wm_status wm_study_list(const struct wm_study_reader *reader, const struct wm_yaml_node *node,
                             struct wm_study_texts *texts);
// Reads the YAML file that the value names, relative to the study's: a mapping. `tree` is of the
// study's arena, with its text. Where it cannot be read, the error points at the value.
enum wm_status wm_study_referenced_tree(const struct wm_study_reader *reader,
                                        const struct wm_yaml_node *value,
                                        const struct wm_yaml_form *form, struct wm_yaml_tree *tree);
// Whether a node is a finite number, which `*number` is then.
bool wm_study_node_number(const struct wm_yaml_node *node, double *number);
// The workload that a line of a file of that kind is about, by the line's key. WM_NOT_FOUND, which
// points at the key.
enum wm_status wm_study_workload_key(const struct wm_study_reader *reader,
                                     const struct wm_yaml_tree *tree,
                                     const struct wm_yaml_node *line, uint32_t *workload);
// A metric of numbers that a file has, by machine and workload (numbers.c): "by: FILE".
enum wm_status wm_study_read_numbers(const struct wm_study_reader *reader,
                                     const struct wm_yaml_node *value,
                                     struct wm_study_metric *metric);
// WM_INVALID when the node's key cannot stand in a claim.
enum wm_status wm_study_label(const struct wm_study_reader *reader,
                              const struct wm_yaml_node *node);
// "l2: [128KiB, 1MiB]", an axis a key: a bit a value in `masks`, "*" all of them; an axis that is
// not named keeps its neutral value alone, or all where it has none.
enum wm_status wm_study_selection(const struct wm_study_reader *reader,
                                  const struct wm_yaml_node *group,
                                  uint64_t masks[WM_STUDY_MOST_AXES]);
// An axis that is made of all sets of some members (subsets.c): "subsets: {key: KEY, of:
// {NAME: MEMBER, …}, with: [setting, …]}" alone. `*members` is the group "of"; NULL for an axis of
// values.
enum wm_status wm_study_subsets_of(const struct wm_study_reader *reader,
                                   const struct wm_yaml_node *axis,
                                   const struct wm_yaml_node **members);
// The name of set number `set`, a bit a member in their order ("a+c"; the neutral one's when it is
// empty), and the setting "KEY=MEMBER,MEMBER". `node` is the group "subsets".
enum wm_status wm_study_subset(const struct wm_study_reader *reader,
                               const struct wm_yaml_node *node, const struct wm_yaml_node *members,
                               uint32_t set, const char **name, const char **setting);
enum wm_status wm_study_no_memory(const struct wm_study_reader *reader);

#endif

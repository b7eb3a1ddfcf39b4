// Metrics that are no arithmetic: numbers that a file has for machines and workloads, made
// elsewhere, as what a model expects of each.
#include "base/text/text.h"
#include "study/file/fields.h"

#include <math.h>

struct numbers {
    const struct wm_study_reader *reader;
    struct wm_yaml_tree tree;
    double *values; // by workload, then machine; NAN where the file has none
};

static enum wm_status take_number(const struct numbers *numbers, uint32_t machine,
                                  const struct wm_yaml_node *node)
{
    const struct wm_study *study = numbers->reader->study;
    struct wm_error *error = numbers->reader->error;
    uint32_t workload;
    WM_TRY(wm_study_workload_key(numbers->reader, &numbers->tree, node, &workload));
    double value;
    if (!wm_study_node_number(node, &value)) {
        wm_fail(error, WM_INVALID, "what %s has is no number", node->key);
        return wm_yaml_point_node(&numbers->tree, node, error);
    }
    numbers->values[(size_t)workload * study->machine_count + machine] = value;
    return WM_OK;
}

// "1MiB, tracker: {spmv: 0.5, …}".
static enum wm_status take_machine(const struct numbers *numbers, const struct wm_yaml_node *node)
{
    const struct wm_study *study = numbers->reader->study;
    struct wm_error *error = numbers->reader->error;
    uint32_t machine = 0;
    size_t offset = 0;
    enum wm_status status = wm_machine_select(node->key, &study->names, &machine, &offset, error);
    if (status == WM_OK && machine >= study->machine_count)
        status = wm_fail(error, WM_INVALID, "\"%s\" is a choice, which has its machines' numbers",
                         node->key);
    if (status != WM_OK)
        return wm_yaml_point_key(&numbers->tree, node, error);
    if (node->kind != WM_YAML_MAPPING) {
        wm_fail(error, WM_INVALID, "a machine has a number for each workload, as {spmv: 0.5}");
        return wm_yaml_point_node(&numbers->tree, node, error);
    }
    for (const struct wm_yaml_node *number = node->first; number; number = number->next)
        WM_TRY(take_number(numbers, machine, number));
    return WM_OK;
}

// What the database knows it by: other numbers are another metric.
static enum wm_status name_file(const struct numbers *numbers, const struct wm_yaml_node *value,
                                struct wm_study_metric *metric)
{
    struct wm_study *study = numbers->reader->study;
    char hash[WM_STUDY_HASH_BYTES];
    struct wm_text text;
    wm_study_hash(numbers->tree.text, numbers->tree.length, hash);
    wm_text_init(&text);
    wm_text_format(&text, "by %s (%s)", value->value, hash);
    metric->text = text.failed ? NULL : wm_arena_copy_text(&study->arena, text.data, text.length);
    wm_text_release(&text);
    return metric->text ? WM_OK : wm_study_no_memory(numbers->reader);
}

enum wm_status wm_study_read_numbers(const struct wm_study_reader *reader,
                                     const struct wm_yaml_node *value,
                                     struct wm_study_metric *metric)
{
    struct wm_study *study = reader->study;
    struct numbers numbers = {.reader = reader};
    size_t count = (size_t)study->workload_count * study->machine_count;
    static const struct wm_yaml_form form = {"a file of numbers", "list", NULL};
    WM_TRY(wm_study_referenced_tree(reader, value, &form, &numbers.tree));
    numbers.values = WM_ARENA_ARRAY(&study->arena, double, count);
    if (!numbers.values)
        return wm_study_no_memory(reader);
    for (size_t i = 0; i < count; i++)
        numbers.values[i] = NAN;
    for (const struct wm_yaml_node *node = numbers.tree.root->first; node; node = node->next)
        WM_TRY(take_machine(&numbers, node));
    metric->given = numbers.values;
    return name_file(&numbers, value, metric);
}

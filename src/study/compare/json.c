// A comparison for scripts (docs/formats/compare-json.md).
#include "study/compare/compare.h"
#include "study/format/json_text.h"
#include "study/run_report/report_file.h"

#include <jansson.h>
#include <string.h>

enum { FORMAT_VERSION = 2 };

// A tree of values that is put together without looking: jansson's calls pass on what failed, which
// is remembered here.
struct tree {
    bool failed;
};

static void put(struct tree *tree, json_t *object, const char *key, json_t *value)
{
    tree->failed = json_object_set_new(object, key, value) != 0 || tree->failed;
}

static void append(struct tree *tree, json_t *list, json_t *value)
{
    tree->failed = json_array_append_new(list, value) != 0 || tree->failed;
}

// [a, b]; null for what a side does not have.
static json_t *two(json_t *a, json_t *b)
{
    return json_pack("[o,o]", a, b);
}

static json_t *number(bool there, uint64_t value)
{
    return there ? json_integer((json_int_t)value) : json_null();
}

static json_t *model_value(struct tree *tree, const struct wm_run_model *model)
{
    json_t *object = json_object();
    put(tree, object, "label", wm_json_text(model->label));
    put(tree, object, "engine", wm_json_text(model->engine));
    put(tree, object, "machine", wm_json_text(model->machine));
    if (model->chosen != NULL)
        put(tree, object, "chosen", wm_json_text(model->chosen));
    if (model->priced)
        put(tree, object, "dynamic_pj", json_real(model->dynamic_pj));
    return object;
}

static json_t *settings_value(struct tree *tree, const struct wm_comparison *it)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < it->setting_count; i++) {
        json_t *object = json_object();
        put(tree, object, "key", wm_json_text(it->settings[i].key));
        put(tree, object, "values",
            two(wm_json_text(it->settings[i].a), wm_json_text(it->settings[i].b)));
        append(tree, list, object);
    }
    return list;
}

static uint64_t value_of(const struct wm_model_counter *counter)
{
    return counter != NULL ? counter->value : 0;
}

static json_t *counter_value(struct tree *tree, const struct wm_model_counter *a,
                             const struct wm_model_counter *b)
{
    const struct wm_model_counter *any = a != NULL ? a : b;
    json_t *object = json_object();
    put(tree, object, "level", wm_json_text(any->level));
    put(tree, object, "kind", wm_json_text(any->kind));
    put(tree, object, "counter", wm_json_text(any->name));
    put(tree, object, "unit", wm_json_text(any->unit));
    put(tree, object, "values",
        two(number(a != NULL, value_of(a)), number(b != NULL, value_of(b))));
    return object;
}

static json_t *kernel_counters(struct tree *tree, const struct wm_kernel_pair *pair)
{
    static const struct wm_model_counters none;
    const struct wm_model_counters *a = pair->a != NULL ? &pair->a->counters : &none;
    const struct wm_model_counters *b = pair->b != NULL ? &pair->b->counters : &none;
    json_t *list = json_array();
    for (uint32_t i = 0; i < a->count; i++) {
        const struct wm_model_counter *other = wm_model_find(b, a->items[i].key);
        if (value_of(other) != a->items[i].value)
            append(tree, list, counter_value(tree, &a->items[i], other));
    }
    for (uint32_t i = 0; i < b->count; i++)
        if (b->items[i].value != 0 && wm_model_find(a, b->items[i].key) == NULL)
            append(tree, list, counter_value(tree, NULL, &b->items[i]));
    return list;
}

static json_t *kernel_value(struct tree *tree, const struct wm_kernel_pair *pair)
{
    static const struct wm_model_kernel none;
    const struct wm_model_kernel *a = pair->a != NULL ? pair->a : &none;
    const struct wm_model_kernel *b = pair->b != NULL ? pair->b : &none;
    bool in_a = pair->a != NULL, in_b = pair->b != NULL;
    json_t *object = json_object();
    put(tree, object, "names", two(wm_json_text(a->name), wm_json_text(b->name)));
    put(tree, object, "signature", wm_json_text(in_a ? a->signature : b->signature));
    put(tree, object, "differs", json_boolean(pair->differs));
    put(tree, object, "launches", two(number(in_a, a->launches), number(in_b, b->launches)));
    put(tree, object, "warp_instructions",
        two(number(in_a, a->warp_instructions), number(in_b, b->warp_instructions)));
    put(tree, object, "thread_instructions",
        two(number(in_a, a->thread_instructions), number(in_b, b->thread_instructions)));
    put(tree, object, "cycles", two(number(in_a, a->cycles), number(in_b, b->cycles)));
    put(tree, object, "counters", kernel_counters(tree, pair));
    return object;
}

static json_t *line_place(const struct wm_model_instruction *it)
{
    if (it == NULL)
        return json_null();
    return json_pack("{s:o,s:I,s:I,s:o}", "file", wm_json_text(it->file), "line",
                     (json_int_t)it->line, "ptx_line", (json_int_t)it->ptx_line, "text",
                     wm_json_text(it->text));
}

static json_t *line_value(struct tree *tree, const struct wm_comparison *it,
                          const struct wm_line_pair *line)
{
    const uint64_t *a = line->causes_a, *b = line->causes_b;
    const struct wm_model_kernel *kernel =
        line->kernel->a != NULL ? line->kernel->a : line->kernel->b;
    bool in_a = line->a != NULL, in_b = line->b != NULL;
    json_t *object = json_object(), *counters = json_object();
    for (uint32_t i = 0; i < it->name_count; i++)
        if (a[i] != b[i])
            put(tree, counters, it->names[i], two(number(in_a, a[i]), number(in_b, b[i])));
    if (line->load_cycles_a != line->load_cycles_b)
        put(tree, counters, "load_cycles",
            two(number(in_a, line->load_cycles_a), number(in_b, line->load_cycles_b)));
    put(tree, object, "kernel", wm_json_text(kernel->name));
    put(tree, object, "opcode", wm_json_text(in_a ? line->a->opcode : line->b->opcode));
    put(tree, object, "places", two(line_place(line->a), line_place(line->b)));
    put(tree, object, "instructions",
        two(number(true, line->count_a), number(true, line->count_b)));
    put(tree, object, "counters", counters);
    return object;
}

static json_t *comparison_value(struct tree *tree, const struct wm_comparison *it)
{
    json_t *root = json_object(), *kernels = json_array(), *lines = json_array();
    json_t *counters = json_array();
    for (uint32_t i = 0; i < it->kernel_count; i++)
        append(tree, kernels, kernel_value(tree, &it->kernels[i]));
    for (uint32_t i = 0; i < it->differing_lines; i++)
        append(tree, lines, line_value(tree, it, &it->lines[i]));
    for (uint32_t i = 0; i < it->counter_count; i++)
        append(tree, counters, counter_value(tree, it->counters[i].a, it->counters[i].b));
    put(tree, root, "format", wm_json_text("warpmem-comparison"));
    put(tree, root, "version", json_integer(FORMAT_VERSION));
    put(tree, root, "runs", two(model_value(tree, it->a), model_value(tree, it->b)));
    put(tree, root, "differs", json_boolean(it->differs));
    put(tree, root, "machine", settings_value(tree, it));
    put(tree, root, "kernels", kernels);
    put(tree, root, "lines", lines);
    put(tree, root, "levels", counters);
    return root;
}

enum wm_status wm_comparison_json(const struct wm_comparison *comparison, const char *path,
                                  struct wm_error *error)
{
    struct wm_report_file file;
    struct tree tree = {false};
    WM_TRY(wm_report_file_open(&file, path, error));
    json_t *root = comparison_value(&tree, comparison);
    bool good = !tree.failed && root != NULL;
    if (good) {
        // What the stream cannot take is found when the file is closed; no memory is found here.
        good = json_dumpf(root, file.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0 ||
               ferror(file.stream);
        fputc('\n', file.stream);
    }
    json_decref(root);
    return wm_report_file_close(&file, good, error);
}

// The section "figures": what is drawn of which metric, checked, as the JSON that the database
// keeps (docs/formats/results-database.md).
#include "study/file/fields.h"

#include <jansson.h>
#include <stdlib.h>

struct figure {
    struct wm_study_reader *reader;
    const struct wm_yaml_node *node;
    json_t *json;
};

static enum wm_status fail_at(const struct figure *figure, const struct wm_yaml_node *node)
{
    return wm_yaml_point_node(&figure->reader->study->tree, node, figure->reader->error);
}

static enum wm_status set(const struct figure *figure, const char *key, json_t *value)
{
    return json_object_set_new(figure->json, key, value) == 0 ? WM_OK
                                                              : wm_study_no_memory(figure->reader);
}

static enum wm_status add_metric(const struct figure *figure, const struct wm_yaml_node *node,
                                 const char *name, json_t *list)
{
    const struct wm_expression_names *names = &figure->reader->study->names;
    for (uint32_t i = 0; i < names->metric_count; i++)
        if (strcmp(names->metrics[i], name) == 0)
            return json_array_append_new(list, json_string(name)) == 0
                       ? WM_OK
                       : wm_study_no_memory(figure->reader);
    wm_fail(figure->reader->error, WM_NOT_FOUND, "there is no metric \"%s\"", name);
    wm_error_hint(figure->reader->error, "the section metrics names them");
    return fail_at(figure, node);
}

static enum wm_status put_metrics(const struct figure *figure)
{
    struct wm_study_texts texts;
    const struct wm_yaml_node *node = wm_yaml_find(figure->node, "metric");
    if (!node) {
        wm_fail(figure->reader->error, WM_INVALID, "figure %s: required key \"metric\" is missing",
                figure->node->key);
        return wm_yaml_point_key(&figure->reader->study->tree, figure->node, figure->reader->error);
    }
    WM_TRY(wm_study_list(figure->reader, node, &texts));
    json_t *list = json_array();
    enum wm_status status =
        texts.count > 0 ? WM_OK : wm_study_expected(figure->reader, node, "names of metrics");
    for (uint32_t i = 0; i < texts.count && status == WM_OK; i++)
        status = add_metric(figure, node, texts.items[i], list);
    if (status != WM_OK) {
        json_decref(list);
        return status;
    }
    return set(figure, "metrics", list);
}

// A machine by its selectors, as claims name it.
static enum wm_status select_machine(const struct figure *figure, const struct wm_yaml_node *node,
                                     const char *text, bool is_key, const char **label)
{
    const struct wm_study *study = figure->reader->study;
    uint32_t machine = 0;
    size_t offset = 0;
    *label = "";
    enum wm_status status =
        wm_machine_select(text, &study->names, &machine, &offset, figure->reader->error);
    if (status == WM_OK)
        *label = wm_study_machine_label(study, machine);
    else if (is_key)
        status = wm_yaml_point_key(&study->tree, node, figure->reader->error);
    else
        status = wm_yaml_point_within(&study->tree, node, offset, figure->reader->error);
    return status;
}

static enum wm_status put_normalise(const struct figure *figure)
{
    const char *text, *label;
    WM_TRY(wm_study_text(figure->reader, figure->node, "normalise", false, &text));
    if (text[0] == '\0')
        return set(figure, "normalise", json_null());
    const struct wm_yaml_node *node = wm_yaml_find(figure->node, "normalise");
    WM_TRY(select_machine(figure, node, text, false, &label));
    if (wm_study_machine_of(figure->reader->study, label) >= figure->reader->study->machine_count) {
        wm_fail(figure->reader->error, WM_INVALID,
                "a figure is divided by one machine, not by the "
                "choice \"%s\"",
                label);
        return fail_at(figure, node);
    }
    return set(figure, "normalise", json_string(label));
}

static bool is_selected(const struct wm_expression_names *names, uint32_t machine,
                        const uint64_t *masks)
{
    for (uint32_t a = 0; a < names->axis_count; a++)
        if (!(masks[a] >> names->machines[machine][a] & 1))
            return false;
    return true;
}

// All machines; those that a group of axes selects; or a list of them.
static enum wm_status put_machines(const struct figure *figure)
{
    const struct wm_study *study = figure->reader->study;
    const struct wm_yaml_node *node = wm_yaml_find(figure->node, "machines");
    uint64_t masks[WM_STUDY_MOST_AXES];
    memset(masks, 0xff, sizeof masks);
    if (node && node->kind == WM_YAML_MAPPING)
        WM_TRY(wm_study_selection(figure->reader, node, masks));
    json_t *list = json_array();
    enum wm_status status = WM_OK;
    if (node && node->kind != WM_YAML_MAPPING) {
        const struct wm_yaml_node *item = node->kind == WM_YAML_SEQUENCE ? node->first : node;
        for (; item && status == WM_OK; item = node->kind == WM_YAML_SEQUENCE ? item->next : NULL) {
            const char *label = "";
            if (item->kind != WM_YAML_SCALAR)
                status = wm_study_expected(figure->reader, item, "a machine");
            if (status == WM_OK)
                status = select_machine(figure, item, item->value, false, &label);
            if (status == WM_OK)
                json_array_append_new(list, json_string(label));
        }
    } else {
        uint32_t count = study->machine_count + (node ? study->choice_count : 0);
        for (uint32_t m = 0; m < count; m++)
            if (is_selected(&study->names, m, masks))
                json_array_append_new(list, json_string(wm_study_machine_label(study, m)));
    }
    if (status == WM_OK && json_array_size(list) == 0) {
        wm_fail(figure->reader->error, WM_INVALID, "figure %s has no machine", figure->node->key);
        status = fail_at(figure, node ? node : figure->node);
    }
    if (status == WM_OK)
        return set(figure, "machines", list);
    json_decref(list);
    return status;
}

static enum wm_status no_workload(const struct figure *figure, const struct wm_yaml_node *node,
                                  const char *name)
{
    wm_fail(figure->reader->error, WM_NOT_FOUND, "there is no workload \"%s\"", name);
    wm_error_hint(figure->reader->error, "the section workloads names them");
    return fail_at(figure, node);
}

static enum wm_status put_workloads(const struct figure *figure)
{
    const struct wm_study *study = figure->reader->study;
    const struct wm_yaml_node *node = wm_yaml_find(figure->node, "workloads");
    struct wm_study_texts texts = {NULL, 0};
    if (node)
        WM_TRY(wm_study_list(figure->reader, node, &texts));
    for (uint32_t i = 0; i < texts.count; i++)
        if (wm_study_workload_of(study, texts.items[i]) == study->workload_count)
            return no_workload(figure, node, texts.items[i]);
    json_t *list = json_array();
    for (uint32_t i = 0; i < texts.count; i++)
        json_array_append_new(list, json_string(texts.items[i]));
    for (uint32_t i = 0; i < study->workload_count && texts.count == 0; i++)
        json_array_append_new(list, json_string(study->workloads[i].label));
    return set(figure, "workloads", list);
}

// One of a list of words; the first when the key is absent.
static enum wm_status put_choice(const struct figure *figure, const char *key,
                                 const char *const *choices, uint32_t count)
{
    const char *text;
    WM_TRY(wm_study_text(figure->reader, figure->node, key, false, &text));
    if (text[0] == '\0')
        text = choices[0];
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(choices[i], text) == 0)
            return set(figure, key, json_string(text));
    struct wm_text known;
    wm_text_init(&known);
    for (uint32_t i = 0; i < count; i++)
        wm_text_format(&known, "%s%s", i ? ", " : "", choices[i]);
    wm_fail(figure->reader->error, WM_INVALID, "%s cannot be \"%s\"", key, text);
    wm_error_hint(figure->reader->error, "it is one of %s", known.failed ? "others" : known.data);
    wm_text_release(&known);
    return fail_at(figure, wm_yaml_find(figure->node, key));
}

// Whether there is a mean, and of which kind: what "mean" says, in words.
static enum wm_status put_mean(const struct figure *figure)
{
    const char *word = json_string_value(json_object_get(figure->json, "mean"));
    bool mean = strcmp(word, "false") != 0, geometric = strcmp(word, "geometric") == 0;
    if (geometric && json_array_size(json_object_get(figure->json, "metrics")) > 1) {
        wm_fail(figure->reader->error, WM_INVALID,
                "stacked metrics have no geometric mean: its parts do not add up");
        wm_error_hint(figure->reader->error, "choose \"arithmetic\", or draw one metric");
        return fail_at(figure, wm_yaml_find(figure->node, "mean"));
    }
    WM_TRY(set(figure, "mean", json_boolean(mean)));
    return set(figure, "mean_kind", json_string(geometric ? "geometric" : "arithmetic"));
}

static enum wm_status put_words(const struct figure *figure)
{
    static const char *const charts[] = {"bars", "stacked-bars", "lines"};
    static const char *const means[] = {"arithmetic", "true", "geometric", "false"};
    const struct wm_expression_names *names = &figure->reader->study->names;
    const char *places[WM_STUDY_MOST_AXES + 1] = {"workload"}, *text;
    for (uint32_t a = 0; a < names->axis_count; a++)
        places[a + 1] = names->axes[a].name;
    WM_TRY(put_choice(figure, "x", places, names->axis_count + 1));
    WM_TRY(put_choice(figure, "mean", means, 4));
    WM_TRY(put_mean(figure));
    WM_TRY(put_choice(figure, "chart", charts, 3));
    WM_TRY(wm_study_text(figure->reader, figure->node, "axis_title", false, &text));
    return set(figure, "axis_title", json_string(text));
}

static enum wm_status put_paper_row(const struct figure *figure, const struct wm_yaml_node *row,
                                    json_t *numbers)
{
    const struct wm_study *study = figure->reader->study;
    WM_TRY(wm_study_group(figure->reader, row, "the paper's numbers"));
    for (const struct wm_yaml_node *node = row->first; node; node = node->next) {
        double number;
        if (strcmp(node->key, "mean") != 0 &&
            wm_study_workload_of(study, node->key) == study->workload_count)
            return no_workload(figure, node, node->key);
        if (!wm_study_node_number(node, &number)) {
            wm_fail(figure->reader->error, WM_INVALID, "the paper's %s is no number", node->key);
            return fail_at(figure, node);
        }
        if (json_object_set_new(numbers, node->key, json_real(number)) != 0)
            return wm_study_no_memory(figure->reader);
    }
    return WM_OK;
}

static enum wm_status put_paper(const struct figure *figure)
{
    const struct wm_yaml_node *node = wm_yaml_find(figure->node, "paper");
    json_t *rows = json_object();
    WM_TRY(set(figure, "paper", rows));
    if (!node)
        return WM_OK;
    WM_TRY(wm_study_group(figure->reader, node, "the paper's numbers"));
    for (const struct wm_yaml_node *row = node->first; row; row = row->next) {
        const char *label;
        WM_TRY(select_machine(figure, row, row->key, true, &label));
        json_t *numbers = json_object();
        if (json_object_set_new(rows, label, numbers) != 0)
            return wm_study_no_memory(figure->reader);
        WM_TRY(put_paper_row(figure, row, numbers));
    }
    return WM_OK;
}

// What the choice has for the figure's workloads, each of which it must have a machine for.
static enum wm_status put_choice_of(const struct figure *figure, uint32_t machine, json_t *choices)
{
    const struct wm_study *study = figure->reader->study;
    const char *label = wm_study_machine_label(study, machine);
    const json_t *workloads = json_object_get(figure->json, "workloads");
    json_t *chosen = json_object();
    if (json_object_set_new(choices, label, chosen) != 0)
        return wm_study_no_memory(figure->reader);
    for (size_t i = 0; i < json_array_size(workloads); i++) {
        const char *workload = json_string_value(json_array_get(workloads, i));
        // The figure's workloads are the study's: it was looked for.
        uint32_t on = wm_study_machine_for(study, machine, wm_study_workload_of(study, workload));
        if (on == WM_STUDY_NO_MACHINE) {
            wm_fail(figure->reader->error, WM_INVALID, "\"%s\" chooses nothing for workload \"%s\"",
                    label, workload);
            wm_error_hint(figure->reader->error,
                          "add a line to its file, or leave the workload out");
            return fail_at(figure, figure->node);
        }
        if (json_object_set_new(chosen, workload, json_string(study->machines[on].label)) != 0)
            return wm_study_no_memory(figure->reader);
    }
    return WM_OK;
}

// By label, for who has the database alone.
static enum wm_status put_choices(const struct figure *figure)
{
    const struct wm_study *study = figure->reader->study;
    const json_t *machines = json_object_get(figure->json, "machines");
    const char *x = json_string_value(json_object_get(figure->json, "x"));
    if (study->choice_count == 0)
        return WM_OK;
    json_t *choices = json_object();
    WM_TRY(set(figure, "choices", choices));
    for (size_t i = 0; i < json_array_size(machines); i++) {
        const char *label = json_string_value(json_array_get(machines, i));
        uint32_t machine = wm_study_machine_of(study, label);
        if (machine < study->machine_count)
            continue;
        if (strcmp(x, "workload") != 0) {
            wm_fail(figure->reader->error, WM_INVALID,
                    "\"%s\" is a choice by workload, which has no place on axis %s", label, x);
            return fail_at(figure, wm_yaml_find(figure->node, "x"));
        }
        WM_TRY(put_choice_of(figure, machine, choices));
    }
    return WM_OK;
}

static enum wm_status read_figure(const struct figure *figure, struct wm_study_figure *made)
{
    static const char *const keys[] = {"title",      "metric",    "normalise", "x",
                                       "machines",   "workloads", "mean",      "chart",
                                       "axis_title", "paper",     NULL};
    made->id = figure->node->key;
    WM_TRY(wm_study_keys(figure->reader, figure->node, keys));
    WM_TRY(wm_study_text(figure->reader, figure->node, "title", false, &made->title));
    WM_TRY(put_metrics(figure));
    WM_TRY(put_normalise(figure));
    WM_TRY(put_machines(figure));
    WM_TRY(put_workloads(figure));
    WM_TRY(put_words(figure));
    WM_TRY(put_choices(figure));
    WM_TRY(put_paper(figure));
    char *text = json_dumps(figure->json, 0);
    if (text)
        made->specification = wm_arena_copy_text(&figure->reader->study->arena, text, strlen(text));
    free(text);
    return made->specification ? WM_OK : wm_study_no_memory(figure->reader);
}

enum wm_status wm_study_read_figures(struct wm_study_reader *reader,
                                     const struct wm_yaml_node *section)
{
    struct wm_study *study = reader->study;
    if (!section)
        return WM_OK;
    WM_TRY(wm_study_group(reader, section, "figures"));
    study->figures = WM_ARENA_ARRAY(&study->arena, struct wm_study_figure, section->count);
    if (!study->figures)
        return wm_study_no_memory(reader);
    enum wm_status status = WM_OK;
    for (const struct wm_yaml_node *node = section->first; node && status == WM_OK;
         node = node->next) {
        const struct figure figure = {reader, node, json_object()};
        status = read_figure(&figure, &study->figures[study->figure_count++]);
        json_decref(figure.json);
    }
    return status;
}

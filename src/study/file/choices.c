// The section "choices": values of an axis that stand for others of its values, workload by
// workload, as a file has chosen them.
#include "study/file/fields.h"

enum { NO_VALUE = UINT8_MAX };
_Static_assert((int)WM_STUDY_MOST_VALUES < (int)NO_VALUE, "a value's number is no value's");

struct choices {
    struct wm_study_reader *reader;
    struct wm_axis *axes;                // the study's, which grow
    uint8_t (*rows)[WM_STUDY_MOST_AXES]; // of machines, then of choices
};

// One choice: which value it is, of which axis, and what it stands for.
struct choice {
    uint32_t axis;
    uint8_t value;
    uint8_t values[WM_STUDY_MOST_WORKLOADS]; // by workload
    const struct wm_yaml_node *node;
};

// --- What is chosen ---

static uint8_t find_value(const struct wm_axis *axis, const char *name)
{
    uint8_t value = 0;
    while (value < axis->value_count && strcmp(axis->values[value], name) != 0)
        value++;
    return value < axis->value_count ? value : NO_VALUE;
}

static enum wm_status no_value(const struct choices *choices, const struct wm_axis *axis,
                               const struct wm_yaml_node *node)
{
    wm_fail(choices->reader->error, WM_NOT_FOUND, "axis %s has no value \"%s\"", axis->name,
            node->value);
    wm_error_hint(choices->reader->error, "the section machines has them");
    return wm_yaml_point_node(&choices->reader->study->tree, node, choices->reader->error);
}

// "spmv: 48KiB", where `names` has what 48KiB is.
static enum wm_status take_line(const struct choices *choices, const struct wm_yaml_tree *tree,
                                const struct wm_yaml_node *line, const struct wm_yaml_node *names,
                                struct choice *choice)
{
    struct wm_error *error = choices->reader->error;
    uint32_t workload;
    WM_TRY(wm_study_workload_key(choices->reader, tree, line, &workload));
    const struct wm_yaml_node *name =
        line->kind == WM_YAML_SCALAR ? wm_yaml_find(names, line->value) : NULL;
    if (name == NULL) {
        wm_fail(error, WM_NOT_FOUND, "\"%s\" is nothing that %s knows",
                line->kind == WM_YAML_SCALAR ? line->value : line->key, choice->node->key);
        wm_error_hint(error, "add it to the choice's \"values\"");
        return wm_yaml_point_node(tree, line, error);
    }
    choice->values[workload] = find_value(&choices->axes[choice->axis], name->value);
    return WM_OK;
}

static enum wm_status read_file(const struct choices *choices, const struct wm_yaml_node *file,
                                const struct wm_yaml_node *names, struct choice *choice)
{
    struct wm_yaml_tree tree;
    static const struct wm_yaml_form form = {"a file of choices", "list", NULL};
    WM_TRY(wm_study_referenced_tree(choices->reader, file, &form, &tree));
    for (const struct wm_yaml_node *line = tree.root->first; line != NULL; line = line->next)
        WM_TRY(take_line(choices, &tree, line, names, choice));
    return WM_OK;
}

// "values: {48KiB: heuristic-16, …}": each is one of the axis.
static enum wm_status check_names(const struct choices *choices, const struct wm_axis *axis,
                                  const struct wm_yaml_node *names)
{
    WM_TRY(wm_study_group(choices->reader, names, "values"));
    for (const struct wm_yaml_node *name = names->first; name; name = name->next) {
        if (name->kind != WM_YAML_SCALAR)
            return wm_study_expected(choices->reader, name, "a value of the axis");
        if (find_value(axis, name->value) == NO_VALUE)
            return no_value(choices, axis, name);
    }
    return WM_OK;
}

// --- Machines ---

static uint32_t machine_of_row(const struct choices *choices, const uint8_t *row)
{
    const struct wm_study *study = choices->reader->study;
    uint32_t machine = 0;
    while (machine < study->machine_count &&
           memcmp(choices->rows[machine], row, WM_STUDY_MOST_AXES) != 0)
        machine++;
    return machine;
}

// The choice with these values of the other axes; `made` has no label when the study has no
// machine for one of its workloads.
static enum wm_status make_choice(const struct choices *choices, const struct choice *choice,
                                  const uint8_t *others, struct wm_study_choice *made)
{
    struct wm_study *study = choices->reader->study;
    uint32_t place = study->machine_count + study->choice_count;
    uint8_t row[WM_STUDY_MOST_AXES];
    char label[WM_MACHINE_LABEL_BYTES];
    *made = (struct wm_study_choice){
        .machines = WM_ARENA_ARRAY(&study->arena, uint32_t, study->workload_count)};
    if (made->machines == NULL)
        return wm_study_no_memory(choices->reader);
    memcpy(row, others, sizeof row);
    for (uint32_t w = 0; w < study->workload_count; w++) {
        made->machines[w] = WM_STUDY_NO_MACHINE;
        if (choice->values[w] == NO_VALUE)
            continue;
        row[choice->axis] = choice->values[w];
        made->machines[w] = machine_of_row(choices, row);
        if (made->machines[w] == study->machine_count)
            return WM_OK;
    }
    row[choice->axis] = choice->value;
    memcpy(choices->rows[place], row, sizeof row);
    wm_expression_machine_label(&study->names, place, label);
    made->label = wm_arena_copy_text(&study->arena, label, strlen(label));
    return made->label ? WM_OK : wm_study_no_memory(choices->reader);
}

static enum wm_status add_machines(const struct choices *choices, const struct choice *choice)
{
    struct wm_study *study = choices->reader->study;
    struct wm_error *error = choices->reader->error;
    uint32_t before = study->choice_count, first = 0;
    while (first < study->workload_count && choice->values[first] == NO_VALUE)
        first++;
    for (uint32_t m = 0; m < study->machine_count && first < study->workload_count; m++) {
        if (choices->rows[m][choice->axis] != choice->values[first])
            continue;
        if (study->machine_count + study->choice_count == WM_STUDY_MOST_MACHINES)
            return wm_fail(error, WM_LIMIT, "more than %d machines and choices",
                           (int)WM_STUDY_MOST_MACHINES);
        struct wm_study_choice made;
        WM_TRY(make_choice(choices, choice, choices->rows[m], &made));
        if (made.label != NULL)
            study->choices[study->choice_count++] = made;
    }
    study->names.machine_count = study->machine_count + study->choice_count;
    if (study->choice_count > before)
        return WM_OK;
    wm_fail(error, WM_NOT_FOUND, "no machines of the study are what %s chooses", choice->node->key);
    wm_error_hint(error, "add them to the cross product, and a line a workload to its file");
    return wm_yaml_point_key(&study->tree, choice->node, error);
}

// --- The section ---

static enum wm_status add_value(const struct choices *choices, struct choice *choice)
{
    struct wm_study *study = choices->reader->study;
    struct wm_axis *axis = &choices->axes[choice->axis];
    const char **values =
        WM_ARENA_ARRAY(&study->arena, const char *, axis->value_count + UINT64_C(1));
    if (values == NULL)
        return wm_study_no_memory(choices->reader);
    for (uint32_t i = 0; i < axis->value_count; i++)
        values[i] = axis->values[i];
    choice->value = (uint8_t)axis->value_count;
    values[axis->value_count] = choice->node->key;
    axis->values = values;
    axis->value_count++;
    return WM_OK;
}

static enum wm_status take_choice(const struct choices *choices, uint32_t axis,
                                  const struct wm_yaml_node *node)
{
    static const char *const keys[] = {"by", "values", NULL};
    struct wm_study_reader *reader = choices->reader;
    struct choice choice = {.axis = axis, .node = node};
    const char *file;
    WM_TRY(wm_study_label(reader, node));
    WM_TRY(wm_study_group(reader, node, "a choice"));
    WM_TRY(wm_study_keys(reader, node, keys));
    WM_TRY(wm_study_text(reader, node, "by", true, &file));
    const struct wm_yaml_node *names = wm_yaml_find(node, "values");
    if (names == NULL) {
        wm_fail(reader->error, WM_INVALID, "%s: required key \"values\" is missing", node->key);
        return wm_yaml_point_key(&reader->study->tree, node, reader->error);
    }
    const struct wm_axis *of = &choices->axes[axis];
    if (find_value(of, node->key) != NO_VALUE || of->value_count == WM_STUDY_MOST_VALUES) {
        wm_fail(reader->error, WM_INVALID,
                of->value_count == WM_STUDY_MOST_VALUES ? "axis %s has no room for \"%s\""
                                                        : "axis %s has a value \"%s\" already",
                of->name, node->key);
        return wm_yaml_point_key(&reader->study->tree, node, reader->error);
    }
    memset(choice.values, NO_VALUE, sizeof choice.values);
    WM_TRY(check_names(choices, of, names));
    WM_TRY(read_file(choices, wm_yaml_find(node, "by"), names, &choice));
    WM_TRY(add_value(choices, &choice));
    return add_machines(choices, &choice);
}

// Names get an array of axes that can grow, and one of machines with room behind them.
static enum wm_status make_room(struct choices *choices)
{
    struct wm_study *study = choices->reader->study;
    choices->axes = WM_ARENA_ARRAY(&study->arena, struct wm_axis, WM_STUDY_MOST_AXES);
    choices->rows =
        wm_arena_alloc(&study->arena, WM_STUDY_MOST_MACHINES * sizeof *choices->rows, 1);
    study->choices = WM_ARENA_ARRAY(&study->arena, struct wm_study_choice, WM_STUDY_MOST_MACHINES);
    if (choices->axes == NULL || choices->rows == NULL || study->choices == NULL)
        return wm_study_no_memory(choices->reader);
    memset(choices->rows, 0, WM_STUDY_MOST_MACHINES * sizeof *choices->rows);
    memcpy(choices->rows, study->names.machines, study->machine_count * sizeof *choices->rows);
    for (uint32_t a = 0; a < study->names.axis_count; a++)
        choices->axes[a] = study->names.axes[a];
    study->names.axes = choices->axes;
    study->names.machines = (const uint8_t(*)[WM_STUDY_MOST_AXES])choices->rows;
    return WM_OK;
}

enum wm_status wm_study_read_choices(struct wm_study_reader *reader,
                                     const struct wm_yaml_node *section)
{
    struct choices choices = {.reader = reader};
    const char *known[WM_STUDY_MOST_AXES + 1] = {NULL};
    if (section == NULL)
        return WM_OK;
    WM_TRY(wm_study_group(reader, section, "choices"));
    WM_TRY(make_room(&choices));
    uint32_t axis_count = reader->study->names.axis_count;
    for (uint32_t a = 0; a < axis_count; a++)
        known[a] = choices.axes[a].name;
    WM_TRY(wm_study_keys(reader, section, known));
    for (uint32_t a = 0; a < axis_count; a++) {
        const struct wm_yaml_node *of = wm_yaml_find(section, known[a]);
        if (of == NULL)
            continue;
        WM_TRY(wm_study_group(reader, of, "an axis' choices"));
        for (const struct wm_yaml_node *node = of->first; node; node = node->next)
            WM_TRY(take_choice(&choices, a, node));
    }
    return WM_OK;
}

// --- Reading them ---

const char *wm_study_machine_label(const struct wm_study *study, uint32_t machine)
{
    return machine < study->machine_count ? study->machines[machine].label
                                          : study->choices[machine - study->machine_count].label;
}

uint32_t wm_study_machine_of(const struct wm_study *study, const char *label)
{
    uint32_t machine = 0, count = study->machine_count + study->choice_count;
    while (machine < count && strcmp(wm_study_machine_label(study, machine), label) != 0)
        machine++;
    return machine;
}

uint32_t wm_study_machine_for(const struct wm_study *study, uint32_t machine, uint32_t workload)
{
    if (machine < study->machine_count)
        return machine;
    machine -= study->machine_count;
    return machine < study->choice_count ? study->choices[machine].machines[workload]
                                         : WM_STUDY_NO_MACHINE;
}

// What kind of value each part of an expression has, and whether it makes sense where it stands.
#include "study/expressions/tree.h"

struct check {
    const struct wm_expression_names *names;              // NULL: machines are not looked for
    const struct wm_expression *each[WM_STUDY_MOST_AXES]; // around this part, by axis
    size_t *offset;
    struct wm_error *error;
};

static enum wm_status shape_of(struct check *check, const struct wm_expression *node,
                               struct wm_expression_type *shape);

static enum wm_status at(const struct check *check, const struct wm_expression *node)
{
    *check->offset = node->offset;
    return check->error ? check->error->status : WM_INVALID;
}

uint32_t wm_axis_neutral(const struct wm_axis *axis)
{
    uint32_t value = 0;
    while (value < axis->value_count && strcmp(axis->values[value], WM_STUDY_NEUTRAL) != 0)
        value++;
    return value;
}

uint32_t wm_expression_machine(const struct wm_expression_names *names,
                               const uint8_t axes[WM_STUDY_MOST_AXES], uint32_t *matches)
{
    uint32_t found = 0;
    uint8_t values[WM_STUDY_MOST_AXES];
    memcpy(values, axes, sizeof values);
    for (uint32_t a = 0; a < names->axis_count; a++) {
        uint32_t neutral = wm_axis_neutral(&names->axes[a]);
        if (values[a] == WM_ANY_VALUE && neutral < names->axes[a].value_count)
            values[a] = (uint8_t)neutral;
    }
    *matches = 0;
    for (uint32_t m = 0; m < names->machine_count; m++) {
        bool fits = true;
        for (uint32_t a = 0; a < names->axis_count && fits; a++)
            fits = values[a] == WM_ANY_VALUE || values[a] == names->machines[m][a];
        if (fits && (*matches)++ == 0)
            found = m;
    }
    return found;
}

static void append_values(const struct wm_expression_names *names,
                          const uint8_t axes[WM_STUDY_MOST_AXES], struct wm_text *text)
{
    const char *separator = "";
    for (uint32_t a = 0; a < names->axis_count; a++)
        if (axes[a] != WM_ANY_VALUE) {
            wm_text_format(text, "%s%s", separator, names->axes[a].values[axes[a]]);
            separator = ", ";
        }
}

static enum wm_status no_one_machine(const struct check *check, const struct wm_expression *node,
                                     const uint8_t axes[WM_STUDY_MOST_AXES], uint32_t matches)
{
    const struct wm_expression_names *names = check->names;
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, "[");
    append_values(names, axes, &text);
    wm_text_add(&text, "]");
    const char *shown = text.failed ? "[…]" : text.data;
    uint32_t open = 0;
    while (open < names->axis_count && axes[open] != WM_ANY_VALUE)
        open++;
    if (matches == 0) {
        wm_fail(check->error, WM_NOT_FOUND, "no machine of the study is %s", shown);
        wm_error_hint(check->error, "add it to the cross product, or name another");
    } else {
        wm_fail(check->error, WM_INVALID, "%u machines of the study are %s", matches, shown);
        wm_error_hint(check->error, "say which: add a value of axis %s",
                      open < names->axis_count ? names->axes[open].name : "");
    }
    wm_text_release(&text);
    return at(check, node);
}

// Checks every machine that the metric can be of, under the each-axes around it.
static enum wm_status check_machines(struct check *check, const struct wm_expression *node,
                                     uint32_t axis, uint8_t axes[WM_STUDY_MOST_AXES])
{
    const struct wm_expression_names *names = check->names;
    while (axis < names->axis_count && (axes[axis] != WM_ANY_VALUE || !check->each[axis]))
        axis++;
    if (axis == names->axis_count) {
        uint32_t matches;
        wm_expression_machine(names, axes, &matches);
        return matches == 1 ? WM_OK : no_one_machine(check, node, axes, matches);
    }
    for (uint32_t value = 0; value < names->axes[axis].value_count; value++) {
        if (!(check->each[axis]->set >> value & 1))
            continue;
        axes[axis] = (uint8_t)value;
        WM_TRY(check_machines(check, node, axis + 1, axes));
    }
    axes[axis] = WM_ANY_VALUE;
    return WM_OK;
}

static enum wm_status wrong_type(const struct check *check, const struct wm_expression *node,
                                 enum wm_value_type expected, enum wm_value_type got)
{
    static const char *const names[] = {"a number", "a statement", "a workload"};
    wm_fail(check->error, WM_INVALID, "%s stands where %s is expected", names[got],
            names[expected]);
    if (expected == WM_VALUE_TRUTH && got != WM_VALUE_WORKLOAD)
        wm_error_hint(check->error, "compare it with <, <=, >, >=, = or within … of");
    else if (expected == WM_VALUE_WORKLOAD || expected == WM_VALUE_TRUTH)
        wm_error_hint(check->error, "as in \"argmin(a / b) is lbm\"");
    else if (got == WM_VALUE_WORKLOAD)
        wm_error_hint(check->error, "compare a workload with \"is\"");
    else
        wm_error_hint(check->error, "count() and share() make numbers of statements");
    return at(check, node);
}

// The shape of an operand, which must have this type.
static enum wm_status check_operand(struct check *check, const struct wm_expression *node,
                                    enum wm_value_type type, bool *open)
{
    struct wm_expression_type shape;
    if (!node)
        return WM_OK;
    WM_TRY(shape_of(check, node, &shape));
    *open = *open || shape.open;
    return shape.type == type ? WM_OK : wrong_type(check, node, type, shape.type);
}

// Whether a metric in it depends on the axis.
static bool asks_axis(const struct wm_expression *node, uint32_t axis)
{
    return node &&
           ((node->kind == WM_EXPRESSION_METRIC && node->axes[axis] == WM_ANY_VALUE) ||
            asks_axis(node->a, axis) || asks_axis(node->b, axis) || asks_axis(node->c, axis));
}

// A function over values of an axis: what it says is of this workload, if that was.
static enum wm_status check_over_axis(struct check *check, const struct wm_expression *node,
                                      enum wm_value_type operand, struct wm_expression_type *shape)
{
    const struct wm_expression *before = check->each[node->axis];
    const char *function = wm_aggregate_names[node->over];
    check->each[node->axis] = node;
    WM_TRY(check_operand(check, node->a, operand, &shape->open));
    check->each[node->axis] = before;
    if (node->over == WM_AGGREGATE_ARGMIN || node->over == WM_AGGREGATE_ARGMAX) {
        wm_fail(check->error, WM_INVALID, "%s() finds workloads, not values of an axis", function);
        wm_error_hint(check->error, "min() and max() over an axis name the value in what is ours");
        return at(check, node);
    }
    if (asks_axis(node->a, node->axis))
        return WM_OK;
    wm_fail(check->error, WM_INVALID, "%s() goes over an axis, and this is the same for each value",
            function);
    wm_error_hint(check->error, "leave the axis' value out of the brackets");
    return at(check, node);
}

static enum wm_status check_over(struct check *check, const struct wm_expression *node,
                                 struct wm_expression_type *shape)
{
    bool open = false;
    bool of_truth = node->over == WM_AGGREGATE_ALL || node->over == WM_AGGREGATE_ANY ||
                    node->over == WM_AGGREGATE_COUNT || node->over == WM_AGGREGATE_SHARE;
    enum wm_value_type operand = of_truth ? WM_VALUE_TRUTH : WM_VALUE_NUMBER;
    shape->type = node->over == WM_AGGREGATE_ALL || node->over == WM_AGGREGATE_ANY ? WM_VALUE_TRUTH
                  : node->over == WM_AGGREGATE_ARGMIN || node->over == WM_AGGREGATE_ARGMAX
                      ? WM_VALUE_WORKLOAD
                      : WM_VALUE_NUMBER;
    if (node->axis != WM_NO_AXIS && check->names)
        return check_over_axis(check, node, operand, shape);
    WM_TRY(check_operand(check, node->a, operand, &open));
    if (node->axis != WM_NO_AXIS) // in a first look, without machines
        shape->open = open;
    if (open || node->axis != WM_NO_AXIS)
        return WM_OK;
    wm_fail(check->error, WM_INVALID, "%s() goes over workloads, and this is the same for each",
            wm_aggregate_names[node->over]);
    wm_error_hint(check->error, "leave %s() out, or the workload in brackets",
                  wm_aggregate_names[node->over]);
    return at(check, node);
}

static enum wm_status check_scope(struct check *check, const struct wm_expression *node,
                                  struct wm_expression_type *shape)
{
    const struct wm_expression *before = NULL;
    shape->type = WM_VALUE_TRUTH;
    if (node->kind == WM_EXPRESSION_EACH) {
        before = check->each[node->axis];
        check->each[node->axis] = node;
    }
    WM_TRY(check_operand(check, node->a, WM_VALUE_TRUTH, &shape->open));
    if (node->kind == WM_EXPRESSION_EACH)
        check->each[node->axis] = before;
    if (node->kind != WM_EXPRESSION_ONLY)
        return WM_OK;
    bool open = shape->open;
    shape->open = false;
    if (open)
        return WM_OK;
    wm_fail(check->error, WM_INVALID, "\"only\" chooses workloads, and this is the same for each");
    wm_error_hint(check->error, "leave the function over workloads out");
    return at(check, node);
}

static enum wm_status shape_of(struct check *check, const struct wm_expression *node,
                               struct wm_expression_type *shape)
{
    *shape = (struct wm_expression_type){WM_VALUE_NUMBER, false};
    enum wm_value_type operand = WM_VALUE_NUMBER;
    uint8_t axes[WM_STUDY_MOST_AXES];
    switch (node->kind) {
    case WM_EXPRESSION_NUMBER:
    case WM_EXPRESSION_COUNTER: return WM_OK;
    case WM_EXPRESSION_METRIC:
        shape->open = node->workload == WM_THIS_WORKLOAD;
        memcpy(axes, node->axes, sizeof axes);
        return check->names ? check_machines(check, node, 0, axes) : WM_OK;
    case WM_AGGREGATE: return check_over(check, node, shape);
    case WM_EXPRESSION_ON:
    case WM_EXPRESSION_ONLY:
    case WM_EXPRESSION_EACH: return check_scope(check, node, shape);
    case WM_EXPRESSION_LESS:
    case WM_EXPRESSION_LESS_EQUAL:
    case WM_EXPRESSION_GREATER:
    case WM_EXPRESSION_GREATER_EQUAL:
    case WM_EXPRESSION_EQUAL:
    case WM_EXPRESSION_NOT_EQUAL:
    case WM_EXPRESSION_WITHIN: shape->type = WM_VALUE_TRUTH; break;
    case WM_EXPRESSION_IS:
        shape->type = WM_VALUE_TRUTH;
        operand = WM_VALUE_WORKLOAD;
        break;
    case WM_EXPRESSION_NOT:
    case WM_EXPRESSION_AND:
    case WM_EXPRESSION_OR:
        shape->type = WM_VALUE_TRUTH;
        operand = WM_VALUE_TRUTH;
        break;
    case WM_EXPRESSION_NEGATE:
    case WM_EXPRESSION_ADD:
    case WM_EXPRESSION_SUBTRACT:
    case WM_EXPRESSION_MULTIPLY:
    case WM_EXPRESSION_DIVIDE:
    case WM_EXPRESSION_ABSOLUTE:
    case WM_EXPRESSION_LEAST:
    case WM_EXPRESSION_GREATEST: break;
    }
    WM_TRY(check_operand(check, node->a, operand, &shape->open));
    WM_TRY(check_operand(check, node->b, operand, &shape->open));
    return check_operand(check, node->c, operand, &shape->open);
}

enum wm_status wm_expression_type(const struct wm_expression *expression,
                                  const struct wm_expression_names *names,
                                  struct wm_expression_type *shape, size_t *offset,
                                  struct wm_error *error)
{
    struct check check = {.names = names, .offset = offset, .error = error};
    return shape_of(&check, expression, shape);
}

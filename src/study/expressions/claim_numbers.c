// Whether a claim holds, and the numbers that decide it as people read them: "0.784", or one for
// each workload, "bfs 0.91, lbm 0.99".
#include "study/expressions/evaluate.h"

#include <math.h>

static void say(const struct wm_evaluation *evaluation, const struct wm_expression *node,
                struct wm_text *text);

static bool is_constant(const struct wm_expression *node)
{
    return !node || (node->kind != WM_EXPRESSION_METRIC && is_constant(node->a) &&
                     is_constant(node->b) && is_constant(node->c));
}

const char *wm_study_number(double value, char text[32])
{
    if (isnan(value))
        snprintf(text, 32, "-");
    else if (fabs(value) >= 1e4 && fabs(value) < 1e15)
        snprintf(text, 32, "%.0f", value);
    else
        snprintf(text, 32, "%.4g", value);
    return text;
}

static void append_number(struct wm_value value, struct wm_text *text)
{
    char number[32];
    wm_text_add(text, value.known ? wm_study_number(value.number, number) : "?");
}

// The sides of a comparison that depend on what was measured.
static void append_sides(const struct wm_evaluation *evaluation, const struct wm_expression *a,
                         const struct wm_expression *b, struct wm_text *text)
{
    if (!is_constant(a))
        say(evaluation, a, text);
    if (!is_constant(a) && !is_constant(b))
        wm_text_add(text, " and ");
    if (!is_constant(b))
        say(evaluation, b, text);
}

// What the node says of each workload in the set or, when `over` goes over an axis, of each value.
static void append_places(const struct wm_evaluation *evaluation, const struct wm_expression *over,
                          uint64_t set, const struct wm_expression *node, struct wm_text *text)
{
    struct wm_evaluation inner = *evaluation;
    const struct wm_expression_names *names = evaluation->names;
    bool of_axis = over && over->axis != WM_NO_AXIS;
    const char *const *labels = of_axis ? names->axes[over->axis].values : names->workloads;
    uint32_t count = of_axis ? names->axes[over->axis].value_count : names->workload_count;
    const char *separator = "";
    for (uint32_t i = 0; i < count; i++) {
        if (!((of_axis ? UINT64_MAX : evaluation->set) & set & UINT64_C(1) << i))
            continue;
        if (of_axis)
            inner.each[over->axis] = (uint8_t)i;
        else
            inner.workload = i;
        wm_text_format(text, "%s%s ", separator, labels[i]);
        say(&inner, node, text);
        separator = ", ";
    }
}

static void append_over(const struct wm_evaluation *evaluation, const struct wm_expression *node,
                        struct wm_text *text)
{
    struct wm_value value = wm_expression_evaluate(evaluation, node);
    switch (node->over) {
    case WM_AGGREGATE_COUNT:
    case WM_AGGREGATE_SHARE:
        append_number(value, text);
        wm_text_add(text, " (");
        append_places(evaluation, node, node->set, node->a, text);
        wm_text_add(text, ")");
        break;
    case WM_AGGREGATE_ALL:
    case WM_AGGREGATE_ANY: append_places(evaluation, node, node->set, node->a, text); break;
    case WM_AGGREGATE_ARGMIN:
    case WM_AGGREGATE_ARGMAX:
        wm_text_add(text, value.known ? evaluation->names->workloads[value.workload] : "?");
        wm_text_add(text, " (");
        append_places(evaluation, node, node->set, node->a, text);
        wm_text_add(text, ")");
        break;
    case WM_AGGREGATE_MIN:
    case WM_AGGREGATE_MAX:
        append_number(value, text);
        if (value.known)
            wm_text_format(text, " (%s)",
                           node->axis != WM_NO_AXIS
                               ? evaluation->names->axes[node->axis].values[value.workload]
                               : evaluation->names->workloads[value.workload]);
        break;
    case WM_AGGREGATE_MEAN:
    case WM_AGGREGATE_GEOMEAN:
    case WM_AGGREGATE_SUM: append_number(value, text); break;
    }
}

static void append_each(const struct wm_evaluation *evaluation, const struct wm_expression *node,
                        struct wm_text *text)
{
    struct wm_evaluation inner = *evaluation;
    const struct wm_axis *axis = &evaluation->names->axes[node->axis];
    const char *separator = "";
    for (uint32_t v = 0; v < axis->value_count; v++) {
        if (!(node->set >> v & 1))
            continue;
        inner.each[node->axis] = (uint8_t)v;
        wm_text_format(text, "%s%s: ", separator, axis->values[v]);
        say(&inner, node->a, text);
        separator = "; ";
    }
}

// "a <= b <= c" has b twice.
static bool is_chain(const struct wm_expression *node)
{
    return node->kind == WM_EXPRESSION_AND && node->a->b && node->a->b == node->b->a;
}

static void say(const struct wm_evaluation *evaluation, const struct wm_expression *node,
                struct wm_text *text)
{
    struct wm_evaluation inner = *evaluation;
    switch (node->kind) {
    case WM_EXPRESSION_LESS:
    case WM_EXPRESSION_LESS_EQUAL:
    case WM_EXPRESSION_GREATER:
    case WM_EXPRESSION_GREATER_EQUAL:
    case WM_EXPRESSION_EQUAL:
    case WM_EXPRESSION_NOT_EQUAL: append_sides(evaluation, node->a, node->b, text); break;
    case WM_EXPRESSION_WITHIN: append_sides(evaluation, node->a, node->c, text); break;
    case WM_EXPRESSION_IS:
    case WM_EXPRESSION_NOT: say(evaluation, node->a, text); break;
    case WM_EXPRESSION_ONLY: append_places(evaluation, NULL, UINT64_MAX, node->a, text); break;
    case WM_EXPRESSION_EACH: append_each(evaluation, node, text); break;
    case WM_EXPRESSION_ON:
        inner.set &= node->set;
        say(&inner, node->a, text);
        break;
    case WM_EXPRESSION_AND:
    case WM_EXPRESSION_OR:
        if (is_chain(node)) {
            say(evaluation, node->b->a, text);
            break;
        }
        if (!is_constant(node->a))
            say(evaluation, node->a, text);
        if (!is_constant(node->a) && !is_constant(node->b))
            wm_text_add(text, "; ");
        if (!is_constant(node->b))
            say(evaluation, node->b, text);
        break;
    case WM_AGGREGATE: append_over(evaluation, node, text); break;
    case WM_EXPRESSION_ABSOLUTE: // "abs(a - b)": its value, as an operand has
    default: append_number(wm_expression_evaluate(evaluation, node), text); break;
    }
}

enum wm_verdict wm_claim_check(const struct wm_expression *claim,
                               const struct wm_expression_names *names,
                               const struct wm_expression_source *source, struct wm_text *ours)
{
    struct wm_evaluation evaluation;
    struct wm_text why;
    wm_text_init(&why);
    wm_evaluation_init(&evaluation, names, source);
    evaluation.why = &why;
    struct wm_value value = wm_expression_evaluate(&evaluation, claim);
    evaluation.why = NULL;
    if (value.known)
        say(&evaluation, claim, ours);
    else
        wm_text_format(ours, "not known: %s", why.length > 0 ? why.data : "a value");
    wm_text_release(&why);
    if (!value.known)
        return WM_CLAIM_UNKNOWN;
    return value.truth ? WM_CLAIM_HOLDS : WM_CLAIM_FAILS;
}

// Values of expressions, and the numbers that decide a claim.
#include "study/expressions/evaluate.h"

#include <math.h>
#include <stdarg.h>

static struct wm_value unknown(const struct wm_evaluation *evaluation, const char *why, ...)
    __attribute__((format(printf, 2, 3)));

// The first reason is kept: it is the one that comes first in the claim.
static struct wm_value unknown(const struct wm_evaluation *evaluation, const char *why, ...)
{
    if (evaluation->why && evaluation->why->length == 0) {
        char reason[400];
        va_list list;
        va_start(list, why);
        vsnprintf(reason, sizeof reason, why, list);
        va_end(list);
        wm_text_add(evaluation->why, reason);
    }
    return (struct wm_value){.known = false};
}

static struct wm_value number(double value)
{
    return (struct wm_value){.known = true, .number = value};
}

static struct wm_value truth(bool value)
{
    return (struct wm_value){.known = true, .truth = value};
}

void wm_expression_machine_label(const struct wm_expression_names *names, uint32_t machine,
                                 char label[WM_MACHINE_LABEL_BYTES])
{
    size_t used = 0;
    label[0] = '\0';
    for (uint32_t a = 0; a < names->axis_count && used < WM_MACHINE_LABEL_BYTES; a++) {
        const char *value = names->axes[a].values[names->machines[machine][a]];
        if (strcmp(value, WM_STUDY_NEUTRAL) != 0)
            used += (size_t)snprintf(label + used, WM_MACHINE_LABEL_BYTES - used, "%s%s",
                                     used > 0 ? ", " : "", value);
    }
}

static struct wm_value metric_value(const struct wm_evaluation *evaluation,
                                    const struct wm_expression *node)
{
    const struct wm_expression_names *names = evaluation->names;
    const struct wm_expression_source *source = evaluation->source;
    uint32_t matches = 0, machine = 0;
    uint32_t workload = node->workload == WM_THIS_WORKLOAD ? evaluation->workload : node->workload;
    uint8_t axes[WM_STUDY_MOST_AXES];
    double value;
    for (uint32_t a = 0; a < WM_STUDY_MOST_AXES; a++)
        axes[a] = node->axes[a] == WM_ANY_VALUE ? evaluation->each[a] : node->axes[a];
    if (names->machine_count > 0)
        machine = wm_expression_machine(names, axes, &matches);
    if (source->metric(source->context, node->metric, workload, machine, &value))
        return number(value);
    if (names->machine_count == 0) // of a metric's own expression: one before it
        return unknown(evaluation, "a metric");
    const char *metric = names->metrics[node->metric], *of = names->workloads[workload];
    if (names->axis_count == 0)
        return unknown(evaluation, "%s of %s", metric, of);
    char label[WM_MACHINE_LABEL_BYTES];
    wm_expression_machine_label(names, machine, label);
    return unknown(evaluation, "%s of %s on \"%s\"", metric, of, label);
}

static struct wm_value counter_value(const struct wm_evaluation *evaluation,
                                     const struct wm_expression *node)
{
    double value;
    if (evaluation->source->counter(evaluation->source->context, node->name, &value))
        return number(value);
    return unknown(evaluation, "%s", node->name);
}

static struct wm_value arithmetic(const struct wm_evaluation *evaluation,
                                  const struct wm_expression *node)
{
    struct wm_value a = wm_expression_evaluate(evaluation, node->a), b = {.known = true}, c = b;
    if (node->b)
        b = wm_expression_evaluate(evaluation, node->b);
    if (node->c)
        c = wm_expression_evaluate(evaluation, node->c);
    if (!a.known || !b.known || !c.known)
        return (struct wm_value){.known = false};
    switch (node->kind) {
    case WM_EXPRESSION_NEGATE: return number(-a.number);
    case WM_EXPRESSION_ADD: return number(a.number + b.number);
    case WM_EXPRESSION_SUBTRACT: return number(a.number - b.number);
    case WM_EXPRESSION_MULTIPLY: return number(a.number * b.number);
    case WM_EXPRESSION_DIVIDE:
        return b.number == 0 ? unknown(evaluation, "a division by zero")
                             : number(a.number / b.number);
    case WM_EXPRESSION_ABSOLUTE: return number(fabs(a.number));
    case WM_EXPRESSION_LEAST: return number(fmin(a.number, b.number));
    case WM_EXPRESSION_GREATEST: return number(fmax(a.number, b.number));
    case WM_EXPRESSION_LESS: return truth(a.number < b.number);
    case WM_EXPRESSION_LESS_EQUAL: return truth(a.number <= b.number);
    case WM_EXPRESSION_GREATER: return truth(a.number > b.number);
    case WM_EXPRESSION_GREATER_EQUAL: return truth(a.number >= b.number);
    case WM_EXPRESSION_EQUAL: return truth(a.number == b.number);
    case WM_EXPRESSION_NOT_EQUAL: return truth(a.number != b.number);
    case WM_EXPRESSION_WITHIN: return truth(fabs(a.number - c.number) <= b.number);
    case WM_EXPRESSION_IS: return truth(node->set >> a.workload & 1);
    case WM_EXPRESSION_NOT: return truth(!a.truth);
    default: return unknown(evaluation, "nothing");
    }
}

// What is known of one side may be enough.
static struct wm_value both(const struct wm_evaluation *evaluation,
                            const struct wm_expression *node)
{
    struct wm_value a = wm_expression_evaluate(evaluation, node->a);
    struct wm_value b = wm_expression_evaluate(evaluation, node->b);
    bool enough = node->kind == WM_EXPRESSION_OR;
    if ((a.known && a.truth == enough) || (b.known && b.truth == enough))
        return truth(enough);
    return a.known && b.known ? truth(!enough) : (struct wm_value){.known = false};
}

// What a function over workloads keeps while it goes over them.
struct tally {
    uint32_t count, unknown, yes, best;
    double sum, log_sum, least, greatest;
    bool positive;
};

static void add_value(const struct wm_expression *node, struct wm_value value, uint32_t place,
                      struct tally *tally)
{
    tally->count++;
    tally->unknown += !value.known;
    if (!value.known)
        return;
    tally->yes += value.truth;
    tally->sum += value.number;
    tally->positive = tally->positive && value.number > 0;
    tally->log_sum += value.number > 0 ? log(value.number) : 0;
    bool better = (node->over == WM_AGGREGATE_ARGMIN || node->over == WM_AGGREGATE_MIN)
                      ? value.number < tally->least
                      : value.number > tally->greatest;
    if (better)
        tally->best = place;
    tally->least = fmin(tally->least, value.number);
    tally->greatest = fmax(tally->greatest, value.number);
}

static struct tally go_over(const struct wm_evaluation *evaluation,
                            const struct wm_expression *node)
{
    struct wm_evaluation inner = *evaluation;
    struct tally tally = {.least = INFINITY, .greatest = -INFINITY, .positive = true};
    const struct wm_expression_names *names = evaluation->names;
    bool over_axis = node->axis != WM_NO_AXIS;
    uint32_t count = over_axis ? names->axes[node->axis].value_count : names->workload_count;
    uint64_t set = over_axis ? node->set : node->set & evaluation->set;
    for (uint32_t i = 0; i < count; i++) {
        if (!(set >> i & 1))
            continue;
        if (over_axis)
            inner.each[node->axis] = (uint8_t)i;
        else
            inner.workload = i;
        add_value(node, wm_expression_evaluate(&inner, node->a), i, &tally);
    }
    return tally;
}

static struct wm_value over_value(const struct wm_evaluation *evaluation,
                                  const struct wm_expression *node)
{
    struct tally tally = go_over(evaluation, node);
    if (node->over == WM_AGGREGATE_ALL && tally.yes + tally.unknown < tally.count)
        return truth(false);
    if (node->over == WM_AGGREGATE_ANY && tally.yes > 0)
        return truth(true);
    if (tally.unknown > 0)
        return (struct wm_value){.known = false};
    if (tally.count == 0)
        return unknown(evaluation, "%s() over no workload", wm_aggregate_names[node->over]);
    struct wm_value value = {.known = true, .workload = tally.best};
    switch (node->over) {
    case WM_AGGREGATE_MEAN: value.number = tally.sum / tally.count; break;
    case WM_AGGREGATE_SUM: value.number = tally.sum; break;
    case WM_AGGREGATE_MIN: value.number = tally.least; break;
    case WM_AGGREGATE_MAX: value.number = tally.greatest; break;
    case WM_AGGREGATE_COUNT: value.number = tally.yes; break;
    case WM_AGGREGATE_SHARE: value.number = (double)tally.yes / tally.count; break;
    case WM_AGGREGATE_ALL: value.truth = true; break;
    case WM_AGGREGATE_ANY: value.truth = false; break;
    case WM_AGGREGATE_ARGMIN:
    case WM_AGGREGATE_ARGMAX: break;
    case WM_AGGREGATE_GEOMEAN:
        if (!tally.positive)
            return unknown(evaluation, "the geometric mean of a number that is not positive");
        value.number = exp(tally.log_sum / tally.count);
        break;
    }
    return value;
}

static struct wm_value only_value(const struct wm_evaluation *evaluation,
                                  const struct wm_expression *node)
{
    struct wm_evaluation inner = *evaluation;
    bool all_known = true;
    for (uint32_t w = 0; w < evaluation->names->workload_count; w++) {
        if (!(evaluation->set >> w & 1))
            continue;
        inner.workload = w;
        struct wm_value value = wm_expression_evaluate(&inner, node->a);
        all_known = all_known && value.known;
        if (value.known && value.truth != (node->set >> w & 1))
            return truth(false);
    }
    return all_known ? truth(true) : (struct wm_value){.known = false};
}

static struct wm_value each_value(const struct wm_evaluation *evaluation,
                                  const struct wm_expression *node)
{
    struct wm_evaluation inner = *evaluation;
    bool all_known = true;
    for (uint32_t v = 0; v < evaluation->names->axes[node->axis].value_count; v++) {
        if (!(node->set >> v & 1))
            continue;
        inner.each[node->axis] = (uint8_t)v;
        struct wm_value value = wm_expression_evaluate(&inner, node->a);
        all_known = all_known && value.known;
        if (value.known && !value.truth)
            return truth(false);
    }
    return all_known ? truth(true) : (struct wm_value){.known = false};
}

struct wm_value wm_expression_evaluate(const struct wm_evaluation *evaluation,
                                       const struct wm_expression *node)
{
    struct wm_evaluation inner;
    switch (node->kind) {
    case WM_EXPRESSION_NUMBER: return number(node->number);
    case WM_EXPRESSION_METRIC: return metric_value(evaluation, node);
    case WM_EXPRESSION_COUNTER: return counter_value(evaluation, node);
    case WM_EXPRESSION_AND:
    case WM_EXPRESSION_OR: return both(evaluation, node);
    case WM_AGGREGATE: return over_value(evaluation, node);
    case WM_EXPRESSION_ONLY: return only_value(evaluation, node);
    case WM_EXPRESSION_EACH: return each_value(evaluation, node);
    case WM_EXPRESSION_ON:
        inner = *evaluation;
        inner.set &= node->set;
        return wm_expression_evaluate(&inner, node->a);
    default: return arithmetic(evaluation, node);
    }
}

void wm_evaluation_init(struct wm_evaluation *evaluation, const struct wm_expression_names *names,
                        const struct wm_expression_source *source)
{
    static const struct wm_expression_names nothing;
    *evaluation = (struct wm_evaluation){
        .names = names ? names : &nothing, .source = source, .set = UINT64_MAX};
    memset(evaluation->each, WM_ANY_VALUE, sizeof evaluation->each);
}

bool wm_metric_value(const struct wm_expression *metric, const struct wm_expression_source *source,
                     double *value)
{
    struct wm_evaluation evaluation;
    wm_evaluation_init(&evaluation, NULL, source);
    struct wm_value result = wm_expression_evaluate(&evaluation, metric);
    *value = result.number;
    return result.known && isfinite(result.number);
}

enum wm_status wm_metric_counters(const struct wm_expression *metric,
                                  enum wm_status (*visit)(void *context, const char *path,
                                                          size_t offset),
                                  void *context)
{
    if (!metric)
        return WM_OK;
    if (metric->kind == WM_EXPRESSION_COUNTER)
        return visit(context, metric->name, metric->offset);
    WM_TRY(wm_metric_counters(metric->a, visit, context));
    return wm_metric_counters(metric->b, visit, context);
}

// Evaluation of an expression at a place: which workload, which values of axes. Private to
// study/expressions/.
#ifndef WM_STUDY_EXPRESSIONS_EVALUATE_H
#define WM_STUDY_EXPRESSIONS_EVALUATE_H

#include "study/expressions/tree.h"

struct wm_evaluation {
    const struct wm_expression_names *names; // without machines of a metric's own expression
    const struct wm_expression_source *source;
    uint64_t set;                     // workloads that functions go over
    uint32_t workload;                // "this workload", inside such a function
    uint8_t each[WM_STUDY_MOST_AXES]; // values that stand for an axis, or WM_ANY_VALUE
    struct wm_text *why;              // takes the first reason for not knowing; may be NULL
};

struct wm_value {
    bool known;
    double number;
    bool truth;
    uint32_t workload;
};

// `names` is NULL of a metric's own expression, which has no workload and no machine.
void wm_evaluation_init(struct wm_evaluation *evaluation, const struct wm_expression_names *names,
                        const struct wm_expression_source *source);

// The tree must have passed wm_expression_type.
struct wm_value wm_expression_evaluate(const struct wm_evaluation *evaluation,
                                       const struct wm_expression *node);

#endif

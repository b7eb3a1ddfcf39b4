// The tree of an expression, between its parser, its check and its evaluation. Private to
// study/expressions/.
#ifndef WM_STUDY_EXPRESSIONS_TREE_H
#define WM_STUDY_EXPRESSIONS_TREE_H

#include "study/expressions/expression.h"

enum wm_expression_kind {
    WM_EXPRESSION_NUMBER,  // number
    WM_EXPRESSION_METRIC,  // metric, workload, axes
    WM_EXPRESSION_COUNTER, // name: a path
    WM_EXPRESSION_NEGATE,  // a
    WM_EXPRESSION_ADD,     // a, b
    WM_EXPRESSION_SUBTRACT,
    WM_EXPRESSION_MULTIPLY,
    WM_EXPRESSION_DIVIDE,
    WM_EXPRESSION_ABSOLUTE, // a
    WM_EXPRESSION_LEAST,    // a, b: "min(a, b)"
    WM_EXPRESSION_GREATEST, // a, b
    WM_EXPRESSION_LESS,     // a, b
    WM_EXPRESSION_LESS_EQUAL,
    WM_EXPRESSION_GREATER,
    WM_EXPRESSION_GREATER_EQUAL,
    WM_EXPRESSION_EQUAL,
    WM_EXPRESSION_NOT_EQUAL,
    WM_EXPRESSION_WITHIN, // a within b of c
    WM_EXPRESSION_IS,     // a is one of set
    WM_EXPRESSION_NOT,    // a
    WM_EXPRESSION_AND,    // a, b
    WM_EXPRESSION_OR,
    WM_AGGREGATE,       // over, a, set: a function over workloads, or over values of an axis
    WM_EXPRESSION_ON,   // a, set: the whole claim, on these workloads alone
    WM_EXPRESSION_ONLY, // a, set: holds on these workloads, and on no other
    WM_EXPRESSION_EACH, // a, axis, set (of values): holds for each
};

enum wm_aggregate {
    WM_AGGREGATE_MEAN,
    WM_AGGREGATE_GEOMEAN,
    WM_AGGREGATE_SUM,
    WM_AGGREGATE_MIN,
    WM_AGGREGATE_MAX,
    WM_AGGREGATE_ARGMIN,
    WM_AGGREGATE_ARGMAX,
    WM_AGGREGATE_ALL,
    WM_AGGREGATE_ANY,
    WM_AGGREGATE_COUNT,
    WM_AGGREGATE_SHARE
};

enum { WM_ANY_VALUE = 0xff, WM_THIS_WORKLOAD = UINT32_MAX, WM_NO_AXIS = UINT32_MAX };

struct wm_expression {
    enum wm_expression_kind kind;
    enum wm_aggregate over;
    size_t offset; // in the text
    const struct wm_expression *a, *b, *c;
    double number;
    const char *name;
    uint32_t metric, workload, axis;  // axis of a function over workloads: WM_NO_AXIS
    uint8_t axes[WM_STUDY_MOST_AXES]; // value of each axis, or WM_ANY_VALUE
    uint64_t set;
};

enum wm_value_type { WM_VALUE_NUMBER, WM_VALUE_TRUTH, WM_VALUE_WORKLOAD };

// What the parser knows of a part: its type, and whether it speaks of "this workload", so that a
// function over workloads has to stand around it.
struct wm_expression_type {
    enum wm_value_type type;
    bool open;
};

// Finds shape and errors of the whole tree; names are already looked up.
enum wm_status wm_expression_type(const struct wm_expression *expression,
                                  const struct wm_expression_names *names,
                                  struct wm_expression_type *shape, size_t *offset,
                                  struct wm_error *error);

// The machine with these values. `*matches` says how many there are.
uint32_t wm_expression_machine(const struct wm_expression_names *names,
                               const uint8_t axes[WM_STUDY_MOST_AXES], uint32_t *matches);

// "max", "argmin", …
extern const char *const wm_aggregate_names[];

#endif

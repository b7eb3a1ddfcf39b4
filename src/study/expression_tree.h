// The tree of an expression, between its parser, its check and its evaluation. Private to these.
#ifndef WM_STUDY_EXPRESSION_TREE_H
#define WM_STUDY_EXPRESSION_TREE_H

#include "study/expression.h"

enum wm_expression_kind {
    WM_NUMBER,  // number
    WM_METRIC,  // metric, workload, axes
    WM_COUNTER, // name: a path
    WM_NEGATE,  // a
    WM_ADD,     // a, b
    WM_SUBTRACT,
    WM_MULTIPLY,
    WM_DIVIDE,
    WM_ABSOLUTE, // a
    WM_LEAST,    // a, b: "min(a, b)"
    WM_GREATEST, // a, b
    WM_LESS,     // a, b
    WM_LESS_EQUAL,
    WM_GREATER,
    WM_GREATER_EQUAL,
    WM_EQUAL,
    WM_NOT_EQUAL,
    WM_NEAR, // a within b of c
    WM_IS,   // a is one of set
    WM_NOT,  // a
    WM_AND,  // a, b
    WM_OR,
    WM_OVER, // over, a, set: a function over workloads, or over values of an axis
    WM_ON,   // a, set: the whole claim, on these workloads alone
    WM_ONLY, // a, set: holds on these workloads, and on no other
    WM_EACH, // a, axis, set (of values): holds for each
};

enum wm_over {
    WM_MEAN,
    WM_GEOMEAN,
    WM_SUM,
    WM_MIN,
    WM_MAX,
    WM_ARGMIN,
    WM_ARGMAX,
    WM_ALL,
    WM_ANY,
    WM_COUNT,
    WM_SHARE
};

enum { WM_ANY_VALUE = 0xff, WM_THIS_WORKLOAD = UINT32_MAX, WM_NO_AXIS = UINT32_MAX };

struct wm_expression {
    enum wm_expression_kind kind;
    enum wm_over over;
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
struct wm_expression_shape {
    enum wm_value_type type;
    bool open;
};

// Finds shape and errors of the whole tree; names are already looked up.
enum wm_status wm_expression_shape(const struct wm_expression *expression,
                                   const struct wm_expression_names *names,
                                   struct wm_expression_shape *shape, size_t *offset,
                                   struct wm_error *error);

// The machine with these values. `*matches` says how many there are.
uint32_t wm_expression_machine(const struct wm_expression_names *names,
                               const uint8_t axes[WM_STUDY_MOST_AXES], uint32_t *matches);

// "max", "argmin", …
extern const char *const wm_over_names[];

#endif

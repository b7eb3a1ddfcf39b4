// Expressions of a study file: metrics (arithmetic on counters) and claims (statements on metrics
// of workloads on machines). One grammar, docs/studies.md; a metric has counters where a claim has
// metrics.
//
// What is not known (a point that has not been replayed, a division by zero) stays unknown through
// arithmetic; "and" and "or" know when one side is enough (Kleene). Private to study/.
#ifndef WM_STUDY_EXPRESSIONS_EXPRESSION_H
#define WM_STUDY_EXPRESSIONS_EXPRESSION_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/text/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WM_STUDY_MOST_AXES = 8,
    WM_STUDY_MOST_VALUES = 64,    // of an axis
    WM_STUDY_MOST_WORKLOADS = 64, // a set of them is a word
    WM_STUDY_MOST_MACHINES = 1024,
};

struct wm_axis {
    const char *name;
    const char *const *values;
    uint32_t value_count;
};

// A value of this name is an axis' neutral one: it is meant where the axis is not named, and
// machines' labels leave it out.
#define WM_STUDY_NEUTRAL "-"

// The number of the axis' neutral value; value_count when it has none.
uint32_t wm_axis_neutral(const struct wm_axis *axis);

// What an expression may name. Everything is borrowed.
struct wm_expression_names {
    const char *const *metrics;
    uint32_t metric_count;
    const char *const *workloads;
    uint32_t workload_count;
    const struct wm_axis *axes;
    uint32_t axis_count;
    // A row a machine, WM_STUDY_MOST_AXES wide: which value of each axis it has.
    const uint8_t (*machines)[WM_STUDY_MOST_AXES];
    uint32_t machine_count;
};

// What a machine is called, its values of the axes: "1MiB, tracker"; empty without axes. Cut at the
// buffer's end.
enum { WM_MACHINE_LABEL_BYTES = 200 };
void wm_expression_machine_label(const struct wm_expression_names *names, uint32_t machine,
                                 char label[WM_MACHINE_LABEL_BYTES]);

// Where values come from. Both return false when the value is not known.
struct wm_expression_source {
    bool (*metric)(const void *context, uint32_t metric, uint32_t workload, uint32_t machine,
                   double *value);
    bool (*counter)(const void *context, const char *path, double *value);
    const void *context;
};

struct wm_expression; // in an arena

// Whether a metric can have this name: a word that the grammar does not use, at most 40 letters.
bool wm_expression_is_name(const char *name);

// Parses a claim. WM_INVALID with the message, and `*offset` the byte of `text` that it is about.
// Names are looked up and every machine that the claim can refer to is checked to be in the study.
enum wm_status wm_claim_parse(const char *text, const struct wm_expression_names *names,
                              struct wm_arena *arena, const struct wm_expression **claim,
                              size_t *offset, struct wm_error *error);

// Parses a metric: `names` holds the metrics before it, which it may use.
enum wm_status wm_metric_parse(const char *text, const struct wm_expression_names *names,
                               struct wm_arena *arena, const struct wm_expression **metric,
                               size_t *offset, struct wm_error *error);

// Calls `visit` for each counter path of a metric, with its byte in the text; stops at the first
// that is not WM_OK.
enum wm_status wm_metric_counters(const struct wm_expression *metric,
                                  enum wm_status (*visit)(void *context, const char *path,
                                                          size_t offset),
                                  void *context);

// False when it is not known.
bool wm_metric_value(const struct wm_expression *metric, const struct wm_expression_source *source,
                     double *value);

enum wm_verdict { WM_CLAIM_FAILS, WM_CLAIM_HOLDS, WM_CLAIM_UNKNOWN };

// Whether the claim holds; appends the numbers that decide it to `ours`, for people. Where it is
// undecided, `ours` says which value is missing.
enum wm_verdict wm_claim_check(const struct wm_expression *claim,
                               const struct wm_expression_names *names,
                               const struct wm_expression_source *source, struct wm_text *ours);

// A number for people: four digits, of a large one all before the point; "-" for NAN. Returns
// `text`.
const char *wm_study_number(double value, char text[32]);

// The machine that `selectors` name, "tracker, 1MiB" or "l2=1MiB, tracker": the only one that has
// these values. WM_INVALID or WM_NOT_FOUND, `*offset` as above.
enum wm_status wm_machine_select(const char *selectors, const struct wm_expression_names *names,
                                 uint32_t *machine, size_t *offset, struct wm_error *error);

#endif

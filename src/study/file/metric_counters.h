// Counters that a study's metrics name: which there are, and their values in a replay's results.
// Private to study/.
#ifndef WM_STUDY_FILE_METRIC_COUNTERS_H
#define WM_STUDY_FILE_METRIC_COUNTERS_H

#include "study/file/study_file.h"

// WM_NOT_FOUND, pointing into `node`, when the metric names a counter that no machine of the study
// has. A path is KIND.COUNTER (a sum over the components of that kind and over kernels),
// run.KIND.COUNTER (over the whole run, host's copies included), kernels.COUNTER, host.COUNTER, or
// energy.PATH and kernels.energy.PATH, which are known where the machine has an energy table.
enum wm_status wm_study_check_counters(struct wm_study *study, const struct wm_expression *metric,
                                       const struct wm_yaml_node *node, struct wm_error *error);

struct json_t; // jansson

// The value of a path in a replay's results; false when they do not have it. A kind that the
// machine has no component of counted 0.
bool wm_study_counter(const struct json_t *results, const char *path, double *value);

// The values of all metrics of the study, in order; `known[i]` false where one is not known.
// `point` is the workload's number times the machines, plus the machine's.
void wm_study_metric_values(const struct wm_study *study, size_t point,
                            const struct json_t *results, double values[WM_STUDY_MOST_METRICS],
                            bool known[WM_STUDY_MOST_METRICS]);

#endif

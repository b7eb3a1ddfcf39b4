// The part of a study that `warpmem study run` is to do: some workloads, the points of some
// figures.
#ifndef WM_CLI_STUDY_SELECTION_H
#define WM_CLI_STUDY_SELECTION_H

#include "study/file/study_file.h"

// `workloads` and `figures` are names with commas between them; NULL: all, of points those that the
// study has run ("points"). `*selected` has a byte a
// point, workload by workload, 1 for those that are selected; free it. WM_INVALID for a name that
// the study does not have; WM_NO_MEMORY.
enum wm_status wm_study_select(const struct wm_study *study, const char *workloads,
                               const char *figures, uint8_t **selected, struct wm_error *error);

#endif

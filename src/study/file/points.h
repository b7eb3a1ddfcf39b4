// Which points of a study its figures and claims are made of.
#ifndef WM_STUDY_FILE_POINTS_H
#define WM_STUDY_FILE_POINTS_H

#include "study/file/study_file.h"

// Sets to 1, in `points` (a byte a point, workload by workload), those that the figure draws and
// those that it divides by. WM_NO_MEMORY.
enum wm_status wm_study_points_of_figure(const struct wm_study *study,
                                         const struct wm_study_figure *figure, uint8_t *points,
                                         struct wm_error *error);
// The same of all points that the claim depends on.
void wm_study_points_of_claim(const struct wm_study *study, const struct wm_study_claim *claim,
                              uint8_t *points);

#endif

// The files behind a study's workloads: where they lie, and what they are made of.
// Private to study/file/.
#ifndef WM_STUDY_FILE_WORKLOAD_SOURCE_H
#define WM_STUDY_FILE_WORKLOAD_SOURCE_H

#include "study/file/study_file.h"

// Finds the workload's file, in the study file's folder or in `workload_folder` (may be NULL),
// makes its path whole, and fills in the hash: of the file, for a source of all that it includes in
// quotes too, of arguments with the files that they name, of options, and of the machine recorded
// on. WM_NOT_FOUND and WM_IO with the workload's place.
enum wm_status wm_workload_source_find(struct wm_study *study, struct wm_study_workload *workload,
                                       const char *workload_folder, struct wm_error *error);

#endif

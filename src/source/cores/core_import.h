// From traces of CPU cores to a recording (docs/formats/cores.md): one launch, each thread of each
// trace a block of one warp of one lane, so that each has a core of its own in a replay.
#ifndef WM_SOURCE_CORES_CORE_IMPORT_H
#define WM_SOURCE_CORES_CORE_IMPORT_H

#include "source/cores/core_import_options.h"

// Reads each trace twice: once for its instructions, once for the recording; of several threads
// once for each. `counts` may be NULL.
// Errors: of the traces with file and place; WM_UNSUPPORTED when a trace is no file that can be
// read twice; WM_INVALID when it changes meanwhile; those of the recording's writer.
enum wm_status wm_core_import(const struct wm_core_import *import, struct wm_core_counts *counts,
                              struct wm_error *error);

#endif

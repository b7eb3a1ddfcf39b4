// Traces of other tools as recordings: for warpmem import, and for a replay that is given one.
#ifndef WM_CLI_IMPORT_TRACE_H
#define WM_CLI_IMPORT_TRACE_H

#include "trace/recording_reader.h"

#include <stdio.h>

// Writes the recording `output`. What a reader should know of it, as blocks that the trace does not
// have, goes to `notes`, which may be NULL.
enum wm_status wm_import_trace(const char *path, const char *output, FILE *notes,
                               struct wm_error *error);

// Opens a recording, or a trace by way of a recording that nobody else sees: in TMPDIR, and gone
// when it is closed.
enum wm_status wm_recording_or_trace_open(struct wm_recording *recording, const char *path,
                                          FILE *notes, struct wm_error *error);

#endif

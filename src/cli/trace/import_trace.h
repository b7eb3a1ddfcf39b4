// Traces of other tools as recordings: for warpmem import, and for a replay that is given one.
#ifndef WM_CLI_TRACE_IMPORT_TRACE_H
#define WM_CLI_TRACE_IMPORT_TRACE_H

#include "trace/recording_reader.h"

#include <stdio.h>

struct wm_import_options {
    const char *const *paths; // several of CPU cores; one of a GPU
    uint32_t count;
    const char *format;                // NULL: as the names of the files say
    const char *output;                // the recording
    bool data_only, shared, unordered; // as wm_core_import's
    const char *kernels;               // of threads: a recording of their program's; or NULL
};

// Writes the recording. What a reader should know of it, as blocks that the trace does not have,
// goes to `notes`, which may be NULL. WM_INVALID when the format does not exist, or does not go
// with the rest.
enum wm_status wm_import_traces(const struct wm_import_options *options, FILE *notes,
                                struct wm_error *error);

// Opens a recording, or a trace through a temporary recording in TMPDIR, which is removed when it
// is closed.
enum wm_status wm_recording_or_trace_open(struct wm_recording *recording, const char *path,
                                          FILE *notes, struct wm_error *error);

#endif

// What a recording names of the program's memory (docs/formats/recording.md, "Names"): variables of
// its CPU code, and allocations.
#ifndef WM_TRACE_RECORDING_NAMES_H
#define WM_TRACE_RECORDING_NAMES_H

#include "base/error.h"
#include "base/names/memory_names.h"

struct wm_recording; // trace/recording_reader.h

// Adds those of all the recording's sections. WM_INVALID when one is damaged.
enum wm_status wm_recording_names(const struct wm_recording *recording,
                                  struct wm_memory_names *names, struct wm_error *error);

#endif

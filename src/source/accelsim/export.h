// A recording as a folder of traces for Accel-Sim: kernelslist.g, and kernel-N.traceg in the
// grammar of its tracer's version 5 (docs/formats/accelsim.md). The list is written last.
#ifndef WM_SOURCE_ACCELSIM_EXPORT_H
#define WM_SOURCE_ACCELSIM_EXPORT_H

#include "trace/recording_reader.h"

struct wm_accelsim_export {
    const char *folder; // made, unless it is there and empty
    const char *writer; // "warpmem 0.1.0"
    // Set by the export.
    uint64_t launches, warp_instructions;
    uint64_t left_out; // warp instructions that the recording only counts
};

// From the recording's begin. WM_UNSUPPORTED for warps of another width than 32; WM_INVALID for a
// folder that is not empty, a recording that is damaged or not whole; WM_IO. What was written of a
// failed export is taken away.
enum wm_status wm_accelsim_export(struct wm_accelsim_export *export, struct wm_recording *recording,
                                  struct wm_error *error);

#endif

// Where a trace's recording is written: beside its place, and moved there once it is whole. What is
// no file, as a device, is written as it is.
#ifndef WM_SOURCE_RECORDING_PLACE_H
#define WM_SOURCE_RECORDING_PLACE_H

#include "base/error.h"
#include "base/text.h"

struct wm_recording_place {
    struct wm_text path; // write here
    const char *output;  // borrowed
    bool direct;
};

// WM_NO_MEMORY; then there is nothing to end.
enum wm_status wm_recording_place_init(struct wm_recording_place *place, const char *output,
                                       struct wm_error *error);
// Moves what was written with `status`, or removes it when that is no success. Returns `status`, or
// WM_IO when it cannot be moved.
enum wm_status wm_recording_place_end(struct wm_recording_place *place, enum wm_status status,
                                      struct wm_error *error);

#endif

// A part of a recording as a recording of its own: some launches, or some blocks of them, or what
// is whole of one that was cut off.
#ifndef WM_TRACE_RECORDING_CUT_H
#define WM_TRACE_RECORDING_CUT_H

#include "base/text/number_ranges.h"
#include "trace/recording_reader.h"

struct wm_cut_result {
    uint64_t launches;      // written
    uint64_t not_whole;     // left out: not all their blocks, or those requested, are there
    uint64_t without_block; // left out: none of their blocks was requested
    bool without_threads;   // the recording has some, which the new one has not
};

// Writes the chosen launches, their kernels, and what happened on the device up to the first launch
// behind them that is left out. With `blocks`, a launch has the chosen ones alone: numbered anew
// from 0, in a grid of one dimension. WM_INVALID: damage; WM_NOT_FOUND: nothing is left to write;
// WM_IO.
enum wm_status wm_recording_cut(struct wm_recording *recording, const char *path,
                                const struct wm_ranges *launches, const struct wm_ranges *blocks,
                                struct wm_cut_result *result, struct wm_error *error);

#endif

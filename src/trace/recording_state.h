// What a recording has of the run: all, or what was written before the writer ended.
#ifndef WM_TRACE_RECORDING_STATE_H
#define WM_TRACE_RECORDING_STATE_H

#include "trace/recording_reader.h"

struct wm_recording_state {
    bool complete;           // the file has its end
    uint64_t launches;       // whose beginning is there
    uint64_t whole_launches; // from the first on, each whole
    // Of the first that is not whole, when there is one (whole_launches < launches).
    uint64_t blocks, whole_blocks;
    bool stopped;        // it: the program stopped in it
    const char *kernel;  // the recording's
    uint64_t lost_from;  // the byte behind what is whole
    uint64_t lost_bytes; // of the file, behind that
};

// Goes through the events, without decoding the streams; rewinds. Errors as wm_recording_next and
// wm_recorded_streams_open.
enum wm_status wm_recording_state(struct wm_recording *recording, struct wm_recording_state *state,
                                  struct wm_error *error);

// Whether all of it is there; else an error that says what is missing.
static inline bool wm_recording_is_whole(const struct wm_recording_state *state)
{
    return state->complete && state->whole_launches == state->launches;
}
enum wm_status wm_recording_require_whole(struct wm_recording *recording, struct wm_error *error);

// "launches 0 to 3 are whole; of launch 4 (kernel f) 12 of 40 blocks are; …" into `buffer`, or
// "…; launch 4 (kernel f) was stopped before its end".
const char *wm_recording_state_text(const struct wm_recording_state *state, char *buffer,
                                    unsigned long size);

#endif

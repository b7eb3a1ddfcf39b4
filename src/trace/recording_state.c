#include "trace/recording_state.h"

#include <inttypes.h>
#include <stdio.h>

static enum wm_status see_launch(struct wm_recording *recording, struct wm_recording_state *state,
                                 struct wm_error *error)
{
    struct wm_recorded_streams streams;
    WM_TRY(wm_recorded_streams_open(recording, &streams, error));
    if (streams.whole && state->whole_launches == state->launches) {
        state->whole_launches++;
    } else if (state->kernel == NULL) {
        state->kernel = recording->codes[recording->launch.code].name;
        state->blocks = wm_recorded_blocks(&recording->launch);
        state->whole_blocks = streams.whole_blocks;
        state->stopped = streams.stopped;
    }
    state->launches++;
    wm_recorded_streams_close(&streams);
    return WM_OK;
}

enum wm_status wm_recording_state(struct wm_recording *recording, struct wm_recording_state *state,
                                  struct wm_error *error)
{
    const struct wm_section_file *file = &recording->file;
    *state =
        (struct wm_recording_state){.complete = file->complete, .lost_from = file->readable_bytes};
    if (!file->complete)
        state->lost_bytes = file->file_bytes - file->readable_bytes;
    struct wm_recorded_event event;
    bool more = true;
    wm_recording_rewind(recording);
    while (more) {
        WM_TRY(wm_recording_next(recording, &event, &more, error));
        if (more && event.kind == WM_RECORDED_LAUNCH)
            WM_TRY(see_launch(recording, state, error));
    }
    wm_recording_rewind(recording);
    return WM_OK;
}

const char *wm_recording_state_text(const struct wm_recording_state *state, char *buffer,
                                    unsigned long size)
{
    char whole[96] = "no launch is whole", part[320] = "", end[160] = "";
    if (state->whole_launches == 1)
        snprintf(whole, sizeof whole, "launch 0 is whole");
    else if (state->whole_launches > 1)
        snprintf(whole, sizeof whole, "launches 0 to %" PRIu64 " are whole",
                 state->whole_launches - 1);
    // The blocks of a launch that was stopped have ends, which mean nothing.
    if (state->whole_launches < state->launches && state->stopped)
        snprintf(part, sizeof part,
                 "; launch %" PRIu64 " (kernel %.200s) was stopped before its end",
                 state->whole_launches, state->kernel);
    else if (state->whole_launches < state->launches)
        snprintf(part, sizeof part,
                 "; of launch %" PRIu64 " (kernel %.200s) %" PRIu64 " of %" PRIu64 " blocks are",
                 state->whole_launches, state->kernel, state->whole_blocks, state->blocks);
    if (!state->complete)
        snprintf(end, sizeof end, "; what the program did after that is missing");
    snprintf(buffer, size, "%s%s%s", whole, part, end);
    return buffer;
}

enum wm_status wm_recording_require_whole(struct wm_recording *recording, struct wm_error *error)
{
    struct wm_recording_state state;
    char text[640];
    WM_TRY(wm_recording_state(recording, &state, error));
    if (wm_recording_is_whole(&state))
        return WM_OK;
    wm_recording_state_text(&state, text, sizeof text);
    if (state.complete)
        wm_fail(error, WM_INVALID, "the recording is not whole: %s", text);
    else
        wm_fail(error, WM_INVALID, "the recording is cut off at byte %" PRIu64 ": %s",
                state.lost_from, text);
    wm_error_place(error, "%s", recording->file.path);
    return wm_error_hint(error, "record the program again, or take the whole launches out with "
                                "warpmem trace cut");
}

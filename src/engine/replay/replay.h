// Drives a recording through a machine, as the program was that it is of.
#ifndef WM_ENGINE_REPLAY_REPLAY_H
#define WM_ENGINE_REPLAY_REPLAY_H

#include "engine/session/session.h"
#include "trace/recording_reader.h"

// Runs the whole recording in `session`, from its begin. WM_INVALID when the recording is damaged,
// not whole, or of another warp width; errors of wm_session_run_work.
enum wm_status wm_replay(struct wm_recording *recording, struct wm_session *session,
                         struct wm_error *error);

// What the host did between two launches, to `session`; nothing for other events.
void wm_replay_host_event(struct wm_session *session, const struct wm_recorded_event *event);

#endif

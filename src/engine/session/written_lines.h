// Lines that several caches write, where misses are explained on coherent levels: noted by the
// front end, or in time by the caches (mem/explain/written_lines.h), and copied to the results.
// Private to engine/session/.
#ifndef WM_ENGINE_SESSION_WRITTEN_LINES_H
#define WM_ENGINE_SESSION_WRITTEN_LINES_H

#include "engine/session/session.h"

// Has accesses noted from here on, where misses are explained and some level is coherent.
// WM_NO_MEMORY. Release is harmless where it does not.
enum wm_status wm_session_note_written_lines(struct wm_session *session, struct wm_error *error);
void wm_session_release_written_lines(struct wm_session *session);
// What the instructions counted is certain: before they are copied. False without memory, which
// some accesses may have lacked.
bool wm_session_finish_written_lines(struct wm_session *session);
// Behind the kernels. False without memory.
bool wm_session_copy_written_lines(const struct wm_session *session, struct wm_results *results);

#endif

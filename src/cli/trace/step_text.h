// One executed instruction of a recording, for people.
#ifndef WM_CLI_TRACE_STEP_TEXT_H
#define WM_CLI_TRACE_STEP_TEXT_H

#include "base/text/text.h"
#include "trace/warp/reader.h"

// A line for the instruction, one for each access, one for an arrival or exit; each begins with
// `indent`.
void wm_trace_step_text(const struct wm_recorded_code *code, const struct wm_warp_step *step,
                        const char *indent, struct wm_text *text);

#endif

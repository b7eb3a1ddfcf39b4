// How a program is started anew so that its addresses are the same on every run. Private to
// host_trace/.
#ifndef WM_HOST_TRACE_RESTART_H
#define WM_HOST_TRACE_RESTART_H

#include "base/error.h"

#include <stdbool.h>

// Of what this process executes from here on. WM_IO, with a hint.
enum wm_status wm_host_stop_randomisation(struct wm_error *error);
// A program that names the marks is traced between them, any other as a whole.
bool wm_host_names_marks(void);

#endif

// The checks of a run, for the libraries of its process: that of the device (engine/check/) and
// that of traced programs (host_trace/).
#ifndef WM_BASE_RUN_CHECK_LIST_H
#define WM_BASE_RUN_CHECK_LIST_H

#include "base/error.h"

#include <stdint.h>

enum wm_check { WM_CHECK_INIT = 1, WM_CHECK_RACE = 2, WM_CHECK_LEAK = 4, WM_CHECK_MEMORY = 8 };

// Of a list as a person writes it: "memory,init,race,leak", or "all". WM_INVALID for anything else.
enum wm_status wm_check_list_read(const char *list, uint32_t *checks, struct wm_error *error);

#endif

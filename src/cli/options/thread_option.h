// The argument of --threads.
#ifndef WM_CLI_OPTIONS_THREAD_OPTION_H
#define WM_CLI_OPTIONS_THREAD_OPTION_H

#include "base/error.h"

#include <stdint.h>

// `text` NULL, not given: one a processor. WM_INVALID for what is no number of threads.
enum wm_status wm_thread_option_read(const char *text, uint32_t *threads, struct wm_error *error);

#endif

// --report: where the text of a command goes.
#ifndef WM_CLI_OPTIONS_REPORT_OPTION_H
#define WM_CLI_OPTIONS_REPORT_OPTION_H

#include "base/error.h"
#include "base/text/text.h"
#include "cli/framework/command.h"

#include <stdbool.h>

// How wide the text may be (study/run_report/width.h). `path` is what the option says; NULL: it is
// not given.
unsigned wm_report_option_width(const char *path);
// Writes the text to that file; of "-", or without one, where the command prints: to standard
// output next to other output of the command that goes there (`standard`), to standard error
// without the option. WM_NO_MEMORY for a text that failed; errors of wm_report_file_write.
enum wm_status wm_report_option_put(const char *path, bool standard,
                                    const struct wm_invocation *invocation,
                                    const struct wm_text *text, struct wm_error *error);

#endif

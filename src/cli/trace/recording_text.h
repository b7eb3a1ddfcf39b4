// One line of summary of a recording, for people.
#ifndef WM_CLI_TRACE_RECORDING_TEXT_H
#define WM_CLI_TRACE_RECORDING_TEXT_H

#include "base/text/text.h"
#include "trace/recording_reader.h"

#include <stdio.h>

// "app.wmt: 3 launches of 2 kernels, 1.2 MiB", or why it cannot be read. Nothing of what is no
// file.
void wm_recording_print_summary(const char *path, FILE *stream);

#endif

// Standard output as a stream that keeps why its first write failed: errno is another's by the time
// a command has ended, and a stream of the C library has a flag alone.
#ifndef WM_CLI_FRAMEWORK_STANDARD_OUTPUT_H
#define WM_CLI_FRAMEWORK_STANDARD_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

// Puts that stream in stdout's place, at the beginning of main(); without memory, or where standard
// output is closed, stdout stays as it is.
void wm_standard_output_open(void);

// Writes what `stream` still holds. WM_IO when something could not be written: of stdout, by the
// reason that the first write had; of another stream by what is known of it.
enum wm_status wm_standard_output_end(FILE *stream, struct wm_error *error);

#endif

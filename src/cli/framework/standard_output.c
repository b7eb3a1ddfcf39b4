#include "cli/framework/standard_output.h"

#include "base/files/output_file.h"

#include <errno.h>
#include <unistd.h>

static struct wm_output_file file;
static FILE *kept; // what is in stdout's place; NULL: nothing

void wm_standard_output_open(void)
{
    if (wm_output_open(&file, WM_OUTPUT_STANDARD, WM_OUTPUT_ATOMIC, NULL) != WM_OK)
        return;
    kept = wm_output_stream(&file);
    if (kept == NULL) {
        wm_output_close(&file, false, NULL);
        return;
    }
    // As the C library has it for standard output (C17, 7.21.3).
    if (isatty(STDOUT_FILENO))
        setvbuf(kept, NULL, _IOLBF, BUFSIZ);
    stdout = kept;
}

enum wm_status wm_standard_output_end(FILE *stream, struct wm_error *error)
{
    errno = 0;
    bool failed = fflush(stream) != 0;
    int reason = failed ? errno : 0;
    if (stream == kept)
        return wm_output_status(&file, error);
    if (!failed && !ferror(stream))
        return WM_OK;
    return wm_output_refused(WM_OUTPUT_STANDARD, reason != 0 ? reason : EIO, error);
}

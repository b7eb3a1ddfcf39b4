#include "cli/trace/recording_text.h"

#include "base/files/output_place.h"
#include "base/text/units.h"
#include "trace/recording_state.h"

#include <inttypes.h>

void wm_recording_print_summary(const char *path, FILE *stream)
{
    if (wm_output_is_in_place(path)) // what has gone into a pipe cannot be read again
        return;
    struct wm_recording recording;
    struct wm_error error;
    wm_error_clear(&error);
    if (wm_recording_open(&recording, path, &error) != WM_OK) {
        char buffer[2048];
        fprintf(stream, "warpmem: %s\n", wm_error_format(&error, buffer, sizeof buffer));
        return;
    }
    struct wm_recording_state state = {0};
    char size[32], stopped[64] = "";
    if (wm_recording_state(&recording, &state, &error) == WM_OK && state.stopped)
        snprintf(stopped, sizeof stopped, "; launch %" PRIu64 " was stopped before its end",
                 state.whole_launches);
    wm_units_round((double)recording.file.file_bytes, WM_QUANTITY_BYTES, size, sizeof size);
    bool threads = recording.cores_section != 0;
    uint32_t kernels = recording.code_count - threads;
    fprintf(stream, "warpmem: %s: %" PRIu64 " launch%s of %" PRIu32 " kernel%s%s, %s%s%s\n", path,
            recording.launch_count, recording.launch_count == 1 ? "" : "es", kernels,
            kernels == 1 ? "" : "s", threads ? " and the program's threads" : "", size, stopped,
            recording.file.complete ? "" : "; the program ended before the recording did");
    wm_recording_close(&recording);
}

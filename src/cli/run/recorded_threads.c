#include "cli/run/recorded_threads.h"

#include "source/cores/core_import.h"

#include <unistd.h>

enum wm_status wm_recorded_threads_join(const char *trace, const char *recording,
                                        struct wm_error *error)
{
    struct wm_recording kernels;
    if (access(trace, R_OK) != 0) {
        wm_fail(error, WM_NOT_FOUND, "the program's threads are not in the recording");
        return wm_error_place(error, "%s", recording);
    }
    WM_TRY(wm_recording_open(&kernels, recording, error));
    const struct wm_core_import import = {.paths = &trace,
                                          .count = 1,
                                          .output = recording,
                                          .writer = "warpmem " WARPMEM_VERSION,
                                          .kernels = &kernels};
    enum wm_status status = wm_core_import(&import, NULL, error);
    wm_recording_close(&kernels);
    return status;
}

#include "source/recording_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum wm_status wm_recording_place_init(struct wm_recording_place *place, const char *output,
                                       struct wm_error *error)
{
    struct stat old;
    bool direct = stat(output, &old) == 0 && !S_ISREG(old.st_mode);
    *place = (struct wm_recording_place){.output = output, .direct = direct};
    wm_text_init(&place->path);
    wm_text_format(&place->path, "%s%s", output, direct ? "" : ".partial");
    if (!place->path.failed)
        return WM_OK;
    wm_text_release(&place->path);
    return wm_fail(error, WM_NO_MEMORY, "no memory for a recording");
}

enum wm_status wm_recording_place_end(struct wm_recording_place *place, enum wm_status status,
                                      struct wm_error *error)
{
    if (status == WM_OK && !place->direct && rename(place->path.data, place->output) != 0) {
        wm_fail(error, WM_IO, "cannot write the recording: %s", strerror(errno));
        status = wm_error_place(error, "%s", place->output);
    }
    if (status != WM_OK && !place->direct)
        unlink(place->path.data);
    wm_text_release(&place->path);
    return status;
}

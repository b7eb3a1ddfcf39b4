#include "cli/output_option.h"

#include "base/output_place.h"

#include <string.h>

static enum wm_status check(const struct wm_output_option *output, struct wm_error *error)
{
    struct wm_output_place place;
    enum wm_status status = wm_output_place_find(&place, output->path, error);
    wm_output_place_release(&place);
    return status == WM_OK ? WM_OK : wm_error_place(error, "%s", output->option);
}

enum wm_status wm_output_options_check(const struct wm_output_option *outputs, size_t count,
                                       bool *standard, struct wm_error *error)
{
    const struct wm_output_option *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (outputs[i].path == NULL)
            continue;
        WM_TRY(check(&outputs[i], error));
        if (strcmp(outputs[i].path, WM_OUTPUT_STANDARD) != 0)
            continue;
        if (first != NULL) {
            wm_fail(error, WM_INVALID, "%s and %s both name standard output", first->option,
                    outputs[i].option);
            return wm_error_cure(error, "name a file for one of them");
        }
        first = &outputs[i];
    }
    if (standard != NULL)
        *standard = first != NULL;
    return WM_OK;
}

enum wm_status wm_output_option_check(const char *path, struct wm_error *error)
{
    return check(&(struct wm_output_option){"-o", path}, error);
}

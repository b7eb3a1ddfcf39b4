#include "cli/options/output_option.h"

#include "base/files/output_place.h"

#include <string.h>

static enum wm_status find(const struct wm_output_option *output, struct wm_output_place *place,
                           struct wm_error *error)
{
    enum wm_status status = wm_output_place_find(place, output->path, error);
    return status == WM_OK ? WM_OK : wm_error_place(error, "%s", output->option);
}

static enum wm_status refuse_pair(const struct wm_output_option *a,
                                  const struct wm_output_option *b, struct wm_error *error)
{
    if (strcmp(a->path, WM_OUTPUT_STANDARD) == 0 && strcmp(b->path, WM_OUTPUT_STANDARD) == 0)
        wm_fail(error, WM_INVALID, "%s and %s both name standard output", a->option, b->option);
    else if (strcmp(a->path, b->path) == 0)
        wm_fail(error, WM_INVALID, "%s and %s both name \"%s\"", a->option, b->option, a->path);
    else
        wm_fail(error, WM_INVALID, "%s \"%s\" and %s \"%s\" are one file", a->option, a->path,
                b->option, b->path);
    return wm_error_hint(error, "name another file for one of them");
}

static enum wm_status check_pair(const struct wm_output_option *a, const struct wm_output_option *b,
                                 struct wm_error *error)
{
    struct wm_output_place left, right = {0};
    enum wm_status status = find(a, &left, error);
    if (status == WM_OK)
        status = find(b, &right, error);
    if (status == WM_OK && wm_output_places_are_one(&left, &right))
        status = refuse_pair(a, b, error);
    wm_output_place_release(&left);
    wm_output_place_release(&right);
    return status;
}

enum wm_status wm_output_options_check(const struct wm_output_option *outputs, size_t count,
                                       bool *standard, struct wm_error *error)
{
    if (standard != NULL)
        *standard = false;
    for (size_t i = 0; i < count; i++) {
        struct wm_output_place place;
        if (outputs[i].path == NULL)
            continue;
        enum wm_status status = find(&outputs[i], &place, error);
        wm_output_place_release(&place);
        for (size_t before = 0; before < i && status == WM_OK; before++)
            if (outputs[before].path != NULL)
                status = check_pair(&outputs[before], &outputs[i], error);
        WM_TRY(status);
        if (standard != NULL)
            *standard |= strcmp(outputs[i].path, WM_OUTPUT_STANDARD) == 0;
    }
    return WM_OK;
}

static enum wm_status spare(const struct wm_output_option *output, const char *input,
                            struct wm_error *error)
{
    struct wm_output_place written, read;
    enum wm_status status = wm_output_place_find(&written, output->path, error);
    // An input that may not be written is found too: by its name, whatever is said of it.
    wm_output_place_find(&read, input, NULL);
    if (status == WM_OK && read.exists && wm_output_places_are_one(&written, &read)) {
        wm_fail(error, WM_INVALID, "\"%s\" is what is read", output->path);
        wm_error_place(error, "%s", output->option);
        status = wm_error_hint(error, "name another file");
    }
    wm_output_place_release(&written);
    wm_output_place_release(&read);
    return status;
}

enum wm_status wm_output_options_avoid_inputs(const struct wm_output_option *outputs, size_t count,
                                              const char *const *inputs, uint32_t input_count,
                                              struct wm_error *error)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t input = 0; input < input_count && outputs[i].path != NULL; input++)
            WM_TRY(spare(&outputs[i], inputs[input], error));
    return WM_OK;
}

enum wm_status wm_output_option_check(const char *path, const char *const *inputs,
                                      uint32_t input_count, struct wm_error *error)
{
    const struct wm_output_option output = {"-o", path};
    WM_TRY(wm_output_options_check(&output, 1, NULL, error));
    return wm_output_options_avoid_inputs(&output, 1, inputs, input_count, error);
}

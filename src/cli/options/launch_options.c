#include "cli/options/launch_options.h"

#include "base/text.h"

#include <string.h>

enum wm_status wm_launch_options_read(const struct wm_launch_values *values,
                                      struct wm_launch_filter *filter, bool *wanted,
                                      struct wm_error *error)
{
    const struct wm_launch_filter_words words = {
        .kernels = (const char *const *)values->kernels.items,
        .kernel_count = values->kernels.count,
        .launches = values->launches,
        .skip = values->skip,
        .count = values->count,
    };
    *wanted = wm_launch_filter_wanted(&words);
    return wm_launch_filter_init(filter, &words, error);
}

enum wm_status wm_launch_options_lines(const struct wm_launch_values *values,
                                       struct wm_arena *arena, const char **lines,
                                       struct wm_error *error)
{
    struct wm_text text;
    wm_text_init(&text);
    bool whole = true;
    for (uint32_t i = 0; i < values->kernels.count; i++) {
        whole = whole && strchr(values->kernels.items[i], '\n') == NULL;
        wm_text_format(&text, "%s\n", values->kernels.items[i]);
    }
    *lines =
        text.failed ? NULL : wm_arena_copy_text(arena, text.data ? text.data : "", text.length);
    wm_text_release(&text);
    if (!whole) {
        wm_fail(error, WM_INVALID, "the pattern of a kernel is one line");
        return wm_error_place(error, "--kernel");
    }
    return *lines != NULL ? WM_OK : wm_fail_no_memory(error, "--kernel");
}

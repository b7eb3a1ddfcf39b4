#include "cli/options/launch_options.h"

enum wm_status wm_launch_options_read(const struct wm_launch_values *values,
                                      struct wm_launch_filter *filter, bool *filtered,
                                      struct wm_error *error)
{
    const struct wm_launch_filter_words words = {
        .kernels = (const char *const *)values->kernels.items,
        .kernel_count = values->kernels.count,
        .launches = values->launches,
        .skip = values->skip,
        .count = values->count,
    };
    *filtered = wm_launch_filter_wanted(&words);
    return wm_launch_filter_init(filter, &words, error);
}

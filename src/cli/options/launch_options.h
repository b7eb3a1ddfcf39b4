// The options that choose launches and print numbers of each, as every command has them that runs
// or replays kernels.
#ifndef WM_CLI_OPTIONS_LAUNCH_OPTIONS_H
#define WM_CLI_OPTIONS_LAUNCH_OPTIONS_H

#include "cli/framework/options.h"
#include "engine/session/launch_filter.h"

// The values of these options, as given.
struct wm_launch_values {
    struct wm_option_list kernels;
    const char *launches, *skip, *count; // NULL: not given
    bool per_launch, block_map;
};

// Their rows of a command's table, for the field `chosen` of its struct of values.
// clang-format off
#define WM_LAUNCH_FILTER_OPTIONS(values)                                                           \
    {'k', "kernel", WM_OPTION_LIST, "PATTERN", offsetof(values, chosen.kernels),                   \
     "count only launches of kernels of this name: *, ? and [a-z] as in a shell, or "              \
     "regex:EXPRESSION; may be given again; other launches run, and warm the caches",              \
     WM_COMPLETES_NOTHING},                                                                        \
    {0, "launches", WM_OPTION_ARGUMENT, "LIST", offsetof(values, chosen.launches),                 \
     "count only these launches, numbered over the run from 0, as 0-7 or 1,4,10-12",               \
     WM_COMPLETES_NOTHING},                                                                        \
    {0, "launch-skip", WM_OPTION_ARGUMENT, "N", offsetof(values, chosen.skip),                     \
     "of the launches that --kernel and --launches choose, leave out the first N",                 \
     WM_COMPLETES_NOTHING},                                                                        \
    {0, "launch-count", WM_OPTION_ARGUMENT, "N", offsetof(values, chosen.count),                   \
     "of those that are left, count at most N", WM_COMPLETES_NOTHING}
#define WM_PER_LAUNCH_OPTION(values)                                                               \
    {0, "per-launch", WM_OPTION_FLAG, NULL, offsetof(values, chosen.per_launch),                   \
     "print a row for each launch that is counted, and write its numbers to --json and --csv",     \
     WM_COMPLETES_NOTHING}
#define WM_BLOCK_MAP_OPTION(values)                                                                \
    {0, "block-map", WM_OPTION_FLAG, NULL, offsetof(values, chosen.block_map),                     \
     "print on which SM each block of a kernel's last launch ran, and write it to --json of each " \
     "launch that is counted",                                                                     \
     WM_COMPLETES_NOTHING}
// clang-format on

// Reads them as wm_launch_filter_init does; `filtered`: there is something to filter. Release the
// filter in any case.
enum wm_status wm_launch_options_read(const struct wm_launch_values *values,
                                      struct wm_launch_filter *filter, bool *filtered,
                                      struct wm_error *error);

#endif

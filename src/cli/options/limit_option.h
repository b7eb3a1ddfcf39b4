// The options that stop a program's kernels, as every command has them that runs a program.
#ifndef WM_CLI_OPTIONS_LIMIT_OPTION_H
#define WM_CLI_OPTIONS_LIMIT_OPTION_H

#include "cli/framework/options.h"

#include <stdint.h>

// The values of these options, as given.
struct wm_limit_values {
    const char *instructions, *time; // NULL: none
};

// Their rows of a command's table, for the field `field` of its struct of values.
// clang-format off
#define WM_LIMIT_OPTIONS(values, field)                                                            \
    {0, "limit-instructions", WM_OPTION_ARGUMENT, "N", offsetof(values, field.instructions),       \
     "stop the kernel that runs after N warp instructions of all launches (2M, 1G): what was "     \
     "counted so far is kept, and the exit status is 3", WM_COMPLETES_NOTHING},                    \
    {0, "limit-time", WM_OPTION_ARGUMENT, "DURATION", offsetof(values, field.time),                \
     "the same after that time of this computer's clock since the first CUDA call (90s, 500ms)",   \
     WM_COMPLETES_NOTHING}
// clang-format on

// What they say, as a program's process reads it (base/run/run_settings.h); 0: no limit.
struct wm_limits {
    uint64_t instructions, ns;
};

// WM_INVALID for what is no number, or no time.
enum wm_status wm_limit_options_read(const struct wm_limit_values *values, struct wm_limits *limits,
                                     struct wm_error *error);

#endif

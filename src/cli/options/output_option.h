// The outputs that a command line names, looked at before the work begins.
#ifndef WM_CLI_OPTIONS_OUTPUT_OPTION_H
#define WM_CLI_OPTIONS_OUTPUT_OPTION_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_output_option {
    const char *option; // "--json": the place of errors
    const char *path;   // NULL: not requested
};

// WM_IO for one that cannot be written (base/files/output_file.h); WM_INVALID when two are one
// place, by whatever links and names. `*standard`, if not NULL: one is standard output, named "-".
enum wm_status wm_output_options_check(const struct wm_output_option *outputs, size_t count,
                                       bool *standard, struct wm_error *error);
// WM_INVALID when an output is one of the files that the command reads, by whatever links and
// names: it would be lost.
enum wm_status wm_output_options_avoid_inputs(const struct wm_output_option *outputs, size_t count,
                                              const char *const *inputs, uint32_t input_count,
                                              struct wm_error *error);

// Both of a command's only output, the one of -o.
enum wm_status wm_output_option_check(const char *path, const char *const *inputs,
                                      uint32_t input_count, struct wm_error *error);

#endif

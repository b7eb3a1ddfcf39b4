// The options that name a machine, and what of a run is counted, as every command that needs them
// has them.
#ifndef WM_CLI_OPTIONS_MACHINE_OPTIONS_H
#define WM_CLI_OPTIONS_MACHINE_OPTIONS_H

#include "cli/framework/options.h"

// The rows of a command's table for the fields `machine`, `settings`, `plugins` and `profiled` of
// its struct of values.
// clang-format off
#define WM_MACHINE_OPTION(values)                                                                  \
    {'m', "machine", WM_OPTION_ARGUMENT, "NAME", offsetof(values, machine),                        \
     "the machine: a preset, or a file with a slash or .yaml in its name (default v100)",          \
     WM_COMPLETES_MACHINES}
#define WM_SETTING_OPTION(values)                                                                  \
    {'s', "set", WM_OPTION_LIST, "KEY=VALUE", offsetof(values, settings),                          \
     "change one key of the machine (gpu.sm.count=8); may be given again", WM_COMPLETES_SETTINGS}
#define WM_PLUGIN_OPTION(values)                                                                   \
    {0, "plugin", WM_OPTION_LIST, "FILE", offsetof(values, plugins),                               \
     "load replacement and bypass entries from a shared object", WM_COMPLETES_FILES}
#define WM_PROFILED_OPTION(values)                                                                 \
    {0, "profiled", WM_OPTION_FLAG, NULL, offsetof(values, profiled),                              \
     "count only what happens between cudaProfilerStart and cudaProfilerStop; the rest runs, and " \
     "warms the caches",                                                                           \
     WM_COMPLETES_NOTHING}
// clang-format on

#endif

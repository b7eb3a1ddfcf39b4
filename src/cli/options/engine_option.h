// The option that says which engine runs launches, as `warpmem run` and `warpmem replay` have it.
#ifndef WM_CLI_OPTIONS_ENGINE_OPTION_H
#define WM_CLI_OPTIONS_ENGINE_OPTION_H

#include "cli/framework/command.h"

// The values of these options, as given.
struct wm_engine_values {
    const char *engine, *sample, *timeline; // NULL: not given
};

// Their rows of a command's table, for the field `engine` of its struct of values.
// clang-format off
#define WM_ENGINE_OPTIONS(values)                                                                  \
    {'e', "engine", WM_OPTION_ARGUMENT, "NAME", offsetof(values, engine.engine),                   \
     "walk: no time passes (default); clock: with cycles, queues and DRAM's timings",              \
     WM_COMPLETES_ENGINES},                                                                        \
    {0, "timeline", WM_OPTION_ARGUMENT, "FILE", offsetof(values, engine.timeline),                 \
     "clock: write kernels, blocks and rates over time, for Perfetto", WM_COMPLETES_FILES},        \
    {0, "sample", WM_OPTION_ARGUMENT, "CYCLES", offsetof(values, engine.sample),                   \
     "clock: sample what is in use every so many cycles, for --timeline (1000) and --json",        \
     WM_COMPLETES_NOTHING}
// clang-format on

// What they say.
struct wm_engine_choice {
    bool clock;
    uint64_t sample_cycles; // 0: no samples and no timeline
};

// The name of an engine, at 0 and up, and what it does; NULL past the last.
const char *wm_engine_name(size_t index, const char **sentence);

// WM_EXIT_MISUSE, and says so, for a name that is no engine's and for what the engine does not do;
// else WM_EXIT_OK.
int wm_engine_options_read(const struct wm_invocation *invocation,
                           const struct wm_engine_values *values, struct wm_engine_choice *options);

#endif

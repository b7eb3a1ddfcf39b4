// The option that says which engine runs launches, as `warpmem run` and `warpmem replay` have it.
#ifndef WM_CLI_ENGINE_OPTION_H
#define WM_CLI_ENGINE_OPTION_H

#include "cli/command.h"

// The row of a command's table for the field `engine`, a const char *, of its struct of values.
// clang-format off
#define WM_ENGINE_OPTION(values)                                                                   \
    {'e', "engine", WM_OPTION_ARGUMENT, "NAME", offsetof(values, engine),                          \
     "walk: no time passes (default); clock: with cycles, queues and DRAM's timings",              \
     WM_COMPLETES_ENGINES}
// clang-format on

// The name of an engine, at 0 and up, and what it does; NULL past the last.
const char *wm_engine_name(size_t index, const char **sentence);

// Whether `name`, NULL for the engine that is taken when none is named, is the clock engine's.
// WM_EXIT_MISUSE, and says so, for a name that is no engine's and for the clock engine with an
// option that it does not go with; else WM_EXIT_OK.
int wm_engine_option_read(const struct wm_invocation *invocation, const char *name, bool explain,
                          bool *clock);

#endif

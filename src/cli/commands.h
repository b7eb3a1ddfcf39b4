// Every command of warpmem, in the order of --help: its NAME_command.c defines wm_command_NAME, and
// this line is all that registers it.
#ifndef WM_CLI_COMMANDS_H
#define WM_CLI_COMMANDS_H

#include "cli/framework/command.h"

// clang-format off
#define WM_COMMANDS(X) \
    X(annotate) \
    X(bypass) \
    X(cc) \
    X(compare) \
    X(completion) \
    X(explain) \
    X(export) \
    X(import) \
    X(list) \
    X(machine) \
    X(record) \
    X(replay) \
    X(report) \
    X(run) \
    X(study) \
    X(trace)
// clang-format on

#define WM_DECLARE_COMMAND(name) extern const struct wm_command wm_command_##name;
WM_COMMANDS(WM_DECLARE_COMMAND)
#undef WM_DECLARE_COMMAND

#endif

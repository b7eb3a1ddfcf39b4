// Every command of warpmem, one a line, each defined in its own NAME_command.c.
#ifndef WM_CLI_COMMANDS_H
#define WM_CLI_COMMANDS_H

#include "cli/framework/command.h"

extern const struct wm_command wm_command_annotate;
extern const struct wm_command wm_command_bypass;
extern const struct wm_command wm_command_cc;
extern const struct wm_command wm_command_compare;
extern const struct wm_command wm_command_completion;
extern const struct wm_command wm_command_explain;
extern const struct wm_command wm_command_export;
extern const struct wm_command wm_command_import;
extern const struct wm_command wm_command_list;
extern const struct wm_command wm_command_machine;
extern const struct wm_command wm_command_record;
extern const struct wm_command wm_command_replay;
extern const struct wm_command wm_command_report;
extern const struct wm_command wm_command_run;
extern const struct wm_command wm_command_study;
extern const struct wm_command wm_command_trace;

#endif

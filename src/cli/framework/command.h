// Commands: a tree of them in static tables ("warpmem machine show"), found by name and run with
// their options parsed.
#ifndef WM_CLI_FRAMEWORK_COMMAND_H
#define WM_CLI_FRAMEWORK_COMMAND_H

#include "cli/framework/options.h"

#include <stdio.h>

// Exit statuses of warpmem itself. `warpmem run` passes on its program's own where it had one.
enum wm_exit {
    WM_EXIT_OK = 0,
    WM_EXIT_FAILURE = 1, // the command could not be done: a file, memory, a tool refused
    WM_EXIT_INVALID = 2, // the command line or an input is wrong
    WM_EXIT_MISUSE = WM_EXIT_INVALID,
    WM_EXIT_LIMIT = 3, // a program that was run was stopped at a limit of the command line
};

// What a command is called with. Everything is borrowed for the call.
struct wm_invocation {
    const char *path;   // "warpmem machine show": the place of its errors
    const void *values; // the command's own struct of options, usage->values_size bytes
    const char *const *operands;
    uint32_t operand_count;
    FILE *out, *err;
};

struct wm_command {
    const char *name;    // "show"
    const char *summary; // one line in lists: lower case, no full stop
    const struct wm_usage *usage;
    // Returns the exit status. NULL for a group that only holds others. A group with `run` is
    // called when no subcommand is named (warpmem itself, for --version).
    int (*run)(const struct wm_invocation *invocation);
    const struct wm_command *const *subcommands; // NULL-terminated; NULL when there are none
};

// The root of the table: warpmem itself (command_table.c).
extern const struct wm_command wm_command_root;

// Finds the command that argv names under `root`, parses its options and runs it. Requested
// help goes to `out`; misuse goes to `err` and returns WM_EXIT_MISUSE. What `out` could not
// take is a failure too.
int wm_command_main(const struct wm_command *root, int argc, char *const *argv, FILE *out,
                    FILE *err);

// Prints a command's help; `path` is its whole name.
void wm_command_help(const struct wm_command *command, const char *path, FILE *stream);

// Prints an error to the invocation's `err`; returns WM_EXIT_INVALID, or WM_EXIT_FAILURE when the
// system refused (WM_IO, WM_NO_MEMORY).
int wm_command_fail(const struct wm_invocation *invocation, const struct wm_error *error);
// The same of a command line whose words contradict each other; returns WM_EXIT_MISUSE.
int wm_command_misuse(const struct wm_invocation *invocation, const char *message);

#endif

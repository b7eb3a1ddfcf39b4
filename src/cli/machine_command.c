// warpmem machine: the machine descriptions.
#include "cli/commands.h"

static const struct wm_usage usage = {
    .synopsis = "COMMAND [options] [operands]",
    .description = "Lists, prints and checks the descriptions of machines.",
};

static const struct wm_command *const commands[] = {
    NULL,
};

const struct wm_command wm_command_machine = {
    .name = "machine",
    .summary = "list, print and check machine descriptions",
    .usage = &usage,
    .subcommands = commands,
};

#include "cli/framework/command.h"

#include "base/files/output_place.h"
#include "base/text/nearest.h"
#include "cli/framework/standard_output.h"
#include "cli/framework/write_signals.h"

#include <errno.h>

// Nothing is said of a pipe that its reader has closed: `warpmem … | head` is no failure.
static void print_error(const struct wm_error *error, FILE *err)
{
    if (wm_output_error_reason(error) == EPIPE)
        wm_write_signals_end_by_pipe();
    char buffer[sizeof *error + 64];
    fputs(wm_error_format(error, buffer, sizeof buffer), err);
}

int wm_command_fail(const struct wm_invocation *invocation, const struct wm_error *error)
{
    print_error(error, invocation->err);
    bool system = error->status == WM_IO || error->status == WM_NO_MEMORY;
    return system ? WM_EXIT_FAILURE : WM_EXIT_INVALID;
}

int wm_command_misuse(const struct wm_invocation *invocation, const char *message)
{
    struct wm_error error;
    wm_fail(&error, WM_INVALID, "%s", message);
    wm_error_place(&error, "%s", invocation->path);
    wm_command_fail(invocation, &error);
    return WM_EXIT_MISUSE;
}

void wm_command_help(const struct wm_command *command, const char *path, FILE *stream)
{
    struct wm_text text, rows;
    wm_text_init(&text);
    wm_text_init(&rows);
    for (size_t i = 0; command->subcommands && command->subcommands[i]; i++)
        wm_usage_row(command->subcommands[i]->name, command->subcommands[i]->summary, 22, &rows);
    wm_usage_print(command->usage, path, rows.data, &text);
    if (command->subcommands)
        wm_text_format(&text, "\n\"%s COMMAND --help\" says more about one command.\n", path);
    if (!text.failed && !rows.failed)
        fputs(text.data, stream);
    wm_text_release(&rows);
    wm_text_release(&text);
}

static const struct wm_command *find(const struct wm_command *const *commands, const char *name)
{
    for (; *commands; commands++)
        if (strcmp((*commands)->name, name) == 0)
            return *commands;
    return NULL;
}

static int unknown_command(const struct wm_command *group, const char *path, const char *name,
                           FILE *err)
{
    struct wm_error error;
    wm_fail(&error, WM_INVALID, "unknown command \"%s\"", name);
    wm_error_place(&error, "%s", path);
    struct wm_nearest nearest;
    wm_nearest_init(&nearest, name);
    for (size_t i = 0; group->subcommands[i]; i++)
        wm_nearest_offer(&nearest, group->subcommands[i]->name);
    if (nearest.best)
        wm_error_hint(&error, "did you mean \"%s %s\"?", path, nearest.best);
    else
        wm_error_hint(&error, "\"%s --help\" lists the commands", path);
    print_error(&error, err);
    return WM_EXIT_MISUSE;
}

static int run_parsed(const struct wm_command *command, const char *path,
                      const struct wm_parsed_options *parsed, FILE *out, FILE *err)
{
    if (parsed->help) {
        wm_command_help(command, path, out);
        return WM_EXIT_OK;
    }
    if (!command->run) {
        wm_command_help(command, path, err);
        return WM_EXIT_MISUSE;
    }
    struct wm_invocation invocation = {
        path, parsed->values, parsed->operands, parsed->operand_count, out, err};
    return command->run(&invocation);
}

static int parse_and_run(const struct wm_command *command, const char *path, int argc,
                         char *const *argv, FILE *out, FILE *err)
{
    struct wm_arena arena;
    struct wm_error error;
    struct wm_parsed_options parsed;
    int status = WM_EXIT_MISUSE;
    wm_error_clear(&error);
    wm_arena_init(&arena);
    if (wm_options_parse(command->usage, argc, argv, &arena, &parsed, &error) == WM_OK) {
        status = run_parsed(command, path, &parsed, out, err);
    } else {
        wm_error_place(&error, "%s", path);
        if (!error.hint[0])
            wm_error_hint(&error, "usage: %s %s", path, command->usage->synopsis);
        print_error(&error, err);
    }
    wm_arena_release(&arena);
    return status;
}

int wm_command_main(const struct wm_command *root, int argc, char *const *argv, FILE *out,
                    FILE *err)
{
    char path[128];
    int length = snprintf(path, sizeof path, "%s", root->name);
    const struct wm_command *command = root;
    int next = 1;
    // A group's own options are flags only, so the first word that is no option names a command.
    while (command->subcommands && next < argc && argv[next][0] != '-') {
        const struct wm_command *inner = find(command->subcommands, argv[next]);
        if (!inner)
            return unknown_command(command, path, argv[next], err);
        length += snprintf(path + length, sizeof path - (size_t)length, " %s", inner->name);
        command = inner;
        next++;
    }
    int words = argc > next ? argc - next : 0;
    int status = parse_and_run(command, path, words, argv + next, out, err);
    struct wm_error error;
    if (wm_standard_output_end(out, &error) != WM_OK) {
        wm_error_place(&error, "%s", path);
        print_error(&error, err);
        status = status ? status : WM_EXIT_FAILURE;
    }
    return status;
}

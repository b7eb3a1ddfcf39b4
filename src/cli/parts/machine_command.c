// warpmem machine: the descriptions of machines.
#include "cli/commands.h"

#include "cli/graph/graph_command.h"
#include "cli/parts/machine_text.h"
#include "machine/machine.h"
#include "machine/schema.h"

// --- list ---

static const struct wm_usage list_usage = {
    .synopsis = "[options]",
    .description = "Lists the machines that come with warpmem, with what distinguishes them.",
    .examples = "warpmem machine list",
};

static int run_list(const struct wm_invocation *invocation)
{
    struct wm_text text;
    wm_text_init(&text);
    int status = wm_machine_rows(invocation, &text);
    int printed = wm_command_print(invocation, &text);
    return status ? status : printed;
}

static const struct wm_command list_command = {
    .name = "list",
    .summary = "list the machines that come with warpmem",
    .usage = &list_usage,
    .run = run_list,
};

// --- show ---

struct show_values {
    struct wm_option_list settings, plugins;
};

static const struct wm_option show_options[] = {
    WM_SETTING_OPTION(struct show_values),
    WM_PLUGIN_OPTION(struct show_values),
};

static const struct wm_usage show_usage = {
    .synopsis = "[options] MACHINE",
    .description =
        "Prints the effective description of a machine: its picture, as \"warpmem machine "
        "graph\" draws it, in comments, and every key with its value and what it means. "
        "The output is a machine file itself. MACHINE is a name that \"warpmem machine "
        "list\" prints, or a file, named with a slash or its .yaml.",
    .examples = "warpmem machine show v100\n"
                "warpmem machine show v100 --set gpu.sm.unified=0B --set gpu.l1.size=48KiB",
    .options = show_options,
    .option_count = sizeof show_options / sizeof show_options[0],
    .values_size = sizeof(struct show_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_MACHINES,
};

static int run_show(const struct wm_invocation *invocation)
{
    const struct show_values *values = invocation->values;
    struct wm_machine machine;
    struct wm_error error;
    struct wm_plugins plugins;
    if (wm_plugin_option_load(&values->plugins, &plugins, &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    struct wm_text text;
    wm_text_init(&text);
    int status = WM_EXIT_OK;
    if (wm_machine_load_with(&plugins, invocation->operands[0], values->settings.items,
                             values->settings.count, &machine, &error) == WM_OK &&
        wm_machine_picture(&machine, "# ", &text, &error) == WM_OK)
        wm_machine_print(&machine, &text);
    else
        status = wm_command_fail(invocation, &error);
    int printed = wm_command_print(invocation, &text);
    wm_plugins_release(&plugins);
    return status ? status : printed;
}

static const struct wm_command show_command = {
    .name = "show",
    .summary = "print the effective description of a machine",
    .usage = &show_usage,
    .run = run_show,
};

// --- check ---

struct check_values {
    struct wm_option_list plugins;
};

static const struct wm_option check_options[] = {WM_PLUGIN_OPTION(struct check_values)};

static const struct wm_usage check_usage = {
    .synopsis = "[options] MACHINE...",
    .description = "Checks machine files whole: keys, units, ranges and whether such a machine "
                   "can be. All are checked; the exit status is 2 when one of them is wrong.",
    .examples = "warpmem machine check v100 gtx480",
    .options = check_options,
    .option_count = sizeof check_options / sizeof check_options[0],
    .values_size = sizeof(struct check_values),
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .operands_are = WM_COMPLETES_MACHINES,
};

static int run_check(const struct wm_invocation *invocation)
{
    const struct check_values *values = invocation->values;
    int status = WM_EXIT_OK;
    struct wm_plugins plugins;
    struct wm_error error;
    if (wm_plugin_option_load(&values->plugins, &plugins, &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    for (uint32_t i = 0; i < invocation->operand_count; i++) {
        struct wm_machine machine;
        if (wm_machine_load_with(&plugins, invocation->operands[i], NULL, 0, &machine, &error) ==
            WM_OK)
            fprintf(invocation->out, "%s: ok\n", invocation->operands[i]);
        else
            status = wm_command_fail(invocation, &error);
    }
    wm_plugins_release(&plugins);
    return status;
}

static const struct wm_command check_command = {
    .name = "check",
    .summary = "check machine files",
    .usage = &check_usage,
    .run = run_check,
};

// --- keys ---

struct keys_values {
    bool markdown;
};

static const struct wm_option keys_options[] = {
    {0, "markdown", WM_OPTION_FLAG, NULL, offsetof(struct keys_values, markdown),
     "print the tables of docs/machine-files.md"},
};

static const struct wm_usage keys_usage = {
    .synopsis = "[options]",
    .description = "Prints the schema of machine files: every key with its type, legal range, "
                   "default and meaning.",
    .examples = "warpmem machine keys",
    .options = keys_options,
    .option_count = sizeof keys_options / sizeof keys_options[0],
    .values_size = sizeof(struct keys_values),
};

static int run_keys(const struct wm_invocation *invocation)
{
    const struct keys_values *values = invocation->values;
    struct wm_text text;
    wm_text_init(&text);
    wm_machine_schema_print(values->markdown, &text);
    return wm_command_print(invocation, &text);
}

static const struct wm_command keys_command = {
    .name = "keys",
    .summary = "print the schema of machine files",
    .usage = &keys_usage,
    .run = run_keys,
};

static const struct wm_usage usage = {
    .synopsis = "COMMAND [options] [operands]",
    .description = "Lists, draws, prints and checks the descriptions of machines. What a machine "
                   "file may say is in \"warpmem machine keys\".",
    .examples = "warpmem machine list\n"
                "warpmem machine graph v100\n"
                "warpmem machine show v100",
};

static const struct wm_command *const commands[] = {
    &list_command, &wm_command_machine_graph, &show_command, &check_command, &keys_command, NULL,
};

const struct wm_command wm_command_machine = {
    .name = "machine",
    .summary = "list, draw, print and check machine descriptions",
    .usage = &usage,
    .subcommands = commands,
};

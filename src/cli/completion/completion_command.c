// warpmem completion: what makes the shells complete warpmem's command lines.
#include "cli/commands.h"
#include "cli/completion/completion.h"
#include "cli/parts/machine_text.h"

// The last word of the command's path is the shell's name.
static int run_script(const struct wm_invocation *invocation)
{
    const char *script = wm_completion_script(strrchr(invocation->path, ' ') + 1);
    fputs(script, invocation->out);
    return WM_EXIT_OK;
}

static const struct wm_usage bash_usage = {
    .synopsis = "[options]",
    .description = "Prints the completion script of bash. An installed warpmem has put it where "
                   "the package bash-completion looks; one person's scripts lie in "
                   "~/.local/share/bash-completion/completions, named after the program.",
    .examples = "warpmem completion bash",
};
static const struct wm_usage zsh_usage = {
    .synopsis = "[options]",
    .description = "Prints the completion script of zsh, which belongs into a folder of $fpath as "
                   "_warpmem. An installed warpmem has put it into site-functions.",
    .examples = "warpmem completion zsh",
};
static const struct wm_usage fish_usage = {
    .synopsis = "[options]",
    .description = "Prints the completion script of fish. An installed warpmem has put it where "
                   "fish looks; one person's scripts lie in ~/.config/fish/completions.",
    .examples = "warpmem completion fish",
};

static const struct wm_command bash_command = {"bash", "print the completion script of bash",
                                               &bash_usage, run_script, NULL};
static const struct wm_command zsh_command = {"zsh", "print the completion script of zsh",
                                              &zsh_usage, run_script, NULL};
static const struct wm_command fish_command = {"fish", "print the completion script of fish",
                                               &fish_usage, run_script, NULL};

static int run_words(const struct wm_invocation *invocation)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_complete(&wm_command_root, invocation->operands, invocation->operand_count, &text);
    return wm_command_print(invocation, &text);
}

static const struct wm_usage words_usage = {
    .synopsis = "[options] -- WORD...",
    .description =
        "Prints what the last WORD of a command line could become, one candidate a line, with a "
        "tab and a sentence behind it: what the scripts call. WORDs begin with the program's name; "
        "the last may be empty. A line \":files\" says that file names fit as well, \":nospace\" "
        "that no blank follows.",
    .examples = "warpmem completion words -- warpmem machine show gtx",
    .options_first = true,
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .operands_are = WM_COMPLETES_NOTHING,
};
static const struct wm_command words_command = {
    "words", "print what a command line could go on with", &words_usage, run_words, NULL};

static const struct wm_usage usage = {
    .synopsis = "COMMAND [options] [operands]",
    .description = "Makes a shell complete commands, options, machines, kinds, entries and keys. "
                   "The words come from the tables that read the command line.",
    .examples = "warpmem completion bash",
};

static const struct wm_command *const commands[] = {
    &bash_command, &zsh_command, &fish_command, &words_command, NULL,
};

const struct wm_command wm_command_completion = {
    .name = "completion",
    .summary = "make a shell complete command lines",
    .usage = &usage,
    .subcommands = commands,
};

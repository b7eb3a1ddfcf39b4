// The commands of warpmem. A new one is a file of its own and a name in commands.h.
#include "cli/commands.h"
#include "cli/framework/command.h"

struct root_values {
    bool version;
};

static const struct wm_option options[] = {
    {0, "version", WM_OPTION_FLAG, NULL, offsetof(struct root_values, version),
     "print the version and end"},
};

static const struct wm_usage usage = {
    .synopsis = "COMMAND [options] [operands]",
    .description =
        "warpmem runs a real CUDA program on a machine without a GPU, follows every access "
        "through a described memory system, and says where the bytes went, kernel by kernel and "
        "load by load.",
    .examples = "warpmem cc vecadd.cu -o vecadd\n"
                "warpmem run --machine v100 ./vecadd\n"
                "warpmem machine list",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct root_values),
};

static int run(const struct wm_invocation *invocation)
{
    const struct root_values *values = invocation->values;
    if (values->version) {
        fprintf(invocation->out, "warpmem %s\n", WARPMEM_VERSION);
        return WM_EXIT_OK;
    }
    wm_command_help(&wm_command_root, invocation->path, invocation->err);
    return WM_EXIT_MISUSE;
}

#define ENTRY(name) &wm_command_##name,
static const struct wm_command *const commands[] = {WM_COMMANDS(ENTRY) NULL};

const struct wm_command wm_command_root = {
    .name = "warpmem",
    .summary = "a memory-hierarchy laboratory for GPUs",
    .usage = &usage,
    .run = run,
    .subcommands = commands,
};

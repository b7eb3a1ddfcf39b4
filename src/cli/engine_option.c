#include "cli/engine_option.h"

#include <string.h>

static const struct {
    const char *name, *sentence;
} engines[] = {
    {"walk", "no time passes: what is asked of each part, in a defined order"},
    {"clock", "in time: cycles, queues, links and DRAM's timings"},
};

const char *wm_engine_name(size_t index, const char **sentence)
{
    if (index >= sizeof engines / sizeof engines[0])
        return NULL;
    *sentence = engines[index].sentence;
    return engines[index].name;
}

int wm_engine_option_read(const struct wm_invocation *invocation, const char *name, bool explain,
                          bool *clock)
{
    *clock = name != NULL && strcmp(name, "clock") == 0;
    if (name != NULL && !*clock && strcmp(name, "walk") != 0)
        return wm_command_misuse(invocation, "--engine is walk or clock");
    if (*clock && explain)
        return wm_command_misuse(
            invocation, "--explain and --engine clock contradict each other: the walk explains");
    return WM_EXIT_OK;
}

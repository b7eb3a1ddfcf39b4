#include "cli/options/engine_option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SAMPLE_CYCLES UINT64_C(1000)
#define MOST_SAMPLE_CYCLES UINT64_C(1000000000000)

static const struct {
    const char *name, *sentence;
} engines[] = {
    {"walk", "no time passes: requests are served at once, in a defined order"},
    {"clock", "in time: cycles, queues, links and DRAM's timings"},
};

const char *wm_engine_name(size_t index, const char **sentence)
{
    if (index >= sizeof engines / sizeof engines[0])
        return NULL;
    *sentence = engines[index].sentence;
    return engines[index].name;
}

static bool read_cycles(const char *text, uint64_t *cycles)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *cycles = number;
    return text[0] >= '0' && text[0] <= '9' && errno == 0 && *end == '\0' && number != 0 &&
           number <= MOST_SAMPLE_CYCLES;
}

int wm_engine_options_read(const struct wm_invocation *invocation,
                           const struct wm_engine_values *values, struct wm_engine_choice *options)
{
    const char *name = values->engine;
    *options = (struct wm_engine_choice){.clock = name != NULL && strcmp(name, "clock") == 0};
    if (name != NULL && !options->clock && strcmp(name, "walk") != 0)
        return wm_command_misuse(invocation, "--engine is walk or clock");
    if (!options->clock && values->timeline != NULL)
        return wm_command_misuse(invocation, "--timeline needs --engine clock");
    if (!options->clock && values->sample != NULL)
        return wm_command_misuse(invocation, "--sample needs --engine clock");
    if (values->sample != NULL && !read_cycles(values->sample, &options->sample_cycles))
        return wm_command_misuse(invocation, "--sample is a number of cycles, 1 or more");
    if (values->timeline != NULL && values->sample == NULL)
        options->sample_cycles = DEFAULT_SAMPLE_CYCLES;
    return WM_EXIT_OK;
}

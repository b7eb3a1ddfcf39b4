// How a traced program starts. With WARPMEM_HOST_TRACE set the process becomes the supervisor
// (supervisor.h), which starts the program anew without randomisation of addresses. What is left is
// the stack, which begins below the environment: there the program starts itself once more, with a
// variable as long as it takes for the stack to begin at a multiple of STACK_UNIT. So addresses
// depend neither on names and values of variables nor, by way of the trace's name, on where the
// trace goes.
#include "host_trace/start.h"

#include "host_trace/recorder.h"
#include "host_trace/supervisor.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE_VARIABLE "WARPMEM_HOST_TRACE"
#define OURS WM_HOST_CHANNEL_VARIABLE "="

enum {
    STACK_UNIT = 1 << 16,  // a longer environment begins the stack one lower
    VARIABLES_UNIT = 64,   // pointers to variables lie below the texts
    CHANNEL_CHARACTERS = 6 // five digits, 'a' for all of the program or 'm' for what it marks
};

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_of_tracing(const char *variable)
{
    return begins_with(variable, OURS) || begins_with(variable, TRACE_VARIABLE "=");
}

// --- The supervisor's part ---

static char filler[] = OURS;

char **wm_host_environment_for(int channel, bool whole)
{
    size_t count = 0, others = 0;
    while (environ[count] != NULL)
        count++;
    size_t room = (count + 1 + VARIABLES_UNIT) / VARIABLES_UNIT * VARIABLES_UNIT;
    char **variables = calloc(room + 1, sizeof *variables);
    char *first = malloc(sizeof OURS + CHANNEL_CHARACTERS);
    if (variables == NULL || first == NULL)
        return NULL;
    snprintf(first, sizeof OURS + CHANNEL_CHARACTERS, OURS "%05d%c", channel, whole ? 'a' : 'm');
    variables[others++] = first;
    for (size_t i = 0; i < count; i++)
        if (!is_of_tracing(environ[i]))
            variables[others++] = environ[i];
    size_t total = (others + VARIABLES_UNIT - 1) / VARIABLES_UNIT * VARIABLES_UNIT;
    while (others < total)
        variables[others++] = filler;
    return variables;
}

// --- The program's part ---

static char padded[sizeof OURS + CHANNEL_CHARACTERS + STACK_UNIT];

static void start_again(char **arguments, const char *channel, size_t padding)
{
    size_t length = sizeof OURS - 1 + CHANNEL_CHARACTERS;
    memcpy(padded, OURS, sizeof OURS - 1);
    memcpy(padded + sizeof OURS - 1, channel, CHANNEL_CHARACTERS);
    memset(padded + length, '.', padding);
    environ[0] = padded;
    execve("/proc/self/exe", arguments, environ);
    wm_host_recorder_refuse("the program cannot be started again with a longer environment",
                            "make the limit on the stack's size larger: ulimit -s");
}

static void remove_variables(void)
{
    char **to = environ;
    for (char **from = environ; *from != NULL; from++)
        if (!is_of_tracing(*from))
            *to++ = *from;
    *to = NULL;
}

static void be_traced(char **arguments, const char *channel)
{
    char *end;
    long descriptor = strtol(channel, &end, 10);
    if (end != channel + CHANNEL_CHARACTERS - 1)
        return; // not the supervisor's
    // The number of arguments lies before them, and is the first that is on the stack.
    size_t excess = ((uintptr_t)arguments - sizeof(long)) % STACK_UNIT;
    wm_host_recorder.channel = (int)descriptor;
    if (excess != 0 && channel[CHANNEL_CHARACTERS] == '\0')
        start_again(arguments, channel, excess);
    if (excess != 0)
        wm_host_recorder_refuse("the program's stack does not begin where it should, so that "
                                "addresses would differ from run to run",
                                "run it on Linux itself, not in an emulation of it");
    bool whole = *end == 'a';
    remove_variables();
    wm_host_recorder_start((int)descriptor, whole);
}

__attribute__((constructor)) static void start(int count, char **arguments, char **variables)
{
    (void)count, (void)variables;
    const char *channel = getenv(WM_HOST_CHANNEL_VARIABLE), *path = getenv(TRACE_VARIABLE);
    if (channel != NULL)
        be_traced(arguments, channel);
    else if (path != NULL && path[0] != '\0')
        wm_host_supervise(path, arguments);
}

// How a traced program starts. With WARPMEM_HOST_TRACE set the process becomes the supervisor
// (supervisor.h), which starts the program anew without randomisation of addresses. What is left is
// the stack, which begins below the texts of environment and arguments and the pointers to them:
// there the program starts itself once more, with a variable as long as it takes for the texts to
// begin at a multiple of STACK_UNIT, and as many variables as make a multiple of VARIABLES_UNIT. So
// addresses depend neither on names and values of variables nor, by way of the trace's name, on
// where the trace goes.
#include "host_trace/checks.h"
#include "host_trace/environment.h"
#include "host_trace/live_start.h"
#include "host_trace/managed.h"
#include "host_trace/not_traced.h"
#include "host_trace/processor_calls.h"
#include "host_trace/recorder.h"
#include "host_trace/supervisor.h"
#include "host_trace/turns.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK_UNIT = 1 << 16 }; // a longer environment begins the stack one lower

static char padded[sizeof WM_HOST_CHANNEL_VARIABLE + WM_HOST_CHANNEL_CHARACTERS + 1 + STACK_UNIT];

static void start_again(char **arguments, const char *channel, size_t padding)
{
    int length = snprintf(padded, sizeof padded, "%s=%s", WM_HOST_CHANNEL_VARIABLE, channel);
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
        if (!wm_host_is_of_tracing(*from))
            *to++ = *from;
    *to = NULL;
}

// For experiments: how many accesses a turn has.
static void set_turn(const char *accesses)
{
    if (accesses == NULL || accesses[0] == '\0')
        return;
    char *end;
    unsigned long number = strtoul(accesses, &end, 10);
    if (*end != '\0' || accesses[0] < '0' || accesses[0] > '9' || number < WM_HOST_LEAST_TURN ||
        number > UINT32_MAX)
        wm_host_recorder_refuse(WM_HOST_TURN_VARIABLE
                                " is no number of accesses that a thread's turn can have",
                                "give one from 2 on, or leave it out");
    wm_host_turn_accesses = (uint32_t)number;
}

static void be_traced(char **arguments, const char *channel)
{
    char *end;
    long descriptor = strtol(channel, &end, 10);
    if (end != channel + WM_HOST_CHANNEL_CHARACTERS - 1)
        return; // not the supervisor's
    const char *lowest = arguments[0] != NULL ? arguments[0] : environ[0];
    size_t excess = (uintptr_t)lowest % STACK_UNIT;
    wm_host_recorder.channel = (int)descriptor;
    wm_host_recorder.traces = descriptor != WM_HOST_LIVE_CHANNEL;
    bool live = !wm_host_recorder.traces || wm_host_live_wanted();
    if (live)
        wm_host_recorder.mode = WM_HOST_LIVE_MODE;
    if (excess != 0 && channel[WM_HOST_CHANNEL_CHARACTERS] == '\0')
        start_again(arguments, channel, excess);
    if (excess != 0)
        wm_host_recorder_refuse("the program's stack does not begin where it should, so that "
                                "addresses would differ from run to run",
                                "run it on Linux itself, not in an emulation of it");
    bool whole = *end == 'a';
    set_turn(getenv(WM_HOST_TURN_VARIABLE));
    wm_host_managed_start();
    remove_variables();
    wm_host_turns_start();
    wm_host_processors_start();
    if (live && !wm_host_recorder.traces)
        wm_host_checks_start(false);
    if (live)
        wm_host_live_start();
    wm_host_recorder_start((int)descriptor, whole);
    wm_host_not_traced_start();
}

__attribute__((constructor)) static void start(int count, char **arguments, char **variables)
{
    (void)count, (void)variables;
    const char *channel = getenv(WM_HOST_CHANNEL_VARIABLE), *path = getenv(WM_HOST_TRACE_VARIABLE);
    if (channel != NULL)
        be_traced(arguments, channel);
    else if (path != NULL && path[0] != '\0')
        wm_host_supervise(path, arguments); // and live, where that is wanted: a recording of both
    else if (wm_host_live_wanted())
        wm_host_live_restart(arguments);
    else
        wm_host_checks_start(true);
}

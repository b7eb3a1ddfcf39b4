// The system's clocks: what a thread that reads one does next may depend on it, so that nothing
// says that it will do the same again (polls.h).
#include "host_trace/managed.h"
#include "host_trace/real_calls.h"
#include "host_trace/turns.h"

#include <sys/time.h>

static void note(void)
{
    if (wm_host_recorder.channel >= 0 && wm_host_thread != 0)
        wm_host_reads_clock();
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *now)
{
    note();
    return REAL(clock_gettime)(clock, now);
}

EXPORTED int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    note();
    return REAL(gettimeofday)(now, zone);
}

EXPORTED time_t time(time_t *now)
{
    note();
    return REAL(time)(now);
}

EXPORTED clock_t clock(void)
{
    note();
    return REAL(clock)();
}

EXPORTED int timespec_get(struct timespec *now, int base)
{
    note();
    return REAL(timespec_get)(now, base);
}

// Streams that a thread locks: the C library's own calls wait for such a one, and would with the
// turn in hand, so the thread keeps the turn until it unlocks.
#include "host_trace/managed.h"
#include "host_trace/real_calls.h"
#include "host_trace/turns.h"

#include <stdio.h>

EXPORTED void flockfile(FILE *stream)
{
    REAL(flockfile)(stream);
    if (MANAGED)
        wm_host_self()->streams_held++;
}

EXPORTED int ftrylockfile(FILE *stream)
{
    int result = REAL(ftrylockfile)(stream);
    if (result == 0 && MANAGED)
        wm_host_self()->streams_held++;
    return result;
}

EXPORTED void funlockfile(FILE *stream)
{
    if (MANAGED && wm_host_self()->streams_held > 0)
        wm_host_self()->streams_held--;
    REAL(funlockfile)(stream);
}

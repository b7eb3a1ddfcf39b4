// The environment in which a traced program is started, so that its stack lies where it did the
// last time, whatever variables there are: see start.c.
#ifndef WM_HOST_TRACE_START_H
#define WM_HOST_TRACE_START_H

#include <stdbool.h>

// The current environment without what belongs to the tracing, and with the channel; NULL without
// memory.
char **wm_host_environment_for(int channel, bool whole);

#endif

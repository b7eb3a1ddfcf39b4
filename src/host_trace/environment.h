// The variables of a traced program's environment: the user's, which names the trace, and the one
// by which the supervisor hands the program its socket. As many fillers of the same name go with it
// as make the number of variables a multiple of VARIABLES_UNIT, since the stack begins below the
// pointers to them.
#ifndef WM_HOST_TRACE_ENVIRONMENT_H
#define WM_HOST_TRACE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#define WM_HOST_TRACE_VARIABLE "WARPMEM_HOST_TRACE"
// Accesses of a thread's turn (turns.h); stays in the environment.
#define WM_HOST_TURN_VARIABLE "WARPMEM_HOST_TRACE_TURN"
// The first has the socket in five digits and 'a' to trace all or 'm' what is marked; then what
// makes the environment long enough (start.c).
#define WM_HOST_CHANNEL_VARIABLE "WARPMEM_HOST_TRACE_CHANNEL"
enum { WM_HOST_CHANNEL_CHARACTERS = 6 };

// A setting of the run by its name (base/run/run_settings.h), `*length` characters of the
// environment; NULL where it is not set.
const char *wm_host_setting(const char *name, size_t *length);
// Whether "NAME=VALUE" is one of these.
bool wm_host_is_of_tracing(const char *variable);
// The current environment with those for the program in place of the user's, and allocated; NULL
// without memory.
char **wm_host_environment_for(int channel, bool whole);

#endif

// The process that a traced program is started as: it starts the program anew as its child, in a
// fixed layout of memory, writes what that sends, and ends as it does.
#ifndef WM_HOST_TRACE_SUPERVISOR_H
#define WM_HOST_TRACE_SUPERVISOR_H

// `path` is that of the trace.
_Noreturn void wm_host_supervise(const char *path, char **arguments);

#endif

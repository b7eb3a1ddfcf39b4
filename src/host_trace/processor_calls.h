// What the program finds out of processors. Private to host_trace/.
#ifndef WM_HOST_TRACE_PROCESSOR_CALLS_H
#define WM_HOST_TRACE_PROCESSOR_CALLS_H

#include <stdint.h>

// They are the host's; by the program's first thread, before it is bound to one of them.
void wm_host_processors_start(void);
// They are the machine's cores.
void wm_host_processors_are_cores(uint32_t cores);
// A new thread of that number may run where its creator does.
void wm_host_processors_inherit(uint32_t thread, uint32_t creator);

#endif

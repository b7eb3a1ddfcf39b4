// What is not seen of a traced program. Private to host_trace/.
#ifndef WM_HOST_TRACE_NOT_TRACED_H
#define WM_HOST_TRACE_NOT_TRACED_H

// The program is traced from here on: what is not is said.
void wm_host_not_traced_start(void);

#endif

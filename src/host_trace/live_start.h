// How a run whose threads are the machine's CPU cores begins (live.h). Private to host_trace/.
#ifndef WM_HOST_TRACE_LIVE_START_H
#define WM_HOST_TRACE_LIVE_START_H

#include <stdbool.h>

#define WM_HOST_LIVE_MODE "--host-threads" // wm_host_recorder.mode of such a run

// Whether the run is one, as its settings say, and a library that has a device is loaded.
bool wm_host_live_wanted(void);
// Starts the program anew without randomisation of addresses.
_Noreturn void wm_host_live_restart(char **arguments);
// Makes the device; behind wm_host_turns_start(). Ends the program where it cannot be made.
void wm_host_live_start(void);

#endif

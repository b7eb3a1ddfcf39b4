// Functions that the traced program calls: what they need to be found by it, and to say where the
// program called them.
#ifndef WM_HOST_TRACE_EXPORTED_CALLS_H
#define WM_HOST_TRACE_EXPORTED_CALLS_H

// The library hides what does not say so.
#define EXPORTED __attribute__((visibility("default")))

// Within such a function: where the traced code continues behind the call, which is within the
// source's line that makes it.
#define CALLER __builtin_return_address(0)

#endif

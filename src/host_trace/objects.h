// The objects that a traced program has loaded, for the process that writes its trace: which code
// lies where. Private to host_trace/.
#ifndef WM_HOST_TRACE_OBJECTS_H
#define WM_HOST_TRACE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Calls `visit` with by how much each object's code is moved, and its path, "" for the program.
// False when that has returned false.
bool wm_host_objects_visit(bool (*visit)(void *context, uint64_t moved, const char *path),
                           void *context);
// Whether the object at that path is a library of the program's own: the program itself has no
// path, the system's own object no folder.
bool wm_host_is_programs_library(const char *path);
// Passes a frame for each object to `send` (access_word.h) where there are others than at the call
// before; false when `send` has failed. By the thread that has the turn.
bool wm_host_objects_send(bool (*send)(const void *data, size_t bytes));

#endif

// The second reading of traces of CPU cores. Private to source/cores/.
#ifndef WM_SOURCE_CORES_CORE_STREAMS_H
#define WM_SOURCE_CORES_CORE_STREAMS_H

#include "source/cores/importing.h"

// Writes what a core executes. WM_INVALID: the trace changed while it was read; and the reader's
// errors.
enum wm_status wm_core_importing_write_stream(struct wm_core_importing *importing, uint32_t core,
                                              struct wm_error *error);

#endif

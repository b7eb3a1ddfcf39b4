// The program's own threads of a recording (warpmem record --host-threads), for warpmem trace info.
#ifndef WM_CLI_TRACE_INFO_THREADS_H
#define WM_CLI_TRACE_INFO_THREADS_H

#include "base/text/text.h"
#include "trace/recording_reader.h"

#include <jansson.h>

struct wm_info_thread {
    uint64_t instructions, loads, stores, locked, fences;
    uint64_t commands; // of the device that it issued
    uint64_t turns;    // that it had
};

struct wm_info_threads {
    struct wm_info_thread *threads; // owned, by number; NULL: the recording has none
    uint32_t count;
};

// Decodes all of them. Errors as wm_recording_open_cores and wm_launch_scan.
enum wm_status wm_info_threads_gather(const struct wm_recording *recording,
                                      struct wm_info_threads *threads, struct wm_error *error);
void wm_info_threads_release(struct wm_info_threads *threads);
// Nothing where there are none.
void wm_info_threads_text(const struct wm_info_threads *threads, struct wm_text *text);
// A new reference; an empty array where there are none.
json_t *wm_info_threads_value(const struct wm_info_threads *threads);

#endif

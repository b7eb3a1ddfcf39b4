// All instructions of a launch, in the order of the file: each frame is decoded once, so that a
// recording of any length is gone through in constant memory. The instructions of one warp come in
// order; those of several come mixed.
#ifndef WM_TRACE_LAUNCH_SCAN_H
#define WM_TRACE_LAUNCH_SCAN_H

#include "trace/warp/reader.h"

// Borrowed for the call. Not called for a chunk with nothing of a warp.
typedef void wm_launch_visitor(void *context, uint64_t block, uint32_t warp,
                               const struct wm_warp_step *step);

// WM_INVALID at the first stream that breaks the format.
enum wm_status wm_launch_scan(struct wm_launch_reader *launch, wm_launch_visitor *visit,
                              void *context, struct wm_error *error);

// The launch's chunks in the order of the file. The caller frees them; NULL when memory runs out.
struct wm_recorded_place *wm_launch_places(const struct wm_launch_reader *launch);

// What a launch did.
struct wm_launch_counts {
    uint64_t warp_instructions, thread_instructions;
    uint64_t memory_instructions; // warp instructions that made an access at least
    uint64_t accesses;            // one a space
    uint64_t irregular;           // of them, whose lanes have neither a stride nor rows
    uint64_t barriers;            // arrivals of warps
    uint64_t stored_bytes;        // of the launch's sections, as they lie in the file
    uint64_t bytes;               // once decompressed
};

// Decodes all of it.
enum wm_status wm_launch_count(struct wm_launch_reader *launch, struct wm_launch_counts *counts,
                               struct wm_error *error);

#endif

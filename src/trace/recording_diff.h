// Where two recordings part: the first event, launch, or executed instruction that is not the same,
// and how many warps of each kernel differ. How a recording is cut into items, chunks and frames
// does not count.
//
// Memory: 16 bytes for each warp of a launch.
#ifndef WM_TRACE_RECORDING_DIFF_H
#define WM_TRACE_RECORDING_DIFF_H

#include "trace/warp/reader.h"

struct wm_diff_step {
    bool there; // false: the warp has ended
    bool cut;   // because the recording was cut off
    struct wm_warp_step step;
    uint64_t addresses[WM_MOST_ACCESSES][WM_MAX_LANES]; // the step's
};

// Of all launches of one kernel, by its name.
struct wm_diff_kernel {
    const char *name;  // a recording's
    uint64_t launches; // that were compared
    uint64_t unlike;   // those in one alone, or of another shape than the other's
    uint64_t warps, differing;
};

struct wm_recording_diff {
    // The first event that is not the same; launches among them, whose warps do not count here.
    bool event_differs;
    uint64_t event;
    bool there[2]; // of `events`: false: the recording has ended
    struct wm_recorded_event events[2];
    // The first launch with another kernel, grid, block or resources.
    bool launch_differs;
    struct wm_recorded_launch launches[2];
    const struct wm_recorded_code *codes[2];
    // The first instruction of the first warp that is not the same, of the first such launch.
    bool step_differs;
    struct wm_recorded_launch launch; // A's
    const struct wm_recorded_code *step_codes[2];
    uint64_t block;
    uint32_t warp;
    uint64_t instruction; // of the warp, from 0, those not listed one by one included
    struct wm_diff_step steps[2];
    struct wm_diff_kernel *kernels; // owned
    uint32_t kernel_count, kernel_room;
};

// WM_INVALID: one is damaged, or they cannot be compared: other lanes, or one of them has memory
// instructions alone. `diff` is released by the caller in any case.
enum wm_status wm_recording_diff(struct wm_recording *a, struct wm_recording *b,
                                 struct wm_recording_diff *diff, struct wm_error *error);
static inline bool wm_recording_diff_any(const struct wm_recording_diff *diff)
{
    return diff->event_differs || diff->launch_differs || diff->step_differs;
}
void wm_recording_diff_release(struct wm_recording_diff *diff);

#endif

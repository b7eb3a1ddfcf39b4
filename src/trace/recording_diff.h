// Where two recordings part: the first event, launch, or executed instruction that is not the same,
// and how many warps of each kernel differ; and the same of the program's CPU threads where the
// recordings have them. How a recording is cut into items, chunks and frames does not count.
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

// The first instruction of the first warp that is not the same, of the first such launch.
struct wm_diff_first {
    bool differs;
    struct wm_recorded_launch launch; // A's
    const struct wm_recorded_code *codes[2];
    uint64_t block;
    uint32_t warp;
    uint64_t instruction; // of the warp, from 0, those not listed one by one included
    struct wm_diff_step steps[2];
};

// CPU threads beside the kernels. Those of one number are compared.
struct wm_diff_threads {
    uint32_t counts[2]; // how many threads; 0: the recording has none
    uint32_t compared, differing;
    struct wm_diff_first first; // its block is the thread
    // The first turn that another thread had, or that one recording has alone.
    bool turn_differs;
    uint64_t turn;
    int32_t turns[2]; // the threads; below 0: the turns have ended
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
    struct wm_diff_first first;
    struct wm_diff_threads threads;
    struct wm_diff_kernel *kernels; // owned
    uint32_t kernel_count, kernel_room;
};

// WM_INVALID: one is damaged, or they cannot be compared: other lanes, or one of them has memory
// instructions alone. `diff` is released by the caller in any case.
enum wm_status wm_recording_diff(struct wm_recording *a, struct wm_recording *b,
                                 struct wm_recording_diff *diff, struct wm_error *error);
static inline bool wm_diff_threads_any(const struct wm_diff_threads *threads)
{
    return threads->counts[0] != threads->counts[1] || threads->first.differs ||
           threads->turn_differs;
}
static inline bool wm_recording_diff_any(const struct wm_recording_diff *diff)
{
    return diff->event_differs || diff->launch_differs || diff->first.differs ||
           wm_diff_threads_any(&diff->threads);
}
void wm_recording_diff_release(struct wm_recording_diff *diff);

#endif

// Progress on stderr for anything longer than two seconds, on a terminal only, on one line that is
// rewritten. Silent otherwise, so logs and tests never see it.
#ifndef WM_BASE_PROGRESS_H
#define WM_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct wm_progress {
    char label[64];
    uint64_t total; // 0 when unknown
    uint64_t begin_ns, last_ns;
    bool enabled, shown;
};

void wm_progress_init(struct wm_progress *progress, const char *label, uint64_t total);
// Cheap enough for once a millisecond of work: it reads the clock and usually returns.
void wm_progress_update(struct wm_progress *progress, uint64_t done);
// Clears the line if one was shown.
void wm_progress_finish(struct wm_progress *progress);

#endif

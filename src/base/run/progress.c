#include "base/run/progress.h"

#include <unistd.h>

static const uint64_t quiet_ns = UINT64_C(2000000000);   // nothing is shown before this
static const uint64_t interval_ns = UINT64_C(200000000); // between two rewrites of the line

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

void wm_progress_init(struct wm_progress *progress, const char *label, uint64_t total)
{
    *progress = (struct wm_progress){.total = total};
    snprintf(progress->label, sizeof progress->label, "%s", label);
    progress->enabled = isatty(STDERR_FILENO) == 1;
    progress->begin_ns = progress->enabled ? now_ns() : 0;
}

void wm_progress_update(struct wm_progress *progress, uint64_t done)
{
    if (!progress->enabled)
        return;
    uint64_t now = now_ns();
    if (now - progress->begin_ns < quiet_ns || now - progress->last_ns < interval_ns)
        return;
    progress->last_ns = now;
    progress->shown = true;
    double seconds = (double)(now - progress->begin_ns) * 1e-9;
    if (progress->total)
        fprintf(stderr, "\r\033[K%s: %.0f %% after %.0f s", progress->label,
                100.0 * (double)done / (double)progress->total, seconds);
    else
        fprintf(stderr, "\r\033[K%s: %llu after %.0f s", progress->label, (unsigned long long)done,
                seconds);
    fflush(stderr);
}

void wm_progress_finish(struct wm_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

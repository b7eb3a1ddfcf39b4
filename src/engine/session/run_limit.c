#include "engine/session/run_limit.h"

#include "base/text/units.h"

#include <inttypes.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

void wm_run_limit_init(struct wm_run_limit *limit, uint64_t most_instructions, uint64_t most_ns)
{
    *limit = (struct wm_run_limit){.most_instructions = most_instructions,
                                   .most_ns = most_ns,
                                   .begin_ns = most_ns != 0 ? now_ns() : 0};
}

enum wm_status wm_run_limit_check(const struct wm_run_limit *limit, bool look,
                                  struct wm_error *error)
{
    if (limit->most_instructions != 0 && limit->instructions >= limit->most_instructions) {
        wm_fail(error, WM_STOPPED, "stopped at the limit of %" PRIu64 " warp instructions",
                limit->most_instructions);
        return wm_error_hint(error, "--limit-instructions sets it");
    }
    if (!look || limit->most_ns == 0 || now_ns() - limit->begin_ns < limit->most_ns)
        return WM_OK;
    char text[40];
    wm_units_print(limit->most_ns * 1000, WM_QUANTITY_SECONDS, text, sizeof text);
    wm_fail(error, WM_STOPPED, "stopped at the limit of %s", text);
    return wm_error_hint(error, "--limit-time sets it");
}

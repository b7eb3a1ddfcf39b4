#include "mem/divergence/locality_detector.h"

enum wm_locality wm_locality_of(const struct wm_locality_detector *detector, uint32_t pc)
{
    for (uint32_t i = 0; i < WM_DETECTOR_LOADS; i++)
        if (detector->loads[i].locality != WM_LOCALITY_UNKNOWN && detector->loads[i].pc == pc)
            return (enum wm_locality)detector->loads[i].locality;
    return WM_LOCALITY_UNKNOWN;
}

static void learn(struct wm_locality_detector *detector, uint32_t pc, enum wm_locality locality)
{
    detector->loads[detector->next_load++ % WM_DETECTOR_LOADS] =
        (struct wm_profiled_load){.pc = pc, .locality = (uint8_t)locality};
}

static void keep(struct wm_locality_detector *detector, uint32_t pc, uint64_t line)
{
    struct wm_watched_line *place = &detector->lines[detector->next_line++ % WM_DETECTOR_LINES];
    if (detector->line_count < WM_DETECTOR_LINES)
        detector->line_count++;
    else if (wm_locality_of(detector, place->pc) == WM_LOCALITY_UNKNOWN)
        learn(detector, place->pc, WM_LOCALITY_NONE);
    *place = (struct wm_watched_line){.line = line, .pc = pc};
}

void wm_locality_watch(struct wm_locality_detector *detector, uint32_t pc, uint64_t line,
                       bool missing)
{
    if (wm_locality_of(detector, pc) != WM_LOCALITY_UNKNOWN)
        return;
    for (uint32_t i = 0; i < detector->line_count; i++) {
        const struct wm_watched_line *watched = &detector->lines[i];
        if (watched->line == line && wm_locality_of(detector, watched->pc) == WM_LOCALITY_UNKNOWN)
            learn(detector, watched->pc, WM_LOCALITY_SOME);
    }
    if (missing && wm_locality_of(detector, pc) == WM_LOCALITY_UNKNOWN)
        keep(detector, pc, line);
}

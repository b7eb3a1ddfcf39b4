#include "cpu/core.h"

static const struct wm_counter_declaration declarations[] = {
    WM_CORE_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_core_counter_set = {
    .kind = "core",
    .title = "CPU core in time",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

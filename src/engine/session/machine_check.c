// Whether an engine can run a machine, as far as can be said before there is a program: a front
// door finds out here, and not when the program's first call makes the device.
#include "engine/session/session.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/system/coherent_levels.h"
#include "sm/warp_scheduler/warp_scheduler.h"

#include <inttypes.h>

// What has no meaning where no time passes.
static enum wm_status check_walk(const struct wm_machine *machine, struct wm_error *error)
{
    if (machine->memory.levels[WM_LEVEL_L1].cache.present &&
        wm_divergence_is_enabled(&machine->memory.levels[WM_LEVEL_L1].divergence)) {
        wm_fail(error, WM_UNSUPPORTED,
                "the walk has no warps' ages at L1, by which machine %s places and keeps lines",
                machine->name);
        return wm_error_hint(error, "use --engine clock, or leave gpu.l1.insertion, promotion, "
                                    "region and region_full as they are by default");
    }
    if (machine->sm.load_throttle.kind != WM_THROTTLE_NONE) {
        wm_fail(error, WM_UNSUPPORTED,
                "the walk has no cycles, in which machine %s lets warps' loads wait",
                machine->name);
        return wm_error_hint(error, "use --engine clock, or set gpu.sm.load_throttle=none");
    }
    return WM_OK;
}

// Two parts of one description that the engine connects.
static enum wm_status check_parts(const struct wm_machine *machine, struct wm_error *error)
{
    if (machine->sm.count != machine->memory.sm_count)
        return wm_fail(error, WM_INVALID,
                       "the machine has %" PRIu32 " SMs and a memory system for %" PRIu32,
                       machine->sm.count, machine->memory.sm_count);
    if (machine->sm.coalescer_line_bytes != machine->memory.levels[WM_LEVEL_L1].cache.line_bytes)
        return wm_fail(
            error, WM_INVALID,
            "the coalescer makes requests of %" PRIu32 " bytes and L1 has lines of %" PRIu32,
            machine->sm.coalescer_line_bytes, machine->memory.levels[WM_LEVEL_L1].cache.line_bytes);
    return WM_OK;
}

bool wm_engine_order_needs_memory(const struct wm_machine *machine)
{
    return machine->sm.warp_scheduler->distinguishes_misses;
}

enum wm_status wm_engine_check(const struct wm_machine *machine,
                               const struct wm_session_options *options, struct wm_error *error)
{
    WM_TRY(check_parts(machine, error));
    if (options->clock && !options->memory)
        return wm_fail(error, WM_INVALID, "the clock engine needs the memory system");
    if (options->clock)
        WM_TRY(wm_clock_check(machine, error));
    else if (options->memory)
        WM_TRY(check_walk(machine, error));
    return options->explain && options->memory ? wm_memory_explain_check(&machine->memory, error)
                                               : WM_OK;
}

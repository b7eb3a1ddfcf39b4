// What CPU cores may have that the clock engine does not model: beside the levels that SMs have,
// those that cores' accesses come to (docs/engine-clock.md, "What it does not have").
#include "engine/clock/clock.h"

#include "mem/replacement/entries.h"
#include "mem/system/coherent_levels.h"

// `what`: behind "CPU cores".
static enum wm_status unsupported(const struct wm_machine *machine, const char *what,
                                  const char *hint, struct wm_error *error)
{
    wm_fail(error, WM_UNSUPPORTED, "the clock engine has no CPU cores %s, which machine %s has",
            what, machine->name);
    return wm_error_hint(error, "%s, or use --engine walk", hint);
}

// A level that cores alone reach.
static const char *what_is_not_own(const struct wm_memory_spec *memory, uint32_t number, bool first)
{
    const struct wm_level_spec *level = &memory->levels[number];
    if (first && (wm_level_units_each(memory, number) != 1 || level->slices > 1))
        return "that share their first levels, or whose first levels have slices";
    if (!first && wm_level_serves(memory, number) != 0)
        return "with several first levels";
    if (level->timing.clock_hz != 0)
        return "whose levels have clocks of their own";
    if (level->cache.replacement == &wm_replacement_opt)
        return "with replacement opt";
    if (level->coalescing == WM_COALESCES_IN_FLIGHT)
        return "with coalescing in flight";
    if (level->locked_line == WM_LOCKED_REFUSES)
        return "with locked_line refuse";
    return NULL;
}

// Any that their accesses come to.
static const char *what_is_not(const struct wm_memory_spec *memory, uint32_t number, bool first)
{
    const struct wm_level_spec *level = &memory->levels[number];
    const char *what = level->place == WM_PLACE_CPU ? what_is_not_own(memory, number, first) : NULL;
    if (what != NULL)
        return what;
    if (level->inclusion == WM_INCLUSIVE)
        return "above inclusive levels";
    if (level->inclusion == WM_EXCLUSIVE)
        return "above exclusive levels";
    return level->cache.write_fetch == WM_FETCH_NEVER ? "above levels with write_fetch never"
                                                      : NULL;
}

enum wm_status wm_clock_check_cores(const struct wm_machine *machine, struct wm_error *error)
{
    const struct wm_memory_spec *memory = &machine->memory;
    if (memory->core_count == 0)
        return WM_OK;
    uint32_t first = wm_level_first(memory, memory->sm_count, WM_SERVES_DATA);
    if (first == WM_BELOW_MEMORY || memory->levels[first].place != WM_PLACE_CPU)
        return unsupported(machine, "without a level of their own", "give them one (cpu.l1)",
                           error);
    if (memory->interconnect.topology != WM_CROSSBAR)
        return unsupported(machine, "behind a butterfly", "set gpu.interconnect.topology=crossbar",
                           error);
    if (wm_memory_is_coherent(memory)) // clock/coherent_levels.c says what cannot be
        return WM_OK;
    for (uint32_t level = first; level < WM_MOST_LEVELS; level = wm_level_below(memory, level)) {
        const char *what = what_is_not(memory, level, level == first);
        if (what != NULL)
            return unsupported(machine, what, "change that", error);
    }
    return WM_OK;
}

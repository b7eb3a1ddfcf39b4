// What a level of a spec is called and serves, where the spec does not say so itself.
#include "mem/prefetch/entries.h"
#include "mem/system/memory_spec.h"

#include <stdio.h>

// Levels with a number of their own.
static const struct {
    const char *name;
    unsigned serves;
} named[WM_LEVELS_NAMED] = {
    [WM_LEVEL_L1] = {"l1", WM_SERVES_DATA},
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT] = {"constant", WM_SERVES_CONSTANT},
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE] = {"texture", WM_SERVES_READ_ONLY},
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR] = {"scalar", WM_SERVES_UNIFORM},
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION] = {"instruction", WM_SERVES_INSTRUCTIONS},
    [WM_LEVEL_L2] = {"l2", 0},
};

const char *wm_level_name(const struct wm_memory_spec *spec, uint32_t level)
{
    const char *own = spec->levels[level].name;
    return own[0] != '\0' || level >= WM_LEVELS_NAMED ? own : named[level].name;
}

void wm_level_full_name(const struct wm_memory_spec *spec, uint32_t level,
                        char name[WM_LEVEL_FULL_NAME_BYTES])
{
    bool cpu = spec->levels[level].place == WM_PLACE_CPU;
    snprintf(name, WM_LEVEL_FULL_NAME_BYTES, "%s%s", cpu ? WM_CPU_LEVEL : "",
             wm_level_name(spec, level));
}

unsigned wm_level_serves(const struct wm_memory_spec *spec, uint32_t level)
{
    unsigned own = spec->levels[level].serves;
    return own != 0 || level >= WM_LEVELS_NAMED ? own : named[level].serves;
}

bool wm_level_has_prefetcher(const struct wm_level_spec *level)
{
    return level->prefetch != NULL && level->prefetch != &wm_prefetch_none;
}

bool wm_level_prefetches(const struct wm_memory_spec *spec, uint32_t level)
{
    return spec->levels[level].cache.present && wm_level_has_prefetcher(&spec->levels[level]);
}

bool wm_level_passes_atomics(const struct wm_memory_spec *spec, uint32_t level)
{
    return wm_level_below(spec, level) != WM_BELOW_MEMORY ||
           (wm_level_serves(spec, level) & WM_SERVES_DATA) != 0;
}

uint32_t wm_level_unit_count(const struct wm_memory_spec *spec, uint32_t level)
{
    uint32_t units = spec->levels[level].unit_count;
    return units != 0 ? units : wm_memory_units(spec);
}

uint32_t wm_level_sharers(const struct wm_memory_spec *spec, uint32_t level)
{
    const struct wm_level_spec *described = &spec->levels[level];
    bool several = wm_memory_gpus(spec) > 1;
    uint32_t most = several ? spec->sm_count : wm_level_unit_count(spec, level);
    if (described->units_each == 0)
        return described->slices != 0 ? most : 1;
    return described->units_each > most ? most : described->units_each;
}

uint32_t wm_level_instances(const struct wm_memory_spec *spec, uint32_t level)
{
    uint32_t gpus = wm_memory_gpus(spec), each = wm_level_sharers(spec, level);
    return gpus > 1 ? gpus * wm_sm_groups(spec->sm_count, each)
                    : wm_sm_groups(wm_level_unit_count(spec, level), each);
}

bool wm_level_is_home(const struct wm_memory_spec *spec, uint32_t level)
{
    bool absent = level == WM_LEVEL_L2 && !spec->levels[level].cache.present;
    bool of_all = wm_level_units_each(spec, level) == WM_UNITS_ALL;
    return wm_memory_gpus(spec) > 1 && (absent || (of_all && wm_level_serves(spec, level) == 0));
}

struct wm_memory_spec wm_memory_spec_of_names(void)
{
    struct wm_memory_spec all = {.tlb.present = true};
    for (uint32_t i = 0; i < WM_LEVELS_NAMED; i++)
        all.levels[i].cache.present = true;
    all.levels[WM_LEVEL_L1].tracker.present = true;
    all.levels[WM_LEVEL_L2].atomic_buffer_lines = 1;
    return all;
}

uint32_t wm_level_first(const struct wm_memory_spec *spec, uint32_t unit, unsigned kind)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_level_spec *level = &spec->levels[i];
        bool reaches = level->unit_count == 0 || unit - level->first_unit < level->unit_count;
        if (level->cache.present && reaches && (wm_level_serves(spec, i) & kind) != 0)
            return i;
    }
    return WM_BELOW_MEMORY;
}

uint32_t wm_level_below_said(const struct wm_memory_spec *spec, uint32_t level)
{
    uint8_t below = spec->levels[level].below;
    if (below == WM_BELOW_DEFAULT)
        return level < WM_LEVEL_L2 ? WM_LEVEL_L2 : WM_BELOW_MEMORY;
    return below == WM_BELOW_MEMORY ? WM_BELOW_MEMORY : below - 1u;
}

uint32_t wm_level_below(const struct wm_memory_spec *spec, uint32_t level)
{
    for (uint32_t steps = 0; steps < WM_MOST_LEVELS; steps++) {
        level = wm_level_below_said(spec, level);
        if (level >= WM_MOST_LEVELS || spec->levels[level].cache.present)
            return level;
    }
    return WM_BELOW_MEMORY; // round and round: no spec that was checked
}

bool wm_level_has_sides_alone_above(const struct wm_memory_spec *spec, uint32_t level)
{
    if (level < WM_LEVELS_NAMED || level >= WM_MOST_LEVELS || !spec->levels[level].cache.present ||
        wm_level_serves(spec, level) != 0)
        return false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (spec->levels[i].cache.present && !wm_level_is_side(i) &&
            wm_level_below(spec, i) == level)
            return false;
    return true;
}

uint32_t wm_level_units_each(const struct wm_memory_spec *spec, uint32_t level)
{
    const struct wm_level_spec *described = &spec->levels[level];
    if (described->units_each != 0)
        return described->units_each;
    return described->slices != 0 ? WM_UNITS_ALL : 1;
}

struct wm_cache_timing wm_level_timing(const struct wm_memory_spec *spec, uint32_t level)
{
    const struct wm_cache_timing *l1 = &spec->levels[WM_LEVEL_L1].timing;
    struct wm_cache_timing timing = spec->levels[level].timing;
    if (wm_level_is_side(level) && timing.latency == 0)
        timing.latency = l1->latency;
    if (wm_level_is_side(level) && timing.mshr_entries == 0)
        timing.mshr_entries = l1->mshr_entries;
    if (wm_level_is_side(level) && timing.mshr_merges == 0)
        timing.mshr_merges = l1->mshr_merges;
    return timing;
}

uint32_t wm_level_ports(const struct wm_memory_spec *spec, uint32_t level)
{
    uint32_t ports = spec->levels[level].ports;
    if (wm_level_is_side(level) && ports == 0)
        ports = spec->levels[WM_LEVEL_L1].ports;
    return ports != 0 ? ports : 1;
}

struct wm_unit_group wm_units_of(const struct wm_memory_spec *spec, enum wm_level_place place)
{
    switch (place) {
    case WM_PLACE_GPU: return (struct wm_unit_group){"gpu0", "sm", 0, spec->sm_count};
    case WM_PLACE_CPU:
        return (struct wm_unit_group){"cpu0", "core", spec->sm_count, spec->core_count};
    case WM_PLACE_MACHINE:
    case WM_LEVEL_PLACES: break;
    }
    return (struct wm_unit_group){"", "", 0, spec->sm_count + spec->core_count};
}

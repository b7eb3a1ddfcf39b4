#include "timed_levels.h"

#include "../unit/mem/choosy.h"
#include "../unit/mem/level_machines.h"
#include "engine/session/session.h"

struct wm_machine timed_levels(const struct wm_memory_spec *spec)
{
    static const struct wm_cache_timing timing = {
        .latency = 10, .mshr_entries = 128, .mshr_merges = 8, .queue = 64};
    struct wm_machine machine = simple_machine_with(spec, &timing);
    machine.sm.instruction_bytes = 16;
    machine.sm.coalescer_line_bytes = level_machine_request_bytes(spec, 0);
    machine.memory.levels[WM_LEVEL_L1].cache.line_bytes = machine.sm.coalescer_line_bytes;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        machine.memory.levels[i].atomic_buffer_lines = 0;
        if (machine.memory.levels[i].cache.replacement == &choosy_replacement)
            machine.memory.levels[i].allocation = WM_ALLOCATE_ON_MISS;
    }
    for (uint32_t i = WM_LEVEL_L2; i < WM_MOST_LEVELS; i++) // else stores find loads on their way
        if (i != wm_level_below(spec, WM_LEVEL_L1) || i != WM_LEVEL_L2)
            machine.memory.levels[i].load_allocation = WM_L2_TAKES_ALL;
    struct wm_level_spec *l2 = &machine.memory.levels[WM_LEVEL_L2];
    l2->partition_latency = 5;
    if (l2->cache.replacement == &choosy_replacement) // copies are refused when their bytes come
        l2->partitions = 1;
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION].below = WM_BELOW_MEMORY;
    // A walk goes on when its entry has come, and the rest of that sector may be on its way.
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (spec->levels[i].cache.sector_bytes > spec->dram.access_bytes)
            machine.memory.tlb.walks_use_l2 = false;
    return machine;
}

bool has_inclusion(const struct wm_memory_spec *spec)
{
    bool any = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        any |= spec->levels[i].cache.present && spec->levels[i].inclusion != WM_NON_INCLUSIVE;
    return any;
}

static bool may_run(const struct wm_machine *machine)
{
    struct wm_error error;
    return level_machine_is_legal(&machine->memory) && wm_clock_check(machine, &error) == WM_OK;
}

uint32_t draw_contention(uint64_t number, struct wm_machine *machine)
{
    struct wm_random random;
    uint32_t levels = 0;
    wm_random_init(&random, number, "contention");
    for (uint32_t i = 0; i <= WM_LEVEL_L2; i++) {
        struct wm_level_spec *level = &machine->memory.levels[i];
        const struct wm_level_spec before = *level;
        if (wm_random_below(&random, 2) == 0 || !level->cache.present)
            continue;
        if (i == WM_LEVEL_L2)
            level->locked_line = WM_LOCKED_REFUSES;
        else if (i != WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION)
            level->coalescing = WM_COALESCES_IN_FLIGHT;
        if (may_run(machine))
            levels++;
        else
            *level = before;
    }
    return levels;
}

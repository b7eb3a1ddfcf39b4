// A front end is made: its counters, and what of a machine decides how it serves accesses.
#include "engine/access/front_end.h"
#include "mem/bypass/entries.h"
#include "mem/system/coherent_levels.h"
#include "sm/warp_scheduler/warp_scheduler.h"

static const struct wm_counter_declaration sm_declarations[] = {
    WM_SM_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_sm_counter_set = {
    .kind = "sm",
    .title = "streaming multiprocessor",
    .declarations = sm_declarations,
    .count = sizeof sm_declarations / sizeof sm_declarations[0],
};

static const struct wm_counter_declaration shared_declarations[] = {
    WM_SHARED_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_shared_counter_set = {
    .kind = "shared",
    .title = "shared memory of an SM",
    .declarations = shared_declarations,
    .count = sizeof shared_declarations / sizeof shared_declarations[0],
};

static const struct wm_counter_declaration machine_code_declarations[] = {
    WM_MACHINE_CODE_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_machine_code_counter_set = {
    .kind = "machine_code",
    .title = "estimated machine code of an SM",
    .declarations = machine_code_declarations,
    .count = sizeof machine_code_declarations / sizeof machine_code_declarations[0],
};

bool wm_front_end_counts_resident_warps(const struct wm_machine *machine)
{
    const struct wm_bypass_ops *bypass = machine->memory.levels[WM_LEVEL_L1].bypass;
    return bypass != NULL && bypass != &wm_bypass_cache_operator;
}

static bool needs_bytes(const struct wm_cache_spec *cache)
{
    return cache->present && cache->write_fetch == WM_FETCH_NEVER;
}

bool wm_front_end_stands_alone(const struct wm_machine *machine)
{
    return !machine->sm.warp_scheduler->distinguishes_misses &&
           !needs_bytes(&machine->memory.levels[WM_LEVEL_L1].cache) &&
           !needs_bytes(&machine->memory.levels[WM_LEVEL_L2].cache);
}

uint32_t wm_front_end_core_line_bytes(const struct wm_memory_spec *memory)
{
    uint32_t core = memory->sm_count * wm_memory_gpus(memory);
    uint32_t first =
        memory->core_count != 0 ? wm_level_first(memory, core, WM_SERVES_DATA) : WM_LEVEL_L1;
    return memory->levels[first != WM_BELOW_MEMORY ? first : WM_LEVEL_L1].cache.line_bytes;
}

void wm_front_end_init(struct wm_front_end *front_end, const struct wm_machine *machine,
                       struct wm_memory *memory)
{
    *front_end = (struct wm_front_end){
        .memory = memory,
        .coalesce = wm_coalescer_best(),
        // The memory system takes requests for whole lines of its L1, there or not.
        .line_bytes = machine->memory.levels[WM_LEVEL_L1].cache.line_bytes,
        .sm_line_bytes = machine->memory.levels[WM_LEVEL_L1].cache.line_bytes,
        .core_line_bytes = wm_front_end_core_line_bytes(&machine->memory),
        .global_around_l1 = machine->sm.global_around_l1,
        .coherent = wm_memory_is_coherent(&machine->memory),
        .instruction_bytes = machine->sm.instruction_bytes,
        .counts_residents = wm_front_end_counts_resident_warps(machine),
        .needs_bytes = memory != NULL && wm_memory_needs_byte_masks(memory),
    };
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        if (machine->memory.levels[WM_LEVEL_SIDE + kind].cache.present)
            front_end->side_cache_line_bytes[kind] =
                machine->memory.levels[WM_LEVEL_SIDE + kind].cache.line_bytes;
    front_end->serves_constants =
        front_end->side_cache_line_bytes[WM_SIDE_CACHE_CONSTANT] != 0 ? WM_SIDE_CACHE_CONSTANT
        : front_end->side_cache_line_bytes[WM_SIDE_CACHE_SCALAR] != 0 ? WM_SIDE_CACHE_SCALAR
                                                                      : WM_SIDE_CACHE_KINDS;
    front_end->serves_global = front_end->side_cache_line_bytes[WM_SIDE_CACHE_TEXTURE] != 0 ||
                               front_end->side_cache_line_bytes[WM_SIDE_CACHE_SCALAR] != 0;
    front_end->translates = machine->memory.tlb.present;
    front_end->scalar_read_only = machine->sm.scalar_loads == WM_SCALAR_READ_ONLY;
}

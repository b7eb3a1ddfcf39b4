// How a machine of random levels gets simpler, and is printed.
#include "level_machines.h"
#include "mem/bypass/bypass.h"
#include "mem/prefetch/prefetch.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_state.h"

#include <inttypes.h>
#include <string.h>

// --- Of a machine ---

static void assign_units(struct wm_memory_spec *spec)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        struct wm_level_spec *level = &spec->levels[i];
        if (!level->cache.present || level->unit_count == 0)
            continue;
        level->first_unit = level->place == WM_PLACE_CPU ? spec->sm_count : 0;
        level->unit_count = level->place == WM_PLACE_CPU ? spec->core_count : spec->sm_count;
    }
}

static void one_unit_less(struct level_machine *machine)
{
    machine->spec.sm_count -= machine->spec.sm_count > 1;
    assign_units(&machine->spec);
}

static void one_core_less(struct level_machine *machine)
{
    machine->spec.core_count -= machine->spec.core_count > 1;
    assign_units(&machine->spec);
}

// The levels of one place leave; the others are those of the SMs.
static void keep_sms(struct level_machine *machine, enum wm_level_place gone)
{
    for (uint32_t i = 0; machine->spec.core_count != 0 && i < WM_MOST_LEVELS; i++) {
        struct wm_level_spec *level = &machine->spec.levels[i];
        level->cache.present = level->cache.present && level->place != gone;
        level->place = WM_PLACE_GPU;
        level->first_unit = level->unit_count = 0;
    }
}

static void no_cores(struct level_machine *machine)
{
    keep_sms(machine, WM_PLACE_CPU);
    machine->spec.core_count = 0;
}

static void cores_alone(struct level_machine *machine)
{
    keep_sms(machine, WM_PLACE_GPU);
    if (machine->spec.core_count != 0)
        machine->spec.sm_count = machine->spec.core_count;
    machine->spec.core_count = 0;
}

static void no_tlbs(struct level_machine *machine)
{
    machine->spec.tlb = (struct wm_tlb_spec){0};
}

static void plain_memory(struct level_machine *machine)
{
    machine->spec.dram.channels = 1;
    machine->spec.dram.access_bytes = 32;
    machine->spec.dram.channel_interleave_bytes = 4096;
}

static void in_turn(struct level_machine *machine)
{
    machine->spec.dram.interleave_hash = WM_INTERLEAVE_IN_TURN;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        machine->spec.levels[i].interleave_hash = WM_INTERLEAVE_IN_TURN;
}

static void plain_order(struct level_machine *machine)
{
    machine->spec.demand_before_writeback = true;
}

static void full_build(struct level_machine *machine)
{
    machine->build = 0;
    machine->explained = false;
}

// --- Of a level ---

static void no_level(struct level_machine *machine, uint32_t gone)
{
    struct wm_memory_spec *spec = &machine->spec;
    uint32_t below = wm_level_below(spec, gone);
    uint8_t name = below == WM_BELOW_MEMORY ? WM_BELOW_MEMORY : WM_BELOW(below);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (spec->levels[i].cache.present && wm_level_below(spec, i) == gone)
            spec->levels[i].below = name;
    if (below >= WM_LEVELS_NAMED && below != WM_BELOW_MEMORY)
        spec->levels[below].serves |= wm_level_serves(spec, gone) & WM_SERVES_DATA;
    spec->levels[gone] = (struct wm_level_spec){0};
}

static void no_parts(struct level_machine *machine, uint32_t number)
{
    struct wm_level_spec *level = &machine->spec.levels[number];
    level->victim_lines = 0;
    level->tracker = (struct wm_tracker_spec){0};
    level->atomic_buffer_lines = 0;
    level->partitions = 0;
    level->cache.dirty_limit_bytes = 0;
    level->host_write_allocate = false;
    level->prefetch = NULL;
    level->prefetch_values = (struct wm_entry_values){0};
}

static void no_bypass(struct level_machine *machine, uint32_t number)
{
    machine->spec.levels[number].bypass = NULL;
    machine->spec.levels[number].bypass_means = WM_BYPASS_MEANS_NO_LOOKUP;
    machine->spec.levels[number].allocation = WM_ALLOCATE_ON_MISS;
}

static void no_flush(struct level_machine *machine, uint32_t number)
{
    machine->spec.levels[number].flush_at_kernel = false;
}

static void no_relation(struct level_machine *machine, uint32_t number)
{
    machine->spec.levels[number].inclusion = WM_NON_INCLUSIVE;
}

static void all_loads(struct level_machine *machine, uint32_t number)
{
    machine->spec.levels[number].load_allocation = WM_L2_TAKES_ALL;
}

static void plain_replacement(struct level_machine *machine, uint32_t number)
{
    machine->spec.levels[number].cache.replacement = &wm_replacement_lru;
}

static void plain_index(struct level_machine *machine, uint32_t number)
{
    machine->spec.levels[number].cache.set_index = &wm_set_index_modulo;
}

static void plain_fetch(struct level_machine *machine, uint32_t number)
{
    machine->spec.levels[number].cache.write_fetch = WM_FETCH_PARTIAL;
}

static void plain_writes(struct level_machine *machine, uint32_t number)
{
    machine->spec.levels[number].cache.write_policy = WM_WRITE_BACK;
    machine->spec.levels[number].cache.write_allocate = true;
}

static void no_sectors(struct level_machine *machine, uint32_t number)
{
    machine->spec.levels[number].cache.sector_bytes = machine->spec.levels[number].cache.line_bytes;
}

static void own_caches(struct level_machine *machine, uint32_t number)
{
    if (machine->spec.levels[number].slices == 0)
        machine->spec.levels[number].units_each = 1;
}

static void one_slice(struct level_machine *machine, uint32_t number)
{
    struct wm_level_spec *level = &machine->spec.levels[number];
    struct geometry geometry = level_geometry(level);
    level->slices = number == WM_LEVEL_L2 ? machine->spec.dram.channels : 0;
    level->interleave_bytes = number == WM_LEVEL_L2 ? level->cache.line_bytes : 0;
    if (number != WM_LEVEL_L2 && level->units_each == 0)
        level->units_each = WM_UNITS_ALL; // as before
    level_set_geometry(level, geometry);
}

static void half_the_sets(struct level_machine *machine, uint32_t number)
{
    struct geometry geometry = level_geometry(&machine->spec.levels[number]);
    geometry.sets -= geometry.sets / 2;
    level_set_geometry(&machine->spec.levels[number], geometry);
}

static void half_the_ways(struct level_machine *machine, uint32_t number)
{
    struct geometry geometry = level_geometry(&machine->spec.levels[number]);
    geometry.ways -= geometry.ways / 2;
    level_set_geometry(&machine->spec.levels[number], geometry);
}

// Neighbours may have to have lines alike.
static void half_the_lines(struct level_machine *machine)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (machine->spec.levels[i].cache.line_bytes > most)
            most = machine->spec.levels[i].cache.line_bytes;
    for (uint32_t i = 0; i < WM_MOST_LEVELS && most > 32; i++) {
        struct wm_level_spec *level = &machine->spec.levels[i];
        if (!level->cache.present || level->cache.line_bytes < most)
            continue;
        struct geometry geometry = level_geometry(level);
        geometry.line = most / 2;
        level_set_geometry(level, geometry);
    }
}

static void half_the_line(struct level_machine *machine, uint32_t number)
{
    struct geometry geometry = level_geometry(&machine->spec.levels[number]);
    geometry.line -= geometry.line > 32 ? geometry.line / 2 : 0;
    level_set_geometry(&machine->spec.levels[number], geometry);
}

typedef void simplify_machine(struct level_machine *machine);
typedef void simplify_level(struct level_machine *machine, uint32_t number);

static simplify_machine *const of_machines[] = {
    no_tlbs,      no_cores, cores_alone, one_unit_less, one_core_less,
    plain_memory, in_turn,  plain_order, full_build,    half_the_lines};
static simplify_level *const of_levels[] = {
    no_level,          no_parts,      no_bypass,     no_flush,     no_relation, all_loads,
    plain_replacement, plain_index,   plain_fetch,   plain_writes, no_sectors,  own_caches,
    one_slice,         half_the_sets, half_the_ways, half_the_line};

enum {
    OF_MACHINES = sizeof of_machines / sizeof of_machines[0],
    OF_LEVELS = sizeof of_levels / sizeof of_levels[0],
};
const uint32_t level_machine_ways = OF_MACHINES + OF_LEVELS * WM_MOST_LEVELS;

bool level_machine_simplify(struct level_machine *machine, uint32_t way)
{
    struct level_machine simpler;
    uint32_t number = way < OF_MACHINES ? 0 : (way - OF_MACHINES) % WM_MOST_LEVELS;
    memcpy(&simpler, machine, sizeof simpler);
    if (way < OF_MACHINES)
        of_machines[way](&simpler);
    else if (machine->spec.levels[number].cache.present)
        of_levels[(way - OF_MACHINES) / WM_MOST_LEVELS](&simpler, number);
    if (memcmp(&simpler, machine, sizeof simpler) == 0 || !level_machine_is_legal(&simpler.spec))
        return false;
    if (wm_memory_needs_full(&simpler.spec))
        simpler.build = 0;
    memcpy(machine, &simpler, sizeof simpler);
    return true;
}

// --- Printing ---

static const char *word(uint32_t value, const char *const *words)
{
    return words[value];
}

static const char *const hashes[] = {"none", "ipoly", "xor"};

static void print_writes(FILE *file, const struct wm_cache_spec *cache)
{
    static const char *const policies[] = {"back", "through-update", "through-evict"};
    static const char *const fetches[] = {"partial", "always", "never"};
    fprintf(file, "write: %s, write_allocate: %s", word(cache->write_policy, policies),
            cache->write_allocate ? "true" : "false");
    if (cache->write_fetch != WM_FETCH_PARTIAL)
        fprintf(file, ", write_fetch: %s", word(cache->write_fetch, fetches));
    if (cache->dirty_limit_bytes != 0)
        fprintf(file, ", dirty_limit: %" PRIu64 "B", cache->dirty_limit_bytes);
}

static void print_parts(FILE *file, const struct wm_level_spec *level)
{
    static const char *const inclusions[] = {"non-inclusive", "inclusive", "exclusive"};
    const struct wm_tracker_spec *tracker = &level->tracker;
    if (level->inclusion != WM_NON_INCLUSIVE)
        fprintf(file, ", inclusion: %s", word(level->inclusion, inclusions));
    if (level->partitions > 1)
        fprintf(file, ", partitions: %" PRIu32, level->partitions);
    if (level->load_allocation == WM_L2_TAKES_UNCACHED)
        fprintf(file, ", load_allocation: uncached");
    if (level->allocation == WM_ALLOCATE_STREAMING)
        fprintf(file, ", allocation: streaming");
    if (level->victim_lines != 0)
        fprintf(file, ", victim_lines: %" PRIu32, level->victim_lines);
    if (level->atomic_buffer_lines != 0)
        fprintf(file, ", atomic_buffer: %" PRIu32, level->atomic_buffer_lines);
    if (level->bypass != NULL)
        fprintf(file, ", bypass: %s, bypass_means: %s", level->bypass->name,
                level->bypass_means == WM_BYPASS_MEANS_NO_LOOKUP ? "no-lookup" : "no-allocation");
    if (level->prefetch != NULL)
        fprintf(file, ", prefetch: %s(buffers=%" PRIu64 ", lines=%" PRIu64 ")",
                level->prefetch->name, level->prefetch_values.values[0],
                level->prefetch_values.values[1]);
    if (level->host_write_allocate)
        fprintf(file, ", host_write_allocate: true");
    if (level->flush_at_kernel)
        fprintf(file, ", flush_at_kernel: true");
    if (tracker->present)
        fprintf(file,
                ", tracker: {sms_each: %" PRIu32 ", sets: %" PRIu32 ", ways: %" PRIu32
                ", banks: %" PRIu32 ", sharers: %" PRIu32 ", keep: %s, keeps_on_write: %s}",
                tracker->sms_each, tracker->sets, tracker->ways, tracker->banks, tracker->sharers,
                tracker->keep == WM_TRACKER_KEEPS_FIRST ? "first" : "last",
                tracker->keeps_on_write ? "true" : "false");
}

static void print_level(FILE *file, const struct wm_memory_spec *spec, uint32_t number)
{
    const struct wm_level_spec *level = &spec->levels[number];
    static const char *const places[] = {"gpu.", "cpu.", ""};
    const struct wm_cache_spec *cache = &level->cache;
    uint32_t below = wm_level_below(spec, number);
    fprintf(file, "%s%s: {", places[level->place], wm_level_name(spec, number));
    if (level->units_each != 0 && level->units_each < WM_UNITS_ALL)
        fprintf(file, "per: %" PRIu32 " %s, ", level->units_each,
                level->place == WM_PLACE_CPU ? "core" : "sm");
    else
        fprintf(file, "per: %s, ", level->units_each != 0 || level->slices != 0 ? "all" : "unit");
    if (number >= WM_LEVELS_NAMED && (level->serves & WM_SERVES_DATA) != 0)
        fprintf(file, "serves: [data], ");
    if (level->slices != 0)
        fprintf(file, "slices: %" PRIu32 ", interleave: %" PRIu64 "B, interleave_hash: %s, ",
                level->slices, level->interleave_bytes, word(level->interleave_hash, hashes));
    fprintf(file,
            "size: %" PRIu64 "B, ways: %" PRIu32 ", line: %" PRIu32 "B, sector: %" PRIu32 "B, ",
            cache->size_bytes, cache->ways, cache->line_bytes, cache->sector_bytes);
    if (cache->replacement != &wm_replacement_lru)
        fprintf(file, "replacement: %s, ", cache->replacement->name);
    if (cache->set_index != &wm_set_index_modulo)
        fprintf(file, "set_index: %s, ", cache->set_index->name);
    print_writes(file, cache);
    print_parts(file, level);
    fprintf(file, ", below: %s}\n",
            below == WM_BELOW_MEMORY ? "memory" : wm_level_name(spec, below));
}

void level_machine_print(FILE *file, const struct level_machine *machine)
{
    const struct wm_memory_spec *spec = &machine->spec;
    fprintf(file, "gpu.sm: %" PRIu32 "\n", spec->sm_count);
    if (spec->core_count != 0)
        fprintf(file, "cpu.core: %" PRIu32 "\n", spec->core_count);
    if (wm_memory_gpus(spec) > 1)
        fprintf(file, "gpu.count: %" PRIu32 "\n", spec->gpus);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (spec->levels[i].cache.present)
            print_level(file, spec, i);
    if (spec->tlb.present)
        fprintf(file,
                "tlb: {page: %" PRIu64 "B, sms_each: %" PRIu32 ", l1: {entries: %" PRIu32
                ", replacement: %s}, l2: {entries: %" PRIu32 ", replacement: %s}, walk_levels: "
                "%" PRIu32 ", walks_use_l2: %s}\n",
                spec->tlb.page_bytes, spec->tlb.sms_each, spec->tlb.l1.entries,
                spec->tlb.l1.replacement->name, spec->tlb.l2.entries,
                spec->tlb.l2.replacement->name, spec->tlb.walk_levels,
                spec->tlb.walks_use_l2 ? "true" : "false");
    fprintf(file,
            "memory: {channels: %" PRIu32 ", interleave: %" PRIu64
            "B, interleave_hash: %s, access: %" PRIu32 "B}\n",
            spec->dram.channels, spec->dram.channel_interleave_bytes,
            word(spec->dram.interleave_hash, hashes), spec->dram.access_bytes);
    fprintf(file, "demand_before_writeback: %s\n",
            spec->demand_before_writeback ? "true" : "false");
    if (machine->build != 0)
        fprintf(file, "build of the access path: %u\n", machine->build);
    if (machine->explained)
        fprintf(file, "misses are explained\n");
}

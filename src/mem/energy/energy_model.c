#include "mem/energy/energy_model.h"

#include "base/access/access.h"
#include "mem/energy/events.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

// No run on a machine that could be comes near 18 kJ: what a table of the largest numbers would
// make of a long one stays at the most that can be said.
static uint64_t at_most(wide value)
{
    return value < UINT64_MAX ? (uint64_t)value : UINT64_MAX;
}

static void leave_out(struct wm_energy_model *model, const char *name)
{
    model->uncounted[model->uncounted_count++] = name;
}

// What the machine has of a structure, before it is priced.
struct had {
    bool present;
    uint32_t units, ports;
    uint64_t capacity_bytes;
    uint32_t fill_bytes; // fetched together
};

static struct had cache_of(const struct wm_cache_spec *cache, uint32_t units,
                           uint64_t capacity_bytes)
{
    return (struct had){.present = cache->present,
                        .units = units,
                        .ports = 1,
                        .capacity_bytes = capacity_bytes,
                        .fill_bytes = cache->sector_bytes};
}

static uint32_t of_all_gpus(const struct wm_memory_spec *memory, uint32_t units)
{
    return wm_memory_gpus(memory) * units;
}

static struct had side_cache_of(const struct wm_memory_spec *memory, enum wm_side_cache_kind kind)
{
    const struct wm_level_spec *side = &memory->levels[WM_LEVEL_SIDE + kind];
    return cache_of(&side->cache,
                    of_all_gpus(memory, wm_sm_groups(memory->sm_count, side->units_each)),
                    side->cache.size_bytes);
}

static void find_all(const struct wm_energy_spec *spec, const struct wm_memory_spec *memory,
                     uint64_t unified_bytes, struct had had[WM_ENERGY_STRUCTURES])
{
    had[WM_ENERGY_L1] = cache_of(
        &memory->levels[WM_LEVEL_L1].cache,
        of_all_gpus(memory, wm_sm_groups(memory->sm_count, memory->levels[WM_LEVEL_L1].units_each)),
        unified_bytes != 0 ? unified_bytes : memory->levels[WM_LEVEL_L1].cache.size_bytes);
    // Another L1 reads it at the same time.
    const struct wm_tracker_spec *tracker = &memory->levels[WM_LEVEL_L1].tracker;
    had[WM_ENERGY_L1].ports = tracker->present ? 2 : 1;
    had[WM_ENERGY_TRACKER] = (struct had){
        .present = tracker->present,
        .units = of_all_gpus(memory, wm_sm_groups(memory->sm_count, tracker->sms_each)),
        .ports = 1,
        .capacity_bytes = (uint64_t)tracker->sets * tracker->ways * spec->tracker_entry_bytes};
    had[WM_ENERGY_CONSTANT] = side_cache_of(memory, WM_SIDE_CACHE_CONSTANT);
    had[WM_ENERGY_TEXTURE] = side_cache_of(memory, WM_SIDE_CACHE_TEXTURE);
    had[WM_ENERGY_SCALAR] = side_cache_of(memory, WM_SIDE_CACHE_SCALAR);
    had[WM_ENERGY_INSTRUCTION] = side_cache_of(memory, WM_SIDE_CACHE_INSTRUCTION);
    uint32_t l2_units =
        spec->l2_unit == WM_ENERGY_L2_SLICE ? memory->levels[WM_LEVEL_L2].slices : 1;
    had[WM_ENERGY_L2] = cache_of(&memory->levels[WM_LEVEL_L2].cache, of_all_gpus(memory, l2_units),
                                 memory->levels[WM_LEVEL_L2].cache.size_bytes / l2_units);
    had[WM_ENERGY_ATOMIC_BUFFER] =
        (struct had){.present = memory->levels[WM_LEVEL_L2].cache.present &&
                                memory->levels[WM_LEVEL_L2].atomic_buffer_lines > 0,
                     .units = of_all_gpus(memory, memory->levels[WM_LEVEL_L2].slices),
                     .ports = 1,
                     .capacity_bytes = (uint64_t)memory->levels[WM_LEVEL_L2].atomic_buffer_lines *
                                       WM_SECTOR_BYTES};
    had[WM_ENERGY_INTERCONNECT] = (struct had){.present = true, .ports = 1};
    had[WM_ENERGY_DRAM] =
        (struct had){.present = true, .ports = 1, .capacity_bytes = memory->dram.access_bytes};
}

enum wm_status wm_energy_model_init(struct wm_energy_model *model,
                                    const struct wm_energy_spec *spec,
                                    const struct wm_memory_spec *memory, uint64_t unified_bytes,
                                    enum wm_energy_structure *structure, struct wm_error *error)
{
    struct had had[WM_ENERGY_STRUCTURES];
    *model = (struct wm_energy_model){.header_bytes = spec->header_bytes,
                                      .time_ps = spec->time_ps,
                                      .has_l2 = memory->levels[WM_LEVEL_L2].cache.present,
                                      .has_tracker = memory->levels[WM_LEVEL_L1].tracker.present};
    find_all(spec, memory, unified_bytes, had);
    for (*structure = 0; *structure < WM_ENERGY_STRUCTURES; (*structure)++) {
        const struct had *it = &had[*structure];
        struct wm_energy_part *part = &model->parts[*structure];
        if (!it->present)
            continue;
        if (!wm_energy_table_has(&spec->table, *structure)) {
            leave_out(model, wm_energy_names[*structure]);
            continue;
        }
        *part = (struct wm_energy_part){.present = true,
                                        .units = it->units,
                                        .capacity_bytes = it->capacity_bytes,
                                        .fill_sectors = it->fill_bytes / WM_SECTOR_BYTES};
        WM_TRY(wm_energy_table_cost(&spec->table, *structure, it->ports, it->capacity_bytes,
                                    it->units, &part->cost, error));
    }
    // The row is of a byte and a millimetre: here, of a byte and the machine's distance.
    struct wm_energy_cost *wire = &model->parts[WM_ENERGY_INTERCONNECT].cost;
    wire->read_aj = wire->write_aj =
        (uint64_t)(((wide)wire->read_aj * spec->distance_um + 500) / 1000);
    if (memory->levels[WM_LEVEL_L1].victim_lines > 0 && memory->levels[WM_LEVEL_L1].cache.present)
        leave_out(model, "victim");
    if (memory->tlb.present)
        leave_out(model, "tlb");
    if (wm_memory_gpus(memory) > 1)
        leave_out(model, "link");
    return WM_OK;
}

static bool happens(const struct wm_energy_model *model, enum wm_energy_when when)
{
    switch (when) {
    case WM_ENERGY_ALWAYS: return true;
    case WM_ENERGY_WITH_L2: return model->has_l2;
    case WM_ENERGY_WITHOUT_L2: return !model->has_l2;
    case WM_ENERGY_WITH_TRACKER: return model->has_tracker;
    }
    return false;
}

void wm_energy_count(const struct wm_energy_model *model, struct wm_energy_counts *counts,
                     const struct wm_counter_set *set, const uint64_t *values)
{
    for (size_t i = 0; i < wm_energy_event_count; i++) {
        const struct wm_energy_event *event = &wm_energy_events[i];
        if (strcmp(event->kind, set->kind) != 0 || !happens(model, event->when))
            continue;
        size_t index = wm_counter_index(set, event->counter);
        if (index == set->count)
            continue;
        // Modulo 2^64: what is taken away here was added above.
        uint64_t events = values[index] * (uint64_t)(int64_t)event->factor;
        switch (event->flow) {
        case WM_ENERGY_READS:
        case WM_ENERGY_BYTES: counts->reads[event->structure] += events; break;
        case WM_ENERGY_WRITES: counts->writes[event->structure] += events; break;
        case WM_ENERGY_FILLS: counts->filled_sectors[event->structure] += events; break;
        case WM_ENERGY_MESSAGES:
            counts->writes[event->structure] += events * model->header_bytes;
            break;
        }
    }
}

static void price_line(const struct wm_energy_part *part, const struct wm_energy_counts *counts,
                       enum wm_energy_structure structure, struct wm_energy_line *line)
{
    uint64_t filled = counts->filled_sectors[structure];
    *line = (struct wm_energy_line){.structure = structure,
                                    .units = part->units,
                                    .capacity_bytes = part->capacity_bytes,
                                    .cost = part->cost,
                                    .reads = counts->reads[structure],
                                    .writes = counts->writes[structure]};
    if (part->fill_sectors > 0)
        line->writes += filled / part->fill_sectors + (filled % part->fill_sectors != 0);
    wide aj = (wide)line->reads * part->cost.read_aj + (wide)line->writes * part->cost.write_aj;
    line->dynamic_fj = at_most((aj + 500) / 1000);
}

void wm_energy_price(const struct wm_energy_model *model, const struct wm_energy_counts *counts,
                     struct wm_energy_result *result)
{
    *result = (struct wm_energy_result){.time_ps = model->time_ps,
                                        .uncounted_count = model->uncounted_count};
    memcpy(result->uncounted, model->uncounted, sizeof result->uncounted);
    for (enum wm_energy_structure structure = 0; structure < WM_ENERGY_STRUCTURES; structure++) {
        if (!model->parts[structure].present)
            continue;
        struct wm_energy_line *line = &result->lines[result->line_count++];
        price_line(&model->parts[structure], counts, structure, line);
        result->dynamic_fj = at_most((wide)result->dynamic_fj + line->dynamic_fj);
        result->leakage_nw += line->cost.leakage_nw;
        result->area_um2 += line->cost.area_um2;
    }
    // 1 nW for 1 ps is 10^-21 J: 10^-6 fJ.
    result->leakage_fj = at_most(((wide)result->leakage_nw * model->time_ps + 500000) / 1000000);
}

#include "mem/energy/energy_model.h"

#include "base/access/access.h"
#include "base/text/nearest.h"
#include "base/text/text.h"
#include "mem/dram/channel.h"
#include "mem/energy/events.h"
#include "mem/system/coherent_levels.h"
#include "mem/system/memory_components.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

// No run on a machine that could be comes near 18 kJ: what a table of the largest numbers would
// make of a long one stays at the most that can be said.
static uint64_t at_most(wide value)
{
    return value < UINT64_MAX ? (uint64_t)value : UINT64_MAX;
}

bool wm_energy_name_is_in(const struct wm_energy_names *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->names[i], name) == 0)
            return true;
    return false;
}

void wm_energy_name_add(struct wm_energy_names *names, const char *name)
{
    if (names->count < WM_ENERGY_MOST_NAMES && !wm_energy_name_is_in(names, name))
        snprintf(names->names[names->count++], WM_ENERGY_NAME_BYTES, "%s", name);
}

// What the machine has of a part, before it is priced.
struct had {
    struct wm_energy_part part;
    uint32_t ports;
};

struct had_parts {
    struct had parts[WM_ENERGY_MOST_PARTS];
    uint32_t count;
};

static struct had *add(struct had_parts *all, const char *name, const char *counted, unsigned of)
{
    struct had *added = &all->parts[all->count++];
    *added = (struct had){.part.of = of, .ports = 1};
    snprintf(added->part.name, sizeof added->part.name, "%s", name);
    snprintf(added->part.counted, sizeof added->part.counted, "%s", counted);
    return added;
}

// `level` may have a sharing tracker, and atomic buffers.
static void add_beside(struct had_parts *all, const struct wm_energy_spec *spec,
                       const struct wm_memory_spec *memory, const struct wm_level_spec *level)
{
    const struct wm_tracker_spec *tracker = &level->tracker;
    if (tracker->present) {
        struct wm_energy_part *part = &add(all, wm_tracker_counter_set.kind,
                                           wm_tracker_counter_set.kind, WM_ENERGY_OF_TRACKER)
                                           ->part;
        part->units = wm_memory_gpus(memory) * wm_sm_groups(memory->sm_count, tracker->sms_each);
        part->capacity_bytes = (uint64_t)tracker->sets * tracker->ways * spec->tracker_entry_bytes;
    }
    if (level->atomic_buffer_lines > 0) {
        const char *name = wm_atomic_buffer_counter_set.kind;
        struct wm_energy_part *part = &add(all, name, name, WM_ENERGY_OF_BUFFER)->part;
        part->units = level->slices * wm_memory_gpus(memory);
        part->capacity_bytes = (uint64_t)level->atomic_buffer_lines * WM_SECTOR_BYTES;
    }
}

// The kind of the caches, or the directory, that are the home of the lines of a coherent level.
static void find_home(const struct wm_memory_spec *memory, uint32_t level,
                      char home[WM_LEVEL_COUNTER_BYTES])
{
    uint32_t below = wm_level_below(memory, level);
    if (below != WM_BELOW_MEMORY)
        wm_level_kind(memory, below, home);
    else if (wm_memory_has_directory(memory))
        snprintf(home, WM_LEVEL_COUNTER_BYTES, "%s", wm_directory_counter_set.kind);
}

static void add_level(struct had_parts *all, const struct wm_energy_spec *spec,
                      const struct wm_memory_spec *memory, const struct wm_listed_level *listed,
                      uint64_t unified_bytes)
{
    const struct wm_level_spec *level = &memory->levels[listed->number];
    unsigned of = WM_ENERGY_OF_LEVEL;
    of |= wm_level_passes_atomics(memory, listed->number) ? 0 : WM_ENERGY_OF_ATOMICS;
    of |= level->tracker.present ? WM_ENERGY_OF_TRACKED : 0;
    if (wm_level_is_coherent(memory, listed->number)) // the first such level does atomics
        of |= WM_ENERGY_OF_ATOMICS | WM_ENERGY_OF_COHERENT;
    char name[WM_LEVEL_FULL_NAME_BYTES];
    wm_level_full_name(memory, listed->number, name);
    struct had *had = add(all, name, listed->name, of);
    bool unified = listed->number == WM_LEVEL_L1 && unified_bytes != 0;
    uint64_t bytes = unified ? unified_bytes : level->cache.size_bytes;
    had->ports = level->tracker.present ? 2 : 1; // another cache reads it at the same time
    had->part.units = wm_level_instances(memory, listed->number);
    if (level->slices != 0 && spec->l2_unit == WM_ENERGY_L2_SLICE) {
        had->part.units *= level->slices;
        bytes /= level->slices;
    }
    had->part.capacity_bytes = bytes;
    had->part.fill_sectors = level->cache.sector_bytes / WM_SECTOR_BYTES;
    add_beside(all, spec, memory, level);
}

// The directory at memory has an entry for each line that the caches which meet there can hold.
static void add_directory(struct had_parts *all, const struct wm_energy_spec *spec,
                          const struct wm_memory_spec *memory)
{
    const char *name = wm_directory_counter_set.kind;
    if (!wm_memory_has_directory(memory))
        return;
    struct wm_energy_part *part = &add(all, name, name, WM_ENERGY_OF_DIRECTORY)->part;
    part->units = 1;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_cache_spec *cache = &memory->levels[i].cache;
        if (wm_level_is_coherent(memory, i) && wm_level_below(memory, i) == WM_BELOW_MEMORY)
            part->capacity_bytes += cache->size_bytes / cache->line_bytes *
                                    wm_level_instances(memory, i) * spec->directory_entry_bytes;
    }
}

static void find_all(const struct wm_energy_spec *spec, const struct wm_memory_spec *memory,
                     uint64_t unified_bytes, struct had_parts *all)
{
    struct wm_level_list list;
    wm_level_list_make(memory, &list);
    all->count = 0;
    for (uint32_t i = 0; i < list.count; i++)
        add_level(all, spec, memory, &list.levels[i], unified_bytes);
    add(all, WM_ENERGY_LINK_NAME, "", WM_ENERGY_OF_LINK);
    add_directory(all, spec, memory);
    add(all, WM_ENERGY_MEMORY_NAME, wm_dram_counter_set.kind, WM_ENERGY_OF_MEMORY)
        ->part.capacity_bytes = memory->dram.access_bytes;
}

void wm_energy_names_of(const struct wm_memory_spec *memory, struct wm_energy_names *names)
{
    static const struct wm_energy_spec none;
    struct had_parts all;
    find_all(&none, memory, 0, &all);
    for (uint32_t i = 0; i < all.count; i++)
        wm_energy_name_add(names, all.parts[i].part.name);
}

static enum wm_status unknown_name(const char *name, const struct wm_energy_names *known,
                                   struct wm_error *error)
{
    struct wm_nearest nearest;
    struct wm_text names;
    wm_text_init(&names);
    wm_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < known->count; i++) {
        wm_nearest_offer(&nearest, known->names[i]);
        wm_text_format(&names, "%s%s", i > 0 ? ", " : "", known->names[i]);
    }
    wm_fail(error, WM_INVALID, "the energy table has rows of \"%s\", which no machine has", name);
    wm_error_hint(error, "%s%s%sknown are %s", nearest.best ? "did you mean " : "",
                  nearest.best ? nearest.best : "", nearest.best ? "? " : "",
                  names.failed ? "others" : names.data);
    wm_text_release(&names);
    return WM_INVALID;
}

// What a table of coherent machines may have rows of: of those whose last-level caches are shared,
// and of those where they are split.
static const char *const coherent_names[] = {"l3",     "llc",    "cpu_l1",
                                             "cpu_l2", "cpu_l3", "directory"};

// A table is of many machines, which need not have all of it: but it is of something that this
// machine has, or others may have.
static enum wm_status check_names(const struct wm_energy_table *table,
                                  const struct wm_memory_spec *memory,
                                  char wrong[WM_ENERGY_NAME_BYTES], struct wm_error *error)
{
    struct wm_energy_names known = {.count = 0};
    const struct wm_memory_spec usual = wm_memory_spec_of_names();
    wm_energy_names_of(memory, &known);
    wm_energy_names_of(&usual, &known);
    size_t coherent =
        wm_memory_is_coherent(memory) ? sizeof coherent_names / sizeof coherent_names[0] : 0;
    for (size_t i = 0; i < coherent; i++)
        wm_energy_name_add(&known, coherent_names[i]);
    for (uint64_t i = 0; i < table->count; i++) {
        const char *name = table->rows[i].name;
        if (wm_energy_name_is_in(&known, name))
            continue;
        snprintf(wrong, WM_ENERGY_NAME_BYTES, "%s", name);
        return unknown_name(name, &known, error);
    }
    return WM_OK;
}

// Kinds that events are counted by.
static void find_kinds(struct wm_energy_model *model, const struct wm_memory_spec *memory)
{
    struct wm_level_list list;
    wm_level_list_make(memory, &list);
    snprintf(model->below_link, sizeof model->below_link, "%s", wm_dram_counter_set.kind);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct wm_listed_level *level = &list.levels[i];
        if (level->number == WM_LEVEL_L2)
            memcpy(model->below_link, level->name, sizeof model->below_link);
        if (memory->levels[level->number].tracker.present)
            memcpy(model->sharers, level->name, sizeof model->sharers);
        if (!wm_level_is_coherent(memory, level->number))
            continue;
        struct wm_energy_home *home = &model->homes[model->home_count++];
        memcpy(home->level, level->name, sizeof home->level);
        find_home(memory, level->number, home->home);
    }
}

enum wm_status wm_energy_model_init(struct wm_energy_model *model,
                                    const struct wm_energy_spec *spec,
                                    const struct wm_memory_spec *memory, uint64_t unified_bytes,
                                    char wrong[WM_ENERGY_NAME_BYTES], struct wm_error *error)
{
    struct had_parts all;
    *model = (struct wm_energy_model){.header_bytes = spec->header_bytes, .time_ps = spec->time_ps};
    WM_TRY(check_names(&spec->table, memory, wrong, error));
    find_kinds(model, memory);
    find_all(spec, memory, unified_bytes, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        const struct wm_energy_part *it = &all.parts[i].part;
        if (!wm_energy_table_has(&spec->table, it->name)) {
            wm_energy_name_add(&model->uncounted, it->name);
            continue;
        }
        struct wm_energy_part *part = &model->parts[model->part_count++];
        *part = *it;
        memcpy(wrong, it->name, WM_ENERGY_NAME_BYTES);
        WM_TRY(wm_energy_table_cost(&spec->table, it->name, all.parts[i].ports, it->capacity_bytes,
                                    it->units, &part->cost, error));
        if ((it->of & WM_ENERGY_OF_LINK) == 0)
            continue;
        // The row is of a byte and a millimetre: here, of a byte and the machine's distance.
        part->cost.read_aj = part->cost.write_aj =
            (uint64_t)(((wide)part->cost.read_aj * spec->distance_um + 500) / 1000);
    }
    if (memory->levels[WM_LEVEL_L1].victim_lines > 0 && memory->levels[WM_LEVEL_L1].cache.present)
        wm_energy_name_add(&model->uncounted, "victim");
    if (memory->tlb.present)
        wm_energy_name_add(&model->uncounted, "tlb");
    if (wm_memory_gpus(memory) > 1)
        wm_energy_name_add(&model->uncounted, "link");
    return WM_OK;
}

// A component whose counters may be events. What coherence makes a cache do is a part of that
// cache: `level` is the kind of it, and `home` that of its home; else both are "".
struct counted_component {
    const char *kind;
    char level[WM_LEVEL_COUNTER_BYTES], home[WM_LEVEL_COUNTER_BYTES];
};

// Of "cpu0.core[1].l2.coherence": "cpu_l2".
static void find_level(const char *path, char level[WM_LEVEL_COUNTER_BYTES])
{
    char places[WM_COMPONENT_PATH_BYTES];
    snprintf(places, sizeof places, "%s", path);
    char *end = strrchr(places, '.');
    if (end == NULL)
        return;
    *end = '\0';
    const char *name = strrchr(places, '.');
    bool cpu = name != NULL && strncmp(places, "cpu", 3) == 0;
    name = name != NULL ? name + 1 : places;
    snprintf(level, WM_LEVEL_COUNTER_BYTES, "%s%.*s", cpu ? WM_CPU_LEVEL : "",
             (int)strcspn(name, "["), name);
}

static struct counted_component find_component(const struct wm_energy_model *model,
                                               const char *path, const char *kind)
{
    struct counted_component component = {.kind = kind};
    if (strcmp(kind, wm_coherence_counter_set.kind) != 0)
        return component;
    find_level(path, component.level);
    for (uint32_t i = 0; i < model->home_count; i++)
        if (strcmp(model->homes[i].level, component.level) == 0)
            memcpy(component.home, model->homes[i].home, sizeof component.home);
    return component;
}

// Whether the event's counter is one of that component.
static bool is_counted_by(const struct wm_energy_model *model, const struct wm_energy_event *event,
                          const struct wm_energy_part *part,
                          const struct counted_component *component)
{
    if (event->counted == WM_ENERGY_OF_COHERENCE)
        return strcmp(part->counted, component->level) == 0;
    if (event->counted == WM_ENERGY_OF_CHILDREN)
        return strcmp(part->counted, component->home) == 0;
    const char *const kinds[WM_ENERGY_COUNTED] = {
        [WM_ENERGY_OWN] = part->counted,
        [WM_ENERGY_BELOW_LINK] = model->below_link,
        [WM_ENERGY_OF_SHARERS] = model->sharers,
        [WM_ENERGY_OF_TRACKERS] = wm_tracker_counter_set.kind,
        [WM_ENERGY_OF_BUFFERS] = wm_atomic_buffer_counter_set.kind,
        [WM_ENERGY_OF_CHANNELS] = wm_dram_channel_counter_set.kind,
    };
    return strcmp(kinds[event->counted], component->kind) == 0;
}

static void add_events(const struct wm_energy_model *model, struct wm_energy_counts *counts,
                       const struct wm_energy_event *event, uint32_t part, uint64_t counted)
{
    // Modulo 2^64: what is taken away here was added above.
    uint64_t events = counted * (uint64_t)(int64_t)event->factor;
    switch (event->flow) {
    case WM_ENERGY_READS:
    case WM_ENERGY_BYTES: counts->reads[part] += events; break;
    case WM_ENERGY_WRITES: counts->writes[part] += events; break;
    case WM_ENERGY_BESIDE: counts->beside[part] += events; break;
    case WM_ENERGY_FILLS: counts->filled_sectors[part] += events; break;
    case WM_ENERGY_MESSAGES: counts->writes[part] += events * model->header_bytes; break;
    }
}

void wm_energy_count(const struct wm_energy_model *model, struct wm_energy_counts *counts,
                     const char *path, const struct wm_counter_set *set, const uint64_t *values)
{
    const struct counted_component component = find_component(model, path, set->kind);
    for (uint32_t part = 0; part < model->part_count; part++)
        for (size_t i = 0; i < wm_energy_event_count; i++) {
            const struct wm_energy_event *event = &wm_energy_events[i];
            if ((model->parts[part].of & event->of) == 0 ||
                !is_counted_by(model, event, &model->parts[part], &component))
                continue;
            size_t index = wm_counter_index(set, event->counter);
            if (index < set->count)
                add_events(model, counts, event, part, values[index]);
        }
}

static void price_line(const struct wm_energy_part *part, const struct wm_energy_counts *counts,
                       uint32_t index, struct wm_energy_line *line)
{
    uint64_t filled = counts->filled_sectors[index];
    *line = (struct wm_energy_line){.units = part->units,
                                    .capacity_bytes = part->capacity_bytes,
                                    .cost = part->cost,
                                    .reads = counts->reads[index],
                                    .writes = counts->writes[index],
                                    .beside = counts->beside[index]};
    memcpy(line->name, part->name, sizeof line->name);
    if (part->fill_sectors > 0)
        line->writes += filled / part->fill_sectors + (filled % part->fill_sectors != 0);
    wide aj = (wide)line->reads * part->cost.read_aj + (wide)line->writes * part->cost.write_aj +
              (wide)line->beside * part->cost.beside_aj;
    line->dynamic_fj = at_most((aj + 500) / 1000);
}

void wm_energy_price(const struct wm_energy_model *model, const struct wm_energy_counts *counts,
                     struct wm_energy_result *result)
{
    *result = (struct wm_energy_result){.time_ps = model->time_ps, .uncounted = model->uncounted};
    for (uint32_t i = 0; i < model->part_count; i++) {
        struct wm_energy_line *line = &result->lines[result->line_count++];
        price_line(&model->parts[i], counts, i, line);
        result->dynamic_fj = at_most((wide)result->dynamic_fj + line->dynamic_fj);
        result->leakage_nw += line->cost.leakage_nw;
        result->area_um2 += line->cost.area_um2;
    }
    // 1 nW for 1 ps is 10^-21 J: 10^-6 fJ.
    result->leakage_fj = at_most(((wide)result->leakage_nw * model->time_ps + 500000) / 1000000);
}

// Whose the components' counters are while several launches are under way: those of an SM are the
// launch's whose instruction or request it handled last, and those of a partition, its slices and
// its channel, the launch's whose request it looked up last. So what is counted when something is
// served is its kernel's; and what passes between two of them, such as stalls, refreshes and a
// channel's rows, is the earlier one's. Each count is charged to one launch, once.
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Components that belong together.
struct wm_clock_station {
    uint32_t segment; // whose they are
    uint32_t count, room;
    uint32_t *components; // owned: of the session's
};

struct wm_clock_charges {
    struct wm_clock_station *stations; // owned: SMs, partitions, and what belongs to neither
    uint32_t count;
    size_t *first; // owned: by component, its first counter among all
};

static bool starts_with(const char *path, const char *part, uint32_t *index)
{
    bool placed = strncmp(path, "gpu", 3) == 0 || strncmp(path, "cpu", 3) == 0;
    const char *dot = placed ? strchr(path, '.') : NULL, *name = dot != NULL ? dot + 1 : path;
    size_t length = strlen(part);
    return strncmp(name, part, length) == 0 && name[length] == '[' &&
           sscanf(name + length + 1, "%u", index) == 1;
}

static uint32_t station_of(const struct wm_clock *clock, const char *path)
{
    const struct wm_memory_spec *memory = &clock->machine->memory;
    uint32_t index, first = clock->unit_count, gpu = 0;
    if (wm_memory_gpus(memory) > 1 && sscanf(path, "gpu%u", &gpu) != 1)
        return clock->unit_count + clock->partition_count;
    if (starts_with(path, "sm", &index) && index < memory->sm_count)
        return gpu * memory->sm_count + index;
    if (strncmp(path, "cpu", 3) == 0 && clock->core_count != 0) // what cores share is the first's
        return clock->sm_count + (starts_with(path, "core", &index) ? index : 0);
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++)
        if (clock->topology.is_below[level] &&
            starts_with(path, wm_level_name(memory, level), &index))
            return first +
                   clock->topology.island[level][gpu * wm_timed_slices(memory, level) + index];
    if (starts_with(path, "dram", &index))
        return first + clock->topology.channel_island[gpu * memory->dram.channels + index];
    return clock->unit_count + clock->partition_count;
}

static bool add(struct wm_clock_station *station, uint32_t component)
{
    return WM_ARRAY_ADD(station->components, station->count, station->room, component);
}

static bool build(struct wm_clock *clock, struct wm_clock_charges *charges)
{
    const struct wm_session *session = clock->session;
    size_t counters = 0;
    charges->count = clock->unit_count + clock->partition_count + 1;
    charges->stations = calloc(charges->count, sizeof *charges->stations);
    charges->first = calloc(session->component_count, sizeof *charges->first);
    if (charges->stations == NULL || charges->first == NULL)
        return false;
    for (uint32_t i = 0; i < session->component_count; i++) {
        const struct wm_component_counters *component = &session->components[i];
        charges->first[i] = counters;
        counters += component->set->count;
        if (!add(&charges->stations[station_of(clock, component->path)], i))
            return false;
    }
    return true;
}

void wm_clock_charges_release(struct wm_clock *clock)
{
    struct wm_clock_charges *charges = clock->charges;
    if (charges == NULL)
        return;
    for (uint32_t i = 0; charges->stations != NULL && i < charges->count; i++)
        free(charges->stations[i].components);
    free(charges->stations);
    free(charges->first);
    free(charges);
    clock->charges = NULL;
}

// Gives the station's counts since the last call to the segment's kernel; the session's values at
// the begin become those of now.
static void attribute(struct wm_clock *clock, const struct wm_clock_station *station)
{
    struct wm_session *session = clock->session;
    const struct wm_clock_segment *segment = &clock->segments[station->segment];
    struct wm_kernel_record *record = segment->record;
    struct wm_launch_accounting *launch = segment->launch;
    bool kept = launch != NULL && launch->kept;
    for (uint32_t i = 0; i < station->count; i++) {
        uint32_t index = station->components[i];
        const struct wm_component_counters *component = &session->components[index];
        uint64_t *before = session->values_at_begin + clock->charges->first[index];
        uint64_t *sum = record->component_values + clock->charges->first[index];
        const struct wm_sm_counters *then = (const struct wm_sm_counters *)before,
                                    *now = (const struct wm_sm_counters *)component->values;
        if (component->set == &wm_sm_counter_set)
            wm_kernel_record_add_instructions(session, record, then, now);
        if (component->set == &wm_sm_counter_set && kept) {
            wm_add_atomically(&launch->counted.warp_instructions,
                              now->warp_instructions - then->warp_instructions);
            wm_add_atomically(&launch->counted.thread_instructions,
                              now->thread_instructions - then->thread_instructions);
        }
        if (kept)
            wm_launch_accounting_add_component(session, launch, index, before);
        uint64_t *not_counted = session->values_not_counted + clock->charges->first[index];
        for (size_t c = 0; segment->not_counted && c < component->set->count; c++)
            not_counted[c] += component->values[c] - before[c];
        for (size_t c = 0; c < component->set->count; c++) {
            sum[c] += component->values[c] - before[c];
            before[c] = component->values[c];
        }
    }
}

void wm_clock_charge_to(struct wm_clock *clock, uint32_t station, uint32_t segment)
{
    struct wm_clock_station *at = &clock->charges->stations[station];
    attribute(clock, at);
    at->segment = segment;
    if (station < clock->unit_count)
        clock->sms[station].charged = segment;
}

static void serve(void *context, uint32_t partition, uint32_t pc)
{
    struct wm_clock *clock = context;
    uint32_t station = clock->unit_count + partition;
    const struct wm_clock_segment *segments = clock->segments;
    uint32_t segment = clock->charges->stations[station].segment;
    if (pc - segments[segment].base < segments[segment].count)
        return;
    for (segment = 0; pc - segments[segment].base >= segments[segment].count;)
        segment++;
    wm_clock_charge_to(clock, station, segment);
}

static void listen(struct wm_partition *partition, wm_partition_listener *on_lookup,
                   struct wm_clock *clock)
{
    partition->on_lookup = on_lookup;
    partition->listener = clock;
}

bool wm_clock_charges_begin(struct wm_clock *clock)
{
    if (clock->charges == NULL) {
        clock->charges = calloc(1, sizeof *clock->charges);
        if (clock->charges == NULL || !build(clock, clock->charges))
            return false;
    }
    for (uint32_t i = 0; i < clock->charges->count; i++)
        clock->charges->stations[i].segment = 0;
    for (uint32_t i = 0; i < clock->unit_count; i++)
        clock->sms[i].charged = 0;
    for (uint32_t i = 0; i < clock->partition_count; i++)
        listen(clock->partitions[i], serve, clock);
    clock->several = true;
    return true;
}

void wm_clock_charges_attribute(struct wm_clock *clock)
{
    for (uint32_t i = 0; clock->several && i < clock->charges->count; i++)
        attribute(clock, &clock->charges->stations[i]);
}

void wm_clock_charges_end(struct wm_clock *clock)
{
    wm_clock_charges_attribute(clock);
    for (uint32_t i = 0; clock->several && i < clock->partition_count; i++)
        listen(clock->partitions[i], NULL, NULL);
    clock->several = false;
}

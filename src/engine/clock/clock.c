#include "engine/clock/clock_state.h"

#include "base/containers/array.h"
#include "cpu/core.h"
#include "machine/machine_dram.h"
#include "mem/replacement/entries.h"
#include "mem/system/coherent_levels.h"
#include "mem/system/memory_components.h"
#include "mem/timed/coherent/caches.h"
#include "mem/timed/level/in_flight.h"
#include "mem/timed/level/prefetch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct wm_counter_declaration issue_declarations[] = {
    WM_ISSUE_COUNTERS(WM_COUNTER_DECLARATION)};
static const struct wm_counter_declaration unit_declarations[] = {
    WM_MEMORY_UNIT_COUNTERS(WM_COUNTER_DECLARATION) WM_STALL_COUNTERS(WM_COUNTER_DECLARATION)
        WM_UNIT_STALL_COUNTERS(WM_COUNTER_DECLARATION)};
static const struct wm_counter_declaration cache_declarations[] = {
    WM_TIMED_CACHE_COUNTERS(WM_COUNTER_DECLARATION)};
static const struct wm_counter_declaration slice_declarations[] = {
    WM_TIMED_CACHE_COUNTERS(WM_COUNTER_DECLARATION) WM_STALL_COUNTERS(WM_COUNTER_DECLARATION)};

static const struct wm_counter_declaration throttle_declarations[] = {
    WM_THROTTLE_COUNTERS(WM_COUNTER_DECLARATION)};

#define COUNTER_SET(key, name, list)                                                            \
    {                                                                                           \
        .kind = key, .title = name, .declarations = list, .count = sizeof list / sizeof list[0] \
    }

static const struct wm_counter_set issue_set =
    COUNTER_SET("issue", "warp schedulers of an SM", issue_declarations);
static const struct wm_counter_set unit_set =
    COUNTER_SET("memory_unit", "load/store unit of an SM", unit_declarations);
static const struct wm_counter_set throttle_set =
    COUNTER_SET("load_throttle", "load throttle of an SM", throttle_declarations);
static const struct wm_counter_set l1_set =
    COUNTER_SET("l1_timing", "L1 data cache in time", cache_declarations);
static const struct wm_counter_set l2_set =
    COUNTER_SET("l2_timing", "L2 slice in time", slice_declarations);

const struct wm_counter_set *wm_clock_counter_set(size_t index)
{
    static const struct wm_counter_set *const sets[] = {&issue_set,
                                                        &unit_set,
                                                        &throttle_set,
                                                        &l1_set,
                                                        &l2_set,
                                                        &wm_prefetcher_timing_counter_set,
                                                        &wm_coalescing_counter_set,
                                                        &wm_refusal_counter_set,
                                                        &wm_atomic_unit_counter_set,
                                                        &wm_link_counter_set,
                                                        &wm_switch_counter_set,
                                                        &wm_peer_link_timing_set,
                                                        &wm_dram_channel_counter_set,
                                                        &wm_coherent_timing_counter_set,
                                                        &wm_core_counter_set};
    return index < sizeof sets / sizeof sets[0] ? sets[index] : NULL;
}

// --- What is not modelled ---

static enum wm_status unsupported(const struct wm_machine *machine, const char *what,
                                  const char *hint, struct wm_error *error)
{
    wm_fail(error, WM_UNSUPPORTED, "the clock engine has no %s, which machine %s has", what,
            machine->name);
    return wm_error_hint(error, "%s, or use --engine walk", hint);
}

// Whether some unit's accesses begin at it.
static bool is_first(const struct wm_memory_spec *memory, uint32_t level)
{
    return level < WM_MOST_LEVELS && wm_level_serves(memory, level) != 0;
}

// Bytes of sectors that are written in part go with packets to one level, and by itself to memory.
static bool sends_parts(const struct wm_memory_spec *memory, uint32_t level)
{
    bool between =
        wm_timed_is_between(memory, level) || wm_level_below(memory, level) != WM_BELOW_MEMORY;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        between |= memory->levels[i].cache.present && wm_level_below(memory, i) == level &&
                   !is_first(memory, i);
    return between && !is_first(memory, level) &&
           memory->levels[level].cache.write_fetch == WM_FETCH_NEVER;
}

// Whether what comes to it is not all sent by SMs' ports: it is theirs, or another level of all SMs
// is before it.
static bool is_sent_by_caches(const struct wm_memory_spec *memory, uint32_t level)
{
    bool sent = !wm_timed_is_below(memory, level);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        sent |= memory->levels[i].cache.present && wm_level_below(memory, i) == level &&
                wm_timed_is_below(memory, i);
    return sent;
}

static const char *what_is_not(const struct wm_memory_spec *memory, uint32_t number,
                               const char **hint)
{
    const struct wm_level_spec *level = &memory->levels[number];
    bool first = is_first(memory, number), has_clock = level->timing.clock_hz != 0;
    *hint = "leave it out";
    if (first && number >= WM_LEVELS_NAMED)
        return "first levels but L1s and side caches";
    if (first && (level->slices > 1 || is_first(memory, wm_level_below(memory, number))))
        return first && level->slices > 1 ? "slices of L1s and side caches"
                                          : "side caches above L1s";
    if (level->unit_count != 0 && level->unit_count < memory->sm_count)
        return "levels of some SMs alone";
    if (has_clock && (number != WM_LEVEL_L2 || !wm_timed_is_below(memory, number)))
        return "levels with clocks of their own but an L2 of all SMs";
    if (sends_parts(memory, number)) {
        *hint = "set its write_fetch to partial or always";
        return "write_fetch never of levels with others beside them behind L1";
    }
    if (level->locked_line == WM_LOCKED_REFUSES && is_sent_by_caches(memory, number)) {
        *hint = "set gpu.l2.locked_line to merge";
        return "refusals of an L2 that is not the first of all SMs";
    }
    if (level->coalescing == WM_COALESCES_IN_FLIGHT && memory->interconnect.store_replies) {
        *hint = "set gpu.interconnect.store_replies to false, or coalescing to none";
        return "coalescing in flight where L2 answers stores";
    }
    if (level->cache.replacement == &wm_replacement_opt) {
        *hint = number == WM_LEVEL_L1   ? "choose another gpu.l1.replacement"
                : number == WM_LEVEL_L2 ? "choose another gpu.l2.replacement"
                                        : "choose another replacement";
        return "replacement opt";
    }
    return NULL;
}

enum wm_status wm_clock_check(const struct wm_machine *machine, struct wm_error *error)
{
    const struct wm_memory_spec *memory = &machine->memory;
    if (wm_memory_gpus(memory) > 1 && memory->interconnect.topology != WM_CROSSBAR)
        return unsupported(machine, "butterflies of several GPUs",
                           "set gpu.interconnect.topology=crossbar", error);
    if (wm_memory_is_coherent(memory))
        WM_TRY(wm_clock_coherent_check(machine, error));
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_level_spec *level = &memory->levels[i];
        if (!level->cache.present || level->place == WM_PLACE_CPU ||
            wm_level_is_coherent(memory, i))
            continue;
        const char *hint, *what = what_is_not(memory, i, &hint);
        if (what != NULL)
            return unsupported(machine, what, hint, error);
    }
    return WM_OK;
}

// --- Building ---

static enum wm_status no_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "the clock engine");
}

void *wm_clock_zeros(size_t count, size_t size)
{
    size_t bytes = (count * size + WM_FALSE_SHARING_BYTES - 1) / WM_FALSE_SHARING_BYTES *
                   WM_FALSE_SHARING_BYTES;
    void *zeros = aligned_alloc(WM_FALSE_SHARING_BYTES, bytes);
    if (zeros != NULL)
        memset(zeros, 0, bytes);
    return zeros;
}

static enum wm_status build_windows(struct wm_clock *clock, struct wm_error *error)
{
    uint32_t parts = clock->unit_count + clock->partition_count;
    clock->islands = wm_clock_zeros(parts, sizeof *clock->islands);
    clock->thread_of = calloc(parts, sizeof *clock->thread_of);
    if (clock->islands == NULL || clock->thread_of == NULL)
        return no_memory(error);
    for (uint32_t i = 0; i < parts; i++)
        clock->islands[i].next = WM_NEVER;
    return wm_clock_paired_windows_init(clock, error);
}

static enum wm_status build_partitions(struct wm_clock *clock, struct wm_error *error)
{
    WM_TRY(WM_ARRAY_NEW(clock->partitions, clock->partition_count, error, "the clock engine"));
    WM_TRY(WM_ARRAY_NEW(clock->receivers, clock->topology.receivers, error, "the clock engine"));
    for (uint32_t i = 0; i < clock->partition_count; i++) {
        struct wm_partition **partition = &clock->partitions[i];
        WM_TRY(wm_partition_new(clock->memory, &clock->topology, i, &clock->dram,
                                clock->machine->device.clock_hz, partition, error));
        for (uint32_t n = 0; n < (*partition)->slice_count; n++) {
            struct wm_partition_slice *slice = &(*partition)->slices[n];
            if (slice->has_ends)
                clock->receivers[slice->receiver] =
                    (struct wm_clock_receiver){.slice = slice, .partition = i};
        }
    }
    return WM_OK;
}

// Slices that keep byte masks read what stores write where each SM keeps it.
static enum wm_status share_bytes(struct wm_clock *clock, struct wm_error *error)
{
    if (clock->sms->timed.out.written == NULL)
        return WM_OK;
    clock->written = calloc(clock->sm_count, sizeof *clock->written);
    if (clock->written == NULL)
        return no_memory(error);
    for (uint32_t i = 0; i < clock->sm_count; i++)
        clock->written[i] = &clock->sms[i].timed.written;
    for (uint32_t i = 0; i < clock->partition_count; i++)
        clock->partitions[i]->island.written = clock->written;
    return WM_OK;
}

static enum wm_status build_caches(struct wm_clock *clock, uint32_t level, struct wm_error *error)
{
    uint32_t count = wm_memory_caches(clock->memory, level);
    if (count == 0)
        return WM_OK;
    clock->caches[level] = wm_clock_zeros(count, sizeof *clock->caches[level]);
    if (clock->caches[level] == NULL)
        return no_memory(error);
    for (uint32_t i = 0; i < count; i++)
        WM_TRY(wm_timed_level_init(&clock->caches[level][i].level, clock->memory, level, i, error));
    return WM_OK;
}

static void release_caches(struct wm_clock *clock, uint32_t level)
{
    uint32_t count = clock->caches[level] != NULL ? wm_memory_caches(clock->memory, level) : 0;
    for (uint32_t i = 0; i < count; i++)
        wm_timed_level_release(&clock->caches[level][i].level);
    free(clock->caches[level]);
}

static enum wm_status build(struct wm_clock *clock, struct wm_error *error)
{
    const struct wm_machine *machine = clock->machine;
    uint64_t sm_hz = machine->device.clock_hz, network_hz = machine->memory.interconnect.clock_hz;
    network_hz = network_hz != 0 ? network_hz : sm_hz;
    if (wm_memory_is_coherent(&machine->memory))
        network_hz = wm_clock_coherent_hz(machine);
    clock->network_hz = network_hz;
    clock->to_network = wm_clock_ratio_of(sm_hz, network_hz);
    clock->from_network = wm_clock_ratio_of(network_hz, sm_hz);
    clock->sm_count = machine->sm.count * wm_memory_gpus(&machine->memory);
    if (wm_clock_check_cores(machine, NULL) == WM_OK)
        clock->core_count = machine->memory.core_count;
    clock->unit_count = clock->sm_count + clock->core_count;
    clock->first_fetch_token =
        (uint64_t)clock->sm_count * machine->sm.max_warps * WM_CLOCK_OPS_A_WARP;
    clock->first_in_flight_token =
        clock->first_fetch_token + (uint64_t)clock->sm_count * machine->sm.max_warps;
    WM_TRY(wm_clock_check(machine, error));
    WM_TRY(wm_timed_topology_init(&clock->topology, &machine->memory, error));
    clock->partition_count = clock->topology.islands;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        clock->is_between[i] =
            wm_timed_is_between(&machine->memory, i) ||
            (clock->core_count != 0 && wm_timed_is_of_cores(&machine->memory, i));
    wm_memory_level_ranks(clock->memory, clock->distance + WM_SERVED_LEVEL);
    clock->distance[WM_SERVED_MEMORY] = WM_SERVED_MEMORY;
    WM_TRY(wm_machine_dram_channel(machine, &clock->dram, error));
    clock->sms = wm_clock_zeros(clock->unit_count, sizeof *clock->sms);
    clock->slots = calloc(machine->sm.max_warps, sizeof *clock->slots);
    if (clock->sms == NULL || clock->slots == NULL)
        return no_memory(error);
    WM_TRY(build_windows(clock, error));
    for (uint32_t level = 0; level < WM_LEVEL_L2; level++)
        WM_TRY(build_caches(clock, level, error));
    for (uint32_t i = 0; i < clock->sm_count; i++)
        WM_TRY(wm_clock_sm_init(clock, &clock->sms[i], i, error));
    for (uint32_t i = clock->sm_count; i < clock->unit_count; i++)
        WM_TRY(wm_clock_core_init(clock, &clock->sms[i], i, error));
    uint64_t sample = clock->session->options.sample_cycles;
    if (sample != 0 && (clock->timeline = wm_clock_timeline_new(sample)) == NULL)
        return no_memory(error);
    clock->flushes = wm_clock_flushes(machine);
    WM_TRY(wm_sm_groups_init(clock, error));
    WM_TRY(build_partitions(clock, error));
    WM_TRY(wm_clock_network_init(clock, error));
    WM_TRY(wm_clock_peer_links_init(clock, error));
    WM_TRY(wm_clock_coherent_init(clock, error));
    return share_bytes(clock, error);
}

enum wm_status wm_clock_new(struct wm_session *session, struct wm_clock **result,
                            struct wm_error *error)
{
    struct wm_clock *clock = calloc(1, sizeof *clock);
    *result = NULL;
    if (clock == NULL)
        return no_memory(error);
    clock->session = session;
    clock->machine = &session->machine;
    clock->memory = session->memory;
    clock->stop_at = WM_NEVER;
    enum wm_status status = build(clock, error);
    if (status != WM_OK) {
        wm_clock_free(clock);
        return status;
    }
    *result = clock;
    return WM_OK;
}

void wm_clock_free(struct wm_clock *clock)
{
    if (clock == NULL)
        return;
    for (uint32_t i = 0; clock->sms != NULL && i < clock->sm_count; i++)
        wm_clock_sm_release(&clock->sms[i]);
    for (uint32_t i = clock->sm_count; clock->sms != NULL && i < clock->unit_count; i++)
        wm_clock_core_release(&clock->sms[i]);
    for (uint32_t i = 0; clock->partitions != NULL && i < clock->partition_count; i++)
        wm_partition_free(clock->partitions[i]);
    wm_sm_groups_release(clock);
    for (uint32_t level = 0; level < WM_LEVEL_L2; level++)
        release_caches(clock, level);
    free(clock->islands);
    free(clock->thread_of);
    free(clock->arrivals);
    free(clock->sms);
    free(clock->partitions);
    wm_clock_network_release(clock);
    wm_clock_peer_links_release(clock);
    wm_clock_coherent_release(clock);
    wm_clock_timeline_free(clock->timeline);
    free(clock->receivers);
    wm_timed_topology_release(&clock->topology);
    free(clock->written);
    free(clock->slots);
    wm_clock_charges_release(clock);
    free(clock->explained);
    free(clock);
}

uint32_t wm_clock_counts_apart(const struct wm_clock *clock)
{
    uint32_t most =
        clock->unit_count > clock->partition_count ? clock->unit_count : clock->partition_count;
    return clock->coherent != NULL ? 1 : most;
}

// --- Rates ---

struct wm_timed_rates wm_clock_rates(const struct wm_clock *clock)
{
    return (struct wm_timed_rates){
        .sms = clock->sm_count,
        .flit_bytes = clock->machine->memory.interconnect.flit_bytes,
        .link_bytes_per_second = wm_memory_link_peak(
            wm_memory_graph_interconnect(&clock->session->graph), clock->machine->device.clock_hz),
        .dram_bytes_per_second = wm_dram_channel_peak(&clock->dram) * wm_clock_channels(clock),
    };
}

enum wm_status wm_clock_copy_timeline(const struct wm_clock *clock, struct wm_arena *arena,
                                      const struct wm_timeline **timeline, struct wm_error *error)
{
    *timeline = NULL;
    if (clock->timeline == NULL)
        return WM_OK;
    *timeline = wm_clock_timeline_copy(clock->timeline, arena);
    return *timeline != NULL ? WM_OK : wm_fail_no_memory(error, "the timeline of so long a run");
}

// --- Components ---

size_t wm_clock_component_count(const struct wm_clock *clock)
{
    size_t caches = 0;
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++)
        caches += wm_memory_caches(clock->memory, level);
    return 1 + 5 * (size_t)clock->unit_count + 4 * caches + 3 * (size_t)clock->topology.receivers +
           2 * wm_clock_network_stages(clock) + wm_clock_channels(clock) +
           wm_clock_peer_link_count(clock);
}

struct list {
    const struct wm_memory_graph *graph;
    struct wm_component_counters *next;
};

// What the engine counts within a component of the graph.
static void list(struct list *list, const struct wm_counter_set *set, const void *values,
                 uint32_t component, uint32_t index, const char *within)
{
    struct wm_component_counters *listed = list->next++;
    wm_memory_graph_path(list->graph, component, index, within, listed->path, sizeof listed->path);
    listed->set = set;
    listed->values = values;
}

// Of parts that not all levels have.
static void list_parts(struct list *to, const struct wm_timed_level *level, uint32_t index)
{
    if (level->in_flight != NULL)
        list(to, &wm_coalescing_counter_set, &level->in_flight->counters,
             to->graph->levels[level->number], index, "coalescing");
    if (level->prefetcher != NULL)
        list(to, &wm_prefetcher_timing_counter_set, &level->prefetcher->counters,
             to->graph->levels[level->number], index, "prefetcher.timing");
}

static void list_units(const struct wm_clock *clock, struct list *to)
{
    const struct wm_memory_graph *graph = to->graph;
    for (uint32_t i = 0; i < clock->sm_count; i++)
        list(to, &issue_set, &clock->sms[i].core.counters, graph->units, i, "issue");
    for (uint32_t i = 0; i < clock->sm_count; i++)
        list(to, &unit_set, &clock->sms[i].unit, graph->units, i, "memory_unit");
    for (uint32_t i = 0; i < clock->sm_count && clock->sms[i].throttle != NULL; i++)
        list(to, &throttle_set, wm_clock_throttle_counters(&clock->sms[i]), graph->units, i,
             "load_throttle");
}

// The caches of a machine with coherent levels.
static void list_coherent(const struct wm_clock *clock, struct list *to)
{
    struct wm_clock_coherent_part part;
    for (uint32_t i = 0; wm_clock_coherent_part(clock, i, &part); i++) {
        bool is_directory = part.level == WM_MOST_LEVELS;
        uint32_t component = is_directory ? to->graph->memory : to->graph->levels[part.level];
        list(to, &wm_coherent_timing_counter_set, part.counters, component, part.index,
             is_directory ? "directory.coherent_timing" : "coherent_timing");
        bool is_sm = part.unit != WM_NO_NODE;
        if (part.link != NULL)
            list(to, &wm_link_counter_set, part.link, is_sm ? to->graph->units : component,
                 is_sm ? part.unit : part.index, "link");
    }
}

static bool is_coherent(const struct wm_clock *clock, uint32_t level)
{
    return wm_level_is_coherent(&clock->machine->memory, level);
}

static void list_caches(const struct wm_clock *clock, struct list *to)
{
    const struct wm_memory_graph *graph = to->graph;
    for (uint32_t i = 0; i < wm_memory_graph_path_count(graph, graph->levels[WM_LEVEL_L1]); i++)
        list(to, &l1_set, &clock->caches[WM_LEVEL_L1][i].level.timed.counters,
             graph->levels[WM_LEVEL_L1], i, "timing");
    for (uint32_t level = 0; level < WM_LEVEL_L2; level++)
        for (uint32_t i = 0;
             clock->caches[level] != NULL && i < wm_memory_caches(clock->memory, level); i++)
            list_parts(to, &clock->caches[level][i].level, i);
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++)
        for (uint32_t i = 0; clock->is_between[level] && !is_coherent(clock, level) &&
                             i < wm_memory_caches(clock->memory, level);
             i++) {
            const struct wm_timed_level *cache = wm_clock_group_cache(clock, level, i);
            list(to, &l2_set, &cache->timed.counters, graph->levels[level], i, "timing");
            list_parts(to, cache, i);
        }
    for (uint32_t i = 0; i < clock->sm_count; i++)
        list(to, &wm_link_counter_set, &clock->sms[i].output.counters, graph->units, i, "link");
}

static void list_cores(const struct wm_clock *clock, struct list *to)
{
    uint32_t component = to->graph->cores;
    for (uint32_t i = 0; i < clock->core_count; i++) {
        const struct wm_clock_sm *core = &clock->sms[clock->sm_count + i];
        const struct wm_timed_level *l1 = core->timed.l1;
        list(to, &wm_core_counter_set, wm_clock_core_counters(core), component, i, "timing");
        if (clock->coherent != NULL) // caches and links are all units' tree's
            continue;
        list(to, &l1_set, &l1->timed.counters, to->graph->levels[l1->number], i, "timing");
        list_parts(to, l1, i);
        list(to, &wm_link_counter_set, &core->output.counters, component, i, "link");
    }
}

// A cache below the network, or, of a channel that keeps no lines, its end of that alone.
static void list_slice(const struct wm_partition_slice *slice, struct list *to)
{
    const struct wm_timed_node *node = &slice->node;
    bool is_cache = node->level.timed.cache != NULL;
    uint32_t component = is_cache ? to->graph->levels[node->level.number] : to->graph->memory;
    if (is_cache)
        list(to, &l2_set, &node->level.timed.counters, component, node->index, "timing");
    list_parts(to, &node->level, node->index);
    if (node->refusals != NULL)
        list(to, &wm_refusal_counter_set, node->refusals, component, node->index, "locked_lines");
    list(to, &wm_atomic_unit_counter_set, &node->atomics.counters, component, node->index,
         "atomics");
    if (slice->has_ends)
        list(to, &wm_link_counter_set, &slice->output.counters, component, node->index, "link");
}

// Of a coherent cache below the network, its end of that alone; of one that is not, all.
static void list_behind_l1(const struct wm_clock *clock, const struct wm_partition_slice *slice,
                           struct list *to)
{
    const struct wm_timed_node *node = &slice->node;
    bool is_cache = node->level.timed.cache != NULL;
    if (is_cache && !is_coherent(clock, node->level.number))
        list_slice(slice, to);
    else if (is_cache && slice->has_ends)
        list(to, &wm_link_counter_set, &slice->output.counters,
             to->graph->levels[node->level.number], node->index, "link");
}

const struct wm_dram_channel *wm_clock_channel(const struct wm_clock *clock, uint32_t number)
{
    if (clock->coherent != NULL)
        return wm_clock_coherent_channel(clock, number);
    const struct wm_partition_channel *channel =
        clock->partitions[clock->topology.channel_island[number]]->channels;
    while (channel->number != number)
        channel++;
    return channel->channel;
}

static void list_peer_link(const struct wm_clock *clock, uint32_t from, uint32_t to,
                           struct list *into)
{
    struct wm_component_counters *listed = into->next++;
    wm_memory_graph_peer_path(into->graph, from, to, "timing", listed->path, sizeof listed->path);
    listed->set = &wm_peer_link_timing_set;
    listed->values = (const uint64_t *)wm_clock_peer_link_counters(clock, from, to);
}

size_t wm_clock_list_components(const struct wm_clock *clock,
                                struct wm_component_counters *components)
{
    const struct wm_memory_graph *graph = &clock->session->graph;
    struct list to = {graph, components};
    list_units(clock, &to);
    if (clock->coherent != NULL)
        list_coherent(clock, &to);
    if (clock->coherent == NULL || wm_clock_coherent_has_packets(clock))
        list_caches(clock, &to);
    list_cores(clock, &to);
    for (uint32_t i = 0; wm_clock_coherent_has_packets(clock) && i < clock->topology.receivers; i++)
        list_behind_l1(clock, clock->receivers[i].slice, &to);
    for (uint32_t i = 0; wm_clock_coherent_has_packets(clock) && i < clock->partition_count; i++)
        for (uint32_t n = 0; n < clock->partitions[i]->slice_count; n++)
            if (!clock->partitions[i]->slices[n].has_ends)
                list_behind_l1(clock, &clock->partitions[i]->slices[n], &to);
    for (uint32_t i = 0; clock->coherent == NULL && i < clock->topology.receivers; i++)
        list_slice(clock->receivers[i].slice, &to);
    for (uint32_t i = 0; clock->coherent == NULL && i < clock->partition_count; i++)
        for (uint32_t n = 0; n < clock->partitions[i]->slice_count; n++)
            if (!clock->partitions[i]->slices[n].has_ends)
                list_slice(&clock->partitions[i]->slices[n], &to);
    for (uint32_t i = 0; i < wm_memory_graph_path_count(graph, graph->requests); i++) {
        list(&to, &wm_switch_counter_set, wm_clock_network_counters(clock, false, i),
             graph->requests, i, "switches");
        list(&to, &wm_switch_counter_set, wm_clock_network_counters(clock, true, i), graph->replies,
             i, "switches");
    }
    for (uint32_t i = 0; i < wm_clock_channels(clock); i++)
        list(&to, &wm_dram_channel_counter_set,
             wm_dram_channel_counters_of(wm_clock_channel(clock, i)), graph->memory, i, "timing");
    for (uint32_t from = 0; wm_clock_peer_link_count(clock) != 0 && from < graph->gpus; from++)
        for (uint32_t to_gpu = 0; to_gpu < graph->gpus; to_gpu++)
            if (from != to_gpu)
                list_peer_link(clock, from, to_gpu, &to);
    return (size_t)(to.next - components);
}

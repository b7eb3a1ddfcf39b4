#include "mem/timed/coherent/memory_caches.h"

#include "base/containers/array.h"
#include "mem/system/memory_state.h"
#include "mem/timed/topology.h"

#include <stdlib.h>

enum { DIRECTORY_LATENCY = 1, WIRE = 1 };

// --- Where lines lie ---

static uint32_t slice_of(void *context, uint32_t node, uint64_t line, uint64_t *index_line)
{
    const struct wm_coherent_memory_caches *caches = context;
    uint32_t level = caches->levels.nodes[node].level;
    *index_line = line;
    return level == WM_MOST_LEVELS
               ? 0
               : wm_level_slice_of_one(&caches->memory->levels[level], line, index_line);
}

// Within the channel: what the others hold is divided out.
static uint64_t channel_of(void *context, uint64_t address, uint32_t *channel)
{
    const struct wm_memory *memory = ((const struct wm_coherent_memory_caches *)context)->memory;
    uint64_t block = wm_channel_of(memory, address, channel);
    uint64_t within = address & ((UINT64_C(1) << memory->channel_shift) - 1);
    return block << memory->channel_shift | within;
}

// --- Building ---

// Cycles of the SMs' clock for those of a clock of so many hertz, 0: the SMs'.
static uint32_t cycles_of(uint64_t cycles, uint64_t hz, uint64_t clock_hz)
{
    struct wm_clock_ratio ratio = wm_clock_ratio_of(hz != 0 ? hz : clock_hz, clock_hz);
    return (uint32_t)wm_clock_convert(&ratio, cycles);
}

// Between the SMs' caches and those below them lies the interconnect; a level's latency has all
// other ways in it, but for a cycle of a wire.
static void set_link(struct wm_coherent_node_spec *node, const struct wm_memory_spec *spec,
                     uint32_t level, uint32_t home, uint64_t clock_hz)
{
    const struct wm_interconnect_spec *interconnect = &spec->interconnect;
    bool crosses = spec->levels[level].place == WM_PLACE_GPU && !wm_timed_is_below(spec, level) &&
                   (home == WM_MOST_LEVELS || wm_timed_is_below(spec, home));
    uint32_t latency = cycles_of(interconnect->latency, interconnect->clock_hz, clock_hz);
    node->link_latency = crosses && latency > WIRE ? latency : WIRE;
    node->flit_bytes = interconnect->flit_bytes;
}

static void describe_node(const struct wm_coherent_memory_caches *caches, uint32_t number,
                          struct wm_cache **slices, uint64_t clock_hz,
                          struct wm_coherent_node_spec *spec)
{
    const struct wm_coherent_node *node = &caches->levels.nodes[number];
    const struct wm_memory_spec *memory = &caches->memory->spec;
    *spec = (struct wm_coherent_node_spec){.home = node->home == WM_NO_NODE ? WM_COHERENT_MEMORY
                                                                            : node->home,
                                           .slices = 1,
                                           .latency = DIRECTORY_LATENCY};
    if (node->level == WM_MOST_LEVELS)
        return;
    const struct wm_cache_level *level = &caches->memory->levels[node->level];
    struct wm_cache_timing timing = wm_level_timing(memory, node->level);
    spec->slices = (uint32_t)level->slices.divisor;
    spec->caches = slices;
    for (uint32_t i = 0; i < spec->slices; i++)
        slices[i] = &level->caches[node->instance * spec->slices + i];
    spec->latency = cycles_of(timing.latency, timing.clock_hz, clock_hz);
    spec->mshr_entries = timing.mshr_entries != 0 ? timing.mshr_entries : 1;
    spec->mshr_merges = timing.mshr_merges != 0 ? timing.mshr_merges : 1;
    spec->evictions = timing.queue != 0 ? timing.queue : 1;
    uint32_t home =
        node->home == WM_NO_NODE ? WM_MOST_LEVELS : caches->levels.nodes[node->home].level;
    set_link(spec, memory, node->level, home, clock_hz);
}

static uint32_t count_caches(const struct wm_memory *memory)
{
    uint32_t count = 0;
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++)
        if (wm_level_is_coherent(&memory->spec, level))
            count += memory->levels[level].count;
    return count;
}

static enum wm_status build(struct wm_coherent_memory_caches *caches,
                            struct wm_coherent_node_spec *nodes, struct wm_cache **slices,
                            const struct wm_dram_channel_spec *dram, uint64_t clock_hz,
                            struct wm_error *error)
{
    const struct wm_memory *memory = caches->memory;
    uint32_t slice = 0, line_bytes = 0;
    for (uint32_t i = 0; i < caches->levels.node_count; i++) {
        describe_node(caches, i, slices + slice, clock_hz, &nodes[i]);
        if (nodes[i].caches == NULL)
            continue;
        slice += nodes[i].slices;
        line_bytes = nodes[i].caches[0]->line_bytes;
    }
    struct wm_coherent_caches_spec spec = {
        .nodes = nodes,
        .node_count = caches->levels.node_count,
        .line_bytes = line_bytes,
        .clock_hz = clock_hz,
        .dram = dram,
        .channels = memory->spec.dram.channels,
        .map = {.context = caches, .slice = slice_of, .channel = channel_of},
        .done = caches->users.done,
        .changed = caches->users.changed,
        .context = caches->users.context};
    return wm_coherent_caches_new(&spec, &caches->caches, error);
}

enum wm_status wm_coherent_memory_caches_init(struct wm_coherent_memory_caches *caches,
                                              struct wm_memory *memory,
                                              const struct wm_coherent_users *users,
                                              const struct wm_dram_channel_spec *dram,
                                              uint64_t clock_hz, struct wm_error *error)
{
    struct wm_coherent_node_spec *nodes = NULL;
    struct wm_cache **slices = NULL;
    *caches = (struct wm_coherent_memory_caches){.memory = memory, .users = *users};
    WM_TRY(wm_coherent_levels_init(&caches->levels, &memory->spec, error));
    enum wm_status status =
        WM_ARRAY_NEW(nodes, caches->levels.node_count, error, "coherent caches in time");
    if (status == WM_OK)
        status = WM_ARRAY_NEW(slices, count_caches(memory), error, "coherent caches in time");
    if (status == WM_OK)
        status = build(caches, nodes, slices, dram, clock_hz, error);
    free(nodes);
    free(slices);
    return status;
}

void wm_coherent_memory_caches_release(struct wm_coherent_memory_caches *caches)
{
    wm_coherent_caches_free(caches->caches);
    wm_coherent_levels_release(&caches->levels);
}

uint32_t wm_coherent_node_of_unit(const struct wm_coherent_memory_caches *caches, uint32_t unit)
{
    const struct wm_cache_level *level = caches->memory->first_of_unit[unit];
    return caches->levels.first_node[level->number] + wm_level_instance(level, unit);
}

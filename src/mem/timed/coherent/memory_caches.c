#include "mem/timed/coherent/memory_caches.h"

#include "base/containers/array.h"
#include "mem/system/coherent_memory.h"
#include "mem/system/memory_state.h"
#include "mem/timed/topology.h"

#include <stdlib.h>

enum { DIRECTORY_LATENCY = 1, WIRE = 1 };

// --- Where lines lie ---

static uint32_t slice_of(void *context, uint32_t node, uint64_t line, uint64_t *index_line)
{
    const struct wm_coherent_memory_caches *caches = context;
    uint32_t level = caches->levels->nodes[node].level, channel;
    *index_line = line;
    if (level != WM_MOST_LEVELS)
        return wm_level_slice_of_one(&caches->memory->levels[level], line, index_line);
    wm_channel_of(caches->memory, line * caches->line_bytes, &channel);
    return channel;
}

// Within the channel: what the others hold is divided out.
static uint64_t channel_of(void *context, uint64_t address, uint32_t *channel)
{
    const struct wm_memory *memory = ((const struct wm_coherent_memory_caches *)context)->memory;
    uint64_t block = wm_channel_of(memory, address, channel);
    uint64_t within = address & ((UINT64_C(1) << memory->channel_shift) - 1);
    return block << memory->channel_shift | within;
}

// --- The users, and memory ---

static void done(void *context, uint64_t token, uint64_t cycle, uint32_t origin)
{
    const struct wm_coherent_memory_caches *caches = context;
    caches->users.done(caches->users.context, token, cycle, origin);
}

static void changed(void *context, uint32_t node, uint32_t slice)
{
    const struct wm_coherent_memory_caches *caches = context;
    caches->users.changed(caches->users.context, node, slice);
}

static void left(void *context, uint32_t node, uint64_t line)
{
    const struct wm_coherent_memory_caches *caches = context;
    caches->users.left(caches->users.context, node, line);
}

static struct wm_instruction_counters *charged(void *context, const struct wm_requester *requester)
{
    const struct wm_coherent_memory_caches *caches = context;
    struct wm_instruction_counters *counters =
        requester != NULL ? caches->users.charged(caches->users.context, requester) : NULL;
    return counters != NULL ? counters : &caches->memory->unattributed;
}

static struct wm_instruction_misses *explains(void *context, const struct wm_requester *requester)
{
    const struct wm_coherent_memory_caches *caches = context;
    return caches->users.explains(caches->users.context, requester);
}

static void use_channel(struct wm_memory *memory, uint64_t address, uint32_t sectors, bool write,
                        struct wm_instruction_counters *pays)
{
    uint32_t channel;
    wm_channel_of(memory, address, &channel);
    wm_count_dram(memory, channel, write, (uint32_t)((UINT64_C(1) << sectors) - 1),
                  (sectors + memory->burst_sectors - 1) / memory->burst_sectors, pays);
}

// A line is in one channel's block, or in several.
static void use_memory(void *context, uint64_t line, bool write,
                       struct wm_instruction_counters *pays)
{
    const struct wm_coherent_memory_caches *caches = context;
    struct wm_memory *memory = caches->memory;
    uint64_t bytes = caches->line_bytes, block = UINT64_C(1) << memory->channel_shift;
    block = block < bytes ? block : bytes;
    for (uint64_t at = 0; at < bytes; at += block)
        use_channel(memory, line * bytes + at, (uint32_t)(block / WM_SECTOR_BYTES), write, pays);
}

static bool is_under_way(const void *context, uint64_t line)
{
    return wm_coherent_caches_are_busy(context, line);
}

// --- Building ---

uint32_t wm_coherent_cycles_of(const struct wm_coherent_memory_caches *caches, uint64_t cycles,
                               uint64_t hz)
{
    struct wm_clock_ratio ratio = wm_clock_ratio_of(hz, caches->clocks.caches);
    return (uint32_t)wm_clock_convert(&ratio, cycles);
}

// Between the SMs' caches and those below them lies the interconnect; a level's latency has all
// other ways in it, but for a cycle of a wire, where it says nothing of its link.
static void set_link(const struct wm_coherent_memory_caches *caches,
                     struct wm_coherent_node_spec *node, uint32_t level, uint64_t level_hz)
{
    const struct wm_memory_spec *spec = &caches->memory->spec;
    const struct wm_interconnect_spec *interconnect = &spec->interconnect;
    uint32_t described = spec->levels[level].link_latency;
    uint64_t hz = interconnect->clock_hz != 0 ? interconnect->clock_hz : caches->clocks.sms;
    uint32_t latency = wm_coherent_cycles_of(caches, described, level_hz);
    if (node->home != WM_COHERENT_MEMORY) {
        if (wm_timed_crosses_network(spec, level))
            latency = wm_coherent_cycles_of(caches, interconnect->latency, hz);
        latency = latency > WIRE ? latency : WIRE;
    }
    node->link_latency = latency;
    node->flit_bytes = interconnect->flit_bytes;
}

static void describe_node(const struct wm_coherent_memory_caches *caches, uint32_t number,
                          struct wm_cache **slices, struct wm_coherent_cache **beside,
                          struct wm_coherent_node_spec *spec)
{
    const struct wm_coherent_node *node = &caches->levels->nodes[number];
    const struct wm_memory_spec *memory = &caches->memory->spec;
    *spec = (struct wm_coherent_node_spec){.home = node->home == WM_NO_NODE ? WM_COHERENT_MEMORY
                                                                            : node->home,
                                           .slices = 1,
                                           .latency = DIRECTORY_LATENCY};
    // The directory is beside memory: a slice at each channel.
    if (node->level == WM_MOST_LEVELS) {
        spec->slices = memory->dram.channels;
        return;
    }
    const struct wm_cache_level *level = &caches->memory->levels[node->level];
    struct wm_cache_timing timing = wm_level_timing(memory, node->level);
    spec->slices = (uint32_t)level->slices.divisor;
    spec->caches = slices;
    spec->beside = beside;
    spec->level = node->level;
    spec->prefetches = level->prefetchers.ops != NULL ? level : NULL;
    for (uint32_t i = 0; i < spec->slices; i++) {
        uint32_t cache = node->instance * spec->slices + i;
        slices[i] = &level->caches[cache];
        beside[i] = &caches->memory->coherent->caches[node->level][cache];
    }
    uint64_t hz = memory->levels[node->level].place == WM_PLACE_CPU ? caches->clocks.cores
                                                                    : caches->clocks.sms;
    hz = timing.clock_hz != 0 ? timing.clock_hz : hz;
    spec->latency = wm_coherent_cycles_of(caches, timing.latency, hz);
    spec->mshr_entries = timing.mshr_entries != 0 ? timing.mshr_entries : 1;
    spec->mshr_merges = timing.mshr_merges != 0 ? timing.mshr_merges : 1;
    spec->evictions = spec->mshr_entries; // each miss may displace a line
    set_link(caches, spec, node->level, hz);
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
                            struct wm_coherent_cache **beside,
                            const struct wm_dram_channel_spec *dram, struct wm_error *error)
{
    const struct wm_memory *memory = caches->memory;
    uint32_t slice = 0, line_bytes = 0;
    for (uint32_t i = 0; i < caches->levels->node_count; i++) {
        describe_node(caches, i, slices + slice, beside + slice, &nodes[i]);
        if (nodes[i].caches == NULL)
            continue;
        slice += nodes[i].slices;
        line_bytes = nodes[i].caches[0]->line_bytes;
    }
    struct wm_coherent_caches_spec spec = {
        .nodes = nodes,
        .node_count = caches->levels->node_count,
        .forwards_clean = memory->spec.dram.clean_forward,
        .line_bytes = line_bytes,
        .clock_hz = caches->clocks.caches,
        .dram = dram,
        .channels = memory->spec.dram.channels,
        .map = {.context = caches, .slice = slice_of, .channel = channel_of},
        .done = done,
        .changed = changed,
        .left = caches->users.left != NULL ? left : NULL,
        .charged = charged,
        .uses_memory = use_memory,
        .explained = memory->shadows != NULL ? caches->memory : NULL,
        .explains = explains,
        .directory = caches->levels->has_directory ? &memory->coherent->directory : NULL,
        .directory_counters = &memory->coherent->directory_counters,
        .context = caches};
    caches->line_bytes = line_bytes;
    return wm_coherent_caches_new(&spec, &caches->caches, error);
}

enum wm_status wm_coherent_memory_caches_init(struct wm_coherent_memory_caches *caches,
                                              struct wm_memory *memory,
                                              const struct wm_coherent_users *users,
                                              const struct wm_dram_channel_spec *dram,
                                              const struct wm_coherent_clocks *clocks,
                                              struct wm_error *error)
{
    struct wm_coherent_node_spec *nodes = NULL;
    struct wm_cache **slices = NULL;
    struct wm_coherent_cache **beside = NULL;
    *caches =
        (struct wm_coherent_memory_caches){.memory = memory, .users = *users, .clocks = *clocks};
    caches->levels = &memory->coherent->levels;
    enum wm_status status =
        WM_ARRAY_NEW(nodes, caches->levels->node_count, error, "coherent caches in time");
    if (status == WM_OK)
        status = WM_ARRAY_NEW(slices, count_caches(memory), error, "coherent caches in time");
    if (status == WM_OK)
        status = WM_ARRAY_NEW(beside, count_caches(memory), error, "coherent caches in time");
    if (status == WM_OK)
        status = build(caches, nodes, slices, beside, dram, error);
    free(beside);
    free(nodes);
    free(slices);
    if (status == WM_OK) {
        memory->coherent->is_under_way = is_under_way;
        memory->coherent->context = caches->caches;
    }
    return status;
}

void wm_coherent_memory_caches_release(struct wm_coherent_memory_caches *caches)
{
    if (caches->memory != NULL)
        caches->memory->coherent->is_under_way = NULL;
    wm_coherent_caches_free(caches->caches);
}

uint32_t wm_coherent_node_of_unit(const struct wm_coherent_memory_caches *caches, uint32_t unit)
{
    const struct wm_cache_level *level = caches->memory->first_of_unit[unit];
    uint32_t first = level != NULL ? caches->levels->first_node[level->number] : WM_NO_NODE;
    return first != WM_NO_NODE ? first + wm_level_instance(level, unit) : WM_NO_NODE;
}

// --- Bypass entries ---

// Operators alone say nothing to a coherent L1 (docs/memory-system.md, R18).
static bool has_entry(const struct wm_memory *memory, const struct wm_request *request)
{
    return memory->bypass != NULL && request->kind == WM_ACCESS_LOAD &&
           request->hint != WM_HINT_VOLATILE && !request->around_l1 &&
           memory->first_of_unit[request->sm] == &memory->levels[WM_LEVEL_L1];
}

static struct wm_bypass_event event_of(const struct wm_memory *memory,
                                       const struct wm_request *request)
{
    return wm_memory_bypass_event(request, memory->levels[WM_LEVEL_L1].line_shift);
}

enum wm_bypass_decision wm_coherent_decide(const struct wm_coherent_memory_caches *caches,
                                           const struct wm_request *request)
{
    if (!has_entry(caches->memory, request))
        return WM_BYPASS_NO;
    const struct wm_bypass_event event = event_of(caches->memory, request);
    return wm_memory_bypass_decide(caches->memory, &event);
}

void wm_coherent_served(const struct wm_coherent_memory_caches *caches,
                        const struct wm_request *request, enum wm_bypass_decision decision,
                        bool missed)
{
    struct wm_memory *memory = caches->memory;
    if (!has_entry(memory, request) || decision == WM_BYPASS_LOOKUP ||
        memory->bypass->served == NULL)
        return;
    const struct wm_bypass_event event = event_of(memory, request);
    memory->bypass->served(wm_memory_bypass_state(memory, memory->l1_of_sm[request->sm]), &event,
                           missed ? request->sectors : 0);
}

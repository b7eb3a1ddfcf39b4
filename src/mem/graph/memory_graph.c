#include "mem/graph/memory_graph.h"

#include "base/access/access.h"
#include "mem/timed/network/butterfly.h"
#include "mem/timed/topology.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// --- Components ---

// Returns its index.
static uint32_t add(struct wm_memory_graph *graph, const struct wm_memory_component *component)
{
    assert(graph->component_count < WM_MEMORY_GRAPH_COMPONENTS);
    struct wm_memory_component *added = &graph->components[graph->component_count];
    *added = *component;
    added->below = WM_NO_COMPONENT;
    if (added->part_title == NULL)
        added->parts = 1;
    added->all_bytes = added->bytes * added->instances;
    return graph->component_count++;
}

static uint32_t units_at(const struct wm_memory_graph *graph, enum wm_level_place place)
{
    return place == WM_PLACE_CPU ? graph->cores : graph->units;
}

// One of all units of its place.
static void be_one(struct wm_memory_component *component)
{
    component->instances = 1;
    component->inside = WM_NO_COMPONENT;
}

// One of each group of `units_each` units, in which it is named.
static void be_in_units(const struct wm_memory_graph *graph, struct wm_memory_component *component,
                        uint32_t units_each)
{
    uint32_t inside = units_at(graph, component->place),
             units = graph->components[inside].instances;
    uint32_t each = units_each <= 1 ? 1 : units_each;
    component->instances = wm_sm_groups(units, each);
    component->units_each = each < units ? each : units;
    component->inside = inside;
    component->stride = each;
}

static void add_units(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    for (enum wm_level_place place = WM_PLACE_GPU; place < WM_PLACE_MACHINE; place++) {
        struct wm_unit_group units = wm_units_of(spec, place);
        struct wm_memory_component component = {.kind = WM_COMPONENT_UNITS,
                                                .place = place,
                                                .level = WM_MOST_LEVELS,
                                                .instances = units.count,
                                                .units_each = 1,
                                                .inside = WM_NO_COMPONENT,
                                                .numbering = WM_NUMBERED};
        if (units.count == 0)
            continue;
        snprintf(component.name, sizeof component.name, "%s", units.name);
        snprintf(component.title, sizeof component.title, "%s",
                 place == WM_PLACE_CPU ? "core" : "SM");
        *(place == WM_PLACE_CPU ? &graph->cores : &graph->units) = add(graph, &component);
    }
}

// What people call the levels that have a number of their own.
static const char *const titles[WM_LEVELS_NAMED] = {
    [WM_LEVEL_L1] = "L1",
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT] = "constant cache",
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE] = "texture cache",
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR] = "scalar cache",
    [WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION] = "instruction cache",
    [WM_LEVEL_L2] = "L2",
};

// Constants that no cache is for use that of uniform loads.
static unsigned served_by(const struct wm_memory_spec *spec, uint32_t level)
{
    unsigned serves = wm_level_serves(spec, level);
    bool uniform = spec->levels[level].place == WM_PLACE_GPU && (serves & WM_SERVES_UNIFORM);
    if (uniform && wm_level_first(spec, 0, WM_SERVES_CONSTANT) == WM_BELOW_MEMORY)
        serves |= WM_SERVES_CONSTANT;
    return serves;
}

// Fetches of instructions take no time (docs/engine-clock.md).
static uint32_t latency_of(const struct wm_memory_spec *spec, uint32_t level)
{
    bool fetches = level == WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION;
    return fetches ? 0 : wm_level_timing(spec, level).latency;
}

static struct wm_memory_component level_component(const struct wm_memory_spec *spec, uint32_t level)
{
    const struct wm_level_spec *described = &spec->levels[level];
    const struct wm_cache_spec *cache = &described->cache;
    struct wm_memory_component component = {
        .kind = WM_COMPONENT_LEVEL,
        .place = described->place,
        .level = level,
        .parts = described->slices,
        .part_title = described->slices != 0 ? "slice" : NULL,
        .bytes = cache->size_bytes,
        .line_bytes = cache->line_bytes,
        .sector_bytes = wm_level_is_side(level) ? cache->line_bytes : cache->sector_bytes,
        .ways = cache->ways,
        .serves = served_by(spec, level),
        .latency = latency_of(spec, level),
        .clock_hz = described->timing.clock_hz,
        .numbering = described->slices != 0 ? WM_NUMBERED : WM_NUMBERED_NOT};
    snprintf(component.name, sizeof component.name, "%s", wm_level_name(spec, level));
    snprintf(component.title, sizeof component.title, "%s",
             level < WM_LEVELS_NAMED ? titles[level] : component.name);
    return component;
}

// Behind each cache of its level; that of an L1 is named beside it.
static void add_victim(struct wm_memory_graph *graph, const struct wm_memory_spec *spec,
                       uint32_t level)
{
    const struct wm_level_spec *described = &spec->levels[level];
    if (described->victim_lines == 0)
        return;
    struct wm_memory_component victim = graph->components[graph->levels[level]];
    victim.kind = WM_COMPONENT_VICTIM;
    victim.bytes = (uint64_t)described->victim_lines * described->cache.line_bytes;
    victim.ways = described->victim_lines;
    victim.latency = described->victim_latency;
    victim.serves = 0;
    snprintf(victim.name, sizeof victim.name, "victim");
    snprintf(victim.title, sizeof victim.title, "victim cache");
    if (level != WM_LEVEL_L1) {
        victim.instances *= victim.parts;
        victim.parts = 1;
        victim.part_title = NULL;
        victim.numbering = WM_NUMBERED_NOT;
        victim.inside = graph->levels[level];
        victim.stride = 1;
    }
    graph->victims[level] = add(graph, &victim);
}

static void add_atomic_buffer(struct wm_memory_graph *graph, const struct wm_memory_spec *spec,
                              uint32_t level)
{
    uint32_t lines = spec->levels[level].atomic_buffer_lines;
    const struct wm_memory_component *of = &graph->components[graph->levels[level]];
    if (lines == 0)
        return;
    const struct wm_memory_component buffer = {.kind = WM_COMPONENT_ATOMIC_BUFFER,
                                               .name = "atomic_buffer",
                                               .title = "atomic buffer",
                                               .place = of->place,
                                               .level = level,
                                               .instances = of->instances * of->parts,
                                               .entries = lines,
                                               .line_bytes = WM_SECTOR_BYTES,
                                               .sector_bytes = WM_SECTOR_BYTES,
                                               .ways = lines,
                                               .bytes = (uint64_t)lines * WM_SECTOR_BYTES,
                                               .serves = WM_SERVES_ATOMICS,
                                               .inside = graph->levels[level],
                                               .stride = 1};
    graph->atomic_buffers[level] = add(graph, &buffer);
}

static bool is_of_all(const struct wm_memory_spec *spec, uint32_t level)
{
    return wm_level_units_each(spec, level) == WM_UNITS_ALL ||
           spec->levels[level].place == WM_PLACE_MACHINE;
}

static uint32_t levels_below(const struct wm_memory_spec *spec, uint32_t level)
{
    uint32_t count = 0;
    while ((level = wm_level_below(spec, level)) < WM_MOST_LEVELS && count < WM_MOST_LEVELS)
        count++;
    return count;
}

// Those of all units, or the others; the farthest from memory first, and by number.
static void add_levels(struct wm_memory_graph *graph, const struct wm_memory_spec *spec,
                       bool of_all)
{
    for (uint32_t left = WM_MOST_LEVELS; left-- > 0;)
        for (uint32_t level = 0; level < WM_MOST_LEVELS; level++) {
            if (!spec->levels[level].cache.present || is_of_all(spec, level) != of_all ||
                levels_below(spec, level) != left)
                continue;
            struct wm_memory_component component = level_component(spec, level);
            if (of_all)
                be_one(&component);
            else
                be_in_units(graph, &component, wm_level_units_each(spec, level));
            graph->levels[level] = add(graph, &component);
            add_victim(graph, spec, level);
            add_atomic_buffer(graph, spec, level);
        }
}

static struct wm_memory_component tlb_component(const struct wm_tlb_spec *spec,
                                                const struct wm_tlb_level_spec *level,
                                                const char *title)
{
    struct wm_memory_component tlb = {.kind = WM_COMPONENT_TLB,
                                      .name = "tlb",
                                      .level = WM_MOST_LEVELS,
                                      .entries = level->entries,
                                      .line_bytes = spec->page_bytes,
                                      .ways = level->ways};
    snprintf(tlb.title, sizeof tlb.title, "%s", title);
    return tlb;
}

static void add_tlbs(struct wm_memory_graph *graph, const struct wm_tlb_spec *spec)
{
    if (!spec->present)
        return;
    struct wm_memory_component l1 = tlb_component(spec, &spec->l1, "L1 TLB");
    be_in_units(graph, &l1, spec->sms_each);
    graph->l1_tlb = add(graph, &l1);
    if (spec->l2.entries == 0)
        return;
    struct wm_memory_component l2 = tlb_component(spec, &spec->l2, "L2 TLB");
    be_one(&l2);
    graph->l2_tlb = add(graph, &l2);
}

static void add_tracker(struct wm_memory_graph *graph, const struct wm_tracker_spec *spec)
{
    if (!spec->present)
        return;
    struct wm_memory_component tracker = {.kind = WM_COMPONENT_TRACKER,
                                          .name = "tracker",
                                          .title = "sharing tracker",
                                          .level = WM_LEVEL_L1,
                                          .parts = spec->banks,
                                          .part_title = "bank",
                                          .entries = spec->sets * spec->ways,
                                          .ways = spec->ways,
                                          .latency = spec->latency,
                                          .numbering = WM_NUMBERED_TO_PARTS};
    be_in_units(graph, &tracker, spec->sms_each);
    tracker.inside = WM_NO_COMPONENT; // "tracker[0]", not "sm[0].tracker"
    graph->tracker = add(graph, &tracker);
}

// Of a level that something misses to, or memory (mem/timed/topology.h).
static bool is_behind_network(const struct wm_memory_spec *spec, uint32_t level)
{
    return level >= WM_MOST_LEVELS || wm_timed_is_below(spec, level);
}

// A network for each direction. Crossbars have no stages.
static void add_networks(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    struct wm_memory_component network = {.kind = WM_COMPONENT_NETWORK,
                                          .name = "requests",
                                          .title = "network of requests",
                                          .level = WM_MOST_LEVELS,
                                          .instances = 1,
                                          .parts = wm_network_ends_of(spec).stages,
                                          .part_title = "stage",
                                          .latency = spec->interconnect.latency,
                                          .clock_hz = spec->interconnect.clock_hz,
                                          .inside = WM_NO_COMPONENT,
                                          .numbering = WM_NUMBERED};
    graph->requests = add(graph, &network);
    snprintf(network.name, sizeof network.name, "replies");
    snprintf(network.title, sizeof network.title, "network of replies");
    graph->replies = add(graph, &network);
}

static void add_memory(struct wm_memory_graph *graph, const struct wm_dram_spec *spec)
{
    const struct wm_memory_component memory = {
        .kind = WM_COMPONENT_MEMORY,
        .name = "dram",
        .title = "DRAM",
        .level = WM_MOST_LEVELS,
        .instances = 1,
        .parts = spec->channels,
        .part_title = "channel",
        .bytes_per_second = spec->bandwidth_bytes_per_second,
        .inside = WM_NO_COMPONENT,
        .numbering = WM_NUMBERED,
    };
    graph->memory = add(graph, &memory);
}

// --- Links ---

static struct wm_memory_link *join(struct wm_memory_graph *graph, uint32_t from, uint32_t to)
{
    assert(graph->link_count < WM_MEMORY_GRAPH_LINKS);
    struct wm_memory_link *link = &graph->links[graph->link_count++];
    *link = (struct wm_memory_link){.from = from,
                                    .to = to,
                                    .requests = WM_NO_COMPONENT,
                                    .replies = WM_NO_COMPONENT,
                                    .ports_above = graph->components[from].instances,
                                    .ports_below = graph->components[to].instances};
    graph->components[to].above |= UINT64_C(1) << from;
    return link;
}

// What banks as shared memory's serve in a cycle (gpu.l1.lane_banks).
enum { LANE_BANK_BYTES = WM_SHARED_BANKS * WM_SHARED_BANK_BYTES };

// A unit's port: so many requests of a line each in a cycle, of an L1 no more than its banks serve
// (docs/engine-clock.md).
static void join_units(struct wm_memory_graph *graph, const struct wm_memory_spec *spec,
                       uint32_t cache)
{
    const struct wm_memory_component *component = &graph->components[cache];
    struct wm_memory_link *link = join(graph, units_at(graph, component->place), cache);
    const struct wm_level_spec *level = &spec->levels[component->level];
    link->ports_below = link->ports_above;
    if (component->serves & WM_SERVES_INSTRUCTIONS)
        return;
    link->bytes_per_cycle =
        (uint32_t)component->line_bytes * wm_level_ports(spec, component->level);
    uint32_t banks = level->banks.count * level->banks.width_bytes;
    if (banks != 0 && banks < link->bytes_per_cycle)
        link->bytes_per_cycle = banks;
    if (level->banks.of_lanes && link->bytes_per_cycle > LANE_BANK_BYTES)
        link->bytes_per_cycle = LANE_BANK_BYTES;
}

// Caches where units' accesses begin have one port of each unit together, and so has what stands
// behind them; others one of each of their parts.
static uint32_t ports_of(const struct wm_memory_graph *graph, uint32_t from)
{
    const struct wm_memory_component *component = &graph->components[from];
    bool is_behind = component->kind == WM_COMPONENT_LEVEL && component->serves == 0;
    if (component->kind == WM_COMPONENT_VICTIM)
        is_behind = graph->components[graph->levels[component->level]].serves == 0;
    return is_behind ? component->instances * component->parts
                     : graph->components[units_at(graph, component->place)].instances;
}

// What a component lacks goes to another, or to memory; units lack nothing, as they hold nothing.
// What some SMs have reaches what all have through the interconnect.
static void join_below(struct wm_memory_graph *graph, const struct wm_memory_spec *spec,
                       uint32_t from, uint32_t level)
{
    const struct wm_interconnect_spec *interconnect = &spec->interconnect;
    uint32_t to = level < WM_MOST_LEVELS ? graph->levels[level] : graph->memory;
    const struct wm_memory_component *above = &graph->components[from];
    struct wm_memory_link *link = join(graph, from, to);
    if (above->kind != WM_COMPONENT_UNITS)
        graph->components[from].below = to;
    link->ports_above = ports_of(graph, from);
    link->ports_below = graph->components[to].instances * graph->components[to].parts;
    bool is_behind = above->level < WM_MOST_LEVELS && is_behind_network(spec, above->level);
    if (above->kind == WM_COMPONENT_LEVEL) {
        link->latency = spec->levels[above->level].link_latency;
        link->clock_hz = above->clock_hz;
    }
    if (!is_behind_network(spec, level) || is_behind || above->place != WM_PLACE_GPU)
        return;
    link->requests = graph->requests;
    link->replies = graph->replies;
    link->topology = interconnect->topology == WM_BUTTERFLY ? WM_LINK_BUTTERFLY : WM_LINK_CROSSBAR;
    link->latency = interconnect->latency;
    link->clock_hz = interconnect->clock_hz;
    link->bytes_per_cycle = interconnect->flit_bytes;
}

static void link_level(struct wm_memory_graph *graph, const struct wm_memory_spec *spec,
                       uint32_t level)
{
    uint32_t last = graph->levels[level];
    bool has_tracker = level == WM_LEVEL_L1 && graph->tracker != WM_NO_COMPONENT;
    const uint32_t next[] = {graph->victims[level], has_tracker ? graph->tracker : WM_NO_COMPONENT};
    if (graph->components[last].serves != 0)
        join_units(graph, spec, last);
    if (graph->atomic_buffers[level] != WM_NO_COMPONENT) {
        struct wm_memory_link *link = join(graph, last, graph->atomic_buffers[level]);
        link->ports_above = link->ports_below;
        graph->components[graph->atomic_buffers[level]].below = last;
    }
    for (size_t i = 0; i < sizeof next / sizeof next[0]; i++) {
        if (next[i] == WM_NO_COMPONENT)
            continue;
        join(graph, last, next[i]);
        graph->components[last].below = next[i];
        last = next[i];
    }
    join_below(graph, spec, last, wm_level_below(spec, level));
}

// Page walks go where data accesses go that no first level serves.
static void link_tlbs(struct wm_memory_graph *graph, const struct wm_memory_spec *spec,
                      uint32_t walks_to)
{
    uint32_t last = graph->l1_tlb;
    if (last == WM_NO_COMPONENT)
        return;
    join(graph, graph->units, last);
    if (graph->l2_tlb != WM_NO_COMPONENT) {
        join(graph, last, graph->l2_tlb);
        graph->components[last].below = graph->l2_tlb;
        last = graph->l2_tlb;
    }
    if (spec->tlb.walks_use_l2)
        join_below(graph, spec, last, walks_to);
}

static void link_all(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    uint32_t first = wm_level_first(spec, 0, WM_SERVES_DATA), below = WM_BELOW_MEMORY;
    below = wm_level_below(spec, first < WM_MOST_LEVELS ? first : WM_LEVEL_L1);
    if (first >= WM_MOST_LEVELS)
        join_below(graph, spec, graph->units, below);
    if (graph->cores != WM_NO_COMPONENT &&
        wm_level_first(spec, spec->sm_count, WM_SERVES_DATA) >= WM_MOST_LEVELS)
        join_below(graph, spec, graph->cores, WM_BELOW_MEMORY);
    for (uint32_t i = 0; i < graph->component_count; i++) {
        if (graph->components[i].kind == WM_COMPONENT_LEVEL)
            link_level(graph, spec, graph->components[i].level);
        else if (i == graph->l1_tlb)
            link_tlbs(graph, spec, below);
    }
}

void wm_memory_graph_make(const struct wm_memory_spec *spec, const char *prefix,
                          struct wm_memory_graph *graph)
{
    *graph = (struct wm_memory_graph){.units = WM_NO_COMPONENT,
                                      .cores = WM_NO_COMPONENT,
                                      .l1_tlb = WM_NO_COMPONENT,
                                      .l2_tlb = WM_NO_COMPONENT,
                                      .tracker = WM_NO_COMPONENT,
                                      .requests = WM_NO_COMPONENT,
                                      .replies = WM_NO_COMPONENT};
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        graph->levels[i] = graph->victims[i] = graph->atomic_buffers[i] = WM_NO_COMPONENT;
    snprintf(graph->prefix, sizeof graph->prefix, "%s", prefix);
    graph->gpus = wm_memory_gpus(spec);
    if (graph->gpus > 1 && graph->prefix[0] != '\0')
        graph->prefix[strlen(graph->prefix) - 1] = '\0';
    add_units(graph, spec);
    add_levels(graph, spec, false);
    add_tlbs(graph, &spec->tlb);
    add_tracker(graph, &spec->levels[WM_LEVEL_L1].tracker);
    add_networks(graph, spec);
    add_levels(graph, spec, true);
    add_memory(graph, &spec->dram);
    link_all(graph, spec);
}

// --- Paths ---

uint32_t wm_memory_graph_path_count(const struct wm_memory_graph *graph, uint32_t component)
{
    if (component == WM_NO_COMPONENT)
        return 0;
    const struct wm_memory_component *counted = &graph->components[component];
    uint32_t gpus = counted->place == WM_PLACE_GPU ? graph->gpus : 1;
    return gpus * counted->instances * counted->parts;
}

static void add_words(char *path, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_words(char *path, size_t size, const char *format, ...)
{
    size_t length = strlen(path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path + length, size - length, format, arguments);
    va_end(arguments);
}

// Recurses through what it is inside of: a part of a level in units. `index` is its number in its
// GPU, whose name `prefix` is.
static void print_path(const struct wm_memory_graph *graph, uint32_t component, uint32_t index,
                       const char *prefix, char *path, size_t size)
{
    static const char *const places[WM_LEVEL_PLACES] = {
        [WM_PLACE_CPU] = "cpu0", [WM_PLACE_MACHINE] = ""};
    const struct wm_memory_component *named = &graph->components[component];
    uint32_t number = index;
    if (named->inside != WM_NO_COMPONENT) {
        print_path(graph, named->inside, index / named->parts * named->stride, prefix, path, size);
        number = index % named->parts;
    } else {
        snprintf(path, size, "%s", named->place == WM_PLACE_GPU ? prefix : places[named->place]);
    }
    add_words(path, size, "%s%s", path[0] != '\0' ? "." : "", named->name);
    if (named->numbering == WM_NUMBERED)
        add_words(path, size, "[%" PRIu32 "]", number);
    else if (named->numbering == WM_NUMBERED_TO_PARTS)
        add_words(path, size, "[%" PRIu32 "].%s[%" PRIu32 "]", number / named->parts,
                  named->part_title, number % named->parts);
}

void wm_memory_graph_path(const struct wm_memory_graph *graph, uint32_t component, uint32_t index,
                          const char *within, char *path, size_t size)
{
    const struct wm_memory_component *named = &graph->components[component];
    uint32_t each = named->parts != 0 ? named->instances * named->parts : 1; // of a GPU
    char prefix[WM_MEMORY_GRAPH_PREFIX_BYTES + 12];
    snprintf(prefix, sizeof prefix, "%s", graph->prefix);
    if (graph->gpus > 1)
        add_words(prefix, sizeof prefix, "%" PRIu32, index / each);
    print_path(graph, component, index % each, prefix, path, size);
    if (within != NULL)
        add_words(path, size, ".%s", within);
}

void wm_memory_graph_peer_path(const struct wm_memory_graph *graph, uint32_t from, uint32_t to,
                               const char *within, char *path, size_t size)
{
    snprintf(path, size, "%s%" PRIu32 ".link.%s%" PRIu32, graph->prefix, from, graph->prefix, to);
    if (within != NULL)
        add_words(path, size, ".%s", within);
}

// --- Peak rates ---

double wm_memory_link_peak(const struct wm_memory_link *link, uint64_t sm_hz)
{
    uint32_t ports = link->ports_above < link->ports_below ? link->ports_above : link->ports_below;
    return (double)ports * link->bytes_per_cycle *
           (double)(link->clock_hz != 0 ? link->clock_hz : sm_hz);
}

const struct wm_memory_link *wm_memory_graph_interconnect(const struct wm_memory_graph *graph)
{
    for (uint32_t i = 0; i < graph->link_count; i++)
        if (graph->links[i].topology != WM_LINK_WIRE)
            return &graph->links[i];
    return NULL;
}

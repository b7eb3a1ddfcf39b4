#include "mem/graph/memory_graph.h"

#include "base/access/access.h"
#include "mem/timed/network/butterfly.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

// The same of one instance for each group of `units_each` units, in which it is named.
static uint32_t add_to_units(struct wm_memory_graph *graph, struct wm_memory_component component,
                             uint32_t units_each)
{
    uint32_t units = graph->components[graph->units].instances;
    uint32_t each = units_each <= 1 ? 1 : units_each;
    component.instances = wm_sm_groups(units, each);
    component.units_each = each < units ? each : units;
    component.inside = graph->units;
    component.stride = each;
    return add(graph, &component);
}

static struct wm_memory_component cache_component(const struct wm_cache_spec *spec,
                                                  const char *name, const char *title)
{
    return (struct wm_memory_component){.kind = WM_COMPONENT_LEVEL,
                                        .name = name,
                                        .title = title,
                                        .bytes = spec->size_bytes,
                                        .line_bytes = spec->line_bytes,
                                        .sector_bytes = spec->sector_bytes,
                                        .ways = spec->ways,
                                        .inside = WM_NO_COMPONENT};
}

// --- Components, from the units down ---

static void add_units(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    const struct wm_memory_component units = {.kind = WM_COMPONENT_UNITS,
                                              .name = "sm",
                                              .title = "SM",
                                              .instances = spec->sm_count,
                                              .units_each = 1,
                                              .inside = WM_NO_COMPONENT,
                                              .numbering = WM_NUMBERED};
    graph->units = add(graph, &units);
}

static void add_l1(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    if (!spec->levels[WM_LEVEL_L1].cache.present)
        return;
    struct wm_memory_component l1 = cache_component(&spec->levels[WM_LEVEL_L1].cache, "l1", "L1");
    l1.latency = spec->levels[WM_LEVEL_L1].timing.latency;
    graph->levels[WM_LEVEL_L1] = add_to_units(graph, l1, spec->levels[WM_LEVEL_L1].units_each);
    if (spec->levels[WM_LEVEL_L1].victim_lines == 0)
        return;
    struct wm_memory_component victim =
        cache_component(&spec->levels[WM_LEVEL_L1].cache, "victim", "victim cache");
    victim.kind = WM_COMPONENT_VICTIM;
    victim.bytes = (uint64_t)spec->levels[WM_LEVEL_L1].victim_lines *
                   spec->levels[WM_LEVEL_L1].cache.line_bytes;
    victim.ways = spec->levels[WM_LEVEL_L1].victim_lines;
    victim.latency = spec->levels[WM_LEVEL_L1].victim_latency;
    graph->victim = add_to_units(graph, victim, spec->levels[WM_LEVEL_L1].units_each);
}

static void add_side_caches(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    static const struct {
        const char *name, *title;
        unsigned serves;
    } kinds[WM_SIDE_CACHE_KINDS] = {
        [WM_SIDE_CACHE_CONSTANT] = {"constant", "constant cache", WM_SERVES_CONSTANT},
        [WM_SIDE_CACHE_TEXTURE] = {"texture", "texture cache", WM_SERVES_READ_ONLY},
        [WM_SIDE_CACHE_SCALAR] = {"scalar", "scalar cache", WM_SERVES_UNIFORM},
        [WM_SIDE_CACHE_INSTRUCTION] = {"instruction", "instruction cache", WM_SERVES_INSTRUCTIONS},
    };
    bool has_constant = spec->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.present;
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        const struct wm_level_spec *side = &spec->levels[WM_LEVEL_SIDE + kind];
        if (!side->cache.present)
            continue;
        struct wm_memory_component component =
            cache_component(&side->cache, kinds[kind].name, kinds[kind].title);
        component.serves = kinds[kind].serves;
        if (kind == WM_SIDE_CACHE_SCALAR && !has_constant)
            component.serves |= WM_SERVES_CONSTANT;
        component.sector_bytes = side->cache.line_bytes; // lines are fetched whole
        component.latency = side->timing.latency != 0 ? side->timing.latency
                                                      : spec->levels[WM_LEVEL_L1].timing.latency;
        graph->levels[WM_LEVEL_SIDE + kind] = add_to_units(graph, component, side->units_each);
    }
}

static struct wm_memory_component tlb_component(const struct wm_tlb_spec *spec,
                                                const struct wm_tlb_level_spec *level,
                                                const char *title)
{
    return (struct wm_memory_component){.kind = WM_COMPONENT_TLB,
                                        .name = "tlb",
                                        .title = title,
                                        .entries = level->entries,
                                        .line_bytes = spec->page_bytes,
                                        .ways = level->ways,
                                        .inside = WM_NO_COMPONENT};
}

static void add_tlbs(struct wm_memory_graph *graph, const struct wm_tlb_spec *spec)
{
    if (!spec->present)
        return;
    graph->l1_tlb = add_to_units(graph, tlb_component(spec, &spec->l1, "L1 TLB"), spec->sms_each);
    if (spec->l2.entries == 0)
        return;
    struct wm_memory_component l2 = tlb_component(spec, &spec->l2, "L2 TLB");
    l2.instances = 1;
    graph->l2_tlb = add(graph, &l2);
}

static void add_tracker(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    if (!spec->levels[WM_LEVEL_L1].tracker.present)
        return;
    struct wm_memory_component tracker = {.kind = WM_COMPONENT_TRACKER,
                                          .name = "tracker",
                                          .title = "sharing tracker",
                                          .parts = spec->levels[WM_LEVEL_L1].tracker.banks,
                                          .part_title = "bank",
                                          .entries = spec->levels[WM_LEVEL_L1].tracker.sets *
                                                     spec->levels[WM_LEVEL_L1].tracker.ways,
                                          .ways = spec->levels[WM_LEVEL_L1].tracker.ways,
                                          .latency = spec->levels[WM_LEVEL_L1].tracker.latency,
                                          .numbering = WM_NUMBERED_TO_PARTS};
    uint32_t index = add_to_units(graph, tracker, spec->levels[WM_LEVEL_L1].tracker.sms_each);
    graph->components[index].inside = WM_NO_COMPONENT; // "tracker[0]", not "sm[0].tracker"
    graph->tracker = index;
}

// A network for each direction. Crossbars have no stages.
static void add_networks(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    struct wm_memory_component network = {.kind = WM_COMPONENT_NETWORK,
                                          .name = "requests",
                                          .title = "network of requests",
                                          .instances = 1,
                                          .parts = wm_network_ends_of(spec).stages,
                                          .part_title = "stage",
                                          .latency = spec->interconnect.latency,
                                          .clock_hz = spec->interconnect.clock_hz,
                                          .inside = WM_NO_COMPONENT,
                                          .numbering = WM_NUMBERED};
    graph->requests = add(graph, &network);
    network.name = "replies";
    network.title = "network of replies";
    graph->replies = add(graph, &network);
}

static void add_l2(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    if (!spec->levels[WM_LEVEL_L2].cache.present)
        return;
    struct wm_memory_component l2 = cache_component(&spec->levels[WM_LEVEL_L2].cache, "l2", "L2");
    l2.instances = 1;
    l2.parts = spec->levels[WM_LEVEL_L2].slices;
    l2.part_title = "slice";
    l2.latency = spec->levels[WM_LEVEL_L2].timing.latency;
    l2.clock_hz = spec->levels[WM_LEVEL_L2].timing.clock_hz;
    l2.numbering = WM_NUMBERED;
    graph->levels[WM_LEVEL_L2] = add(graph, &l2);
    if (spec->levels[WM_LEVEL_L2].atomic_buffer_lines == 0)
        return;
    const struct wm_memory_component buffer = {
        .kind = WM_COMPONENT_ATOMIC_BUFFER,
        .name = "atomic_buffer",
        .title = "atomic buffer",
        .instances = spec->levels[WM_LEVEL_L2].slices,
        .entries = spec->levels[WM_LEVEL_L2].atomic_buffer_lines,
        .line_bytes = WM_SECTOR_BYTES,
        .sector_bytes = WM_SECTOR_BYTES,
        .ways = spec->levels[WM_LEVEL_L2].atomic_buffer_lines,
        .bytes = (uint64_t)spec->levels[WM_LEVEL_L2].atomic_buffer_lines * WM_SECTOR_BYTES,
        .serves = WM_SERVES_ATOMICS,
        .inside = graph->levels[WM_LEVEL_L2],
        .stride = 1};
    graph->atomic_buffer = add(graph, &buffer);
}

static void add_memory(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    const struct wm_memory_component memory = {
        .kind = WM_COMPONENT_MEMORY,
        .name = "dram",
        .title = "DRAM",
        .instances = 1,
        .parts = spec->dram.channels,
        .part_title = "channel",
        .bytes_per_second = spec->dram.bandwidth_bytes_per_second,
        .inside = WM_NO_COMPONENT,
        .numbering = WM_NUMBERED,
    };
    graph->memory = add(graph, &memory);
}

// --- Links ---

// Where what `from` lacks goes; units lack nothing, as they hold nothing.
static void set_below(struct wm_memory_graph *graph, uint32_t from, uint32_t below)
{
    if (from != graph->units)
        graph->components[from].below = below;
}

static struct wm_memory_link *join(struct wm_memory_graph *graph, uint32_t from, uint32_t to)
{
    assert(graph->link_count < WM_MEMORY_GRAPH_LINKS);
    struct wm_memory_link *link = &graph->links[graph->link_count++];
    uint32_t above = graph->components[from].instances, below = graph->components[to].instances;
    *link = (struct wm_memory_link){.from = from,
                                    .to = to,
                                    .requests = WM_NO_COMPONENT,
                                    .replies = WM_NO_COMPONENT,
                                    .ports_above = above,
                                    .ports_below = below};
    graph->components[to].above |= 1U << from;
    return link;
}

// A unit's port: so many requests of a line each in a cycle, of an L1 no more than its banks serve
// (docs/engine-clock.md).
static void join_units(struct wm_memory_graph *graph, const struct wm_memory_spec *spec,
                       uint32_t cache)
{
    struct wm_memory_link *link = join(graph, graph->units, cache);
    uint64_t line_bytes = graph->components[cache].line_bytes;
    link->ports_below = link->ports_above;
    if (graph->components[cache].serves & WM_SERVES_INSTRUCTIONS)
        return;
    link->bytes_per_cycle =
        (uint32_t)line_bytes *
        (spec->levels[WM_LEVEL_L1].ports <= 1 ? 1 : spec->levels[WM_LEVEL_L1].ports);
    uint32_t banks =
        spec->levels[WM_LEVEL_L1].banks.count * spec->levels[WM_LEVEL_L1].banks.width_bytes;
    if (cache == graph->levels[WM_LEVEL_L1] && banks != 0 && banks < link->bytes_per_cycle)
        link->bytes_per_cycle = banks;
}

// What a component above the shared levels lacks comes through the interconnect. Its caches have
// one port of each unit together.
static void join_shared(struct wm_memory_graph *graph, const struct wm_memory_spec *spec,
                        uint32_t from)
{
    const struct wm_interconnect_spec *interconnect = &spec->interconnect;
    bool has_l2 = graph->levels[WM_LEVEL_L2] != WM_NO_COMPONENT;
    uint32_t to = has_l2 ? graph->levels[WM_LEVEL_L2] : graph->memory;
    struct wm_memory_link *link = join(graph, from, to);
    set_below(graph, from, to);
    link->ports_above = graph->components[graph->units].instances;
    link->ports_below = graph->components[to].parts;
    link->requests = graph->requests;
    link->replies = graph->replies;
    link->topology = interconnect->topology == WM_BUTTERFLY ? WM_LINK_BUTTERFLY : WM_LINK_CROSSBAR;
    link->latency = interconnect->latency;
    link->clock_hz = interconnect->clock_hz;
    link->bytes_per_cycle = interconnect->flit_bytes;
}

static void link_l1(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    uint32_t last = graph->units;
    if (graph->levels[WM_LEVEL_L1] != WM_NO_COMPONENT) {
        join_units(graph, spec, graph->levels[WM_LEVEL_L1]);
        last = graph->levels[WM_LEVEL_L1];
    }
    const uint32_t next[] = {graph->victim, graph->tracker};
    for (size_t i = 0; i < sizeof next / sizeof next[0]; i++) {
        if (next[i] == WM_NO_COMPONENT)
            continue;
        join(graph, last, next[i]);
        set_below(graph, last, next[i]);
        last = next[i];
    }
    join_shared(graph, spec, last);
}

static void link_tlbs(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
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
        join_shared(graph, spec, last);
}

static void link_all(struct wm_memory_graph *graph, const struct wm_memory_spec *spec)
{
    link_l1(graph, spec);
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        if (graph->levels[WM_LEVEL_SIDE + kind] == WM_NO_COMPONENT)
            continue;
        join_units(graph, spec, graph->levels[WM_LEVEL_SIDE + kind]);
        join_shared(graph, spec, graph->levels[WM_LEVEL_SIDE + kind]);
    }
    link_tlbs(graph, spec);
    if (graph->levels[WM_LEVEL_L2] == WM_NO_COMPONENT)
        return;
    if (graph->atomic_buffer != WM_NO_COMPONENT) {
        join(graph, graph->levels[WM_LEVEL_L2], graph->atomic_buffer)->ports_above =
            spec->levels[WM_LEVEL_L2].slices;
        graph->components[graph->atomic_buffer].below = graph->levels[WM_LEVEL_L2];
    }
    struct wm_memory_link *link = join(graph, graph->levels[WM_LEVEL_L2], graph->memory);
    link->ports_above = spec->levels[WM_LEVEL_L2].slices;
    link->ports_below = spec->dram.channels;
    graph->components[graph->levels[WM_LEVEL_L2]].below = graph->memory;
}

void wm_memory_graph_make(const struct wm_memory_spec *spec, const char *prefix,
                          struct wm_memory_graph *graph)
{
    *graph = (struct wm_memory_graph){.victim = WM_NO_COMPONENT,
                                      .l1_tlb = WM_NO_COMPONENT,
                                      .l2_tlb = WM_NO_COMPONENT,
                                      .tracker = WM_NO_COMPONENT,
                                      .requests = WM_NO_COMPONENT,
                                      .replies = WM_NO_COMPONENT,
                                      .atomic_buffer = WM_NO_COMPONENT};
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        graph->levels[i] = WM_NO_COMPONENT;
    snprintf(graph->prefix, sizeof graph->prefix, "%s", prefix);
    graph->gpus = wm_memory_gpus(spec);
    if (graph->gpus > 1 && graph->prefix[0] != '\0')
        graph->prefix[strlen(graph->prefix) - 1] = '\0';
    add_units(graph, spec);
    add_l1(graph, spec);
    add_side_caches(graph, spec);
    add_tlbs(graph, &spec->tlb);
    add_tracker(graph, spec);
    add_networks(graph, spec);
    add_l2(graph, spec);
    add_memory(graph, spec);
    link_all(graph, spec);
}

// --- Paths ---

uint32_t wm_memory_graph_path_count(const struct wm_memory_graph *graph, uint32_t component)
{
    if (component == WM_NO_COMPONENT)
        return 0;
    return graph->gpus * graph->components[component].instances *
           graph->components[component].parts;
}

void wm_memory_graph_path(const struct wm_memory_graph *graph, uint32_t component, uint32_t index,
                          const char *within, char *path, size_t size)
{
    const struct wm_memory_component *named = &graph->components[component];
    char place[WM_MEMORY_GRAPH_PREFIX_BYTES + 40], inside[32] = "", gpu[12] = "";
    uint32_t each = named->parts != 0 ? named->instances * named->parts : 1; // of a GPU
    if (graph->gpus > 1)
        snprintf(gpu, sizeof gpu, "%" PRIu32, index / each);
    index %= each;
    if (named->inside != WM_NO_COMPONENT)
        snprintf(inside, sizeof inside, ".%s[%" PRIu32 "]", graph->components[named->inside].name,
                 index * named->stride);
    snprintf(place, sizeof place, "%s%s%s", graph->prefix, gpu, inside);
    const char *dot = within != NULL ? "." : "";
    within = within != NULL ? within : "";
    switch (named->numbering) {
    case WM_NUMBERED_NOT: snprintf(path, size, "%s.%s%s%s", place, named->name, dot, within); break;
    case WM_NUMBERED:
        snprintf(path, size, "%s.%s[%" PRIu32 "]%s%s", place, named->name, index, dot, within);
        break;
    case WM_NUMBERED_TO_PARTS:
        snprintf(path, size, "%s.%s[%" PRIu32 "].%s[%" PRIu32 "]%s%s", place, named->name,
                 index / named->parts, named->part_title, index % named->parts, dot, within);
        break;
    }
}

void wm_memory_graph_peer_path(const struct wm_memory_graph *graph, uint32_t from, uint32_t to,
                               char *path, size_t size)
{
    snprintf(path, size, "%s%" PRIu32 ".link.%s%" PRIu32, graph->prefix, from, graph->prefix, to);
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

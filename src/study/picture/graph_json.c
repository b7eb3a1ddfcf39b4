// The graph as JSON: components and links, by the names that results have of each level.
#include "study/picture/picture.h"

#include "base/names/counters.h"
#include "study/format/json_text.h"

#include <jansson.h>

static const char *const kinds[] = {
    [WM_COMPONENT_UNITS] = "units",
    [WM_COMPONENT_LEVEL] = "cache",
    [WM_COMPONENT_VICTIM] = "victim cache",
    [WM_COMPONENT_TLB] = "tlb",
    [WM_COMPONENT_TRACKER] = "sharing tracker",
    [WM_COMPONENT_ATOMIC_BUFFER] = "atomic buffer",
    [WM_COMPONENT_NETWORK] = "network",
    [WM_COMPONENT_MEMORY] = "memory",
};
static const char *const topologies[] = {
    [WM_LINK_WIRE] = "wire",
    [WM_LINK_CROSSBAR] = "crossbar",
    [WM_LINK_BUTTERFLY] = "butterfly",
};

// null for what a component does not have.
static json_t *number(uint64_t value)
{
    return value != 0 ? json_integer((json_int_t)value) : json_null();
}

// "gpu0.sm[*].l1".
static json_t *name_of(const struct wm_memory_graph *graph, uint32_t component)
{
    char path[WM_COMPONENT_PATH_BYTES], level[WM_COMPONENT_PATH_BYTES];
    if (component == WM_NO_COMPONENT)
        return json_null();
    wm_memory_graph_path(graph, component, 0, NULL, path, sizeof path);
    wm_counter_level(path, level);
    return json_string(level);
}

static json_t *names_of(const struct wm_memory_graph *graph, uint64_t mask)
{
    json_t *names = json_array();
    for (uint32_t i = 0; i < graph->component_count; i++)
        if (mask >> i & 1)
            json_array_append_new(names, name_of(graph, i));
    return names;
}

static json_t *served(unsigned serves)
{
    static const char *const words[] = {"constant",     "read-only", "uniform",
                                        "instructions", "atomics",   "data"};
    json_t *list = json_array();
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (serves >> i & 1)
            json_array_append_new(list, json_string(words[i]));
    return list;
}

// The clock of what has none of its own is that of its place's units.
static uint64_t hertz_of(const struct wm_drawn_machine *drawn, enum wm_level_place place,
                         uint64_t own)
{
    const struct wm_machine *machine = drawn->machine;
    bool of_cores = place == WM_PLACE_CPU && machine->core.clock_hz != 0;
    return own != 0 ? own : of_cores ? machine->core.clock_hz : machine->device.clock_hz;
}

static json_t *component_value(const struct wm_drawn_machine *drawn, uint32_t index)
{
    const struct wm_memory_graph *graph = &drawn->graph;
    const struct wm_memory_component *component = &graph->components[index];
    bool has_clock = component->latency != 0 || component->kind == WM_COMPONENT_UNITS;
    uint64_t hertz = hertz_of(drawn, component->place, component->clock_hz);
    json_t *rate = component->kind == WM_COMPONENT_MEMORY
                       ? json_real(drawn->memory_bytes_per_second)
                       : json_null();
    return json_pack("{s:o,s:s,s:i,s:o,s:i,s:s?,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
                     "name", name_of(graph, index), "kind", kinds[component->kind], "instances",
                     (int)component->instances, "units_each", number(component->units_each),
                     "parts", (int)component->parts, "part", component->part_title, "bytes",
                     number(component->bytes), "all_bytes", number(component->all_bytes), "entries",
                     number(component->entries), "line_bytes", number(component->line_bytes),
                     "sector_bytes", number(component->sector_bytes), "ways",
                     number(component->ways), "serves", served(component->serves), "latency_cycles",
                     number(component->latency), "clock_hz", number(has_clock ? hertz : 0),
                     "bytes_per_second", rate, "below", name_of(graph, component->below), "above",
                     names_of(graph, component->above));
}

static json_t *link_value(const struct wm_drawn_machine *drawn, const struct wm_memory_link *link)
{
    const struct wm_memory_graph *graph = &drawn->graph;
    uint64_t hertz = hertz_of(drawn, graph->components[link->from].place, link->clock_hz);
    double rate = wm_memory_link_peak(link, drawn->machine->device.clock_hz);
    return json_pack("{s:o,s:o,s:s,s:o,s:o,s:i,s:I,s:o,s:i,s:i,s:o}", "from",
                     name_of(graph, link->from), "to", name_of(graph, link->to), "topology",
                     topologies[link->topology], "requests", name_of(graph, link->requests),
                     "replies", name_of(graph, link->replies), "latency_cycles", (int)link->latency,
                     "clock_hz", (json_int_t)hertz, "bytes_per_cycle",
                     number(link->bytes_per_cycle), "ports_above", (int)link->ports_above,
                     "ports_below", (int)link->ports_below, "bytes_per_second",
                     link->bytes_per_cycle != 0 ? json_real(rate) : json_null());
}

void wm_drawn_machine_json(const struct wm_drawn_machine *drawn, struct wm_text *text)
{
    const struct wm_memory_graph *graph = &drawn->graph;
    json_t *components = json_array(), *links = json_array();
    for (uint32_t i = 0; i < graph->component_count; i++)
        json_array_append_new(components, component_value(drawn, i));
    for (uint32_t i = 0; i < graph->link_count; i++)
        json_array_append_new(links, link_value(drawn, &graph->links[i]));
    json_t *value = json_pack("{s:s,s:s,s:i,s:o,s:o}", "machine", drawn->machine->name, "title",
                              drawn->machine->device.title, "gpus", (int)graph->gpus, "components",
                              components, "links", links);
    wm_json_print(value, 15, text);
}

#include "study/picture/box_words.h"

#include "base/text/text_width.h"
#include "base/text/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wm_box_next_line(struct wm_picture_box *box)
{
    if (box->lines[box->line_count - 1][0] != '\0' && box->line_count < WM_PICTURE_LINES)
        box->line_count++;
}

// How many bytes of the words lie in so many columns, cut at a blank; all of them if they fit, or
// if no blank does.
static size_t fitting(const char *words, uint32_t columns)
{
    size_t length = strlen(words), cut = length;
    for (size_t i = length; i > 0 && wm_text_width(words, cut) > columns; i--)
        if (words[i] == ' ')
            cut = i;
    return cut;
}

void wm_box_add(struct wm_picture_box *box, const char *format, ...)
{
    char all[WM_PICTURE_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(all, sizeof all, format, arguments);
    va_end(arguments);
    const char *separator = ", ", *words = all;
    while (*words != '\0') {
        char *line = box->lines[box->line_count - 1];
        uint32_t used = wm_text_width(line, strlen(line)), columns = box->width - 4;
        if (used != 0 && used + 2 + wm_text_width(words, strlen(words)) > columns) {
            wm_box_next_line(box);
            line = box->lines[box->line_count - 1];
            used = wm_text_width(line, strlen(line));
        }
        size_t length = strlen(line), more = fitting(words, columns);
        snprintf(line + length, WM_PICTURE_LINE_BYTES - length, "%s%.*s",
                 used != 0 ? separator : "", (int)more, words);
        words += more + (words[more] == ' ');
        separator = " ";
    }
}

// --- What boxes say ---

const char *wm_bytes_text(double bytes, char buffer[WM_NUMBER_BYTES])
{
    return wm_units_round(bytes, WM_QUANTITY_BYTES, buffer, WM_NUMBER_BYTES);
}

const char *wm_rate_text(double rate, char buffer[WM_NUMBER_BYTES])
{
    return wm_units_round(rate, WM_QUANTITY_BANDWIDTH, buffer, WM_NUMBER_BYTES);
}

static const char *clock_text(double hertz, char buffer[WM_NUMBER_BYTES])
{
    return wm_units_round(hertz, WM_QUANTITY_HERTZ, buffer, WM_NUMBER_BYTES);
}

const char *wm_unit_word(const struct wm_drawn_machine *drawn, enum wm_level_place place)
{
    bool cores = place == WM_PLACE_CPU || drawn->machine->sm.warp_width == 1;
    return cores ? "core" : "SM";
}

static uint32_t units_at(const struct wm_memory_graph *graph, enum wm_level_place place)
{
    return place == WM_PLACE_CPU ? graph->cores : graph->units;
}

static void add_title(const struct wm_drawn_machine *drawn, struct wm_picture_box *box,
                      const struct wm_memory_component *component)
{
    const struct wm_memory_graph *graph = &drawn->graph;
    uint32_t units = graph->components[units_at(graph, component->place)].instances;
    const char *unit = wm_unit_word(drawn, component->place);
    if (component->units_each == 0 && component->kind == WM_COMPONENT_LEVEL)
        wm_box_add(box, "%s", component->title);
    else if (component->units_each == 0 && component->instances > 1)
        wm_box_add(box, "%" PRIu32 " × %s, one a slice", component->instances, component->title);
    else if (component->units_each == 0 || component->units_each >= units)
        wm_box_add(box, "%s of all %ss", component->title, unit);
    else
        wm_box_add(box, "%" PRIu32 " × %s", component->instances, component->title);
    if (component->units_each == 1 && units > 1)
        wm_box_add(box, "one %s %s", unit[0] == 'S' ? "an" : "a", unit);
    else if (component->units_each > 1 && component->units_each < units)
        wm_box_add(box, "one of %" PRIu32 " %ss", component->units_each, unit);
    wm_box_next_line(box);
}

static void add_sizes(struct wm_picture_box *box, const struct wm_memory_component *component)
{
    char number[WM_NUMBER_BYTES];
    const char *each = component->instances > 1 ? " each" : "";
    if (component->bytes != 0)
        wm_box_add(box, "%s%s", wm_bytes_text((double)component->bytes, number), each);
    if (component->bytes != 0 && component->instances > 1)
        wm_box_add(box, "%s in all", wm_bytes_text((double)component->all_bytes, number));
    if (component->bytes == 0 && component->entries != 0)
        wm_box_add(box, "%" PRIu32 " entries%s", component->entries, each);
    const char *plural = component->parts == 1 ? "" : "s";
    if (component->part_title != NULL && component->bytes != 0)
        wm_box_add(box, "%" PRIu32 " %s%s of %s", component->parts, component->part_title, plural,
                   wm_bytes_text((double)(component->bytes / component->parts), number));
    else if (component->part_title != NULL && component->parts > 1)
        wm_box_add(box, "%" PRIu32 " %s%s%s", component->parts, component->part_title, plural,
                   each);
    if (component->bytes != 0)
        wm_box_next_line(box);
}

static void add_lines(struct wm_picture_box *box, const struct wm_memory_component *component)
{
    char number[WM_NUMBER_BYTES];
    const char *of = component->kind == WM_COMPONENT_TLB ? "pages" : "lines";
    if (component->kind == WM_COMPONENT_ATOMIC_BUFFER)
        of = "sectors";
    if (component->line_bytes != 0)
        wm_box_add(box, "%s of %s", of, wm_bytes_text((double)component->line_bytes, number));
    if (component->sector_bytes != 0 && component->sector_bytes < component->line_bytes)
        wm_box_add(box, "sectors of %s", wm_bytes_text(component->sector_bytes, number));
    bool whole =
        component->kind == WM_COMPONENT_VICTIM || component->kind == WM_COMPONENT_ATOMIC_BUFFER;
    if (whole)
        wm_box_add(box, "fully associative");
    else if (component->ways != 0)
        wm_box_add(box, "%" PRIu32 " way%s", component->ways, component->ways == 1 ? "" : "s");
    wm_box_next_line(box);
}

static void add_served(struct wm_picture_box *box, unsigned serves, bool read_only)
{
    static const struct {
        unsigned bit;
        const char *words;
    } all[] = {
        {WM_SERVES_CONSTANT, "constants"},    {WM_SERVES_READ_ONLY, "read-only loads, textures"},
        {WM_SERVES_UNIFORM, "uniform loads"}, {WM_SERVES_INSTRUCTIONS, "instruction fetches"},
        {WM_SERVES_ATOMICS, "atomics"},
    };
    const char *before = "for ";
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bool narrowed = read_only && all[i].bit == WM_SERVES_UNIFORM;
        if (serves & all[i].bit) {
            wm_box_add(box, "%s%s%s", before, narrowed ? "read-only " : "", all[i].words);
            before = "";
        }
    }
    wm_box_next_line(box);
}

uint32_t wm_box_finish(struct wm_picture_box *box)
{
    if (box->lines[box->line_count - 1][0] == '\0')
        box->line_count--;
    box->height = box->line_count + 2;
    return box->y + box->height;
}

static void add_walks(const struct wm_drawn_machine *drawn, struct wm_picture_box *box,
                      uint32_t index)
{
    const struct wm_memory_graph *graph = &drawn->graph;
    const struct wm_tlb_spec *tlb = &drawn->machine->memory.tlb;
    uint32_t last = graph->l2_tlb != WM_NO_COMPONENT ? graph->l2_tlb : graph->l1_tlb;
    uint32_t below = graph->components[last].below;
    wm_box_next_line(box);
    if (index == last)
        wm_box_add(box, "walks of %" PRIu32 " reads, %s%s", tlb->walk_levels,
                   below == WM_NO_COMPONENT ? "only counted" : "through ",
                   below == WM_NO_COMPONENT ? "" : graph->components[below].title);
}

static void fill_memory(const struct wm_drawn_machine *drawn, struct wm_picture_box *box,
                        uint32_t channels)
{
    char number[WM_NUMBER_BYTES];
    wm_box_add(box, "DRAM");
    wm_box_add(box, "%s", wm_bytes_text((double)drawn->machine->device.memory_bytes, number));
    wm_box_next_line(box);
    wm_box_add(box, "%" PRIu32 " channel%s of %s", channels, channels == 1 ? "" : "s",
               wm_rate_text(drawn->memory_bytes_per_second / channels, number));
}

static void fill_units(const struct wm_drawn_machine *drawn, struct wm_picture_box *box,
                       const struct wm_memory_component *units)
{
    const struct wm_machine *machine = drawn->machine;
    char number[WM_NUMBER_BYTES];
    bool of_gpu = units->place == WM_PLACE_GPU;
    wm_box_add(box, "%" PRIu32 " %s%s%s", units->instances, of_gpu ? "" : "CPU ",
               wm_unit_word(drawn, units->place), units->instances == 1 ? "" : "s");
    if (!of_gpu)
        return;
    snprintf(box->lines[0] + strlen(box->lines[0]), 32, " at %s",
             clock_text((double)machine->device.clock_hz, number));
    wm_box_next_line(box);
    if (machine->sm.warp_width > 1) {
        wm_box_add(box, "each: %" PRIu32 " warps of %" PRIu32 " lanes", machine->sm.max_warps,
                   machine->sm.warp_width);
        wm_box_add(box, "%s of shared memory",
                   wm_bytes_text((double)machine->sm.shared_bytes, number));
    }
    wm_box_next_line(box);
    if (drawn->graph.gpus > 1) {
        uint64_t rate = machine->memory.peer_link.bandwidth_bytes_per_second;
        wm_box_add(box, "one of %" PRIu32 " GPUs", drawn->graph.gpus);
        wm_box_add(box, "%s each way to each other", wm_rate_text((double)rate, number));
    }
}

// How a level is divided among units, and what stands beside it and has no box of its own.
static void add_parts(struct wm_picture_box *box, const struct wm_level_spec *level)
{
    wm_box_next_line(box);
    if (level->partitions > 1)
        wm_box_add(box, "in %" PRIu32 " partitions, each near half of the SMs", level->partitions);
    wm_box_next_line(box);
    if (wm_level_has_prefetcher(level))
        wm_box_add(box, "prefetch: %s", level->prefetch->name);
}

void wm_box_fill(const struct wm_drawn_machine *drawn, struct wm_picture_box *box, uint32_t index)
{
    const struct wm_memory_component *component = &drawn->graph.components[index];
    const struct wm_sm_spec *sm = &drawn->machine->sm;
    char number[WM_NUMBER_BYTES];
    if (component->kind == WM_COMPONENT_UNITS) {
        fill_units(drawn, box, component);
        return;
    }
    if (component->kind == WM_COMPONENT_MEMORY) {
        fill_memory(drawn, box, component->parts);
        return;
    }
    add_title(drawn, box, component);
    add_sizes(box, component);
    if (index == drawn->graph.levels[WM_LEVEL_L1] && sm->unified_bytes != 0)
        wm_box_add(box, "up to %s, by carve-out",
                   wm_bytes_text((double)(sm->unified_bytes - sm->carveouts.bytes[0]), number));
    if (component->bytes != 0)
        wm_box_next_line(box);
    add_lines(box, component);
    add_served(box, component->serves, sm->scalar_loads == WM_SCALAR_READ_ONLY);
    if (component->kind == WM_COMPONENT_LEVEL)
        add_parts(box, &drawn->machine->memory.levels[component->level]);
    if (component->kind == WM_COMPONENT_TLB)
        add_walks(drawn, box, index);
    const struct wm_tracker_spec *tracker = &drawn->machine->memory.levels[WM_LEVEL_L1].tracker;
    if (component->kind == WM_COMPONENT_TRACKER)
        wm_box_add(box, "at most %" PRIu32 " holder%s a line", tracker->sharers,
                   tracker->sharers == 1 ? "" : "s");
}

void wm_box_fill_network(const struct wm_drawn_machine *drawn, struct wm_picture_box *box,
                         const struct wm_memory_link *link)
{
    const struct wm_memory_graph *graph = &drawn->graph;
    char number[WM_NUMBER_BYTES];
    uint64_t hertz = link->clock_hz != 0 ? link->clock_hz : drawn->machine->device.clock_hz;
    uint32_t stages = graph->components[link->requests].parts;
    if (link->topology == WM_LINK_BUTTERFLY)
        wm_box_add(box, "butterfly of %" PRIu32 " stage%s", stages, stages == 1 ? "" : "s");
    else
        wm_box_add(box, "crossbar");
    wm_box_add(box, "%" PRIu32 " to %" PRIu32 " ports", link->ports_above, link->ports_below);
    wm_box_next_line(box);
    wm_box_add(box, "%s a cycle of each port", wm_bytes_text(link->bytes_per_cycle, number));
    wm_box_add(box, "latency %" PRIu32 " cycles at %s", link->latency,
               clock_text((double)hertz, number));
}
